package diag

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Severity says how bad a finding is.
type Severity uint8

const (
	// Error marks a finding that makes the thing at hand unusable.
	Error Severity = iota
	// Warning marks a finding that is very likely a mistake.
	Warning
	// Note marks a finding worth knowing.
	Note
)

var severityNames = [...]string{"error", "warning", "note"}

// String returns "error", "warning" or "note".
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return "error"
}

// MarshalText writes the severity as its name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the name of a severity.
func (s *Severity) UnmarshalText(b []byte) error {
	i := slices.Index(severityNames[:], string(b))
	if i < 0 {
		return fmt.Errorf("unknown severity %q: want error, warning or note", b)
	}
	*s = Severity(i)
	return nil
}

// Span is a half-open range of byte offsets in a source text. The zero Span
// means "nowhere in particular".
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// IsZero reports whether the span points nowhere.
func (s Span) IsZero() bool { return s == Span{} }

// Len returns the number of bytes in the span.
func (s Span) Len() int { return s.End - s.Start }

// Diagnostic is one finding about a source text.
type Diagnostic struct {
	Severity Severity `json:"severity"`
	// Code names the kind of finding, in lower case with hyphens, such as
	// "expected-operator". Programs may compare it; it does not change.
	Code string `json:"code,omitempty"`
	// File is the path or name of the source, as a person would write it.
	File string `json:"file,omitempty"`
	// Span is the place in File, in bytes.
	Span Span `json:"span,omitzero"`
	// Line and Column count from 1; Column counts code points. Line 0 means
	// that the finding concerns the file as a whole.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Message says what is wrong, in one sentence without a full stop.
	Message string `json:"message"`
	// Hint says what to do about it. Often empty.
	Hint string `json:"hint,omitempty"`
}

// Pos returns "file:line:column", leaving out what is not known.
func (d Diagnostic) Pos() string {
	var b strings.Builder
	b.WriteString(d.File)
	if d.Line > 0 {
		if b.Len() > 0 {
			b.WriteByte(':')
		}
		fmt.Fprintf(&b, "%d", d.Line)
		if d.Column > 0 {
			fmt.Fprintf(&b, ":%d", d.Column)
		}
	}
	return b.String()
}

// String returns the finding on one line: place, severity, message and hint.
func (d Diagnostic) String() string {
	var b strings.Builder
	if pos := d.Pos(); pos != "" {
		b.WriteString(pos)
		b.WriteString(": ")
	}
	if d.Severity != Error {
		b.WriteString(d.Severity.String())
		b.WriteString(": ")
	}
	b.WriteString(d.Message)
	if d.Hint != "" {
		b.WriteString(" (")
		b.WriteString(d.Hint)
		b.WriteString(")")
	}
	return b.String()
}

// Error makes a Diagnostic usable as an error; it is the same as String.
func (d Diagnostic) Error() string { return d.String() }

// List is a list of findings. A nil List is an empty one.
type List []Diagnostic

// HasErrors reports whether any finding has severity Error.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}

// Errors returns the findings of severity Error.
func (l List) Errors() List { return l.Filter(Error) }

// Filter returns the findings of severity s.
func (l List) Filter(s Severity) List {
	var out List
	for _, d := range l {
		if d.Severity == s {
			out = append(out, d)
		}
	}
	return out
}

// Sort orders the findings by file, place, severity and message, and drops
// exact repetitions. It changes l and returns the result.
func (l List) Sort() List {
	slices.SortStableFunc(l, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Span.Start, b.Span.Start),
			cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Severity, b.Severity),
			cmp.Compare(a.Message, b.Message),
		)
	})
	return slices.Compact(l)
}

// Err returns the list as an error if it holds an Error, and nil otherwise.
func (l List) Err() error {
	if !l.HasErrors() {
		return nil
	}
	return listError{l}
}

// JSON returns the list as a JSON array; an empty list is "[]".
func (l List) JSON() ([]byte, error) {
	if l == nil {
		l = List{}
	}
	return json.Marshal([]Diagnostic(l))
}

// listError is a List in the role of an error.
type listError struct{ list List }

// Error returns the errors of the list, one a line.
func (e listError) Error() string {
	errs := e.list.Errors()
	const most = 10
	var b strings.Builder
	for i, d := range errs {
		if i > 0 {
			b.WriteByte('\n')
		}
		if i == most {
			fmt.Fprintf(&b, "and %d more", len(errs)-most)
			break
		}
		b.WriteString(d.String())
	}
	return b.String()
}

// Unwrap gives errors.As access to the single findings.
func (e listError) Unwrap() []error {
	errs := e.list.Errors()
	out := make([]error, len(errs))
	for i, d := range errs {
		out[i] = d
	}
	return out
}
