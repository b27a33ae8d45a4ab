// Package engine decides which lore enters a prompt, and says why.
//
// Books are compiled once: [Build] makes a [Segment] of a book, [NewIndex] puts
// segments together, and [Index.Overlay] adds, changes or hides entries without
// compiling the books again. Both are immutable and may be shared by all
// conversations. An [Engine] holds what a program adds: processors and commands
// of templates, lifecycle hooks, a tokenizer, limits. [Engine.Assemble] is then
// a function: index and [Input] in, [Result] out.
//
//	book := &lore.Book{ID: "vale", Policy: lore.PolicyWeaver()}
//	mill := lore.NewEntry("mill", "The mill burned down in spring.")
//	mill.Keys = lore.LiteralKeys("mill")
//	book.Entries = append(book.Entries, mill)
//
//	segment, problems := engine.Build(book, engine.BuildOptions{})
//	// show problems …
//	eng, err := engine.New(engine.Options{Registry: stdlib.NewRegistry()})
//	// …
//	state, err = eng.Advance(ctx, index, state) // a new turn begins
//	result, err := eng.Assemble(ctx, engine.NewIndex(segment), engine.Input{
//		Messages: messages,
//		State:    state,
//	})
//	for _, block := range result.Blocks {
//		fmt.Println(block.Slot, block.Content)
//	}
//	state = result.State // keep it with the reply
//
// # The phases
//
// Activation finds the entries: those whose keys occur in the last messages,
// constants, sticky ones, picks from outside. Evaluation renders their
// templates in order of priority; a template may trigger further entries, which
// are looked at in bounded passes. Assembly gives each text its slot, drops what
// does not fit in the budgets, and sorts the rest. Hooks may look and change
// things between the phases.
//
// The phases are apart so that each can be explained: the [Trace] says of every
// active entry which key in which message activated it and what became of it,
// and of any entry asked about ([Input].Why) which rule kept it out.
//
// # What stays the same
//
// The same index, input and options give the same bytes: no clock, no order of
// maps, no global randomness. Every entry draws random numbers from a stream of
// its own, so that adding an entry changes no other's rolls. [State] is a value
// that is never changed in place: to swipe, assemble again from the state
// before the turn.
//
// # What costs
//
// The cost of an assembly follows the entries that fire, not the entries that
// exist. Keys lie in automata (package match) that propose candidates; all
// others are never looked at. With a [Cache], a message is searched once in its
// life.
package engine
