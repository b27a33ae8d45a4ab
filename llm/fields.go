package llm

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// WithFields returns a JSON object with further members at its end, byte for
// byte, which win over its own, and without those that a server refuses. The
// fixed ones can be neither added nor dropped. For protocols.
func WithFields(object []byte, extra map[string]json.RawMessage, dropped []string, fixed ...string) ([]byte, error) {
	if len(extra) == 0 && len(dropped) == 0 {
		return object, nil
	}
	dec := json.NewDecoder(bytes.NewReader(object))
	if _, err := dec.Token(); err != nil {
		return nil, Wrapped(KindConfig, "the request cannot be written", err)
	}
	var out bytes.Buffer
	out.WriteByte('{')
	add := func(name string, value []byte) {
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		key, _ := json.Marshal(name) // a string can always be written
		out.Write(key)
		out.WriteByte(':')
		out.Write(value)
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, Wrapped(KindConfig, "the request cannot be written", err)
		}
		name, _ := key.(string)
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, Wrapped(KindConfig, "the request cannot be written", err)
		}
		_, replaced := extra[name]
		if !slices.Contains(fixed, name) && (replaced || slices.Contains(dropped, name)) {
			continue
		}
		add(name, value)
	}
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if slices.Contains(fixed, name) || slices.Contains(dropped, name) {
			continue
		}
		if !json.Valid(extra[name]) {
			return nil, &Error{Kind: KindConfig, Message: "extra: the field " + name + " is not JSON"}
		}
		add(name, extra[name])
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}
