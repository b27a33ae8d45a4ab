package match

import (
	"encoding/json"
	"os"
	"testing"
	"time"
)

// TestJSGolden holds expressions, ToLowerJS and TrimJS against what a
// JavaScript engine made of them; testdata/js_golden.mjs tells how.
func TestJSGolden(t *testing.T) {
	path := "testdata/js_golden.json"
	if p := os.Getenv("MATCH_JS_GOLDEN"); p != "" {
		path = p
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		P, F, T string
		R       []int
		Bad     bool
		Lower   string
		Trim    string
		Is      string
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		switch {
		case c.Lower != "":
			if got := ToLowerJS(c.Lower); got != c.Is {
				t.Errorf("ToLowerJS(%q) = %q, want %q", c.Lower, got, c.Is)
			}
			continue
		case c.Trim != "":
			if got := TrimJS(c.Trim); got != c.Is {
				t.Errorf("TrimJS(%q) = %q, want %q", c.Trim, got, c.Is)
			}
			continue
		}
		re, err := CompileJS(c.P, c.F, RegexOptions{Timeout: 5 * time.Second})
		if (err != nil) != c.Bad {
			t.Errorf("CompileJS(%q, %q): error %v, refused by JavaScript: %v", c.P, c.F, err, c.Bad)
			continue
		}
		if err != nil {
			continue
		}
		h, ok, err := re.Match(c.T, nil)
		if err != nil {
			t.Errorf("/%s/%s on %q: %v", c.P, c.F, c.T, err)
			continue
		}
		var want Hit
		if c.R != nil {
			want = Hit{unitOffset(c.T, c.R[0], false), 0}
			want.End = max(want.Start, unitOffset(c.T, c.R[1], true))
		}
		if ok != (c.R != nil) || h != want {
			t.Errorf("/%s/%s on %q = %v, %v; want %v, %v (%+q)", c.P, c.F, c.T, h, ok, want, c.R != nil, c.P)
		}
		if ok {
			checkLiterals(t, re, c.T)
		}
	}
}

// checkLiterals demands of a text with a match that it holds a literal.
func checkLiterals(t interface {
	Errorf(string, ...any)
}, re *Regex, text string,
) {
	if len(re.Literals()) == 0 {
		return
	}
	a, err := NewAutomaton(re.Literals())
	if err != nil {
		t.Errorf("literals of %q: %v", re, err)
		return
	}
	if a.Scan(RegexFold.Apply(text), func(_, _, _ int) bool { return false }) {
		t.Errorf("%q matches %q, which holds none of its literals %q", re, text, re.Literals())
	}
}
