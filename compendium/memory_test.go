package compendium_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/compendium"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
)

// operation makes the operation that carries a merge in a memory log: this is
// all the glue there is.
func operation(id string, seq int64, node string, before, after *compendium.Entry, r compendium.Result) memory.Operation {
	op := memory.Operation{
		ID: id, Seq: seq, World: "w", Layer: memory.LayerStory, Conversation: "c", Node: node, Author: memory.Author{Kind: memory.BySidecar},
	}
	if r.Created {
		op.Kind, op.Change = memory.KindCreate, memory.Change{Entry: after.ToLore()}
	} else {
		op.Kind, op.Entry = memory.KindPatch, after.ID
		if r.Content != nil {
			op.Change.Content = memory.Diff(before.ToLore(), after.ToLore()).Content
		}
		op.Change.Fields = map[string]memory.Field{}
		for name, f := range r.Fields {
			op.Change.Fields[name] = memory.Field(f)
		}
	}
	op.Normalize()
	return op
}

// script merges one call for each message m1, m2, … and returns the operations,
// and the entry after each.
func script(t *testing.T, typ compendium.Type, calls ...string) ([]memory.Operation, []*compendium.Entry) {
	t.Helper()
	var ops []memory.Operation
	var entries []*compendium.Entry
	var e *compendium.Entry
	for i, args := range calls {
		p, err := compendium.Coerce(typ, json.RawMessage(args))
		if err != nil {
			t.Fatal(err)
		}
		node := fmt.Sprintf("m%d", i+1)
		next, r := compendium.Merge(e, p, compendium.Context{ID: "e1", Source: compendium.Source{By: compendium.BySidecar, Turn: i + 1, Node: node, Quote: args}})
		if len(r.Changed) > 0 {
			ops = append(ops, operation(fmt.Sprintf("op%d", i+1), int64(i+1), node, e, next, r))
		}
		e = next
		entries = append(entries, e)
	}
	return ops, entries
}

func folded(t *testing.T, ops []memory.Operation) *compendium.Entry {
	t.Helper()
	books := []*lore.Book{memory.NewBook(memory.StoryBook)}
	v := memory.Fold(books, ops, memory.Options{})
	if c := v.Conflicts(); len(c) > 0 {
		t.Errorf("conflicts: %+v", c)
	}
	le := v.Entry(memory.StoryBook, "e1")
	if le == nil {
		return nil
	}
	e, ok, err := compendium.FromLore(le)
	if err != nil || !ok {
		t.Fatalf("FromLore: %v %v", ok, err)
	}
	return e
}

func stored(t *testing.T, e *compendium.Entry) string {
	t.Helper()
	raw, err := json.MarshalIndent(e, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

var valenCalls = []string{
	`{"name":"Valen","description":"Former operative of the Shadow Guild. He trusts nobody.","relationships":[{"with":"Sera","nature":"romantic_tension"}],"current_state":{"location":"Northern Wastes"}}`,
	`{"name":"Valen","relationships":[{"with":"Corin","nature":"brother","status":"lost touch"}],"current_state":{"mood":"grim"}}`,
	`{"name":"Valen","relationships":[{"with":"Corin","nature":"brother","status":"reunited"}],"current_state":{"location":"Harbour"},"goals":["find the ledger"]}`,
	`{"name":"Valen","description":"Former operative of the Shadow Guild. He trusts nobody. He carries a broken compass.","aliases":["the Grey"],"status":"captive"}`,
}

// The fold of the operations is what Merge made, after every message.
func TestLogCarriesMerges(t *testing.T) {
	t.Parallel()
	ops, entries := script(t, compendium.Character, valenCalls...)
	for i := range ops {
		got := folded(t, ops[:i+1])
		if diff := cmp.Diff(stored(t, entries[i]), stored(t, got)); diff != "" {
			t.Errorf("after %d operations (-merged +folded):\n%s", i+1, diff)
		}
	}
}

// A message that is taken out takes its own values along and leaves those of the
// later messages.
func TestLogLosesOneOperation(t *testing.T) {
	t.Parallel()
	ops, _ := script(t, compendium.Character, valenCalls...)
	e := folded(t, append(append([]memory.Operation{}, ops[:1]...), ops[2:]...))
	for path, want := range map[string]string{
		"current_state.mood":     "",
		"current_state.location": "Harbour",
		// The second message made the row, the third said what it is now.
		"relationships[corin|kin].with":      "Corin",
		"relationships[corin|kin].status":    "reunited",
		"relationships[sera|romance].nature": "romantic_tension",
		"goals[find ledger].text":            "",
		"goals[find the ledger].text":        "find the ledger",
		"status":                             "captive",
		"aliases[grey].text":                 "the Grey",
		"description":                        "Former operative of the Shadow Guild. He trusts nobody. He carries a broken compass.",
	} {
		if got := e.Text(path); got != want {
			t.Errorf("%s = %q, want %q", path, got, want)
		}
	}
	// Without the third one the second one's values stand again.
	e = folded(t, append(append([]memory.Operation{}, ops[:2]...), ops[3:]...))
	for path, want := range map[string]string{
		"relationships[corin|kin].status": "lost touch", "current_state.location": "Northern Wastes", "current_state.mood": "grim", "status": "captive",
	} {
		if got := e.Text(path); got != want {
			t.Errorf("without the third: %s = %q, want %q", path, got, want)
		}
	}
	if s := e.Sources["current_state.location"]; s.Turn != 1 {
		t.Errorf("the source of the place is of turn %d, want 1", s.Turn)
	}
}

// What a story adds to an authored entry is laid over it: the typed data of the
// overlay with the authored entry is the entry.
func TestLogOverCanon(t *testing.T) {
	t.Parallel()
	canon := lore.NewEntry("inn", "The Broken Anchor is the inn of Saltmere.")
	canon.Name, canon.Type = "The Broken Anchor", "location"
	canon.Keys = lore.LiteralKeys("anchor", "inn")
	book := &lore.Book{ID: "vale", Policy: lore.PolicyWeaver(), Entries: []*lore.Entry{canon}}
	before, ok := compendium.Convert(canon, "")
	if !ok {
		t.Fatal("not converted")
	}
	p, err := compendium.Coerce(compendium.Location, json.RawMessage(`{"name":"Broken Anchor","status":"burned down","features":["a bell that still rings"]}`))
	if err != nil {
		t.Fatal(err)
	}
	after, r := compendium.Merge(before, p, compendium.Context{Source: compendium.Source{By: compendium.BySidecar, Turn: 4, Node: "m4"}})
	op := memory.Operation{
		ID: "op", Seq: 1, World: "w", Layer: memory.LayerStory, Conversation: "c", Node: "m4", Book: "vale", Entry: "inn", Kind: memory.KindPatch,
		Author: memory.Author{Kind: memory.BySidecar}, Change: memory.Change{Fields: map[string]memory.Field{}},
	}
	for name, f := range r.Fields {
		op.Change.Fields[name] = memory.Field(f)
	}
	op.Normalize()
	v := memory.Fold([]*lore.Book{book, memory.NewBook(memory.StoryBook)}, []memory.Operation{op}, memory.Options{
		Label: func(name, value string) string {
			if name == compendium.FieldName {
				return "" // it is rendered, see Present
			}
			return name + ": " + value
		},
	})
	if got := v.Entry("vale", "inn").Content; got != canon.Content {
		t.Errorf("content %q", got)
	}
	o, ok := v.Overlay("vale", "inn")
	if !ok {
		t.Fatal("nothing is laid over the entry")
	}
	e, ok, err := compendium.FromParts(v.Entry("vale", "inn"), o.Fields[compendium.FieldName])
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if e.Status() != "destroyed" || e.Description() != canon.Content || len(e.Rows("features")) != 1 {
		t.Errorf("status %q, description %q", e.Status(), e.Description())
	}
	if diff := cmp.Diff(after.Data, e.Data); diff != "" {
		t.Errorf("data (-merged +folded):\n%s", diff)
	}
	shown := compendium.Present(e, &compendium.Renderer{}, "")
	if want := "The Broken Anchor (destroyed, location). The Broken Anchor is the inn of Saltmere. Features: a bell that still rings."; shown.Content != want {
		t.Errorf("shown: %q, want %q", shown.Content, want)
	}
}
