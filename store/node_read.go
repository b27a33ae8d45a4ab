package store

import (
	"database/sql"
)

// nodeRow is a node as it is stored: other nodes by their numbers.
type nodeRow struct {
	Node
	n, parent, editOf, shownAs int64
}

const nodeColumns = "n, parent, depth, swipe, edit_of, shown_as, hidden, deleted, reread, created, id, role, kind, name, author, coalesce(external, ''), content, ext"

// nodeRows reads nodes of a conversation.
func (tx *Tx) nodeRows(c Conversation, where string, args ...any) (list []nodeRow, err error) {
	err = tx.rows("SELECT "+nodeColumns+" FROM nodes WHERE conversation = $1 AND "+where, append([]any{c.ID}, args...), func(r *sql.Rows) error {
		row := nodeRow{Node: Node{Conversation: c.ID, World: c.World}}
		var content sql.RawBytes
		err := r.Scan(&row.n, &row.parent, &row.Depth, &row.Swipe, &row.editOf, &row.shownAs, &row.Hidden, &row.Deleted, &row.Reread, &row.Created,
			&row.ID, &row.Role, &row.Kind, &row.Name, &row.Author, &row.External, &content, (*[]byte)(&row.Ext))
		row.Content = string(content)
		list = append(list, row)
		return err
	})
	return list, err
}

// named gives rows the ids of the nodes that they refer to. Those that are not
// among the rows are looked up.
func (tx *Tx) named(c Conversation, rows []nodeRow) ([]Node, error) {
	ids := make(map[int64]string, len(rows)+1)
	ids[0] = ""
	for i := range rows {
		ids[rows[i].n] = rows[i].ID
	}
	id := func(n int64) (string, error) {
		if s, ok := ids[n]; ok {
			return s, nil
		}
		var s string
		_, err := tx.row("SELECT id FROM nodes WHERE conversation = $1 AND n = $2", []any{c.ID, n}, &s)
		ids[n] = s
		return s, err
	}
	list := make([]Node, len(rows))
	for i, r := range rows {
		var err error
		for _, ref := range []struct {
			to *string
			n  int64
		}{{&r.Parent, r.parent}, {&r.EditOf, r.editOf}, {&r.ShownAs, r.shownAs}} {
			if *ref.to, err = id(ref.n); err != nil {
				return nil, err
			}
		}
		list[i] = r.Node
	}
	return list, nil
}

// Node returns a node.
func (tx *Tx) Node(node string) (Node, error) {
	if n, ok := tx.known.nodes[node]; ok {
		return n, nil
	}
	n := Node{ID: node}
	at := nodeRef{id: node, children: -1}
	var content sql.RawBytes
	found := false
	err := tx.rows(`SELECT conversation, world, n, parent, edit_of, shown_as, depth, swipe, hidden, deleted, reread, created, role, kind, name, author,
			coalesce(external, ''), content, ext,
			CASE WHEN parent = 0 THEN '' ELSE (SELECT id FROM nodes o WHERE o.conversation = m.conversation AND o.n = m.parent) END,
			CASE WHEN edit_of = 0 THEN '' ELSE (SELECT id FROM nodes o WHERE o.conversation = m.conversation AND o.n = m.edit_of) END,
			CASE WHEN shown_as = 0 THEN '' ELSE (SELECT id FROM nodes o WHERE o.conversation = m.conversation AND o.n = m.shown_as) END
		FROM nodes m WHERE id = $1`, []any{node}, func(r *sql.Rows) error {
		found = true
		err := r.Scan(&n.Conversation, &n.World, &at.n, &at.parent, &at.editOf, &at.shownAs, &n.Depth, &n.Swipe, &n.Hidden, &n.Deleted, &n.Reread,
			&n.Created, &n.Role, &n.Kind, &n.Name, &n.Author, &n.External, &content, (*[]byte)(&n.Ext), &n.Parent, &n.EditOf, &n.ShownAs)
		n.Content = string(content)
		return err
	})
	if err == nil && !found {
		err = Errorf(NotFound, "there is no message %q", node)
	}
	if err != nil {
		return Node{}, err
	}
	at.conversation, at.world, at.depth, at.swipe = n.Conversation, n.World, n.Depth, n.Swipe
	at.role, at.name, at.hidden, at.deleted = n.Role, n.Name, n.Hidden, n.Deleted
	if _, own := tx.nodes[node]; !own {
		tx.knowPlace(at)
	}
	tx.knowNode(n)
	return n, nil
}

// NodeByExternal returns the node with an external id.
func (tx *Tx) NodeByExternal(world, external string) (Node, error) {
	var node string
	found, err := tx.row("SELECT id FROM nodes WHERE world = $1 AND external = $2", []any{world, external}, &node)
	if err != nil {
		return Node{}, err
	}
	if !found {
		return Node{}, Errorf(NotFound, "the world has no message with the external id %q", clip(external))
	}
	return tx.Node(node)
}

// Siblings returns the nodes with the same parent, the node itself included,
// in the order in which they came; deleted ones too.
func (tx *Tx) Siblings(node string) ([]Node, error) {
	at, err := tx.node(node)
	if err != nil {
		return nil, err
	}
	return tx.childrenOf(Conversation{ID: at.conversation, World: at.world}, at.parent)
}

// Children returns the nodes whose parent a node is, in the order in which they
// came; deleted ones too. With an empty node it returns those that begin the
// conversation.
func (tx *Tx) Children(conversation, node string) ([]Node, error) {
	if node == "" {
		c, err := tx.Conversation(conversation)
		if err != nil {
			return nil, err
		}
		return tx.childrenOf(c, 0)
	}
	at, err := tx.node(node)
	if err != nil {
		return nil, err
	}
	if at.conversation != conversation {
		return nil, Errorf(NotFound, "the conversation has no message %q", node)
	}
	return tx.childrenOf(Conversation{ID: at.conversation, World: at.world}, at.n)
}

func (tx *Tx) childrenOf(c Conversation, parent int64) ([]Node, error) {
	rows, err := tx.nodeRows(c, "parent = $2 ORDER BY n", parent)
	if err != nil {
		return nil, err
	}
	return tx.named(c, rows)
}

// Tree returns all nodes of a conversation in the order in which they came,
// without Name, Author, External, Content and Ext. Every node is as it is
// itself: an edit that stands for another is in its own place.
func (tx *Tx) Tree(conversation string) ([]Node, error) {
	c, err := tx.Conversation(conversation)
	if err != nil {
		return nil, err
	}
	tree, err := tx.tree(conversation)
	if err != nil {
		return nil, err
	}
	list := make([]Node, len(tree.links))
	for i := range tree.links {
		l := &tree.links[i]
		list[i] = Node{
			ID: l.id, World: c.World, Conversation: c.ID, Parent: tree.id(l.parent), Role: l.role, Kind: l.kind, Swipe: l.swipe,
			EditOf: tree.id(l.editOf), Reread: l.reread, Hidden: l.hidden, Deleted: l.deleted, ShownAs: tree.id(l.shownAs),
			Depth: l.depth, Created: l.created,
		}
	}
	return list, nil
}
