package compendium

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// The members of the stored form that are no fields of the type.
const (
	memberSchema  = "schema"
	memberSources = "provenance"
	memberHistory = "history"
)

// envelopeMembers are the members of the outside form beside the fields.
var envelopeMembers = []string{"id", "book", "layer", "type", memberSchema, memberSources, memberHistory}

// stored returns the typed data in the form that stands in a lorebook entry:
// everything but what that entry has fields for.
func (e *Entry) stored() Object {
	out := make(Object, len(e.Data)+3)
	for name, v := range e.Data {
		switch name {
		case "name", "description", "tags":
		default:
			if !isEmpty(v) {
				out[name] = v
			}
		}
	}
	schema := e.Schema
	if schema == 0 {
		schema = SchemaVersion
	}
	out[memberSchema] = float64(schema)
	if len(e.Sources) > 0 {
		m := make(Object, len(e.Sources))
		for p, s := range e.Sources {
			m[p] = s
		}
		out[memberSources] = m
	}
	if len(e.History) > 0 {
		m := make(Object, len(e.History))
		for k, p := range e.History {
			m[k] = p
		}
		out[memberHistory] = m
	}
	return out
}

// readStored reads the stored form into the entry.
func (e *Entry) readStored(raw json.RawMessage) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		return fmt.Errorf("%s of entry %q is no object", FieldName, e.ID)
	}
	if v, ok := members[memberSchema]; ok {
		if json.Unmarshal(v, &e.Schema) != nil || e.Schema < 0 {
			return fmt.Errorf("%s.schema of entry %q is no version", FieldName, e.ID)
		}
	}
	if e.Schema > SchemaVersion {
		return fmt.Errorf("entry %q is of schema version %d, newer than %d: %w", e.ID, e.Schema, SchemaVersion, ErrNewer)
	}
	for name, into := range map[string]any{memberSources: &e.Sources, memberHistory: &e.History} {
		v, ok := members[name]
		if !ok {
			continue
		}
		if err := json.Unmarshal(v, into); err != nil {
			return fmt.Errorf("%s.%s of entry %q: %w", FieldName, name, e.ID, err)
		}
	}
	for _, name := range []string{memberSchema, memberSources, memberHistory} {
		delete(members, name)
	}
	if e.Schema < SchemaVersion {
		Migrate(e.Type, e.Schema, members)
		e.Schema = SchemaVersion
	}
	data, ok := decodeObject(encode(members), Fields(e.Type))
	if !ok {
		return fmt.Errorf("%s of entry %q is no object", FieldName, e.ID)
	}
	for _, name := range []string{"name", "description", "tags"} {
		if v, ok := e.Data[name]; ok {
			data[name] = v
		}
	}
	e.Data = data
	return nil
}

// ErrNewer is returned for entries that a later version of the schema wrote.
// They are kept as they are.
var ErrNewer = errors.New("written by a newer version")

// MarshalJSON writes the entry in the form for people and programs, which
// [JSONSchema] describes: keyed arrays are lists, in their order, each row with
// its key.
func (e *Entry) MarshalJSON() ([]byte, error) {
	out := outward(e.Data, Fields(e.Type))
	put := func(name, v string) {
		if v != "" {
			out[name] = v
		}
	}
	put("id", e.ID)
	put("book", e.Book)
	put("layer", string(e.Layer))
	put("type", string(e.Type))
	s := e.stored()
	for _, name := range []string{memberSchema, memberSources, memberHistory} {
		if v, ok := s[name]; ok {
			out[name] = v
		}
	}
	return encode(out), nil
}

// outward returns an object with lists in the place of keyed objects.
func outward(o Object, fields []Field) Object {
	out := make(Object, len(o))
	for name, v := range o {
		f := member(fields, name)
		if f == nil {
			out[name] = v
			continue
		}
		switch x := v.(type) {
		case Object:
			switch f.Kind {
			case Group:
				out[name] = outward(x, f.Fields)
			case References:
				out[name] = sortedRefs(x)
			case Rows:
				list := make([]any, 0, len(x))
				for _, r := range sortedRows(x) {
					row := outward(r.Object, f.Fields)
					row[memberKey] = r.key
					list = append(list, row)
				}
				out[name] = list
			}
		default:
			out[name] = v
		}
	}
	return out
}

// UnmarshalJSON reads what MarshalJSON writes, and typed entries that people
// write: no key, place or provenance is needed.
func (e *Entry) UnmarshalJSON(src []byte) error {
	var head struct {
		ID, Book string
		Layer    Layer
		Type     Type
	}
	if err := json.Unmarshal(src, &head); err != nil {
		return fmt.Errorf("typed entry: %w", err)
	}
	if !head.Type.Known() {
		return fmt.Errorf("typed entry %q: type %q is none of character, location, organization, event, plot, threat, item, power, rule, culture, note", head.ID, head.Type)
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(src, &members); err != nil {
		return err
	}
	out := Entry{ID: head.ID, Book: head.Book, Layer: head.Layer, Type: head.Type}
	rest := make(map[string]json.RawMessage, len(members))
	for name, v := range members {
		if !slices.Contains(envelopeMembers[:4], name) {
			rest[name] = v
		}
	}
	if err := out.readStored(encode(rest)); err != nil {
		return err
	}
	*e = out
	return nil
}
