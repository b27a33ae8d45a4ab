// Package storetest holds what every database behind package store has to do.
// The tests of the store run it on SQLite and on PostgreSQL.
package storetest

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/weft-memory/weft/internal/id"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/store"
)

// Backend is a kind of database.
type Backend struct {
	// URL returns the URL of a database that is not there or empty. It ends
	// with the test.
	URL func(t testing.TB) string
	// Ready, if set, returns one whose schema is made already.
	Ready func(t testing.TB) string
	// Shared says that several handles may have one database open.
	Shared bool
}

// Run runs the suite.
func Run(t *testing.T, b Backend) {
	if b.Ready == nil {
		b.Ready = b.URL
	}
	for _, c := range []struct {
		name string
		run  func(*testing.T, Backend)
	}{
		{"Worlds", testWorlds},
		{"Paging", testPaging},
		{"Users", testUsers},
		{"Tokens", testTokens},
		{"Quotas", testQuotas},
		{"Books", testBooks},
		{"BookChains", testBookChains},
		{"Characters", testCharacters},
		{"Bindings", testBindings},
		{"Conversations", testConversations},
		{"Authors", testAuthors},
		{"Nodes", testNodes},
		{"NodesRefused", testNodesRefused},
		{"AnyBytes", testAnyBytes},
		{"Paths", testPaths},
		{"Edits", testEdits},
		{"MemoryPaths", testMemoryPaths},
		{"Branches", testBranches},
		{"States", testStates},
		{"StatesProperty", testStatesProperty},
		{"TreesProperty", testTreesProperty},
		{"Operations", testOperations},
		{"OperationsAsOf", testOperationsAsOf},
		{"OperationsProperty", testOperationsProperty},
		{"OperationsRefused", testOperationsRefused},
		{"Records", testRecords},
		{"Categories", testCategories},
		{"HeadViews", testHeadViews},
		{"Events", testEvents},
		{"EventsFollowCommits", testEventsFollowCommits},
		{"Work", testWork},
		{"WorkRefused", testWorkRefused},
		{"WorkKeys", testWorkKeys},
		{"WorkOrder", testWorkOrder},
		{"WorkCancel", testWorkCancel},
		{"WorkLost", testWorkLost},
		{"WorkClock", testWorkClock},
		{"WorkList", testWorkList},
		{"WorkWakes", testWorkWakes},
		{"Activity", testActivity},
		{"Responses", testResponses},
		{"Settings", testSettings},
		{"Rollback", testRollback},
		{"Snapshots", testSnapshots},
		{"RefusedStatement", testRefusedStatement},
		{"Revisions", testRevisions},
		{"ClockRunsBack", testClockRunsBack},
		{"ConcurrentWriters", testConcurrentWriters},
		{"Erasure", testErasure},
		{"EraseMessage", testEraseMessage},
		{"Prune", testPrune},
		{"Backup", testBackup},
		{"BackupWhileWriting", testBackupWhileWriting},
		{"RestoreRefused", testRestoreRefused},
		{"Components", testComponents},
		{"TooNew", testTooNew},
		{"Check", testCheck},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, b)
		})
	}
}

// clock is a clock that goes on by a millisecond whenever it is looked at.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.UnixMilli(1_800_000_000_000)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(time.Millisecond)
	return c.at
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// fixture is an open database with a world.
type fixture struct {
	*store.DB
	t     testing.TB
	ctx   context.Context
	url   string
	clock *clock
	world string
}

// options are those of every handle of the suite.
func options(t testing.TB, c *clock) store.Options {
	return store.Options{
		Now: c.now, IDs: &id.Maker{Now: c.now},
		Log: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
}

func open(t testing.TB, url string, o store.Options) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return db
}

func setup(t testing.TB, b Backend) *fixture {
	t.Helper()
	f := &fixture{t: t, ctx: t.Context(), url: b.Ready(t), clock: newClock()}
	f.DB = open(t, f.url, options(t, f.clock))
	f.update(func(tx *store.Tx) error {
		w, err := tx.CreateWorld(store.World{Name: "Northmark"})
		f.world = w.ID
		return err
	})
	return f
}

// update runs a transaction that has to succeed.
func (f *fixture) update(fn func(*store.Tx) error) {
	f.t.Helper()
	if err := f.Update(f.ctx, fn); err != nil {
		f.t.Fatal(err)
	}
}

// write is update in the fixture's world.
func (f *fixture) write(fn func(*store.Tx) error) {
	f.t.Helper()
	if err := f.UpdateWorld(f.ctx, f.world, fn); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) view(fn func(*store.Tx) error) {
	f.t.Helper()
	if err := f.View(f.ctx, fn); err != nil {
		f.t.Fatal(err)
	}
}

// refused runs a transaction that has to fail with an error of a kind.
func (f *fixture) refused(kind store.Kind, what string, fn func(*store.Tx) error) {
	f.t.Helper()
	if err := f.UpdateWorld(f.ctx, f.world, fn); store.KindOf(err) != kind {
		f.t.Errorf("%s: got %q (%v), want %q", what, store.KindOf(err), err, kind)
	}
}

func (f *fixture) conversation() store.Conversation {
	f.t.Helper()
	var c store.Conversation
	f.write(func(tx *store.Tx) (err error) {
		c, err = tx.CreateConversation(store.Conversation{World: f.world, Title: "The ford"})
		return err
	})
	return c
}

// chain appends messages one behind the other, beginning with one of the user.
func (f *fixture) chain(c store.Conversation, parent string, n int) []store.Node {
	f.t.Helper()
	var nodes []store.Node
	f.write(func(tx *store.Tx) error {
		nodes = nil
		at := parent
		for i := range n {
			role := lore.RoleUser
			if i%2 == 1 {
				role = lore.RoleAssistant
			}
			node, err := tx.AppendNode(store.Node{Conversation: c.ID, Parent: at, Role: role, Content: fmt.Sprintf("line %d", i)})
			if err != nil {
				return err
			}
			nodes = append(nodes, node)
			at = node.ID
		}
		return nil
	})
	return nodes
}

func (f *fixture) path(node string, o store.PathOptions) []store.Node {
	f.t.Helper()
	var list []store.Node
	f.view(func(tx *store.Tx) (err error) {
		list, err = tx.Path(node, o)
		return err
	})
	return list
}

func contents(nodes []store.Node) []string {
	list := []string{}
	for _, n := range nodes {
		list = append(list, n.Content)
	}
	return list
}

func ids(nodes []store.Node) []string {
	list := []string{}
	for _, n := range nodes {
		list = append(list, n.ID)
	}
	return list
}

func ptr[T any](v T) *T { return &v }
