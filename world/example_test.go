package world_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

// A swipe takes what was remembered of the old reply with it, and swiping back
// brings it back; no model is asked.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "weft")
	check(err)
	defer os.RemoveAll(dir)
	db, err := store.Open(ctx, filepath.Join(dir, "weft.db"), store.Options{})
	check(err)
	defer db.Close()
	weft, err := world.Open(db, world.Options{})
	check(err)
	defer weft.Close()

	w, err := weft.CreateWorld(ctx, world.NewWorld{Name: "Northmark"})
	check(err)
	book, err := lore.NewBook("vale").Entry("mill", "The mill burned down in spring.", lore.Keywords("mill")).Build()
	check(err)
	_, err = weft.SaveBook(ctx, w.ID, book, world.SaveBook{})
	check(err)
	c, err := weft.CreateConversation(ctx, w.ID, world.NewConversation{Title: "The ford"})
	check(err)

	turn, err := weft.BeginTurn(ctx, w.ID, c.ID, world.TurnRequest{
		Messages: []world.Message{{Content: "I ride to the mill."}},
	})
	check(err)
	for _, m := range turn.Prompt { // what goes to the model
		fmt.Printf("%s: %s\n", m.Role, m.Content)
	}
	first, err := weft.FinishTurn(ctx, w.ID, turn.ID, world.Reply{Content: "Ilka waits in the ashes."})
	check(err)

	ilka := lore.NewEntry("ilka", "Ilka was the miller's daughter.")
	_, err = weft.Apply(ctx, w.ID, world.Operation{
		Conversation: c.ID, Node: first.ID, Kind: memory.KindCreate,
		Author: memory.Author{Kind: memory.BySidecar}, Change: memory.Change{Entry: ilka},
	})
	check(err)

	knows := func() {
		l, err := weft.Lore(ctx, w.ID, world.Place{Conversation: c.ID})
		check(err)
		fmt.Println(l.Live())
	}
	knows()
	_, err = weft.Swipe(ctx, w.ID, first.ID, world.Message{Content: "Nobody is there."})
	check(err)
	knows()
	_, err = weft.SwitchSwipe(ctx, w.ID, first.ID)
	check(err)
	knows()
	// Output:
	// system: The mill burned down in spring.
	// user: I ride to the mill.
	// [vale/mill ~story/ilka]
	// [vale/mill]
	// [vale/mill ~story/ilka]
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
