package engine_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/stdlib"
)

// exampleIndex compiles entries of a book called vale.
func exampleIndex(entries ...*lore.Entry) *engine.Index {
	segment, problems := engine.Build(&lore.Book{ID: "vale", Policy: lore.PolicyWeaver(), Entries: entries}, engine.BuildOptions{})
	for _, p := range problems {
		fmt.Println(p)
	}
	return engine.NewIndex(segment)
}

func exampleEngine(opts engine.Options) *engine.Engine {
	opts.Registry = stdlib.NewRegistry()
	eng, err := engine.New(opts)
	if err != nil {
		panic(err)
	}
	return eng
}

func Example() {
	mill := lore.NewEntry("mill", "The mill by the weir burned down in spring.")
	mill.Keys = lore.LiteralKeys("mill", "weir")
	law := lore.NewEntry("law", "In the vale, {{char}} knows, salt is law.")
	law.Constant, law.Slot = true, lore.SlotPrelude

	eng := exampleEngine(engine.Options{})
	result, err := eng.Assemble(context.Background(), exampleIndex(mill, law), engine.Input{
		Messages:  []lore.Message{lore.UserMessage("Shall we walk to the old MILL?")},
		Character: engine.Character{Name: "Ilse"},
	})
	if err != nil {
		panic(err)
	}
	for _, b := range result.Blocks {
		fmt.Printf("[%s] %s\n", b.Slot, b.Content)
	}
	for _, f := range result.Trace.Fired {
		fmt.Println(f.Entry, f.Reason)
	}
	// Output:
	// [prelude] In the vale, Ilse knows, salt is law.
	// [backdrop] The mill by the weir burned down in spring.
	// law constant
	// mill keyword[mill]
}

// A conversation carries its state from turn to turn. To swipe, assemble again
// from the state before.
func ExampleEngine_Advance() {
	fog := lore.NewEntry("fog", "The fog lies thick.")
	fog.Keys, fog.Sticky = lore.LiteralKeys("fog"), 1
	index := exampleIndex(fog)
	eng := exampleEngine(engine.Options{})

	var state engine.State
	for _, text := range []string{"Fog comes up.", "We walk on.", "We walk on."} {
		state, _ = eng.Advance(context.Background(), index, state)
		r, _ := eng.Assemble(context.Background(), index, engine.Input{
			State: state, Messages: []lore.Message{lore.UserMessage(text)},
		})
		state = r.State
		fmt.Println(state.Turn, len(r.Blocks))
	}
	// Output:
	// 1 1
	// 2 1
	// 3 0
}

// Input.Why asks why an entry is not there.
func ExampleInput_why() {
	gate := lore.NewEntry("gate", "The gate is shut.")
	gate.Keys, gate.Condition = lore.LiteralKeys("gate"), "{{state:hour}} > 20"
	eng := exampleEngine(engine.Options{})
	r, _ := eng.Assemble(context.Background(), exampleIndex(gate), engine.Input{
		State:    engine.State{}.With("state", "hour", weaver.Number(9)),
		Messages: []lore.Message{lore.UserMessage("Is the gate open?")},
		Why:      []engine.EntryRef{{Entry: "gate"}},
	})
	for _, a := range r.Trace.Absent {
		fmt.Println(a.Entry, "·", a.Detail, "·", a.Reads)
	}
	// Output:
	// gate · its condition is false · [{state:hour 9}]
}

// A hook of closures redacts what the scan sees.
func ExampleNewHook() {
	gold := lore.NewEntry("gold", "There is gold below the mill.")
	gold.Keys = lore.LiteralKeys("gold")
	redact := engine.NewHook("redactor", engine.HookFuncs{
		PreActivation: func(_ context.Context, c *engine.PreActivation) error {
			for i := range c.Messages {
				c.Messages[i].Content = strings.ReplaceAll(c.Messages[i].Content, "gold", "…")
			}
			return nil
		},
	})
	eng := exampleEngine(engine.Options{Hooks: []engine.Hook{redact}})
	r, _ := eng.Assemble(context.Background(), exampleIndex(gold), engine.Input{
		Messages: []lore.Message{lore.UserMessage("I found gold.")},
	})
	fmt.Println(len(r.Blocks))
	// Output: 0
}

// An overlay changes a book for one conversation.
func ExampleIndex_Overlay() {
	mill := lore.NewEntry("mill", "The mill stands.")
	mill.Constant = true
	index := exampleIndex(mill)

	burnt := lore.NewEntry("mill", "The mill is a ruin.")
	burnt.Constant = true
	ours, _ := index.Overlay(engine.Overlay{Put: map[string][]*lore.Entry{"vale": {burnt}}})

	eng := exampleEngine(engine.Options{})
	for _, ix := range []*engine.Index{index, ours} {
		r, _ := eng.Assemble(context.Background(), ix, engine.Input{})
		fmt.Println(r.Blocks[0].Content)
	}
	// Output:
	// The mill stands.
	// The mill is a ruin.
}
