package memory_test

import (
	"fmt"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
)

func book() []*lore.Book {
	alys := lore.NewEntry("alys", "Alys rules the vale.")
	alys.Name, alys.Keys = "Queen Alys", lore.LiteralKeys("Alys")
	return []*lore.Book{
		{ID: "vale", Policy: lore.PolicyWeaver(), Entries: []*lore.Entry{alys}},
		memory.NewBook(memory.WorldBook), memory.NewBook(memory.StoryBook),
	}
}

// wrote makes an operation of a sidecar.
func wrote(seq int64, node string, kind memory.Kind, book, entry string, change memory.Change) memory.Operation {
	op := memory.Operation{
		ID: fmt.Sprint("op", seq), Seq: seq, World: "w", Layer: memory.LayerStory, Conversation: "c", Node: node,
		Author: memory.Author{Kind: memory.BySidecar}, Kind: kind, Book: book, Entry: entry, Change: change,
	}
	op.Normalize()
	return op
}

func at(nodes ...string) memory.Path {
	p := memory.Path{Conversation: "c"}
	for _, n := range nodes {
		p = p.Append(memory.Step{Node: n})
	}
	return p
}

// Two replies to the same message remember different things.
func Example() {
	ops := []memory.Operation{
		wrote(1, "reply-a", memory.KindPatch, "vale", "alys", memory.Append("She was wounded at the ford.")),
		wrote(2, "reply-b", memory.KindPatch, "vale", "alys", memory.Append("She fled by night.")),
	}
	for _, reply := range []string{"reply-a", "reply-b"} {
		view := memory.Fold(book(), memory.Active(at("hello", reply), ops), memory.Options{})
		fmt.Printf("%s:\n%s\n", reply, view.Entry("vale", "alys").Content)
	}
	// Output:
	// reply-a:
	// She was wounded at the ford.
	// Alys rules the vale.
	// reply-b:
	// She fled by night.
	// Alys rules the vale.
}

// A sidecar lays over an authored entry what the story adds. What would change
// its text waits for a person.
func ExampleView_Proposals() {
	ops := []memory.Operation{
		wrote(1, "n1", memory.KindPatch, "vale", "alys", memory.Change{
			Fields:  map[string]memory.Field{"status": {New: []byte(`"in exile"`)}},
			Content: []memory.Hunk{{Old: "Alys rules the vale.", New: "Alys lost the vale."}},
		}),
	}
	view := memory.Fold(book(), ops, memory.Options{})
	fmt.Println(view.Entry("vale", "alys").Content)
	for _, p := range view.Proposals() {
		fmt.Printf("proposed: %q, since %s\n", p.Change.Content[0].New, p.Why)
	}
	// Output:
	// Status: in exile.
	// Alys rules the vale.
	// proposed: "Alys lost the vale.", since the entry is authored
}

func ExampleView_Undo() {
	tom := lore.NewEntry("tom", "Tom is a guard.")
	ops := []memory.Operation{
		wrote(1, "n1", memory.KindCreate, "", "tom", memory.Change{Entry: tom}),
		wrote(2, "n2", memory.KindPatch, "", "tom", memory.Append("He is dead.")),
		wrote(3, "n3", memory.KindPatch, "", "tom", memory.Append("Alys mourns him.")),
	}
	view := memory.Fold(book(), ops, memory.Options{})
	undo, _, err := view.Undo("op2", memory.Author{Kind: memory.ByPerson, Name: "Ada"})
	if err != nil {
		panic(err)
	}
	undo.ID, undo.Seq = "op4", 4
	fmt.Println(view.With(undo).Entry(memory.StoryBook, "tom").Content)
	// Output: Tom is a guard. Alys mourns him.
}

func ExampleSwitch() {
	ops := []memory.Operation{
		wrote(1, "a", memory.KindPatch, "vale", "alys", memory.Append("She was wounded.")),
		wrote(2, "b", memory.KindPatch, "vale", "alys", memory.Append("She fled.")),
	}
	from, to := at("hello", "a"), at("hello", "b")
	view := memory.Fold(book(), memory.Active(from, ops), memory.Options{})

	gone, added := memory.Switch(from, to, ops)
	view = view.Switch(gone, added)
	fmt.Println(len(gone), len(added), view.Entry("vale", "alys").Content)
	// Output: 1 1 She fled.
	// Alys rules the vale.
}

func ExampleDiff() {
	was := lore.NewEntry("mill", "The mill stands by the weir. It is old. It is dry.")
	is := lore.NewEntry("mill", "The mill stands by the weir. It burned down. It is dry.")
	change := memory.Diff(was, is)
	fmt.Printf("%q → %q\n", change.Content[0].Old, change.Content[0].New)

	// Meanwhile somebody added a sentence.
	now := lore.NewEntry("mill", "The mill stands by the weir. It is old. Bo lives there. It is dry.")
	merged, conflicts := change.Apply(now)
	fmt.Println(merged.Content, len(conflicts))
	// Output:
	// "It is old." → "It burned down."
	// The mill stands by the weir. It burned down. Bo lives there. It is dry. 0
}

func ExampleSentences() {
	for _, s := range memory.Sentences("Dr. Orr left... She stayed. 雨だ。「行くよ。」と言った。") {
		fmt.Printf("%q\n", s)
	}
	// Output:
	// "Dr. Orr left... "
	// "She stayed. "
	// "雨だ。"
	// "「行くよ。」と言った。"
}
