package memory

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-memory/weft/lore"
)

func marshal(t interface{ Fatal(...any) }, e *lore.Entry) string {
	raw, err := lore.MarshalEntry(e)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// drawEntry draws entries that use fields of every shape.
func drawEntry(t *rapid.T, id string) *lore.Entry {
	word := rapid.SampledFrom([]string{"", "Alys", "queen", "mill", "水車", "a \"b\"", "null", "<x>&"})
	words := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"Alys", "queen", "mill", "水車"}), 0, 3, rapid.ID[string])
	e := lore.NewEntry(id, drawText(t, "content"))
	if rapid.IntRange(0, 9).Draw(t, "bytes?") == 0 {
		e.Content += "\xff"
	}
	e.Name, e.Comment, e.Type = word.Draw(t, "name"), word.Draw(t, "comment"), word.Draw(t, "type")
	e.Tags = words.Draw(t, "tags")
	e.Keys = lore.LiteralKeys(words.Draw(t, "keys")...)
	if rapid.Bool().Draw(t, "js?") {
		e.Keys = append([]lore.Key{{Text: "al.s", Kind: lore.KeyJS, Flags: "i"}}, e.Keys...)
	}
	if rapid.Bool().Draw(t, "clause?") {
		e.Clauses = []lore.Clause{{Logic: rapid.SampledFrom([]lore.Logic{lore.AnyOf, lore.NoneOf}).Draw(t, "logic"), Keys: lore.LiteralKeys("x")}}
	}
	e.Disabled, e.Constant = rapid.Bool().Draw(t, "off"), rapid.Bool().Draw(t, "constant")
	e.Placement.Priority = rapid.SampledFrom([]int{100, 7, -3}).Draw(t, "priority")
	e.Sizes.Brief = word.Draw(t, "brief")
	if rapid.Bool().Draw(t, "depth?") {
		e.Placement.Slot = lore.AtDepth(rapid.IntRange(0, 3).Draw(t, "depth"))
	}
	names := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"status", "state", "hp", "a"}), 0, 4, rapid.ID[string]).Draw(t, "unknown")
	var fields []field
	for _, name := range names {
		fields = append(fields, field{name, json.RawMessage(rapid.SampledFrom([]string{`"well"`, `null`, `{"x":1,"y":[2]}`, `[1,2]`, `3.50`}).Draw(t, name))})
	}
	e.Ext = map[string]json.RawMessage{}
	if len(fields) > 0 {
		e.Ext["weaver"] = objectJSON(fields)
	}
	if rapid.Bool().Draw(t, "ext?") {
		e.Ext["risu"] = json.RawMessage(`{"k":1e3}`)
	}
	return e
}

func TestDiffApplyInverse(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		old, new := drawEntry(t, "e"), drawEntry(t, "e")
		was, want := marshal(t, old), marshal(t, new)
		c := Diff(old, new)
		raw, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var read Change
		if err := json.Unmarshal(raw, &read); err != nil {
			t.Fatalf("%v: %s", err, raw)
		}
		got, conflicts := read.Apply(old)
		if m := marshal(t, got); m != want || len(conflicts) > 0 {
			t.Fatalf("%s\ngives %s\nwant  %s\nconflicts %v", raw, m, want, conflicts)
		}
		again, conflicts := c.Apply(got)
		if m := marshal(t, again); m != want || len(conflicts) > 0 {
			t.Fatalf("%s\ntwice gives %s\nwant  %s\nconflicts %v", raw, m, want, conflicts)
		}
		back, conflicts := Inverse(old, c).Apply(got)
		if m := marshal(t, back); m != was || len(conflicts) > 0 {
			t.Fatalf("%s\nback gives %s\nwant  %s\nconflicts %v", raw, m, was, conflicts)
		}
		if marshal(t, old) != was || marshal(t, new) != want {
			t.Fatal("the entries were changed")
		}
	})
}

// TestInverseOnOthers applies a change to an entry that it was not made for.
func TestInverseOnOthers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := Diff(drawEntry(t, "e"), drawEntry(t, "e"))
		e := drawEntry(t, "e")
		out, _ := c.Apply(e)
		back, conflicts := Inverse(e, c).Apply(out)
		if m, want := marshal(t, back), marshal(t, e); m != want || len(conflicts) > 0 {
			t.Fatalf("gives %s\nwant  %s\nconflicts %v", m, want, conflicts)
		}
	})
}

func TestMergeValue(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		old, new, cur, want string
		clash               bool
	}{
		{`"a"`, `"b"`, `"a"`, `"b"`, false},
		{`"a"`, `"b"`, `"b"`, `"b"`, false},
		{`"a"`, `"b"`, `"c"`, `"b"`, true},
		{`"a"`, ``, `"a"`, ``, false},
		{`["a"]`, `["a","b"]`, `["x","a"]`, `["x","a","b"]`, false},
		{`["a","b"]`, `["a","b","c"]`, `["b"]`, `["b","c"]`, false},
		{`["a"]`, `[]`, `["a","b"]`, `["b"]`, false},
		{`["a"]`, ``, `["a","b"]`, `["b"]`, false},
		{``, `["b"]`, `["a"]`, `["a","b"]`, false},
		{`["a"]`, `["b"]`, `["b","a"]`, `["b"]`, false},
		{`{"x":1}`, `{"x":2}`, `{"x":1,"y":1}`, `{"x":2,"y":1}`, false},
		{`{"x":1}`, `{"x":2}`, `{"x":3}`, `{"x":2}`, true},
		{``, `{"y":2}`, `{"x":1}`, `{"x":1,"y":2}`, false},
		{`[{"id":"a","n":1}]`, `[{"id":"a","n":2}]`, `[{"id":"b","n":9},{"id":"a","n":1,"m":0}]`, `[{"id":"b","n":9},{"id":"a","n":2,"m":0}]`, false},
		{`[]`, `[{"id":"a","n":2}]`, `[{"id":"a","m":1}]`, `[{"id":"a","m":1,"n":2}]`, false},
		{`1`, `[1]`, `"x"`, `[1]`, true},
	} {
		got, clash := mergeValue(json.RawMessage(tt.old), json.RawMessage(tt.new), json.RawMessage(tt.cur))
		if string(got) != tt.want || clash != tt.clash {
			t.Errorf("mergeValue(%s → %s, %s) = %s, %v; want %s, %v", tt.old, tt.new, tt.cur, got, clash, tt.want, tt.clash)
		}
	}
}

// TestMergesOnDisjointKeysCommute is invariant I11.
func TestMergesOnDisjointKeysCommute(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base := map[string]any{"keep": 1}
		changes := make([]Change, 3)
		for i := range changes {
			items := []any{map[string]any{"id": fmt.Sprint("i", i), "n": rapid.IntRange(0, 3).Draw(t, "n")}}
			changes[i] = Change{Fields: map[string]Field{"data": {
				Old: encodeJSON(base),
				New: encodeJSON(map[string]any{"keep": 1, fmt.Sprint("k", i): rapid.IntRange(0, 3).Draw(t, "v"), "items": items}),
			}}}
		}
		e := lore.NewEntry("e", "Text.")
		e.Ext = map[string]json.RawMessage{"weaver": objectJSON([]field{{"data", encodeJSON(base)}, {"other", json.RawMessage("7")}})}
		fold := func(order ...int) (any, *lore.Entry) {
			out := e
			for _, i := range order {
				out, _ = changes[i].Apply(out)
				out, _ = changes[i].Apply(out)
			}
			v, _ := decodeJSON(newVersion(out).get("data"))
			items := v.(map[string]any)["items"].([]any)
			byID := map[any]any{}
			for _, item := range items {
				byID[item.(map[string]any)["id"]] = item
			}
			if len(byID) != len(items) {
				t.Fatalf("an id twice: %v", items)
			}
			v.(map[string]any)["items"] = byID
			return v, out
		}
		want, _ := fold(0, 1, 2)
		for _, order := range [][]int{{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			got, out := fold(order...)
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("order %v (-want +got)\n%s", order, d)
			}
			if string(newVersion(out).get("other")) != "7" || out.Content != "Text." {
				t.Fatal("a field outside of the change was changed")
			}
		}
	})
}
