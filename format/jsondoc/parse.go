package jsondoc

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// Limits bound what Parse takes in. A zero field means its default.
type Limits struct {
	Bytes  int // of the text; defaults to 64 MiB
	Depth  int // of nested arrays and objects; defaults to 512
	Values int // of the whole document; defaults to 4 million
}

// Default limits.
const (
	DefaultBytes  = 64 << 20
	DefaultDepth  = 512
	DefaultValues = 4 << 20
)

func (l Limits) withDefaults() Limits {
	if l.Bytes <= 0 {
		l.Bytes = DefaultBytes
	}
	if l.Depth <= 0 {
		l.Depth = DefaultDepth
	}
	if l.Values <= 0 {
		l.Values = DefaultValues
	}
	l.Bytes = min(l.Bytes, math.MaxInt32)
	return l
}

// Doc is a parsed JSON text. It is immutable and safe for concurrent use.
type Doc struct {
	text  string
	nodes []node
	dups  []Duplicate
	style Style
	// unique says that no key stands twice in one object: the first that is found
	// is the only one.
	unique bool
	places places
}

// node is one value. Nodes stand in preorder: the first child of nodes[i] is
// nodes[i+1], and the next sibling is at next.
type node struct {
	start, end uint32 // the value in the text
	key        uint32 // offset of the key's opening quote; 0 if none (offset 0 is never a key)
	next       uint32 // index of the node behind the subtree
	count      uint32 // of direct children
	kind       Kind
	flags      uint8
	hash       uint16 // of the quoted key, so that most others are passed by unread
}

const (
	flagEscaped    = 1 << iota // the string has escapes
	flagKeyEscaped             // the key has
)

// Duplicate is a key that stands more than once in one object. The last one
// counts, as in JavaScript; all are kept.
type Duplicate struct {
	Key    string
	Offset int // of the later key
}

// maxDuplicates is how many repeated keys are listed.
const maxDuplicates = 10_000

// SyntaxError is a text that is not JSON or passes a limit.
type SyntaxError struct {
	Offset, Line, Column int // Column counts code points from 1
	Msg                  string
}

// Error gives the place and what is wrong there.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Msg)
}

// Parse parses one JSON value with white space around it. The text is kept,
// not copied from src if that is a string already; a UTF-8 byte order mark in
// front is accepted and kept. Bytes that are not UTF-8 are accepted inside
// strings. The error is a *[SyntaxError].
func Parse[T string | []byte](src T, limits Limits) (*Doc, error) {
	limits = limits.withDefaults()
	text := string(src)
	if len(text) > limits.Bytes {
		return nil, &SyntaxError{Line: 1, Column: 1, Msg: fmt.Sprintf(
			"the text has %d bytes, more than the limit of %d", len(text), limits.Bytes)}
	}
	p := &parser{text: text, limits: limits}
	p.nodes = make([]node, 0, min(len(text)/16+8, limits.Values))
	if strings.HasPrefix(text, bom) {
		p.pos = len(bom)
	}
	p.space()
	if err := p.value(0, 0); err != nil {
		return nil, err
	}
	p.space()
	if p.pos < len(text) {
		return nil, p.fail("text after the end of the value")
	}
	return &Doc{text: text, nodes: p.nodes, dups: p.dups, style: detectStyle(text, p), unique: len(p.dups) == 0 && !p.sawEscapedKey}, nil
}

const bom = "\ufeff"

type parser struct {
	text   string
	pos    int
	depth  int
	limits Limits
	nodes  []node
	dups   []Duplicate

	sawEscapedKey, sawEscapedLess, sawUnicodeEscape, sawUpperHex, sawRaw, sawSlash bool
}

func (p *parser) fail(format string, args ...any) error { return p.failAt(p.pos, format, args...) }

func (p *parser) failAt(pos int, format string, args ...any) error {
	line, col := lineColumn(p.text, pos)
	return &SyntaxError{Offset: pos, Line: line, Column: col, Msg: fmt.Sprintf(format, args...)}
}

func lineColumn(text string, pos int) (line, col int) {
	pos = min(pos, len(text))
	before := text[:pos]
	line = 1 + strings.Count(before, "\n")
	col = 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	return line, col
}

func (p *parser) space() {
	for p.pos < len(p.text) {
		switch p.text[p.pos] {
		case ' ', '\t', '\r', '\n':
			p.pos++
		default:
			return
		}
	}
}

// value parses the value at pos. key is the offset of its key, 0 for none.
func (p *parser) value(key int, flags uint8) error {
	if p.pos >= len(p.text) {
		return p.fail("the text ends where a value was expected (is the file cut off?)")
	}
	if len(p.nodes) >= p.limits.Values {
		return p.fail("more than %d values in one file", p.limits.Values)
	}
	i := len(p.nodes)
	p.nodes = append(p.nodes, node{start: uint32(p.pos), key: uint32(key), flags: flags})
	n := node{}
	var err error
	switch c := p.text[p.pos]; {
	case c == '{':
		n.kind = Object
		n.count, err = p.object()
	case c == '[':
		n.kind = Array
		n.count, err = p.array()
	case c == '"':
		n.kind = String
		var escaped bool
		if escaped, err = p.str(); escaped {
			flags |= flagEscaped
		}
	case c == 't':
		n.kind, err = Bool, p.word("true")
	case c == 'f':
		n.kind, err = Bool, p.word("false")
	case c == 'n':
		n.kind, err = Null, p.word("null")
	case c == '-' || c >= '0' && c <= '9':
		n.kind, err = Number, p.number()
	default:
		r, _ := utf8.DecodeRuneInString(p.text[p.pos:])
		return p.fail("%q where a value was expected", r)
	}
	if err != nil {
		return err
	}
	m := &p.nodes[i]
	m.kind, m.count, m.flags = n.kind, n.count, flags
	m.end, m.next = uint32(p.pos), uint32(len(p.nodes))
	return nil
}

func (p *parser) enter() error {
	p.depth++
	if p.depth > p.limits.Depth {
		return p.fail("arrays and objects are nested more than %d deep", p.limits.Depth)
	}
	p.pos++
	p.space()
	return nil
}

func (p *parser) array() (count uint32, err error) {
	if err := p.enter(); err != nil {
		return 0, err
	}
	defer func() { p.depth-- }()
	if p.peek() == ']' {
		p.pos++
		return 0, nil
	}
	for {
		if err := p.value(0, 0); err != nil {
			return 0, err
		}
		count++
		done, err := p.separator(']', "array")
		if done || err != nil {
			return count, err
		}
	}
}

func (p *parser) object() (count uint32, err error) {
	first := len(p.nodes)
	if err := p.enter(); err != nil {
		return 0, err
	}
	defer func() { p.depth-- }()
	if p.peek() == '}' {
		p.pos++
		return 0, nil
	}
	var seen keySet
	for {
		if p.peek() != '"' {
			return 0, p.fail("expected a key in double quotes")
		}
		key := p.pos
		var flags uint8
		escaped, err := p.str()
		if err != nil {
			return 0, err
		}
		if escaped {
			flags, p.sawEscapedKey = flagKeyEscaped, true // it may spell another key
		}
		hash := hashKey(p.text[key+1 : p.pos-1])
		if seen.add(p, first, p.text[key:p.pos], hash) && len(p.dups) < maxDuplicates {
			p.dups = append(p.dups, Duplicate{Key: unquote(p.text[key:p.pos], escaped, false), Offset: key})
		}
		p.space()
		if p.peek() != ':' {
			return 0, p.fail("expected a colon after the key")
		}
		p.pos++
		p.space()
		at := len(p.nodes)
		if err := p.value(key, flags); err != nil {
			return 0, err
		}
		p.nodes[at].hash = uint16(hash)
		count++
		done, err := p.separator('}', "object")
		if done || err != nil {
			return count, err
		}
	}
}

// separator reads the comma between two items, or the closing bracket.
func (p *parser) separator(closing byte, what string) (done bool, err error) {
	p.space()
	switch p.peek() {
	case closing:
		p.pos++
		return true, nil
	case ',':
		p.pos++
		p.space()
		if p.peek() == closing {
			return false, p.fail("a comma before the end of the %s", what)
		}
		return false, nil
	}
	if p.pos >= len(p.text) {
		return false, p.fail("the text ends inside an %s (is the file cut off?)", what)
	}
	return false, p.fail("expected a comma or the end of the %s", what)
}

func (p *parser) peek() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

func (p *parser) word(w string) error {
	if !strings.HasPrefix(p.text[p.pos:], w) {
		return p.fail("expected %s", w)
	}
	p.pos += len(w)
	return nil
}

func (p *parser) number() error {
	start := p.pos
	digits := func() bool {
		from := p.pos
		for p.pos < len(p.text) && p.text[p.pos] >= '0' && p.text[p.pos] <= '9' {
			p.pos++
		}
		return p.pos > from
	}
	if p.peek() == '-' {
		p.pos++
	}
	zero := p.peek() == '0'
	from := p.pos
	if !digits() || zero && p.pos-from > 1 {
		return p.failAt(start, "not a number")
	}
	if p.peek() == '.' {
		p.pos++
		if !digits() {
			return p.failAt(start, "not a number: a digit must follow the point")
		}
	}
	if c := p.peek(); c == 'e' || c == 'E' {
		p.pos++
		if c := p.peek(); c == '+' || c == '-' {
			p.pos++
		}
		if !digits() {
			return p.failAt(start, "not a number: a digit must follow the exponent sign")
		}
	}
	return nil
}

func (p *parser) str() (escaped bool, err error) {
	start := p.pos
	p.pos++
	for p.pos < len(p.text) {
		c := p.text[p.pos]
		switch {
		case c == '"':
			p.pos++
			return escaped, nil
		case c == '\\':
			escaped = true
			if p.pos+1 >= len(p.text) {
				p.pos++
				continue
			}
			switch e := p.text[p.pos+1]; e {
			case '"', '\\', 'b', 'f', 'n', 'r', 't':
				p.pos += 2
			case '/':
				p.sawSlash = true
				p.pos += 2
			case 'u':
				unit, ok := hex4(p.text, p.pos+2)
				if !ok {
					return escaped, p.fail("\\u must be followed by four hexadecimal digits")
				}
				switch {
				case unit >= 0x80 && (unit < 0xd800 || unit > 0xdfff):
					p.sawUnicodeEscape = true
				case unit == '<' || unit == '>' || unit == '&':
					p.sawEscapedLess = true
				}
				if strings.ContainsAny(p.text[p.pos+2:p.pos+6], "ABCDEF") {
					p.sawUpperHex = true
				}
				p.pos += 6
			default:
				return escaped, p.fail("unknown escape \\%c in a string", e)
			}
		case c < 0x20:
			return escaped, p.fail("control character U+%04X in a string: it must be escaped", c)
		default:
			if c >= 0x80 {
				p.sawRaw = true
			}
			p.pos++
		}
	}
	return escaped, p.failAt(start, "the string has no end (is the file cut off?)")
}

func hex4(s string, at int) (uint16, bool) {
	if at+4 > len(s) {
		return 0, false
	}
	var v uint16
	for _, c := range []byte(s[at : at+4]) {
		switch {
		case c >= '0' && c <= '9':
			v = v<<4 | uint16(c-'0')
		case c >= 'a' && c <= 'f':
			v = v<<4 | uint16(c-'a'+10)
		case c >= 'A' && c <= 'F':
			v = v<<4 | uint16(c-'A'+10)
		default:
			return 0, false
		}
	}
	return v, true
}

// keySet notices repeated keys of one object: a bloom filter answers for most
// keys, the nodes already parsed for the rest, a map for large objects.
type keySet struct {
	bits [16]uint64
	n    int
	keys map[string]struct{}
}

func (s *keySet) add(p *parser, first int, quoted string, h uint32) (seen bool) {
	s.n++
	if s.keys != nil {
		_, seen = s.keys[quoted]
		s.keys[quoted] = struct{}{}
		return seen
	}
	if s.n > 64 {
		s.keys = map[string]struct{}{}
		p.eachKey(first, func(k string) { s.keys[k] = struct{}{} })
		_, seen = s.keys[quoted]
		s.keys[quoted] = struct{}{}
		return seen
	}
	word, bit := h>>6&15, uint64(1)<<(h&63)
	if s.bits[word]&bit != 0 {
		p.eachKey(first, func(k string) { seen = seen || k == quoted })
	}
	s.bits[word] |= bit
	return seen
}

// hashKey is the hash of a quoted key, given without its quotes.
func hashKey(key string) uint32 {
	h := uint32(2166136261)
	for i := range len(key) {
		h = (h ^ uint32(key[i])) * 16777619
	}
	return h ^ h>>15
}

// eachKey calls f for the quoted keys of the members parsed so far of the
// object whose first child is nodes[first].
func (p *parser) eachKey(first int, f func(quoted string)) {
	for i := first; i < len(p.nodes); i = int(p.nodes[i].next) {
		k := int(p.nodes[i].key)
		f(p.text[k : k+quotedLen(p.text[k:])])
	}
}

// quotedLen returns the length of the quoted string that s begins with. The
// string must have been parsed before.
func quotedLen(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}
