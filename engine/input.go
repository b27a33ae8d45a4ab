package engine

import (
	"time"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
)

// Input is everything that an assembly depends on beside the index. The same
// input gives the same bytes. Nothing in it is changed.
type Input struct {
	// Messages is the chat, oldest first.
	Messages []lore.Message
	// State is what the last assembly or [Engine.Advance] returned. The zero
	// State is that of a new conversation, at turn 0.
	State State
	// Vars are the host's variables by namespace and name, such as char:name.
	// They are not subject to access rules; those in a writable namespace
	// become part of the state.
	Vars map[string]map[string]weaver.Value

	// Slots are the slots that the prompt has; at_depth(N) is always there.
	// Nil means all.
	Slots []lore.Slot
	// Budget bounds what all books use together. Nil means no bound beside
	// those of the books.
	Budget *lore.Amount
	// Context is the context window of the model in tokens, of which
	// percentages are taken. Defaults to 8,192.
	Context int

	// Seed is the source of all randomness. Each entry draws from a stream of
	// its own.
	Seed uint64
	// ChatSeed is the source of choices that stay the same in a whole chat: the
	// macro pick. A host sets it once for a conversation.
	ChatSeed uint64
	// Rand overrides Seed where it is not nil: every draw is taken from it, in
	// order.
	Rand Source

	// Picks are activations from outside: semantic hits, the sidecar's choice,
	// a host's.
	Picks []Pick
	// Kind is the kind of turn; empty means normal.
	Kind lore.TurnKind
	// Purpose says what the assembly is for; empty means a turn.
	Purpose Purpose
	// Sources are texts that entries may ask to be searched beside the chat.
	Sources map[lore.Source]string
	// Injects are further prompt texts that are always searched, for dialects
	// that do.
	Injects []string

	// Now is the time, as the user's clock shows it, for templates (chat:time,
	// chat:date, chat:weekday, chat:hour …) and macros that ask for it; the
	// engine has no clock of its own. The zero time is unknown.
	Now time.Time
	// LastUser is when the user wrote last, for chat:idle_duration. The zero
	// time is unknown.
	LastUser time.Time

	// Viewpoint is the id of the character from whose view the turn is told;
	// empty is the narrator.
	Viewpoint string
	// Character is the character that speaks.
	Character Character
	// User is the name of the user's persona; empty means "User".
	User string
	// UserIcon is the icon that the user chose, for entries that ask for one.
	UserIcon string
	// Greeting is the number of the greeting that the chat began with.
	Greeting int
	// Bindings say how each book, by id, came into the assembly. A book that is
	// not listed is bound globally. Only dialects whose order depends on it
	// look at this.
	Bindings map[string]Binding

	// Cache spares searching messages that were searched before. Nil means
	// none. It never changes the result.
	Cache *Cache
	// Trace says how much the result explains.
	Trace TraceLevel
	// Why lists entries whose absence the trace shall explain.
	Why []EntryRef
	// Previous are the blocks of the last prompt; the trace then says how much
	// of it stayed a common prefix.
	Previous []Block
}

// Character is the character that speaks in a turn.
type Character struct {
	Name string
	// File is the file name without extension, which filters of some dialects
	// compare.
	File string
	// Tags are the character's tags; nil means that it has no record of tags.
	Tags []string
}

// Pick is an activation from outside.
type Pick struct {
	// Book is the id of the entry's book; empty means the first book that has
	// the entry.
	Book  string
	Entry string
	// Reason says who picked it and why, for the trace.
	Reason string
	// Score is how good the pick is, as its maker measures.
	Score float64
	// Size asks for a shorter version of the entry. Empty means full.
	Size Size
	// Replace, if not nil, stands in for the entry in this assembly.
	Replace *lore.Entry
}

// EntryRef names an entry of a book. An empty Book means the first book that
// has the entry.
type EntryRef struct {
	Book  string `json:"book,omitempty"`
	Entry string `json:"entry"`
}

// String returns "book/entry", or the entry alone.
func (r EntryRef) String() string {
	if r.Book == "" {
		return r.Entry
	}
	return r.Book + "/" + r.Entry
}

// Purpose says what an assembly is for.
type Purpose string

// The purposes. Preview and replay skip hooks that have effects outside.
const (
	PurposeTurn    Purpose = "turn"
	PurposePreview Purpose = "preview"
	PurposeReplay  Purpose = "replay"
)

// Binding says how a book came into an assembly.
type Binding string

// The bindings.
const (
	BindGlobal    Binding = "global"
	BindCharacter Binding = "character"
	BindChat      Binding = "chat"
	BindPersona   Binding = "persona"
)

// Size is a version of an entry's content.
type Size string

// The sizes.
const (
	SizeFull    Size = ""
	SizeBrief   Size = "brief"
	SizeOneLine Size = "one_line"
)

// TraceLevel says how much a trace holds.
type TraceLevel int

// The levels of a trace.
const (
	// TraceFired holds why each entry fired. It costs next to nothing.
	TraceFired TraceLevel = iota
	// TraceAll holds also what each active entry's templates read and wrote,
	// and every entry that a key proposed but a rule kept out.
	TraceAll
)
