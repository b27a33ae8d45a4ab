package engine

import (
	"maps"
	"slices"
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
)

// variables are the namespaces of one assembly: those of the state and of the
// host, with the changes made since. The maps they began with are never
// changed.
type variables struct {
	state map[string]map[string]weaver.Value
	host  map[string]map[string]weaver.Value
	// own are namespaces written to: copies with everything in them.
	own map[string]map[string]weaver.Value
	// sizes are the sizes of own namespaces, in bytes.
	sizes   map[string]int
	journal []varChange
	max     int
	clock   clock
}

// varChange is one write, for undoing it.
type varChange struct {
	scope, name string
	old         weaver.Value
	had         bool
	size        int // of the namespace before
}

func (v *variables) get(scope, name string) (weaver.Value, bool) {
	if m, ok := v.own[scope]; ok {
		x, ok := m[name]
		return x, ok
	}
	if x, ok := v.host[scope][name]; ok {
		return x, true
	}
	x, ok := v.state[scope][name]
	return x, ok
}

// lookup is get, with a dotted name also as a path into an object.
func (v *variables) lookup(scope, name string) (weaver.Value, bool) {
	if x, ok := v.get(scope, name); ok {
		return x, true
	}
	root, rest, dotted := strings.Cut(name, ".")
	if !dotted {
		if scope == "chat" {
			return v.clock.value(name)
		}
		return weaver.None, false
	}
	x, ok := v.get(scope, root)
	for _, step := range strings.Split(rest, ".") {
		if !ok {
			break
		}
		x, ok = x.Get(step)
	}
	return x, ok
}

// set writes a variable. A dotted name writes into the object that its first
// part names, unless there is a variable of the whole name.
func (v *variables) set(scope, name string, x weaver.Value) error {
	m := v.writable(scope)
	if root, rest, dotted := strings.Cut(name, "."); dotted {
		if _, flat := m[name]; !flat {
			base, ok := m[root]
			y, err := assign(base, ok, scope+":"+root, strings.Split(rest, "."), x)
			if err != nil {
				return err
			}
			name, x = root, y
		}
	}
	old, had := m[name]
	size := v.sizes[scope]
	grown := size + variableSize(name, x)
	if had {
		grown -= variableSize(name, old)
	}
	if grown > v.max && grown > size {
		return weaver.Errorf(weaver.ResourceLimit, "%s:%s does not fit: the namespace %s holds %d bytes at most and would hold %d",
			scope, name, scope, v.max, grown).WithHint("keep less in it, or clear what is no longer needed")
	}
	v.journal = append(v.journal, varChange{scope, name, old, had, size})
	v.sizes[scope] = grown
	m[name] = x
	return nil
}

// assign returns base with x at the path. A step that is missing is made.
func assign(base weaver.Value, there bool, path string, steps []string, x weaver.Value) (weaver.Value, error) {
	if len(steps) == 0 {
		return x, nil
	}
	if there && !base.IsNone() && base.Kind() != weaver.KindObject {
		return weaver.None, weaver.Errorf(weaver.TypeError, "%s is a %s, so it has no %s to set", path, base.Kind(), steps[0])
	}
	var b weaver.ObjectBuilder
	base.Entries(func(k string, v weaver.Value) bool {
		b.Set(k, v)
		return true
	})
	old, ok := base.Get(steps[0])
	y, err := assign(old, ok, path+"."+steps[0], steps[1:], x)
	if err != nil {
		return weaver.None, err
	}
	b.Set(steps[0], y)
	return b.Value(), nil
}

// writable returns the own copy of a namespace.
func (v *variables) writable(scope string) map[string]weaver.Value {
	if m, ok := v.own[scope]; ok {
		return m
	}
	m := make(map[string]weaver.Value, len(v.state[scope])+len(v.host[scope])+1)
	maps.Copy(m, v.state[scope])
	maps.Copy(m, v.host[scope])
	size := 0
	for name, x := range m {
		size += variableSize(name, x)
	}
	if v.own == nil {
		v.own = make(map[string]map[string]weaver.Value)
		v.sizes = make(map[string]int)
	}
	v.own[scope], v.sizes[scope] = m, size
	return m
}

// undo takes back every write since the journal had n entries.
func (v *variables) undo(n int) {
	for i := len(v.journal) - 1; i >= n; i-- {
		c := v.journal[i]
		if c.had {
			v.own[c.scope][c.name] = c.old
		} else {
			delete(v.own[c.scope], c.name)
		}
		v.sizes[c.scope] = c.size
	}
	v.journal = v.journal[:n]
}

// names lists the variables of a namespace, sorted.
func (v *variables) names(scope string) []string {
	if m, ok := v.own[scope]; ok {
		return slices.Sorted(maps.Keys(m))
	}
	names := slices.Collect(maps.Keys(v.state[scope]))
	names = slices.AppendSeq(names, maps.Keys(v.host[scope]))
	slices.Sort(names)
	return slices.Compact(names)
}

// merged returns the namespaces for the next state: what was written, and what
// the host set in writable ones.
func (v *variables) merged(writable func(scope string) bool) map[string]map[string]weaver.Value {
	for scope, m := range v.host {
		if len(m) > 0 && writable(scope) {
			v.writable(scope)
		}
	}
	if len(v.own) == 0 {
		return v.state
	}
	out := make(map[string]map[string]weaver.Value, len(v.state)+len(v.own))
	maps.Copy(out, v.state)
	for scope, m := range v.own {
		if len(m) == 0 {
			delete(out, scope)
			continue
		}
		out[scope] = m
	}
	return out
}

// variableSize is about the length of a variable as JSON.
func variableSize(name string, v weaver.Value) int { return len(name) + 4 + jsonSize(v) }

func jsonSize(v weaver.Value) int {
	switch v.Kind() {
	case weaver.KindString:
		return v.Len() + 2
	case weaver.KindArray:
		n := 2
		items, _ := v.AsArray()
		for _, x := range items {
			n += 1 + jsonSize(x)
		}
		return n
	case weaver.KindObject:
		n := 2
		v.Entries(func(k string, x weaver.Value) bool {
			n += len(k) + 4 + jsonSize(x)
			return true
		})
		return n
	}
	return 6
}

// access returns what the entries of a book may do with a namespace; ok is
// false for one that neither the host nor the book knows.
func (e *Engine) access(book *lore.Book, scope string) (lore.Access, bool) {
	if n, ok := e.namespaces[scope]; ok {
		return n.Access, true
	}
	n, ok := book.Namespaces[scope]
	return n.Access, ok
}
