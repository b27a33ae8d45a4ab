package memory

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Extra holds the fields of a JSON object that this version does not know, so
// that what a newer one wrote survives.
type Extra map[string]json.RawMessage

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

// The names of the fields that operations and changes know, in lower case.
var (
	operationFields = fieldsOf(reflect.TypeFor[operationJSON]())
	changeFields    = fieldsOf(reflect.TypeFor[changeJSON]())
)

func fieldsOf(t reflect.Type) map[string]bool {
	known := make(map[string]bool, t.NumField())
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "-" {
			known[strings.ToLower(name)] = true
		}
	}
	return known
}

type operationJSON Operation

// MarshalJSON writes the operation with the fields it was read with.
func (o Operation) MarshalJSON() ([]byte, error) {
	v := operationJSON(o)
	return writeExtra(&v, o.Extra)
}
