package memory

import (
	"bytes"
	"encoding/json"
	"errors"
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
// in the order in which Weft writes them, without id and content, keys and
// clauses in their one form.
func fieldsOfEntry(e *lore.Entry) ([]field, error) {
	if list, ok := plainFields(e); ok {
		return list, nil
	}
	return allFields(e)
}

func allFields(e *lore.Entry) ([]field, error) {
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
	return inOneForm(list), nil
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
	e, err := readEntry(objectJSON(append([]field{{"id", quoted(id)}}, fields...)))
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

// canonical returns the value of a field as Weft writes it, absent for a
// default, or an error if no entry can hold it.
func canonical(name string, raw json.RawMessage) (json.RawMessage, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	if !json.Valid(raw) {
		return nil, errors.New("is no JSON")
	}
	switch {
	case !nativeFields[name] && name != fieldKnows:
		return compact(raw), nil
	case textFields[name] && raw[0] == '"':
		var s string
		if err := json.Unmarshal(raw, &s); err != nil || s == "" {
			return nil, err
		}
		return quoted(s), nil
	case name == fieldContent || name == fieldBase64 || name == fieldKnows:
		return raw, nil
	case name == fieldKeys || name == "tags":
		var texts []string
		if json.Unmarshal(raw, &texts) == nil && len(texts) > 0 && !bytes.Contains(raw, []byte("null")) {
			return encodeJSON(texts), nil
		}
	}
	e, err := entryOf("x", []field{{name, raw}}, "")
	if err != nil {
		return nil, err
	}
	list, err := fieldsOfEntry(e)
	return getField(list, name), err
}

func compact(raw json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// textFields are native fields that hold a text.
var textFields = map[string]bool{"name": true, "comment": true, "type": true, "folder": true, "group": true}
