package splice

import (
	"slices"

	"github.com/weft-memory/weft/format/jsondoc"
)

// Patch is what has to be laid over one object to get another: the members that
// differ, and their order where that differs.
type Patch struct {
	Set  *jsondoc.Tree
	Keys []string // nil if the order is the same; empty if no member is left
}

// Empty reports whether there is nothing to lay over.
func (p Patch) Empty() bool { return (p.Set == nil || len(p.Set.Members) == 0) && p.Keys == nil }

// Diff returns the patch from have to want, at the level of members.
func Diff(have, want *jsondoc.Tree) Patch {
	p := Patch{Set: jsondoc.Obj()}
	order := memberKeys(have)
	for _, m := range want.Members {
		old := have.Get(m.Key)
		if old == nil {
			order = append(order, m.Key)
		}
		if !m.Value.Equal(old) {
			p.Set.Members = append(p.Set.Members, m)
		}
	}
	if wanted := memberKeys(want); !slices.Equal(order, wanted) {
		p.Keys = wanted
	}
	return p
}

// Apply lays the patch over a copy of t.
func (p Patch) Apply(t *jsondoc.Tree) *jsondoc.Tree {
	t = t.Clone()
	if p.Set != nil {
		for _, m := range p.Set.Members {
			t.Set(m.Key, m.Value.Clone())
		}
	}
	if p.Keys == nil {
		return t
	}
	var members []jsondoc.Member
	for _, k := range p.Keys {
		if v := t.Get(k); v != nil {
			members = append(members, jsondoc.M(k, v))
		}
	}
	t.Members = members
	return t
}

func memberKeys(t *jsondoc.Tree) []string {
	if t == nil {
		return []string{}
	}
	keys := make([]string, 0, len(t.Members))
	for _, m := range t.Members {
		keys = append(keys, m.Key)
	}
	return keys
}

// Trees applies the difference between two trees to a copy of t; what is equal
// in both stays in t as it is.
func Trees(t, from, to *jsondoc.Tree) *jsondoc.Tree {
	if from.Equal(to) {
		return t
	}
	if t == nil || from == nil || to == nil ||
		t.Kind != jsondoc.Object || from.Kind != jsondoc.Object || to.Kind != jsondoc.Object {
		return to.Clone()
	}
	t = t.Clone()
	for _, m := range from.Members {
		if to.Get(m.Key) == nil {
			t.Delete(m.Key)
		}
	}
	for _, m := range to.Members {
		if old := from.Get(m.Key); !m.Value.Equal(old) {
			t.Set(m.Key, Trees(t.Get(m.Key), old, m.Value))
		}
	}
	return t
}
