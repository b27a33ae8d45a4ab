package engine

import (
	"cmp"
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/match"
	"github.com/weft-memory/weft/weaver"
)

// entry is a compiled entry of a segment.
type entry struct {
	*lore.Entry
	seg *Segment
	// rank is the place in book order, pos the place in the book.
	rank, pos int32
	body      content
	brief     content
	oneLine   content
	condition *weaver.Expr
	nai       *naiNode // a condition of NovelAI's
	keys      []key
	clauses   []clause
	// depth is the entry's scan depth, the book's and the policy's defaults
	// applied.
	depth lore.Amount
	slot  lore.Slot
	// keyless entries are constant, or a decorator activates them.
	keyless bool
	// always says that a key cannot be proposed by an automaton.
	always bool
	// member is the number under which the entry stood in a JSON object, as far
	// as JavaScript takes such members first; -1 for none.
	member int64
}

// key is a compiled key of an entry.
type key struct {
	text string
	kind lore.KeyKind
	// lit is a literal key or glob, re a regular expression; both are nil for a
	// key that never matches.
	lit *match.Key
	re  *match.Regex
	// set and ids are where the automaton proposes the key: the literal itself,
	// or the literals of which a match of the expression holds one. Without ids
	// the key has to be tried on the text.
	set int8
	ids []int32
	// seamy says that a literal may reach over the border of two texts.
	seamy bool
}

// clause is a compiled clause of secondary keys.
type clause struct {
	logic lore.Logic
	keys  []key
}

// content is a compiled text of an entry.
type content struct {
	tmpl *weaver.Template
	// text is the source of contents that are no templates.
	text string
	lang lore.Language
}

func (c content) empty() bool { return c.tmpl == nil && c.text == "" }

// compareEntries is book order: priority descending, insertion order ascending,
// id ascending; the place in the book decides between equal ids.
func compareEntries(a, b *entry) int {
	return cmp.Or(
		cmp.Compare(b.Priority, a.Priority),
		cmp.Compare(a.InsertionOrder, b.InsertionOrder),
		strings.Compare(a.ID, b.ID),
		cmp.Compare(a.pos, b.pos),
	)
}

// constant reports whether the entry needs no key.
func (e *entry) constant() bool { return e.keyless }

// eachKey calls do for every key, primary and secondary.
func (e *entry) eachKey(do func(*key)) {
	for i := range e.keys {
		do(&e.keys[i])
	}
	for i := range e.clauses {
		for j := range e.clauses[i].keys {
			do(&e.clauses[i].keys[j])
		}
	}
}
