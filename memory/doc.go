// Package memory keeps lore over time: every change is an operation, and what
// the lore is at some place of a conversation is worked out from the operations
// that count there.
//
// Three types matter first. An [Operation] is one change: who made it, for whom
// it counts ([Layer]), which message caused it, what it does ([Kind], [Change]).
// A [Path] is the way from the first message of a conversation to the one that
// is shown. A [View] is the lore as seen at its end: the books with the
// operations of the path applied.
//
//	path := memory.Path{Conversation: "c1", Steps: []memory.Step{
//		{Node: "m1", User: true}, {Node: "m2"},
//	}}
//	view := memory.Fold(books, memory.Active(path, operations), memory.Options{})
//	entry := view.Entry("vale", "alys")      // as the engine sees it
//	index, problems := index.Overlay(view.Overlays())
//
// The package is a set of functions on values. It knows no database, no clock
// and no randomness: ids, numbers and times come from the caller, and the same
// operations give the same view, in whatever order they are given.
//
// # Swipes, edits, branches
//
// Nothing is rolled back. Another reply is shown, so another path is folded:
// the operations of the reply that left it do not count, and count again when it
// returns. [Switch] says which those are, and [View.Switch] moves a view by
// them without folding the rest anew; it always equals a fold. An edited
// message stands in for the old one and keeps its operations ([Path.Edit]); a
// deleted one is left out of the path ([Path.Delete]), and what later messages
// did to the same entries stays, since changes are made of fields, list items
// and sentences, not of whole entries.
//
// # Changes to a text
//
// A [Hunk] replaces whole sentences and names its neighbours. It is applied
// where its sentences stand, also if other changes came or went since. If they
// are gone, or stand there twice, nothing is guessed: the text stays, and a
// [Conflict] holds what the author saw, what is there, and what was wanted.
// [Sentences] splits texts of every script and loses no byte.
//
// # Who may change what
//
// A sidecar changes what a sidecar made. An authored, human-made or locked entry
// keeps its bytes and its name: what the story adds (a new name, a status,
// facts) is laid over it and shown before its text, and what would change it
// becomes a [Proposal] that waits for a person. So does a change to a sentence
// that a person wrote, and one that removes too much of a text at once.
//
// A person's edit counts on every path that holds the version it was made on
// (Operation.On), and survives whatever happens to others: where the version is
// not there, what still fits is applied and the rest waits as a conflict.
//
// # Taking back
//
// [View.Undo] makes an operation that cancels another one: where both are
// active neither counts, as if the message that caused it had been deleted.
// Undoing the undo is redo. Besides, every operation can store its inverse
// ([View.Inverse]), a change that restores the bytes.
//
// # The world
//
// Operations of the world layer are written for settled messages ([Settled])
// and count in every conversation. When their message leaves its head path they
// are retracted, and when it returns they return ([Reconcile]). A path carries
// the number up to which it sees them, so that a turn that is made again sees
// the world as it was.
package memory
