package jsontext

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// quoteAt returns the size of the quotation mark at the start of a text; 0 if
// there is none.
func quoteAt(b []byte) int {
	if len(b) == 0 {
		return 0
	}
	switch b[0] {
	case '"', '\'', '`':
		return 1
	case 0xe2:
		for _, q := range []string{"“", "”", "„", "‘", "’", "‚"} {
			if bytes.HasPrefix(b, []byte(q)) {
				return 3
			}
		}
	}
	return 0
}

// closes reports whether a quotation mark can end a string that another began.
func closes(open, mark string) bool {
	switch open {
	case "\"", "'", "`":
		return mark == open
	case "“", "”", "„":
		return mark == "”" || mark == "“" || mark == "\""
	}
	return mark == "’" || mark == "‘" || mark == "'"
}

// string reads a string in any quotation marks. A value that the text cuts off
// is not kept.
func (p *parser) string(isValue bool) bool {
	mark := len(p.out)
	if !p.oneString(isValue) {
		p.out = p.out[:mark]
		return false
	}
	for isValue {
		save := p.pos
		p.space()
		if p.peek() != '+' {
			p.pos = save
			return true
		}
		p.pos++
		p.space()
		if quoteAt(p.src[p.pos:]) == 0 {
			p.pos = save
			return true
		}
		p.fix(RepairConcat)
		more := len(p.out)
		if !p.oneString(isValue) {
			p.out = p.out[:mark]
			return false
		}
		p.out = append(p.out[:more-1], p.out[more+1:]...)
	}
	return true
}

func (p *parser) oneString(isValue bool) bool {
	n := quoteAt(p.src[p.pos:])
	open := string(p.src[p.pos : p.pos+n])
	if open != "\"" {
		p.fix(RepairQuote)
	}
	p.pos += n
	if open == "\"" && bytes.HasPrefix(p.src[p.pos:], []byte(`""`)) {
		if b := bytes.Index(p.src[p.pos+2:], []byte(`"""`)); b >= 0 { // three quotes around a long text
			p.fix(RepairQuote)
			p.out = appendString(p.out, string(p.src[p.pos+2:p.pos+2+b]))
			p.pos += b + 5
			return true
		}
	}
	p.out = append(p.out, '"')
	for {
		if p.end() {
			p.truncate()
			return false
		}
		c := p.src[p.pos]
		if c == '\\' {
			if !p.escape() {
				p.pos = len(p.src)
				p.truncate()
				return false
			}
			continue
		}
		if n := quoteAt(p.src[p.pos:]); n > 0 {
			m := string(p.src[p.pos : p.pos+n])
			if closes(open, m) {
				if p.ends(p.pos+n, isValue) {
					if m != open {
						p.fix(RepairQuote)
					}
					p.pos += n
					p.out = append(p.out, '"')
					return true
				}
				p.fix(RepairInner)
			}
			p.out = appendRune(p.out, m)
			p.pos += n
			continue
		}
		if c < 0x20 || c == 0x7f {
			if c < 0x20 {
				p.fix(RepairNewline)
			}
			p.out = appendRune(p.out, string(rune(c)))
			p.pos++
			continue
		}
		p.out = append(p.out, c)
		p.pos++
	}
}

// ends reports whether a quotation mark before i ends its string: what follows
// has to be what can follow a string.
func (p *parser) ends(i int, isValue bool) bool {
	newline := false
	for limit := i + 4096; i < len(p.src) && i < limit; i++ {
		switch c := p.src[i]; c {
		case ' ', '\t', '\r':
		case '\n':
			newline = true
		case '}', ']':
			return isValue
		case ',':
			return isValue && p.afterComma(i+1)
		case ':', '=':
			return !isValue
		case '+':
			return isValue
		case '/', '#':
			return true
		case '"', '\'':
			// A comma is missing, if a key or an element begins on a new line.
			return isValue && newline
		case '{', '[':
			return true
		default:
			return isValue && newline && p.prose || isValue && newline && isWordByte(c)
		}
	}
	return true
}

// afterComma reports whether what follows a comma can follow a string: the next
// key, element or bracket. `"He said "no", and left"` has a comma behind a
// quotation mark that ends nothing.
func (p *parser) afterComma(i int) bool {
	for limit := i + 4096; i < len(p.src) && i < limit; i++ {
		switch c := p.src[i]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		case isWordByte(c):
			// A number, a keyword, or a key without quotes.
			j := i
			for j < len(p.src) && j < i+64 && isWordByte(p.src[j]) {
				j++
			}
			word := string(p.src[i:j])
			for j < len(p.src) && (p.src[j] == ' ' || p.src[j] == '\n' || p.src[j] == '\r' || p.src[j] == '\t') {
				j++
			}
			if j >= len(p.src) || strings.IndexByte(":=,]}", p.src[j]) >= 0 {
				return true
			}
			return keyword(word) != ""
		default:
			return true
		}
	}
	return true
}

func isWordByte(c byte) bool {
	return c == '_' || c == '-' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}

// escape reads a backslash and what belongs to it. It reports false at the end
// of the text.
func (p *parser) escape() bool {
	if p.pos+1 >= len(p.src) {
		return false
	}
	c := p.src[p.pos+1]
	switch c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		p.out = append(p.out, '\\', c)
		p.pos += 2
	case 'u':
		if p.pos+6 > len(p.src) {
			return false
		}
		hex := p.src[p.pos+2 : p.pos+6]
		if _, err := strconv.ParseUint(string(hex), 16, 32); err != nil {
			p.fix(RepairEscape)
			p.out = append(p.out, `\\u`...)
			p.pos += 2
			return true
		}
		p.out = append(p.out, p.src[p.pos:p.pos+6]...)
		p.pos += 6
	case '\n', '\r': // a line that goes on
		p.fix(RepairEscape)
		p.pos += 2
	case '\'', '`':
		p.fix(RepairEscape)
		p.out = append(p.out, c)
		p.pos += 2
	default: // a backslash that was not doubled, as in \d or \*
		p.fix(RepairEscape)
		if strings.IndexByte("*_[](){}#!<>$&-.~ ", c) >= 0 {
			p.pos++ // the escapes of Markdown: the backslash goes
			return true
		}
		p.out = append(p.out, `\\`...)
		p.pos++
	}
	return true
}

// appendString appends a string as JSON, without escapes for HTML.
func appendString(out []byte, s string) []byte {
	out = append(out, '"')
	out = appendRune(out, s)
	return append(out, '"')
}

// appendRune appends text inside a string.
func appendRune(out []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c == '\n':
			out = append(out, `\n`...)
		case c == '\r':
			out = append(out, `\r`...)
		case c == '\t':
			out = append(out, `\t`...)
		case c < 0x20:
			out = fmt.Appendf(out, `\u%04x`, c)
		default:
			out = append(out, c)
		}
	}
	return out
}
