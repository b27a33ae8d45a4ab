package lore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFileBytesAreTheSource(t *testing.T) {
	sources := map[string]string{
		"plain":        everything,
		"CRLF":         strings.ReplaceAll(everything, "\n", "\r\n"),
		"BOM":          "\ufeff" + everything,
		"no body":      "---\nid: a\n---",
		"broken":       "nope",
		"broken YAML":  "---\nid: [\n---\nx",
		"invalid body": "---\nid: a\n---\n\xff\xfe\x00",
		"empty":        "",
		"UTF-16":       string(encodeText(everything, encUTF16LE)),
		"UTF-16 odd":   string(encodeText("---\nid: a\n---\n", encUTF16BE)) + "\x01",
	}
	for name, src := range sources {
		t.Run(name, func(t *testing.T) {
			f, _ := ParseEntry("e.weaver", []byte(src))
			if got := string(f.Bytes()); got != src {
				t.Errorf("Bytes() = %q, want %q", got, src)
			}
			if f.Entry() == nil {
				return
			}
			if err := f.SetEntry(f.Entry().Clone()); err != nil {
				t.Fatalf("SetEntry with the same entry: %v", err)
			}
			if got := string(f.Bytes()); got != src {
				t.Errorf("after SetEntry with the same entry: %q, want %q", got, src)
			}
		})
	}
}

func TestUTF16IsReadAndWrittenBack(t *testing.T) {
	f, list := ParseEntry("e.weaver", encodeText("---\r\nid: a\r\nname: Mühle 🜁\r\n---\r\nText.\r\n", encUTF16BE))
	if len(list) > 0 || f.Entry().Name != "Mühle 🜁" {
		t.Fatalf("entry %+v, reports %v", f.Entry(), list)
	}
	if err := f.Set("name", "Mill"); err != nil {
		t.Fatal(err)
	}
	want := string(encodeText("---\r\nid: a\r\nname: Mill\r\n---\r\nText.\r\n", encUTF16BE))
	if got := string(f.Bytes()); got != want {
		t.Errorf("Bytes() = %q, want %q", got, want)
	}
}

func TestSetChangesOnlyTheField(t *testing.T) {
	tests := []struct {
		name, yaml string
		field      string
		value      any
		want       string
	}{
		{"number, comment stays", "id: a\npriority: 5   # high\nname: x\n", "priority", 7, "id: a\npriority: 7   # high\nname: x\n"},
		{"plain text", "id: a\nname: Old mill # x\n", "name", "New mill", "id: a\nname: New mill # x\n"},
		{"double quotes stay", "id: a\nname: \"Old\" # x\n", "name", "New", "id: a\nname: \"New\" # x\n"},
		{"single quotes stay", "id: a\nname: 'Old' # x\n", "name", "It's new", "id: a\nname: 'It''s new' # x\n"},
		{"text that needs quotes", "id: a\nname: Old\n", "name", "a: b # c", "id: a\nname: 'a: b # c'\n"},
		{"text that looks like a number", "id: a\nname: Old\n", "name", "12", "id: a\nname: \"12\"\n"},
		{"several lines", "id: a\nname: Old\ntags: [x]\n", "name", "one\ntwo", "id: a\nname: |-\n  one\n  two\ntags: [x]\n"},
		{"block text", "id: a\ncomment: |\n  one\n  two\n\n# next\ntags: [x]\n", "comment", "three\n", "id: a\ncomment: |\n  three\n\n# next\ntags: [x]\n"},
		{"new field", "id: a\n# end\n", "cooldown", 3, "id: a\n# end\ncooldown: 3\n"},
		{"new list", "id: a\n", "keywords", []string{"x", "y: z"}, "id: a\nkeywords: [x, 'y: z']\n"},
		{"new slot", "id: a\n", "slot", AtDepth(4), "id: a\nslot: !at_depth 4\n"},
		{"slot by tag", "id: a\nslot: !at_depth 4 # c\n", "slot", AtDepth(2), "id: a\nslot: !at_depth 2 # c\n"},
		{"slot by tag to word", "id: a\nslot: !at_depth 4\n", "slot", SlotCoda, "id: a\nslot: coda\n"},
		{"empty value", "id: a\nkeywords: # todo\nname: x\n", "keywords", []string{"k"}, "id: a\nkeywords: [k] # todo\nname: x\n"},
		{"flow list, one more", "id: a\nkeywords: [\"a\", \"b\"] # c\n", "keywords", []string{"a", "b", "c"}, "id: a\nkeywords: [\"a\", \"b\", \"c\"] # c\n"},
		{"flow list, first goes", "id: a\nkeywords: [ \"a\" , b, 'c' ]\n", "keywords", []string{"b", "c"}, "id: a\nkeywords: [ b, 'c' ]\n"},
		{"flow list, middle", "id: a\nkeywords: [a, 'b,]', c]\n", "keywords", []string{"a", "x", "c"}, "id: a\nkeywords: [a, 'x', c]\n"},
		{"flow list over lines", "id: a\nkeywords: [a,\n  b, # second\n  c\n  ]\n", "keywords", []string{"a", "b", "d"}, "id: a\nkeywords: [a,\n  b, # second\n  d\n  ]\n"},
		{"block list, one more", "id: a\nkeywords:\n  - a # first\n  - 'b'\n# end\n", "keywords", []string{"a", "b", "c"}, "id: a\nkeywords:\n  - a # first\n  - 'b'\n  - 'c'\n# end\n"},
		{"block list at the margin", "id: a\nkeywords:\n- a\n- b\nname: x\n", "keywords", []string{"b"}, "id: a\nkeywords:\n- b\nname: x\n"},
		{"block list, changed", "id: a\nkeywords:\n  - a # one\n  - b # two\n", "keywords", []string{"a", "z"}, "id: a\nkeywords:\n  - a # one\n  - z # two\n"},
		{"list of scalars as written", "id: a\nkeywords: [1, yes]\n", "keywords", []string{"1", "yes", "x"}, "id: a\nkeywords: [1, yes, x]\n"},
		{"nested mapping", "id: a\nsizes:\n  brief: short # b\n  # c\n  one_line: \"x\"\nname: n\n", "sizes", Sizes{Brief: "long", OneLine: "x"}, "id: a\nsizes:\n  brief: long # b\n  # c\n  one_line: \"x\"\nname: n\n"},
		{"nested mapping, one more", "id: a\nsizes:\n    brief: short\nname: n\n", "sizes", Sizes{Brief: "short", OneLine: "x"}, "id: a\nsizes:\n    brief: short\n    one_line: x\nname: n\n"},
		{"flow mapping", "id: a\nsizes: { brief: short, one_line: 'x' } # c\n", "sizes", Sizes{Brief: "short", OneLine: "y"}, "id: a\nsizes: { brief: short, one_line: 'y' } # c\n"},
		{"unknown field", "id: a\nmine: {deep: [1, 2]} # c\n", "mine", map[string]any{"deep": []int{1, 3}}, "id: a\nmine: {deep: [1, 3]} # c\n"},
		{"flow root", "{id: a, keywords: [x]}\n", "keywords", []string{"z"}, "{id: a, keywords: [z]}\n"},
		{"flow root, new", "{id: a}\n", "cooldown", 2, "{id: a, cooldown: 2}\n"},
		{"quoted key", "\"id\": a\n\"name\": x\n", "name", "one\ntwo", "\"id\": a\n\"name\": |-\n  one\n  two\n"},
	}
	for _, tt := range tests {
		for _, eol := range []string{"\n", "\r\n"} {
			t.Run(fmt.Sprintf("%s %q", tt.name, eol), func(t *testing.T) {
				whole := func(yaml string) string {
					return strings.ReplaceAll("---\n"+yaml+"---\nBody.\n", "\n", eol)
				}
				f, list := ParseEntry("e.weaver", []byte(whole(tt.yaml)))
				if list.HasErrors() {
					t.Fatal(list)
				}
				if err := f.Set(tt.field, tt.value); err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(whole(tt.want), string(f.Bytes())); d != "" {
					t.Errorf("source differs (-want +got):\n%s", d)
				}
			})
		}
	}
}

func TestUnset(t *testing.T) {
	src := "---\nid: a\n\n# About keys.\nkeywords:\n  - x # c\n\n# About the name.\nname: n\n---\nB"
	f := parseOK(t, src)
	for _, field := range []string{"keywords", "absent"} {
		if err := f.Unset(field); err != nil {
			t.Fatal(err)
		}
	}
	want := "---\nid: a\n\n# About keys.\n\n# About the name.\nname: n\n---\nB"
	if got := string(f.Bytes()); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSetRefusesWhatWouldDamage(t *testing.T) {
	tests := []struct {
		name, src, field string
		value            any
	}{
		{"wrong type", "---\nid: a\n---\n", "priority", "high"},
		{"id goes", "---\nid: a\n---\n", "id", nil},
		{"anchor used elsewhere", "---\nid: a\nkeywords: &k [x]\ntags: *k\n---\n", "keywords", []string{"y"}},
		{"unreadable", "---\nid: [\n---\n", "name", "x"},
		{"no front matter", "text", "name", "x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, _ := ParseEntry("e.weaver", []byte(tt.src))
			if err := f.Set(tt.field, tt.value); err == nil {
				t.Errorf("Set succeeds: %q", f.Bytes())
			}
			if got := string(f.Bytes()); got != tt.src {
				t.Errorf("source is now %q", got)
			}
		})
	}
}

func TestSetCorrectsAWrongField(t *testing.T) {
	f, _ := ParseEntry("e.weaver", []byte("---\nid: a\npriority: high # ?\n---\n"))
	if f.Entry() != nil {
		t.Fatal("an entry with a wrong field was read")
	}
	if err := f.Set("priority", 9); err != nil {
		t.Fatal(err)
	}
	if f.Entry() == nil || string(f.Bytes()) != "---\nid: a\npriority: 9 # ?\n---\n" {
		t.Errorf("got %q", f.Bytes())
	}
}

func TestSetContent(t *testing.T) {
	for _, tt := range []struct{ src, content, want string }{
		{"---\nid: a\n---\nold", "new\r\n---\n", "---\nid: a\n---\nnew\r\n---\n"},
		{"---\nid: a\n---", "new", "---\nid: a\n---\nnew"},
		{"---\r\nid: a\r\n---", "new", "---\r\nid: a\r\n---\r\nnew"},
		{"---\nid: a\n---", "", "---\nid: a\n---"},
		{"---\nid: a\n--- \nold", "", "---\nid: a\n--- \n"},
	} {
		f := parseOK(t, tt.src)
		if err := f.SetContent(tt.content); err != nil {
			t.Fatal(err)
		}
		if got := string(f.Bytes()); got != tt.want || f.Entry().Content != tt.content {
			t.Errorf("SetContent(%q) on %q: %q, want %q", tt.content, tt.src, got, tt.want)
		}
	}
}

func TestSetEntryTouchesOnlyWhatDiffers(t *testing.T) {
	f := parseOK(t, everything)
	e := f.Entry().Clone()
	e.Keys = append(LiteralKeys("mill", "old mill", "water mill"), e.Keys[2])
	e.Sizes.OneLine = "A mill, dead."
	e.Cooldown = 0
	e.Content = "It turns again.\n"
	if err := f.SetEntry(e); err != nil {
		t.Fatal(err)
	}
	want := strings.NewReplacer(
		`["mill", 'old mill']`, `["mill", 'old mill', 'water mill']`,
		"one_line: A dead mill.", "one_line: A mill, dead.",
		"cooldown: 4\n", "",
		"The mill stands still.", "It turns again.",
	).Replace(everything)
	if d := cmp.Diff(want, string(f.Bytes())); d != "" {
		t.Errorf("source differs (-want +got):\n%s", d)
	}
}

func TestNewFile(t *testing.T) {
	e := NewEntry("gate", "---\nThe gate.\n")
	e.Keys = LiteralKeys("gate", "no")
	e.Slot = AtDepth(2)
	e.Sizes.Brief = "One line.\n\nAnother."
	e.Placement.Priority = 7
	f, err := NewFile("gate.weaver", e)
	if err != nil {
		t.Fatal(err)
	}
	want := `---
id: gate
keywords: [gate, "no"]
priority: 7
slot: !at_depth 2
sizes:
  brief: |-
    One line.

    Another.
---
---
The gate.
`
	if d := cmp.Diff(want, string(f.Bytes())); d != "" {
		t.Errorf("source differs (-want +got):\n%s", d)
	}
	if _, err := NewFile("x.weaver", NewEntry("", "x")); err == nil {
		t.Error("NewFile writes an entry without id")
	}
}
