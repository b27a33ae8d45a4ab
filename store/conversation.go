package store

import "encoding/json"

// Conversation is a tree of messages with one head.
type Conversation struct {
	ID, World, Title string
	// Head is the node at which the conversation stands; "" while it has none.
	Head string
	// Seed is the source of its randomness; 0 gets one made from the id.
	Seed uint64
	// Settings are the conversation's own, as JSON; nil means {}.
	Settings json.RawMessage
	// External is the id that another program knows the conversation by; "" if
	// none does. It is unique in the world.
	External string
	// Nodes is how many nodes it has, deleted ones included.
	Nodes int64
	// Deleted is when it was deleted; 0 if it was not.
	Deleted          int64
	Version          int64
	Created, Changed int64
}

// CreateConversation makes a conversation. An empty ID gets a new one.
func (tx *Tx) CreateConversation(c Conversation) (Conversation, error) { return c, errPending }

// Conversation returns a conversation, also a deleted one.
func (tx *Tx) Conversation(conversation string) (Conversation, error) {
	return Conversation{}, errPending
}

// ConversationByExternal returns the conversation with an external id.
func (tx *Tx) ConversationByExternal(world, external string) (Conversation, error) {
	return Conversation{}, errPending
}

// Conversations lists the conversations of a world that are not deleted, the
// last changed first.
func (tx *Tx) Conversations(world string, p Page) (list []Conversation, next string, err error) {
	return nil, "", errPending
}

// UpdateConversation writes Title, Settings, Seed and External.
func (tx *Tx) UpdateConversation(c Conversation, cond If) (Conversation, error) {
	return c, errPending
}

// SetHead moves the head of a conversation to a node, or to "".
func (tx *Tx) SetHead(conversation, node string) error { return errPending }

// DeleteConversation hides a conversation until it is erased, see
// [Retention].
func (tx *Tx) DeleteConversation(conversation string, cond If) error { return errPending }

// RestoreConversation brings a deleted conversation back.
func (tx *Tx) RestoreConversation(conversation string) error { return errPending }

// EraseConversation deletes a conversation for good: its messages, states,
// records, operations of every layer that came from it, events, responses kept
// for repeated requests, and what components hold of it. See [DB.Purge].
func (tx *Tx) EraseConversation(conversation string) error { return errPending }

// Author is somebody who writes messages and whom another program knows, for
// example a member of a channel.
type Author struct {
	ID, World, Name string
	// External is the id that the other program knows them by, unique in the
	// world; "" if there is none.
	External string
	// Settings are the author's own, as JSON; nil means {}.
	Settings         json.RawMessage
	Version          int64
	Created, Changed int64
}

// SaveAuthor makes an author or writes over the one with this ID or, if the ID
// is empty, with this external id.
func (tx *Tx) SaveAuthor(a Author) (Author, error) { return a, errPending }

// Author returns an author.
func (tx *Tx) Author(author string) (Author, error) { return Author{}, errPending }

// AuthorByExternal returns the author with an external id.
func (tx *Tx) AuthorByExternal(world, external string) (Author, error) { return Author{}, errPending }

// Authors lists the authors of a world by id.
func (tx *Tx) Authors(world string, p Page) (list []Author, next string, err error) {
	return nil, "", errPending
}
