package memory

import (
	"cmp"
	"strings"
)

// Layer says for whom an operation counts.
type Layer string

// The layers, from the lowest. Reading looks down through them.
const (
	// LayerCanon is authored lore; only people and imports write to it.
	LayerCanon Layer = "canon"
	// LayerWorld is what every conversation of a world sees.
	LayerWorld Layer = "world"
	// LayerStory is what one conversation sees, on the paths that hold the
	// operation's node.
	LayerStory Layer = "story"
)

// Kind says what an operation does.
type Kind string

// The kinds of operation.
const (
	// KindCreate adds the entry Change.Entry.
	KindCreate Kind = "create"
	// KindPatch changes fields and sentences: Change.Fields, Change.Content.
	KindPatch Kind = "patch"
	// KindForget takes an entry out of the view. Its text is kept.
	KindForget Kind = "forget"
	// KindRestore brings a forgotten, retired or merged entry back as it was,
	// or as Change.Entry says.
	KindRestore Kind = "restore"
	// KindMerge makes the entries Change.From part of Change.Into[0] (by default
	// the operation's own entry): their keys, names and sentences are added to it
	// and references to them lead to it.
	KindMerge Kind = "merge"
	// KindSplit makes the entries Change.Parts out of the operation's entry.
	// What no part holds goes to the first one; if the entry itself is not
	// among the parts, references to it lead to the first one.
	KindSplit Kind = "split"
	// KindMove puts an entry, or a category, under Change.Category.
	KindMove Kind = "move"
	// KindRetire takes a summary out of the prompt because a later one speaks
	// for it. It differs from forget only in what it says.
	KindRetire Kind = "retire"
	// KindLearn adds Change.Names to the characters who know the entry.
	KindLearn Kind = "learn"
	// KindAlias adds Change.Names to the entry's keys.
	KindAlias Kind = "alias"
	// KindLock keeps sidecars from the entry's text, name and rules; with
	// [LockAll] in Change.Names from everything about it. KindUnlock ends that.
	KindLock   Kind = "lock"
	KindUnlock Kind = "unlock"
)

// LockAll, as a name of a lock, keeps out overlays too.
const LockAll = "*"

// AuthorKind says who made an operation.
type AuthorKind string

// The kinds of author.
const (
	ByPerson  AuthorKind = "person"
	BySidecar AuthorKind = "sidecar"
	ByImport  AuthorKind = "import"
)

// Author is who made an operation.
type Author struct {
	Kind AuthorKind `json:"kind"`
	Name string     `json:"name,omitempty"`
}

// Quote is a passage of a message that an operation rests on.
type Quote struct {
	Node string `json:"node"`
	Text string `json:"text"`
}

// Operation is one change to lore. Operations are values that are never
// changed once committed, Retracted excepted.
type Operation struct {
	// ID is unique; Seq orders the operations of a world, from 1.
	ID  string `json:"id"`
	Seq int64  `json:"seq,omitempty"`
	// World, Conversation and Node say where the operation came from. Node is
	// the message that caused it; a person's operation may have none.
	World        string `json:"world"`
	Layer        Layer  `json:"layer"`
	Conversation string `json:"conversation,omitempty"`
	Node         string `json:"node,omitempty"`
	// Book and Entry name what is changed. An empty Book is [StoryBook] or
	// [WorldBook], by the layer; [Operation.Normalize] fills it in.
	Book  string `json:"book,omitempty"`
	Entry string `json:"entry,omitempty"`
	Kind  Kind   `json:"kind"`

	Author Author `json:"author"`
	// Phase, Model and Reason say how it came about: "write", "summary", the
	// model's name, its words.
	Phase  string  `json:"phase,omitempty"`
	Model  string  `json:"model,omitempty"`
	Reason string  `json:"reason,omitempty"`
	Quotes []Quote `json:"quotes,omitempty"`

	Change Change `json:"change"`
	// Inverse takes the change back byte for byte, see [View.Inverse].
	Inverse *Change `json:"inverse,omitempty"`
	// Digest makes the operation idempotent, see [Operation.Sum].
	Digest string `json:"digest,omitempty"`
	// On is, for a person's operation, the version that was edited: the id of
	// the operation that made it, or [CanonVersion]. Empty means the entry as
	// authored.
	On string `json:"on,omitempty"`
	// Undo is the id of an operation that this one takes back: where both are
	// active, neither counts.
	Undo string `json:"undo,omitempty"`
	// Time is in microseconds since 1970 UTC, as the caller's clock said. No
	// rule depends on it.
	Time int64 `json:"time,omitempty"`
	// Retracted operations of the world layer do not count: their message has
	// left the head path. See [Reconcile].
	Retracted bool `json:"retracted,omitempty"`

	// Extra keeps JSON fields that this version does not know.
	Extra Extra `json:"-"`
}

// Ref returns the entry that the operation names.
func (o *Operation) Ref() Ref { return Ref{o.book(), o.Entry} }

// book returns the book that the operation names, the default filled in.
func (o *Operation) book() string {
	switch {
	case o.Book != "":
		return o.Book
	case o.Layer == LayerWorld:
		return WorldBook
	default:
		return StoryBook
	}
}

// Normalize fills in what follows from the rest: the book, the entry of a
// creation, the digest.
func (o *Operation) Normalize() {
	o.Book = o.book()
	if o.Entry == "" {
		switch {
		case o.Change.Entry != nil:
			o.Entry = o.Change.Entry.ID
		case len(o.Change.Into) > 0 && o.Kind == KindMerge:
			into := o.Change.Into[0].in(o.Book)
			o.Book, o.Entry = into.Book, into.Entry
		}
	}
	if o.Digest == "" {
		o.Digest = o.Sum()
	}
}

// canonPrefix begins the versions that no operation made.
const canonPrefix = "canon:"

// CanonVersion names the authored version of a book for [Operation].On.
func CanonVersion(revision string) string { return canonPrefix + revision }

// inverseKinds says which kind takes back which.
var inverseKinds = map[Kind]Kind{
	KindCreate: KindForget, KindPatch: KindPatch, KindForget: KindRestore, KindRestore: KindForget,
	KindMerge: KindSplit, KindSplit: KindMerge, KindMove: KindMove, KindRetire: KindRestore,
	KindLearn: KindLearn, KindAlias: KindPatch, KindLock: KindUnlock, KindUnlock: KindLock,
}

// InverseKind returns the kind of the operation whose change is the inverse of
// one of kind k.
func InverseKind(k Kind) Kind { return inverseKinds[k] }

// compareOps orders operations by number, then id.
func compareOps(a, b *Operation) int {
	return cmp.Or(cmp.Compare(a.Seq, b.Seq), strings.Compare(a.ID, b.ID))
}
