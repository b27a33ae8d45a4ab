// Package world holds the services of Weft: open worlds, keep their books,
// characters and conversations, run turns, and remember. The HTTP API, the
// commands and the gateway call it; a program that embeds Weft does too.
//
//	db, err := store.Open(ctx, "weft.db", store.Options{})
//	…
//	defer db.Close()
//	weft, err := world.Open(db, world.Options{})
//	…
//	defer weft.Close()
//	w, err := weft.CreateWorld(ctx, world.NewWorld{Name: "Northmark"})
//	book := &lore.Book{ID: "vale", Policy: lore.PolicyWeaver()}
//	_, err = weft.SaveBook(ctx, w.ID, book, world.SaveBook{})
//	c, err := weft.CreateConversation(ctx, w.ID, world.NewConversation{Title: "The ford"})
//	t, err := weft.BeginTurn(ctx, w.ID, c.ID, world.TurnRequest{
//		Messages: []world.Message{{Role: lore.RoleUser, Content: "I ride to the mill."}},
//	})
//	// send t.Prompt to a model …
//	reply, err := weft.FinishTurn(ctx, w.ID, t.ID, world.Reply{Content: text})
//
// Four types matter. [Service] has every action as a method. A [Place] is a
// moment: a node of a conversation, or the world by itself, as of now or as of
// a number of the world. A [Turn] is one assembly for a new reply. An
// [Operation] of package memory is one change to what is remembered.
//
// # One transaction
//
// Each method that changes something does so in one transaction, with the
// events that tell of it: it has happened as a whole or not at all. A method
// that reads sees one moment, and the newest one: what is cached is compared
// with the world's revision in the transaction of the read, so that several
// servers may share one database.
//
// # Names
//
// Where a conversation, a message or an author is asked for, the id that
// another program knows it by will do too, written [ExternalPrefix] + id. A
// world is named by its id.
//
// # Errors
//
// An error has a kind that says what can be done about it, see [KindOf].
package world
