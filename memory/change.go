package memory

import (
	"encoding/json"
	"fmt"

	"github.com/weft-memory/weft/lore"
)

// Change says what an operation does to its entry. Which parts count depends
// on the kind, see [Kind].
type Change struct {
	// Entry is the whole entry of a creation, or of a restoration.
	Entry *lore.Entry
	// Fields are the fields that change, by their names in Weft's own JSON
	// books. The text is not among them, unless it is not UTF-8.
	Fields map[string]Field
	// Content are the changes to the text, in the order of the text.
	Content []Hunk
	// Into and From name the entries of a merge. Of a split, Into may name the
	// books of the parts, one for one.
	Into, From []Ref
	// Parts are the whole entries that a split makes.
	Parts []*lore.Entry
	// Category is where a move leads; "" is the root of the book.
	Category string
	// Names are aliases, characters who learn, or what a lock holds.
	Names []string
	// Overlay says that Fields and Content speak of what was laid over an
	// authored entry. A sidecar's changes to such an entry always do.
	Overlay bool

	// Extra keeps JSON fields that this version does not know.
	Extra Extra
}

// Field is the change of one field, as JSON. A nil value means that the field
// is absent: at its default.
type Field struct {
	Old, New json.RawMessage
}

// Hunk is a change to a text: where Before, Old and After stand one behind the
// other, New takes the place of Old. Before and After are whole sentences with
// the white space between; an empty one means the start or the end of the text.
// With New alone the sentences are appended, those that stand there already
// excepted.
type Hunk struct {
	Before string `json:"before,omitempty"`
	Old    string `json:"old,omitempty"`
	New    string `json:"new,omitempty"`
	After  string `json:"after,omitempty"`
}

// IsZero reports whether the change says nothing.
func (c *Change) IsZero() bool {
	return c.Entry == nil && len(c.Fields) == 0 && len(c.Content) == 0 && len(c.Into) == 0 && len(c.From) == 0 &&
		len(c.Parts) == 0 && c.Category == "" && len(c.Names) == 0 && len(c.Extra) == 0
}

// Append returns the change that adds a text behind another.
func Append(text string) Change { return Change{Content: []Hunk{{New: text}}} }

type fieldJSON struct {
	Old json.RawMessage `json:"old,omitempty"`
	New json.RawMessage `json:"new,omitempty"`
}

// MarshalJSON writes {"old", "new"} and leaves absent values out.
func (f Field) MarshalJSON() ([]byte, error) { return json.Marshal(fieldJSON(f)) }

type changeJSON struct {
	Entry    json.RawMessage   `json:"entry,omitempty"`
	Fields   map[string]Field  `json:"fields,omitempty"`
	Content  []Hunk            `json:"content,omitempty"`
	Into     refs              `json:"into,omitempty"`
	From     refs              `json:"from,omitempty"`
	Parts    []json.RawMessage `json:"parts,omitempty"`
	Category string            `json:"category,omitempty"`
	Names    []string          `json:"names,omitempty"`
	Overlay  bool              `json:"overlay,omitempty"`
}

// MarshalJSON writes the change; entries in the form of Weft's own JSON books.
func (c Change) MarshalJSON() ([]byte, error) {
	v := changeJSON{
		Fields: c.Fields, Content: c.Content, Into: c.Into, From: c.From,
		Category: c.Category, Names: c.Names, Overlay: c.Overlay,
	}
	if c.Entry != nil {
		raw, err := lore.MarshalEntry(c.Entry)
		if err != nil {
			return nil, fmt.Errorf("entry: %w", err)
		}
		v.Entry = raw
	}
	for i, e := range c.Parts {
		raw, err := lore.MarshalEntry(e)
		if err != nil {
			return nil, fmt.Errorf("parts[%d]: %w", i, err)
		}
		v.Parts = append(v.Parts, raw)
	}
	return writeExtra(&v, c.Extra)
}
