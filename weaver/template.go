package weaver

import (
	"context"
	"sync/atomic"

	"github.com/weft-memory/weft/weaver/diag"
)

// Template is a compiled template. It is immutable and may be evaluated by
// any number of goroutines at once.
type Template struct{ p program }

// Expr is a compiled expression, such as the condition of an entry. It is
// immutable and may be evaluated by any number of goroutines at once.
type Expr struct{ p program }

// program is what Parse makes of a source.
type program struct {
	name  string
	src   string
	base  position
	body  []node // of a template
	root  expr   // of an expression
	slots int    // loop bindings alive at once, at most
	// scopes are the scopes of the variables read.
	scopes []string
	// constant is set for a template without constructs.
	constant bool
	err      *Error // set if the source does not parse

	// What only messages and checkers need is worked out when asked for, and
	// may be worked out twice by goroutines that ask at the same time.
	indexed   atomic.Pointer[diag.Source]
	gathered  atomic.Pointer[facts]
	parseOpts []ParseOption
	single    bool // an expression
}

// position is where a source begins inside a file; see At.
type position struct {
	offset       int
	line, column int // of the first byte, from 1; 0 counts as 1
	set          bool
}

// Name returns the name that the template was parsed with.
func (t *Template) Name() string { return t.p.name }

// Source returns the source that the template was parsed from.
func (t *Template) Source() string { return t.p.src }

// Err returns the first error of a template that did not parse. Rendering
// such a template gives the same error.
func (t *Template) Err() error { return t.p.failure() }

// Render evaluates the template. Errors are of type *Error; effects of
// commands that ran before an error stay.
func (t *Template) Render(ctx context.Context, host Host, opts Options) (r Result, err error) {
	if e := t.p.render(ctx, host, &opts, &r); e != nil {
		err = e
	}
	return r, err
}

// Name returns the name that the expression was parsed with.
func (e *Expr) Name() string { return e.p.name }

// Source returns the source that the expression was parsed from.
func (e *Expr) Source() string { return e.p.src }

// Err returns the first error of an expression that did not parse.
func (e *Expr) Err() error { return e.p.failure() }

// Eval evaluates the expression to a value. Errors are of type *Error.
func (e *Expr) Eval(ctx context.Context, host Host, opts Options) (Value, error) {
	v, err := e.p.evaluate(ctx, host, &opts)
	if err != nil {
		return None, err
	}
	return v, nil
}

func (p *program) failure() error {
	if p.err == nil {
		return nil
	}
	return p.err
}

// source returns the indexed source, for drawing.
func (p *program) source() *diag.Source {
	if s := p.indexed.Load(); s != nil {
		return s
	}
	s := diag.NewSource(p.name, p.src)
	p.indexed.Store(s)
	return s
}

// place turns a span of the source into one of the file around it, with line
// and column.
func (p *program) place(sp Span) (file Span, line, column int) {
	line, column = p.source().Position(sp.Start)
	if !p.base.set {
		return sp, line, column
	}
	if line == 1 {
		column += max(p.base.column, 1) - 1
	}
	line += max(p.base.line, 1) - 1
	return Span{Start: sp.Start + p.base.offset, End: sp.End + p.base.offset}, line, column
}

// ParseOption changes how a source is parsed.
type ParseOption func(*parseConfig)

type parseConfig struct {
	base     position
	maxDepth int
	noNames  bool
}

// At says that the source stands inside a larger file: at a byte offset,
// line and column (both from 1). Diagnostics then carry places in that file.
// The spans in an Error stay relative to the source; its Diagnostic is
// translated.
func At(offset, line, column int) ParseOption {
	return func(c *parseConfig) {
		c.base.offset, c.base.line, c.base.column, c.base.set = offset, line, column, true
	}
}

// MaxDepth bounds the nesting of parentheses, literals, calls and blocks.
// Defaults to 200.
func MaxDepth(n int) ParseOption { return func(c *parseConfig) { c.maxDepth = n } }

// NoCharUser makes {{char}} and {{user}} plain bare names. Without it they
// mean char:name and user:name where no loop binds them.
func NoCharUser() ParseOption { return func(c *parseConfig) { c.noNames = true } }

// Parse compiles a template. name is its file name for messages. All errors
// of the source are reported at once, in order. The template is never nil; if
// the list has errors, rendering it fails with the first.
func Parse(name, src string, opts ...ParseOption) (*Template, diag.List) {
	t := new(Template)
	return t, t.p.parse(name, src, false, opts)
}

// ParseExpr compiles a single expression. White space around it is ignored;
// anything else after it is an error. The expression is never nil; if the
// list has errors, evaluating it fails with the first.
func ParseExpr(name, src string, opts ...ParseOption) (*Expr, diag.List) {
	e := new(Expr)
	return e, e.p.parse(name, src, true, opts)
}

// MustParse is Parse for templates in the program's own source: it panics if
// the template does not parse.
func MustParse(name, src string, opts ...ParseOption) *Template {
	t, list := Parse(name, src, opts...)
	if err := list.Err(); err != nil {
		panic(err)
	}
	return t
}

// MustParseExpr is ParseExpr for expressions in the program's own source.
func MustParseExpr(name, src string, opts ...ParseOption) *Expr {
	e, list := ParseExpr(name, src, opts...)
	if err := list.Err(); err != nil {
		panic(err)
	}
	return e
}
