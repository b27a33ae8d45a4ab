package store

import (
	"database/sql"
	"encoding/json"
	"slices"

	"github.com/weft-memory/weft/lore"
)

// nodeRow is a node as it is stored: other nodes by their numbers.
type nodeRow struct {
	Node
	n, parent, editOf, shownAs int64
}

const (
	nodeHead = "n, parent, depth, swipe, edit_of, shown_as, hidden, deleted, reread, created, id, role, kind, name, author, external"
	nodeFull = nodeHead + ", content, ext"
)

// nodeScanner reads rows of nodes. Strings that repeat are shared.
type nodeScanner struct {
	conversation, world string
	row                 nodeRow
	role, kind, name    sql.RawBytes
	author              sql.RawBytes
	external            sql.NullString
	content, ext        sql.RawBytes
	words               map[string]string
	dest                []any
}

func newNodeScanner(conversation, world string, full bool) *nodeScanner {
	s := &nodeScanner{conversation: conversation, world: world, words: map[string]string{}}
	r := &s.row
	s.dest = []any{
		&r.n, &r.parent, &r.Depth, &r.Swipe, &r.editOf, &r.shownAs, &r.Hidden, &r.Deleted, &r.Reread, &r.Created,
		&r.ID, &s.role, &s.kind, &s.name, &s.author, &s.external,
	}
	if full {
		s.dest = append(s.dest, &s.content, &s.ext)
	}
	return s
}

func (s *nodeScanner) word(b []byte) string {
	if w, ok := s.words[string(b)]; ok {
		return w
	}
	w := string(b)
	if len(s.words) < 1000 {
		s.words[w] = w
	}
	return w
}

func (s *nodeScanner) scan(r *sql.Rows) (nodeRow, error) {
	if err := r.Scan(s.dest...); err != nil {
		return nodeRow{}, err
	}
	row := s.row
	row.Conversation, row.World = s.conversation, s.world
	row.Role, row.Kind = lore.Role(s.word(s.role)), NodeKind(s.word(s.kind))
	row.Name, row.Author, row.External = s.word(s.name), s.word(s.author), s.external.String
	row.Content = string(s.content)
	row.Ext = nil
	if len(s.ext) > 0 {
		row.Ext = json.RawMessage(slices.Clone(s.ext))
	}
	return row, nil
}

// nodeRows reads nodes of a conversation.
func (tx *Tx) nodeRows(c Conversation, full bool, where string, args ...any) (list []nodeRow, err error) {
	columns := nodeHead
	if full {
		columns = nodeFull
	}
	s := newNodeScanner(c.ID, c.World, full)
	err = tx.rows("SELECT "+columns+" FROM nodes WHERE conversation = $1 AND "+where, append([]any{c.ID}, args...), func(r *sql.Rows) error {
		row, err := s.scan(r)
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
	at, err := tx.node(node)
	if err != nil {
		return Node{}, err
	}
	c := Conversation{ID: at.conversation, World: at.world}
	rows, err := tx.nodeRows(c, true, "n = $2", at.n)
	if err != nil {
		return Node{}, err
	}
	list, err := tx.named(c, rows)
	if err != nil {
		return Node{}, err
	}
	return list[0], nil
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
	rows, err := tx.nodeRows(c, true, "parent = $2 ORDER BY n", parent)
	if err != nil {
		return nil, err
	}
	return tx.named(c, rows)
}

// Tree returns all nodes of a conversation in the order in which they came,
// without their Content and Ext.
func (tx *Tx) Tree(conversation string) ([]Node, error) {
	c, err := tx.Conversation(conversation)
	if err != nil {
		return nil, err
	}
	rows, err := tx.nodeRows(c, false, "n > 0 ORDER BY n")
	if err != nil {
		return nil, err
	}
	return tx.named(c, rows)
}
