package lore

import (
	"encoding/json"
	"slices"

	"go.yaml.in/yaml/v3"
)

// readExtensions reads what other formats left in an entry or a book.
func readExtensions(n *yaml.Node, ext *map[string]json.RawMessage) {
	v := resolve(n)
	for i := 0; i+1 < len(v.Content); i += 2 {
		setExt(ext, resolve(v.Content[i]).Value, nodeJSON(v.Content[i+1]))
	}
}

// ownExtensions reports whether an `extensions` field has our shape: a mapping
// by format. Anything else is kept as an unknown field.
func ownExtensions(n *yaml.Node) bool {
	v := resolve(n)
	if v.Kind != yaml.MappingNode {
		return false
	}
	for i := 0; i+1 < len(v.Content); i += 2 {
		if resolve(v.Content[i]).Value == nativeExt {
			return false
		}
	}
	return true
}

func extensionsNode(ext map[string]json.RawMessage) *yaml.Node {
	names := make([]string, 0, len(ext))
	for name := range ext {
		if name != nativeExt {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var pairs []any
	for _, name := range names {
		pairs = append(pairs, name, rawNode(ext[name]))
	}
	return mapNode(pairs...)
}

func setExt(ext *map[string]json.RawMessage, name string, raw json.RawMessage) {
	if *ext == nil {
		*ext = map[string]json.RawMessage{}
	}
	(*ext)[name] = raw
}

// unknownFields returns the unknown fields that a native file kept, in order.
func unknownFields(ext map[string]json.RawMessage) []*yaml.Node {
	raw, ok := ext[nativeExt]
	if !ok {
		return nil
	}
	n := rawNode(raw)
	if n.Kind != yaml.MappingNode {
		return []*yaml.Node{textNode(nativeExt), n}
	}
	return n.Content
}
