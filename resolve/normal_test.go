package resolve

import (
	"strings"
	"testing"
)

func TestNormal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, want string }{
		{"Brothers-in-Arms", "brothers in arms"},
		{"brothers in arms", "brothers in arms"},
		{"The Broken Anchor", "broken anchor"},
		{"The", "the"},
		{"L'Auberge Rouge", "auberge rouge"},
		{"Die Schwarze Katze", "schwarze katze"},
		{"O’Nagh", "onagh"},
		{"Jean‑Luc", "jean luc"},
		{"Sword & Shield", "sword & shield"},
		{"sword and shield", "sword & shield"},
		{"Señor Müller", "senor muller"},
		{"Æthel Straßer", "aethel strasser"},
		{"ＶＡＬＥＮ", "valen"},
		{"Valen (Northern Wastes)", "valen northern wastes"},
		{"Ёж Андреевич", "еж андреевич"},
		{"Москва", "москва"},
		{"Ἀλέξανδρος", "αλεξανδροσ"},
		{"مُحَمَّد", "محمد"},
		{"שָׁלוֹם", "שלום"},
		{"山田　太郎", "山田 太郎"},
		{"ｼﾞｮﾝ・ｽﾐｽ", "ジョン スミス"},
		{"김철수", "김철수"},
		{"नमस्ते", "नमस्ते"},
		{"J.R. Holt", "j r holt"},
		{"a\u200bb", "ab"},
		{" … ", "…"},
		{"", ""},
	} {
		if got := Normal(c.name); got != c.want {
			t.Errorf("Normal(%q) = %q, want %q", c.name, got, c.want)
		}
	}
}

// TestNormalKeepsScripts holds that names without a Latin letter stay apart.
func TestNormalKeepsScripts(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, e := range readEntities(t) {
		if e.shared {
			continue
		}
		n := Normal(e.forms[0])
		if other, ok := seen[n]; ok {
			t.Errorf("Normal(%q) = Normal(%q) = %q", e.forms[0], other, n)
		}
		seen[n] = e.forms[0]
	}
}

// TestHugeInput holds that long texts cost bounded time and memory.
func TestHugeInput(t *testing.T) {
	t.Parallel()
	many := make([]string, 5000)
	for i := range many {
		many[i] = strings.Repeat("Tom ", i%7) + "of the north"
	}
	for name, x := range map[string]Thing{
		"long word":        {Name: strings.Repeat("a", 1<<20), Description: strings.Repeat("b", 1<<20)},
		"many words":       {Name: strings.Repeat("ab ", 1<<18), Description: strings.Repeat("north gate south gate ", 1<<16)},
		"accents":          {Name: "e" + strings.Repeat("\u0301", 1<<18), Description: strings.Repeat("\u0301", 1<<18)},
		"brackets":         {Name: strings.Repeat("(", 1<<18), Description: strings.Repeat("「", 1<<18)},
		"aliases and keys": {Name: "Tom", Aliases: many, Keys: many, Description: "Tom."},
		"han":              {Name: strings.Repeat("王", 1<<18), Description: strings.Repeat("北門南門", 1<<16)},
	} {
		y := x
		y.Name += "x"
		d := Decide(x, []Thing{y}, Options{})
		if d.Rule == "" {
			t.Errorf("%s: no decision", name)
		}
		NewIndex([]Thing{x, y}).Decide(x, Options{})
		Similarity(x.Name, y.Description)
	}
}
