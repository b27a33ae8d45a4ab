package world

import (
	"context"
	"encoding/json"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/store"
)

// Message is a message to be added to a conversation.
type Message struct {
	// ID is made up if it is empty.
	ID string
	// Role defaults to user.
	Role lore.Role
	// Name is who speaks. Defaults to the user's, or the character's, name.
	Name    string
	Content string
	Hidden  bool
	// Author is the id of an author ([ExternalPrefix] + id works too).
	Author string
	// External is the id that another program knows the message by, unique in
	// the world.
	External string
	// Ext is what else is known of the message, as JSON.
	Ext json.RawMessage
}

// Append says where messages are added.
type Append struct {
	// Parent is the message that the first one follows. "" means the head,
	// [Root] the beginning of the conversation.
	Parent string
	// Messages follow each other.
	Messages []Message
	// IfHead is the head that the caller saw; another one is a Conflict. "" is
	// no condition.
	IfHead string
	// KeepHead leaves the head where it is.
	KeepHead bool
	// IfNew leaves messages out whose external id is known already, so that a
	// log may be sent again.
	IfNew bool
}

// Root names the beginning of a conversation where a message is asked for.
const Root = "root"

// Tree is a conversation with the structure of its tree.
type Tree struct {
	Conversation store.Conversation
	// Nodes are all nodes in the order in which they came, without Content and
	// Ext; deleted ones too.
	Nodes []store.Node
	// Path are the ids of the messages from the beginning to the head.
	Path []string
}

// Turning is one message of a path with its alternatives.
type Turning struct {
	store.Node
	// Swipes are the ids of the siblings that take turns with it, itself
	// included, in the order in which they came; At is its own place.
	Swipes []string
	At     int
	// Operations is how many operations came from it.
	Operations int
}

// PathOptions say what of a path is wanted.
type PathOptions struct {
	// Node is where the path ends; "" means the head.
	Node string
	// Last asks for the last messages only; 0 means all.
	Last int
	// AsOf asks for the path as it was at a number of the world; 0 means now.
	AsOf int64
	// Deleted keeps deleted messages in.
	Deleted bool
}

// Append adds messages to a conversation without generating a reply, and moves
// the head to the last one.
func (s *Service) Append(ctx context.Context, world, conversation string, a Append) ([]store.Node, error) {
	return nil, errPending
}

// Node returns a message.
func (s *Service) Node(ctx context.Context, world, node string) (store.Node, error) {
	return store.Node{}, errPending
}

// Path returns the messages of a conversation from its beginning to a node.
func (s *Service) Path(ctx context.Context, world, conversation string, o PathOptions) ([]Turning, error) {
	return nil, errPending
}

// Tree returns the structure of a conversation.
func (s *Service) Tree(ctx context.Context, world, conversation string) (Tree, error) {
	return Tree{}, errPending
}

// Swipe adds another version of a message, and moves the head to it.
func (s *Service) Swipe(ctx context.Context, world, node string, m Message) (store.Node, error) {
	return store.Node{}, errPending
}

// SwitchSwipe shows a sibling of what the conversation shows: the head moves to
// it, or to the newest message that followed it. What was remembered of the
// other one no longer counts, what was remembered of this one does.
func (s *Service) SwitchSwipe(ctx context.Context, world, node string) (store.Conversation, error) {
	return store.Conversation{}, errPending
}

// SetHead moves the head of a conversation to a message; [Root] is the
// beginning.
func (s *Service) SetHead(ctx context.Context, world, conversation, node string) (store.Conversation, error) {
	return store.Conversation{}, errPending
}

// Branch moves the head back to a message, so that what is said next begins a
// branch of its own there. The branch sees everything up to the message and
// nothing that came later.
func (s *Service) Branch(ctx context.Context, world, node string) (store.Conversation, error) {
	return store.Conversation{}, errPending
}

// Edit says how a message is changed.
type Edit struct {
	Content string
	// Name is the new name of who speaks; "" keeps it.
	Name string
	// Sibling makes the new wording a version beside the old one, to which the
	// head moves, as a swipe does. Otherwise it takes the old one's place:
	// what follows stays, and so does what was remembered.
	Sibling bool
	// Reread says that what was remembered of the old wording no longer counts.
	Reread bool
	// External is the external id of the new wording; in place, the message
	// keeps its own.
	External string
}

// Edit changes a message. The old wording is kept.
func (s *Service) Edit(ctx context.Context, world, node string, e Edit) (store.Node, error) {
	return store.Node{}, errPending
}

// Continue adds text to the end of a message. What was remembered stays; the
// state stays.
func (s *Service) Continue(ctx context.Context, world, node, more string) (store.Node, error) {
	return store.Node{}, errPending
}

// Delete takes exactly these messages away: what follows stays, and what was
// remembered of them no longer counts. Where the head was among them it moves
// to what stands before it.
func (s *Service) Delete(ctx context.Context, world string, nodes ...string) error {
	return errPending
}

// DeleteBranch takes a message and everything that follows it away, and returns
// how many messages that were.
func (s *Service) DeleteBranch(ctx context.Context, world, node string) (int, error) {
	return 0, errPending
}

// Undelete brings messages back that were deleted.
func (s *Service) Undelete(ctx context.Context, world string, nodes ...string) error {
	return errPending
}

// Hide keeps messages out of the prompt, or takes that back. They stay in the
// conversation, and what was remembered of them counts.
func (s *Service) Hide(ctx context.Context, world string, hidden bool, nodes ...string) error {
	return errPending
}
