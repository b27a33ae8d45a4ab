package keys_test

import (
	"testing"

	"github.com/weft-memory/weft/format/internal/keys"
	"github.com/weft-memory/weft/lore"
)

func TestRegex(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"/a/": "a", "/a|b/i": "a|b", `/a\/b/gi`: `a\/b`, "/a,b/": "a,b",
		"": "", "/": "", "//": "", "/a": "", "a/": "", "/a/x": "", "/a/b/": "", "and/or": "",
	} {
		k, ok := keys.Regex(text)
		if ok != (want != "") || k.Text != want {
			t.Errorf("Regex(%q) = %q, %v", text, k.Text, ok)
		}
		if ok && keys.Text(k) != text {
			t.Errorf("%q is written as %q", text, keys.Text(k))
		}
	}
}

func TestLadder(t *testing.T) {
	t.Parallel()
	base := &lore.Entry{}
	base.Priority, base.InsertionOrder = -20, 20
	now := base.Clone()
	if n := keys.Ladder(now, base, true); n != 20 {
		t.Errorf("without an edit: %d", n)
	}
	now.Priority = -5
	if n := keys.Ladder(now, base, true); n != 5 {
		t.Errorf("the priority alone: %d", n)
	}
	now.InsertionOrder = 7
	if n := keys.Ladder(now, base, true); n != 7 {
		t.Errorf("both: %d", n)
	}
}
