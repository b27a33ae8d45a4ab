package memory

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Extra holds the fields of a JSON object that this version does not know, so
// that what a newer one wrote survives.
type Extra map[string]json.RawMessage

// readExtra returns the fields of the object src that no field of the struct v
// takes.
func readExtra(src []byte, v any) (Extra, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(src, &all); err != nil {
		return nil, err
	}
	var extra Extra
	known := fieldsOf(reflect.TypeOf(v).Elem())
	for name, raw := range all {
		if !known[strings.ToLower(name)] {
			if extra == nil {
				extra = Extra{}
			}
			extra[name] = raw
		}
	}
	return extra, nil
}

// writeExtra writes v and the extra fields behind its own.
func writeExtra(v any, extra Extra) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	src := bytes.TrimRight(out.Bytes(), "\n")
	if len(extra) == 0 {
		return src, nil
	}
	src = src[:len(src)-1]
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if len(src) > 1 {
			src = append(src, ',')
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		raw := extra[name]
		if len(raw) == 0 {
			raw = json.RawMessage("null")
		}
		src = append(append(append(src, key...), ':'), raw...)
	}
	return append(src, '}'), nil
}

var structFields sync.Map // reflect.Type → map[string]bool

func fieldsOf(t reflect.Type) map[string]bool {
	if known, ok := structFields.Load(t); ok {
		return known.(map[string]bool)
	}
	known := make(map[string]bool, t.NumField())
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		known[strings.ToLower(name)] = true
	}
	structFields.Store(t, known)
	return known
}

type operationJSON Operation

// MarshalJSON writes the operation with the fields it was read with.
func (o Operation) MarshalJSON() ([]byte, error) {
	v := operationJSON(o)
	return writeExtra(&v, o.Extra)
}

// UnmarshalJSON reads an operation and keeps unknown fields.
func (o *Operation) UnmarshalJSON(src []byte) error {
	var v operationJSON
	if err := json.Unmarshal(src, &v); err != nil {
		return err
	}
	extra, err := readExtra(src, &v)
	v.Extra = extra
	*o = Operation(v)
	return err
}
