package resolve

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzDecide holds that no text makes the package panic or go on for ever,
// that decisions about one thing are symmetric, and that every thing with a
// name is itself.
func FuzzDecide(f *testing.F) {
	f.Add("Valen", "Valen the Shadow", "a man", "he", "character")
	f.Add("Трактир «Три весла»", "（門番）山田さん", "南門", "北門", "")
	f.Add("l'", "\"'", ",", "((", "location")
	f.Add("八世", "II", "the of the", "\xff\xfe", "item")
	f.Fuzz(func(t *testing.T, a, b, da, db, typ string) {
		x := Thing{Type: typ, Name: a, Aliases: []string{b, da}, Description: db, Keys: []string{db}}
		y := Thing{Type: typ, Name: b, Description: da}
		p, q := Decide(x, []Thing{y}, Options{}), Decide(y, []Thing{x}, Options{})
		if p.Verdict != q.Verdict {
			t.Errorf("%v and %v:\n%s%s", p.Verdict, q.Verdict, p.Trace(), q.Trace())
		}
		if n := NewIndex([]Thing{y}).Decide(x, Options{}); n.Verdict != p.Verdict {
			t.Errorf("Index gives %v, Decide %v", n.Verdict, p.Verdict)
		}
		if strings.TrimSpace(b) != "" && Decide(y, []Thing{y}, Options{}).Verdict == Different {
			t.Errorf("%q is not itself", b)
		}
	})
}

// FuzzNormal holds that a normal form is valid text where the name is, and never
// empty where that is not.
func FuzzNormal(f *testing.F) {
	for _, s := range []string{"The Broken-Anchor", "l'Été", "ŉﬁ½", "山田　太郎", "The", "…", "a\u0301\u200bx", "The The The"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n := Normal(s)
		if utf8.ValidString(s) && !utf8.ValidString(n) {
			t.Errorf("Normal(%q) = %q is not valid", s, n)
		}
		if strings.TrimSpace(s) != "" && n == "" {
			t.Errorf("Normal(%q) is empty", s)
		}
	})
}
