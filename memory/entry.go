package memory

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/weft-memory/weft/lore"
)

// The fields that hold an entry's text in Weft's own JSON: one or the other.
const (
	fieldContent = "content"
	fieldBase64  = "content_base64"
)

// field is one field of an entry as JSON.
type field struct {
	name string
	raw  json.RawMessage
}

// fieldsOfEntry returns the fields of an entry that are not at their default,
// in the order in which Weft writes them, without id and content.
func fieldsOfEntry(e *lore.Entry) ([]field, error) {
	c := *e
	c.Content = ""
	raw, err := lore.MarshalEntry(&c)
	if err != nil {
		return nil, err
	}
	list, err := objectFields(raw)
	if err != nil {
		return nil, err
	}
	out := list[:0]
	for _, f := range list {
		if f.name != "id" && f.name != fieldContent {
			out = append(out, f)
		}
	}
	return out, nil
}

// objectFields returns the members of a JSON object in order.
func objectFields(raw json.RawMessage) ([]field, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil, fmt.Errorf("expected an object, got %.20s", raw)
	}
	var out []field
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var v json.RawMessage
		if err := dec.Decode(&v); err != nil {
			return nil, err
		}
		out = append(out, field{tok.(string), v})
	}
	return out, nil
}

// entryOf makes an entry of fields, id and text.
func entryOf(id string, fields []field, content string) (*lore.Entry, error) {
	e, err := lore.UnmarshalEntry(objectJSON(append([]field{{"id", quoted(id)}}, fields...)))
	if err != nil {
		return nil, err
	}
	e.Content = content
	return e, nil
}

func objectJSON(fields []field) json.RawMessage {
	out := []byte{'{'}
	for i, f := range fields {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, quoted(f.name)...), ':'), f.raw...)
	}
	return append(out, '}')
}

func quoted(s string) json.RawMessage {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return json.RawMessage(`""`) // strings always encode
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// checkField reports whether an entry can hold the value. Absent is a value.
func checkField(name string, raw json.RawMessage) error {
	if len(raw) == 0 {
		return nil
	}
	if !json.Valid(raw) {
		return fmt.Errorf("is no JSON")
	}
	if name == fieldContent || name == fieldBase64 {
		return nil
	}
	list := []field{{name, raw}}
	if name == "secondary_logic" || name == "selective" { // without keys they say nothing
		list = append([]field{{"secondary_keys", json.RawMessage(`["x"]`)}}, list...)
	}
	_, err := entryOf("x", list, "")
	return err
}
