// Package store keeps worlds, books, conversations and operations in a
// database: SQLite, embedded and without set-up, or PostgreSQL, where any number
// of servers share the work. Both behave the same; the URL chooses.
//
//	db, err := store.Open(ctx, "weft.db", store.Options{})
//	…
//	defer db.Close()
//	var w store.World
//	err = db.Update(ctx, func(tx *store.Tx) (err error) {
//		w, err = tx.CreateWorld(store.World{Name: "Northmark"})
//		return err
//	})
//	err = db.UpdateWorld(ctx, w.ID, func(tx *store.Tx) error {
//		c, err := tx.CreateConversation(store.Conversation{World: w.ID, Title: "The ford"})
//		if err != nil {
//			return err
//		}
//		n, err := tx.AppendNode(store.Node{Conversation: c.ID, Role: lore.RoleUser, Content: "I ride north."})
//		if err != nil {
//			return err
//		}
//		return tx.SetHead(c.ID, n.ID)
//	})
//
// Three types matter. [DB] is an open database. [Tx] is a transaction; all
// reading and writing are methods of it, so that what belongs together is
// written together. [Node] is a message in the tree of a conversation.
//
// Each world has three counters. Its revision rises with every transaction that
// changes anything: caches compare it. Its sequence numbers what is remembered
// (operations, retractions, marks of messages): a view as of a number is always
// the same. Its events have ids in the order of commits: a reader that resumes
// behind one misses nothing.
package store
