package world

import (
	"encoding/json"

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
	// Purpose says whether hooks with effects outside are called: for a turn they
	// are. Defaults to a preview, but for [Service.BeginTurn].
	Purpose engine.Purpose `json:"purpose,omitempty"`
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

	without []string // plugins that were left out
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
	Ext json.RawMessage
}
