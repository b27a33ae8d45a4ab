package store

import (
	"encoding/json"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
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

// AppendNode adds a node. An empty ID gets a new one, an empty Kind is message,
// or swipe if a reply has siblings. The parent has to be of the conversation
// (so there are no circles); an external id that is taken is Exists. The head
// stays where it is, see [Tx.SetHead].
func (tx *Tx) AppendNode(n Node) (Node, error) { return n, errPending }

// AppendNodes adds nodes in order; a node may have one before it as parent.
func (tx *Tx) AppendNodes(nodes []Node) ([]Node, error) { return nodes, errPending }

// EditNode adds another wording of a node as its sibling. In place, it is
// marked to stand for the node on every path through it, so that what follows
// stays; otherwise it is a sibling like a swipe. Kind, Parent and EditOf are
// filled in; an empty Role or Name is the node's.
func (tx *Tx) EditNode(node string, edit Node, inPlace bool) (Node, error) { return edit, errPending }

// Node returns a node.
func (tx *Tx) Node(node string) (Node, error) { return Node{}, errPending }

// NodeByExternal returns the node with an external id.
func (tx *Tx) NodeByExternal(world, external string) (Node, error) { return Node{}, errPending }

// Siblings returns the nodes with the same parent, the node itself included,
// in the order in which they came; deleted ones too.
func (tx *Tx) Siblings(node string) ([]Node, error) { return nil, errPending }

// Children returns the nodes whose parent a node is, in the order in which they
// came; deleted ones too. With an empty node it returns those that begin the
// conversation.
func (tx *Tx) Children(conversation, node string) ([]Node, error) { return nil, errPending }

// Tree returns all nodes of a conversation in the order in which they came,
// without their Content and Ext.
func (tx *Tx) Tree(conversation string) ([]Node, error) { return nil, errPending }

// PathOptions say what of a path is wanted. The zero value asks for the whole
// path as it is now.
type PathOptions struct {
	// Last asks for the last messages only; 0 means all.
	Last int
	// AsOf takes the marks of nodes as they were at this number of the world;
	// 0 means now.
	AsOf int64
	// Deleted keeps deleted nodes in.
	Deleted bool
}

// Path returns the messages from the beginning of the conversation to a node.
// Where an edit stands for a node, the edit is returned in its place, with the
// Parent, Depth and marks of the node. An empty node gives an empty path.
func (tx *Tx) Path(node string, o PathOptions) ([]Node, error) { return nil, errPending }

// MemoryPath returns the path to a node as package memory takes it.
func (tx *Tx) MemoryPath(node string, asOf int64) (memory.Path, error) {
	return memory.Path{}, errPending
}

// Mark is a change to the marks of a node; nil fields stay as they are.
type Mark struct {
	Hidden, Deleted *bool
	ShownAs         *string
}

// MarkNodes changes the marks of nodes. Marks that change nothing count for
// nothing.
func (tx *Tx) MarkNodes(m Mark, nodes ...string) error { return errPending }

// DeleteBranch marks a node and everything that follows it as deleted, and
// returns how many that were.
func (tx *Tx) DeleteBranch(node string) (int, error) { return 0, errPending }
