package match

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

// CompileRE2 compiles a pattern of the weaver dialect: the linear-time syntax
// of RE2 and of Rust's regex crate, with \w \d \s and \b in their Unicode
// meaning. Searching is unanchored and minds case unless the pattern says (?i).
//
// It runs in package regexp, in time linear in the text; only a pattern with
// \b or \B, which that package knows for ASCII alone, runs in the backtracking
// engine within the limits of opts. Lookaround, back-references and whatever
// else the syntax lacks is refused with a *RegexError, which says where and
// what to do.
func CompileRE2(pattern string, opts RegexOptions) (*Regex, error) {
	opts = opts.withDefaults()
	if len(pattern) > opts.MaxPattern {
		return nil, &RegexError{
			Pattern: pattern, Pos: -1, Hint: "split it into several patterns",
			Msg: fmt.Sprintf("the pattern has %d bytes, %d are allowed", len(pattern), opts.MaxPattern),
		}
	}
	t := re2Translator{src: pattern}
	if err := t.translate(); err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(t.out.String(), syntax.Perl)
	if err != nil {
		return nil, t.explain(err)
	}
	r := &Regex{pattern: pattern, opts: opts, literals: requiredLiterals(tree)}
	if !hasBoundary(tree) {
		if r.linear, err = regexp.Compile(t.out.String()); err != nil {
			return nil, t.explain(err)
		}
		return r, nil
	}
	var b strings.Builder
	writeRegexp2(&b, tree)
	if r.back, err = compileBacktracking(b.String(), regexp2.None, opts); err != nil {
		return nil, &RegexError{Pattern: pattern, Pos: -1, Msg: "it cannot be compiled: " + err.Error()}
	}
	return r, nil
}

func hasBoundary(re *syntax.Regexp) bool {
	if re.Op == syntax.OpWordBoundary || re.Op == syntax.OpNoWordBoundary {
		return true
	}
	for _, sub := range re.Sub {
		if hasBoundary(sub) {
			return true
		}
	}
	return false
}

// re2Translator rewrites a pattern for package regexp: Unicode classes, and
// the spellings of Rust that Go does not have. What neither can do it refuses
// with a reason.
type re2Translator struct {
	src     string
	pos     int
	out     strings.Builder
	classes int // Unicode classes written so far
}

// Unicode classes are costly to compile, so a pattern may have only so many,
// and not more bytes than that once they are spelled out.
const (
	maxClasses    = 200
	maxTranslated = 256 << 10
)

// openCount matches before the } of a repetition.
var openCount = regexp.MustCompile(`\{\d+(,\d*)?$`)

const jsHint = "write it as a JavaScript expression, /pattern/flags, which can"

func (t *re2Translator) refuse(start, end int, msg, hint string) error {
	end = min(end, len(t.src))
	return &RegexError{Pattern: t.src, Pos: start, Construct: t.src[start:end], Msg: fmt.Sprintf(msg, t.src[start:end]), Hint: hint}
}

func (t *re2Translator) at(s string) bool { return strings.HasPrefix(t.src[t.pos:], s) }

// translate also tells the constructs that package regexp refuses with a
// message that does not help.
func (t *re2Translator) translate() error {
	if !utf8.ValidString(t.src) {
		return &RegexError{Pattern: t.src, Pos: -1, Msg: "the pattern is not UTF-8"}
	}
	for t.pos < len(t.src) {
		start := t.pos
		switch c := t.src[t.pos]; {
		case t.at("(?"):
			if err := t.group(); err != nil {
				return err
			}
		case c == '[':
			if err := t.class(); err != nil {
				return err
			}
		case c == '\\':
			if err := t.escape(false); err != nil {
				return err
			}
		case (c == '+' || c == '*' || c == '?' || c == '}') && strings.HasPrefix(t.src[t.pos+1:], "+"):
			if c == '}' && !openCount.MatchString(t.src[:t.pos]) {
				t.pos++
				t.out.WriteByte(c)
				continue
			}
			return t.refuse(start, start+2, "possessive repetition (%s) is not supported", "write it without the second +: this engine never backtracks")
		default:
			t.pos++
			t.out.WriteByte(c)
		}
	}
	return nil
}

// group copies the opening of a group that begins with (?.
func (t *re2Translator) group() error {
	start := t.pos
	for _, g := range []struct{ open, msg, hint string }{
		{"(?=", "lookahead %s…) is not supported", jsHint},
		{"(?!", "lookahead %s…) is not supported", jsHint},
		{"(?<=", "lookbehind %s…) is not supported", jsHint},
		{"(?<!", "lookbehind %s…) is not supported", jsHint},
		{"(?>", "the atomic group %s…) is not supported", "write (?:…): this engine never backtracks"},
		{"(?#", "the comment %s…) is not supported", "leave it out"},
		{"(?(", "the conditional %s…) is not supported", "write the alternatives out"},
		{"(?|", "the branch reset %s…) is not supported", "write (?:…)"},
		{"(?&", "recursion (%s) is not supported", ""},
		{"(?R", "%s is not supported", ""},
		{"(?'", "a group name in quotes (%s) is not supported", "write (?P<name>…)"},
		{"(?P=", "back-reference %s…) is not supported", jsHint},
		{"(?P>", "recursion %s…) is not supported", ""},
	} {
		if t.at(g.open) {
			return t.refuse(start, start+len(g.open), g.msg, g.hint)
		}
	}
	t.pos += 2
	if t.at("<") || t.at("P<") {
		t.out.WriteString("(?")
		return nil // a name, which holds nothing to translate
	}
	// Flags, on and off. u is what we do anyway; x and R have no equal.
	var flags [2][]byte
	which, empty := 0, true
	for ; t.pos < len(t.src); t.pos++ {
		switch c := t.src[t.pos]; c {
		case ':', ')':
			t.pos++
			on, off := string(flags[0]), string(flags[1])
			if off != "" || which == 1 && empty {
				off = "-" + off
			}
			if on+off != "" || c == ':' || empty {
				t.out.WriteString("(?" + on + off + string(c))
			}
			return nil
		case '-':
			which++
			if which > 1 {
				return t.refuse(start, t.pos+1, "the flags in %s are not valid", "write them as (?i-s)")
			}
		case 'u':
			if which == 1 {
				return t.refuse(start, t.pos+1, "switching Unicode off (%s) is not supported", "write ASCII classes out, such as [a-z]")
			}
			empty = false
		case 'x', 'R':
			return t.refuse(start, t.pos+1, "the flag in %s is not supported", "write the pattern without spaces and comments")
		default:
			flags[which] = append(flags[which], c)
			empty = false
		}
	}
	t.out.WriteString(t.src[start:])
	return nil
}

// Bodies of the Unicode classes, for use inside of brackets. They end with a
// range, so that a hyphen behind them stands for itself.
const (
	spaceClassBody = ` \x{85}\x{A0}\x{1680}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{2000}-\x{200A}\t-\r`
	notSpaceBody   = `\x00-\x08\x0E-\x1F!-\x{84}\x{86}-\x{9F}\x{A1}-\x{167F}\x{1681}-\x{1FFF}\x{200B}-\x{2027}` +
		`\x{202A}-\x{202E}\x{2030}-\x{205E}\x{2060}-\x{2FFF}\x{3001}-\x{10FFFF}`
)

// escape translates an escape, of a class if class is set.
func (t *re2Translator) escape(class bool) error {
	start := t.pos
	t.pos++
	if t.pos >= len(t.src) {
		return t.refuse(start, start+1, "the pattern ends with a %s", `write \\ for the character itself`)
	}
	c := t.src[t.pos]
	t.pos++
	// Outside of a class \w is spared the cases of all its letters, which it
	// holds anyway.
	if strings.IndexByte("wWdDsSpP", c) >= 0 {
		t.classes++
	}
	if t.classes > maxClasses || t.out.Len() > maxTranslated {
		return t.refuse(start, t.pos, "the pattern has too many Unicode classes, this %s is one more", "use smaller patterns, or ASCII classes such as [a-z]")
	}
	body := func(in, out string) {
		if class {
			t.out.WriteString(in)
		} else {
			t.out.WriteString(out)
		}
	}
	switch c {
	case 'w':
		body(wordClassBody, `(?-i:`+wordClass+`)`)
	case 'W':
		body(notWordBody(), `(?-i:[^`+wordClassBody+`])`)
	case 'd':
		t.out.WriteString(`\p{Nd}`)
	case 'D':
		t.out.WriteString(`\P{Nd}`)
	case 's':
		body(spaceClassBody, `[`+spaceClassBody+`]`)
	case 'S':
		body(notSpaceBody, `[^`+spaceClassBody+`]`)
	case 'b', 'B':
		if t.at("{") {
			return t.refuse(start, t.pos+1, "the special word border %s…} is not supported", `write \b`)
		}
		if class {
			return t.refuse(start, t.pos, "%s cannot stand in a class", "")
		}
		t.out.WriteString(t.src[start:t.pos])
	case 'Q':
		// Text up to \E. Rust has no such thing, Go has.
		end := strings.Index(t.src[t.pos:], `\E`)
		text := t.src[t.pos:]
		if t.pos = len(t.src); end >= 0 {
			text = text[:end]
			t.pos = start + 2 + end + 2
		}
		t.out.WriteString(regexp.QuoteMeta(text))
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return t.refuse(start, t.pos, "back-reference %s is not supported", jsHint)
	case 'k', 'g':
		return t.refuse(start, t.pos, "back-reference %s is not supported", jsHint)
	case 'G', 'K', 'Z', 'X', 'R', 'N', 'H', 'h', 'V', 'C':
		hint := ""
		if c == 'Z' {
			hint = `write \z`
		}
		return t.refuse(start, t.pos, "%s is not supported", hint)
	case '<', '>':
		return t.refuse(start, t.pos, "the word border %s is not supported", `write \b`)
	case 'u', 'U':
		return t.codePoint(start, c)
	case 'p', 'P':
		return t.property(start, c == 'P', class)
	default:
		if c < utf8.RuneSelf && !isWordASCII(rune(c)) {
			t.out.WriteString(`\` + string(c))
			return nil
		}
		t.out.WriteString(t.src[start:t.pos])
	}
	return nil
}

// codePoint translates \u1234, \U00012345 and \u{1234}.
func (t *re2Translator) codePoint(start int, c byte) error {
	digits := map[byte]int{'u': 4, 'U': 8}[c]
	var hex string
	if t.at("{") {
		end := strings.IndexByte(t.src[t.pos:], '}')
		if end < 0 {
			return t.refuse(start, t.pos+1, "%s is not closed", "")
		}
		hex = t.src[t.pos+1 : t.pos+end]
		t.pos += end + 1
	} else {
		end := min(t.pos+digits, len(t.src))
		hex = t.src[t.pos:end]
		if t.pos = end; len(hex) != digits {
			hex = ""
		}
	}
	v, err := strconv.ParseUint(hex, 16, 32)
	if err != nil || v > unicode.MaxRune || !utf8.ValidRune(rune(v)) {
		return t.refuse(start, t.pos, "%s is no character", `\u needs four hexadecimal digits, \U eight, or either any number in braces`)
	}
	fmt.Fprintf(&t.out, `\x{%X}`, v)
	return nil
}

// property translates \pL and \p{…}, adding the properties that package
// regexp does not know.
func (t *re2Translator) property(start int, not, class bool) error {
	name := ""
	switch {
	case t.at("{"):
		end := strings.IndexByte(t.src[t.pos:], '}')
		if end < 0 {
			return t.refuse(start, t.pos+1, "%s is not closed", "")
		}
		name = t.src[t.pos+1 : t.pos+end]
		t.pos += end + 1
	case t.pos < len(t.src):
		_, size := utf8.DecodeRuneInString(t.src[t.pos:])
		name = t.src[t.pos : t.pos+size]
		t.pos += size
	}
	if strings.HasPrefix(name, "^") {
		not, name = !not, name[1:]
	}
	for _, prefix := range []string{"script=", "sc=", "general_category=", "gc=", "script_extensions=", "scx="} {
		if len(name) > len(prefix) && strings.EqualFold(name[:len(prefix)], prefix) {
			name = name[len(prefix):]
		}
	}
	if nativeProperty(name) {
		if not {
			t.out.WriteString(`\P{` + name + `}`)
		} else {
			t.out.WriteString(`\p{` + name + `}`)
		}
		return nil
	}
	tables, ok := propertyTables(name)
	if !ok {
		return t.refuse(start, t.pos, "there is no character property %s", `for instance \p{L}, \p{Greek} or \p{Alphabetic}`)
	}
	ranges := tableRanges(tables)
	if not {
		ranges = complement(ranges)
	}
	if !class {
		t.out.WriteByte('[')
	}
	for _, r := range ranges {
		fmt.Fprintf(&t.out, `\x{%X}-\x{%X}`, r.lo, r.hi)
	}
	if !class {
		t.out.WriteByte(']')
	}
	return nil
}

// class copies [...], translating what is inside.
func (t *re2Translator) class() error {
	start := t.pos
	t.pos++
	t.out.WriteByte('[')
	if t.at("^") {
		t.pos++
		t.out.WriteByte('^')
	}
	for first := true; ; first = false {
		if t.pos >= len(t.src) {
			return t.refuse(start, start+1, "the class %s is not closed", `write \[ for the character itself`)
		}
		switch c := t.src[t.pos]; {
		case c == ']' && !first:
			t.pos++
			t.out.WriteByte(']')
			return nil
		case t.at("[:"):
			end := strings.Index(t.src[t.pos:], ":]")
			if end < 0 {
				return t.refuse(t.pos, t.pos+2, "the class %s is not closed", `write \[ for the character itself`)
			}
			t.out.WriteString(t.src[t.pos : t.pos+end+2])
			t.pos += end + 2
		case c == '[':
			return t.refuse(t.pos, t.pos+1, "a class inside of a class (%s) is not supported", `write \[ for the character itself, or join the classes`)
		case t.at("&&"), t.at("--") && !first, t.at("~~"):
			return t.refuse(t.pos, t.pos+2, "set operations in a class (%s) are not supported", "write the resulting class out")
		case c == '\\':
			if err := t.escape(true); err != nil {
				return err
			}
		case c == ']':
			t.pos++
			t.out.WriteString(`\]`)
		default:
			t.pos++
			t.out.WriteByte(c)
		}
	}
}

// explain turns an error of package regexp/syntax into ours.
func (t *re2Translator) explain(err error) error {
	e := &RegexError{Pattern: t.src, Pos: -1, Msg: err.Error()}
	var se *syntax.Error
	if !errors.As(err, &se) {
		return e
	}
	e.Msg, e.Construct = string(se.Code), se.Expr
	if i := strings.Index(t.src, se.Expr); se.Expr != "" && i >= 0 {
		e.Pos = i
	}
	switch se.Code {
	case syntax.ErrMissingParen:
		e.Msg, e.Hint = "a ( is not closed", `write \( for the character itself`
		e.Pos = unclosed(t.src)
	case syntax.ErrUnexpectedParen:
		e.Msg, e.Hint = "there is a ) without its (", `write \) for the character itself`
		e.Pos = -1
	case syntax.ErrMissingRepeatArgument:
		e.Msg, e.Hint = fmt.Sprintf("there is nothing for %s to repeat", se.Expr), "write a backslash before it for the character itself"
	case syntax.ErrInvalidRepeatOp:
		e.Msg, e.Hint = fmt.Sprintf("two repetitions (%s) follow each other", se.Expr), "put the first into a group"
	case syntax.ErrInvalidRepeatSize:
		e.Msg, e.Hint = fmt.Sprintf("the repetition %s is not valid", se.Expr), "counts go up to 1000, also multiplied, the smaller first"
	case syntax.ErrInvalidCharRange:
		e.Msg = fmt.Sprintf("the range %s is not valid: its ends are out of order, or it is no class", se.Expr)
	case syntax.ErrInvalidEscape:
		e.Msg = fmt.Sprintf("the escape %s is unknown", se.Expr)
	case syntax.ErrInvalidNamedCapture:
		e.Msg = fmt.Sprintf("the group name in %s is not valid, or given twice", se.Expr)
	case syntax.ErrInvalidPerlOp:
		e.Msg = fmt.Sprintf("the group %s…) is not supported", se.Expr)
	case syntax.ErrNestingDepth, syntax.ErrLarge:
		e.Msg, e.Hint, e.Construct = "the expression is too large", "use smaller repetitions", ""
	}
	return e
}

// unclosed returns the offset of the last ( that is not closed, or -1.
func unclosed(s string) int {
	var open []int
	class := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			open = append(open, i)
		case c == ')' && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	if len(open) == 0 {
		return -1
	}
	return open[len(open)-1]
}
