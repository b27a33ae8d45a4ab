package lore

import "encoding/json"

// Entry is one piece of lore: keys, content, and the rules that say when and
// where the content enters a prompt.
//
// The zero value of a field means what its comment says; [NewEntry] gives an
// entry with the defaults of the weaver dialect. Entries are shared between
// goroutines once an index holds them and must not be changed then: change a
// [Entry.Clone].
type Entry struct {
	// ID names the entry inside its book. Ids of foreign formats are kept as
	// text; the codec knows their original type.
	ID string
	// Name is a title for people; it is not part of the prompt.
	Name string
	// Comment is a note for authors.
	Comment string
	// Type is free: a foreign category ("location") or, for a Compendium
	// entry, its type.
	Type string
	// Folder is the id of the folder of the book that holds the entry.
	Folder string
	Tags   []string

	// Content is the text as stored: a template in the language of the book's
	// policy, with decorators where the dialect has them.
	Content string
	// Disabled takes the entry out of scans and triggers; a document reference
	// still finds it.
	Disabled bool

	Match
	Timing
	Placement

	// Inclusion puts the entry into exclusive groups: one member of a group is
	// kept. Nil means none.
	Inclusion *Inclusion
	// Recursion says how the entry takes part in recursive scans.
	Recursion Recursion
	// Inject adds the content to another entry instead of to the prompt.
	Inject *Inject

	// Origin says where the entry was read from.
	Origin Origin
	// Ext keeps what Weft has no field for, by namespace of its format (for
	// example "risu" or "nai"), as raw JSON.
	Ext map[string]json.RawMessage
}

// Match says what activates an entry.
type Match struct {
	// Constant activates the entry without keys.
	Constant bool
	// Force overrides keys and Constant.
	Force Force
	// Keys are the primary keys: one of them must be found.
	Keys []Key
	// Clauses are the secondary keys: all clauses must hold too.
	Clauses []Clause
	// Condition is an expression of the weaver language that must be true for
	// the entry to activate, constants included. Empty means none.
	Condition string
	// Foreign is a condition in another language, evaluated where the policy
	// can, else reported. Nil means none.
	Foreign *ForeignCondition
	// CaseSensitive and WholeWords override the book where they are not nil.
	CaseSensitive, WholeWords *bool
	// ScanDepth is how much of the chat's end is searched; nil means the
	// book's. Units: messages, chars, or tokens.
	ScanDepth *Amount
	// Probability is the chance in percent (0 to 100) that a matched entry
	// activates. Nil means no roll.
	Probability *float64
	// Sources are texts that are searched beside the chat.
	Sources []Source
	// Kinds restricts the entry to turns of these kinds; empty means all.
	Kinds []TurnKind
	// Characters restricts the entry to some characters; nil means all.
	Characters *CharacterFilter
	// Similarity activates the entry by similarity to the recent messages;
	// nil means that only the book's setting, if any, applies.
	Similarity *Similarity
	// Greeting restricts the entry to chats that began with this greeting
	// (0 is the first message, 1 the first alternate one). Nil means all.
	Greeting *int
	// UserIcon restricts the entry to this icon of the user. Empty means all.
	UserIcon string
}

// Force is an order that stands above keys.
type Force int8

// The values of Force.
const (
	ForceNone     Force = 0
	ForceActivate Force = 1  // always active, as @@activate says
	ForceSuppress Force = -1 // never active, as @@dont_activate says
)

// ForeignCondition is a condition that another program would evaluate.
type ForeignCondition struct {
	Language string // "nai", "js"
	Source   string
}

// Source names a text beside the chat that a scan may search.
type Source string

// The extra sources of a scan.
const (
	SourcePersona      Source = "persona"
	SourceDescription  Source = "description"
	SourcePersonality  Source = "personality"
	SourceDepthPrompt  Source = "depth_prompt"
	SourceScenario     Source = "scenario"
	SourceCreatorNotes Source = "creator_notes"
	SourceMemory       Source = "memory"
	SourceAuthorsNote  Source = "authors_note"
)

// CharacterFilter restricts an entry to characters.
type CharacterFilter struct {
	Exclude bool
	Names   []string
	Tags    []string
}

// Similarity says when an entry activates because the recent messages are
// about it. The scores are the host's: see the engine's picks.
type Similarity struct {
	// Threshold is the least score, 0 to 1. 0 means the host's default.
	Threshold float64 `json:"threshold,omitempty" yaml:"threshold,omitempty"`
	// Margin is how far the score must stand above that of the best entry that
	// TopK leaves out.
	Margin float64 `json:"margin,omitempty" yaml:"margin,omitempty"`
	// TopK bounds how many entries of the book activate so. 0 means the host's
	// default.
	TopK int `json:"top_k,omitempty" yaml:"top_k,omitempty"`
}

// Timing says how an activation lasts and returns. Sticky, cooldown and delay
// are counted in the unit of the policy (turns or messages); 0 means none.
type Timing struct {
	// Sticky keeps the entry active for so many turns (or messages) after it
	// was found.
	Sticky int
	// Cooldown keeps the entry away for so many turns (or messages).
	Cooldown int
	// Delay is how many messages the chat must have before the entry can be
	// found.
	Delay int
	// After and Every restrict activation by the number of assistant messages
	// so far: not before After of them, and only when their number is a
	// multiple of Every. 0 means no restriction.
	After, Every int
	// Keep makes the entry constant once it was found; Once makes it
	// unavailable once it was found.
	Keep, Once bool
}

// Placement says where the content goes, in which order, and what happens
// when the budget is short.
type Placement struct {
	// Slot is the place in the prompt; "" means the book's default.
	Slot Slot
	// Fallback lists slots to try in turn if the prompt lacks Slot.
	Fallback []Slot
	// Where is the place in the words of a foreign format, if it is finer than
	// Slot; the writers use it. Empty for native entries.
	Where Where
	// FromStart counts an at_depth slot from the first message instead of the
	// last.
	FromStart bool
	// Role is the role of a block inside the chat; empty means system.
	Role Role
	// Outlet is the name of the outlet for WhereOutlet.
	Outlet string
	// Priority decides who survives a budget: higher is kept longer. Within a
	// slot of the weaver dialect higher also comes first.
	Priority int
	// InsertionOrder orders blocks of one place: lower comes first.
	InsertionOrder int
	// Group names a budget pool of the book; "" means none.
	Group string
	// MaxTokens cuts a longer text at a sentence end; 0 means no cap.
	MaxTokens int
	// Sizes are shorter versions of the content that budgeting may take.
	Sizes Sizes
	// IgnoreBudget lets the entry in when the budget is spent.
	IgnoreBudget bool
	// DropFirst lets the entry go before all others when the context is full.
	DropFirst bool
	// Cap, Reserve and Trim are NovelAI's budget rules; nil and "" mean none.
	Cap, Reserve *Amount
	Trim         Trim
	// Prefix and Suffix are put around the text when it is inserted.
	Prefix, Suffix string
}

// Sizes are shorter versions of an entry's content. An empty text means that
// the entry has no such size.
type Sizes struct {
	Brief   string `json:"brief,omitempty" yaml:"brief,omitempty"`
	OneLine string `json:"one_line,omitempty" yaml:"one_line,omitempty"`
}

// Trim says how a text that is too long is cut.
type Trim struct {
	// Direction is "bottom" (the end goes), "top" (the beginning goes) or
	// "none" (all or nothing). Empty means that the policy decides.
	Direction string `json:"direction"`
	// Unit is how fine the cut may be: "newline", "sentence" or "token".
	Unit string `json:"unit"`
}

// Where is a place in the prompt as foreign formats know it.
type Where string

// The foreign places.
const (
	WhereBeforeChar     Where = "before_char"
	WhereAfterChar      Where = "after_char"
	WhereNoteTop        Where = "note_top"
	WhereNoteBottom     Where = "note_bottom"
	WhereExamplesTop    Where = "examples_top"
	WhereExamplesBottom Where = "examples_bottom"
	WhereAtDepth        Where = "at_depth"
	WhereOutlet         Where = "outlet"
	WherePersonality    Where = "personality"
	WhereScenario       Where = "scenario"
	WherePromptEnd      Where = "prompt_end"
	// WhereNowhere keeps an activated entry out of the prompt: the file gave a
	// position that no program knows.
	WhereNowhere Where = "nowhere"
)

// Inclusion describes exclusive groups: of the members of a group that are
// found in one scan, one is kept.
type Inclusion struct {
	// Names are the groups the entry belongs to.
	Names []string
	// Override makes the entry win by priority instead of by a draw.
	Override bool
	// Weight is the entry's share in the draw. Nil means 100.
	Weight *float64
	// Scoring keeps only the members with the most matching keys; nil means
	// the policy's setting.
	Scoring *bool
}

// Recursion says how an entry takes part in recursive scans, in which the
// content of active entries is searched too.
type Recursion struct {
	// Excluded entries are not found in the content of others.
	Excluded bool
	// Silent entries do not activate others by their content.
	Silent bool
	// Level keeps the entry for recursive passes: 0 means any pass, n means
	// from level n on.
	Level int
	// Override, where not nil, turns recursion from this entry on or off
	// whatever the book says.
	Override *bool
}

// Inject adds an entry's content to another entry.
type Inject struct {
	// Target is the name of the entry that receives the content, or a place.
	Target string
	// Mode is "append", "prepend" or "replace"; or [InjectKey], without a
	// target.
	Mode string
	// Replace is the text that mode "replace" puts the content in place of.
	Replace string
}

// InjectKey is the mode of an entry that stands beside the newest message with
// one of its keys, as far from it as its slot says it stands from the end.
const InjectKey = "key"

// Origin says where an entry or a book came from.
type Origin struct {
	// Format is the name of the codec that read it; empty for things made in
	// code.
	Format string
	// Path is the file, and Line the first line of the entry in it (from 1; 0
	// if unknown).
	Path string
	Line int
	// BodyLine is the line on which Content begins (from 1; 0 if unknown), so
	// that an error inside it can be placed in the file.
	BodyLine int
	// Pointer is the place of the thing inside a JSON file, as a JSON pointer
	// (RFC 6901); empty if there is none.
	Pointer string
	// Raw is the source of the thing, byte for byte, where a writer needs it.
	// It may share memory with the file and must not be changed.
	Raw []byte
}

// Clone returns a deep copy of the entry that may be changed.
func (e *Entry) Clone() *Entry { return cloneEntry(e) }

// NewEntry returns an entry with the defaults of the weaver dialect: enabled,
// priority 100, insertion order 50, the book's slot.
func NewEntry(id, content string) *Entry {
	return &Entry{ID: id, Content: content, Placement: Placement{Priority: DefaultPriority, InsertionOrder: DefaultInsertionOrder}}
}

// Defaults of an entry of the weaver dialect.
const (
	DefaultPriority       = 100
	DefaultInsertionOrder = 50
	DefaultScanDepth      = 10
)
