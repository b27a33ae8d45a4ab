package match

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// jsPattern reads a JavaScript expression by the grammar of ECMAScript 2018
// with its annex B (what browsers accept without the flag u), refuses what
// that grammar refuses, and writes it down twice:
//
//   - out, in the small part of the language that package regexp2 and
//     JavaScript understand alike: groups are numbered, characters and classes
//     are spelled out with all their cases;
//   - loose, for package regexp/syntax: an expression that matches wherever
//     the first does, and more, from which the prefilter is derived.
type jsPattern struct {
	src     []rune // code points with the flag u, else UTF-16 units
	pos     int
	unicode bool // flag u
	ignore  bool // flag i
	multi   bool // flag m
	dotAll  bool // flag s

	out, loose []byte
	groups     int // capturing groups in the whole pattern
	names      map[string]int
	named      bool
	opened     int
	depth      int
	closed     map[string][]jsRange // classes with their other cases added
}

// jsError is a failure at an offset of jsPattern.src.
type jsError struct {
	pos int
	msg string
}

func (p *jsPattern) fail(pos int, format string, args ...any) {
	panic(jsError{pos, fmt.Sprintf(format, args...)})
}

// parseJS reads a pattern. The error is a *RegexError.
func parseJS(pattern, flags string) (p *jsPattern, err error) {
	p = &jsPattern{
		unicode: strings.Contains(flags, "u"), ignore: strings.Contains(flags, "i"),
		multi: strings.Contains(flags, "m"), dotAll: strings.Contains(flags, "s"),
		names: map[string]int{},
	}
	p.src = []rune(pattern)
	if !p.unicode {
		p.src = utf16Units(pattern)
	}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case jsError:
			err = &RegexError{Pattern: pattern, Pos: p.byteOffset(e.pos), Msg: e.msg}
		default:
			panic(e)
		}
	}()
	p.countGroups()
	p.disjunction()
	if p.pos < len(p.src) {
		p.fail(p.pos, "there is a ) without its (")
	}
	return p, nil
}

// utf16Units returns the UTF-16 code units of s, each as a rune.
func utf16Units(s string) []rune {
	return appendUnits(nil, s, func(r rune) rune { return r })
}

// standIn is what a half of a pair is replaced by in patterns and texts for
// regexp2, which cannot search for surrogates. The stand-ins are private
// characters beyond U+FFFF, of which none is left in a text of units.
func standIn(r rune) rune {
	return r - 0xd800 + 0x10f800
}

// splitSurrogates takes the surrogates out of ranges; with replace set their
// stand-ins come in.
func splitSurrogates(ranges []jsRange, replace bool) []jsRange {
	out := make([]jsRange, 0, len(ranges))
	for _, r := range ranges {
		if r.lo > 0xdfff || r.hi < 0xd800 {
			out = append(out, r)
			continue
		}
		if r.lo < 0xd800 {
			out = append(out, jsRange{r.lo, 0xd7ff})
		}
		if replace {
			out = append(out, jsRange{standIn(max(r.lo, 0xd800)), standIn(min(r.hi, 0xdfff))})
		}
		if r.hi > 0xdfff {
			out = append(out, jsRange{0xe000, r.hi})
		}
	}
	return out
}

func appendUnits(units []rune, s string, surrogate func(rune) rune) []rune {
	units = slices.Grow(units, len(s))
	for _, r := range s {
		if r > 0xffff {
			hi, lo := utf16.EncodeRune(r)
			units = append(units, surrogate(hi), surrogate(lo))
		} else {
			units = append(units, r)
		}
	}
	return units
}

func (p *jsPattern) byteOffset(pos int) int {
	n := 0
	for i := 0; i < pos && i < len(p.src); i++ {
		switch r := p.src[i]; {
		case utf16.IsSurrogate(r):
			n += 2 // a pair is four bytes
		default:
			n += utf8.RuneLen(r)
		}
	}
	return n
}

// countGroups looks ahead, since \2 means a group or a number depending on
// how many groups there are, and \k a name only if any group has one.
func (p *jsPattern) countGroups() {
	class := false
	for i := 0; i < len(p.src); i++ {
		switch p.src[i] {
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '(':
			if class {
				continue
			}
			if i+1 < len(p.src) && p.src[i+1] == '?' {
				if i+3 >= len(p.src) || p.src[i+2] != '<' || p.src[i+3] == '=' || p.src[i+3] == '!' {
					continue
				}
				p.named = true
				p.groups++
				end := i + 3
				name, ok := p.groupName(&end)
				if !ok {
					p.fail(i, "the name of the group is not valid")
				}
				if _, twice := p.names[name]; twice {
					p.fail(i, "two groups have the name %q", name)
				}
				p.names[name] = p.groups
				i = end - 1
				continue
			}
			p.groups++
		}
	}
}

// groupName reads a name and its > at *pos.
func (p *jsPattern) groupName(pos *int) (string, bool) {
	var name []rune
	for *pos < len(p.src) {
		r := p.src[*pos]
		*pos++
		if r == '>' {
			return string(name), len(name) > 0
		}
		if r == '\\' {
			save := p.pos
			p.pos = *pos
			if p.peek() != 'u' {
				p.pos = save
				return "", false
			}
			p.pos++
			c, ok := p.unicodeEscape(true)
			*pos = p.pos
			p.pos = save
			if !ok {
				return "", false
			}
			r = c
		} else if utf16.IsSurrogate(r) && *pos < len(p.src) {
			r = utf16.DecodeRune(r, p.src[*pos])
			*pos++
		}
		start := unicode.IsLetter(r) || r == '$' || r == '_' || unicode.In(r, unicode.Nl, unicode.Other_ID_Start)
		part := start || unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue) || r == 0x200c || r == 0x200d
		if !start && (len(name) == 0 || !part) {
			return "", false
		}
		name = append(name, r)
	}
	return "", false
}

func (p *jsPattern) peek() rune {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return -1
}

func (p *jsPattern) at(s string) bool {
	for i, r := range s { // ASCII
		if p.pos+i >= len(p.src) || p.src[p.pos+i] != r {
			return false
		}
	}
	return true
}

func (p *jsPattern) write(out, loose string) {
	p.out = append(p.out, out...)
	p.loose = append(p.loose, loose...)
}

// jsMaxDepth bounds the nesting of groups.
const jsMaxDepth = 100

func (p *jsPattern) disjunction() {
	if p.depth++; p.depth > jsMaxDepth {
		p.fail(p.pos, "groups are nested more than %d deep", jsMaxDepth)
	}
	for {
		for p.pos < len(p.src) && p.peek() != '|' && p.peek() != ')' {
			p.term()
		}
		if p.peek() != '|' {
			break
		}
		p.pos++
		p.write("|", "|")
	}
	p.depth--
}

// term reads an assertion, or an atom with its quantifier.
func (p *jsPattern) term() {
	start, looseStart := p.pos, len(p.loose)
	quantifiable := true
	switch r := p.peek(); r {
	case '^':
		p.pos++
		quantifiable = false
		if p.multi {
			p.write(`(?<=^|[`+jsLineEnds+`])`, "")
		} else {
			p.write("^", "")
		}
	case '$':
		p.pos++
		quantifiable = false
		if p.multi {
			p.write(`(?=$|[`+jsLineEnds+`])`, "")
		} else {
			p.write("$", "")
		}
	case '(':
		quantifiable = p.group()
	case '*', '+', '?':
		p.fail(p.pos, "there is nothing for %c to repeat", r)
	case '{':
		if p.unicode {
			p.fail(p.pos, "a { has to be written \\{ with the flag u")
		}
		save := p.pos
		if _, _, ok := p.braces(); ok {
			p.fail(save, "there is nothing for {} to repeat")
		}
		p.pos++
		p.char('{')
	case ']', '}':
		if p.unicode {
			p.fail(p.pos, "a %c has to be written \\%c with the flag u", r, r)
		}
		p.pos++
		p.char(r)
	case '.':
		p.pos++
		if p.dotAll {
			p.write(`[\s\S]`, `(?s:.)`)
		} else {
			p.write(`[^`+jsLineEnds+`]`, `(?s:.)`)
		}
	case '[':
		p.class()
	case '\\':
		quantifiable = p.escape()
	default:
		p.pos++
		p.char(r)
	}
	p.quantifier(start, looseStart, quantifiable)
}

const jsLineEnds = `\n\r\u2028\u2029`

func (p *jsPattern) quantifier(start, looseStart int, quantifiable bool) {
	q := p.pos
	lo, hi := 0, -1
	switch p.peek() {
	case '*':
		p.pos++
	case '+':
		lo = 1
		p.pos++
	case '?':
		hi = 1
		p.pos++
	case '{':
		var ok bool
		if lo, hi, ok = p.braces(); !ok {
			return // refused, or taken for text, by the next term
		}
	default:
		return
	}
	if !quantifiable {
		p.fail(start, "%q cannot be repeated", string(p.src[start:q]))
	}
	p.out = append(p.out, byte(p.src[q]))
	if p.src[q] == '{' {
		p.out = strconv.AppendInt(p.out, int64(lo), 10)
		if hi != lo {
			p.out = append(p.out, ',')
			if hi >= 0 {
				p.out = strconv.AppendInt(p.out, int64(hi), 10)
			}
		}
		p.out = append(p.out, '}')
	}
	if p.peek() == '?' {
		p.pos++
		p.out = append(p.out, '?')
	}
	// Package regexp/syntax bounds counts and what they multiply to.
	if lo == 0 {
		p.loose = p.loose[:looseStart]
	}
	p.loose = append(p.loose, anything...)
}

// anything matches any text, in the syntax of package regexp.
const anything = `(?s:.*)`

// jsMaxCount is the largest count handed on: no text is longer.
const jsMaxCount = 1<<31 - 2

// braces reads {n}, {n,} or {n,m}; hi is -1 for no bound. It leaves pos alone
// if there is no such thing.
func (p *jsPattern) braces() (lo, hi int, ok bool) {
	i := p.pos + 1
	number := func() (n int, ok bool) {
		for i < len(p.src) && '0' <= p.src[i] && p.src[i] <= '9' {
			n, ok = min(n*10+int(p.src[i]-'0'), jsMaxCount), true
			i++
		}
		return n, ok
	}
	if lo, ok = number(); !ok {
		return 0, 0, false
	}
	hi = lo
	if i < len(p.src) && p.src[i] == ',' {
		i++
		if hi, ok = number(); !ok {
			hi = -1
		}
	}
	if i >= len(p.src) || p.src[i] != '}' {
		return 0, 0, false
	}
	if hi >= 0 && hi < lo {
		p.fail(p.pos, "the counts in {%d,%d} are out of order", lo, hi)
	}
	p.pos = i + 1
	return lo, hi, true
}

// group reads a group and reports whether it may be repeated.
func (p *jsPattern) group() bool {
	start := p.pos
	quantifiable, look := true, false
	open, looseOpen := "", "(?:"
	switch {
	case p.at("(?:"):
		p.pos += 3
		open = "(?:"
	case p.at("(?="), p.at("(?!"):
		open = string(p.src[p.pos : p.pos+3])
		p.pos += 3
		quantifiable, look = !p.unicode, true
	case p.at("(?<="), p.at("(?<!"):
		open = string(p.src[p.pos : p.pos+4])
		p.pos += 4
		quantifiable, look = false, true
	case p.at("(?<"):
		p.pos += 3
		if _, ok := p.groupName(&p.pos); !ok {
			p.fail(start, "the name of the group is not valid")
		}
		p.opened++
		open = "("
	case p.at("(?"):
		p.fail(start, "there is no group that begins so in JavaScript")
	default:
		p.pos++
		p.opened++
		open = "("
	}
	outStart, looseStart := len(p.out), len(p.loose)
	p.write(open, looseOpen)
	p.disjunction()
	if p.peek() != ')' {
		p.fail(start, "the ( is not closed")
	}
	p.pos++
	p.write(")", ")")
	if look {
		p.loose = p.loose[:looseStart] // what stands inside need not be in the match
		if quantifiable {
			p.out = slices.Insert(p.out, outStart, []byte("(?:")...)
			p.out = append(p.out, ')')
		}
	}
	return quantifiable
}

// escape reads an escape outside of a class and reports whether it may be
// repeated.
func (p *jsPattern) escape() bool {
	start := p.pos
	p.pos++
	r := p.peek()
	if r < 0 {
		p.fail(start, "the pattern ends with a \\")
	}
	switch {
	case r == 'b' || r == 'B':
		p.pos++
		p.write(jsBoundary(r == 'B', p.unicode && p.ignore), "")
		return false
	case '1' <= r && r <= '9':
		n, i := 0, p.pos
		for i < len(p.src) && '0' <= p.src[i] && p.src[i] <= '9' {
			n = min(n*10+int(p.src[i]-'0'), jsMaxCount)
			i++
		}
		if n <= p.groups {
			p.pos = i
			p.backReference(n)
			return true
		}
		if p.unicode {
			p.fail(start, "there is no group %d", n)
		}
		p.char(p.legacyOctal())
	case r == 'k' && (p.unicode || p.named):
		p.pos++
		if p.peek() != '<' {
			p.fail(start, "\\k needs a name, as in \\k<name>")
		}
		p.pos++
		name, ok := p.groupName(&p.pos)
		n, known := p.names[name]
		if !ok || !known {
			p.fail(start, "there is no group of the name after \\k")
		}
		p.backReference(n)
	default:
		if set, ok := p.classEscape(); ok {
			p.writeClass(false, set)
			return true
		}
		p.char(p.charEscape(false))
	}
	return true
}

func (p *jsPattern) backReference(n int) {
	if p.ignore {
		p.write(fmt.Sprintf(`(?i:\%d)`, n), anything)
	} else {
		p.write(fmt.Sprintf(`(?:\%d)`, n), anything)
	}
}

// legacyOctal reads the digits of \8 or \101, which annex B allows.
func (p *jsPattern) legacyOctal() rune {
	r := p.peek()
	if r >= '8' {
		p.pos++
		return r
	}
	n := rune(0)
	for i := 0; i < 3 && '0' <= p.peek() && p.peek() <= '7' && n*8+p.peek()-'0' <= 0o377; i++ {
		n = n*8 + p.peek() - '0'
		p.pos++
	}
	return n
}

// charEscape reads what follows a \ where it stands for a single character.
func (p *jsPattern) charEscape(class bool) rune {
	start := p.pos - 1
	r := p.peek()
	p.pos++
	switch r {
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'v':
		return '\v'
	case 'c':
		c := p.peek()
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if letter || class && !p.unicode && ('0' <= c && c <= '9' || c == '_') {
			p.pos++
			return c % 32
		}
		if p.unicode {
			p.fail(start, "\\c needs a letter")
		}
		p.pos--
		return '\\'
	case '0':
		if p.unicode {
			if c := p.peek(); '0' <= c && c <= '9' {
				p.fail(start, "octal escapes are not allowed with the flag u")
			}
			return 0
		}
		p.pos--
		return p.legacyOctal()
	case 'x':
		if c, ok := p.hex(2); ok {
			return c
		}
		if p.unicode {
			p.fail(start, "\\x needs two hexadecimal digits")
		}
		return 'x'
	case 'u':
		if c, ok := p.unicodeEscape(p.unicode); ok {
			return c
		}
		if p.unicode {
			p.fail(start, "\\u needs four hexadecimal digits, or more in braces")
		}
		return 'u'
	}
	if p.unicode {
		if !strings.ContainsRune(`^$\.*+?()[]{}|/`, r) && !(class && r == '-') {
			p.fail(start, "\\%c means nothing with the flag u", r)
		}
		return r
	}
	if class && '1' <= r && r <= '9' {
		p.pos--
		return p.legacyOctal()
	}
	if r == 'k' && p.named {
		p.fail(start, "\\k cannot stand here, since groups have names")
	}
	return r
}

func (p *jsPattern) hex(n int) (rune, bool) {
	v := rune(0)
	for i := range n {
		if p.pos+i >= len(p.src) {
			return 0, false
		}
		d := hexDigit(p.src[p.pos+i])
		if d < 0 {
			return 0, false
		}
		v = v*16 + d
	}
	p.pos += n
	return v, true
}

func hexDigit(c rune) rune {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return -1
}

// unicodeEscape reads what follows \u: four digits, with full also digits in
// braces and pairs of surrogates.
func (p *jsPattern) unicodeEscape(full bool) (rune, bool) {
	if full && p.peek() == '{' {
		v, i := rune(0), p.pos+1
		for ; i < len(p.src) && hexDigit(p.src[i]) >= 0; i++ {
			if v = v*16 + hexDigit(p.src[i]); v > unicode.MaxRune {
				return 0, false
			}
		}
		if i == p.pos+1 || i >= len(p.src) || p.src[i] != '}' {
			return 0, false
		}
		p.pos = i + 1
		return v, true
	}
	v, ok := p.hex(4)
	if ok && full && 0xd800 <= v && v < 0xdc00 && p.at(`\u`) {
		save := p.pos
		p.pos += 2
		if lo, ok := p.hex(4); ok && 0xdc00 <= lo && lo < 0xe000 {
			return utf16.DecodeRune(v, lo), true
		}
		p.pos = save
	}
	return v, ok
}

// char writes a single character, with its other cases under the flag i.
func (p *jsPattern) char(r rune) {
	if p.unicode && utf16.IsSurrogate(r) {
		p.write(never, anything) // no text holds half of a pair
		return
	}
	others := []rune{r}
	if p.ignore {
		others = jsCases(r, p.unicode)
	}
	if len(others) == 1 {
		p.write(jsChar(r), looseChar(r))
		return
	}
	p.out = append(p.out, '[')
	for _, o := range others {
		p.out = append(p.out, jsChar(o)...)
	}
	p.out = append(p.out, ']')
	p.loose = append(p.loose, looseChar(r)...)
}

// never matches nothing, in the syntax of package regexp2; it may be repeated.
const never = `(?:(?!))`

// jsChar writes a character so that it stands for itself in and out of classes.
// A half of a pair is written as its stand-in.
func jsChar(r rune) string {
	switch {
	case utf16.IsSurrogate(r):
		return string(standIn(r))
	case 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9':
		return string(r)
	case r <= 0xffff:
		return fmt.Sprintf(`\u%04X`, r)
	}
	return string(r)
}

// looseChar writes a character for package regexp/syntax. A half of a pair
// stands for anything: texts hold whole characters.
func looseChar(r rune) string {
	if utf16.IsSurrogate(r) {
		return anything
	}
	return fmt.Sprintf(`\x{%X}`, r)
}

// jsBoundary writes \b, or \B, out. With the flags u and i both, ſ and K are
// word characters, being cases of s and k.
func jsBoundary(not, extra bool) string {
	w := `a-zA-Z0-9_`
	if extra {
		w += `\u017F\u212A`
	}
	if not {
		return `(?:(?<=[` + w + `])(?=[` + w + `])|(?<![` + w + `])(?![` + w + `]))`
	}
	return `(?:(?<=[` + w + `])(?![` + w + `])|(?<![` + w + `])(?=[` + w + `]))`
}

// jsSet is a set of characters: ranges, and properties left to regexp2.
type jsSet struct {
	ranges []jsRange
	props  []string
}

type jsRange struct{ lo, hi rune }

// jsClasses are \d \s \w.
var jsClasses = map[rune][]jsRange{
	'd': {{'0', '9'}},
	'w': {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}},
	's': {
		{'\t', '\r'},
		{' ', ' '},
		{0xa0, 0xa0},
		{0x1680, 0x1680},
		{0x2000, 0x200a},
		{0x2028, 0x2029},
		{0x202f, 0x202f},
		{0x205f, 0x205f},
		{0x3000, 0x3000},
		{0xfeff, 0xfeff},
	},
}

func complement(ranges []jsRange) []jsRange {
	var out []jsRange
	next := rune(0)
	for _, r := range ranges {
		if r.lo > next {
			out = append(out, jsRange{next, r.lo - 1})
		}
		next = max(next, r.hi+1)
	}
	if next <= unicode.MaxRune {
		out = append(out, jsRange{next, unicode.MaxRune})
	}
	return out
}

// classEscape reads \d \s \w \D \S \W, with the flag u also \p and \P.
func (p *jsPattern) classEscape() (jsSet, bool) {
	r := p.peek()
	switch r {
	case 'd', 's', 'w', 'D', 'S', 'W':
		p.pos++
		ranges := jsClasses[unicode.ToLower(r)]
		if p.unicode && p.ignore && (r == 'w' || r == 'W') {
			ranges = append(slices.Clone(ranges), jsRange{0x17f, 0x17f}, jsRange{0x212a, 0x212a})
		}
		if r < 'a' {
			ranges = complement(ranges)
		}
		return jsSet{ranges: ranges}, true
	case 'p', 'P':
		if !p.unicode {
			return jsSet{}, false
		}
		start := p.pos - 1
		p.pos++
		end := p.pos
		for end < len(p.src) && p.src[end] != '}' {
			end++
		}
		if p.peek() != '{' || end >= len(p.src) {
			p.fail(start, "\\%c needs a property in braces", r)
		}
		name := string(p.src[p.pos+1 : end])
		for _, c := range name {
			if !isWordASCII(c) && c != '=' {
				p.fail(start, "%q is no name of a property", name)
			}
		}
		p.pos = end + 1
		return jsSet{props: []string{`\` + string(r) + `{` + name + `}`}}, true
	}
	return jsSet{}, false
}

// class reads [...].
func (p *jsPattern) class() {
	start := p.pos
	p.pos++
	not := p.peek() == '^'
	if not {
		p.pos++
	}
	var set jsSet
	for {
		if p.pos >= len(p.src) {
			p.fail(start, "the [ is not closed")
		}
		if p.peek() == ']' {
			p.pos++
			break
		}
		from := p.pos
		lo, one := p.classAtom(&set)
		if p.peek() != '-' || p.pos+1 >= len(p.src) || p.src[p.pos+1] == ']' {
			if one {
				set.ranges = append(set.ranges, jsRange{lo, lo})
			}
			continue
		}
		p.pos++
		hi, two := p.classAtom(&set)
		if !one || !two {
			if p.unicode {
				p.fail(from, "a class cannot be an end of a range")
			}
			set.ranges = append(set.ranges, jsRange{'-', '-'})
			if one {
				set.ranges = append(set.ranges, jsRange{lo, lo})
			}
			if two {
				set.ranges = append(set.ranges, jsRange{hi, hi})
			}
			continue
		}
		if hi < lo {
			p.fail(from, "the ends of the range are out of order")
		}
		set.ranges = append(set.ranges, jsRange{lo, hi})
	}
	p.writeClass(not, set)
}

// classAtom reads one member. A class goes into set; else it returns the
// character and true.
func (p *jsPattern) classAtom(set *jsSet) (rune, bool) {
	r := p.peek()
	if r < 0 {
		p.fail(p.pos, "the [ is not closed")
	}
	p.pos++
	if r != '\\' {
		return r, true
	}
	if p.pos >= len(p.src) {
		p.fail(p.pos-1, "the pattern ends with a \\")
	}
	if p.peek() == 'b' {
		p.pos++
		return '\b', true
	}
	if s, ok := p.classEscape(); ok {
		set.ranges = append(set.ranges, s.ranges...)
		set.props = append(set.props, s.props...)
		return 0, false
	}
	return p.charEscape(true), true
}

func (p *jsPattern) writeClass(not bool, set jsSet) {
	if p.ignore {
		key := fmt.Sprint(set.ranges)
		if p.closed[key] == nil {
			if p.closed == nil {
				p.closed = map[string][]jsRange{}
			}
			p.closed[key] = jsCloseCases(set.ranges, p.unicode)
		}
		set.ranges = p.closed[key]
	}
	set.ranges = splitSurrogates(set.ranges, !p.unicode)
	if len(set.ranges) == 0 && len(set.props) == 0 {
		if not {
			p.write(`[\s\S]`, `(?s:.)`)
		} else {
			p.write(never, anything)
		}
		return
	}
	// Other cases of the characters in a property are regexp2's to find.
	cases := p.ignore && len(set.props) > 0
	if cases {
		p.out = append(p.out, "(?i:"...)
	}
	p.out = append(p.out, '[')
	if not {
		p.out = append(p.out, '^')
	}
	p.loose = append(p.loose, looseClass(not, set)...)
	for _, r := range set.ranges {
		p.out = append(p.out, jsChar(r.lo)...)
		if r.hi > r.lo {
			p.out = append(p.out, '-')
			p.out = append(p.out, jsChar(r.hi)...)
		}
	}
	for _, s := range set.props {
		p.out = append(p.out, s...)
	}
	p.out = append(p.out, ']')
	if cases {
		p.out = append(p.out, ')')
	}
}

// looseClass is of use to the prefilter only for a handful of characters.
func looseClass(not bool, set jsSet) string {
	if not || len(set.props) > 0 || len(set.ranges) > 8 {
		return `(?s:.)`
	}
	var b strings.Builder
	b.WriteByte('[')
	for _, r := range set.ranges {
		if r.hi-r.lo > 8 || r.lo >= standIn(0xd800) {
			return `(?s:.)`
		}
		fmt.Fprintf(&b, `\x{%X}-\x{%X}`, r.lo, r.hi)
	}
	b.WriteByte(']')
	return b.String()
}
