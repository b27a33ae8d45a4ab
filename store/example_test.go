package store_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/store"
)

// A conversation with a swipe: both replies stay, and the head says which one
// is shown.
func Example() {
	dir, err := os.MkdirTemp("", "weft")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	db, err := store.Open(ctx, filepath.Join(dir, "weft.db"), store.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	var w store.World
	err = db.Update(ctx, func(tx *store.Tx) (err error) {
		w, err = tx.CreateWorld(store.World{Name: "Northmark"})
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	var c store.Conversation
	var first, second store.Node
	err = db.UpdateWorld(ctx, w.ID, func(tx *store.Tx) error {
		if c, err = tx.CreateConversation(store.Conversation{World: w.ID, Title: "The ford"}); err != nil {
			return err
		}
		user, err := tx.AppendNode(store.Node{Conversation: c.ID, Content: "I ride north."})
		if err != nil {
			return err
		}
		if first, err = tx.AppendNode(store.Node{Conversation: c.ID, Parent: user.ID, Role: lore.RoleAssistant, Content: "Snow falls."}); err != nil {
			return err
		}
		if second, err = tx.AppendNode(store.Node{Conversation: c.ID, Parent: user.ID, Role: lore.RoleAssistant, Content: "The ford is frozen."}); err != nil {
			return err
		}
		return tx.SetHead(c.ID, second.ID)
	})
	if err != nil {
		log.Fatal(err)
	}
	show := func() {
		err := db.View(ctx, func(tx *store.Tx) error {
			c, err := tx.Conversation(c.ID)
			if err != nil {
				return err
			}
			path, err := tx.Path(c.Head, store.PathOptions{})
			for _, n := range path {
				fmt.Printf("%s (%d): %s\n", n.Role, n.Swipe, n.Content)
			}
			return err
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	show()
	err = db.UpdateWorld(ctx, w.ID, func(tx *store.Tx) error { return tx.SetHead(c.ID, first.ID) })
	if err != nil {
		log.Fatal(err)
	}
	show()
	// Output:
	// user (0): I ride north.
	// assistant (1): The ford is frozen.
	// user (0): I ride north.
	// assistant (0): Snow falls.
}

func ExampleKindOf() {
	err := store.Errorf(store.NotFound, "there is no book %q", "ford")
	switch store.KindOf(err) {
	case store.NotFound:
		fmt.Println("404:", err)
	case store.Conflict:
		fmt.Println("409:", err)
	}
	// Output: 404: there is no book "ford"
}
