// Package narrator runs whole turns of a story: it finds the lore, asks the
// model that tells the story, streams what it says, keeps the reply, and has the
// sidecar remember it.
//
//	n := narrator.New(queue, narrator.Options{Models: narrator.Clients{llm.Narrator: client}})
//	worlds, err := world.Open(db, world.Options{Watchers: []world.Watcher{n}})
//	err = n.Bind(worlds)
//	queue.Start()
//	…
//	reply, err := n.Turn(ctx, w, c, narrator.Request{
//		Messages: []world.Message{{Content: "Who lives at the mill?"}},
//	}, func(e narrator.Event) error { fmt.Print(e.Text); return nil })
//
// A turn has four phases. Before the reply the sidecar picks what the narrator
// should know, within a deadline ([Settings.Retrieve]); the narrator may search
// while it writes; after it, work is queued in the transaction that keeps the
// reply: to write down what is new, and now and then to tell over what happened.
// Whatever of that fails, the story goes on: the activity says what was missing.
//
// Three types matter: the [Service], a [Request] for a turn, and the [Settings]
// that a world or a conversation has under "sidecar".
package narrator
