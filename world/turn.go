package world

import (
	"context"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/turn"
	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/diag"
)

// Assemble says how lore is assembled. Fields that are zero take what the
// conversation's and the world's settings say.
type Assemble struct {
	// Kind is the kind of the turn; "" means normal.
	Kind lore.TurnKind `json:"kind,omitempty"`
	// Picks are activations from outside.
	Picks []engine.Pick `json:"picks,omitempty"`

	Slots     []lore.Slot                        `json:"slots,omitempty"`
	Budget    string                             `json:"budget,omitempty"`
	Context   int                                `json:"context,omitempty"`
	Speaker   string                             `json:"speaker,omitempty"`
	Viewpoint string                             `json:"viewpoint,omitempty"`
	Vars      map[string]map[string]weaver.Value `json:"vars,omitempty"`
	Sources   map[lore.Source]string             `json:"sources,omitempty"`
	Injects   []string                           `json:"injects,omitempty"`
	// Seed overrides the seed, which follows from the conversation's and from
	// the message that the reply follows.
	Seed *uint64 `json:"seed,omitempty"`

	// Trace says how much is explained, Why which absent entries are. Previous
	// are the blocks of the last prompt.
	Trace    engine.TraceLevel `json:"-"`
	Why      []engine.EntryRef `json:"-"`
	Previous []engine.Block    `json:"-"`
}

// Assembly is the lore of one prompt.
type Assembly struct {
	*engine.Result
	// Messages is the chat as it was searched, Prompt the same with the lore
	// laid into it, as Insertions say. Outlets are blocks that have no place of
	// their own in a chat.
	Messages   []lore.Message
	Prompt     []lore.Message
	Insertions []turn.Insertion
	Outlets    []engine.Block
	// Record is what the assembly can be derived from again. Its Node is empty
	// for a preview.
	Record store.AssemblyRecord
	// Findings are what is wrong with the books that took part.
	Findings diag.List
	// View is the lore that took part.
	View *memory.View
}

// TurnRequest asks for a turn.
type TurnRequest struct {
	Assemble
	// Messages are added first, in the same transaction.
	Messages []Message
	// At is, for a normal turn and for impersonate, the message that the reply
	// follows; for swipe, regenerate and continue, the reply. "" means the head.
	At string
	// IfHead is the head that the caller saw; another one is a Conflict.
	IfHead string
}

// Turn is a turn that was begun.
type Turn struct {
	Assembly
	// ID names the turn; a new reply's node gets it as its id.
	ID                  string
	World, Conversation string
	// Parent is the message that the reply follows; Reply, for continue, the
	// message that grows.
	Parent, Reply string
	// Added are the messages that were added first.
	Added []store.Node
}

// Reply is what the narrator wrote.
type Reply struct {
	// Content is the text; for continue, what is added to the reply.
	Content string
	// Name is who speaks. Defaults to the speaker.
	Name     string
	External string
	Author   string
	// Ext is what else is known of the message, as JSON.
	Ext []byte
	// Blocks that the host added later are no part of the record.
}

// Assemble returns the lore for the next reply of a conversation as a preview:
// nothing is stored, and hooks with effects outside are not called. At is as in
// [TurnRequest].
func (s *Service) Assemble(ctx context.Context, world, conversation, at string, o Assemble) (Assembly, error) {
	return Assembly{}, errPending
}

// AssembleMessages returns the lore of a world for a chat that is not stored
// there. state is that before the turn; nil means to find it by playing the
// chat's earlier turns again.
func (s *Service) AssembleMessages(ctx context.Context, world string, messages []lore.Message, state *engine.State, settings Settings, o Assemble) (Assembly, error) {
	return Assembly{}, errPending
}

// BeginTurn adds the messages of the request and assembles the lore for the
// reply, from the state before the turn: asking again gives the same. Nothing
// is stored of the turn itself but what [Service.FinishTurn] needs.
func (s *Service) BeginTurn(ctx context.Context, world, conversation string, r TurnRequest) (*Turn, error) {
	return nil, errPending
}

// FinishTurn adds the reply to the conversation with the state after it and the
// record of its assembly, and moves the head to it. Asked again with the same
// reply it returns the same node; with another one it is a Conflict. A turn of
// kind impersonate adds a message of the user and stores nothing else; one of
// kind quiet stores nothing at all.
func (s *Service) FinishTurn(ctx context.Context, world, turn string, r Reply) (store.Node, error) {
	return store.Node{}, errPending
}

// CancelTurn forgets a turn that was begun. The messages that it added stay.
func (s *Service) CancelTurn(ctx context.Context, world, turn string) error { return errPending }

// Why says why entries are, or are not, in the prompt of a reply; or, if at
// names no reply with a record, in that of the next one, see [Service.Assemble].
func (s *Service) Why(ctx context.Context, world, conversation, at string, entries ...engine.EntryRef) ([]engine.Absence, error) {
	return nil, errPending
}

// Rederive returns the prompt and the trace of a reply from its record, byte
// for byte as they were. A revision of a book that was erased is NotFound.
func (s *Service) Rederive(ctx context.Context, world, node string, trace engine.TraceLevel, why ...engine.EntryRef) (Assembly, error) {
	return Assembly{}, errPending
}

// State returns the state of the engine at a place.
func (s *Service) State(ctx context.Context, world string, at Place) (engine.State, error) {
	return engine.State{}, errPending
}
