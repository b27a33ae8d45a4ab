package world

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/weft-memory/weft/store"
)

// mergePatch lays a merge patch (RFC 7396) over a JSON value: members of
// objects are laid over each other, null takes one away, anything else replaces.
func mergePatch(target, patch json.RawMessage) (json.RawMessage, error) {
	if len(bytes.TrimSpace(patch)) == 0 {
		return target, nil
	}
	if !json.Valid(patch) {
		return nil, store.Errorf(store.Invalid, "the patch is not JSON")
	}
	return merge(target, patch, 0)
}

const maxMerge = 200 // levels of nested objects

func merge(target, patch json.RawMessage, depth int) (json.RawMessage, error) {
	members, ok := object(patch)
	if !ok {
		return patch, nil
	}
	if depth > maxMerge {
		return nil, store.Errorf(store.Invalid, "the patch is nested more than %d levels deep", maxMerge)
	}
	out, ok := object(target)
	if !ok {
		out = map[string]json.RawMessage{}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		v := members[name]
		if isNull(v) {
			delete(out, name)
			continue
		}
		merged, err := merge(out[name], v, depth+1)
		if err != nil {
			return nil, err
		}
		out[name] = merged
	}
	return json.Marshal(out)
}

func object(raw json.RawMessage) (map[string]json.RawMessage, bool) {
	if trimmed := bytes.TrimSpace(raw); len(trimmed) == 0 || trimmed[0] != '{' {
		return nil, false
	}
	var m map[string]json.RawMessage
	return m, json.Unmarshal(raw, &m) == nil
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }
