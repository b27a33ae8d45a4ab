package format

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Confidence says how sure a codec is that a file is of its format.
type Confidence int

// The confidences.
const (
	// No: it is not.
	No Confidence = iota
	// Maybe: nothing speaks against it (an empty list of entries).
	Maybe
	// Likely: the fields of the entries fit.
	Likely
	// Certain: the file says so itself (a spec, a version, a magic number).
	Certain
)

// Guess is the answer of a codec that looked at a file.
type Guess struct {
	Confidence Confidence
	// Reason says by what the format was recognised.
	Reason string
}

// Guessf returns a guess with its reason.
func Guessf(c Confidence, format string, args ...any) Guess {
	return Guess{Confidence: c, Reason: fmt.Sprintf(format, args...)}
}

// Info describes a format.
type Info struct {
	// Name is the format's name in commands and reports: "sillytavern".
	Name string
	// Title is its name for people: "SillyTavern world info".
	Title string
	// Extensions are the usual file extensions, with their dots; the first one
	// is used for new files.
	Extensions []string
	// Books, Characters and Chats say what files of the format can hold.
	Books, Characters, Chats bool
	// Carries says that the format has a place for foreign data.
	Carries bool
	// ReadOnly says that Write gives back only what was read.
	ReadOnly bool
}

// Codec reads and writes one format. Codecs are stateless and safe for
// concurrent use.
type Codec interface {
	// Info describes the format.
	Info() Info
	// Sniff says whether the input is of the format, by its content.
	Sniff(in *Input) Guess
	// Read reads the input. The error is for inputs that give nothing; what is
	// wrong with a part is in the report, and the rest is read.
	Read(ctx context.Context, in *Input) (*Document, *Report, error)
	// Write writes the document. A document of the same format is written from
	// its input, spliced; any other is written new. The report says what
	// became of each field.
	Write(ctx context.Context, doc *Document, opts WriteOptions) (*Output, *Report, error)
}

// Explainer is a codec that can say why a file that begins as one of its own
// holds nothing that it can read: where a picture or an archive is damaged. The
// error is nil for files of other kinds.
type Explainer interface {
	Explain(in *Input) error
}

// WriteOptions are what a codec may need to write.
type WriteOptions struct {
	// Table finds the codecs of the formats that the document came from, to
	// restore what they carried.
	Table *Table
	// Name is the file name without extension for new files. Empty means the
	// id of the book, character or chat.
	Name string

	from *Input // what the document was read from
}

// Table is a list of codecs in the order in which they are asked. Make one
// with [NewTable].
type Table struct {
	codecs []Codec
	byName map[string]Codec
}

// NewTable returns a table of the codecs; they are asked in this order, and of
// two that are equally sure the first one reads. Two codecs of one name are an
// error.
func NewTable(codecs ...Codec) (*Table, error) {
	t := &Table{codecs: slices.Clone(codecs), byName: map[string]Codec{}}
	for _, c := range codecs {
		name := c.Info().Name
		if t.byName[name] != nil {
			return nil, fmt.Errorf("two codecs are called %q", name)
		}
		t.byName[name] = c
	}
	return t, nil
}

// Codecs returns the codecs in order.
func (t *Table) Codecs() []Codec { return slices.Clone(t.codecs) }

// Codec returns the codec with this name; nil if there is none.
func (t *Table) Codec(name string) Codec {
	if t == nil {
		return nil
	}
	return t.byName[name]
}

// Names returns the names of the formats in order.
func (t *Table) Names() []string {
	names := make([]string, len(t.codecs))
	for i, c := range t.codecs {
		names[i] = c.Info().Name
	}
	return names
}

// Shaped is a codec whose entries have a [BookShape]: what is carried for it
// can be restored.
type Shaped interface{ Shape() *BookShape }

// shape returns the shape of the format, or nil.
func (t *Table) shape(name string) *BookShape {
	if s, ok := t.Codec(name).(Shaped); ok {
		return s.Shape()
	}
	return nil
}

// UnknownFormatError is a source that no codec of the table knows.
type UnknownFormatError struct {
	Name string
	// Cause is why the file is not even JSON or text, if that is the reason.
	Cause error
	// Known are the formats that were tried.
	Known []string
}

// Error names the file, the cause, and the formats that are known.
func (e *UnknownFormatError) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("%s: no known lorebook, card or chat: %v", e.Name, e.Cause)
	}
	return fmt.Sprintf("%s: no known lorebook, card or chat (known formats: %s)", e.Name, strings.Join(e.Known, ", "))
}

// Unwrap returns the cause.
func (e *UnknownFormatError) Unwrap() error { return e.Cause }
