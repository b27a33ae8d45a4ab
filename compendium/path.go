package compendium

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Paths name values inside an entry: members with dots, rows by their key in
// brackets, as in current_state.location or relationships[sera|romance].status.

func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func rowPath(path, key string) string { return path + "[" + key + "]" }

// step is a part of a path.
type step struct {
	name string
	key  string
	row  bool
}

// splitPath takes a path apart; ok is false if it is none.
func splitPath(path string) (steps []step, ok bool) {
	for path != "" {
		if path[0] == '[' {
			key, rest, found := strings.Cut(path[1:], "]")
			if !found || len(steps) == 0 {
				return nil, false
			}
			steps = append(steps, step{key: key, row: true})
			path = strings.TrimPrefix(rest, ".")
			continue
		}
		i := strings.IndexAny(path, ".[")
		if i < 0 {
			i = len(path)
		}
		if i == 0 {
			return nil, false
		}
		steps = append(steps, step{name: path[:i]})
		path = strings.TrimPrefix(path[i:], ".")
	}
	return steps, len(steps) > 0
}

// within reports whether a path is another one or lies below it.
func within(path, top string) bool {
	rest, ok := strings.CutPrefix(path, top)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// keyedRow is a row of a keyed array with its key.
type keyedRow struct {
	key string
	Object
}

// sortedRows returns the rows of a list in the order in which they were first
// written, then by key.
func sortedRows(v any) []keyedRow {
	o, _ := v.(Object)
	if len(o) == 0 {
		return nil
	}
	out := make([]keyedRow, 0, len(o))
	for k, r := range o {
		if row, ok := r.(Object); ok {
			out = append(out, keyedRow{k, row})
		}
	}
	slices.SortFunc(out, func(a, b keyedRow) int {
		return cmp.Or(cmp.Compare(rowAt(a.Object), rowAt(b.Object)), strings.Compare(a.key, b.key))
	})
	return out
}

// sortedRefs returns the references of a set in the order of their keys.
func sortedRefs(v any) []Ref {
	o, _ := v.(Object)
	var out []Ref
	for _, k := range sortedNames(o) {
		if r, ok := o[k].(Ref); ok {
			out = append(out, r)
		}
	}
	return out
}

func formatNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
