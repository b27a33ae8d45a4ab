package world

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-memory/weft/store"
)

// fingerprints returns what the heads of all conversations show: the views that
// are kept in memory, where there are any.
func (f *fixture) fingerprints(world string) map[string]string {
	f.t.Helper()
	out := map[string]string{}
	list, _, err := f.Conversations(f.ctx, world, store.Page{Limit: 1000})
	f.ok(err)
	for _, c := range list {
		l, err := f.Lore(f.ctx, world, Place{Conversation: c.ID})
		f.ok(err)
		a, err := f.Assemble(f.ctx, world, c.ID, "", Assemble{})
		f.ok(err)
		out[c.ID] = l.Fingerprint() + "\n" + bytesOf(f.t, &a)
	}
	l, err := f.Lore(f.ctx, world, Place{})
	f.ok(err)
	out[""] = l.Fingerprint()
	return out
}

// TestARestartChangesNothing compares, after random sequences of actions, what is
// kept in memory with what another process builds from the database: no cache of
// the service or the store is left then.
func TestARestartChangesNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t, filepath.Join(t.TempDir(), "weft.db"), Options{})
	rapid.Check(t, func(rt *rapid.T) {
		runModel(t, rt, f)
		kept := map[string]map[string]string{}
		worlds, _, err := f.Worlds(f.ctx, store.AnyOwner, store.Page{Limit: 1000})
		f.ok(err)
		for _, w := range worlds[max(0, len(worlds)-2):] { // the newest, and the one before
			kept[w.ID] = f.fingerprints(w.ID)
		}
		f.reopen()
		for world, was := range kept {
			if d := cmp.Diff(f.fingerprints(world), was); d != "" {
				rt.Fatalf("(-built from the database +kept in memory)\n%s", d)
			}
		}
	})
}
