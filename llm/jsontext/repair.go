package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kinds of repairs, as [Value.Repairs] counts them.
const (
	RepairBOM       = "byte order mark"
	RepairComment   = "comment"
	RepairComma     = "comma"
	RepairColon     = "colon"
	RepairQuote     = "quote"
	RepairInner     = "quote inside a string"
	RepairNewline   = "control character in a string"
	RepairEscape    = "escape"
	RepairKeyword   = "keyword"
	RepairNumber    = "number"
	RepairBracket   = "bracket"
	RepairTruncated = "cut off"
	RepairConcat    = "joined strings"
	RepairNul       = "NUL"
	RepairString    = "JSON in a string"
	RepairEncoding  = "invalid UTF-8"
)

// Bounds of what is read.
const (
	maxDepth = 128
	// MaxText is the largest text that is looked at, in bytes.
	MaxText = 4 << 20
)

// Value is JSON that was read from a text.
type Value struct {
	// JSON is valid JSON in UTF-8.
	JSON json.RawMessage
	// Repairs counts what was changed, by kind; nil if nothing was.
	Repairs map[string]int
	// Truncated is true if the text was cut off: JSON holds what was complete.
	Truncated bool
}

// ErrNoJSON is the error for a text without JSON in it.
var ErrNoJSON = errors.New("there is no JSON in the text")

// Repair reads one JSON value, which must be all of the text but for white space
// and comments. Text that is valid is returned as it is, without white space
// around it.
func Repair(text []byte) (Value, error) {
	if len(text) > MaxText {
		return Value{}, fmt.Errorf("the text has %d bytes, at most %d are read", len(text), MaxText)
	}
	trimmed := bytes.TrimSpace(text)
	if Valid(trimmed) {
		return Value{JSON: bytes.Clone(trimmed)}, nil
	}
	p := &parser{src: text}
	p.valid()
	p.bom()
	p.space()
	if p.pos == len(p.src) {
		return Value{}, ErrNoJSON
	}
	if !p.value(0, false) {
		return Value{}, p.failure()
	}
	p.space()
	for p.pos < len(p.src) && strings.IndexByte("}];,`", p.src[p.pos]) >= 0 {
		p.pos++ // brackets that close nothing
		p.fix(RepairBracket)
		p.space()
	}
	if p.pos < len(p.src) {
		return Value{}, p.failf("there is more text behind the value")
	}
	return p.result(), nil
}

// parser reads tolerantly and writes JSON. It never reads a byte twice but for
// bounded looks ahead, so its time is linear.
type parser struct {
	src     []byte
	pos     int
	out     []byte
	repairs map[string]int
	cut     bool
	err     error
	// prose is true inside a longer text: what does not look like JSON ends the
	// value instead of being taken for a word without quotes.
	prose bool
}

func (p *parser) fix(kind string) {
	if p.repairs == nil {
		p.repairs = map[string]int{}
	}
	p.repairs[kind]++
}

func (p *parser) failf(format string, args ...any) error {
	if p.err == nil {
		p.err = fmt.Errorf("at byte %d: %s", p.pos, fmt.Sprintf(format, args...))
	}
	return p.err
}

func (p *parser) failure() error {
	if p.err == nil {
		return p.failf("this is no JSON")
	}
	return p.err
}

func (p *parser) result() Value {
	return Value{JSON: p.out, Repairs: p.repairs, Truncated: p.cut}
}

func (p *parser) valid() {
	if !utf8.Valid(p.src) {
		p.src = bytes.ToValidUTF8(p.src, []byte("\uFFFD"))
		p.fix(RepairEncoding)
	}
}

func (p *parser) bom() {
	for bytes.HasPrefix(p.src[p.pos:], []byte("\uFEFF")) {
		p.pos += 3
		p.fix(RepairBOM)
	}
}

func (p *parser) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

func (p *parser) end() bool { return p.pos >= len(p.src) }

// space skips white space and comments.
func (p *parser) space() {
	for !p.end() {
		switch c := p.src[p.pos]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			p.pos++
		case c == '/' && p.pos+1 < len(p.src) && p.src[p.pos+1] == '/', c == '#':
			p.fix(RepairComment)
			if i := bytes.IndexByte(p.src[p.pos:], '\n'); i >= 0 {
				p.pos += i + 1
			} else {
				p.pos = len(p.src)
			}
		case c == '/' && p.pos+1 < len(p.src) && p.src[p.pos+1] == '*':
			p.fix(RepairComment)
			if i := bytes.Index(p.src[p.pos+2:], []byte("*/")); i >= 0 {
				p.pos += i + 4
			} else {
				p.pos = len(p.src)
			}
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(p.src[p.pos:])
			if !unicode.IsSpace(r) && r != '\u200B' && r != '\uFEFF' {
				return
			}
			p.fix(RepairBracket)
			p.pos += size
		default:
			return
		}
	}
}

// value reads a value and reports whether it is to be kept. It is not if the
// text ended before it said anything, or if there is an error.
func (p *parser) value(depth int, inArray bool) bool {
	if depth > maxDepth {
		p.failf("nested deeper than %d", maxDepth)
		return false
	}
	p.space()
	if p.end() {
		p.truncate()
		return false
	}
	c := p.src[p.pos]
	switch {
	case c == '{':
		return p.object(depth, inArray)
	case c == '[':
		return p.array(depth, inArray)
	case quoteAt(p.src[p.pos:]) > 0:
		return p.string(true)
	case c == '-' || c == '+' || c == '.' || c >= '0' && c <= '9':
		return p.number()
	}
	return p.word()
}

func (p *parser) truncate() {
	if !p.cut {
		p.cut = true
		p.fix(RepairTruncated)
	}
}

func (p *parser) object(depth int, inArray bool) bool {
	return p.elements(inArray, "{}", ']', func() bool { return p.member(depth) })
}

func (p *parser) array(depth int, inArray bool) bool {
	return p.elements(inArray, "[]", '}', func() bool { return p.value(depth+1, true) })
}

// elements reads an object or a list up to its end. brackets are its own, other
// is the closing one of the other kind: that closes this one too, for an object
// as the bracket of the list around it, which reads it again. element reads one
// element; what it wrote of a broken one is taken back.
func (p *parser) elements(inArray bool, brackets string, other byte, element func() bool) bool {
	start, closing := len(p.out), brackets[1]
	p.pos++
	p.out = append(p.out, brackets[0])
	first := true
	for {
		p.space()
		if p.end() || p.cut {
			return p.broken(start, inArray, closing)
		}
		switch p.src[p.pos] {
		case closing:
			p.pos++
			p.out = append(p.out, closing)
			return true
		case other:
			p.fix(RepairBracket)
			p.out = append(p.out, closing)
			return true
		case ',':
			p.pos++
			p.fix(RepairComma)
			continue
		}
		mark := len(p.out)
		if !first {
			p.out = append(p.out, ',')
		}
		if !element() {
			p.out = p.out[:mark]
			return p.broken(start, inArray, closing)
		}
		first = false
		p.comma(closing)
	}
}

// member reads a key and its value.
func (p *parser) member(depth int) bool {
	if !p.key() {
		return false
	}
	p.space()
	if p.end() {
		return false
	}
	switch {
	case p.src[p.pos] == ':':
		p.pos++
	case p.src[p.pos] == '=':
		p.pos++
		if p.peek() == '>' {
			p.pos++
		}
		p.fix(RepairColon)
	case strings.IndexByte("{[\"", p.src[p.pos]) >= 0:
		p.fix(RepairColon)
	default:
		p.failf("a colon is missing")
		return false
	}
	p.out = append(p.out, ':')
	p.space()
	if !p.end() && (p.src[p.pos] == ',' || p.src[p.pos] == '}') {
		// A key without a value says nothing.
		p.fix(RepairKeyword)
		p.out = append(p.out, "null"...)
		return true
	}
	return p.value(depth+1, false)
}

// broken ends an object or a list that the text did not end. Inside a list it is
// not kept: a list keeps its complete elements.
func (p *parser) broken(start int, inArray bool, closing byte) bool {
	if p.err != nil {
		return false
	}
	p.truncate()
	if inArray || start > 0 && len(p.out) == start+1 {
		p.out = p.out[:start]
		return false
	}
	p.out = append(p.out, closing)
	return true
}

// comma reads what stands between two elements.
func (p *parser) comma(closing byte) {
	p.space()
	if p.end() || p.cut {
		return
	}
	switch c := p.src[p.pos]; {
	case c == closing:
		return
	case c == ',':
		p.pos++
		p.space()
		if !p.end() && p.src[p.pos] == closing {
			p.fix(RepairComma)
		}
	case c == ';':
		p.pos++
		p.fix(RepairComma)
	case c != '}' && c != ']':
		p.fix(RepairComma)
	}
}

func (p *parser) key() bool {
	if quoteAt(p.src[p.pos:]) > 0 {
		return p.string(false)
	}
	start := p.pos
	for !p.end() {
		r, size := utf8.DecodeRune(p.src[p.pos:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' && r != '$' && r != '.' {
			break
		}
		p.pos += size
	}
	word := string(p.src[start:p.pos])
	p.space()
	switch {
	case p.end():
		p.truncate()
		return false
	case word == "" || p.src[p.pos] != ':' && p.src[p.pos] != '=':
		p.pos = start
		if p.prose {
			return false // prose goes on after an object that was not closed
		}
		p.failf("a key was expected")
		return false
	}
	p.fix(RepairQuote)
	p.out = appendString(p.out, word)
	return true
}

func (p *parser) number() bool {
	start := p.pos
	for !p.end() && (isWordByte(p.src[p.pos]) || p.src[p.pos] == '+') && p.src[p.pos] < utf8.RuneSelf {
		p.pos++
	}
	text := string(p.src[start:p.pos])
	if p.end() && len(p.out) > 0 {
		p.truncate() // 12 may have been going to be 123
		return false
	}
	if json.Valid([]byte(text)) {
		p.out = append(p.out, text...)
		return true
	}
	plain := strings.TrimPrefix(strings.ReplaceAll(text, "_", ""), "+")
	if plain == "Infinity" || plain == "-Infinity" || plain == "inf" || plain == "-inf" || plain == "-NaN" {
		p.fix(RepairKeyword)
		p.out = append(p.out, "null"...)
		return true
	}
	if i, err := strconv.ParseInt(plain, 10, 64); err == nil {
		p.fix(RepairNumber)
		p.out = strconv.AppendInt(p.out, i, 10)
		return true
	}
	if strings.HasPrefix(plain, "0x") {
		if i, err := strconv.ParseInt(plain[2:], 16, 64); err == nil {
			p.fix(RepairNumber)
			p.out = strconv.AppendInt(p.out, i, 10)
			return true
		}
	}
	if fixed := fixFraction(plain); json.Valid([]byte(fixed)) {
		p.fix(RepairNumber)
		p.out = append(p.out, fixed...)
		return true
	}
	if p.prose && len(p.out) == 0 {
		p.failf("this is no number")
		return false
	}
	// A date, a version, a dice roll: a word without quotes.
	p.pos = start
	return p.word()
}

// fixFraction gives a number the digits that JSON wants: .5, 5., -.5, 5.e3.
func fixFraction(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	if strings.HasPrefix(s, ".") {
		s = "0" + s
	}
	if i := strings.IndexByte(s, '.'); i >= 0 && (i+1 == len(s) || s[i+1] < '0' || s[i+1] > '9') {
		s = s[:i+1] + "0" + s[i+1:]
	}
	return sign + s
}

// keyword returns what a word without quotes means; "" for an ordinary one.
func keyword(s string) string {
	switch s {
	case "true", "True", "TRUE":
		return "true"
	case "false", "False", "FALSE":
		return "false"
	case "null", "None", "NULL", "Null", "nil", "undefined", "NaN", "Infinity", "nan":
		return "null"
	}
	return ""
}

// word reads a value without quotation marks: a keyword, or text up to what can
// end it.
func (p *parser) word() bool {
	start := p.pos
	for !p.end() {
		c := p.src[p.pos]
		if c == ',' || c == '}' || c == ']' || c == '\n' || c == '\r' || c == ':' && p.prose {
			break
		}
		if c == '{' || c == '[' || c == '"' {
			break
		}
		p.pos++
	}
	text := strings.TrimSpace(string(p.src[start:p.pos]))
	if k := keyword(text); k != "" {
		if k != text {
			p.fix(RepairKeyword)
		}
		p.out = append(p.out, k...)
		return true
	}
	switch {
	case text == "" || len(text) > 1000:
		p.failf("a value was expected")
		return false
	case p.end():
		if len(p.out) == 0 {
			p.failf("this is no JSON")
			return false
		}
		p.truncate()
		return false
	case len(p.out) == 0:
		p.failf("this is no JSON")
		return false
	}
	p.fix(RepairQuote)
	p.out = appendString(p.out, text)
	return true
}

// depthOf returns how deep valid JSON is nested.
func depthOf(src []byte) int {
	depth, deepest, in := 0, 0, false
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case in && c == '\\':
			i++
		case c == '"':
			in = !in
		case in:
		case c == '{' || c == '[':
			depth++
			deepest = max(deepest, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return deepest
}

// Valid reports whether a text is JSON that every reader accepts: valid UTF-8,
// and not nested too deep.
func Valid(text []byte) bool {
	return utf8.Valid(text) && json.Valid(text) && depthOf(text) <= maxDepth
}
