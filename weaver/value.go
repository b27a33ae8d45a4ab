package weaver

import (
	"math"
	"slices"
	"sort"
	"unsafe"
)

// Kind is the type of a Value.
type Kind uint8

// The kinds of value.
const (
	KindNone Kind = iota
	KindBool
	KindNumber
	KindString
	KindArray
	KindObject
)

var kindNames = [...]string{"none", "bool", "number", "string", "array", "object"}

// String returns the name of the kind as error messages use it.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "none"
}

// Value is a value of the language. It is immutable, 24 bytes small, and
// passed by value. The zero Value is None.
//
// Values are not comparable with ==: [Value.Equal] is the language's own
// comparison, [Value.Same] compares type and content. Tests that use cmp.Diff
// pass cmp.Comparer(weaver.Value.Same).
type Value struct {
	_ [0]func() // not comparable

	// ptr is the first byte of a string, the first element of an array, or
	// the *object. bits is the length of a string, the IEEE bits of a number,
	// or 1 for true; for an array or object its length in the lower half and
	// its size, in units of 8 bytes, in the upper.
	ptr  unsafe.Pointer
	bits uint64
	tag
}

// tag is the kind and depth of a value. It is a struct of its own because the
// compiler keeps structs of up to four fields in registers.
type tag struct {
	kind  Kind
	depth uint32 // of nesting: 1 for an array or object of plain values
}

// None is the value none.
var None Value

// object is the content of an object: keys in order of their bytes, which is
// the order of their code points, and the value of each.
type object struct {
	keys []string
	vals []Value
}

// Bool returns true or false as a value.
func Bool(b bool) Value {
	v := Value{tag: tag{kind: KindBool}}
	if b {
		v.bits = 1
	}
	return v
}

// Number returns a number. All numbers are 64-bit floats.
func Number(f float64) Value {
	return Value{tag: tag{kind: KindNumber}, bits: math.Float64bits(f)}
}

// String returns a text.
func String(s string) Value {
	return Value{tag: tag{kind: KindString}, ptr: unsafe.Pointer(unsafe.StringData(s)), bits: uint64(len(s))}
}

// Array returns an array of the items. The slice belongs to the value from
// then on and must not be changed.
func Array(items []Value) Value {
	size, depth := sum(items)
	return Value{
		ptr: unsafe.Pointer(unsafe.SliceData(items)), bits: pack(len(items), size),
		tag: tag{kind: KindArray, depth: 1 + depth},
	}
}

// Object returns an object with the entries of m, which is copied.
func Object(m map[string]Value) Value {
	o := &object{keys: make([]string, 0, len(m)), vals: make([]Value, 0, len(m))}
	for k := range m {
		o.keys = append(o.keys, k)
	}
	sort.Strings(o.keys)
	for _, k := range o.keys {
		o.vals = append(o.vals, m[k])
	}
	return objectValue(o)
}

func objectValue(o *object) Value {
	size, depth := sum(o.vals)
	for _, k := range o.keys {
		size += (uint64(len(k)) + 16 + 7) / 8
	}
	return Value{ptr: unsafe.Pointer(o), bits: pack(len(o.keys), size), tag: tag{kind: KindObject, depth: 1 + depth}}
}

// sum adds up the sizes of values, in units of 8 bytes, and finds the
// greatest depth.
func sum(items []Value) (size uint64, depth uint32) {
	for i := range items {
		v := &items[i]
		size += v.units()
		depth = max(depth, v.depth)
	}
	return size, depth
}

// units is the size of a value in units of 8 bytes.
func (v *Value) units() uint64 {
	switch v.kind {
	case KindString:
		return valueUnits + (v.bits+7)/8
	case KindArray, KindObject:
		return valueUnits + v.bits>>32
	}
	return valueUnits
}

// pack combines a length and a size; a size too large is cut to the largest.
func pack(n int, units uint64) uint64 {
	return min(units, math.MaxUint32)<<32 | uint64(uint32(n))
}

// ObjectBuilder makes an object entry by entry. The zero ObjectBuilder is
// ready to use.
type ObjectBuilder struct {
	keys  []string
	vals  []Value
	index map[string]int // once there are many
}

// manyKeys is the number of keys above which a map finds them faster.
const manyKeys = 16

func (b *ObjectBuilder) find(key string) int {
	if b.index != nil {
		if i, ok := b.index[key]; ok {
			return i
		}
		return -1
	}
	return slices.Index(b.keys, key)
}

// Set adds an entry, or replaces the one with the same key. It reports
// whether the key was new.
func (b *ObjectBuilder) Set(key string, v Value) bool {
	if i := b.find(key); i >= 0 {
		b.vals[i] = v
		return false
	}
	b.keys, b.vals = append(b.keys, key), append(b.vals, v)
	switch n := len(b.keys); {
	case b.index != nil:
		b.index[key] = n - 1
	case n > manyKeys:
		b.index = make(map[string]int, 2*n)
		for i, k := range b.keys {
			b.index[k] = i
		}
	}
	return true
}

// Len returns the number of entries so far.
func (b *ObjectBuilder) Len() int { return len(b.keys) }

// Value returns the object and empties the builder.
func (b *ObjectBuilder) Value() Value {
	o := &object{keys: b.keys, vals: b.vals}
	*b = ObjectBuilder{}
	if !sort.StringsAreSorted(o.keys) {
		sort.Sort(o)
	}
	return objectValue(o)
}

// object sorts by key.

func (o *object) Len() int           { return len(o.keys) }
func (o *object) Less(i, j int) bool { return o.keys[i] < o.keys[j] }
func (o *object) Swap(i, j int) {
	o.keys[i], o.keys[j] = o.keys[j], o.keys[i]
	o.vals[i], o.vals[j] = o.vals[j], o.vals[i]
}

// Kind returns the type of the value.
func (v Value) Kind() Kind { return v.kind }

// IsNone reports whether the value is none.
func (v Value) IsNone() bool { return v.kind == KindNone }

// AsBool returns the content of a bool, and whether it is one.
func (v Value) AsBool() (b, ok bool) { return v.kind == KindBool && v.bits != 0, v.kind == KindBool }

// AsNumber returns the content of a number, and whether it is one.
func (v Value) AsNumber() (float64, bool) {
	if v.kind != KindNumber {
		return 0, false
	}
	return math.Float64frombits(v.bits), true
}

// AsString returns the content of a string, and whether it is one.
func (v Value) AsString() (string, bool) {
	if v.kind != KindString {
		return "", false
	}
	return v.str(), true
}

// AsArray returns the items of an array, and whether it is one. The slice
// must not be changed.
func (v Value) AsArray() ([]Value, bool) {
	if v.kind != KindArray {
		return nil, false
	}
	return v.items(), true
}

// Unchecked access, for code that has looked at the kind.

func (v Value) num() float64    { return math.Float64frombits(v.bits) }
func (v Value) str() string     { return unsafe.String((*byte)(v.ptr), int(v.bits)) }
func (v Value) items() []Value  { return unsafe.Slice((*Value)(v.ptr), int(uint32(v.bits))) }
func (v Value) object() *object { return (*object)(v.ptr) }

// find returns the position of a key, or -1.
func (o *object) find(key string) int {
	if len(o.keys) <= 8 {
		for i, k := range o.keys {
			if k == key {
				return i
			}
		}
		return -1
	}
	i := sort.SearchStrings(o.keys, key)
	if i < len(o.keys) && o.keys[i] == key {
		return i
	}
	return -1
}

// Get returns the value of a key of an object, and whether it is there.
func (v Value) Get(key string) (Value, bool) {
	if v.kind != KindObject {
		return None, false
	}
	o := v.object()
	if i := o.find(key); i >= 0 {
		return o.vals[i], true
	}
	return None, false
}

// Index returns the item of an array at a position from 0, and whether it is
// there.
func (v Value) Index(i int) (Value, bool) {
	if v.kind != KindArray || i < 0 || i >= v.Len() {
		return None, false
	}
	return v.items()[i], true
}

// Keys returns the keys of an object in order. The slice must not be changed.
func (v Value) Keys() []string {
	if v.kind != KindObject {
		return nil
	}
	return v.object().keys
}

// Entries calls yield for each entry of an object in order of its keys, until
// yield returns false. It has the form of an iter.Seq2.
func (v Value) Entries(yield func(string, Value) bool) {
	if v.kind != KindObject {
		return
	}
	o := v.object()
	for i, k := range o.keys {
		if !yield(k, o.vals[i]) {
			return
		}
	}
}

// Len returns the number of bytes of a string, items of an array or entries
// of an object, and 0 for anything else.
func (v Value) Len() int {
	switch v.kind {
	case KindString:
		return int(v.bits)
	case KindArray, KindObject:
		return int(uint32(v.bits))
	}
	return 0
}

// Depth returns how deeply arrays and objects are nested: 0 for a plain
// value, 1 for an array or object of plain values.
func (v Value) Depth() int { return int(v.depth) }

// Truthy reports whether a condition takes the value for true. False are "",
// 0, false, none and the empty array and object; all else is true, also "0",
// "false" and NaN.
func (v Value) Truthy() bool {
	switch v.kind {
	case KindNumber:
		return v.num() != 0
	case KindArray, KindObject:
		return uint32(v.bits) != 0
	}
	return v.bits != 0 // none has no bits
}

// tolerance is the absolute difference below which two numbers are equal: the
// distance from 1 to the next larger float.
const tolerance = 0x1p-52

// Equal is the language's ==. It never fails: values of different types are
// unequal, numbers are equal when they differ by less than 2.2e-16 (NaN and
// the infinities are unequal to everything), and arrays and objects are never
// equal, not even to themselves. See Same for a comparison of content.
func (v Value) Equal(w Value) bool {
	if v.kind != w.kind {
		return false
	}
	switch v.kind {
	case KindNumber:
		return math.Abs(v.num()-w.num()) < tolerance
	case KindString:
		return v.str() == w.str()
	case KindBool:
		return v.bits == w.bits
	}
	return v.kind == KindNone
}

// Same reports whether two values have the same type and content, nested ones
// included. Numbers must be the same float; NaN is the same as NaN, 0 as -0.
func (v Value) Same(w Value) bool {
	if v.kind != w.kind || v.depth != w.depth {
		return false
	}
	switch v.kind {
	case KindNumber:
		a, b := v.num(), w.num()
		return a == b || a != a && b != b
	case KindString:
		return v.str() == w.str()
	case KindArray:
		a, b := v.items(), w.items()
		if len(a) != len(b) {
			return false
		}
		for i := range a {
			if !a[i].Same(b[i]) {
				return false
			}
		}
		return true
	case KindObject:
		a, b := v.object(), w.object()
		if len(a.keys) != len(b.keys) {
			return false
		}
		for i := range a.keys {
			if a.keys[i] != b.keys[i] || !a.vals[i].Same(b.vals[i]) {
				return false
			}
		}
		return true
	}
	return v.bits == w.bits
}

const valueUnits = uint64(unsafe.Sizeof(Value{}) / 8)

// Size returns roughly how many bytes the value takes when everything nested
// in it is counted as often as it occurs. It is known without looking at the
// content; above 32 GiB it no longer grows.
func (v Value) Size() int { return int(v.units()) * 8 }
