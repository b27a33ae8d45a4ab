// Embed shows the engine inside a Go program: load a book, run a turn, keep the
// state, run the next one. It links no network, no database and no model.
//
//	go run ./examples/embed
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/stdlib"
)

func main() {
	if err := run(context.Background(), os.Stdout, "examples/skerrow"); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer, folder string) error {
	// A bad entry is reported and left out; the rest of the book loads.
	dir, problems, err := lore.LoadDir(ctx, folder)
	if err != nil {
		return err
	}
	for _, p := range problems {
		fmt.Fprintln(out, p)
	}

	// Engine and index are immutable: make them once, use them from everywhere.
	eng, err := engine.New(engine.Options{Plugins: []engine.Plugin{stdlib.Plugin{}}})
	if err != nil {
		return err
	}
	book, _ := engine.Build(dir.Book(), engine.BuildOptions{})
	index := engine.NewIndex(book)

	input := engine.Input{
		Character: engine.Character{Name: "Ilka Brandt"},
		Vars: map[string]map[string]weaver.Value{
			"char": {"name": weaver.String("Ilka Brandt"), "age": weaver.Number(31)},
			"user": {"name": weaver.String("Sam")},
		},
	}
	var state engine.State // a value: keep one with each reply, and swipes are safe
	for _, line := range []string{
		"We climb the mule road before dawn.",
		"A keel of lightwood lies across the path.",
	} {
		if state, err = eng.Advance(ctx, index, state); err != nil {
			return err
		}
		input.State = state
		input.Seed++ // what is rolled follows from the seed, so a swipe keeps it
		input.Messages = append(input.Messages, lore.UserMessage(line))
		result, err := eng.Assemble(ctx, index, input)
		if err != nil {
			return err
		}
		state = result.State
		fmt.Fprintf(out, "turn %d\n", state.Turn)
		for _, b := range result.Blocks {
			fmt.Fprintf(out, "  %-11s %-14s %3d tokens\n", b.Slot, b.Entry, b.Tokens)
		}
	}
	return nil
}
