package weaver

import (
	"errors"
	"fmt"

	"github.com/weft-memory/weft/weaver/diag"
)

// Span is a half-open range of byte offsets in the source of a template. The
// zero Span means "nowhere in particular".
type Span = diag.Span

// ErrorKind says what went wrong, so that a caller can act on it.
type ErrorKind string

// The kinds of error.
const (
	// ParseError: the template is not well formed.
	ParseError ErrorKind = "parse_error"
	// UndefinedVariable: a variable, key or position that is not there.
	UndefinedVariable ErrorKind = "undefined_variable"
	// UndefinedCallable: no command or processor of that name.
	UndefinedCallable ErrorKind = "undefined_callable"
	// TypeError: a value of the wrong type.
	TypeError ErrorKind = "type_error"
	// NotIterable: a foreach over something that is not an array.
	NotIterable ErrorKind = "not_iterable"
	// ArithmeticError: division or modulo by zero.
	ArithmeticError ErrorKind = "arithmetic_error"
	// TriggerNotFound: the host knows no trigger of that id.
	TriggerNotFound ErrorKind = "trigger_not_found"
	// DocumentNotFound: the host knows no document of that id.
	DocumentNotFound ErrorKind = "document_not_found"
	// HostError: a command, processor or the host failed.
	HostError ErrorKind = "host_error"
	// RecursionLimit: documents include each other too deeply.
	RecursionLimit ErrorKind = "recursion_limit"
	// ResourceLimit: one of the Limits was exceeded.
	ResourceLimit ErrorKind = "resource_limit"
	// Cancelled: the context was cancelled or its deadline passed.
	Cancelled ErrorKind = "cancelled"
)

// Error is an error in the evaluation of a template, or the first error of
// one that does not parse.
//
// Hosts and callables may return an *Error made with Errorf to choose the
// kind; the evaluator fills in the place. Any other error becomes a
// HostError that wraps it.
type Error struct {
	Kind ErrorKind
	// Span is the place in the source of the template called Template, from
	// the first byte of that template. It is zero for limits.
	Span    Span
	Message string
	Hint    string
	// Template is the name that the template was parsed with.
	Template string
	// Cause is what the host returned, or the error of a nested document,
	// which names its own template and place.
	Cause error

	tmpl *program
}

// Errorf returns an Error of a kind, for hosts and callables. An error
// formatted with %w is its cause.
func Errorf(kind ErrorKind, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Message: err.Error(), Cause: errors.Unwrap(err)}
}

// WithHint sets the hint and returns the error.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// Error returns place, message and hint on one line.
func (e *Error) Error() string { return e.Diagnostic().String() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is reports whether target is an *Error of the same kind without further
// content, so that errors.Is(err, &weaver.Error{Kind: weaver.Cancelled})
// works.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Kind == e.Kind && t.Message == "" && t.Template == "" && t.Span.IsZero() && t.Cause == nil
}

// Innermost returns the error at the bottom of a chain of nested documents:
// the one whose template and place are where things went wrong.
func (e *Error) Innermost() *Error {
	for {
		next := e.nested()
		if next == nil {
			return e
		}
		e = next
	}
}

// nested returns the error of the next template down the chain of causes.
func (e *Error) nested() *Error {
	for cause := e.Cause; ; {
		var next *Error
		if !errors.As(cause, &next) {
			return nil
		}
		if next.tmpl != nil {
			return next
		}
		cause = next.Cause
	}
}

// Diagnostic returns the error as a diagnostic. If the template stands inside
// a file (see At), file, span, line and column are those of the file.
func (e *Error) Diagnostic() diag.Diagnostic {
	d := diag.Diagnostic{
		Severity: diag.Error, Code: string(e.Kind), File: e.Template,
		Message: e.Message, Hint: e.Hint,
	}
	if e.tmpl != nil && !e.Span.IsZero() {
		d.Span, d.Line, d.Column = e.tmpl.place(e.Span)
	}
	if in := e.Innermost(); in != e {
		if pos := in.Diagnostic().Pos(); pos != "" {
			d.Message += " (in " + pos + ")"
		}
		if d.Hint == "" {
			d.Hint = in.Hint
		}
	}
	return d
}

// Detail draws the error with its source line and a caret, and below it the
// same for the nested documents it came through.
func (e *Error) Detail() string {
	out := e.detail()
	for in := e.nested(); in != nil; in = in.nested() {
		out += in.detail()
	}
	return out
}

func (e *Error) detail() string {
	if e.tmpl == nil {
		return e.Error() + "\n"
	}
	return diag.Renderer{}.Render(e.localDiagnostic(), e.tmpl.source())
}

// localDiagnostic is the diagnostic for drawing: the line must be one of the
// template's own source.
func (e *Error) localDiagnostic() diag.Diagnostic {
	d := diag.Diagnostic{Code: string(e.Kind), File: e.Template, Span: e.Span, Message: e.Message, Hint: e.Hint}
	if !e.Span.IsZero() {
		d.Line, d.Column = e.tmpl.source().Position(e.Span.Start)
	}
	return d
}

var _ error = (*Error)(nil)
