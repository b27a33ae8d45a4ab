package match

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestRE2Find(t *testing.T) {
	for _, tt := range []struct{ pattern, text, want string }{
		{`attack`, "ATTACK", ""},
		{`(?i)attack`, "ATTACK", "ATTACK"},
		{`\d{3,} coins`, "1200 coins", "1200 coins"},
		{`\d+`, "٣٤ coins", "٣٤"},
		{`^\w+$`, "весна", "весна"},
		{`\w+`, "¡café e\u0301té!", "café"},
		{`\W`, "eé\u0301東_", ""},
		{`[^\W\d]+`, "12ab", "ab"},
		{`[\w-]+`, "(half-light)", "half-light"},
		{`[\s-x]+`, "a\u00a0-x", "\u00a0-x"},
		{`[\W]+`, "é, 東", ", "},
		{`[^\s]+`, "\u3000x", "x"},
		{`\S+`, "\u2003ab\u2003", "ab"},
		{`\bnoël\b`, "un noël, un", "noël"},
		{`\bélan\b`, "un élan", "élan"},
		{`\bno\b`, "noël", ""},
		{`\Blan`, "élan", "lan"},
		{`(?i)\bÉTÉ\b`, "un été chaud", "été"},
		{`\b(cat|dog)s?\b`, "hotdogs, dogs", "dogs"},
		{`\b\w{3}\b`, "ab лес xyz", "лес"},
		{`(?m)^hail`, "x\nhail", "hail"},
		{`(?m)\bend$`, "the end\nx", "end"},
		{`^hail`, "x\nhail", ""},
		{`end\b$`, "the end\n", ""},
		{`a.b`, "a\nb", ""},
		{`(?s)a.b\b`, "a\nb", "a\nb"},
		{`\u00e9\u{74}é`, "été", "été"},
		{`\U0001F419`, "x🐙", "🐙"},
		{`\p{Greek}+`, "abc νησος", "νησος"},
		{`\p{Alphabetic}+`, "1Ⓐb", "Ⓐb"},
		{`\P{Lu}+`, "ABcD", "c"},
		{`[\p{Script=Cyrillic}x]+`, "лxl", "лx"},
		{`(?u)x`, "x", "x"},
		{`(?iu:X)`, "x", "x"},
		{`(?P<a>x)(?<b>y)`, "xy", "xy"},
		{`\Qa.b\E+`, "aXb a.bb", "a.bb"},
		{`[]x]+`, "a]x", "]x"},
		{`[[:alpha:]]+`, "1ab", "ab"},
		{`a\-b\/c`, "a-b/c", "a-b/c"},
		{`x*?y\b`, "xxy", "xxy"},
		{`(ab){2,3}\b`, "abababab", "ababab"},
		{`(?i)straſſe\b`, "STRASSE", "STRASSE"},
	} {
		re, err := CompileRE2(tt.pattern, RegexOptions{})
		if err != nil {
			t.Errorf("CompileRE2(%q): %v", tt.pattern, err)
			continue
		}
		h, ok, err := re.Match(tt.text, NewBudget(0))
		if err != nil || ok != (tt.want != "") || tt.text[h.Start:h.End] != tt.want {
			t.Errorf("%q in %q: found %q (%v, %v), want %q", tt.pattern, tt.text, tt.text[h.Start:h.End], ok, err, tt.want)
		}
		if ok {
			checkLiterals(t, re, tt.text)
		}
		if re.Backtracking() != regexp.MustCompile(`\\[bB]`).MatchString(tt.pattern) {
			t.Errorf("%q: Backtracking = %v", tt.pattern, re.Backtracking())
		}
	}
}

func TestRE2Refuses(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		pos     int
		want    string // in the message
	}{
		{`iron(?! gate)`, 4, "lookahead"},
		{`(?<=captain )vane`, 0, "lookbehind"},
		{`(a)\1`, 3, "back-reference"},
		{`(?P<q>a)(?P=q)`, 8, "back-reference"},
		{`(?<q>a)\k<q>`, 7, "back-reference"},
		{`(?>a+)b`, 0, "atomic"},
		{`a++b`, 1, "possessive"},
		{`a{2}+`, 3, "possessive"},
		{`(?x) a b`, 0, "flag"},
		{`(?-u)\w`, 0, "Unicode"},
		{`[oops`, 0, "not closed"},
		{`x(y`, 1, "not closed"},
		{`x)y`, -1, "without its ("},
		{`*a`, 0, "nothing for * to repeat"},
		{`a{1001}`, 1, "1000"},
		{`[b-a]`, 1, "range"},
		{`[a-z&&[aeiou]]`, 4, "set operations"},
		{`[a[b]]`, 2, "class inside"},
		{`\Z`, 0, `write \z`},
		{`\<word`, 0, `write \b`},
		{`\p{Nope}`, 0, "property"},
		{`\u12`, 0, "hexadecimal"},
		{`a\`, 1, "ends with"},
		{`\y`, 0, `\y is unknown`},
		{"a\xff", -1, "UTF-8"},
		{strings.Repeat("a", 5000), -1, "4096"},
		{`((a{500}){500}){500}`, -1, "repetition"},
		{strings.Repeat(`\W`, 1000), -1, "too many Unicode classes"},
		{`(?i)` + strings.Repeat(`[\W]`, 400), -1, "too many Unicode classes"},
		{strings.Repeat("(", 1500) + strings.Repeat(")", 1500), -1, "too large"},
	} {
		_, err := CompileRE2(tt.pattern, RegexOptions{})
		var re *RegexError
		if !errors.As(err, &re) {
			t.Errorf("CompileRE2(%.20q) = %v, want a *RegexError", tt.pattern, err)
			continue
		}
		if re.Pos != tt.pos && tt.pos >= 0 || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("CompileRE2(%.20q): %v (at %d), want %q at %d", tt.pattern, err, re.Pos, tt.want, tt.pos)
		}
	}
}

func TestRegexErrorText(t *testing.T) {
	_, err := CompileRE2(`é(?=x)`, RegexOptions{})
	const want = `regex "é(?=x)", at 2: lookahead (?=…) is not supported; write it as a JavaScript expression, /pattern/flags, which can`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestRE2SameWithBoundary: the engine with limits and the linear one find the
// same, so that adding a \b that changes nothing changes nothing.
func TestRE2SameWithBoundary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := genPattern(t, 0)
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(append([]string{"ab", "ba ", "K", "\n"}, tricky...)), 0, 8).Draw(t, "text"), "")
		text = strings.ToValidUTF8(text, "?")
		plain, err := CompileRE2(pattern, RegexOptions{})
		if err != nil {
			t.Skip()
		}
		if plain.Backtracking() {
			return
		}
		both, err := CompileRE2(`(?:\b|\B)(?:`+pattern+`)`, RegexOptions{Timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		h1, ok1, err1 := plain.Match(text, nil)
		h2, ok2, err2 := both.Match(text, nil)
		if h1 != h2 || ok1 != ok2 || err1 != nil || err2 != nil {
			t.Fatalf("%q in %q: %v, %v, %v; with a border %v, %v, %v", pattern, text, h1, ok1, err1, h2, ok2, err2)
		}
	})
}

// TestLiteralsAreRequired: whatever matches holds a literal.
func TestLiteralsAreRequired(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := genPattern(t, 0)
		re, err := CompileRE2(pattern, RegexOptions{})
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

var regexPieces = []string{
	"a", "b", "ab", "abc", "A", "k", "K", "s", "ſ", "ß", "é", "E", "\u0301", "Σ", "ς", "東", "🐙", " ", "\n", "1", "i", "İ", "x",
}

// genPattern draws an expression of both dialects.
func genPattern(t *rapid.T, depth int) string {
	var b strings.Builder
	for range rapid.IntRange(1, 4).Draw(t, "terms") {
		kind := rapid.IntRange(0, 9).Draw(t, "kind")
		switch {
		case kind == 0 && depth < 3:
			open := rapid.SampledFrom([]string{"(?:", "("}).Draw(t, "open")
			b.WriteString(open + genPattern(t, depth+1) + ")")
		case kind == 1:
			b.WriteString(rapid.SampledFrom([]string{".", `\w`, `\d`, `\s`, `\W`, `\S`, "[ab]", "[^a]", "[a-cé]", "[ks]"}).Draw(t, "class"))
		case kind == 2:
			b.WriteString("|")
		case kind == 3:
			b.WriteString(rapid.SampledFrom([]string{"^", "$", `(?i)`, `\b`, ""}).Draw(t, "assertion"))
			continue
		default:
			b.WriteString(rapid.SampledFrom(regexPieces).Draw(t, "literal"))
		}
		if s := b.String(); !strings.HasSuffix(s, "|") {
			b.WriteString(rapid.SampledFrom([]string{"", "", "", "", "*", "+", "?", "{2}", "+?", "{0,2}"}).Draw(t, "repeat"))
		}
	}
	return b.String()
}

func TestLiterals(t *testing.T) {
	for _, tt := range []struct {
		pattern string
		want    []string
	}{
		{`storm`, []string{"storm"}},
		{`(?i)STORM`, []string{"storm"}},
		{`gr[ae]y (ship|barge)`, []string{"gray barge", "gray ship", "grey barge", "grey ship"}},
		{`.*(iron|gold)\d+`, []string{"gold", "iron"}},
		{`colou?r`, []string{"color", "colour"}},
		{`(?:ab|x)y*`, nil}, // x alone is too short
		{`\w+`, nil},
		{`(storm)?`, nil},
		{`(?:storm )+gate`, []string{"storm "}},
		{`\bstorm\b`, []string{"storm"}},
	} {
		re, err := CompileRE2(tt.pattern, RegexOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, re.Literals()); diff != "" {
			t.Errorf("literals of %q (-want +got):\n%s", tt.pattern, diff)
		}
	}
	re, err := CompileJS(`(?<=the )iron(?! gate)\b`, "i", RegexOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"iron"}, re.Literals()); diff != "" {
		t.Errorf("literals with lookaround (-want +got):\n%s", diff)
	}
}
