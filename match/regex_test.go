package match

import (
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"
	"pgregory.net/rapid"
)

func TestMain(m *testing.M) {
	code := m.Run()
	StopClock()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			println("goroutines left:", err.Error())
			code = 1
		}
	}
	os.Exit(code)
}

func TestSplitJSKey(t *testing.T) {
	for _, tt := range []struct {
		key, pattern, flags string
		ok                  bool
	}{
		{`/gr[ae]y (ship|barge)/i`, `gr[ae]y (ship|barge)`, "i", true},
		{`/a/`, "a", "", true},
		{`/a/gimsuy`, "a", "gimsuy", true},
		{`/\d+ km\/h/`, `\d+ km\/h`, "", true},
		{`/a\-b\:c/`, `a\-b\:c`, "", true},
		{`/km/h/`, "", "", false},   // a slash inside
		{`/[/]/`, "", "", false},    // also in a class
		{`/(open/`, "", "", false},  // bad syntax
		{`/brine/x`, "", "", false}, // no such flag
		{`/brine/v`, "", "", false},
		{`/brine/d`, "", "", false},
		{`/brine/ii`, "", "", false}, // twice
		{`/(?i:a)/`, "", "", false},  // newer than ES2018
		{`//`, "", "", false},
		{`/`, "", "", false},
		{``, "", "", false},
		{`a/b/`, "", "", false},
		{`/a/ `, "", "", false},
		{`/a\//`, `a\/`, "", true},
		{`/a\\/`, `a\\`, "", true},
		{`/\\//`, `\\/`, "", true}, // the backslash right before it is enough
		{`/\/`, "", "", false},
		{`/\-/u`, "", "", false}, // strict with u
		{`/🐙+/u`, "🐙+", "u", true},
	} {
		p, f, ok := SplitJSKey(tt.key)
		if p != tt.pattern || f != tt.flags || ok != tt.ok {
			t.Errorf("SplitJSKey(%q) = %q, %q, %v; want %q, %q, %v", tt.key, p, f, ok, tt.pattern, tt.flags, tt.ok)
		}
	}
}

// TestRegexBombs: what would run for ages ends within the limits.
func TestRegexBombs(t *testing.T) {
	long := strings.Repeat("a", 40_000) + "!"
	stopped := 0
	for _, tt := range []struct{ pattern, text string }{
		{`^(a+)+$`, long},
		{`^(?:a|a)*$`, long},
		{`(a*)*b`, long},
		{`(?:a?){60}a{60}$`, long},
		{`(.*)(.*)(.*)(.*)(.*)(.*)x`, long},
		{`^(([a-z])+.)+[A-Z]([a-z])+$`, long},
		{`(?=(a+))\1*b`, long},
	} {
		re, err := CompileJS(tt.pattern, "", RegexOptions{Timeout: 20 * time.Millisecond})
		if err != nil {
			t.Errorf("%q: %v", tt.pattern, err)
			continue
		}
		start := time.Now()
		_, ok, err := re.Match(tt.text, nil)
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("%q took %v", tt.pattern, took)
		}
		if ok || err != nil && !errors.Is(err, ErrRegexTimeout) && !errors.Is(err, ErrRegexBacktrack) {
			t.Errorf("%q: %v, %v; want no match, or an error of time or backtracking", tt.pattern, ok, err)
		}
		if err == nil {
			continue
		}
		stopped++
	}
	if stopped < 4 {
		t.Errorf("only %d of the expressions had to be stopped: the test has lost its point", stopped)
	}
}

func TestBudgetIsShared(t *testing.T) {
	re, err := CompileJS(`(a*)*b`, "", RegexOptions{Timeout: 20 * time.Millisecond, MaxBacktrack: -1})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("a", 30)
	b := NewBudget(50 * time.Millisecond)
	var last error
	for range 100 {
		if _, _, last = re.Match(text, b); errors.Is(last, ErrRegexBudget) {
			break
		}
	}
	if !errors.Is(last, ErrRegexBudget) || b.Left() != 0 {
		t.Errorf("after 100 slow expressions: %v, %v left; want the budget used up", last, b.Left())
	}
	linear, err := CompileRE2(`a+`, RegexOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := linear.Match(text, b); !ok || err != nil {
		t.Errorf("a linear expression needs no budget: %v, %v", ok, err)
	}
	if d := NewBudget(0).Left(); d != DefaultBudget {
		t.Errorf("NewBudget(0) has %v", d)
	}
}

func TestRegexTextLimit(t *testing.T) {
	re, err := CompileJS(`a`, "", RegexOptions{MaxText: 10})
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := re.Match("aaaaaaaaaaa", nil); ok || !errors.Is(err, ErrRegexText) {
		t.Errorf("got %v, %v, want ErrRegexText", ok, err)
	}
}

func TestRegexConcurrently(t *testing.T) {
	re, err := CompileJS(`(\w+) \1`, "i", RegexOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b := NewBudget(time.Minute)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				if h, ok, err := re.Match("xx the The end 🐙", b); !ok || err != nil || h != (Hit{3, 10}) {
					t.Errorf("Match = %v, %v, %v", h, ok, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestJSLiteralsAreRequired repeats for JavaScript what holds for RE2.
func TestJSLiteralsAreRequired(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := strings.ReplaceAll(genPattern(t, 0), "(?i)", "(?=a)")
		flags := rapid.SampledFrom([]string{"", "i", "iu", "s", "m", "u"}).Draw(t, "flags")
		re, err := CompileJS(pattern, flags, RegexOptions{})
		if err != nil || len(re.Literals()) == 0 {
			t.Skip()
		}
		for range 10 {
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(regexPieces), 0, 8).Draw(t, "text"), "")
			if _, ok, _ := re.Match(text, nil); ok {
				checkLiterals(t, re, text)
			}
		}
	})
}

// TestCasesFoldAlike: what JavaScript takes for equal is equal for literals.
func TestCasesFoldAlike(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		for _, u := range []bool{false, true} {
			for _, o := range jsCases(r, u) {
				if foldSimple(o) != foldSimple(r) {
					t.Errorf("%U and %U are equal with i (u %v), but fold to %U and %U", r, o, u, foldSimple(r), foldSimple(o))
				}
			}
		}
	}
}

func FuzzSplitJSKey(f *testing.F) {
	for _, s := range []string{`/a/i`, `/(?<n>a)\k<n>/u`, `/[\]a]/`, `//`, `/a\//gg`, `/\u{1F419}/u`, `/(((((/`, "/\xff/"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, key string) {
		if len(key) > 500 {
			return
		}
		p, flags, ok := SplitJSKey(key)
		if ok && key != "/"+p+"/"+flags {
			t.Errorf("SplitJSKey(%q) = %q, %q", key, p, flags)
		}
	})
}

func FuzzCompileJS(f *testing.F) {
	f.Add(`(a+)+$`, "i", "aaaa!")
	f.Add(`(?<n>[^\W🐙]{2,3}?)\k<n>|\ud83d`, "m", "aa🐙")
	f.Add(`\p{Script=Greek}(?!\1)(x)`, "iu", "νησος")
	f.Fuzz(func(t *testing.T, pattern, flags, text string) {
		if len(pattern) > 200 || len(text) > 500 {
			return
		}
		re, err := CompileJS(pattern, flags, RegexOptions{Timeout: 10 * time.Millisecond})
		if err != nil {
			return
		}
		checkMatch(t, re, text)
	})
}

func FuzzCompileRE2(f *testing.F) {
	f.Add(`\b\w+\b`, "one лес")
	f.Add(`(?i)[^\W\d_]+(?-s:.)\Qa\E\u{61}`, "aéa")
	f.Add(`[\s-x]{2,}|\p{Greek}`, "a  ν")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 200 || len(text) > 500 {
			return
		}
		re, err := CompileRE2(pattern, RegexOptions{Timeout: 10 * time.Millisecond})
		if err != nil {
			var re *RegexError
			if !errors.As(err, &re) || re.Pos > len(pattern) || err.Error() == "" {
				t.Errorf("error %#v", err)
			}
			return
		}
		checkMatch(t, re, text)
	})
}

func checkMatch(t *testing.T, re *Regex, text string) {
	h, ok, err := re.Match(text, nil)
	if err != nil || !ok {
		return
	}
	if h.Start < 0 || h.Start > h.End || h.End > len(text) {
		t.Errorf("%q in %q: match %v", re, text, h)
	}
	checkLiterals(t, re, text)
}

func BenchmarkRegex(b *testing.B) {
	text := makeText(makeKeys(300), 20000)
	for _, tt := range []struct {
		name string
		make func() (*Regex, error)
	}{
		{"re2/literal", func() (*Regex, error) { return CompileRE2(`(?i)silver (mine|hall)`, RegexOptions{}) }},
		{"re2/classes", func() (*Regex, error) { return CompileRE2(`\d+ (gold|silver) \w+`, RegexOptions{}) }},
		{"re2/border", func() (*Regex, error) { return CompileRE2(`\bsilver\b`, RegexOptions{}) }},
		{"js/literal", func() (*Regex, error) { return CompileJS(`silver (mine|hall)`, "i", RegexOptions{}) }},
		{"js/lookaround", func() (*Regex, error) { return CompileJS(`(?<=the )silver(?! mine)`, "", RegexOptions{}) }},
	} {
		re, err := tt.make()
		if err != nil {
			b.Fatal(err)
		}
		b.Run(tt.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := re.Match(text, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("compile/re2", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := CompileRE2(`(?i)\w+ (gold|silver)`, RegexOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("compile/js", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := CompileJS(`(?<=the )silver(?! mine)`, "i", RegexOptions{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
