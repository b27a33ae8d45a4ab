package world

import (
	"slices"
	"sort"
	"sync/atomic"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

// trail is the path to a node, as it is when the marks of the conversation are
// those of a number. Its messages never change; whether they are still the path
// is looked up in the transaction that uses it.
type trail struct {
	node  string
	marks int64
	// created tells two conversations apart that had one id.
	created int64

	nodes []*store.Node
	path  memory.Path
	chat  []lore.Message // the messages that are not hidden

	// followed says that another trail goes on where this one ends, in the room
	// behind its lists.
	followed atomic.Bool
}

func newTrail(c store.Conversation, node string, marks int64) *trail {
	return &trail{node: node, marks: marks, created: c.Created, path: memory.Path{Conversation: c.ID}}
}

// as returns an empty trail of the same conversation, of the same moment.
func (t *trail) as(node string) *trail {
	return &trail{node: node, marks: t.marks, created: t.created, path: memory.Path{Conversation: t.path.Conversation}}
}

// add puts messages at the end of a trail that nobody else has yet.
func (t *trail) add(nodes ...*store.Node) {
	for _, n := range nodes {
		t.nodes = append(t.nodes, n)
		if !n.Hidden {
			t.chat = append(t.chat, lore.Message{Role: n.Role, Name: n.Name, Content: n.Content})
		}
	}
}

// behind returns a trail that goes on with messages behind this one.
func (t *trail) behind(tail []*store.Node) *trail {
	out := t.as(tail[len(tail)-1].ID)
	out.nodes, out.chat, out.path.Steps = t.nodes, t.chat, t.path.Steps
	if !t.followed.CompareAndSwap(false, true) { // the room is taken
		out.nodes, out.chat, out.path.Steps = slices.Clip(t.nodes), slices.Clip(t.chat), slices.Clip(t.path.Steps)
	}
	out.add(tail...)
	for _, n := range tail {
		out.path.Steps = append(out.path.Steps, memory.Step{Node: n.ID, User: n.Role == lore.RoleUser})
	}
	return out
}

// upTo returns the first n messages of a trail as one of its own.
func (t *trail) upTo(n int) *trail {
	if n == len(t.nodes) {
		return t
	}
	out := t.as(t.nodes[n-1].ID)
	out.nodes, out.path.Steps = t.nodes[:n:n], t.path.Steps[:n:n]
	shown := len(t.chat)
	for _, node := range t.nodes[n:] {
		if !node.Hidden {
			shown--
		}
	}
	out.chat = t.chat[:shown:shown]
	return out
}

// find returns where a message stands in a trail; -1 if it does not, or if
// another wording stands for it.
func (t *trail) find(n *store.Node) int {
	i := sort.Search(len(t.nodes), func(i int) bool { return t.nodes[i].Depth >= n.Depth })
	if i < len(t.nodes) && t.nodes[i].ID == n.ID && n.EditOf == "" {
		return i
	}
	return -1
}

// goesOn reports whether a trail is another one with messages behind it, and
// returns these.
func (t *trail) goesOn(from *trail) ([]*store.Node, bool) {
	n := len(from.nodes)
	if t.marks != from.marks || t.created != from.created || t.marks < 0 || len(t.nodes) < n || n > 0 && t.nodes[n-1] != from.nodes[n-1] {
		return nil, false
	}
	return t.nodes[n:], true
}

// messages returns the chat as an assembly takes it.
func (t *trail) messages() []lore.Message { return slices.Clone(t.chat) }

// trailWith returns the path to a node of a conversation as it is now; marks is
// the number of the newest mark.
func (tx *txn) trailWith(c store.Conversation, node string, marks int64) (*trail, error) {
	if node == "" {
		return newTrail(c, "", marks), nil
	}
	if t, err := tx.keptWith(c, node, marks); t != nil || err != nil {
		return t, err
	}
	var o store.PathOptions
	if old := tx.lastTrail(c); old != nil {
		o.Known, o.KnownAt = old.nodes, old.marks
	}
	return tx.readTrail(c, node, marks, o)
}

func (tx *txn) readTrail(c store.Conversation, node string, marks int64, o store.PathOptions) (*trail, error) {
	t := newTrail(c, node, marks)
	nodes, err := tx.Path(node, o)
	if err != nil {
		return nil, err
	}
	for i := range nodes {
		t.add(&nodes[i])
	}
	path, err := tx.MemoryPath(node, o.AsOf)
	t.path.Steps = path.Steps
	return t, err
}

// keptTrail returns the path to a node if it follows from one that is in memory;
// else nil.
func (tx *txn) keptTrail(c store.Conversation, node string) (*trail, error) {
	if node == "" {
		return nil, nil
	}
	marks, err := tx.MarkSeq(c.ID)
	if err != nil {
		return nil, err
	}
	return tx.keptWith(c, node, marks)
}

func (tx *txn) keptWith(c store.Conversation, node string, marks int64) (*trail, error) {
	if old := tx.lastTrail(c); old != nil && old.marks == marks {
		return tx.follow(old, node)
	}
	return nil, nil
}

// lastTrail returns the path of a conversation that is in memory; nil if none
// is. It may be of an earlier moment.
func (tx *txn) lastTrail(c store.Conversation) *trail {
	if r, ok := tx.s.ready.get(c.ID); ok && r.trail != nil && r.trail.created == c.Created {
		return r.trail
	}
	return nil
}

// maxFollow is how many messages a path is followed by before it is read anew.
const maxFollow = 8

// follow returns the path to a node that lies on, or shortly behind, another
// path with the same marks; nil if it does not.
func (tx *txn) follow(t *trail, node string) (*trail, error) {
	var tail []*store.Node
	for range maxFollow {
		at := -1
		if last := len(t.nodes) - 1; last >= 0 && t.nodes[last].ID == node && t.nodes[last].EditOf == "" {
			at = last
		}
		if at < 0 {
			n, err := tx.Node(node)
			if err != nil {
				return nil, err
			}
			if at = t.find(&n); at < 0 {
				if n.Parent == "" || n.Deleted || n.ShownAs != "" || n.EditOf != "" {
					return nil, nil
				}
				tail = slices.Insert(tail, 0, &n)
				node = n.Parent
				continue
			}
		}
		t = t.upTo(at + 1)
		if len(tail) > 0 {
			t = t.behind(tail)
		}
		return t, nil
	}
	return nil, nil
}

// trailAsOf returns the path to a node with the marks as of a number of the
// world; 0 means now.
func (tx *txn) trailAsOf(c store.Conversation, node string, seq int64) (*trail, error) {
	marks, err := tx.MarkSeq(c.ID)
	if err != nil {
		return nil, err
	}
	if marks <= seq || seq == 0 {
		return tx.trailWith(c, node, marks)
	}
	return tx.readTrail(c, node, -1, store.PathOptions{AsOf: seq})
}
