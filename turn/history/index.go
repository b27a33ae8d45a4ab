package history

import (
	"slices"

	"github.com/weft-memory/weft/lore"
)

// Node is a message of a conversation, as the index is told of it.
type Node struct {
	ID           string
	Conversation string
	// Parent is the node before; "" for the first.
	Parent string
	Role   lore.Role
	Name   string
	// Texts are all wordings by which the message may be shown: as the front
	// end keeps it, as the model sent it, and earlier ones. Their order does
	// not matter.
	Texts []string
	// Deleted nodes are known, but nothing lands on them.
	Deleted bool
	// Active is when the node was last on the way to a reply: any number that
	// grows. 0 means now.
	Active int64
}

// Index knows the messages of a world's conversations by their hashes. It keeps
// no text. Reading and changing it at once needs a lock.
type Index struct {
	convs  []conversation
	byConv map[string]int32
	byExt  map[string]int32

	nodes []node
	byID  map[string]int32

	texts    []text
	byKey    map[key]int32
	byPrefix map[uint64][]int32

	habits habits
	clock  int64
	dead   int
}

type conversation struct {
	id, external string
	active       int64
	head         int32 // the node last shown or added
	roots        []int32
	names        map[string]lore.Role
	nodes        int
	stream       Switch // of its turns
	single       bool   // its history comes in one message
	gone         bool
}

type node struct {
	id       string
	conv     int32
	parent   int32 // -1 for the first
	jump     int32 // an ancestor further up, for quick ways to the root
	depth    int32
	role     lore.Role
	name     string
	texts    []int32
	children []int32
	active   int64
	maybe    key   // a text that stood in its place
	maybeFar int32 // how far from the end that was
	shown    bool  // a request showed it since it was written
	deleted  bool
}

type text struct {
	key   key
	nodes []int32
}

// maxWordings bounds how many forms of one message are kept.
const maxWordings = 12

// NewIndex returns an empty index.
func NewIndex() *Index {
	return &Index{
		byConv: map[string]int32{}, byExt: map[string]int32{}, byID: map[string]int32{}, byKey: map[key]int32{},
		byPrefix: map[uint64][]int32{}, habits: newHabits(),
	}
}

// Len returns the number of conversations and messages.
func (x *Index) Len() (conversations, messages int) { return len(x.byConv), len(x.byID) }

// tick returns the time for something that happens now.
func (x *Index) tick(at int64) int64 {
	if at == 0 {
		at = x.clock + 1
	}
	x.clock = max(x.clock, at)
	return at
}

// AddConversation tells of a conversation. external is the name by which
// clients know it, see [IDs.External]; "" if it has none. A conversation that
// is known takes the new name and time.
func (x *Index) AddConversation(id, external string, active int64) {
	c := x.conversation(id)
	conv := &x.convs[c]
	conv.active = max(conv.active, x.tick(active))
	if external != "" {
		conv.external = external
		x.byExt[external] = c
	}
}

func (x *Index) conversation(id string) int32 {
	if c, ok := x.byConv[id]; ok {
		return c
	}
	c := int32(len(x.convs))
	x.convs = append(x.convs, conversation{id: id, head: -1, names: map[string]lore.Role{}})
	x.byConv[id] = c
	return c
}

// Add tells of a message, or of more wordings of one that is known. Parents come
// before their children: a parent that is not known counts as none. The
// conversation's head moves to a new message that is not deleted.
func (x *Index) Add(n Node) {
	at := x.tick(n.Active)
	i, known := x.byID[n.ID]
	if !known {
		c := x.conversation(n.Conversation)
		i = int32(len(x.nodes))
		fresh := node{id: n.ID, conv: c, parent: -1, jump: -1, role: n.Role, name: n.Name, active: at, deleted: n.Deleted}
		if p, ok := x.byID[n.Parent]; ok && n.Parent != "" && x.nodes[p].conv == c {
			parent := &x.nodes[p]
			fresh.parent, fresh.depth, fresh.jump = p, parent.depth+1, p
			// The jump of a node is its parent, or where the jump of its
			// parent's jump goes if both are equally far (a skew-binary list).
			if j := parent.jump; j >= 0 && x.nodes[j].jump >= 0 && parent.depth-x.nodes[j].depth == x.nodes[j].depth-x.nodes[x.nodes[j].jump].depth {
				fresh.jump = x.nodes[j].jump
			}
			parent.children = append(parent.children, i)
			parent.shown = parent.shown || parent.role == lore.RoleAssistant
		} else {
			x.convs[c].roots = append(x.convs[c].roots, i)
		}
		x.nodes = append(x.nodes, fresh)
		x.byID[n.ID] = i
		x.convs[c].nodes++
		if !n.Deleted && at >= x.convs[c].active {
			x.convs[c].head = i
		}
		if n.Name != "" && n.Role != lore.RoleSystem {
			x.convs[c].names[n.Name] = n.Role
			x.habits.name(n.Name, n.Role)
		}
	}
	if len(n.Texts) > 1 { // it was shown in another wording
		x.nodes[i].shown = true
	}
	x.nodes[i].active = max(x.nodes[i].active, at)
	conv := &x.convs[x.nodes[i].conv]
	conv.active = max(conv.active, at)
	for _, t := range n.Texts {
		x.addText(i, t)
	}
}

// addText adds a wording with the forms in which it may be shown.
func (x *Index) addText(i int32, s string) {
	f := newForm(s)
	if len(f.text) == 0 {
		return
	}
	x.addForm(i, &f, 0, len(f.borders)-1)
	last := len(f.borders) - 1
	cuts := 0
	for b := range f.borders[:last] {
		switch border := &f.borders[b]; {
		case border.name != "" && b == 1 && proper(border.name):
			// "Name: text", and the front end takes the name off.
			x.addForm(i, &f, b, last)
		case x.nodes[i].role == lore.RoleAssistant && border.name != "" && b > 1 && f.borders[b-1].line && cuts < 2 && x.habits.names[border.name] != "":
			// The reply goes on as somebody else, and the front end cuts it.
			x.addForm(i, &f, 0, b-1)
			cuts++
		}
	}
}

func (x *Index) addForm(i int32, f *form, from, to int) {
	k := f.key(from, to)
	if k.size == 0 || len(x.nodes[i].texts) >= maxWordings {
		return
	}
	t, ok := x.byKey[k]
	if !ok {
		t = int32(len(x.texts))
		x.texts = append(x.texts, text{key: k})
		x.byKey[k] = t
		if p, long := f.prefix(from); long && int(k.size) >= prefixSize {
			x.byPrefix[p] = append(x.byPrefix[p], t)
		}
	}
	if slices.Contains(x.nodes[i].texts, t) {
		return
	}
	x.nodes[i].texts = append(x.nodes[i].texts, t)
	x.texts[t].nodes = append(x.texts[t].nodes, i)
}

// Touch says that a message is on show now: its conversation is the most
// recently active one, and the message its head.
func (x *Index) Touch(id string) {
	i, ok := x.byID[id]
	if !ok {
		return
	}
	at := x.tick(0)
	conv := &x.convs[x.nodes[i].conv]
	conv.active, conv.head = at, i
	for n, steps := i, 0; n >= 0 && steps < 64; n, steps = x.nodes[n].parent, steps+1 {
		x.nodes[n].active = at
	}
}

// SetDeleted marks a message as deleted, or takes that back.
func (x *Index) SetDeleted(id string, deleted bool) {
	if i, ok := x.byID[id]; ok {
		x.nodes[i].deleted = deleted
	}
}

// Drop forgets a conversation.
func (x *Index) Drop(id string) {
	c, ok := x.byConv[id]
	if !ok {
		return
	}
	delete(x.byConv, id)
	if x.byExt[x.convs[c].external] == c {
		delete(x.byExt, x.convs[c].external)
	}
	for i := range x.nodes {
		if x.nodes[i].conv == c {
			delete(x.byID, x.nodes[i].id)
		}
	}
	x.dead += x.convs[c].nodes
	x.convs[c] = conversation{id: id, head: -1, gone: true}
	if x.dead > 1024 && x.dead > len(x.nodes)/2 {
		x.compact()
	}
}

// compact rebuilds the index without what was dropped.
func (x *Index) compact() {
	old := *x
	*x = *NewIndex()
	x.habits, x.clock = old.habits, old.clock
	convs := make([]int32, len(old.convs))
	for i, c := range old.convs {
		convs[i] = -1
		if !c.gone {
			convs[i] = x.conversation(c.id)
			fresh := c
			fresh.roots, fresh.head, fresh.nodes = nil, -1, 0
			x.convs[convs[i]] = fresh
			if c.external != "" {
				x.byExt[c.external] = convs[i]
			}
		}
	}
	nodes := make([]int32, len(old.nodes))
	move := func(i int32) int32 {
		if i < 0 {
			return -1
		}
		return nodes[i]
	}
	for i, n := range old.nodes {
		nodes[i] = -1
		if convs[n.conv] < 0 {
			continue
		}
		nodes[i] = int32(len(x.nodes))
		n.conv, n.parent, n.jump = convs[n.conv], move(n.parent), move(n.jump)
		texts := n.texts
		n.texts, n.children = nil, nil
		x.nodes = append(x.nodes, n)
		x.byID[n.id] = nodes[i]
		x.convs[n.conv].nodes++
		if n.parent >= 0 {
			p := &x.nodes[n.parent]
			p.children = append(p.children, nodes[i])
		} else {
			x.convs[n.conv].roots = append(x.convs[n.conv].roots, nodes[i])
		}
		for _, t := range texts {
			k := old.texts[t].key
			fresh, ok := x.byKey[k]
			if !ok {
				fresh = int32(len(x.texts))
				x.texts = append(x.texts, text{key: k})
				x.byKey[k] = fresh
			}
			x.nodes[nodes[i]].texts = append(x.nodes[nodes[i]].texts, fresh)
			x.texts[fresh].nodes = append(x.texts[fresh].nodes, nodes[i])
		}
	}
	for i, c := range old.convs {
		if convs[i] >= 0 {
			x.convs[convs[i]].head = move(c.head)
		}
	}
	for p, list := range old.byPrefix {
		for _, t := range list {
			if fresh, ok := x.byKey[old.texts[t].key]; ok {
				x.byPrefix[p] = append(x.byPrefix[p], fresh)
			}
		}
	}
}

// above returns the ancestor of a node at a depth; the node itself if that is
// its own.
func (x *Index) above(n, depth int32) int32 {
	for n >= 0 && x.nodes[n].depth > depth {
		if j := x.nodes[n].jump; j >= 0 && x.nodes[j].depth >= depth {
			n = j
		} else {
			n = x.nodes[n].parent
		}
	}
	return n
}

// under reports whether a node is an ancestor of another one.
func (x *Index) under(ancestor, n int32) bool {
	a := &x.nodes[ancestor]
	return a.conv == x.nodes[n].conv && a.depth < x.nodes[n].depth && x.above(n, a.depth) == ancestor
}

// says reports whether a node is known by a text.
func (x *Index) says(n int32, k key) bool {
	t, ok := x.byKey[k]
	return ok && slices.Contains(x.nodes[n].texts, t)
}

// children returns the nodes that follow a node and are not deleted, the most
// recently active first; for -1 those that begin the conversation.
func (x *Index) children(conv, n int32) []int32 {
	list := x.convs[conv].roots
	if n >= 0 {
		list = x.nodes[n].children
	}
	out := make([]int32, 0, len(list))
	for _, c := range list {
		if x.nodes[c].deleted { // what follows a deleted message follows the one before it
			out = append(out, x.children(conv, c)...)
			continue
		}
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b int32) int {
		if d := x.nodes[b].active - x.nodes[a].active; d != 0 {
			return int(max(-1, min(1, d)))
		}
		return int(b - a)
	})
	return out
}

// before returns the node before a node that is not deleted; -1 if there is
// none.
func (x *Index) before(n int32) int32 {
	n = x.nodes[n].parent
	for n >= 0 && x.nodes[n].deleted {
		n = x.nodes[n].parent
	}
	return n
}

// turns returns the number of replies of a conversation's longest known way:
// those on the path to its head and below it.
func (x *Index) turns(conv int32) int {
	count, n := 0, x.convs[conv].head
	if n < 0 {
		return 0
	}
	for { // down to what was said last
		next := x.children(conv, n)
		if len(next) == 0 {
			break
		}
		n = next[0]
	}
	for ; n >= 0; n = x.before(n) {
		if x.nodes[n].role == lore.RoleAssistant && x.before(n) >= 0 {
			count++
		}
	}
	return count
}
