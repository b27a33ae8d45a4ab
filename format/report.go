package format

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/weft-memory/weft/weaver/diag"
)

// Outcome says what became of a field in a conversion.
type Outcome string

// The outcomes.
const (
	// Kept: the field means the same in the target and comes back as it was.
	Kept Outcome = "kept"
	// Approximated: the target says something near it.
	Approximated Outcome = "approximated"
	// Carried: the target has no word for it; it travels in the extension.
	Carried Outcome = "carried"
	// Lost: the target has no word and no place for it.
	Lost Outcome = "lost"
)

// Item is what became of one field of one entry, book, character or chat.
type Item struct {
	Outcome Outcome `json:"outcome"`
	// Book, Entry and Name say whose field it is: the book's id, the entry's
	// id and its name. Entry is empty for fields of the book itself.
	Book  string `json:"book,omitempty"`
	Entry string `json:"entry,omitempty"`
	Name  string `json:"name,omitempty"`
	// Field is the field in the words of the source format.
	Field string `json:"field"`
	// How says what the target has instead, or why there is nothing.
	How string `json:"how,omitempty"`
}

// String returns the item on one line.
func (i Item) String() string {
	s := fmt.Sprintf("%s: %s", i.Outcome, i.Field)
	if i.Entry != "" {
		s = fmt.Sprintf("%s: entry %s: %s", i.Outcome, cmp.Or(i.Name, i.Entry), i.Field)
	}
	if i.How != "" {
		s += " (" + i.How + ")"
	}
	return s
}

// Report says what was read or written, and what became of it.
type Report struct {
	// From and To are the names of the formats; To is empty after reading.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Kept counts the fields that came over as they are, by name.
	Kept map[string]int `json:"kept,omitempty"`
	// Items lists the other fields, one by one.
	Items []Item `json:"items,omitempty"`
	// Problems are findings about the source: bad entries, oddities, what the
	// engine does not model.
	Problems diag.List `json:"problems,omitempty"`
	// IDs maps ids of entries that had to be changed, old to new, by book.
	IDs map[string]map[string]string `json:"ids,omitempty"`
	// Ambiguous lists the formats that fit the content as well as the one that
	// was chosen.
	Ambiguous []string `json:"ambiguous,omitempty"`
	// Reason says how the format was recognised.
	Reason string `json:"reason,omitempty"`

	same map[string]sameProblems // by code
}

// sameProblems counts the findings of one kind.
type sameProblems struct {
	n    int
	last int // index of the one that stands for all further ones
	// message is what that one said by itself.
	message string
}

// maxSame is how many findings of one kind are listed one by one.
const maxSame = 1000

// Keep counts a field that came over as it is.
func (r *Report) Keep(field string) {
	if r.Kept == nil {
		r.Kept = map[string]int{}
	}
	r.Kept[field]++
}

// Add records what became of a field.
func (r *Report) Add(i Item) {
	if i.Outcome == Kept {
		r.Keep(i.Field)
		return
	}
	r.Items = append(r.Items, i)
}

// Filter returns the items with this outcome.
func (r *Report) Filter(o Outcome) []Item {
	var items []Item
	for _, i := range r.Items {
		if i.Outcome == o {
			items = append(items, i)
		}
	}
	return items
}

// Problem records a finding. Of more than a thousand of one kind the first
// thousand are listed, and one more that says how many follow.
func (r *Report) Problem(d diag.Diagnostic) {
	if r.counted(d.Code) {
		return
	}
	r.Problems = append(r.Problems, d)
}

// counted counts a finding and reports whether that is all: the others of its
// kind fill the list.
func (r *Report) counted(code string) bool {
	if r.same == nil {
		r.same = map[string]sameProblems{}
	}
	s := r.same[code]
	s.n++
	defer func() { r.same[code] = s }()
	switch more := s.n - maxSame; {
	case more <= 0:
		return false
	case more == 1:
		s.last = len(r.Problems)
		return false
	default:
		if s.last < len(r.Problems) && r.Problems[s.last].Code == code {
			if more == 2 {
				s.message = r.Problems[s.last].Message
			}
			r.Problems[s.last].Message = s.message + " (and " + strconv.Itoa(more-1) + " more of this kind)"
		}
		return true
	}
}

// RenameEntry records that an entry had to take another id.
func (r *Report) RenameEntry(book, old, id string) {
	if r.IDs == nil {
		r.IDs = map[string]map[string]string{}
	}
	if r.IDs[book] == nil {
		r.IDs[book] = map[string]string{}
	}
	r.IDs[book][old] = id
}

// Merge adds what another report says.
func (r *Report) Merge(o *Report) {
	if o == nil || o == r {
		return
	}
	for f, n := range o.Kept {
		if r.Kept == nil {
			r.Kept = map[string]int{}
		}
		r.Kept[f] += n
	}
	r.Items = append(r.Items, o.Items...)
	r.Problems = append(r.Problems, o.Problems...)
	r.Ambiguous = append(r.Ambiguous, o.Ambiguous...)
	for book, ids := range o.IDs {
		for old, id := range ids {
			r.RenameEntry(book, old, id)
		}
	}
}

// KeptFields returns the names of the kept fields, sorted.
func (r *Report) KeptFields() []string { return slices.Sorted(maps.Keys(r.Kept)) }
