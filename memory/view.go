package memory

import (
	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
)

// Options change how operations are folded. The zero value is the default.
type Options struct {
	// Shrink is the share of a text that one operation of a sidecar may remove;
	// what removes more becomes a proposal. 0 means 0.5; 1 and more means that
	// anything goes.
	Shrink float64
	// ShrinkFrom is the length in bytes from which on a text is guarded so.
	// 0 means 200.
	ShrinkFrom int
	// Label gives the words for what is laid over an authored entry, for
	// example in the story's language. Nil means English.
	Label func(field, value string) string
}

// View is the lore as it is seen at one place: books with operations applied.
// It is immutable, safe for concurrent use, and shares what it can with the
// views it was made from.
type View struct {
	opts Options
}

// Fold applies operations to books in the order of their numbers. It takes the
// operations that are active there, see [Active]; retracted ones, and of those
// with one digest all but the first, do not count. The books must not be
// changed afterwards.
func Fold(base []*lore.Book, ops []Operation, opts Options) *View { return &View{opts: opts} }

// Entry returns an entry as the engine sees it, references to merged entries
// followed; nil if none is live. It must not be changed.
func (v *View) Entry(book, id string) *lore.Entry { return nil }

// Authored returns the bytes that a person, or the creating operation and its
// patches, gave the entry, without what was laid over it; also of one that is
// not live. Nil if there never was one.
func (v *View) Authored(book, id string) *lore.Entry { return nil }

// Live returns the live entries: those of the books in their order, then the
// created ones in the order of their creation.
func (v *View) Live() []Ref { return nil }

// Redirect returns what a reference leads to after merges, splits and
// promotions; itself if nothing happened to it.
func (v *View) Redirect(book, id string) Ref { return Ref{book, id} }

// Overlays returns the view as changes to an index of the books. The index has
// to hold [WorldBook] and [StoryBook], see [NewBook].
func (v *View) Overlays() engine.Overlay { return engine.Overlay{} }

// Conflicts returns what did not take effect as it was meant, in the order of
// the operations.
func (v *View) Conflicts() []Conflict { return nil }

// Proposals returns what sidecars want but may not do, in the order of the
// operations.
func (v *View) Proposals() []Proposal { return nil }

// With returns the view with operations added; Without with operations gone.
// Both equal a fold of the resulting operations and cost what the entries
// concerned cost.
func (v *View) With(ops ...Operation) *View     { return v }
func (v *View) Without(ids ...string) *View     { return v }
func (v *View) Operations() []Operation         { return nil }
func (v *View) AsOf(seq int64) *View            { return v }
func (v *View) Inverse(op Operation) Change     { return Change{} }
func (v *View) History(book, id string) []Event { return nil }

// Event is one step in the life of an entry.
type Event struct {
	Operation Operation
	// Before and After are the entry as the engine sees it; nil if it is not
	// live.
	Before, After *lore.Entry
}

// NewBook returns an empty book for [WorldBook] or [StoryBook]: plain text, so
// that nothing a model wrote is run as a template.
func NewBook(id string) *lore.Book {
	p := lore.PolicyWeaver()
	p.Language = lore.LangPlain
	return &lore.Book{ID: id, Policy: p}
}
