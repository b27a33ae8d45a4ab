package compendium

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/weft-memory/weft/resolve"
)

// Object holds the values of an entry, a row or a group by name: string,
// float64, bool, [Ref], [Moment], []string, Object (a group, the rows of a list
// by key, a set of references by key), and json.RawMessage for what the schema
// does not know. An Object in an entry must not be changed.
type Object = map[string]any

// MarshalJSON writes the stored form.
func (r Ref) MarshalJSON() ([]byte, error) { return encode(r.String()), nil }

// MarshalJSON writes the stored form.
func (m Moment) MarshalJSON() ([]byte, error) { return encode(m.String()), nil }

// encode returns a value as JSON, members in the order of their names.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return json.RawMessage("null") // an Object holds only what can be encoded
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// decodeObject reads an object of the stored form, or of the form with lists in
// the place of keyed objects. A value of another kind than its field has is
// kept as it is, in raw JSON: what is stored is never lost for being odd.
func decodeObject(raw json.RawMessage, fields []Field) (Object, bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return nil, false
	}
	out := make(Object, len(members))
	for name, v := range members {
		f := member(fields, name)
		if f == nil {
			out[name] = compactJSON(v)
			continue
		}
		if value, ok := decodeValue(v, f); ok {
			if !isEmpty(value) {
				out[name] = value
			}
		} else {
			out[name] = compactJSON(v)
		}
	}
	return out, true
}

func decodeValue(raw json.RawMessage, f *Field) (any, bool) {
	switch f.Kind {
	case Number:
		var n float64
		return n, json.Unmarshal(raw, &n) == nil && string(raw) != "null" && setTo(&n, raw)
	case Flag:
		var b bool
		ok := json.Unmarshal(raw, &b) == nil && string(raw) != "null"
		return b, ok
	case Set:
		var list []string
		if json.Unmarshal(raw, &list) != nil {
			return nil, false
		}
		return list, true // as it stands: merging puts it in order
	case Group:
		return orNil(decodeObject(raw, f.Fields))
	case References:
		var list []string
		if json.Unmarshal(raw, &list) == nil {
			out := Object{}
			for _, s := range list {
				addRef(out, ParseRef(s))
			}
			return out, true
		}
		var m map[string]string
		if json.Unmarshal(raw, &m) != nil {
			return nil, false
		}
		out := Object{}
		for k, s := range m {
			out[k] = ParseRef(s)
		}
		return out, true
	case Rows:
		return decodeRows(raw, f)
	}
	var s string
	if json.Unmarshal(raw, &s) != nil || string(raw) == "null" {
		return nil, false
	}
	switch f.Kind {
	case Reference:
		return ParseRef(s), true
	case Time:
		return ParseMoment(s), true
	}
	return s, true
}

func setTo(n *float64, raw json.RawMessage) bool { return json.Unmarshal(raw, n) == nil }

func orNil(o Object, ok bool) (any, bool) { return o, ok }

func decodeRows(raw json.RawMessage, f *Field) (any, bool) {
	out := Object{}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		for i, item := range list {
			row, ok := decodeObject(item, f.Fields)
			if !ok {
				return nil, false
			}
			k := ""
			if named, ok := row[memberKey].(json.RawMessage); ok && json.Unmarshal(named, &k) == nil {
				delete(row, memberKey)
			}
			if k == "" {
				k = freeKey(out, f, row)
			}
			if at, ok := row[memberAt]; !ok || isEmpty(at) {
				row[memberAt] = encode(i)
			}
			out[k] = row
		}
		return out, true
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return nil, false
	}
	for k, item := range m {
		row, ok := decodeObject(item, f.Fields)
		if !ok {
			return nil, false
		}
		out[k] = row
	}
	return out, true
}

// The members that code keeps in a row beside its fields: when it was first
// written, which is its place among the others; and, in lists outside, its key.
const (
	memberAt  = "at"
	memberKey = "key"
)

// rowAt returns the place of a row among others.
func rowAt(row Object) int64 {
	raw, _ := row[memberAt].(json.RawMessage)
	var n int64
	if json.Unmarshal(raw, &n) != nil {
		return 0
	}
	return n
}

// isEmpty reports whether a value says nothing. Numbers and flags always do.
func isEmpty(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return strings.TrimSpace(v) == ""
	case Ref:
		return v.Text == "" && v.ID == ""
	case Moment:
		return v.IsZero()
	case []string:
		return len(v) == 0
	case Object:
		return len(v) == 0
	case json.RawMessage:
		return len(v) == 0
	}
	return false
}

// equal reports whether two values are the same.
func equal(a, b any) bool {
	switch x := a.(type) {
	case string, float64, bool, Ref, Moment, nil:
		return a == b
	case []string:
		y, ok := b.([]string)
		return ok && slices.Equal(x, y)
	case json.RawMessage:
		y, ok := b.(json.RawMessage)
		return ok && (bytes.Equal(x, y) || sameJSON(x, y))
	case Object:
		y, ok := b.(Object)
		if !ok || len(x) != len(y) {
			return false
		}
		for k, v := range x {
			w, ok := y[k]
			if !ok || !equal(v, w) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

func compactJSON(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return slices.Clone(raw)
	}
	return b.Bytes()
}

// cloneObject copies an object to the bottom.
func cloneObject(o Object) Object {
	if o == nil {
		return nil
	}
	out := make(Object, len(o))
	for k, v := range o {
		out[k] = cloneValue(v)
	}
	return out
}

func cloneValue(v any) any {
	switch v := v.(type) {
	case Object:
		return cloneObject(v)
	case []string:
		return slices.Clone(v)
	}
	return v
}

// sortedNames returns the names of an object in order.
func sortedNames[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// makeSet returns texts without those that are empty or equal in normal form to
// an earlier one, sorted by normal form.
func makeSet(list []string) []string {
	type item struct{ norm, text string }
	var items []item
	for _, s := range list {
		s = strings.TrimSpace(s)
		if s == "" {
			continue
		}
		n := resolve.Normal(s)
		if !slices.ContainsFunc(items, func(x item) bool { return x.norm == n }) {
			items = append(items, item{n, s})
		}
	}
	slices.SortFunc(items, func(a, b item) int {
		if c := strings.Compare(a.norm, b.norm); c != 0 {
			return c
		}
		return strings.Compare(a.text, b.text)
	})
	out := make([]string, len(items))
	for i, x := range items {
		out[i] = x.text
	}
	return out
}

// addRef puts a reference into a set, unless it is there. It returns the key.
func addRef(set Object, r Ref) string {
	for _, k := range sortedNames(set) {
		if x, ok := set[k].(Ref); ok && x.Same(r) {
			if x.ID == "" && r.ID != "" {
				set[k] = r
			}
			return k
		}
	}
	k := keyPart(r.Text)
	if _, taken := set[k]; taken {
		k += "#" + plainID(r.ID)
	}
	set[k] = r
	return k
}
