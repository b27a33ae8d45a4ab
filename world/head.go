package world

import (
	"slices"

	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

// What a conversation shows is the path to its head. Whenever that changes, the
// operations of the world layer that came from it are retracted or return, and
// the watchers are told, in the same transaction.

// shown is the path that a conversation shows.
func (tx *txn) shown(c store.Conversation) (memory.Path, error) {
	if t, err := tx.keptTrail(c, c.Head); t != nil || err != nil {
		if err != nil {
			return memory.Path{}, err
		}
		return t.path, nil
	}
	p, err := tx.MemoryPath(c.Head, 0)
	p.Conversation = c.ID
	return p, err
}

// extended moves the head of a conversation behind what it shows, to the last
// of some new messages.
func (tx *txn) extended(c store.Conversation, added []store.Node, reply string) (store.Conversation, error) {
	old := c.Head
	head := added[len(added)-1].ID
	if err := tx.SetHead(c.ID, head); err != nil {
		return c, err
	}
	c.Head = head
	ids := make([]string, len(added))
	for i, n := range added {
		ids[i] = n.ID
	}
	return c, tx.headMoved(c, HeadMove{Old: old, New: head, Entered: ids, Reply: reply})
}

// moved sets the head of a conversation, and tells of how the path differs from
// the one before.
func (tx *txn) moved(c store.Conversation, before memory.Path, head, reply string) (store.Conversation, error) {
	old := c.Head
	if head != old {
		if err := tx.SetHead(c.ID, head); err != nil {
			return c, err
		}
		c.Head = head
	}
	after, err := tx.shown(c)
	if err != nil {
		return c, err
	}
	was, is := apart(before.Steps, after.Steps)
	m := HeadMove{Old: old, New: head, Left: without(was, is), Entered: without(is, was), Reply: reply}
	if old == head && len(m.Left) == 0 && len(m.Entered) == 0 {
		return c, nil
	}
	if err := tx.settle(c, after); err != nil {
		return c, err
	}
	return c, tx.tell(c, m)
}

// headMoved reconciles and tells.
func (tx *txn) headMoved(c store.Conversation, m HeadMove) error {
	if err := tx.reconcile(c); err != nil {
		return err
	}
	return tx.tell(c, m)
}

func (tx *txn) tell(c store.Conversation, m HeadMove) error {
	m.World, m.Conversation = tx.id, c.ID
	if err := tx.event(EventHeadMoved, c.ID, c.ID, "old", m.Old, "new", m.New); err != nil {
		return err
	}
	return tx.tellWatchers(m)
}

func (tx *txn) tellWatchers(m HeadMove) error {
	if err := tx.cancelLeft(m); err != nil {
		return err
	}
	for _, w := range tx.s.opts.Watchers {
		if err := w.HeadMoved(tx.Tx, m); err != nil {
			return err
		}
	}
	return nil
}

// stepIDs returns the messages of a path; of another wording the message that
// it stands for.
func stepIDs(steps []memory.Step) []string {
	ids := make([]string, len(steps))
	for i := range steps {
		ids[i] = stepID(&steps[i])
	}
	return ids
}

func stepID(s *memory.Step) string {
	if len(s.Keeps) > 0 {
		return s.Keeps[len(s.Keeps)-1]
	}
	return s.Node
}

// apart returns the messages of two paths behind the beginning that they share.
func apart(a, b []memory.Step) (was, is []string) {
	for len(a) > 0 && len(b) > 0 && stepID(&a[0]) == stepID(&b[0]) {
		a, b = a[1:], b[1:]
	}
	return stepIDs(a), stepIDs(b)
}

// without returns the items of a list that another one does not have.
func without(list, other []string) []string {
	has := make(map[string]bool, len(other))
	for _, s := range other {
		has[s] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return has[s] })
}

// reconcile is settle for the path that a conversation shows now. It costs
// nothing for conversations that never wrote to the world.
func (tx *txn) reconcile(c store.Conversation) error {
	ops, err := tx.WorldOperations(tx.id, c.ID)
	if err != nil || len(ops) == 0 {
		return err
	}
	p, err := tx.shown(c)
	if err != nil {
		return err
	}
	return tx.settleOps(c, p, ops)
}

// settle retracts and returns the operations by which a conversation wrote to
// the world: those count whose message is on the path and settled.
func (tx *txn) settle(c store.Conversation, p memory.Path) error {
	ops, err := tx.WorldOperations(tx.id, c.ID)
	if err != nil || len(ops) == 0 {
		return err
	}
	return tx.settleOps(c, p, ops)
}

func (tx *txn) settleOps(c store.Conversation, p memory.Path, ops []memory.Operation) error {
	settings, err := tx.settings(c)
	if err != nil {
		return err
	}
	p.Conversation = c.ID
	retract, bring := memory.Reconcile(settledPath(p, settings.settled()), ops)
	for _, part := range []struct {
		list []memory.Operation
		mark func(...string) (int, error)
		kind string
	}{{retract, tx.Retract, EventRetracted}, {bring, tx.Return, EventReturned}} {
		for _, op := range part.list {
			if _, err := part.mark(op.ID); err != nil {
				return err
			}
			if err := tx.event(part.kind, op.ID, c.ID, "layer", op.Layer, "book", op.Book, "entry", op.Entry, "node", op.Node); err != nil {
				return err
			}
		}
	}
	return nil
}

// settledPath returns the beginning of a path that enough messages of the user
// follow.
func settledPath(p memory.Path, after int) memory.Path {
	end := len(p.Steps)
	for n := 0; n < after; n++ {
		end--
		for end >= 0 && !p.Steps[end].User {
			end--
		}
		if end < 0 {
			end = 0
			break
		}
	}
	p.Steps = p.Steps[:end]
	return p
}

// settings returns the settings of a conversation over those of the world.
func (tx *txn) settings(c store.Conversation) (Settings, error) {
	w, err := ParseSettings(tx.world.Settings)
	if err != nil {
		return w, err
	}
	own, err := ParseSettings(c.Settings)
	return own.Over(w), err
}

// leaf returns the newest message that follows a node, by way of the newest
// child each time; the node itself if nothing does.
func (tx *txn) leaf(n store.Node) (string, error) {
	for id := n.ID; ; {
		children, err := tx.Children(n.Conversation, id)
		if err != nil {
			return "", err
		}
		next := ""
		for _, c := range children {
			if !c.Deleted && !standsIn(c) {
				next = c.ID
			}
		}
		if next == "" {
			return id, nil
		}
		id = next
	}
}

// standsIn reports whether a node is a wording that stands in the place of
// another one, or did: it is no turning of its own. An edit that is a sibling
// has the kind swipe.
func standsIn(n store.Node) bool { return n.Kind == store.NodeEdit }

// alive returns the nearest message that is not deleted, from a node upwards;
// "" if there is none.
func (tx *txn) alive(node string) (string, error) {
	for node != "" {
		n, err := tx.Node(node)
		if err != nil {
			return "", err
		}
		if !n.Deleted {
			return node, nil
		}
		node = n.Parent
	}
	return "", nil
}
