package store

import (
	"encoding/json"
	"strings"
	"unicode"

	"github.com/weft-memory/weft/lore"
)

// NodeKind says what a node is, beside its role.
type NodeKind string

// The kinds of node.
const (
	NodeMessage  NodeKind = "message"
	NodeGreeting NodeKind = "greeting"
	NodeSwipe    NodeKind = "swipe"
	NodeEdit     NodeKind = "edit"
	// NodeSummary stands for messages that are hidden.
	NodeSummary NodeKind = "summary"
)

// Node is a message in the tree of a conversation.
//
// Nodes with the same parent are siblings: replies among them are swipes, and
// an edit is a sibling of what it edits. What a node says never changes; only
// its marks do: Hidden, Deleted and ShownAs.
type Node struct {
	ID, World, Conversation string
	// Parent is the node before; "" for the first of a conversation.
	Parent string
	Role   lore.Role
	Name   string
	// Content is the text, byte for byte as it was given.
	Content string
	Kind    NodeKind
	// Swipe numbers the siblings in the order in which they came, from 0.
	Swipe int
	// EditOf is the node of which this one is another wording.
	EditOf string
	// Reread says that an edit was read anew, so that what was remembered from
	// earlier wordings no longer counts.
	Reread bool
	// Author is the id of an [Author]; "" if none is known.
	Author string
	// External is the id that another program knows the message by, unique in
	// the world.
	External string
	// Ext is what else is known of the message, as JSON; nil means nothing.
	Ext json.RawMessage

	// Hidden keeps the message out of the prompt.
	Hidden bool
	// Deleted takes the message off every path, and its operations with it.
	// What follows it stays.
	Deleted bool
	// ShownAs is the edit whose wording stands for this node on every path
	// through it; "" if it stands for itself.
	ShownAs string
	// Depth is the number of nodes before it.
	Depth   int
	Created int64
}

// nodeRef is where a node is, and what of it is needed to add another.
type nodeRef struct {
	id                  string
	conversation, world string
	n, parent, editOf   int64
	depth               int
	swipe               int
	role                lore.Role
	name                string
	hidden, deleted     bool
	shownAs             int64
	children            int // how many; -1 if that is not known
}

// node returns where a node is.
func (tx *Tx) node(node string) (nodeRef, error) {
	if n, ok := tx.nodes[node]; ok {
		return n, nil
	}
	if n, ok := tx.known.places[node]; ok {
		return n, nil
	}
	n := nodeRef{id: node, children: -1}
	found, err := tx.row("SELECT conversation, world, n, parent, edit_of, depth, swipe, role, name, hidden, deleted, shown_as FROM nodes WHERE id = $1", []any{node},
		&n.conversation, &n.world, &n.n, &n.parent, &n.editOf, &n.depth, &n.swipe, &n.role, &n.name, &n.hidden, &n.deleted, &n.shownAs)
	if err == nil && !found {
		err = Errorf(NotFound, "there is no message %q", node)
	}
	if err == nil {
		tx.knowPlace(n)
	}
	return n, err
}

// anchor returns where a node is; for an edit that stands for another message,
// where that one is: what is said of the wording is meant for the message.
func (tx *Tx) anchor(node string) (nodeRef, error) {
	at, err := tx.node(node)
	for err == nil && at.editOf != 0 {
		var original nodeRef
		if original, err = tx.nodeNumber(at.conversation, at.editOf); err != nil || original.shownAs != at.n {
			break
		}
		at = original
	}
	return at, err
}

func (tx *Tx) nodeNumber(conversation string, n int64) (nodeRef, error) {
	var id string
	if _, err := tx.row("SELECT id FROM nodes WHERE conversation = $1 AND n = $2", []any{conversation, n}, &id); err != nil {
		return nodeRef{}, err
	}
	return tx.node(id)
}

// AppendNode adds a node. An empty ID gets a new one, an empty Kind is message,
// or swipe if a reply has siblings; an empty Role is user. The parent has to be
// of the conversation (so there are no circles); an external id that is taken
// is Exists. The head stays where it is, see [Tx.SetHead]. A parent that is an
// edit standing for a message is taken for that message.
func (tx *Tx) AppendNode(n Node) (Node, error) {
	list, err := tx.AppendNodes([]Node{n})
	if err != nil {
		return Node{}, err
	}
	return list[0], nil
}

// AppendNodes adds nodes in order; one may have an earlier one as parent.
func (tx *Tx) AppendNodes(nodes []Node) ([]Node, error) {
	out := make([]Node, 0, len(nodes))
	for start := 0; start < len(nodes); {
		end := start + 1
		for end < len(nodes) && nodes[end].Conversation == nodes[start].Conversation {
			end++
		}
		c, w, err := tx.conversationForWrite(nodes[start].Conversation)
		if err != nil {
			return nil, err
		}
		if tx.nodes == nil {
			tx.nodes = map[string]nodeRef{}
		}
		count := c.Nodes
		for _, n := range nodes[start:end] {
			if n, err = tx.appendNode(c, w, count+1, n); err != nil {
				return nil, err
			}
			count++
			out = append(out, n)
		}
		if _, err := tx.exec("UPDATE conversations SET nodes = $2, changed = $3 WHERE id = $1", c.ID, count, tx.now); err != nil {
			return nil, err
		}
		c.Nodes, c.Changed = count, tx.now
		tx.knowConversation(c)
		start = end
	}
	return out, nil
}

// appendNode adds the node with the number number.
func (tx *Tx) appendNode(c Conversation, w *worldRow, number int64, n Node) (Node, error) {
	var parent, editOf nodeRef
	var err error
	if n.Parent != "" {
		if parent, err = tx.anchor(n.Parent); err != nil {
			return n, err
		}
		if parent.conversation != c.ID {
			return n, Errorf(Invalid, "the message %s belongs to another conversation: it cannot be the parent", n.Parent)
		}
		n.Parent, n.Depth = parent.id, parent.depth+1
	} else {
		n.Depth = 0
	}
	if n.EditOf != "" {
		if editOf, err = tx.node(n.EditOf); err != nil {
			return n, err
		}
		if editOf.conversation != c.ID || editOf.parent != parent.n {
			return n, Errorf(Invalid, "an edit has the same parent as the message that it edits")
		}
	}
	if len(n.Ext) > 0 && !json.Valid(n.Ext) {
		return n, Errorf(Invalid, "the ext of the message is no JSON")
	}
	if n.Author != "" {
		a, err := tx.Author(n.Author)
		if err != nil {
			return n, err
		}
		if a.World != c.World {
			return n, Errorf(Invalid, "the author %s belongs to another world", n.Author)
		}
	}
	if err := tx.freeExternal("nodes", "message", c.World, n.External, n.ID); err != nil {
		return n, err
	}
	if n.Swipe, err = tx.countChildren(c.ID, n.Parent, parent); err != nil {
		return n, err
	}
	if n.ID == "" {
		n.ID = tx.NewID()
	}
	if n.Role == "" {
		n.Role = lore.RoleUser
	}
	if n.Kind == "" {
		n.Kind = NodeMessage
		if n.Role == lore.RoleAssistant && n.Swipe > 0 {
			n.Kind = NodeSwipe
		}
	}
	switch n.Role {
	case lore.RoleUser, lore.RoleAssistant, lore.RoleSystem, lore.RoleTool:
	default:
		return n, Errorf(Invalid, "%q is no role: use user, assistant, system or tool", clip(string(n.Role)))
	}
	if !isWord(string(n.Kind)) {
		return n, Errorf(Invalid, "%q is no kind of message: a kind is a word of small letters", clip(string(n.Kind)))
	}
	if !isID(n.ID) {
		return n, Errorf(Invalid, "%q is no id: an id has up to 200 letters, digits and - _ . : @ /", clip(n.ID))
	}
	n.World, n.Created, n.ShownAs, n.Deleted = c.World, tx.now, "", false
	if err := tx.use(w, Usage{Messages: 1, Bytes: int64(len(n.Content) + len(n.Ext))}); err != nil {
		return n, err
	}
	added, err := tx.exec(`INSERT INTO nodes (conversation, n, parent, depth, swipe, edit_of, shown_as, hidden, deleted, reread, created,
		id, world, role, kind, name, author, external, content, ext) VALUES ($1, $2, $3, $4, $5, $6, 0, $7, FALSE, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
		ON CONFLICT DO NOTHING`,
		c.ID, number, parent.n, n.Depth, n.Swipe, editOf.n, n.Hidden, n.Reread, n.Created,
		n.ID, n.World, string(n.Role), string(n.Kind), n.Name, n.Author, orNull(n.External), []byte(n.Content), rawOrNull(n.Ext))
	if err != nil {
		return n, err
	}
	if added == 0 {
		return n, Errorf(Exists, "there is a message %q already", n.ID)
	}
	parent.children = n.Swipe + 1
	tx.nodes[n.Parent+"\x00"+c.ID] = parent // its children are known now
	tx.nodes[n.ID] = nodeRef{
		id: n.ID, conversation: c.ID, world: c.World, n: number, parent: parent.n, editOf: editOf.n, depth: n.Depth,
		swipe: n.Swipe, role: n.Role, name: n.Name, hidden: n.Hidden,
	}
	n.Ext = rawOrNull(n.Ext)
	tx.knowNode(n)
	return n, nil
}

// isID reports whether a text may be the id of a message.
func isID(s string) bool {
	return s != "" && len(s) <= 200 && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.:@/", r)
	})
}

func isWord(s string) bool {
	return s != "" && len(s) <= 40 && !strings.ContainsFunc(s, func(r rune) bool { return (r < 'a' || r > 'z') && r != '_' && r != '-' })
}

// countChildren returns how many children a node has, deleted ones included.
func (tx *Tx) countChildren(conversation, parent string, at nodeRef) (int, error) {
	if known, ok := tx.nodes[parent+"\x00"+conversation]; ok {
		return known.children, nil
	}
	if _, ok := tx.nodes[parent]; ok { // added in this transaction, without a child yet
		return 0, nil
	}
	var n int
	_, err := tx.row("SELECT count(*) FROM nodes WHERE conversation = $1 AND parent = $2", []any{conversation, at.n}, &n)
	return n, err
}

// rawOrNull returns JSON for a column that may be null.
func rawOrNull(raw json.RawMessage) []byte {
	if len(raw) == 0 {
		return nil
	}
	return raw
}

// EditNode adds another wording of a node as its sibling. In place, it is
// marked to stand for the node on every path through it, so that what follows
// stays; otherwise it is a sibling like a swipe. Kind, Parent and EditOf are
// filled in; an empty Role or Name is the node's.
func (tx *Tx) EditNode(node string, edit Node, inPlace bool) (Node, error) {
	at, err := tx.node(node)
	if inPlace {
		at, err = tx.anchor(node)
	}
	if err != nil {
		return Node{}, err
	}
	old, err := tx.Node(at.id)
	if err != nil {
		return Node{}, err
	}
	edit.Conversation, edit.Parent, edit.EditOf, edit.Kind = old.Conversation, old.Parent, old.ID, NodeEdit
	if edit.Role == "" {
		edit.Role = old.Role
	}
	if edit.Name == "" {
		edit.Name = old.Name
	}
	if edit.Author == "" {
		edit.Author = old.Author
	}
	if edit, err = tx.AppendNode(edit); err != nil || !inPlace {
		return edit, err
	}
	return edit, tx.MarkNodes(Mark{ShownAs: &edit.ID}, at.id)
}
