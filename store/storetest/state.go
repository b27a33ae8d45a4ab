package storetest

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/weaver"
)

func stateText(t testing.TB, s engine.State) string {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (f *fixture) state(node string) (text, from string) {
	f.t.Helper()
	f.view(func(tx *store.Tx) error {
		s, n, err := tx.State(node)
		text, from = stateText(f.t, s), n
		return err
	})
	return text, from
}

// turnState is a state as it looks in the given turn.
func turnState(turn int) engine.State {
	s := engine.State{Turn: turn, Books: map[string]engine.BookState{}}
	last, sticky := map[string]int{}, map[string]int{}
	for i := range 40 {
		if id := fmt.Sprintf("e%02d", i); i%3 == turn%3 {
			last[id] = turn
			sticky[id] = 4
		} else {
			last[id] = max(1, turn-i%3)
			sticky[id] = 1 + (i+turn)%3
		}
	}
	s.Books["ford"] = engine.BookState{Last: last, Sticky: sticky, CooldownUntil: map[string]engine.MessageTimer{"e01": {Hash: 1<<64 - 1, Start: turn, End: turn + 3}}}
	s = s.With("state", "hp", weaver.Number(float64(100-turn)))
	return s.With("state", "note", weaver.String(fmt.Sprintf("turn %d", turn/10)))
}

func testStates(t *testing.T, b Backend) {
	f := setup(t, b)
	c := f.conversation()
	n := f.chain(c, "", 300)
	// Replies have states, messages of the user inherit.
	f.write(func(tx *store.Tx) error {
		for i := 1; i < 200; i += 2 {
			if err := tx.PutState(n[i].ID, turnState(i)); err != nil {
				return err
			}
		}
		return nil
	})
	// In transactions of their own, as turns come.
	for i := 201; i < 300; i += 2 {
		f.write(func(tx *store.Tx) error { return tx.PutState(n[i].ID, turnState(i)) })
	}
	check := func() {
		t.Helper()
		for i := range n {
			want, from := stateText(t, engine.State{}), ""
			if i >= 1 {
				at := i - (i+1)%2
				want, from = stateText(t, turnState(at)), n[at].ID
			}
			if got, gotFrom := f.state(n[i].ID); got != want || gotFrom != from {
				t.Fatalf("the state at message %d is of %q, want %q:\n%s", i, gotFrom, from, cmp.Diff(want, got))
			}
		}
	}
	check()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	f.DB = open(t, f.url, options(t, f.clock)) // nothing is remembered now
	check()
	f.view(func(tx *store.Tx) error {
		var whole, longest int
		err := tx.SQL().QueryRowContext(tx.Context(), "SELECT sum(CASE WHEN base = 0 THEN 1 ELSE 0 END), max(step) FROM node_states").Scan(&whole, &longest)
		if whole < 3 || whole > 30 || longest > 63 {
			t.Errorf("%d of 150 states in a row are whole, with up to %d differences between", whole, longest)
		}
		return err
	})

	f.write(func(tx *store.Tx) error { return tx.PutState(n[299].ID, turnState(299)) })
	f.refused(store.Conflict, "another state for a reply", func(tx *store.Tx) error { return tx.PutState(n[299].ID, turnState(1)) })
	// A deleted reply does not count, an edit has the state of the message.
	var edit store.Node
	f.write(func(tx *store.Tx) (err error) {
		if edit, err = tx.EditNode(n[297].ID, store.Node{Content: "edited"}, false); err != nil {
			return err
		}
		return tx.MarkNodes(store.Mark{Deleted: ptr(true)}, n[299].ID)
	})
	for _, node := range []string{n[299].ID, n[298].ID, edit.ID} {
		if _, from := f.state(node); from != n[297].ID {
			t.Errorf("the state of %s is of %s, want %s", node, from, n[297].ID)
		}
	}
	if text, from := f.state(""); text != `{"turn":0}` || from != "" {
		t.Errorf("the state before everything: %s of %q", text, from)
	}
}

var (
	someEntry = rapid.SampledFrom([]string{"a", "b", "c", "ä/\"", "e-5", ""})
	someCount = rapid.IntRange(-1, 4)
)

func genCounters(t *rapid.T, label string) map[string]int {
	return rapid.MapOfN(someEntry, someCount, 0, 5).Draw(t, label)
}

func genState(t *rapid.T) engine.State {
	s := engine.State{Turn: rapid.IntRange(0, 5).Draw(t, "turn")}
	for _, book := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"ford", "vars", "x"}), 0, 2, rapid.ID).Draw(t, "books") {
		b := engine.BookState{Sticky: genCounters(t, "sticky"), Last: genCounters(t, "last"), Kept: genCounters(t, "kept"), Used: genCounters(t, "used")}
		if rapid.Bool().Draw(t, "timer") {
			b.StickyUntil = map[string]engine.MessageTimer{someEntry.Draw(t, "timed"): {Hash: rapid.Uint64().Draw(t, "hash"), Start: 1, End: someCount.Draw(t, "end")}}
		}
		if s.Books == nil {
			s.Books = map[string]engine.BookState{}
		}
		s.Books[book] = b
	}
	for i := range rapid.IntRange(0, 4).Draw(t, "variables") {
		value := rapid.SampledFrom([]weaver.Value{
			weaver.Number(3), weaver.Number(4), weaver.Number(0.5), weaver.String(""), weaver.String("{\"a\":1}"), weaver.Bool(true), weaver.None,
		}).Draw(t, "value")
		s = s.With(rapid.SampledFrom([]string{"state", "turn", "books"}).Draw(t, "scope"), fmt.Sprint("v", i), value)
	}
	if rapid.Bool().Draw(t, "pending") {
		s.Pending = []engine.EntryRef{{Book: "ford", Entry: someEntry.Draw(t, "waiting")}}
	}
	return s
}

// Whatever tree and whatever states: what is read is what was written, as if
// each were stored whole.
func testStatesProperty(t *testing.T, b Backend) {
	f := setup(t, b)
	rapid.Check(t, func(rt *rapid.T) {
		c := f.conversation()
		var nodes []store.Node
		want := map[string]string{"": stateText(t, engine.State{})}
		parents := map[string]string{}
		for i := range rapid.IntRange(1, 30).Draw(rt, "messages") {
			parent := ""
			if i > 0 {
				parent = nodes[rapid.IntRange(max(0, i-3), i-1).Draw(rt, "parent")].ID
			}
			var s engine.State
			has := rapid.IntRange(0, 3).Draw(rt, "has") > 0
			if has {
				s = genState(rt)
			}
			f.write(func(tx *store.Tx) error {
				n, err := tx.AppendNode(store.Node{Conversation: c.ID, Parent: parent, Role: lore.RoleAssistant})
				if err != nil {
					return err
				}
				if len(nodes) == i {
					nodes = append(nodes, n)
				}
				nodes[i] = n
				if has {
					return tx.PutState(n.ID, s)
				}
				return nil
			})
			parents[nodes[i].ID] = parent
			if has {
				want[nodes[i].ID] = stateText(t, s)
			}
		}
		for _, n := range nodes {
			from := n.ID
			for from != "" && want[from] == "" {
				from = parents[from]
			}
			if got, gotFrom := f.state(n.ID); got != want[from] || gotFrom != from {
				rt.Fatalf("the state at %s is of %q, want %q:\n%s", n.ID, gotFrom, from, cmp.Diff(want[from], got))
			}
		}
	})
}

// model is a conversation as it should be, as plain as can be.
type model struct {
	nodes map[string]*modelNode
	order []string
}

type modelNode struct {
	parent, content string
	hidden, deleted bool
	shown           string
}

func (m *model) path(node string) (texts []string) {
	for at := node; at != ""; at = m.nodes[at].parent {
		n := m.nodes[at]
		if n.deleted {
			continue
		}
		text := n.content
		if n.shown != "" {
			text = m.nodes[n.shown].content
		}
		if n.hidden {
			text += " (hidden)"
		}
		texts = append([]string{text}, texts...)
	}
	return texts
}

func (m *model) clone() *model {
	c := &model{nodes: map[string]*modelNode{}, order: append([]string{}, m.order...)}
	for id, n := range m.nodes {
		same := *n
		c.nodes[id] = &same
	}
	return c
}

// Random sequences of what can happen to a conversation: every path is what a
// plain model says, now and as of every number of the world before.
func testTreesProperty(t *testing.T, b Backend) {
	f := setup(t, b)
	rapid.Check(t, func(rt *rapid.T) {
		c := f.conversation()
		m := &model{nodes: map[string]*modelNode{}}
		past := map[int64]*model{}
		edits := map[string]string{} // edit → what it edits
		for step := range rapid.IntRange(1, 25).Draw(rt, "steps") {
			text := fmt.Sprint("t", step)
			pick := func() string {
				var plain []string // no edits: what is done to them means another message
				for _, id := range m.order {
					if edits[id] == "" {
						plain = append(plain, id)
					}
				}
				return rapid.SampledFrom(plain).Draw(rt, "message")
			}
			action := rapid.SampledFrom([]string{"append", "append", "append", "edit", "mark", "branch"}).Draw(rt, "action")
			if len(m.order) == 0 {
				action = "append"
			}
			switch action {
			case "append":
				parent := ""
				if len(m.order) > 0 && rapid.IntRange(0, 9).Draw(rt, "root") > 0 {
					parent = pick()
				}
				var n store.Node
				f.write(func(tx *store.Tx) (err error) {
					n, err = tx.AppendNode(store.Node{Conversation: c.ID, Parent: parent, Content: text})
					return err
				})
				m.nodes[n.ID] = &modelNode{parent: parent, content: text}
				m.order = append(m.order, n.ID)
			case "edit":
				node := pick()
				inPlace := rapid.Bool().Draw(rt, "in place")
				var n store.Node
				f.write(func(tx *store.Tx) (err error) {
					n, err = tx.EditNode(node, store.Node{Content: text}, inPlace)
					return err
				})
				m.nodes[n.ID] = &modelNode{parent: m.nodes[node].parent, content: text}
				m.order = append(m.order, n.ID)
				if inPlace {
					m.nodes[node].shown = n.ID
					edits[n.ID] = node
				}
			case "mark":
				node := pick()
				mark := store.Mark{Deleted: ptr(rapid.Bool().Draw(rt, "deleted"))}
				if rapid.Bool().Draw(rt, "hide") {
					mark.Hidden = ptr(rapid.Bool().Draw(rt, "hidden"))
					m.nodes[node].hidden = *mark.Hidden
				}
				if rapid.IntRange(0, 3).Draw(rt, "show") == 0 {
					mark.ShownAs = ptr("")
					m.nodes[node].shown = ""
				}
				m.nodes[node].deleted = *mark.Deleted
				f.write(func(tx *store.Tx) error { return tx.MarkNodes(mark, node) })
			case "branch":
				node := pick()
				f.write(func(tx *store.Tx) error {
					_, err := tx.DeleteBranch(node)
					return err
				})
				gone := map[string]bool{node: true}
				for _, id := range m.order { // parents come before their children
					if gone[m.nodes[id].parent] {
						gone[id] = true
					}
				}
				for id := range gone {
					m.nodes[id].deleted = true
				}
			}
			var seq int64
			f.view(func(tx *store.Tx) (err error) {
				seq, err = tx.Seq(f.world)
				return err
			})
			past[seq] = m.clone()
		}
		past[0] = m
		for asOf, then := range past {
			for _, node := range then.order {
				if edits[node] != "" {
					continue
				}
				var got []string
				for _, n := range f.path(node, store.PathOptions{AsOf: asOf}) {
					text := n.Content
					if n.Hidden {
						text += " (hidden)"
					}
					got = append(got, text)
				}
				if d := cmp.Diff(then.path(node), got); d != "" {
					rt.Fatalf("the path to %s as of %d (-want +got):\n%s", node, asOf, d)
				}
			}
		}
	})
}
