package memory

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weft-memory/weft/lore"
)

// Bounds of one operation. What is larger is no change to lore but an upload.
const (
	maxText  = 1 << 20 // bytes of one text
	maxItems = 1000    // hunks, fields, names, references, parts, quotes
	maxID    = 512     // bytes of an id
)

// ErrInvalid is what every [FieldError] wraps.
var ErrInvalid = errors.New("invalid operation")

// FieldError says what is wrong with which field of an operation.
type FieldError struct {
	Operation string // its id, if it has one
	Field     string // as in the JSON: change.fields.priority
	Problem   string
}

func (e *FieldError) Error() string {
	if e.Operation == "" {
		return fmt.Sprintf("operation: %s: %s", e.Field, e.Problem)
	}
	return fmt.Sprintf("operation %q: %s: %s", e.Operation, e.Field, e.Problem)
}

// Unwrap returns ErrInvalid.
func (e *FieldError) Unwrap() error { return ErrInvalid }

type validator struct {
	id   string
	errs []error
}

func (v *validator) fail(field, problem string, args ...any) {
	v.errs = append(v.errs, &FieldError{v.id, field, fmt.Sprintf(problem, args...)})
}

// Validate reports everything that keeps the operation from being committed,
// as one error of [FieldError]s. An operation that passes may still meet a
// conflict in a view.
func (o *Operation) Validate() error {
	v := &validator{id: o.ID}
	v.identity(o)
	v.author(o)
	v.kind(o)
	v.change("change", &o.Change)
	if o.Inverse != nil {
		v.change("inverse", o.Inverse)
	}
	if len(o.Quotes) > maxItems {
		v.fail("quotes", "at most %d, got %d", maxItems, len(o.Quotes))
	}
	return errors.Join(v.errs...)
}

func (v *validator) identity(o *Operation) {
	for _, f := range []struct {
		name, value string
		need        bool
	}{
		{"id", o.ID, true},
		{"world", o.World, true},
		{"conversation", o.Conversation, false},
		{"node", o.Node, false},
		{"book", o.Book, false},
		{"entry", o.Entry, true},
		{"on", o.On, false},
		{"undo", o.Undo, false},
	} {
		switch {
		case f.value == "" && f.need:
			v.fail(f.name, "is missing")
		case len(f.value) > maxID:
			v.fail(f.name, "an id has at most %d bytes, got %d", maxID, len(f.value))
		case !utf8.ValidString(f.value):
			v.fail(f.name, "is not UTF-8")
		}
	}
	if o.Seq < 0 {
		v.fail("seq", "is negative: %d", o.Seq)
	}
	switch o.Layer {
	case LayerCanon, LayerWorld:
	case LayerStory:
		if o.Conversation == "" {
			v.fail("conversation", "a story operation needs one")
		}
	default:
		v.fail("layer", "expected canon, world or story, got %q", o.Layer)
	}
}

func (v *validator) author(o *Operation) {
	switch o.Author.Kind {
	case ByPerson, ByImport:
	case BySidecar:
		switch {
		case o.Layer == LayerCanon:
			v.fail("layer", "a sidecar cannot write to canon")
		case o.Node == "":
			v.fail("node", "a sidecar's operation needs the message that caused it")
		}
		if o.On != "" {
			v.fail("on", "only a person's operation stands on a version")
		}
		if o.Kind == KindCreate && o.book() != WorldBook && o.book() != StoryBook {
			v.fail("book", "a sidecar's new entry goes to %s or %s, not to %q", StoryBook, WorldBook, o.Book)
		}
	default:
		v.fail("author.kind", "expected person, sidecar or import, got %q", o.Author.Kind)
	}
}

func (v *validator) kind(o *Operation) {
	c := &o.Change
	if o.Undo != "" {
		if o.Undo == o.ID {
			v.fail("undo", "an operation cannot undo itself")
		}
		if _, ok := inverseKinds[o.Kind]; !ok {
			v.fail("kind", "unknown kind %q", o.Kind)
		}
		return // its change is the inverse as it was, whatever that holds
	}
	switch o.Kind {
	case KindCreate:
		switch {
		case c.Entry == nil:
			v.fail("change.entry", "a creation needs the whole entry")
		case c.Entry.ID != o.Entry && o.Entry != "":
			v.fail("change.entry", "has the id %q, the operation names %q", c.Entry.ID, o.Entry)
		}
	case KindPatch:
		if len(c.Fields) == 0 && len(c.Content) == 0 && len(c.Names) == 0 {
			v.fail("change", "a patch needs fields or content")
		}
	case KindMerge:
		if len(c.From) == 0 {
			v.fail("change.from", "a merge needs the entries that go into the other one")
		}
		if len(c.Into) > 1 {
			v.fail("change.into", "a merge leads into one entry, got %d", len(c.Into))
		}
	case KindSplit:
		if len(c.Parts) == 0 {
			v.fail("change.parts", "a split needs the entries that it makes")
		}
	case KindLearn, KindAlias:
		if _, ok := c.Fields[fieldKnows]; len(c.Names) == 0 && !ok {
			v.fail("change.names", "is empty")
		}
	case KindMove, KindForget, KindRestore, KindRetire, KindLock, KindUnlock:
	default:
		v.fail("kind", "unknown kind %q", o.Kind)
	}
}

func (v *validator) change(at string, c *Change) {
	for name, n := range map[string]int{
		"fields": len(c.Fields), "content": len(c.Content), "into": len(c.Into), "from": len(c.From),
		"parts": len(c.Parts), "names": len(c.Names),
	} {
		if n > maxItems {
			v.fail(at+"."+name, "at most %d, got %d", maxItems, n)
		}
	}
	v.entry(at+".entry", c.Entry)
	for i, e := range c.Parts {
		if e == nil {
			v.fail(fmt.Sprintf("%s.parts[%d]", at, i), "is null")
			continue
		}
		v.entry(fmt.Sprintf("%s.parts[%d]", at, i), e)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Fields)) {
		f := c.Fields[name]
		switch {
		case name == "" || name == "id":
			v.fail(at+".fields", "%q cannot be patched: an entry keeps its id", name)
		case name == fieldContent && (utf8Field(f.Old) && utf8Field(f.New)):
			v.fail(at+".fields.content", "the text is changed by hunks: use content")
		default:
			if _, err := canonical(name, f.New); err != nil {
				v.fail(at+".fields."+name, "%v", err)
			}
		}
	}
	for i, h := range c.Content {
		field := fmt.Sprintf("%s.content[%d]", at, i)
		if h.Old == "" && h.New == "" {
			v.fail(field, "needs old or new")
		}
		for _, s := range []string{h.Before, h.Old, h.New, h.After} {
			if len(s) > maxText {
				v.fail(field, "a text has at most %d bytes, got %d", maxText, len(s))
			}
			if !utf8.ValidString(s) {
				v.fail(field, "is not UTF-8")
			}
		}
	}
	for i, name := range c.Names {
		if strings.TrimSpace(name) == "" || !utf8.ValidString(name) || len(name) > maxText {
			v.fail(fmt.Sprintf("%s.names[%d]", at, i), "is blank, too long or not UTF-8")
		}
	}
	for i, r := range append(slices.Clone(c.Into), c.From...) {
		if r.Entry == "" {
			v.fail(at, "reference %d names no entry", i)
		}
	}
}

func (v *validator) entry(at string, e *lore.Entry) {
	if e == nil {
		return
	}
	if e.ID == "" {
		v.fail(at, "has no id")
	}
	if len(e.Content) > maxText {
		v.fail(at, "a text has at most %d bytes, got %d", maxText, len(e.Content))
	}
	if _, err := lore.MarshalEntry(e); err != nil {
		v.fail(at, "%v", err)
	}
}

// utf8Field reports whether a value of the field content is absent or a JSON
// string.
func utf8Field(raw json.RawMessage) bool { return len(raw) == 0 || raw[0] == '"' }
