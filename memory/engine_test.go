package memory_test

import (
	"strings"
	"testing"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/weaver/stdlib"
)

// TestAViewInAPrompt puts a view into a prompt: what a model wrote is printed
// and never run, and a merged entry is included through its old id.
func TestAViewInAPrompt(t *testing.T) {
	t.Parallel()
	books := book()
	pact := lore.NewEntry("pact", "It is sworn by [[fire]].")
	pact.Keys = lore.LiteralKeys("pact")
	fire := lore.NewEntry("fire", "The fire burns.")
	flame := lore.NewEntry("flame", "The flame is cold.")
	books[0].Entries = append(books[0].Entries, pact, fire, flame)

	text := `He said {{char}} {# if true #} $[set_var("state:x", 1)] @[x] [[fire]] <trigger id="fire">`
	tom := lore.NewEntry("tom", text)
	tom.Keys = lore.LiteralKeys("Tom")
	ops := []memory.Operation{
		wrote(1, "n1", memory.KindCreate, "", "tom", memory.Change{Entry: tom}),
		wrote(2, "n1", memory.KindPatch, "vale", "alys", memory.Append(text)),
		wrote(3, "n1", memory.KindPatch, "vale", "alys", memory.Change{Fields: map[string]memory.Field{"name": {New: []byte(`"Alys Nightborn"`)}}}),
	}
	merge := wrote(4, "", memory.KindMerge, "vale", "flame", memory.Change{From: []memory.Ref{{Entry: "fire"}}})
	merge.Author.Kind = memory.ByPerson
	ops = append(ops, merge)
	view := memory.Fold(books, ops, memory.Options{})

	var segments []*engine.Segment
	for _, b := range books {
		s, problems := engine.Build(b, engine.BuildOptions{})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		segments = append(segments, s)
	}
	index, problems := engine.NewIndex(segments...).Overlay(view.Overlays())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	eng, err := engine.New(engine.Options{Registry: stdlib.NewRegistry()})
	if err != nil {
		t.Fatal(err)
	}
	result, err := eng.Assemble(t.Context(), index, engine.Input{Messages: []lore.Message{{Role: lore.RoleUser, Content: "Alys Nightborn and Tom speak of the pact."}}, Budget: lore.Tokens(4000)})
	if err != nil || len(result.Problems) > 0 {
		t.Fatal(err, result.Problems)
	}
	var all []string
	for _, b := range result.Blocks {
		all = append(all, b.Content)
	}
	prompt := strings.Join(all, "\n")
	for _, want := range []string{
		"Now called Alys Nightborn.\n" + text + "\nAlys rules the vale.",
		"It is sworn by The flame is cold. The fire burns..",
	} {
		if !strings.Contains(prompt, want) {
			t.Errorf("the prompt lacks %q:\n%s", want, prompt)
		}
	}
	if strings.Count(prompt, text) != 2 {
		t.Errorf("what the model wrote is not printed as it stands:\n%s", prompt)
	}
}
