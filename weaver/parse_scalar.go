package weaver

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// number reads a number literal, its sign included.
func (p *parser) number() expr {
	start := p.pos
	i := start
	if p.src[i] == '-' {
		i++
	}
	digits := func() int {
		from := i
		for i < len(p.src) && isDigit(p.src[i]) {
			i++
		}
		return i - from
	}
	at := func(n int) byte {
		if n < len(p.src) {
			return p.src[n]
		}
		return 0
	}
	digits()
	if at(i) == '.' && isDigit(at(i+1)) {
		i++
		digits()
	}
	if c := at(i); c == 'e' || c == 'E' {
		j := i
		i++
		if c := at(i); c == '+' || c == '-' {
			i++
		}
		if digits() == 0 {
			i = j
		}
	}
	p.pos = i
	p.log(tokOperand, start, i)
	if isIdentStart(p.peek(0)) {
		end := i
		for end < len(p.src) && isIdentByte(p.src[end]) {
			end++
		}
		p.errorAt("bad-number", between(start, end), "%s is no number", quoteSource(p.src[start:end])).
			Hint = "numbers are decimal, without separators, as in 1200 or 0.5"
		p.pos = end
		return nil
	}
	f, err := strconv.ParseFloat(p.src[start:i], 64)
	if err != nil && !math.IsInf(f, 0) {
		p.errorAt("bad-number", between(start, i), "%s is no number", quoteSource(p.src[start:i]))
		return nil
	}
	return &constExpr{placeOf(start, i), Number(f)}
}

// stringLiteral reads a quoted string as an expression.
func (p *parser) stringLiteral() expr {
	start := p.pos
	s, ok := p.quoted()
	if !ok {
		return nil
	}
	p.log(tokOperand, start, p.pos)
	return &constExpr{placeOf(start, p.pos), String(s)}
}

// quoted reads a quoted string. A bad escape is reported, and the string is
// read to its end all the same.
func (p *parser) quoted() (string, bool) {
	start := p.pos
	i := start + 1
	for i < len(p.src) && p.src[i] != '"' && p.src[i] != '\\' {
		i++
	}
	if i < len(p.src) && p.src[i] == '"' {
		p.pos = i + 1
		return p.src[start+1 : i], true
	}
	b := []byte(p.src[start+1 : i])
	for i < len(p.src) {
		c := p.src[i]
		switch {
		case c == '"':
			p.pos = i + 1
			return string(b), true
		case c != '\\':
			b = append(b, c)
			i++
		default:
			var n int
			b, n = p.escape(b, i)
			i += n
		}
	}
	p.errorAt("unclosed-string", between(start, start+1), "this string is never closed").Hint = `end it with "`
	p.pos = start + 1
	return "", false
}

// escape decodes the escape at offset i and returns its length.
func (p *parser) escape(b []byte, i int) ([]byte, int) {
	if i+1 >= len(p.src) {
		return b, 1
	}
	switch c := p.src[i+1]; c {
	case '"', '\\', '/':
		return append(b, c), 2
	case 'n':
		return append(b, '\n'), 2
	case 't':
		return append(b, '\t'), 2
	case 'r':
		return append(b, '\r'), 2
	case 'b':
		return append(b, '\b'), 2
	case 'f':
		return append(b, '\f'), 2
	case 'u':
		r, ok := p.hex4(i + 2)
		if !ok {
			p.errorAt("bad-escape", between(i, min(i+6, len(p.src))), `\u needs four hexadecimal digits`)
			return b, 2
		}
		n := 6
		if utf16.IsSurrogate(r) {
			if low, ok := p.hex4(i + 8); ok && p.src[i+6] == '\\' && p.src[i+7] == 'u' {
				if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
					return utf8.AppendRune(b, pair), 12
				}
			}
			r = utf8.RuneError
		}
		return utf8.AppendRune(b, r), n
	}
	_, n := utf8.DecodeRuneInString(p.src[i+1:])
	p.errorAt("bad-escape", between(i, i+1+n), "unknown escape %s", quoteSource(p.src[i:i+1+n])).
		Hint = `write \\ for a backslash, or a raw string r"…"`
	return b, 1 + n
}

func (p *parser) hex4(i int) (rune, bool) {
	if i+4 > len(p.src) {
		return 0, false
	}
	var r rune
	for _, c := range []byte(p.src[i : i+4]) {
		switch {
		case isDigit(c):
			r = r<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// atRaw reports whether a raw string begins at the position.
func (p *parser) atRaw() bool {
	i := p.pos + 1
	for i < len(p.src) && p.src[i] == '#' {
		i++
	}
	return i < len(p.src) && p.src[i] == '"'
}

func (p *parser) rawString() expr {
	start := p.pos
	quote := start + 1 + strings.IndexByte(p.src[start+1:], '"')
	end := `"` + p.src[start+1:quote]
	i := strings.Index(p.src[quote+1:], end)
	if i < 0 {
		p.errorAt("unclosed-string", between(start, quote+1), "this raw string is never closed").Hint = "end it with " + shorten(end)
		p.pos = quote + 1
		return nil
	}
	p.pos = quote + 1 + i + len(end)
	p.log(tokOperand, start, p.pos)
	return &constExpr{placeOf(start, p.pos), String(p.src[quote+1 : quote+1+i])}
}
