package world

import (
	"context"

	"github.com/weft-memory/weft/store"
)

// The kinds of event. Ref is the id of what it is about. The payload holds ids
// and numbers, never a text: read the thing itself.
const (
	EventWorldCreated = "world.created" // in the world store.System
	EventWorldUpdated = "world.updated"
	EventWorldErased  = "world.erased" // in the world store.System

	EventBookSaved    = "book.saved" // {"revision", "entries"}
	EventBookDeleted  = "book.deleted"
	EventBookRestored = "book.restored"
	EventBookErased   = "book.erased"
	EventBookBroken   = "book.broken" // a followed file cannot be read

	EventCharacterSaved   = "character.saved"
	EventCharacterDeleted = "character.deleted"
	EventBindingSet       = "binding.set" // ref is scope/name
	EventAuthorSaved      = "author.saved"

	EventConversationCreated  = "conversation.created"
	EventConversationUpdated  = "conversation.updated"
	EventConversationDeleted  = "conversation.deleted"
	EventConversationRestored = "conversation.restored"
	EventConversationErased   = "conversation.erased"

	EventNodeCreated  = "node.created" // {"parent", "role", "kind", "swipe"}
	EventNodeEdited   = "node.edited"  // {"edit"}: ref is the message, edit the new wording
	EventNodeDeleted  = "node.deleted"
	EventNodeRestored = "node.restored"
	EventNodeHidden   = "node.hidden" // {"hidden"}
	// EventHeadMoved: {"old", "new"}; ref is the conversation.
	EventHeadMoved = "head.moved"

	EventTurnBegun     = "turn.begun"    // {"parent", "kind"}
	EventTurnFinished  = "turn.finished" // {"node"}
	EventTurnCancelled = "turn.cancelled"

	// EventOperation: {"layer", "kind", "book", "entry", "node", "author"}.
	EventOperation = "operation.created"
	// EventRetracted and EventReturned: an operation of the world layer whose
	// message left, or came back to, the path of its conversation.
	EventRetracted = "operation.retracted"
	EventReturned  = "operation.returned"
	// EventDecided: {"accepted"}; ref is the proposal.
	EventDecided = "proposal.decided"
)

// Events returns the events of a world behind an id. first is the oldest that
// is kept: who asks behind an older one has missed some.
func (s *Service) Events(ctx context.Context, world string, after int64, limit int) (list []store.Event, first int64, err error) {
	_, err = view(ctx, s, world, func(tx *txn) (_ any, err error) {
		if list, err = tx.Events(world, after, limit); err != nil {
			return nil, err
		}
		first, err = tx.FirstEvent(world)
		return nil, err
	})
	return list, first, err
}

// WaitEvents returns the events of a world behind an id; if there are none it
// waits for them, until the context ends.
func (s *Service) WaitEvents(ctx context.Context, world string, after int64, limit int) ([]store.Event, error) {
	if _, err := s.World(ctx, world); err != nil {
		return nil, err
	}
	return s.db.WaitEvents(ctx, world, after, limit)
}
