package weaver

import (
	"fmt"
	"strings"

	"github.com/weft-memory/weft/weaver/diag"
)

// parser is a recursive-descent parser over the bytes of a source. It reports
// every error it finds: after one it skips to the end of the construct and
// goes on. There is no backtracking beyond one name, so it takes linear time.
type parser struct {
	name string
	src  string
	pos  int
	cfg  parseConfig

	list  diag.List
	found int  // errors so far
	fatal bool // nothing more is to be read

	depth  int
	loops  []string // names bound by the loops around, by slot
	inLoop int      // loops around whose body is text
	slots  int      // most loops at once
	scopes []string // scopes mentioned
	blocks []string // end tags that the blocks around wait for

	facts  *facts   // gathers what is mentioned, if not nil
	tokens *[]token // logs the tokens of constructs, if not nil
}

const (
	defaultMaxDepth = 200
	maxParseErrors  = 100
	maxSource       = 1 << 30
)

func newParser(name, src string, opts []ParseOption) *parser {
	p := &parser{name: name, src: src, cfg: parseConfig{maxDepth: defaultMaxDepth}}
	for _, o := range opts {
		o(&p.cfg)
	}
	if p.cfg.maxDepth <= 0 {
		p.cfg.maxDepth = defaultMaxDepth
	}
	return p
}

// parse fills the program from its source.
func (p *program) parse(name, src string, single bool, opts []ParseOption) diag.List {
	p.name, p.src, p.single, p.parseOpts = name, src, single, opts
	q := newParser(name, src, opts)
	p.base = q.cfg.base
	p.body, p.root = q.run(single)
	p.slots, p.scopes = q.slots, q.scopes
	p.constant = len(p.body) == 0 || len(p.body) == 1 && p.body[0].kind == nodeText
	for i := range q.list {
		d := &q.list[i]
		if p.err == nil && d.Severity == diag.Error {
			p.err = &Error{
				Kind: ParseError, Span: d.Span, Message: d.Message, Hint: d.Hint,
				Template: name, tmpl: p,
			}
		}
		d.Span, d.Line, d.Column = p.place(d.Span)
	}
	if p.err != nil {
		p.body, p.root = nil, nil
	}
	return q.list
}

// run reads the whole source.
func (p *parser) run(single bool) ([]node, expr) {
	if len(p.src) > maxSource {
		p.errorAt("source-too-large", Span{}, "the source is larger than %d bytes", maxSource)
		return nil, nil
	}
	if single {
		return nil, p.wholeExpr()
	}
	var raw rawBody
	for {
		raw.nodes = append(raw.nodes, p.body().nodes...)
		if p.atEnd() {
			break
		}
		p.strayTag()
	}
	return raw.finish(false), nil
}

// wholeExpr reads a source that is one expression.
func (p *parser) wholeExpr() expr {
	p.skipSpace()
	if p.atEnd() {
		p.errorAt("expected-expression", between(0, len(p.src)), "expected an expression, found nothing")
		return nil
	}
	e := p.expression()
	if e == nil {
		return nil
	}
	p.skipSpace()
	if !p.atEnd() {
		p.unexpected("an operator or the end")
	}
	return e
}

// between is the span from start to end.
func between(start, end int) Span { return Span{Start: start, End: end} }

// atEnd reports whether there is nothing more to read.
func (p *parser) atEnd() bool { return p.fatal || p.pos >= len(p.src) }

// peek returns the byte at an offset from the position, 0 past the end.
func (p *parser) peek(n int) byte {
	if i := p.pos + n; i < len(p.src) {
		return p.src[i]
	}
	return 0
}

func (p *parser) at(s string) bool { return strings.HasPrefix(p.src[p.pos:], s) }

// Reporting.

func (p *parser) errorAt(code string, sp Span, format string, args ...any) *diag.Diagnostic {
	return p.report(diag.Error, code, sp, fmt.Sprintf(format, args...))
}

func (p *parser) warnAt(code string, sp Span, format string, args ...any) *diag.Diagnostic {
	return p.report(diag.Warning, code, sp, fmt.Sprintf(format, args...))
}

// report adds a finding. The result stays valid until the next one, for a
// hint to be added.
func (p *parser) report(sev diag.Severity, code string, sp Span, message string) *diag.Diagnostic {
	if p.fatal {
		return new(diag.Diagnostic)
	}
	sp.End = max(sp.Start, min(sp.End, len(p.src)))
	p.list = append(p.list, diag.Diagnostic{Severity: sev, Code: code, File: p.name, Span: sp, Message: message})
	if sev == diag.Error {
		p.found++
	}
	if p.found == maxParseErrors-1 { // the last place is for this

		p.list = append(p.list, diag.Diagnostic{
			Severity: diag.Error, Code: "too-many-errors", File: p.name, Span: sp,
			Message: fmt.Sprintf("%d errors already; the rest of the source was not read", p.found),
		})
		p.halt()
		return new(diag.Diagnostic)
	}
	return &p.list[len(p.list)-1]
}

// halt gives up on the rest of the source.
func (p *parser) halt() {
	p.fatal = true
	p.pos = len(p.src)
}

// enter counts one level of nesting; it reports false if that is too deep.
func (p *parser) enter() bool {
	p.depth++
	if p.depth <= p.cfg.maxDepth {
		return true
	}
	p.errorAt("nested-too-deep", between(p.pos, p.pos+1), "nested more than %d deep", p.cfg.maxDepth)
	p.halt()
	return false
}

func (p *parser) leave() { p.depth-- }

// unexpected reports that something else was expected at the position, and
// guesses at common slips.
func (p *parser) unexpected(want string) {
	if p.fatal {
		return
	}
	if p.atEnd() {
		p.errorAt("unexpected-end", between(p.pos, p.pos), "expected %s, but the source ends here", want)
		return
	}
	sp := p.nextSpan()
	word := p.src[sp.Start:sp.End]
	code, hint := "unexpected", ""
	switch {
	case word == "=":
		hint = "compare with =="
	case word == "&", word == "|":
		hint = "write " + word + word
	case word == "and":
		hint = "write &&"
	case word == "or":
		hint = "write ||"
	case strings.HasSuffix(strings.TrimRight(p.src[:p.pos], " "), " not"):
		hint = "write ! for not"
	case word == "is":
		hint = "compare with =="
	case word == "?":
		hint = "there is no ?: here; use {# if #} … {# else #} … {# endif #}"
	case word == "'" || word == "“" || word == "”" || word == "‘" || word == "’":
		hint = `strings stand in "straight quotes"`
	case word == "++" || word == "--":
		hint = `count with $[inc_var("scope:name", 1)]`
	case word == ":":
		hint = "a reference is scope:name, without spaces"
	case word == "#}" || word == "}}" || word == "]" || word == "]]" || word == ")" || word == "}" || word == ">":
		code = "unexpected-close"
	}
	p.errorAt(code, sp, "expected %s, found %s", want, quoteSource(word)).Hint = hint
}

// nextSpan returns the span of the next word or sign, for a message.
func (p *parser) nextSpan() Span {
	rest := p.src[p.pos:]
	for _, s := range [...]string{"{{", "}}", "{#", "#}", "[[", "]]", "$[", "@[", "==", "&&", "||", "!=", "<=", ">=", "++", "--"} {
		if strings.HasPrefix(rest, s) {
			return between(p.pos, p.pos+len(s))
		}
	}
	n := 0
	for n < len(rest) && isIdentByte(rest[n]) {
		n++
	}
	if n == 0 {
		n = 1
		for n < len(rest) && rest[n]&0xC0 == 0x80 {
			n++
		}
	}
	return between(p.pos, p.pos+n)
}

// quoteSource quotes a piece of source for a message.
func quoteSource(s string) string {
	switch s {
	case "\n":
		return "a line break"
	case "`":
		return "a backquote"
	}
	return "`" + shorten(s) + "`"
}

// skipSpace skips white space and comments; it reports whether a line break
// was among them.
func (p *parser) skipSpace() (newline bool) {
	for p.pos < len(p.src) {
		switch c := p.src[p.pos]; {
		case c == '\n':
			newline = true
			p.pos++
		case c == ' ' || c == '\t' || c == '\r':
			p.pos++
		case c == '/' && p.peek(1) == '/':
			p.skipComment()
		default:
			return newline
		}
	}
	return newline
}

// skipComment skips a comment up to its line break.
func (p *parser) skipComment() {
	if i := strings.IndexByte(p.src[p.pos:], '\n'); i >= 0 {
		p.pos += i
	} else {
		p.pos = len(p.src)
	}
}

// skipInline skips spaces within the line.
func (p *parser) skipInline() {
	for p.pos < len(p.src) && (p.src[p.pos] == ' ' || p.src[p.pos] == '\t' || p.src[p.pos] == '\r') {
		p.pos++
	}
}

// ident reads a name, "" if there is none.
func (p *parser) ident() string {
	start := p.pos
	if p.atEnd() || !isIdentStart(p.src[start]) {
		return ""
	}
	i := start + 1
	for i < len(p.src) && isIdentByte(p.src[i]) {
		i++
	}
	p.pos = i
	return p.src[start:i]
}

// recoverTo skips the rest of a broken construct: past its closer, or to the
// next opener if that comes first.
func (p *parser) recoverTo(closer string) {
	for p.pos < len(p.src) {
		rest := p.src[p.pos:]
		if strings.HasPrefix(rest, closer) {
			p.pos += len(closer)
			return
		}
		if strings.HasPrefix(rest, "{{") || strings.HasPrefix(rest, "{#") || strings.HasPrefix(rest, "$[") || strings.HasPrefix(rest, "@[") {
			return
		}
		p.pos++
	}
}
