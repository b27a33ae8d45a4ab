package lore

import (
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/weft-memory/weft/weaver/diag"
)

// fieldsRead is what readFields found.
type fieldsRead struct {
	given   map[string]*yaml.Node // by name, known fields with a value
	unknown []*yaml.Node          // names and values in turn
	names   []*yaml.Node          // the nodes of the unknown names
}

// readFields reads the fields of root into t in the order of the table, so
// that the order in the file does not matter. Fields that the table lacks are
// kept and reported if they look mistyped.
func readFields[T any](r *reader, fields []fieldSpec[T], root *yaml.Node, t *T, meant map[string]string, skip ...string) fieldsRead {
	values := make([]*yaml.Node, len(fields))
	out := fieldsRead{given: make(map[string]*yaml.Node, len(root.Content)/2)}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		name := resolve(key).Value
		if slices.Contains(skip, name) {
			continue
		}
		at := slices.IndexFunc(fields, func(f fieldSpec[T]) bool { return f.name == name })
		if at < 0 || name == "extensions" && !ownExtensions(value) {
			out.unknown = append(out.unknown, textNode(name), value)
			out.names = append(out.names, key)
			continue
		}
		if isNull(resolve(value)) {
			if wantsValue[name] {
				r.warn(key, codeEmpty, "give it a value or remove the line", "%s is empty and has no effect", name)
			}
			continue
		}
		values[at] = value
		out.given[name] = value
	}
	for i, n := range values {
		if n != nil {
			fields[i].read(r, n, fields[i].name, t)
		}
	}
	var known []string
	if len(out.names) > 0 {
		known = fieldNames(fields)
	}
	for _, key := range out.names {
		name := resolve(key).Value
		if strings.HasPrefix(name, "x_") || strings.HasPrefix(name, "x-") { // other programs' own
			continue
		}
		if hint, ok := meant[name]; ok {
			r.warn(key, codeUnknown, hint, "%s is not a field of Weft and has no effect", name)
		} else if best := nearest(name, known); best != "" && out.given[best] == nil {
			r.warn(key, codeUnknown, "did you mean "+best+"?", "%s is not a field of Weft and has no effect", name)
		}
	}
	return out
}

// wantsValue are the fields for which "nothing" is not a value.
var wantsValue = map[string]bool{
	"keywords": true, "regex": true, "keys": true, "secondary_keys": true, "clauses": true, "tags": true, "fallback": true,
	"sources": true, "kinds": true, "constant": true, "enabled": true, "priority": true, "insertion_order": true,
	"sticky_turns": true, "cooldown": true, "delay": true, "max_tokens": true, "slot": true, "ignore_budget": true,
}

// keepUnknown stores unknown fields as one JSON object.
func keepUnknown(e *Entry, unknown []*yaml.Node) {
	if len(unknown) > 0 {
		setExt(&e.Ext, nativeExt, nodeJSON(&yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: unknown}))
	}
}

// entryMeant says for names from elsewhere what they are called here.
var entryMeant = map[string]string{
	"keyword": "write keywords: [...]", "key": "write keywords: [...]", "triggers": "write keywords: [...], or kinds for kinds of turn",
	"secondary_keywords": "the field is secondary_keys", "keysecondary": "the field is secondary_keys",
	"sticky": "the field is sticky_turns", "order": "the field is insertion_order",
	"disable": "write enabled: false", "disabled": "write enabled: false",
	"depth": "for the place in the chat write slot: !at_depth 4; for the search write scan_depth", "position": "the field is slot",
	"content": "the text goes below the second ---", "body": "the text goes below the second ---",
	"budget": "the field is max_tokens", "tokens": "the field is max_tokens", "chance": "the field is probability",
	"inclusion_group": "the field is inclusion: {names: [...]}", "character_filter": "the field is characters",
	"vectorized": "write similarity: true", "if": "the field is condition", "when": "the field is condition",
}

// readEntry reads the settings of an entry. ok is false if any was wrong.
func readEntry(r *reader, root *yaml.Node, e *Entry, skip ...string) (found fieldsRead, ok bool) {
	before := r.errors()
	found = readFields(r, entryFields, root, e, entryMeant, skip...)
	keepUnknown(e, found.unknown)
	if strings.TrimSpace(e.ID) == "" {
		switch n := found.given["id"]; {
		case n == nil:
			r.fail(root, codeMissing, "add a line such as id: old_mill", "id is missing")
		case resolve(n).Kind == yaml.ScalarNode:
			r.fail(n, codeMissing, "give the entry a short name of its own", "id is empty")
		}
	}
	return found, r.errors() == before
}

func (p *problems) errors() int {
	n := p.skipped
	for _, d := range p.list {
		if d.Severity == diag.Error {
			n++
		}
	}
	return n
}

// pair is a field to be written.
type pair struct {
	name  string
	value *yaml.Node
}

// entryPairs returns the fields of an entry that differ from their defaults,
// in writing order, with the unknown ones at the end.
func entryPairs(e *Entry, defaultPriority int) []pair {
	var pairs []pair
	for _, f := range entryFields {
		n := f.write(e)
		if n == nil || f.name == "priority" && e.Priority == defaultPriority {
			continue
		}
		pairs = append(pairs, pair{f.name, n})
	}
	return appendUnknown(pairs, e.Ext)
}

// appendUnknown adds unknown fields whose names are free.
func appendUnknown(pairs []pair, ext map[string]json.RawMessage) []pair {
	known := len(pairs)
	unknown := unknownFields(ext)
	has := func(name string) bool {
		return slices.ContainsFunc(pairs[:known], func(p pair) bool { return p.name == name })
	}
	for i := 0; i+1 < len(unknown); i += 2 {
		name := unknown[i].Value
		if has(name) {
			continue
		}
		pairs = append(pairs, pair{name, unknown[i+1]})
	}
	return pairs
}
