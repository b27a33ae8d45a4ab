package memory

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-memory/weft/lore"
)

// FuzzMembers compares the reading by hand with encoding/json: objects have the
// same members, entries say the same, and what is no JSON is an error or at
// least ends.
func FuzzMembers(f *testing.F) {
	f.Add(`{"id":"a","content":"The ford.\\n","keywords":["ford"]}`)
	f.Add(` { "a" : [1, {"b": "}"}] , "a" : null } `)
	f.Add(`{"id":"\u00e9","tags":["x","y"],"name":"N","folder":"f"}`)
	f.Add(`{"id":"a","id":"b"}`)
	f.Add(`{"a":1,}`)
	f.Add("{\"\\ud800\":\"\xff\"}")
	f.Fuzz(func(t *testing.T, src string) {
		got := map[string]json.RawMessage{}
		err := members([]byte(src), func(name string, raw json.RawMessage) error {
			got[name] = raw
			return nil
		})
		var want map[string]json.RawMessage
		if json.Unmarshal([]byte(src), &want) != nil || want == nil {
			_ = list([]byte(src), func(json.RawMessage) error { return nil })
			var op Operation
			_ = op.UnmarshalJSON([]byte(src))
			return
		}
		if err != nil {
			t.Fatalf("%q: %v", src, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%q (-want +got)\n%s", src, d)
		}
		if e, ok := readPlainEntry([]byte(src)); ok {
			want, err := lore.UnmarshalEntry([]byte(src))
			if err != nil {
				t.Fatalf("%q was read, and should be an error: %v", src, err)
			}
			if d := cmp.Diff(want, e); d != "" {
				t.Fatalf("%q (-want +got)\n%s", src, d)
			}
		}
	})
}

// TestPlainEntries reads entries as sidecars write them, by hand and by package
// lore.
func TestPlainEntries(t *testing.T) {
	t.Parallel()
	plain := 0
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"", "ford", " a ", "Zwölf", "\n\"\\", "{{x", "null", "/re/", "a,b", "\xff"})
		e := lore.NewEntry(rapid.SampledFrom([]string{"a", " ", "é"}).Draw(t, "id"), word.Draw(t, "content"))
		e.Name, e.Folder = word.Draw(t, "name"), word.Draw(t, "folder")
		e.Comment, e.Type = word.Draw(t, "comment"), word.Draw(t, "type")
		e.Tags = rapid.SliceOfN(word, 0, 3).Draw(t, "tags")
		e.Keys = lore.LiteralKeys(rapid.SliceOfN(word, 0, 3).Draw(t, "keys")...)
		if rapid.IntRange(0, 3).Draw(t, "more") == 0 {
			e.Constant = true
		}
		raw, err := lore.MarshalEntry(e)
		if err != nil {
			if list, err := fieldsOfEntry(e); err == nil {
				t.Fatalf("an entry that cannot be written has the fields %v", list)
			}
			return
		}
		want, wantErr := lore.UnmarshalEntry(raw)
		got, err := readEntry(raw)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%s: got %v, want %v", raw, err, wantErr)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%s (-want +got)\n%s", raw, d)
		}
		if _, ok := readPlainEntry(raw); ok {
			plain++
		}
		wantFields, wantErr := allFields(e)
		fields, err := fieldsOfEntry(e)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%s: fields: got %v, want %v", raw, err, wantErr)
		}
		if d := cmp.Diff(wantFields, fields, cmp.AllowUnexported(field{})); d != "" {
			t.Fatalf("fields of %s (-want +got)\n%s", raw, d)
		}
		same, err := entryOf(e.ID, fields, e.Content)
		old, oldErr := lore.UnmarshalEntry(objectJSON(append([]field{{"id", quoted(e.ID)}}, fields...)))
		if oldErr == nil {
			old.Content = e.Content
		}
		if d := cmp.Diff(old, same); d != "" || (err == nil) != (oldErr == nil) {
			t.Fatalf("an entry of %v (-want +got)\n%s", fields, d)
		}
	})
	if plain == 0 {
		t.Error("no entry was read by hand")
	}
}

// TestOddOperations reads what encoding/json would take, too.
func TestOddOperations(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		`null`: `{"id":"","world":"","layer":"","kind":"","author":{"kind":""},"change":{}}`,
		` {"ID" : "a", "Kind":"patch", "Change": {"Content": [null, {"NEW": "x", "y": 1}], "names": [null]}, "author": {"Kind": "person"}, "inverse": null, "-": 1} `: `{"id":"a","world":"","layer":"","kind":"patch","author":{"kind":"person"},"change":{"content":[{},{"new":"x"}],"names":[""]},"-":1}`,
		`{"id":"a","id":"\u0062","change":{"content":[{"new":"x"}],"content":[]},"seq":7,"x":[ 1 ],"x":{ }}`:                                                          `{"id":"b","seq":7,"world":"","layer":"","kind":"","author":{"kind":""},"change":{},"x":{ }}`,
	} {
		var op Operation
		if err := json.Unmarshal([]byte(src), &op); err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		got, err := op.MarshalJSON()
		if err != nil || !bytes.Equal(got, []byte(want)) {
			t.Errorf("%s\ngot  %s (%v)\nwant %s", src, got, err, want)
		}
	}
}
