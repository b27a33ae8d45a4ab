package weaver

import "strconv"

// Args are the arguments of one call, already matched with the declared
// parameters. They are valid only during the call: a callable that keeps
// values copies them (the values themselves may be kept).
//
// A command receives a list: its declared parameters in order, then whatever
// else was given by position; parameters left out in between are none. A
// processor receives its declared parameters and any further names.
type Args struct {
	vals  []Value
	given uint64 // bit i: slot i was given; slots from 64 on always are
	plan  *callPlan
}

// Len returns the length of the list that a command received, parameters left
// out in between included. For a processor it is the number of slots, whether
// given or not.
func (a Args) Len() int { return len(a.vals) }

// At returns the argument in slot i, counted from 0 in declared order, and
// whether it was given. One that was not is None.
func (a Args) At(i int) (Value, bool) {
	if i >= len(a.vals) || i < 0 {
		return None, false
	}
	return a.vals[i], i >= maxParams || a.given&(1<<i) != 0
}

// Named returns the argument of a declared parameter or, for a processor, of
// any name, and whether it was given.
func (a Args) Named(name string) (Value, bool) {
	for i := range a.plan.fn.sig.Params {
		if a.plan.fn.sig.Params[i].Name == name {
			return a.At(i)
		}
	}
	for i, extra := range a.plan.extra {
		if extra == name {
			return a.At(len(a.vals) - len(a.plan.extra) + i)
		}
	}
	return None, false
}

// Each calls yield with name and value of every argument given, in slot
// order, until yield returns false. Arguments of a command beyond its
// declared ones are named by their position, from 0. It has the form of an
// iter.Seq2.
func (a Args) Each(yield func(string, Value) bool) {
	params := a.plan.fn.sig.Params
	firstExtra := len(a.vals) - len(a.plan.extra)
	for i := range a.vals {
		v, ok := a.At(i)
		if !ok {
			continue
		}
		var name string
		switch {
		case i >= firstExtra:
			name = a.plan.extra[i-firstExtra]
		case i < len(params):
			name = params[i].Name
		default:
			name = strconv.Itoa(i)
		}
		if !yield(name, v) {
			return
		}
	}
}

// callPlan says how the arguments of one call in a template reach one
// callable: worked out once for each pair of call and registry, then kept
// with the call.
type callPlan struct {
	table *table
	fn    *callable
	// slots is the slot of each argument as written; nil when argument i
	// simply goes to slot i.
	slots []int
	n     int // number of slots
	given uint64
	extra []string // names of the last slots, for a processor
}

// plan matches the arguments of call c with the parameters of fn.
func (c *callExpr) plan(t *table, fn *callable) (*callPlan, *Error) {
	params := fn.sig.Params
	p := &callPlan{table: t, fn: fn}
	slots := make([]int, len(c.args))
	taken := make(map[int]bool, len(c.args))
	identity := true
	for i, name := range c.names() {
		slot := i
		switch {
		case name != "":
			slot = paramIndex(params, name)
			if slot < 0 && fn.kind == CommandKind {
				return nil, unknownParam(fn, name)
			}
			if slot < 0 {
				slot = len(params) + len(p.extra)
				p.extra = append(p.extra, name)
			}
		case i >= len(params) && fn.kind == ProcessorKind:
			return nil, tooManyPositional(fn, i)
		}
		if taken[slot] {
			return nil, Errorf(TypeError, "%s was given %s twice", fn.label(), params[slot].Name)
		}
		taken[slot] = true
		slots[i] = slot
		identity = identity && slot == i
		p.n = max(p.n, slot+1)
		if slot < maxParams {
			p.given |= 1 << slot
		}
	}
	if len(p.extra) > 0 {
		identity = identity && len(params) == 0
	}
	if !identity {
		p.slots = slots
	}
	return p, nil
}

func paramIndex(params []Param, name string) int {
	for i := range params {
		if params[i].Name == name {
			return i
		}
	}
	return -1
}

func unknownParam(fn *callable, name string) *Error {
	params := fn.sig.Params
	if len(params) == 0 {
		return Errorf(TypeError, "%s declares no parameters, so %s: fits none of them", fn.label(), name).
			WithHint("pass the argument by position")
	}
	names := make([]string, len(params))
	for i := range params {
		names[i] = params[i].Name
	}
	return Errorf(TypeError, "%s has no parameter named %s", fn.label(), name).
		WithHint("%s", choose(name, names, "it takes"))
}

func tooManyPositional(fn *callable, i int) *Error {
	if len(fn.sig.Params) == 0 {
		return Errorf(TypeError, "%s declares no properties, so a positional argument fits none of them", fn.label()).
			WithHint("write it as name: value")
	}
	return Errorf(TypeError, "%s takes %d positional arguments at most", fn.label(), len(fn.sig.Params)).
		WithHint("further ones need a name, as in name: value")
}
