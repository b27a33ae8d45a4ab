package history_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/weft-memory/weft/turn/history"
)

// rebuild makes the index anew from what a store keeps of the messages.
func (m *memory) rebuild(t testing.TB, habits bool) {
	t.Helper()
	x := history.NewIndex()
	for _, id := range m.order {
		n := m.nodes[id]
		x.Add(history.Node{
			ID: n.id, Conversation: n.conv, Parent: n.parent, Role: n.role, Name: n.name,
			Texts: append([]string{n.text}, n.was...), Active: n.active,
		})
	}
	for conv, at := range m.active {
		x.AddConversation(conv, m.external[conv], at)
	}
	if habits {
		if err := x.SetHabits(m.index.Habits()); err != nil {
			t.Fatal(err)
		}
	}
	m.index = x
}

// TestTrafficAfterRestarts plays the recordings with an index that is built
// anew from the stored messages before each request.
func TestTrafficAfterRestarts(t *testing.T) {
	recs := recordings(t)
	for _, c := range []struct {
		name   string
		habits bool
		least  float64
	}{{"with habits", true, 0.99}, {"without habits", false, 0.85}} {
		t.Run(c.name, func(t *testing.T) {
			var all tally
			for _, name := range slices.Sorted(maps.Keys(recs)) {
				p := &player{mem: newMemory(), same: map[string][]string{}, chosen: map[int]string{}, t: t, strict: true}
				p.form = func(*history.Request, *step) { p.mem.rebuild(t, c.habits) }
				sum, misses := p.play(recs[name])
				all.turns, all.right, all.wrong = all.turns+sum.turns, all.right+sum.right, all.wrong+sum.wrong
				all.sides, all.sideWrites = all.sides+sum.sides, all.sideWrites+sum.sideWrites
				for _, m := range misses {
					t.Logf("%s step %d: %s", name, m.n, m.what)
				}
			}
			t.Logf("turns %d, right %d (%.2f %%), wrong nodes %d; side calls %d, taken for turns %d", all.turns, all.right, 100*float64(all.right)/float64(all.turns), all.wrong, all.sides, all.sideWrites)
			if share := float64(all.right) / float64(all.turns); share < c.least {
				t.Errorf("only %.2f %% right", 100*share)
			}
		})
	}
}
