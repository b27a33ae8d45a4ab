package world

import (
	"context"
	"encoding/json"

	"github.com/weft-memory/weft/store"
)

// NewConversation describes a conversation to be made.
type NewConversation struct {
	// ID is made up if it is empty.
	ID, Title string
	// External is the id that another program knows it by, unique in the world.
	// With IfNew unset, a conversation that has it already is Exists.
	External string
	// IfNew returns the conversation with this external id if there is one,
	// unchanged.
	IfNew bool
	// Settings of the conversation. Where Characters names one, the
	// conversation begins with the greeting that Greeting chooses, and the
	// character's other greetings are its swipes.
	Settings Settings
	// NoGreeting begins with nothing.
	NoGreeting bool
	// Seed is the source of the conversation's randomness; 0 gets one.
	Seed uint64
}

// ConversationPatch changes a conversation; nil fields stay.
type ConversationPatch struct {
	Title, External *string
	// Settings is a merge patch (RFC 7396) of [Settings].
	Settings json.RawMessage
	Seed     *uint64
}

// CreateConversation makes a conversation.
func (s *Service) CreateConversation(ctx context.Context, world string, n NewConversation) (store.Conversation, error) {
	return store.Conversation{}, errPending
}

// Conversation returns a conversation.
func (s *Service) Conversation(ctx context.Context, world, conversation string) (store.Conversation, error) {
	return store.Conversation{}, errPending
}

// Conversations lists the conversations of a world, the last changed first.
func (s *Service) Conversations(ctx context.Context, world string, p store.Page) (list []store.Conversation, next string, err error) {
	return nil, "", errPending
}

// UpdateConversation changes a conversation.
func (s *Service) UpdateConversation(ctx context.Context, world, conversation string, p ConversationPatch, cond store.If) (store.Conversation, error) {
	return store.Conversation{}, errPending
}

// DeleteConversation hides a conversation; it is erased when the retention of
// deleted things ends. What the world remembers of it is retracted.
func (s *Service) DeleteConversation(ctx context.Context, world, conversation string, cond store.If) error {
	return errPending
}

// RestoreConversation brings a deleted conversation back.
func (s *Service) RestoreConversation(ctx context.Context, world, conversation string) (store.Conversation, error) {
	return store.Conversation{}, errPending
}

// EraseConversation deletes a conversation for good, with everything that came
// from it: messages, states, operations of every layer, events. What was erased
// is gone from the files when it returns.
func (s *Service) EraseConversation(ctx context.Context, world, conversation string) error {
	return errPending
}
