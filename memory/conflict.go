package memory

import "encoding/json"

// ConflictKind says why a part of an operation did not take effect as it was
// meant.
type ConflictKind string

// The kinds of conflict.
const (
	// ConflictContext: the sentences that a hunk speaks of are not there, or
	// stand there more than once. The text is as it was.
	ConflictContext ConflictKind = "context"
	// ConflictChanged: someone changed the value since. The later operation
	// counts, and Theirs says what it replaced.
	ConflictChanged ConflictKind = "changed"
	// ConflictDormant: a person's edit of a version that this path does not
	// hold. It waits: on a path with that version it counts.
	ConflictDormant ConflictKind = "dormant"
	// ConflictGone: the entry that the operation names is not there.
	ConflictGone ConflictKind = "gone"
	// ConflictRefused: the change would break a rule, as Detail says: a circle
	// of categories, an entry merged into itself, a value that no entry holds.
	ConflictRefused ConflictKind = "refused"
	// ConflictSuperseded: an undo has nothing to take back, because later
	// operations replaced it.
	ConflictSuperseded ConflictKind = "superseded"
)

// Conflict is a part of an operation that did not take effect as it was meant,
// three-way: what the author saw, what is there, what the author wanted.
// Nothing in it is lost: a person can apply it by hand.
type Conflict struct {
	Kind      ConflictKind `json:"kind"`
	Operation string       `json:"operation,omitempty"`
	Book      string       `json:"book,omitempty"`
	Entry     string       `json:"entry,omitempty"`
	// Field is the name of the field; "content" for text.
	Field string `json:"field,omitempty"`
	// Base is what the author saw, Theirs what was there, Ours what the author
	// wanted, as JSON. Absent values are nil.
	Base   json.RawMessage `json:"base,omitempty"`
	Theirs json.RawMessage `json:"theirs,omitempty"`
	Ours   json.RawMessage `json:"ours,omitempty"`
	// Hunk is the change to the text, if it is one.
	Hunk   *Hunk  `json:"hunk,omitempty"`
	Detail string `json:"detail,omitempty"`
}

// Proposal is what a sidecar wants but may not do. It has no effect until a
// person accepts it, see [Proposal.Accept].
type Proposal struct {
	Operation string `json:"operation"`
	Book      string `json:"book"`
	Entry     string `json:"entry"`
	Kind      Kind   `json:"kind"`
	// Change is the part of the operation that waits.
	Change Change `json:"change"`
	// Why says what protects the entry.
	Why string `json:"why"`
}

// Accept returns the operation by which a person takes a proposal up. The
// caller gives it an id, a number and a time.
func (p Proposal) Accept(source Operation, author Author) Operation {
	op := Operation{
		World: source.World, Layer: source.Layer, Conversation: source.Conversation,
		Book: p.Book, Entry: p.Entry, Kind: p.Kind, Change: p.Change, Author: author,
		Reason: source.Reason, Quotes: source.Quotes, On: source.ID,
	}
	return op
}
