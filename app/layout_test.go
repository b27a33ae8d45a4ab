package app

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestTextWidth(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		text string
		want int
	}{
		{"lamp", 4},
		{"港の歌", 6},
		{"ｶﾅ", 2},           // half-width katakana
		{"cafe\u0301", 4},   // the accent sits on the e
		{"미라", 4},           //
		{"🐉", 2},            //
		{"👩\u200d🚀", 2},     // one picture
		{"a\u200bb", 2},     // a space of no width
		{"“…”", 3},          // narrow outside of East Asian fonts
		{"\x1b[31m", 4},     // the escape itself takes nothing
		{"Ａ", 2},            // full-width
		{"\u1100\u1161", 2}, // a Hangul syllable of two letters
	} {
		if got := textWidth(tc.text); got != tc.want {
			t.Errorf("textWidth(%q) = %d, want %d", tc.text, got, tc.want)
		}
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, text string
		width      int
		want       []string
	}{
		{"at spaces", "the lamp of the lighthouse", 12, []string{"the lamp of", "the", "lighthouse"}},
		{"exact", "the lamp", 8, []string{"the lamp"}},
		{"a long word", "lighthouselamp", 8, []string{"lighthou", "selamp"}},
		{"between wide characters", "灯台の火が消えない", 8, []string{"灯台の火", "が消えな", "い"}},
		{"not before a full stop", "灯台の火。消える", 8, []string{"灯台の", "火。消え", "る"}},
		{"wide beside narrow", "the 灯台 burns", 8, []string{"the 灯台", "burns"}},
		{"line breaks stay", "a\n\nb", 8, []string{"a", "", "b"}},
		{"an indent stays", "  - a berth for one", 12, []string{"  - a berth", "for one"}},
		{"empty", "", 8, []string{""}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, wrap(tc.text, tc.width)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Wrapping loses nothing but spaces, and no line is wider than asked for.
func TestWrapKeepsTheText(t *testing.T) {
	t.Parallel()
	bare := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) {
				return -1
			}
			return r
		}, s)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := visible(rapid.StringOf(rapid.SampledFrom([]rune("abc  \n灯台。、🐉é-\u0301"))).Draw(t, "text"), true)
		n := rapid.IntRange(8, 40).Draw(t, "width")
		lines := wrap(text, n)
		if got, want := bare(strings.Join(lines, "")), bare(text); got != want {
			t.Fatalf("wrap changed %q into %q", want, got)
		}
		for _, l := range lines {
			if textWidth(l) > n {
				t.Fatalf("%q is %d columns wide, want at most %d", l, textWidth(l), n)
			}
		}
	})
}

func TestTruncate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := visible(rapid.String().Draw(t, "text"), false)
		n := rapid.IntRange(0, 20).Draw(t, "width")
		if got := truncate(text, n); textWidth(got) > n {
			t.Fatalf("truncate(%q, %d) = %q, %d columns", text, n, got, textWidth(got))
		}
	})
	if got := truncate("灯台の火", 5); got != "灯台…" {
		t.Errorf("truncate = %q, want 灯台…", got)
	}
}

// What lore and chats hold never acts on the terminal.
func TestVisible(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		for _, r := range visible(text, true) {
			if unicode.IsControl(r) && r != '\n' || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
				t.Fatalf("visible(%q) holds %q", text, r)
			}
		}
	})
	if got, want := visible("a\tb\x1b[2J\r\nc\xff", true), "a    b␛[2J\nc\uFFFD"; got != want {
		t.Errorf("visible = %q, want %q", got, want)
	}
	if got, want := visible("a\nb", false), "a b"; got != want {
		t.Errorf("visible = %q, want %q", got, want)
	}
}

func TestExcerpt(t *testing.T) {
	t.Parallel()
	text := "A long way to go before the lamp of the lighthouse comes into sight over the water."
	at := strings.Index(text, "lighthouse")
	if got, want := excerpt(text, at, at+len("lighthouse"), 36), "…lamp of the lighthouse comes into…"; got != want {
		t.Errorf("excerpt = %q, want %q", got, want)
	}
	if got := excerpt(strings.Repeat("long ", 10_000), 5, 40_000, 36); textWidth(got) > 40 {
		t.Errorf("the excerpt of a long find is %d columns wide: %.80q", textWidth(got), got)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		// The offsets come from the engine; a wrong one must not panic.
		_ = excerpt(text, rapid.IntRange(-3, 50).Draw(t, "start"), rapid.IntRange(-3, 50).Draw(t, "end"), rapid.IntRange(0, 60).Draw(t, "width"))
	})
}

func TestTableFitsTheWidth(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := &console{width: rapid.IntRange(minWidth, 160).Draw(t, "width")}
		tab := newTable(c, "entry", "tokens", "why").limit(0, c.width/4).alignRight(1)
		word := rapid.StringOf(rapid.SampledFrom([]rune("ab 灯é")))
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			tab.row(cell{word.Draw(t, "a"), plain}, cell{number(rapid.IntRange(0, 9_999_999).Draw(t, "n")), plain}, cell{word.Draw(t, "c"), plain})
		}
		var b strings.Builder
		tab.print(&b)
		for line := range strings.Lines(b.String()) {
			if w := textWidth(strings.TrimRight(line, " \n")); w > c.width {
				t.Fatalf("a line of %d columns in a console of %d: %q", w, c.width, line)
			}
		}
	})
}

func TestNumbersAndPlurals(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -4321: "-4,321"} {
		if got := number(n); got != want {
			t.Errorf("number(%d) = %s, want %s", n, got, want)
		}
	}
	for _, tc := range []struct {
		n          int
		noun, want string
	}{{1, "entry", "1 entry"}, {2, "entry", "2 entries"}, {0, "key", "0 keys"}, {3, "block", "3 blocks"}} {
		if got := plural(tc.n, tc.noun); got != tc.want {
			t.Errorf("plural(%d, %s) = %s, want %s", tc.n, tc.noun, got, tc.want)
		}
	}
}
