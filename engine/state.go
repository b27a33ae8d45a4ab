package engine

import (
	"github.com/weft-memory/weft/weaver"
)

// State is what an activation engine remembers of a conversation: counters and
// variables. It is a value: no function changes a State that it was given, so
// one may be kept with each reply and the conversation resumed from any of
// them. It marshals to JSON and back.
type State struct {
	// Turn is the number of the turn; 0 before the first [Engine.Advance].
	Turn int `json:"turn"`
	// Books holds the counters by book id.
	Books map[string]BookState `json:"books,omitempty"`
	// Vars holds the variables of writable namespaces.
	Vars map[string]map[string]weaver.Value `json:"vars,omitempty"`
	// Pending are entries that were triggered but not yet looked at; they wait
	// for another assembly of the same turn.
	Pending []EntryRef `json:"pending,omitempty"`
}

// BookState holds the counters of one book, by entry id.
type BookState struct {
	// Sticky is for how many turns more an entry stays, the present one
	// included.
	Sticky map[string]int `json:"sticky,omitempty"`
	// Last is the turn in which an entry was last found.
	Last map[string]int `json:"last,omitempty"`
	// Kept and Used are the turns in which entries with keep or once were
	// found.
	Kept map[string]int `json:"kept,omitempty"`
	Used map[string]int `json:"used,omitempty"`
	// StickyUntil and CooldownUntil are the records of dialects that count
	// messages.
	StickyUntil   map[string]MessageTimer `json:"sticky_until,omitempty"`
	CooldownUntil map[string]MessageTimer `json:"cooldown_until,omitempty"`
}

// MessageTimer is an effect that lasts for a span of the chat's length.
type MessageTimer struct {
	// Hash identifies the content of the entry at the time.
	Hash uint64 `json:"hash"`
	// Start and End are lengths of the chat in messages.
	Start int `json:"start"`
	End   int `json:"end"`
	// Protected keeps the record when the chat becomes shorter.
	Protected bool `json:"protected,omitempty"`
}
