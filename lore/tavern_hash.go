package lore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// TavernHash returns the number by which SillyTavern recognises an entry in the
// records of its timed effects: a 53-bit hash of the entry's JSON text. raw is
// the entry as it stands in the world file (its fields in that order), world
// the name of the book.
//
// It is needed only to take over running effects from a chat of SillyTavern.
func TavernHash(raw []byte, world string) (uint64, error) {
	text, err := tavernText(raw, world)
	if err != nil {
		return 0, fmt.Errorf("hash of an entry: %w", err)
	}
	return hash53(text), nil
}

// tavernText writes the entry as SillyTavern has it in memory: uid, world, the
// other fields with the decorators taken off the content, then the decorators,
// and the content last where there were none.
func tavernText(raw []byte, world string) (string, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	type member struct {
		key string
		raw json.RawMessage
	}
	var members []member
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return "", fmt.Errorf("not a JSON object")
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return "", err
		}
		key, _ := t.(string)
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return "", err
		}
		members = append(members, member{key, v})
	}
	var b strings.Builder
	b.WriteByte('{')
	field := func(key string, write func()) {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		writeJS(&b, key)
		b.WriteByte(':')
		write()
	}
	content, hasContent := "", false
	for _, m := range members {
		switch m.key {
		case "uid":
			field("uid", func() { writeJSRaw(&b, m.raw) })
		case "content":
			content, hasContent = jsText(m.raw)
		}
	}
	field("world", func() { writeJS(&b, world) })
	list, body := DecoratorsTavern.Split(content)
	for _, m := range members {
		switch {
		case m.key == "uid" || m.key == "world":
		case m.key == "content" && hasContent:
			field("content", func() { writeJS(&b, body) })
		default:
			field(m.key, func() { writeJSRaw(&b, m.raw) })
		}
	}
	field("decorators", func() {
		b.WriteByte('[')
		for i, d := range list {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJS(&b, d.Raw)
		}
		b.WriteByte(']')
	})
	if !hasContent {
		field("content", func() { writeJS(&b, body) })
	}
	b.WriteByte('}')
	return b.String(), nil
}

// jsText decodes a JSON string. A lone surrogate becomes the three bytes of its
// code point, so that writeJS can give it back.
func jsText(raw json.RawMessage) (string, bool) {
	s := strings.TrimSpace(string(raw))
	if len(s) < 2 || s[0] != '"' {
		return "", false
	}
	s = s[1 : len(s)-1]
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'u':
			u := hexUnit(s, i+1)
			i += 4
			if utf16.IsSurrogate(u) {
				if i+2 < len(s) && s[i+1] == '\\' && s[i+2] == 'u' {
					if r := utf16.DecodeRune(u, hexUnit(s, i+3)); r != utf8.RuneError {
						b.WriteRune(r)
						i += 6
						continue
					}
				}
				b.Write([]byte{0xe0 | byte(u>>12), 0x80 | byte(u>>6)&0x3f, 0x80 | byte(u)&0x3f})
				continue
			}
			b.WriteRune(u)
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), true
}

func hexUnit(s string, at int) rune {
	if at+4 > len(s) {
		return utf8.RuneError
	}
	n, err := strconv.ParseUint(s[at:at+4], 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}

// writeJS writes a string as JSON.stringify does.
func writeJS(b *strings.Builder, s string) {
	b.WriteByte('"')
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1 && i+3 <= len(s) && s[i] == 0xed:
			fmt.Fprintf(b, `\u%04x`, rune(s[i]&0x0f)<<12|rune(s[i+1]&0x3f)<<6|rune(s[i+2]&0x3f))
			size = 3
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\b':
			b.WriteString(`\b`)
		case r == '\f':
			b.WriteString(`\f`)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20:
			fmt.Fprintf(b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
		i += size
	}
	b.WriteByte('"')
}

// writeJSRaw writes a JSON value as JSON.stringify would after JSON.parse: no
// spaces, numbers as JavaScript prints them, keys that are whole numbers first.
func writeJSRaw(b *strings.Builder, raw json.RawMessage) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		b.WriteString("null")
		return
	}
	switch raw[0] {
	case '"':
		s, _ := jsText(raw)
		writeJS(b, s)
	case '[':
		var items []json.RawMessage
		_ = json.Unmarshal(raw, &items)
		b.WriteByte('[')
		for i, v := range items {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSRaw(b, v)
		}
		b.WriteByte(']')
	case '{':
		writeJSObject(b, raw)
	case 't', 'f', 'n':
		b.Write(raw)
	default:
		f, _ := strconv.ParseFloat(string(raw), 64)
		b.WriteString(jsNumber(f))
	}
}

func writeJSObject(b *strings.Builder, raw json.RawMessage) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	_, _ = dec.Token()
	values := map[string]json.RawMessage{}
	var keys []string
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			break
		}
		var v json.RawMessage
		if dec.Decode(&v) != nil {
			break
		}
		key, _ := t.(string)
		if _, ok := values[key]; !ok {
			keys = append(keys, key)
		}
		values[key] = v
	}
	b.WriteByte('{')
	for i, k := range JSKeyOrder(keys) {
		if i > 0 {
			b.WriteByte(',')
		}
		writeJS(b, k)
		b.WriteByte(':')
		writeJSRaw(b, values[k])
	}
	b.WriteByte('}')
}

// jsNumber prints a number as JavaScript does.
func jsNumber(f float64) string {
	switch {
	case math.IsInf(f, 0) || math.IsNaN(f):
		return "null"
	case f == 0:
		return "0"
	}
	if a := math.Abs(f); a >= 1e-6 && a < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	mantissa, exp, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	return mantissa + "e" + exp[:1] + strings.TrimLeft(exp[1:], "0")
}

// hash53 is the 53-bit hash over the UTF-16 code units of a text.
func hash53(text string) uint64 {
	a, b := uint32(0xdeadbeef), uint32(0x41c6ce57)
	unit := func(c uint32) {
		a = (a ^ c) * 2654435761
		b = (b ^ c) * 1597334677
	}
	for _, r := range text {
		if r >= 0x10000 {
			hi, lo := utf16.EncodeRune(r)
			unit(uint32(hi))
			unit(uint32(lo))
			continue
		}
		unit(uint32(r))
	}
	x := (a^a>>16)*2246822507 ^ (b^b>>13)*3266489909
	y := (b^b>>16)*2246822507 ^ (x^x>>13)*3266489909
	return uint64(y&0x1fffff)<<32 + uint64(x)
}
