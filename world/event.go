package world

import (
	"context"
	"encoding/json"

	"github.com/weft-memory/weft/memory"
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
	return nil, 0, errPending
}

// WaitEvents returns the events of a world behind an id; if there are none it
// waits for them, until the context ends.
func (s *Service) WaitEvents(ctx context.Context, world string, after int64, limit int) ([]store.Event, error) {
	return nil, errPending
}

// Activity is one line of what was done to the lore, for people.
type Activity struct {
	// Type is remember, update, forget, summary, reorganize or merge_split;
	// Phase is what the operation says, or "person".
	Type  string `json:"type"`
	Phase string `json:"phase"`
	Time  int64  `json:"time"`
	// Operation is the operation, by its id.
	Operation    string        `json:"operation"`
	Author       memory.Author `json:"author"`
	Model        string        `json:"model,omitempty"`
	Reason       string        `json:"reason,omitempty"`
	Conversation string        `json:"conversation,omitempty"`
	Node         string        `json:"node,omitempty"`
	Layer        memory.Layer  `json:"layer"`
	Entries      []memory.Ref  `json:"entries"`
	// Active is whether it counts at the head of its conversation now.
	Active bool `json:"active"`
	// Detail is what else is known of it, such as tokens and duration of the
	// work that made it.
	Detail json.RawMessage `json:"detail,omitempty"`
}

// Activity lists what was done to the lore of a world, or of one conversation,
// the newest first. It is a view over the log.
func (s *Service) Activity(ctx context.Context, world, conversation string, p store.Page) (list []Activity, next string, err error) {
	return nil, "", errPending
}
