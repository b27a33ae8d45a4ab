package memory

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
)

// equalJSON reports whether two values are the same; absent differs from null.
func equalJSON(a, b json.RawMessage) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	if bytes.Equal(a, b) {
		return true
	}
	x, ok1 := decodeJSON(a)
	y, ok2 := decodeJSON(b)
	return ok1 && ok2 && reflect.DeepEqual(x, y)
}

func decodeJSON(raw json.RawMessage) (v any, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	return v, dec.Decode(&v) == nil
}

// mergeValue puts the change from old to new into cur, three-way. Lists are
// merged by what was added and removed, objects member by member; other values
// are replaced, and clash says that cur was neither old nor new.
func mergeValue(old, new, cur json.RawMessage) (merged json.RawMessage, clash bool) {
	switch {
	case equalJSON(cur, old):
		return new, false
	case equalJSON(cur, new):
		return cur, false
	}
	if a, b, c, ok := lists(old, new, cur); ok {
		return mergeLists(a, b, c)
	}
	if a, b, c, ok := objects(old, new, cur); ok {
		return mergeObjects(a, b, c)
	}
	return new, true
}

// lists decodes three lists; absent ones are empty, if one is there.
func lists(raw ...json.RawMessage) (a, b, c []json.RawMessage, ok bool) {
	var out [3][]json.RawMessage
	some := false
	for i, r := range raw {
		if len(r) == 0 {
			continue
		}
		if bytes.TrimLeft(r, " \t\r\n")[0] != '[' || json.Unmarshal(r, &out[i]) != nil {
			return nil, nil, nil, false
		}
		some = true
	}
	return out[0], out[1], out[2], some
}

// mergeLists removes from cur what old has and new has not, and adds what new
// has and old has not, behind the item that it follows in new. Items with a key
// (a member id, key or name) are the same if that is the same, and are merged.
func mergeLists(old, new, cur []json.RawMessage) (json.RawMessage, bool) {
	index := func(list []json.RawMessage, item json.RawMessage) int {
		key := itemKey(item)
		return slices.IndexFunc(list, func(x json.RawMessage) bool { return equalJSON(itemKey(x), key) })
	}
	clash := false
	var out []json.RawMessage
	for _, item := range cur {
		o, n := index(old, item), index(new, item)
		switch {
		case o >= 0 && n < 0: // removed
			if !equalJSON(old[o], item) {
				clash = true
			}
		case n >= 0 && !equalJSON(new[n], item):
			var was json.RawMessage
			if o >= 0 {
				was = old[o]
			}
			m, c := mergeValue(was, new[n], item)
			out, clash = append(out, m), clash || c
		default:
			out = append(out, item)
		}
	}
	for n, item := range new {
		if index(old, item) >= 0 || index(out, item) >= 0 {
			continue
		}
		at := len(out)
		for back := n - 1; back >= 0; back-- {
			if i := index(out, new[back]); i >= 0 {
				at = i + 1
				break
			}
		}
		out = slices.Insert(out, at, item)
	}
	if len(out) == 0 {
		return nil, clash
	}
	return encodeJSON(out), clash
}

// itemKey returns what tells an item of a list from others: the member of an
// object that names it, else the item.
func itemKey(item json.RawMessage) json.RawMessage {
	if len(item) == 0 || item[0] != '{' {
		return item
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(item, &m) != nil {
		return item
	}
	for _, name := range []string{"id", "key", "name"} {
		if v, ok := m[name]; ok {
			return v
		}
	}
	return item
}

func objects(raw ...json.RawMessage) (a, b, c []field, ok bool) {
	var out [3][]field
	some := false
	for i, r := range raw {
		if len(r) == 0 {
			continue
		}
		fields, err := objectFields(r)
		if err != nil {
			return nil, nil, nil, false
		}
		out[i], some = fields, true
	}
	return out[0], out[1], out[2], some
}

func mergeObjects(old, new, cur []field) (json.RawMessage, bool) {
	clash := false
	out := slices.Clone(cur)
	names := make([]string, 0, len(old)+len(new))
	for _, f := range append(slices.Clone(new), old...) {
		if !slices.Contains(names, f.name) {
			names = append(names, f.name)
		}
	}
	for _, name := range names {
		was, is := getField(old, name), getField(new, name)
		if equalJSON(was, is) {
			continue
		}
		m, c := mergeValue(was, is, getField(out, name))
		out, clash = setField(out, name, m), clash || c
	}
	if len(out) == 0 {
		return nil, clash
	}
	return objectJSON(out), clash
}

func getField(fields []field, name string) json.RawMessage {
	for i := range fields {
		if fields[i].name == name {
			return fields[i].raw
		}
	}
	return nil
}

// setField returns the fields with one set; absent takes it out. The list may
// be changed.
func setField(fields []field, name string, raw json.RawMessage) []field {
	for i := range fields {
		if fields[i].name != name {
			continue
		}
		if len(raw) == 0 {
			return slices.Delete(fields, i, i+1)
		}
		fields[i].raw = raw
		return fields
	}
	if len(raw) == 0 {
		return fields
	}
	return append(fields, field{name, raw})
}

func encodeJSON(v any) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return json.RawMessage("null") // raw JSON and texts always encode
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}
