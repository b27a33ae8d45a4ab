package world

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

// The model of a world is as simple as can be: nodes in a map, a path by walking
// up, and the operations that count by looking at each. What the service says is
// compared with it after every action.

type modelNode struct {
	id, parent string
	user       bool
	text       string
	deleted    bool
	editOf     string // another wording beside the old one
	children   []string
}

type modelChat struct {
	id    string
	head  string
	nodes map[string]*modelNode
	order []string
	roots []string
}

type modelOp struct {
	id, chat, node string
	world, person  bool
}

type model struct {
	*fixture
	rt     *rapid.T
	chats  []*modelChat
	ops    []modelOp
	log    map[string]memory.Operation
	turns  map[string]string // reply → bytes of its assembly
	count  int
	last   *modelChat // that of the last action
	checks int
}

func (c *modelChat) add(n *modelNode) {
	c.nodes[n.id] = n
	c.order = append(c.order, n.id)
	if p := c.nodes[n.parent]; p != nil {
		p.children = append(p.children, n.id)
	} else {
		c.roots = append(c.roots, n.id)
	}
}

// path are the messages from the beginning to the head.
func (c *modelChat) path() (list []*modelNode) {
	for n := c.nodes[c.head]; n != nil; n = c.nodes[n.parent] {
		if !n.deleted {
			list = append(list, n)
		}
	}
	slices.Reverse(list)
	return list
}

func (c *modelChat) alive(id string) string {
	for c.nodes[id] != nil && c.nodes[id].deleted {
		id = c.nodes[id].parent
	}
	return id
}

func (c *modelChat) leaf(id string) string {
	for {
		next := ""
		for _, k := range c.nodes[id].children {
			if !c.nodes[k].deleted {
				next = k
			}
		}
		if next == "" {
			return id
		}
		id = next
	}
}

// counts reports whether an operation counts at the head of a chat.
func (m *model) counts(op modelOp, at *modelChat) bool {
	if op.person {
		return op.world || op.chat == at.id
	}
	if !op.world && op.chat != at.id {
		return false
	}
	var own *modelChat
	for _, c := range m.chats {
		if c.id == op.chat {
			own = c
		}
	}
	path := own.path()
	for i, n := range path {
		of := n
		for of != nil && of.id != op.node && of.editOf != "" {
			of = own.nodes[of.editOf]
		}
		if of == nil || of.id != op.node {
			continue
		}
		if !op.world {
			return true
		}
		later := 0
		for _, l := range path[i+1:] {
			if l.user {
				later++
			}
		}
		return later >= defaultSettled
	}
	return false
}

// expected is the lore at the head of a chat, from the model.
func (m *model) expected(c *modelChat) *memory.View {
	if len(m.log) != len(m.ops) { // an operation never changes
		m.log = map[string]memory.Operation{}
		list, _, err := m.Operations(m.ctx, m.world, store.OperationFilter{}, store.Page{Limit: 1000})
		m.ok(err)
		for _, op := range list {
			op.Retracted = false
			m.log[op.ID] = op
		}
	}
	var ops []memory.Operation
	for _, op := range m.ops {
		if m.counts(op, c) {
			ops = append(ops, m.log[op.id])
		}
	}
	_, b, err := m.Book(m.ctx, m.world, "vale", 0)
	m.ok(err)
	return memory.Fold([]*lore.Book{b}, ops, memory.Options{})
}

// check compares the service with the model: in the chat of the last action, and
// every fourth time in all, since what is done in one may show in another.
func (m *model) check() {
	m.checks++
	for _, c := range m.chats {
		if m.checks%4 != 0 && c != m.last {
			continue
		}
		var texts, ids []string
		for _, n := range c.path() {
			texts, ids = append(texts, n.text), append(ids, n.id)
		}
		if m.checks%2 == 0 {
			path, err := m.Path(m.ctx, m.world, c.id, PathOptions{})
			m.ok(err)
			var got []string
			for _, n := range path {
				got = append(got, n.Content)
			}
			if d := cmp.Diff(texts, got); d != "" {
				m.rt.Fatalf("the path of %s (-model +service)\n%s", c.id, d)
			}
		}
		conv, err := m.Conversation(m.ctx, m.world, c.id)
		m.ok(err)
		if conv.Head != c.head {
			m.rt.Fatalf("the head of %s is %q, want %q", c.id, conv.Head, c.head)
		}
		l, err := m.Lore(m.ctx, m.world, Place{Conversation: c.id})
		m.ok(err)
		if want := m.expected(c); l.Fingerprint() != want.Fingerprint() {
			m.rt.Fatalf("the lore of %s (-model +service), path %v\n%s\n%s", c.id, ids,
				cmp.Diff(want.Records(), l.Records()), cmp.Diff(want.Conflicts(), l.View.Conflicts()))
		}
		if m.checks%4 != 0 {
			continue
		}
		// The index that the engine sees says the same as the view.
		a, err := m.Assemble(m.ctx, m.world, c.id, "", Assemble{})
		m.ok(err)
		if a.View.Fingerprint() != l.Fingerprint() {
			m.rt.Fatalf("an assembly of %s sees other lore", c.id)
		}
		m.checkPrompt(c, a)
		m.checkTree(c, l.View)
	}
}

// checkPrompt makes sure that nothing of what is not on the path is in a prompt
// (I18): neither messages nor what was remembered of them. Every text has a
// number of its own.
func (m *model) checkPrompt(c *modelChat, a Assembly) {
	var prompt strings.Builder
	for _, msg := range a.Prompt {
		prompt.WriteString(msg.Content + "\n")
	}
	shown := map[string]bool{}
	var path strings.Builder
	for _, n := range c.path() {
		shown[n.id] = true
		path.WriteString(n.text + "\n")
	}
	for _, other := range m.chats {
		for _, n := range other.nodes {
			if !shown[n.id] && strings.Contains(prompt.String(), n.text) {
				m.rt.Fatalf("the prompt of %s holds %q, which is not on its path", c.id, n.text)
			}
		}
	}
	for _, op := range m.ops {
		rec := m.log[op.id]
		if op.person || m.counts(op, c) || rec.Kind != memory.KindCreate || rec.Change.Entry == nil {
			continue
		}
		if text := rec.Change.Entry.Content; strings.Contains(prompt.String(), text) && !strings.Contains(path.String(), text) {
			m.rt.Fatalf("the prompt of %s holds %q, which was remembered elsewhere", c.id, text)
		}
	}
}

// checkTree makes sure that every live entry has one place in the lore tree
// (I21), and a source for all that it says (I19).
func (m *model) checkTree(c *modelChat, v *memory.View) {
	at := map[memory.Ref]int{}
	nodes := 0
	var walk func(list []*memory.Category)
	walk = func(list []*memory.Category) {
		for _, k := range list {
			if nodes++; nodes > 1000 {
				m.rt.Fatalf("the tree of %s has a circle", c.id)
			}
			for _, r := range k.Entries {
				at[r]++
			}
			walk(k.Children)
		}
	}
	walk(v.Categories())
	live := v.Live()
	for _, r := range live {
		if at[r] != 1 {
			m.rt.Fatalf("the entry %s is in the tree %d times", r, at[r])
		}
		for _, src := range v.Provenance(r.Book, r.Entry) {
			if src.Operation == "" {
				continue
			}
			if _, known := m.log[src.Operation]; !known {
				m.rt.Fatalf("the entry %s has a source that is no operation: %+v", r, src)
			}
		}
	}
	if len(at) != len(live) {
		m.rt.Fatalf("%d entries live, %d are in the tree", len(live), len(at))
	}
}

// checkActivity makes sure that the feed has a line for every operation (I25).
func (m *model) checkActivity() {
	list, _, err := m.Activity(m.ctx, m.world, "", store.Page{Limit: 1000})
	m.ok(err)
	lines := map[string]int{}
	for _, a := range list {
		lines[a.Operation]++
	}
	for _, op := range m.ops {
		if lines[op.id] != 1 {
			m.rt.Fatalf("the operation %s has %d lines in the feed", op.id, lines[op.id])
		}
	}
	if len(lines) != len(m.ops) {
		m.rt.Fatalf("%d operations, %d lines", len(m.ops), len(lines))
	}
}

// checkKept compares what is kept in memory with what is built from the log
// anew, and replies with their records.
func (m *model) checkKept() {
	fresh, err := Open(m.db, m.opts)
	m.ok(err)
	for _, c := range m.chats {
		kept, err := m.Lore(m.ctx, m.world, Place{Conversation: c.id})
		m.ok(err)
		again, err := fresh.Lore(m.ctx, m.world, Place{Conversation: c.id})
		m.ok(err)
		if kept.Fingerprint() != again.Fingerprint() {
			m.rt.Fatalf("what is kept of %s differs from what the log says\n%s", c.id, cmp.Diff(again.Records(), kept.Records()))
		}
		a, err := m.Assemble(m.ctx, m.world, c.id, "", Assemble{})
		m.ok(err)
		b, err := fresh.Assemble(m.ctx, m.world, c.id, "", Assemble{})
		m.ok(err)
		if d := cmp.Diff(bytesOf(m.t, &b), bytesOf(m.t, &a)); d != "" {
			m.rt.Fatalf("the assembly of %s (-anew +kept)\n%s", c.id, d)
		}
	}
	for node, bytes := range m.turns {
		a, err := fresh.Rederive(m.ctx, m.world, node, engine.TraceFired)
		m.ok(err)
		if d := cmp.Diff(bytes, bytesOf(m.t, &a)); d != "" {
			m.rt.Fatalf("the reply %s (-then +now)\n%s", node, d)
		}
	}
}

func (m *model) chat(rt *rapid.T) *modelChat {
	m.last = m.chats[rapid.IntRange(0, len(m.chats)-1).Draw(rt, "chat")]
	return m.last
}

// node draws a message of a chat that fits; nil if there is none.
func (m *model) node(rt *rapid.T, c *modelChat, fits func(*modelNode) bool) *modelNode {
	var list []*modelNode
	for _, id := range c.order {
		if fits(c.nodes[id]) {
			list = append(list, c.nodes[id])
		}
	}
	if len(list) == 0 {
		return nil
	}
	return list[rapid.IntRange(0, len(list)-1).Draw(rt, "node")]
}

func alive(n *modelNode) bool { return !n.deleted }

// words of the texts: names of entries among them, so that they fire.
var words = []string{"mill", "ford", "Ilka", "Brann", "oath", "raven"}

func (m *model) words(rt *rapid.T) string {
	m.count++
	return fmt.Sprintf("%s %d.", rapid.SampledFrom(words).Draw(rt, "word"), m.count)
}

func (m *model) append(rt *rapid.T) {
	c := m.chat(rt)
	text := m.words(rt)
	nodes, err := m.Append(m.ctx, m.world, c.id, Append{Messages: []Message{{Content: text}}})
	m.ok(err)
	c.add(&modelNode{id: nodes[0].ID, parent: c.head, user: true, text: text})
	c.head = nodes[0].ID
}

func (m *model) reply(rt *rapid.T) {
	c := m.chat(rt)
	text := m.words(rt)
	t, n := m.fixture.turn(c.id, TurnRequest{}, text)
	m.turns[n.ID] = bytesOf(m.t, &t.Assembly)
	c.add(&modelNode{id: n.ID, parent: c.head, text: text})
	c.head = n.ID
}

func (m *model) swipe(rt *rapid.T) {
	c := m.chat(rt)
	old := m.node(rt, c, func(n *modelNode) bool { return alive(n) && !n.user })
	if old == nil {
		return
	}
	text := m.words(rt)
	t, n := m.fixture.turn(c.id, TurnRequest{Assemble: Assemble{Kind: lore.KindSwipe}, At: old.id}, text)
	m.turns[n.ID] = bytesOf(m.t, &t.Assembly)
	c.add(&modelNode{id: n.ID, parent: old.parent, text: text})
	c.head = n.ID
}

func (m *model) switchSwipe(rt *rapid.T) {
	c := m.chat(rt)
	n := m.node(rt, c, alive)
	if n == nil {
		return
	}
	_, err := m.SwitchSwipe(m.ctx, m.world, n.id)
	m.ok(err)
	c.head = c.leaf(n.id)
}

func (m *model) branch(rt *rapid.T) {
	c := m.chat(rt)
	n := m.node(rt, c, alive)
	if n == nil {
		return
	}
	_, err := m.Branch(m.ctx, m.world, n.id)
	m.ok(err)
	c.head = n.id
}

func (m *model) edit(rt *rapid.T) {
	c := m.chat(rt)
	n := m.node(rt, c, alive)
	if n == nil {
		return
	}
	text := m.words(rt)
	if rapid.Bool().Draw(rt, "in place") {
		_, err := m.Edit(m.ctx, m.world, n.id, Edit{Content: text})
		m.ok(err)
		n.text = text
		return
	}
	e, err := m.Edit(m.ctx, m.world, n.id, Edit{Content: text, Sibling: true})
	m.ok(err)
	c.add(&modelNode{id: e.ID, parent: n.parent, user: n.user, text: text, editOf: n.id})
	c.head = e.ID
}

func (m *model) delete(rt *rapid.T) {
	c := m.chat(rt)
	n := m.node(rt, c, alive)
	if n == nil {
		return
	}
	if rapid.IntRange(0, 3).Draw(rt, "branch") == 0 {
		_, err := m.DeleteBranch(m.ctx, m.world, n.id)
		m.ok(err)
		var down func(id string)
		down = func(id string) {
			c.nodes[id].deleted = true
			for _, k := range c.nodes[id].children {
				down(k)
			}
		}
		down(n.id)
	} else {
		m.ok(m.Delete(m.ctx, m.world, n.id))
		n.deleted = true
	}
	c.head = c.alive(c.head)
}

func (m *model) undelete(rt *rapid.T) {
	c := m.chat(rt)
	n := m.node(rt, c, func(n *modelNode) bool { return n.deleted })
	if n == nil {
		return
	}
	m.ok(m.Undelete(m.ctx, m.world, n.id))
	n.deleted = false
	if n.parent == c.head {
		c.head = n.id
	}
}

// take notes operations that were applied.
func (m *model) take(done []Applied) {
	for _, a := range done {
		if a.Fresh {
			op := a.Operation
			m.ops = append(m.ops, modelOp{
				id: op.ID, chat: op.Conversation, node: op.Node, world: op.Layer == memory.LayerWorld, person: op.Author.Kind == memory.ByPerson,
			})
		}
	}
}

// sidecar writes to the story or the world, because of some message.
func (m *model) sidecar(rt *rapid.T) {
	c := m.chat(rt)
	n := m.node(rt, c, alive)
	if n == nil {
		return
	}
	m.count++
	op := remember(c.id, n.id, fmt.Sprintf("%s-%d", rapid.SampledFrom(words).Draw(rt, "entry"), rapid.IntRange(1, 3).Draw(rt, "which")), fmt.Sprintf("Fact %d.", m.count))
	if rapid.Bool().Draw(rt, "patch") {
		l, err := m.Lore(m.ctx, m.world, Place{Conversation: c.id, Node: n.id})
		m.ok(err)
		live := l.Live()
		r := live[rapid.IntRange(0, len(live)-1).Draw(rt, "live")]
		op = addTo(c.id, n.id, r.Book, r.Entry, fmt.Sprintf("Fact %d.", m.count))
	}
	if op.Book != memory.StoryBook && rapid.Bool().Draw(rt, "world") {
		op.Layer = memory.LayerWorld
	}
	m.take(m.apply(op))
}

// try applies an operation that may be refused.
func (m *model) try(op Operation) {
	done, err := m.Apply(m.ctx, m.world, op)
	switch KindOf(err) {
	case store.Invalid, store.Conflict, store.NotFound, store.Exists:
		return
	}
	m.ok(err)
	m.take(done)
}

// reorganize is everything else that a sidecar or a person does to entries:
// moves, merges, splits, names, locks, and forgetting.
func (m *model) reorganize(rt *rapid.T) {
	c := m.chat(rt)
	author, at := memory.Author{Kind: memory.BySidecar}, ""
	if rapid.Bool().Draw(rt, "by a person") {
		author = memory.Author{}
	} else if n := m.node(rt, c, alive); n != nil {
		at = n.id
	} else {
		return
	}
	l, err := m.Lore(m.ctx, m.world, Place{Conversation: c.id, Node: at})
	m.ok(err)
	live := l.Live()
	r := live[rapid.IntRange(0, len(live)-1).Draw(rt, "of")]
	other := live[rapid.IntRange(0, len(live)-1).Draw(rt, "other")]
	op := Operation{Layer: memory.LayerStory, Conversation: c.id, Node: at, Book: r.Book, Entry: r.Entry, Author: author}
	if r.Book != memory.StoryBook && other.Book != memory.StoryBook && rapid.IntRange(0, 2).Draw(rt, "world") == 0 {
		op.Layer = memory.LayerWorld
	}
	m.count++
	switch op.Kind = rapid.SampledFrom([]memory.Kind{
		memory.KindMove, memory.KindMerge, memory.KindSplit, memory.KindAlias, memory.KindLock, memory.KindUnlock, memory.KindForget, memory.KindRestore, memory.KindRetire,
	}).Draw(rt, "kind"); op.Kind {
	case memory.KindMove:
		op.Change.Category = rapid.SampledFrom([]string{"places", "people", "other"}).Draw(rt, "category")
	case memory.KindMerge:
		op.Change.From = []memory.Ref{other}
	case memory.KindSplit:
		for i := range 2 {
			id := fmt.Sprintf("part-%d-%d", m.count, i)
			e := lore.NewEntry(id, fmt.Sprintf("Part %d of %d.", i, m.count))
			op.Change.Parts = append(op.Change.Parts, e)
		}
	case memory.KindAlias:
		op.Change.Names = []string{fmt.Sprintf("name %d", m.count)}
	}
	m.try(op)
}

// more adds text to the end of a message.
func (m *model) more(rt *rapid.T) {
	c := m.chat(rt)
	n := m.node(rt, c, alive)
	if n == nil {
		return
	}
	text := " " + m.words(rt)
	_, err := m.Continue(m.ctx, m.world, n.id, text)
	m.ok(err)
	n.text += text
}

// person edits something that the chat shows.
func (m *model) person(rt *rapid.T) {
	c := m.chat(rt)
	l, err := m.Lore(m.ctx, m.world, Place{Conversation: c.id})
	m.ok(err)
	var refs []memory.Ref
	for _, r := range l.Live() {
		if r.Book != "vale" {
			refs = append(refs, r)
		}
	}
	m.count++
	if len(refs) == 0 || rapid.IntRange(0, 3).Draw(rt, "create") == 0 {
		op := remember(c.id, "", fmt.Sprintf("own-%d", m.count), fmt.Sprintf("Mine %d.", m.count))
		op.Author = memory.Author{}
		m.take(m.apply(op))
		return
	}
	r := refs[rapid.IntRange(0, len(refs)-1).Draw(rt, "mine")]
	op := Operation{Conversation: c.id, Layer: layerOf(r), Book: r.Book, Entry: r.Entry, Kind: memory.KindPatch, Change: memory.Append(fmt.Sprintf("Mine %d.", m.count))}
	if rapid.IntRange(0, 4).Draw(rt, "forget") == 0 {
		op.Kind, op.Change = memory.KindForget, memory.Change{}
	}
	m.take(m.apply(op))
}

func (m *model) undo(rt *rapid.T) {
	if len(m.ops) == 0 {
		return
	}
	op := m.ops[rapid.IntRange(0, len(m.ops)-1).Draw(rt, "op")]
	act := m.Undo
	if rapid.Bool().Draw(rt, "redo") {
		act = m.Redo
	}
	done, err := act(m.ctx, m.world, op.id)
	if KindOf(err) == store.Conflict {
		return // it does not count anywhere at present
	}
	m.ok(err)
	m.take(done)
}

func (m *model) canon(rt *rapid.T) {
	m.count++
	_, err := m.PatchBookEntry(m.ctx, m.world, "vale", "mill", fmt.Appendf(nil, `{"content": "The mill stands. It is %d years old."}`, m.count), SaveBook{})
	m.ok(err)
}

func sequences() string {
	if n := os.Getenv("WEFT_TEST_SEQUENCES"); n != "" {
		return n
	}
	return "100"
}

// parts is how often rapid makes its hundred random sequences of actions on
// SQLite. WEFT_TEST_SEQUENCES asks for a number of sequences: CI for 1,000.
func parts(t *testing.T) int {
	if testing.Short() {
		return 1
	}
	n, err := strconv.Atoi(sequences())
	if err != nil {
		t.Fatalf("WEFT_TEST_SEQUENCES: %v", err)
	}
	return (n + 99) / 100
}

func TestTheServiceAgreesWithASimpleModel(t *testing.T) {
	t.Parallel()
	for part := range parts(t) {
		t.Run(strconv.Itoa(part), func(t *testing.T) {
			t.Parallel()
			// Each part has a database of its own: its file stays small.
			sqlite := newFixture(t, filepath.Join(t.TempDir(), "weft.db"), Options{})
			rapid.Check(t, func(rt *rapid.T) { runModel(t, rt, sqlite) })
		})
	}
}

func TestTheServiceAgreesWithASimpleModelOnPostgreSQL(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short")
	}
	pg := newFixture(t, postgres(t), Options{})
	n, most := 0, 5+2*parts(t) // a transaction costs much more there
	rapid.Check(t, func(rt *rapid.T) {
		if n++; n > most {
			return
		}
		runModel(t, rt, pg)
	})
}

func runModel(t *testing.T, rt *rapid.T, f *fixture) {
	w, err := f.CreateWorld(f.ctx, NewWorld{Name: "Northmark"})
	if err != nil {
		rt.Fatal(err)
	}
	own := *f
	own.world = w.ID
	m := &model{fixture: &own, rt: rt, turns: map[string]string{}}
	m.book()
	for range 2 {
		m.chats = append(m.chats, &modelChat{id: m.fixture.chat(), nodes: map[string]*modelNode{}})
	}
	actions := map[string]func(*rapid.T){
		"append": m.append, "reply": m.reply, "swipe": m.swipe, "switch": m.switchSwipe, "branch": m.branch, "edit": m.edit, "delete": m.delete,
		"undelete": m.undelete, "sidecar": m.sidecar, "sidecar again": m.sidecar, "person": m.person, "undo": m.undo, "canon": m.canon,
		"append again": m.append, "reply again": m.reply, "reorganize": m.reorganize, "continue": m.more,
		"restart": func(*rapid.T) {
			m.Service, err = Open(m.db, m.opts)
			m.ok(err)
		},
		"": func(*rapid.T) { m.check() },
	}
	rt.Repeat(actions)
	m.checks = 3 // all of them
	m.check()
	m.checkActivity()
	m.checkKept()
}
