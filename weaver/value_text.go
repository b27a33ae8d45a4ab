package weaver

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// Text returns the value as a template prints it: a string as it is; true or
// false; none as nothing; a number without exponent, whole ones without a
// point; an array as its items joined with ", "; an object as compact JSON
// with sorted keys.
func (v Value) Text() string {
	switch v.kind {
	case KindString:
		return v.str()
	case KindNone:
		return ""
	case KindBool:
		if v.bits != 0 {
			return "true"
		}
		return "false"
	}
	var buf [64]byte
	return string(appendText(buf[:0], v, math.MaxInt))
}

// AppendText appends Text to b.
func (v Value) AppendText(b []byte) []byte { return appendText(b, v, math.MaxInt) }

// appendText appends the text of v, giving up somewhere after b has grown
// beyond limit bytes.
func appendText(b []byte, v Value, limit int) []byte {
	switch v.kind {
	case KindString:
		return append(b, v.str()...)
	case KindNumber:
		return appendNumber(b, v.num())
	case KindBool:
		return strconv.AppendBool(b, v.bits != 0)
	case KindArray:
		for i, e := range v.items() {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = appendText(b, e, limit)
			if len(b) > limit {
				break
			}
		}
	case KindObject:
		return appendJSON(b, v, limit)
	}
	return b
}

// appendNumber prints a number: as an integer if it is whole and below 2^63,
// else the shortest decimal that reads back the same, without exponent.
func appendNumber(b []byte, f float64) []byte {
	if f == math.Trunc(f) && math.Abs(f) < 1<<63 {
		return strconv.AppendInt(b, int64(f), 10)
	}
	switch {
	case math.IsInf(f, 1):
		return append(b, "inf"...)
	case math.IsInf(f, -1):
		return append(b, "-inf"...)
	}
	return strconv.AppendFloat(b, f, 'f', -1, 64)
}

// AppendJSON appends the value as compact JSON with sorted keys: none is
// null, and so are numbers that JSON cannot write. Only quotes, backslashes
// and control characters are escaped.
func (v Value) AppendJSON(b []byte) []byte { return appendJSON(b, v, math.MaxInt) }

func appendJSON(b []byte, v Value, limit int) []byte {
	switch v.kind {
	case KindNone:
		return append(b, "null"...)
	case KindString:
		return appendQuoted(b, v.str())
	case KindNumber:
		f := v.num()
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return append(b, "null"...)
		}
		return appendNumber(b, f)
	case KindArray:
		b = append(b, '[')
		for i, e := range v.items() {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendJSON(b, e, limit)
			if len(b) > limit {
				return b
			}
		}
		return append(b, ']')
	case KindObject:
		o := v.object()
		b = append(b, '{')
		for i, k := range o.keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendQuoted(b, k)
			b = append(b, ':')
			b = appendJSON(b, o.vals[i], limit)
			if len(b) > limit {
				return b
			}
		}
		return append(b, '}')
	}
	return strconv.AppendBool(b, v.bits != 0)
}

const hexDigits = "0123456789abcdef"

// appendQuoted appends s as a JSON string. Bytes that are not UTF-8 become
// U+FFFD, since JSON has no other way to write them.
func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				b = append(append(b, s[from:i]...), "\uFFFD"...)
				from = i + 1
			}
			i += n
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		b = append(b, s[from:i]...)
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, '\\', 'n')
		case '\r':
			b = append(b, '\\', 'r')
		case '\t':
			b = append(b, '\\', 't')
		case '\b':
			b = append(b, '\\', 'b')
		case '\f':
			b = append(b, '\\', 'f')
		default:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		from = i
	}
	return append(append(b, s[from:]...), '"')
}
