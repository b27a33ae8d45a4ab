package store_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/internal/pgtest"
	"github.com/weft-memory/weft/store"
)

// A backup of the one database can be restored into the other, and back.
func TestBackupsCross(t *testing.T) {
	t.Parallel()
	db := openBench(t, sqliteURL(t))
	c := makeWorld(t, db)
	hidden := true
	for i := range 150 {
		err := db.UpdateWorld(t.Context(), c.World, func(tx *store.Tx) error {
			c, err := tx.Conversation(c.ID)
			if err != nil {
				return err
			}
			n, err := tx.AppendNode(store.Node{Conversation: c.ID, Parent: c.Head, Content: fmt.Sprintf("\x00\xff %d", i)})
			if err != nil {
				return err
			}
			if i%7 == 0 {
				if err := tx.MarkNodes(store.Mark{Hidden: &hidden}, n.ID); err != nil {
					return err
				}
			}
			if err := tx.PutState(n.ID, busy(i, 5, 5)); err != nil {
				return err
			}
			return tx.SetHead(c.ID, n.ID)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	read := func(db *store.DB) (path []store.Node, states []any) {
		t.Helper()
		problems, err := db.Check(t.Context(), true)
		if len(problems) > 0 || err != nil {
			t.Errorf("check: %v (%v)", problems, err)
		}
		err = db.View(t.Context(), func(tx *store.Tx) error {
			c, err := tx.Conversation(c.ID)
			if err != nil {
				return err
			}
			if path, err = tx.Path(c.Head, store.PathOptions{}); err != nil {
				return err
			}
			for _, n := range path {
				s, _, err := tx.State(n.ID)
				if err != nil {
					return err
				}
				states = append(states, s.Turn, s.Books)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return path, states
	}
	path, states := read(db)
	for _, url := range []string{pgtest.Database(t), sqliteURL(t)} {
		var backup bytes.Buffer
		if err := db.Backup(t.Context(), &backup); err != nil {
			t.Fatal(err)
		}
		if err := store.Restore(t.Context(), url, &backup, store.Options{}); err != nil {
			t.Fatal(err)
		}
		db = openBench(t, url)
		gotPath, gotStates := read(db)
		if d := cmp.Diff(path, gotPath); d != "" {
			t.Errorf("the path (-before +after):\n%s", d)
		}
		if d := cmp.Diff(states, gotStates); d != "" {
			t.Errorf("states (-before +after):\n%s", d)
		}
	}
}
