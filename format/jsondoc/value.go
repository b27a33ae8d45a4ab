package jsondoc

import (
	"encoding/json"
	"iter"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Kind is the type of a JSON value.
type Kind uint8

// The kinds. Invalid is the kind of a value that is not there.
const (
	Invalid Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"nothing", "null", "a boolean", "a number", "a string", "a list", "an object"}

// String names the kind as a message does: "a string", "an object".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "nothing"
}

// Value is a handle on one value of a document. The zero Value stands for a
// value that is not there: its kind is Invalid and all its accessors give
// nothing, so that chains such as v.Get("a").Get("b").Text() are safe.
type Value struct {
	doc *Doc
	i   uint32
}

// Root returns the outermost value.
func (d *Doc) Root() Value { return Value{doc: d} }

// Text returns the whole text.
func (d *Doc) Text() string { return d.text }

// Duplicates returns the keys that stand more than once in their object.
func (d *Doc) Duplicates() []Duplicate { return d.dups }

// Style returns how the document is written.
func (d *Doc) Style() Style { return d.style }

// Position returns line and column (in code points), from 1, of an offset.
func (d *Doc) Position(offset int) (line, column int) {
	d.places.once.Do(func() { d.places.fill(d.text) })
	return d.places.at(d.text, min(max(offset, 0), len(d.text)))
}

func (v Value) node() *node { return &v.doc.nodes[v.i] }

// Doc returns the document of the value, nil for the zero Value.
func (v Value) Doc() *Doc { return v.doc }

// Kind returns the kind of the value, Invalid if it is not there.
func (v Value) Kind() Kind {
	if v.doc == nil {
		return Invalid
	}
	return v.node().kind
}

// Exists reports whether the value is there. A null is there.
func (v Value) Exists() bool { return v.doc != nil }

// IsNull reports whether the value is null or not there.
func (v Value) IsNull() bool { return v.Kind() <= Null }

// Span returns the range of bytes of the value in the text.
func (v Value) Span() (start, end int) {
	if v.doc == nil {
		return 0, 0
	}
	n := v.node()
	return int(n.start), int(n.end)
}

// Line returns the line on which the value begins, from 1; 0 if it is not there.
func (v Value) Line() int {
	if v.doc == nil {
		return 0
	}
	return 1 + strings.Count(v.doc.text[:v.node().start], "\n")
}

// Raw returns the source of the value; it shares memory with the document.
func (v Value) Raw() string {
	start, end := v.Span()
	if v.doc == nil {
		return ""
	}
	return v.doc.text[start:end]
}

// Text returns a string as valid UTF-8: a lone surrogate or a bad byte becomes
// U+FFFD. It is "" for other kinds.
func (v Value) Text() string {
	if v.Kind() != String {
		return ""
	}
	s := unquote(v.Raw(), v.node().flags&flagEscaped != 0, false)
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\ufffd")
	}
	return s
}

// ExactText is like Text but loses nothing: a lone surrogate becomes the three
// bytes that UTF-8 would have for it, and bad bytes stay.
func (v Value) ExactText() string {
	if v.Kind() != String {
		return ""
	}
	return unquote(v.Raw(), v.node().flags&flagEscaped != 0, true)
}

// Bool returns a boolean; ok is false for other kinds.
func (v Value) Bool() (b, ok bool) {
	if v.Kind() != Bool {
		return false, false
	}
	return v.doc.text[v.node().start] == 't', true
}

// Truthy reports whether JavaScript takes the value for true.
func (v Value) Truthy() bool {
	switch v.Kind() {
	case Bool:
		return v.Raw() == "true"
	case Number:
		f, _ := v.Float()
		return f != 0
	case String:
		return v.Raw() != `""`
	case Array, Object:
		return true
	}
	return false
}

// Number returns the spelling of a number, "" for other kinds.
func (v Value) Number() json.Number {
	if v.Kind() != Number {
		return ""
	}
	return json.Number(v.Raw())
}

// Float returns a number; ok is false for other kinds. A number beyond the
// range is an infinity.
func (v Value) Float() (f float64, ok bool) {
	if v.Kind() != Number {
		return 0, false
	}
	f, _ = strconv.ParseFloat(v.Raw(), 64)
	return f, true
}

// Int returns a number as an int: 1e2 and 100.0 are 100, fractions are cut and
// numbers out of range are the nearest in range. ok is false for other kinds.
func (v Value) Int() (n int, ok bool) {
	if v.Kind() != Number {
		return 0, false
	}
	if n, err := strconv.Atoi(v.Raw()); err == nil {
		return n, true
	}
	f, _ := v.Float()
	return clampInt(f), true
}

func clampInt(f float64) int {
	switch {
	case f != f:
		return 0
	case f >= math.MaxInt64:
		return math.MaxInt64
	case f <= math.MinInt64:
		return math.MinInt64
	}
	return int(f)
}

// Len returns the number of items or members.
func (v Value) Len() int {
	if v.doc == nil {
		return 0
	}
	return int(v.node().count)
}

// Items yields the items of an array, or the values of an object.
func (v Value) Items() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		for n, i := 0, v.i+1; n < v.Len(); n++ {
			if !yield(n, Value{v.doc, i}) {
				return
			}
			i = v.doc.nodes[i].next
		}
	}
}

// Members yields the members of an object in file order, repeated keys
// included. It yields nothing for other kinds.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.Kind() != Object {
			return
		}
		for _, m := range v.Items() {
			if !yield(m.Key(), m) {
				return
			}
		}
	}
}

// Key returns the key of a member, "" for values that are no members.
func (v Value) Key() string {
	if v.doc == nil || v.node().key == 0 {
		return ""
	}
	return unquote(v.rawKey(), v.node().flags&flagKeyEscaped != 0, true)
}

func (v Value) rawKey() string {
	k := v.doc.text[v.node().key:]
	return k[:quotedLen(k)]
}

// Get returns the member of an object with this key, the last one if there are
// several; the zero Value if there is none.
func (v Value) Get(key string) Value {
	var found Value
	if v.Kind() != Object {
		return found
	}
	nodes, text := v.doc.nodes, v.doc.text
	i, hash := v.i+1, uint16(hashKey(key))
	for range nodes[v.i].count {
		n := &nodes[i]
		if n.hash != hash && n.flags&flagKeyEscaped == 0 {
			i = n.next
			continue
		}
		if n.flags&flagKeyEscaped == 0 {
			// Plain keys are compared in place.
			from := int(n.key) + 1
			to := from + len(key)
			if to < len(text) && text[to] == '"' && text[from:to] == key {
				if found = (Value{v.doc, i}); v.doc.unique {
					return found
				}
			}
		} else if m := (Value{v.doc, i}); m.Key() == key {
			found = m
		}
		i = n.next
	}
	return found
}

// Has reports whether an object has the key.
func (v Value) Has(key string) bool { return v.Get(key).Exists() }

// Index returns the i-th item, or the zero Value.
func (v Value) Index(i int) Value {
	if i < 0 || v.Kind() < Array {
		return Value{}
	}
	for n, item := range v.Items() {
		if n == i {
			return item
		}
	}
	return Value{}
}

// At follows a path of keys; an array takes a decimal index.
func (v Value) At(path ...string) Value {
	for _, p := range path {
		if v.Kind() == Array {
			i, err := strconv.Atoi(p)
			if err != nil {
				return Value{}
			}
			v = v.Index(i)
		} else {
			v = v.Get(p)
		}
	}
	return v
}

// Strings returns the strings of an array, as Text gives them. Items of other
// kinds are left out and ok is false; it is false too if v is no array.
func (v Value) Strings() (list []string, ok bool) {
	if v.Kind() != Array {
		return nil, false
	}
	ok = true
	list = make([]string, 0, v.Len())
	for _, item := range v.Items() {
		if item.Kind() == String {
			list = append(list, item.Text())
		} else {
			ok = false
		}
	}
	return list, ok
}

// unquote decodes a quoted string. With exact, a lone surrogate becomes the
// three bytes of its code point; otherwise U+FFFD.
func unquote(quoted string, escaped, exact bool) string {
	s := quoted[1 : len(quoted)-1]
	if !escaped {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			j := strings.IndexByte(s[i:], '\\')
			if j < 0 {
				j = len(s) - i
			}
			b.WriteString(s[i : i+j])
			i += j
			continue
		}
		if s[i+1] != 'u' {
			b.WriteByte(unescape(s[i+1]))
			i += 2
			continue
		}
		unit, _ := hex4(s, i+2)
		i += 6
		r := rune(unit)
		if utf16.IsSurrogate(r) {
			r = utf8.RuneError
			if strings.HasPrefix(s[i:], `\u`) {
				low, _ := hex4(s, i+2)
				if pair := utf16.DecodeRune(rune(unit), rune(low)); pair != utf8.RuneError {
					r, i = pair, i+6
				}
			}
			if r == utf8.RuneError && exact {
				b.Write([]byte{0xe0 | byte(unit>>12), 0x80 | byte(unit>>6)&0x3f, 0x80 | byte(unit)&0x3f})
				continue
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}

func unescape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}
