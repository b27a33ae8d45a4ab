package store_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/weft-memory/weft/internal/pgtest"
	"github.com/weft-memory/weft/store"
)

// What one server has written the other one reads, at once and always.
func TestReadsAreFresh(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	a, b := openBench(t, url), openBench(t, url)
	c := makeWorld(t, a)
	rounds := 500
	if os.Getenv("CI") != "" {
		rounds = 10_000
	}
	if testing.Short() {
		rounds = 50
	}
	for i := range rounds {
		if err := say(t.Context(), a, c, fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
		err := b.View(t.Context(), func(tx *store.Tx) error {
			c, err := tx.Conversation(c.ID)
			if err != nil {
				return err
			}
			path, err := tx.Path(c.Head, store.PathOptions{Last: 1})
			if err != nil {
				return err
			}
			if c.Nodes != int64(i)+1 || len(path) != 1 || path[0].Content != fmt.Sprint(i) {
				t.Fatalf("after message %d the other server sees %d messages, the last one %+v", i, c.Nodes, path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		a, b = b, a
	}
}

// A conversation that was erased and made anew under its id, on another server,
// is the new one.
func TestErasedElsewhere(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	a, b := openBench(t, url), openBench(t, url)
	c := makeWorld(t, a)
	var head string
	write := func(db *store.DB, turn string) {
		t.Helper()
		err := db.UpdateWorld(t.Context(), c.World, func(tx *store.Tx) error {
			n, err := tx.AppendNode(store.Node{ID: "n1", Conversation: c.ID, Content: turn})
			head = n.ID
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	read := func(db *store.DB, want string) {
		t.Helper()
		err := db.View(t.Context(), func(tx *store.Tx) error {
			path, err := tx.Path(head, store.PathOptions{})
			if err == nil && (len(path) != 1 || path[0].Content != want) {
				t.Errorf("the path is %+v, want %q", path, want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	write(a, "first")
	read(b, "first")
	err := a.UpdateWorld(t.Context(), c.World, func(tx *store.Tx) error {
		if err := tx.EraseConversation(c.ID); err != nil {
			return err
		}
		_, err := tx.CreateConversation(store.Conversation{World: c.World, ID: c.ID})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	write(a, "second")
	read(b, "second")
	read(a, "second")
}
