package store_test

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"testing"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/internal/pgtest"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/weaver"
)

// backends runs a benchmark on both databases.
func backends(b *testing.B, run func(*testing.B, string)) {
	b.Run("sqlite", func(b *testing.B) { run(b, sqliteURL(b)) })
	b.Run("postgres", func(b *testing.B) { run(b, pgtest.Database(b)) })
}

func openBench(b testing.TB, url string) *store.DB {
	b.Helper()
	db, err := store.Open(b.Context(), url, store.Options{Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	return db
}

// big is a database with a conversation of n messages in one line, each with a
// swipe every tenth.
func big(b testing.TB, db *store.DB, n int) (world, conversation, head string) {
	b.Helper()
	err := db.Update(b.Context(), func(tx *store.Tx) error {
		w, err := tx.CreateWorld(store.World{Name: "Northmark"})
		if err != nil {
			return err
		}
		c, err := tx.CreateConversation(store.Conversation{World: w.ID})
		if err != nil {
			return err
		}
		at := ""
		for i := range n {
			role := lore.RoleUser
			if i%2 == 1 {
				role = lore.RoleAssistant
			}
			node, err := tx.AppendNode(store.Node{
				Conversation: c.ID, Parent: at, Role: role, Name: "Ilse",
				Content: fmt.Sprintf("Line %d. The ford froze in the night, and the ferry lies on its side in the reeds; nobody crosses until the thaw.", i),
			})
			if err != nil {
				return err
			}
			at = node.ID
		}
		world, conversation, head = w.ID, c.ID, at
		return tx.SetHead(c.ID, at)
	})
	if err != nil {
		b.Fatal(err)
	}
	return world, conversation, head
}

// busy is the state of a long story: variables, and entries with timers. Some of
// both change in every turn.
func busy(turn, variables, entries int) engine.State {
	s := engine.State{Turn: turn, Books: map[string]engine.BookState{}, Vars: map[string]map[string]weaver.Value{"state": {}}}
	for i := range variables {
		v := weaver.Number(float64(i))
		if i%10 == turn%10 {
			v = weaver.Number(float64(turn*1000 + i))
		}
		s.Vars["state"][fmt.Sprintf("variable_%03d", i)] = v
	}
	last, sticky := map[string]int{}, map[string]int{}
	for i := range entries {
		id := fmt.Sprintf("entry-%05d", i*7%10007)
		if h := (uint32(i)*2654435761 ^ uint32(turn)*40503) >> 8; h%10 < 7 {
			last[id], sticky[id] = turn, 4
		} else {
			last[id], sticky[id] = max(1, turn-int(h%5)), 1+int(h%3)
		}
	}
	s.Books["ford"] = engine.BookState{Last: last, Sticky: sticky}
	return s
}

// A turn: the user's message, the reply, its state, its record, an operation,
// an event and the head, in one transaction.
func BenchmarkAppendTurn(b *testing.B) {
	backends(b, func(b *testing.B, url string) {
		db := openBench(b, url)
		world, conversation, head := big(b, db, 1000)
		options := json.RawMessage(`{"budget":2000,"slots":["backdrop"]}`)
		turn := 0
		for b.Loop() {
			turn++
			s := busy(turn, 50, 50)
			err := db.UpdateWorld(b.Context(), world, func(tx *store.Tx) error {
				user, err := tx.AppendNode(store.Node{Conversation: conversation, Parent: head, Content: "I wait for the thaw."})
				if err != nil {
					return err
				}
				reply, err := tx.AppendNode(store.Node{Conversation: conversation, Parent: user.ID, Role: lore.RoleAssistant, Content: "The ice groans under the moon."})
				if err != nil {
					return err
				}
				if err := tx.PutState(reply.ID, s); err != nil {
					return err
				}
				seq, err := tx.Seq(world)
				if err != nil {
					return err
				}
				if err := tx.PutRecord(store.AssemblyRecord{Node: reply.ID, Books: []store.BookRef{{ID: "ford", Revision: 1}}, WorldSeq: seq, Seed: 1, ParentState: head, Options: options}); err != nil {
					return err
				}
				_, _, err = tx.AppendOperations(memory.Operation{
					World: world, Layer: memory.LayerStory, Conversation: conversation, Node: reply.ID, Book: "ford", Entry: "gate",
					Kind: memory.KindPatch, Author: memory.Author{Kind: memory.BySidecar}, Change: memory.Append("The ice groans."),
				})
				if err != nil {
					return err
				}
				if _, err := tx.AppendEvent(store.Event{World: world, Kind: "node.created", Ref: reply.ID, Conversation: conversation}); err != nil {
					return err
				}
				head = reply.ID
				return tx.SetHead(conversation, head)
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

// To switch the head to another swipe is one row.
func BenchmarkSwitchHead(b *testing.B) {
	backends(b, func(b *testing.B, url string) {
		db := openBench(b, url)
		world, conversation, head := big(b, db, 1000)
		var swipe string
		err := db.UpdateWorld(b.Context(), world, func(tx *store.Tx) error {
			siblings, err := tx.Siblings(head)
			if err != nil {
				return err
			}
			n, err := tx.AppendNode(store.Node{Conversation: conversation, Parent: siblings[0].Parent, Role: lore.RoleAssistant})
			swipe = n.ID
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			head, swipe = swipe, head
			err := db.UpdateWorld(b.Context(), world, func(tx *store.Tx) error {
				if _, err := tx.AppendEvent(store.Event{World: world, Kind: "head.moved", Ref: head, Conversation: conversation}); err != nil {
					return err
				}
				return tx.SetHead(conversation, head)
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkOpenConversation(b *testing.B) {
	backends(b, func(b *testing.B, url string) {
		db := openBench(b, url)
		_, conversation, head := big(b, db, 10_000)
		for name, run := range map[string]func(tx *store.Tx) (int, error){
			"path": func(tx *store.Tx) (int, error) {
				path, err := tx.Path(head, store.PathOptions{})
				return len(path), err
			},
			"tree": func(tx *store.Tx) (int, error) {
				tree, err := tx.Tree(conversation)
				return len(tree), err
			},
			"memory": func(tx *store.Tx) (int, error) {
				p, err := tx.MemoryPath(head, 0)
				return len(p.Steps), err
			},
			"last100": func(tx *store.Tx) (int, error) {
				path, err := tx.Path(head, store.PathOptions{Last: 100})
				return 100*len(path) - len(path)*100 + 10_000, err
			},
		} {
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					err := db.View(b.Context(), func(tx *store.Tx) error {
						n, err := run(tx)
						if n != 10_000 {
							b.Fatalf("%d messages", n)
						}
						return err
					})
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	backends(b, func(b *testing.B, url string) {
		db := openBench(b, url)
		big(b, db, 10_000)
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			db, err := store.Open(b.Context(), url, store.Options{Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
			if err != nil {
				b.Fatal(err)
			}
			if err := db.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// The operations of a view, read and decoded.
func BenchmarkViewOperations(b *testing.B) {
	backends(b, func(b *testing.B, url string) {
		db := openBench(b, url)
		world, conversation, head := big(b, db, 10)
		err := db.UpdateWorld(b.Context(), world, func(tx *store.Tx) error {
			for i := range 5000 {
				_, _, err := tx.AppendOperations(memory.Operation{
					World: world, Layer: memory.LayerStory, Conversation: conversation, Node: head, Book: "ford", Entry: fmt.Sprintf("e%d", i%500),
					Kind: memory.KindPatch, Author: memory.Author{Kind: memory.BySidecar, Name: "scribe"}, Phase: "write", Model: "m", Reason: "It was said.",
					Change: memory.Append(fmt.Sprintf("On day %d the ford froze again, and the ferry stayed on its side.", i)),
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			err := db.View(b.Context(), func(tx *store.Tx) error {
				list, err := tx.ViewOperations(world, conversation, 0)
				if len(list) != 5000 {
					b.Fatalf("%d operations", len(list))
				}
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		}
	})
}

// TestStatesAreSmall measures what states cost: 10,000 nodes with 200 variables
// and 500 active entries take less than 50 MB. Outside of CI it makes a tenth of
// them.
func TestStatesAreSmall(t *testing.T) {
	t.Parallel()
	nodes := 1000
	if os.Getenv("CI") != "" {
		nodes = 10_000
	}
	db := openBench(t, sqliteURL(t))
	world, conversation, _ := big(t, db, nodes)
	var tree []store.Node
	err := db.View(t.Context(), func(tx *store.Tx) (err error) {
		tree, err = tx.Tree(conversation)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for start := 0; start < nodes; start += 100 {
		for i := start; i < start+100; i++ { // a transaction each, as turns come
			err := db.UpdateWorld(t.Context(), world, func(tx *store.Tx) error { return tx.PutState(tree[i].ID, busy(i+1, 200, 500)) })
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := db.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(db.Path())
	if err != nil {
		t.Fatal(err)
	}
	var states int64
	if err := db.Reader().QueryRowContext(t.Context(), "SELECT sum(length(body)) FROM node_states").Scan(&states); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d nodes: the file has %.1f MB, of which states %.1f MB", nodes, float64(info.Size())/1e6, float64(states)/1e6)
	if most := int64(nodes) * 5000; info.Size() > most {
		t.Errorf("the file has %d bytes, want %d at most", info.Size(), most)
	}
}
