package compendium

import (
	"encoding/json"
	"fmt"
)

// JSONSchema returns the JSON Schema (2020-12) of the entries of a type, in the
// form that [Entry.MarshalJSON] writes. Members that it does not name are
// allowed: they are a user's own, and are kept.
func JSONSchema(t Type) json.RawMessage {
	props := properties(Fields(t))
	props["id"] = Object{"type": "string", "minLength": 1.0}
	props["book"] = Object{"type": "string"}
	props["layer"] = Object{"enum": []string{string(LayerCanon), string(LayerWorld), string(LayerStory)}}
	props["type"] = Object{"const": string(t)}
	props[memberSchema] = Object{"type": "integer", "minimum": 0.0, "maximum": float64(SchemaVersion)}
	source := Object{
		"type": "object",
		"properties": Object{
			"by": Object{"enum": []string{string(ByPerson), string(BySidecar), string(ByImport), string(ByRule), ""}}, "op": str(), "node": str(),
			"turn": Object{"type": "integer"}, "call": Object{"type": "integer"}, "story": str(), "quote": Object{"type": "string", "maxLength": 200.0}, "model": str(), "phase": str(),
		},
	}
	props[memberSources] = Object{"type": "object", "description": "where the value of each path comes from", "additionalProperties": source}
	props[memberHistory] = Object{
		"type": "object", "description": "values that were replaced",
		"additionalProperties": Object{
			"type": "object", "required": []string{"path"},
			"properties": Object{"path": str(), "value": true, "from": source, "until": source, "disputed": Object{"type": "boolean"}},
		},
	}
	return encode(Object{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": fmt.Sprintf("urn:weft:compendium:%d:%s", SchemaVersion, t),
		"title": string(t), "type": "object", "required": []string{"type", "name"}, "properties": props,
	})
}

func str() Object { return Object{"type": "string"} }

func properties(fields []Field) Object {
	props := Object{}
	for i := range fields {
		props[fields[i].Name] = fields[i].schema()
	}
	return props
}

// schema returns the JSON Schema of the values of a field.
func (f *Field) schema() Object {
	o := Object{}
	if f.Doc != "" {
		o["description"] = f.Doc
	}
	switch f.Kind {
	case Number:
		o["type"], o["minimum"], o["maximum"] = "integer", float64(f.Low), float64(f.High)
	case Flag:
		o["type"] = "boolean"
	case Enum, State:
		o["type"] = "string"
		if len(f.Values) > 0 {
			o["enum"] = f.Values
		}
	case Reference:
		o["type"] = "string"
		o["x-reference"] = true
		if len(f.Targets) > 0 {
			o["x-targets"] = f.Targets
		}
		if f.Edge != "" {
			o["x-edge"] = f.Edge
		}
	case References:
		o["type"], o["items"], o["uniqueItems"] = "array", str(), true
		if f.Edge != "" {
			o["x-edge"] = f.Edge
		}
	case Set:
		o["type"], o["items"], o["maxItems"], o["uniqueItems"] = "array", str(), float64(f.Max), true
	case Rows:
		props := properties(f.Fields)
		props[memberKey] = Object{"type": "string", "description": "names the row in paths"}
		props[memberAt] = Object{"type": "integer", "description": "its place among the others"}
		row := Object{"type": "object", "properties": props}
		if m := f.main(); m != "" {
			row["required"] = []string{m}
		}
		o["type"], o["items"], o["maxItems"], o["x-key"] = "array", row, float64(f.Max), f.Key
	case Group:
		o["type"], o["properties"] = "object", properties(f.Fields)
	default:
		o["type"] = "string"
		if f.Kind == Time {
			o["description"] = "time of the story: a label, or label @ minutes"
		} else {
			// Longer texts that people wrote are kept; only models are held to it.
			o["x-maxLength"] = float64(f.Max)
		}
	}
	return o
}
