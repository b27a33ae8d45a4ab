package lore

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// sameBook compares books without their origins.
var sameBook = cmp.Options{cmpopts.IgnoreFields(Entry{}, "Origin"), cmpopts.IgnoreFields(Book{}, "Origin"), cmpopts.EquateEmpty()}

const jsonBook = `{
  "format_version": 1,
  "id": "gull_point",
  "name": "Gull Point",
  "policy": "weaver",
  "token_budget": {"n": 10.5, "unit": "percent"},
  "default_priority": 80,
  "author": {"name": "M", "since": 1e3},
  "entries": [
    {"id": "mill", "keywords": ["mill"], "slot": {"at_depth": 3}, "content": "Line <one> & \"two\".\n\u0001\ud83d\ude00"},
    {"id": 7, "keys": ["a", {"text": "x+", "kind": "js", "flags": "i"}], "fallback": ["at_depth(2)"], "big": 12345678901234567890, "content": ""}
  ]
}
`

func TestParseBook(t *testing.T) {
	b, list := ParseBook("dir/x.json", []byte(jsonBook))
	if len(list) > 0 {
		t.Fatal(list)
	}
	priority := 80
	mill := NewEntry("mill", "Line <one> & \"two\".\n\x01😀")
	mill.Keys, mill.Slot = LiteralKeys("mill"), AtDepth(3)
	seven := NewEntry("7", "")
	seven.Keys = []Key{{Text: "a", Kind: KeyLiteral}, {Text: "x+", Kind: KeyJS, Flags: "i"}}
	seven.Fallback = []Slot{AtDepth(2)}
	seven.Ext = map[string]json.RawMessage{"weaver": json.RawMessage(`{"big":12345678901234567890}`)}
	mill.Placement.Priority, seven.Placement.Priority = 80, 80
	want := &Book{
		ID: "gull_point", Name: "Gull Point", FormatVersion: 1, Policy: PolicyWeaver(), Budget: Percent(10.5),
		DefaultPriority: &priority, Entries: []*Entry{mill, seven},
		Ext: map[string]json.RawMessage{"weaver": json.RawMessage(`{"author":{"name":"M","since":1e3}}`)},
	}
	if d := cmp.Diff(want, b, sameBook); d != "" {
		t.Errorf("book differs (-want +got):\n%s", d)
	}
	if o := b.Entries[1].Origin; o.Line != 11 || o.Pointer != "/entries/1" || o.Path != "dir/x.json" {
		t.Errorf("origin %+v", o)
	}
	out, err := MarshalBook(b)
	if err != nil {
		t.Fatal(err)
	}
	again, list := ParseBook("x.json", out)
	if len(list) > 0 {
		t.Fatal(list)
	}
	if d := cmp.Diff(b, again, sameBook); d != "" {
		t.Errorf("book differs after writing (-want +got):\n%s", d)
	}
	if strings.Contains(string(out), `\u003c`) {
		t.Errorf("< is escaped:\n%s", out)
	}
}

func TestParseBookReports(t *testing.T) {
	tests := []struct{ name, src, want string }{
		{"no JSON", "nope", `b.json:1:2: JSON cannot be read: invalid character 'o' in literal null (expecting 'u')`},
		{"cut off", `{"entries": [{"id": "a"`, `b.json:1:24: JSON cannot be read: unexpected end (the file ends too early: is it cut off?)`},
		{"a list", `[]`, `b.json:1:1: expected a book as {...}, got a list`},
		{"more behind", `{"entries": []} x`, `b.json:1:17: JSON cannot be read: something follows the end of the value`},
		{"twice", "{\"entries\": [],\n\"entries\": []}", `b.json:2:1: entries is given twice (keep one of the two)`},
		{"entries missing", `{"name": "x"}`, `b.json:1:1: warning: the book has no entries (add "entries": [...])`},
		{"fields", "{\"entries\": [\n{\"id\": \"a\", \"priority\": \"1\"},\n{\"content\": 3},\n5,\n{\"id\": \"b\", \"slot\": \"codda\", \"condition\": \"1 +\", \"content\": \"{{\"}]}", `
			b.json:2:25: entry "a": priority: expected a whole number, got the text "1" (remove the quotes)
			b.json:3:1: entries[1]: id is missing (add a line such as id: old_mill)
			b.json:4:1: entries[2]: expected an entry as {...}, got the number 5
			b.json:5: entry "b": slot: there is no slot "codda" (did you mean coda?)
			b.json:5:47: entry "b": condition:
			b.json:5:64: entry "b": content:`},
		{"same id", "{\"entries\": [{\"id\": \"a\"},\n{\"id\": \"a\"}]}", `b.json:2:1: warning: entry "a": an earlier entry has this id; this one replaces it (give one of the two another id)`},
		{"deep", `{"entries": ` + strings.Repeat("[", 100_000), `b.json:1:112: JSON cannot be read: nested more than 100 levels deep`},
		{"invalid UTF-8", "{\"entries\": [], \"name\": \"\xff\"}", `b.json:1:26: warning: the text is not UTF-8 from here on; the bytes are kept as they are (save the file as UTF-8)`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, list := ParseBook("b.json", []byte(tt.src))
			var lines []string
			for _, d := range list {
				line := d.String()
				for _, field := range []string{"condition:", "content:"} { // the rest is the language's
					if before, _, ok := strings.Cut(line, field); ok {
						line = before + field
					}
				}
				lines = append(lines, line)
			}
			want := strings.ReplaceAll(strings.TrimSpace(tt.want), "\t", "")
			if d := cmp.Diff(want, strings.Join(lines, "\n")); d != "" {
				t.Errorf("reports differ (-want +got):\n%s", d)
			}
		})
	}
}

func TestParseBookLoadsTheRest(t *testing.T) {
	b, _ := ParseBook("b.json", []byte(`{"entries": [{"id": "a", "priority": "x"}, {"id": "b", "content": "B"}, 5, {"id": "b", "content": "C"}]}`))
	if ids(b) != "b" || b.Entry("b").Content != "C" || b.ID != "b" {
		t.Errorf("book %q has entries %q", b.ID, ids(b))
	}
}

func TestContentThatIsNotUTF8(t *testing.T) {
	b := &Book{ID: "b", Policy: PolicyWeaver(), Entries: []*Entry{NewEntry("a", "x\xffy")}}
	out, err := MarshalBook(b)
	if err != nil {
		t.Fatal(err)
	}
	again, list := ParseBook("b.json", out)
	if list.HasErrors() || again.Entry("a").Content != "x\xffy" {
		t.Errorf("got %q, %v", again.Entry("a").Content, list)
	}
	b.Entries[0].Name = "\xff"
	if _, err := MarshalBook(b); err == nil {
		t.Error("a name that is not UTF-8 is written")
	}
}

func TestMessageRoundTrip(t *testing.T) {
	const src = `["Hello", {"role": "assistant", "name": "Mira", "content": "Hm."}, {"content": "x", "hidden": true}]`
	want := []Message{UserMessage("Hello"), {Role: RoleAssistant, Name: "Mira", Content: "Hm."}, {Content: "x", Hidden: true}}
	var got []Message
	if err := json.Unmarshal([]byte(src), &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("from JSON (-want +got):\n%s", d)
	}
	raw, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	got = nil
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("from its own JSON (-want +got):\n%s", d)
	}
}
