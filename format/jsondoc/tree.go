package jsondoc

import (
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Tree is JSON in memory: a value that was made, or a copy of one that was
// read. Strings are exact (see [Value.ExactText]), numbers keep their spelling.
// A nil *Tree is a value that is not there.
type Tree struct {
	Kind Kind
	// Text is the content of a string, the spelling of a number, or "true" and
	// "false".
	Text    string
	Items   []*Tree  // of an array
	Members []Member // of an object
}

// Member is a member of an object.
type Member struct {
	Key   string
	Value *Tree
}

// NewNull returns null.
func NewNull() *Tree { return &Tree{Kind: Null} }

// NewBool returns a boolean.
func NewBool(b bool) *Tree { return &Tree{Kind: Bool, Text: strconv.FormatBool(b)} }

// Str returns a string.
func Str(s string) *Tree { return &Tree{Kind: String, Text: s} }

// Int returns a whole number.
func Int(n int) *Tree { return &Tree{Kind: Number, Text: strconv.Itoa(n)} }

// Num returns a number as JavaScript prints it; null for NaN and infinities.
func Num(f float64) *Tree {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return NewNull()
	}
	if f == 0 {
		return Int(0)
	}
	if a := math.Abs(f); a >= 1e-6 && a < 1e21 {
		return &Tree{Kind: Number, Text: strconv.FormatFloat(f, 'f', -1, 64)}
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	mantissa, exp, _ := strings.Cut(s, "e")
	sign := exp[:1]
	return &Tree{Kind: Number, Text: mantissa + "e" + sign + strings.TrimLeft(exp[1:], "0")}
}

// List returns an array.
func List(items ...*Tree) *Tree { return &Tree{Kind: Array, Items: items} }

// StrList returns an array of strings, empty for nil.
func StrList(texts []string) *Tree {
	t := &Tree{Kind: Array}
	for _, s := range texts {
		t.Items = append(t.Items, Str(s))
	}
	return t
}

// Obj returns an object of the members.
func Obj(members ...Member) *Tree { return &Tree{Kind: Object, Members: members} }

// M returns a member, for [Obj].
func M(key string, value *Tree) Member { return Member{key, value} }

// Tree copies the value. It is nil for the zero Value.
func (v Value) Tree() *Tree {
	switch k := v.Kind(); k {
	case Invalid:
		return nil
	case String:
		return &Tree{Kind: String, Text: v.ExactText()}
	case Array:
		t := &Tree{Kind: Array, Items: make([]*Tree, 0, v.Len())}
		for _, item := range v.Items() {
			t.Items = append(t.Items, item.Tree())
		}
		return t
	case Object:
		t := &Tree{Kind: Object, Members: make([]Member, 0, v.Len())}
		for key, m := range v.Members() {
			t.Members = append(t.Members, Member{key, m.Tree()})
		}
		return t
	case Null:
		return &Tree{Kind: Null}
	default:
		return &Tree{Kind: k, Text: v.Raw()}
	}
}

// Get returns the member with this key, the last of several, or nil.
func (t *Tree) Get(key string) *Tree {
	if t == nil || t.Kind != Object {
		return nil
	}
	for _, m := range slices.Backward(t.Members) {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}

// At follows a path of keys through objects.
func (t *Tree) At(path ...string) *Tree {
	for _, p := range path {
		t = t.Get(p)
	}
	return t
}

// Set changes the member with this key, or appends it. A nil value deletes it.
func (t *Tree) Set(key string, value *Tree) {
	if value == nil {
		t.Delete(key)
		return
	}
	for i := len(t.Members) - 1; i >= 0; i-- {
		if t.Members[i].Key == key {
			t.Members[i].Value = value
			return
		}
	}
	t.Members = append(t.Members, Member{key, value})
}

// SetAt sets the member at a path and makes the objects on the way to it.
func (t *Tree) SetAt(value *Tree, path ...string) {
	for _, p := range path[:len(path)-1] {
		next := t.Get(p)
		if next == nil || next.Kind != Object {
			if value == nil {
				return
			}
			next = Obj()
			t.Set(p, next)
		}
		t = next
	}
	t.Set(path[len(path)-1], value)
}

// Delete removes all members with this key.
func (t *Tree) Delete(key string) {
	if t == nil {
		return
	}
	t.Members = slices.DeleteFunc(t.Members, func(m Member) bool { return m.Key == key })
}

// Clone returns a deep copy.
func (t *Tree) Clone() *Tree {
	if t == nil {
		return nil
	}
	c := *t
	c.Items = slices.Clone(t.Items)
	for i, item := range c.Items {
		c.Items[i] = item.Clone()
	}
	c.Members = slices.Clone(t.Members)
	for i, m := range c.Members {
		c.Members[i].Value = m.Value.Clone()
	}
	return &c
}

// Equal reports whether two trees are the same JSON: same kinds, texts, number
// spellings, and members in the same order.
func (t *Tree) Equal(u *Tree) bool {
	if t == nil || u == nil {
		return t == u
	}
	return t.Kind == u.Kind && t.Text == u.Text &&
		slices.EqualFunc(t.Items, u.Items, (*Tree).Equal) &&
		slices.EqualFunc(t.Members, u.Members, func(a, b Member) bool {
			return a.Key == b.Key && a.Value.Equal(b.Value)
		})
}

// Same reports whether two trees mean the same: the order of members and the
// spelling of numbers do not count.
func (t *Tree) Same(u *Tree) bool {
	if t == nil || u == nil {
		return t == u
	}
	if t.Kind != u.Kind {
		return false
	}
	switch t.Kind {
	case Number:
		if t.Text == u.Text {
			return true
		}
		a, _ := strconv.ParseFloat(t.Text, 64)
		b, _ := strconv.ParseFloat(u.Text, 64)
		return a == b && math.Abs(a) <= 1<<53
	case Object:
		if len(t.Members) != len(u.Members) {
			return false
		}
		for _, m := range t.Members {
			if !m.Value.Same(u.Get(m.Key)) {
				return false
			}
		}
		return true
	}
	return t.Text == u.Text && slices.EqualFunc(t.Items, u.Items, (*Tree).Same)
}

// String writes the tree on one line without spaces.
func (t *Tree) String() string { return string(t.Append(nil, Compact())) }

// Bytes writes the tree as a whole file: with the byte order mark, the line
// ends and the final newline of the style.
func (t *Tree) Bytes(s Style) []byte {
	var b []byte
	if s.BOM && s.UTF16 == "" {
		b = append(b, bom...)
	}
	b = append(t.Append(b, s), s.Final...)
	switch s.UTF16 {
	case "le":
		return EncodeUTF16(b, binary.LittleEndian)
	case "be":
		return EncodeUTF16(b, binary.BigEndian)
	}
	return b
}

// EncodeUTF16 writes a text as UTF-16 with a byte order mark.
func EncodeUTF16(text []byte, order binary.ByteOrder) []byte {
	units := utf16.Encode([]rune(string(text)))
	b := make([]byte, 2, 2+2*len(units))
	order.PutUint16(b, 0xfeff)
	for _, u := range units {
		var pair [2]byte
		order.PutUint16(pair[:], u)
		b = append(b, pair[:]...)
	}
	return b
}

// Append writes the tree in the style, without byte order mark and final
// newline.
func (t *Tree) Append(b []byte, s Style) []byte { return t.append(b, &s, 0) }

func (t *Tree) append(b []byte, s *Style, depth int) []byte {
	if t == nil {
		return append(b, "null"...)
	}
	switch t.Kind {
	case String:
		return appendQuoted(b, t.Text, s)
	case Array:
		if len(t.Items) == 0 {
			return append(b, "[]"...)
		}
		inline := s.InlineLists && !slices.ContainsFunc(t.Items, func(i *Tree) bool { return i != nil && i.Kind >= Array })
		b = append(b, '[')
		for i, item := range t.Items {
			if i > 0 {
				b = append(b, ',')
			}
			b = s.gap(b, i == 0, inline, depth+1)
			b = item.append(b, s, depth+1)
		}
		if s.multiLine() && !inline {
			b = s.newline(b, depth)
		}
		return append(b, ']')
	case Object:
		if len(t.Members) == 0 {
			return append(b, "{}"...)
		}
		b = append(b, '{')
		for i, m := range t.Members {
			if i > 0 {
				b = append(b, ',')
			}
			b = s.gap(b, i == 0, false, depth+1)
			b = appendQuoted(b, m.Key, s)
			b = append(b, s.Colon...)
			b = m.Value.append(b, s, depth+1)
		}
		if s.multiLine() {
			b = s.newline(b, depth)
		}
		return append(b, '}')
	case Number, Bool:
		return append(b, t.Text...)
	}
	return append(b, "null"...)
}

const hexLower, hexUpper = "0123456789abcdef", "0123456789ABCDEF"

// appendQuoted writes a string with as few escapes as the style allows. A lone
// surrogate (see ExactText) is written as its escape.
func appendQuoted(b []byte, text string, s *Style) []byte {
	digits := hexLower
	if s.UpperHex {
		digits = hexUpper
	}
	unit := func(u rune) {
		b = append(b, '\\', 'u', digits[u>>12&15], digits[u>>8&15], digits[u>>4&15], digits[u&15])
	}
	b = append(b, '"')
	from := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			plain := c >= 0x20 && c != '"' && c != '\\'
			if s.EscapeHTML && (c == '<' || c == '>' || c == '&') || s.EscapeSlash && c == '/' {
				plain = false
			}
			if plain {
				i++
				continue
			}
			b = append(b, text[from:i]...)
			switch c {
			case '"', '\\', '/':
				b = append(b, '\\', c)
			case '\b':
				b = append(b, `\b`...)
			case '\f':
				b = append(b, `\f`...)
			case '\n':
				b = append(b, `\n`...)
			case '\r':
				b = append(b, `\r`...)
			case '\t':
				b = append(b, `\t`...)
			default:
				unit(rune(c))
			}
			i++
			from = i
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1 && isSurrogateAt(text, i):
			b = append(b, text[from:i]...)
			unit(rune(c&0x0f)<<12 | rune(text[i+1]&0x3f)<<6 | rune(text[i+2]&0x3f))
			size, from = 3, i+3
		case s.ASCII && !(r == utf8.RuneError && size == 1):
			b = append(b, text[from:i]...)
			if r >= 0x10000 {
				unit(0xd800 + (r-0x10000)>>10)
				unit(0xdc00 + (r-0x10000)&0x3ff)
			} else {
				unit(r)
			}
			from = i + size
		}
		i += size
	}
	b = append(b, text[from:]...)
	return append(b, '"')
}

func isSurrogateAt(s string, i int) bool {
	return i+3 <= len(s) && s[i] == 0xed && s[i+1] >= 0xa0 && s[i+1] <= 0xbf && s[i+2]&0xc0 == 0x80
}
