package weaver

import (
	"strings"

	"github.com/weft-memory/weft/weaver/diag"
)

// Format brings the constructs of a template into their usual form: spaces
// around operators, after commas and inside tags, {{scope:name}} without any,
// trailing commas removed, lines inside a construct indented by two spaces a
// level. Text, strings, comments and line breaks stay as they are, so that the
// template renders the same, byte for byte. Formatting again changes nothing.
//
// A source with errors is returned unchanged, with the errors.
func Format(name, src string, opts ...ParseOption) (string, diag.List) {
	return format(name, src, false, opts)
}

// FormatExpr is Format for a single expression.
func FormatExpr(name, src string, opts ...ParseOption) (string, diag.List) {
	return format(name, src, true, opts)
}

func format(name, src string, single bool, opts []ParseOption) (string, diag.List) {
	var p program
	if list := p.parse(name, src, single, opts); list.HasErrors() {
		return src, list
	}
	f := formatter{src: src, single: single}
	q := newParser(name, src, opts)
	q.tokens = &f.tokens
	q.run(single)
	out := f.format()

	// The formatter works on tokens; make sure that it understood them.
	var again program
	if list := again.parse(name, out, single, opts); list.HasErrors() || outline(&p) != outline(&again) {
		return src, nil
	}
	return out, nil
}

// formatter writes the tokens of a source again with other space between
// them.
type formatter struct {
	src    string
	single bool
	tokens []token
	out    strings.Builder

	base      string // indentation of the line that the outermost construct is on
	level     int    // of indentation of a line that would begin here
	lineLevel int    // of the line being written
	open      []construct
	brackets  []levels // open ( [ {
	blocks    []levels // open if and foreach inside literals
}

// construct is one that is open.
type construct struct {
	levels
	tok     token
	compact bool // {{scope:name}}
}

// levels are the level outside something that is open, and that of the line
// it begins on.
type levels struct{ outside, line int }

func (f *formatter) levels() levels { return levels{f.level, f.lineLevel} }

func (f *formatter) text(t token) string { return f.src[t.start:t.end] }

func (f *formatter) format() string {
	pos := 0
	for i, t := range f.tokens {
		gap := f.src[pos:t.start]
		switch {
		case len(f.open) == 0 && !f.single:
			f.out.WriteString(gap) // text
			if t.kind == tokOpen {
				f.beginLine(pos, t.start)
			}
		case i == 0: // leading space of an expression
			f.between(token{kind: tokOpen}, t, i, strings.TrimLeft(gap, " \t\r\n"))
		default:
			if f.trailing(i) {
				pos = t.end
				continue
			}
			f.between(f.previous(i), t, i, gap)
		}
		f.before(t, i)
		f.out.WriteString(f.text(t))
		f.after(t, i)
		pos = t.end
	}
	tail := f.src[pos:]
	if f.single {
		if tail = strings.Trim(tail, " \t\r\n"); tail != "" { // a comment
			tail = " " + tail
		}
	}
	f.out.WriteString(tail)
	return f.out.String()
}

// previous returns the token before token i that was written.
func (f *formatter) previous(i int) token {
	if p := f.tokens[i-1]; p.kind != tokComma || !f.trailing(i-1) {
		return p
	}
	return f.tokens[i-2]
}

// trailing reports whether token i is a comma before a closer on its line.
func (f *formatter) trailing(i int) bool {
	if i+1 >= len(f.tokens) || f.tokens[i].kind != tokComma {
		return false
	}
	switch f.tokens[i+1].kind {
	case tokRParen, tokRBracket, tokRBrace:
		return !strings.ContainsAny(f.src[f.tokens[i-1].end:f.tokens[i+1].start], "\n/")
	}
	return false
}

// before notes a construct that begins.
func (f *formatter) before(t token, i int) {
	if t.kind == tokOpen {
		c := construct{tok: t, levels: f.levels()}
		if f.text(t) == "{{" {
			c.compact = f.isCompact(i)
		}
		f.open = append(f.open, c)
	}
}

// after updates the levels after a token. Whatever opens on a line indents
// the lines inside it by one level from that line, however much opens there.
func (f *formatter) after(t token, i int) {
	switch t.kind {
	case tokOpen:
		f.level = f.lineLevel + 1
	case tokClose:
		c := pop(&f.open)
		f.level = c.outside
		if len(f.open) == 0 || !f.isTag(c.tok) {
			break
		}
		switch f.keyword(i) { // a block inside a literal
		case "if", "foreach":
			f.blocks = append(f.blocks, c.levels)
			f.level = c.line + 1
		case "elif", "else":
			f.level = f.blocks[len(f.blocks)-1].line + 1
		default:
			f.level = pop(&f.blocks).outside
		}
	case tokLParen, tokLCall, tokLBracket, tokLSub, tokLBrace:
		f.brackets = append(f.brackets, f.levels())
		f.level = f.lineLevel + 1
	case tokRParen, tokRBracket, tokRBrace:
		f.level = pop(&f.brackets).outside
	}
}

func pop[T any](s *[]T) T {
	n := len(*s) - 1
	last := (*s)[n]
	*s = (*s)[:n]
	return last
}

// keyword returns the keyword of the tag that token i closes.
func (f *formatter) keyword(i int) string {
	depth := 0
	for ; i >= 0; i-- {
		switch f.tokens[i].kind {
		case tokClose:
			depth++
		case tokOpen:
			if depth--; depth == 0 {
				return f.text(f.tokens[i+1])
			}
		}
	}
	return ""
}

func (f *formatter) isTag(t token) bool { return strings.HasPrefix(f.text(t), "{#") }

// isCompact reports whether the interpolation that token i opens holds a lone
// reference.
func (f *formatter) isCompact(i int) bool {
	first := f.tokens[i+1]
	if first.kind != tokOperand || !isIdentStart(f.src[first.start]) || f.src[first.end-1] == '"' || f.src[first.end-1] == '#' {
		return false
	}
	depth := 0
	for i++; i < len(f.tokens); i++ {
		t := f.tokens[i]
		if strings.ContainsAny(f.src[f.tokens[i-1].end:t.start], "\n/") {
			return false
		}
		switch {
		case depth > 0 && (t.kind == tokRBracket || t.kind == tokClose):
			depth--
		case t.kind == tokLSub, depth > 0 && (t.kind == tokLBracket || t.kind == tokOpen):
			depth++
		case depth > 0 || t.kind == tokOperand || t.kind == tokGlued:
		case t.kind == tokClose:
			return f.text(t) == "}}"
		default:
			return false
		}
	}
	return false
}

// between writes what stands between two tokens of a construct.
func (f *formatter) between(prev, t token, i int, gap string) {
	if !strings.ContainsAny(gap, "\n/") {
		if f.space(prev, t, gap != "") {
			f.out.WriteByte(' ')
		}
		return
	}
	breaks := 0
	for len(gap) > 0 {
		switch {
		case gap[0] == '\n':
			breaks++
			gap = gap[1:]
		case strings.HasPrefix(gap, "//"):
			end := strings.IndexByte(gap, '\n')
			if end < 0 {
				end = len(gap)
			}
			if breaks > 0 {
				f.newline(breaks, f.level)
			} else if f.out.Len() > 0 {
				f.out.WriteByte(' ')
			}
			f.out.WriteString(strings.TrimRight(gap[:end], " \t\r"))
			gap = gap[end:]
			breaks = 0
		default:
			gap = gap[1:]
		}
	}
	f.newline(breaks, f.levelOf(t, i))
}

// newline writes a line break, or two for an empty line in between, and the
// indentation of a level.
func (f *formatter) newline(breaks, level int) {
	if breaks == 0 {
		return
	}
	f.out.WriteString("\n\n"[:min(breaks, 2)])
	f.out.WriteString(f.base)
	for range level {
		f.out.WriteString("  ")
	}
	f.lineLevel = level
}

// levelOf returns the level of a token that begins a line: what closes stands
// below the line that opened it.
func (f *formatter) levelOf(t token, i int) int {
	switch t.kind {
	case tokClose:
		return f.open[len(f.open)-1].line
	case tokRParen, tokRBracket, tokRBrace:
		return f.brackets[len(f.brackets)-1].line
	case tokOpen:
		if n := len(f.blocks); n > 0 && f.isTag(t) && isEndWord(f.text(f.tokens[i+1])) {
			return f.blocks[n-1].line
		}
	}
	return f.level
}

// space reports whether a space stands between two tokens on a line; had says
// that the source has one.
func (f *formatter) space(prev, t token, had bool) bool {
	if f.single && prev.end == 0 {
		return false
	}
	switch t.kind {
	case tokComma, tokColon, tokGlued, tokLSub, tokLCall, tokEq:
		return false
	case tokBinary:
		return true
	}
	switch prev.kind {
	case tokBinary, tokComma, tokColon:
		return true
	case tokUnary: // - 2 is not the literal -2
		return had && isDigit(f.src[t.start]) && f.src[prev.start] == '-'
	case tokEq:
		return false
	case tokKeyword:
		return true
	case tokOpen:
		if c := f.open[len(f.open)-1]; !c.compact {
			s := f.text(prev)
			return strings.HasPrefix(s, "{") || strings.HasPrefix(s, "<") || strings.HasSuffix(s, "-")
		}
		return false
	case tokLBracket:
		return f.src[t.start] == '[' && had
	case tokLBrace:
		return t.kind == tokOpen
	case tokLParen, tokLCall, tokLSub:
		return f.src[t.start] == '[' && prev.kind == tokLSub && had
	}
	switch t.kind {
	case tokClose:
		c := f.open[len(f.open)-1]
		s := f.text(t)
		return !c.compact && (strings.HasSuffix(s, "}") || strings.HasPrefix(s, "-"))
	case tokRParen:
		return false
	case tokRBracket:
		return had && prev.kind == tokRBracket
	case tokRBrace:
		return prev.kind == tokClose && f.src[prev.end-1] == '}'
	case tokOpen:
		if prev.kind == tokClose && f.isTag(t) {
			return had
		}
	}
	return true
}

// beginLine notes the indentation of the line on which an outermost construct
// begins at an offset; the one before it ended at another. A line that begins
// inside a construct counts as part of the line that this one began on.
func (f *formatter) beginLine(ended, at int) {
	f.level, f.lineLevel = 0, 0
	start := strings.LastIndexByte(f.src[:at], '\n') + 1
	if start < ended {
		return
	}
	line := f.src[start:at]
	f.base = line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}
