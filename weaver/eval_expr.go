package weaver

import (
	"math"
)

func (e *constExpr) eval(*Context) (Value, *Error) { return e.val, nil }

func (e *varExpr) eval(c *Context) (Value, *Error) {
	v, err := c.read(e)
	if err != nil || len(e.steps) == 0 {
		return v, err
	}
	if v.kind == missing {
		return c.undefined(e, e.scope+":"+e.name, e.steps, e.scope, e.name)
	}
	return c.walkReference(e, v, e.scope+":"+e.name, e.steps)
}

// missing is the kind of the value that read returns for a variable with
// steps that is not there. It never leaves the evaluator.
const missing Kind = 255

// read reads the variable of a reference, without its steps.
func (c *Context) read(e *varExpr) (Value, *Error) {
	m := c.scopes[e.scopeID]
	if m == nil {
		if m = c.scopeVars(e.scopeID); m == nil {
			return c.get(e)
		}
	}
	v, ok := m[e.name]
	if !ok || v.depth > 0 {
		return c.received(e, v, ok)
	}
	return v, nil
}

// get asks the host for the variable of a reference.
func (c *Context) get(e *varExpr) (Value, *Error) {
	v, ok, err := c.host.Get(e.scope, e.name)
	if err != nil {
		return None, c.hostError(err, e.span())
	}
	if !ok || v.depth > 0 {
		return c.received(e, v, ok)
	}
	return v, nil
}

// received looks at what the host gave, if it is not a plain value.
func (c *Context) received(e *varExpr, v Value, ok bool) (Value, *Error) {
	switch {
	case ok:
		return v, c.accept(v)
	case len(e.steps) > 0:
		return Value{tag: tag{kind: missing}}, nil
	}
	return c.undefined(e, e.scope+":"+e.name, nil, e.scope, e.name)
}

func (e *loopExpr) eval(c *Context) (Value, *Error) {
	v := c.slots[e.slot]
	if len(e.steps) == 0 {
		return v, nil
	}
	root := e.name
	if e.local {
		root = "local:" + root
	}
	return c.walkReference(e, v, root, e.steps)
}

func (e *unboundExpr) eval(c *Context) (Value, *Error) {
	if c.lenient {
		return String("{{" + pathText(e.name, e.steps) + "}}"), nil
	}
	err := c.fail(UndefinedVariable, e.span(), "undefined loop variable: %s", pathText(e.name, e.steps))
	err.Hint = e.hint
	return None, err
}

// undefined is what a reference to something that is not there gives.
func (c *Context) undefined(e expr, root string, steps []step, scope, name string) (Value, *Error) {
	switch {
	case c.asNone:
		return None, nil
	case c.lenient:
		if v, ok := e.(*varExpr); ok && v.bare {
			root = v.scope
		}
		return String("{{" + pathText(root, steps) + "}}"), nil
	}
	err := c.fail(UndefinedVariable, e.span(), "undefined variable: %s", pathText(root, steps))
	if n, ok := c.host.(Namer); ok && scope != "" {
		if best := closest(name, n.Names(scope)); best != "" {
			err.Hint = "did you mean " + scope + ":" + best + "?"
		}
	}
	return None, err
}

// pathText writes a reference with its steps: string subscripts as dotted
// steps, computed ones as [...].
func pathText(root string, steps []step) string {
	if len(steps) == 0 {
		return root
	}
	b := []byte(root)
	for i := range steps {
		s := &steps[i]
		switch s.kind {
		case stepKey:
			b = append(append(b, '.'), s.key...)
		case stepIndex:
			b = append(appendNumber(append(b, '['), s.index), ']')
		default:
			b = append(b, "[...]"...)
		}
	}
	return string(b)
}

// walkReference walks from the value of a variable. Up to the first computed
// subscript a step that finds nothing means that the reference as a whole is
// undefined; from there on it is the subscript's own failure.
func (c *Context) walkReference(e expr, v Value, root string, steps []step) (Value, *Error) {
	computed := false
	for i := range steps {
		s := &steps[i]
		computed = computed || s.kind == stepComputed
		w, ok, err := c.step(v, s, e)
		if err != nil {
			return None, err
		}
		if !ok {
			if computed {
				return c.notFound(e, v, s)
			}
			name := ""
			if s.kind == stepKey {
				name = s.key
			}
			r, err := c.undefined(e, root, steps, "", "")
			if err != nil {
				if best := closest(name, v.Keys()); best != "" {
					err.Hint = "did you mean ." + best + "?"
				}
			}
			return r, err
		}
		v = w
	}
	return v, nil
}

func (e *indexExpr) eval(c *Context) (Value, *Error) {
	v, err := e.x.eval(c)
	if err != nil {
		return None, err
	}
	for i := range e.steps {
		w, ok, err := c.step(v, &e.steps[i], e)
		if err != nil {
			return None, err
		}
		if !ok {
			return c.notFound(e, v, &e.steps[i])
		}
		v = w
	}
	return v, nil
}

// step takes one step into v. ok is false if nothing is there.
func (c *Context) step(v Value, s *step, e expr) (w Value, ok bool, err *Error) {
	switch s.kind {
	case stepKey:
		if v.kind == KindObject {
			o := v.object()
			if i := o.find(s.key); i >= 0 {
				return o.vals[i], true, nil
			}
			return None, false, nil
		}
		return None, false, c.fail(TypeError, e.span(), "cannot index into %s with '%s'", v.kind, s.key)
	case stepIndex:
		return c.position(v, s.index, e)
	}
	sub, err := s.expr.eval(c)
	if err != nil {
		return None, false, err
	}
	switch sub.kind {
	case KindString:
		if v.kind == KindObject {
			w, ok = v.Get(sub.str())
			return w, ok, nil
		}
		return None, false, c.fail(TypeError, e.span(), "cannot index into %s with '%s'", v.kind, shorten(sub.str()))
	case KindNumber:
		return c.position(v, sub.num(), e)
	}
	return None, false, c.fail(TypeError, e.span(), "expected string or number, got %s", sub.kind)
}

func (c *Context) position(v Value, i float64, e expr) (Value, bool, *Error) {
	if v.kind != KindArray {
		return None, false, c.fail(TypeError, e.span(), "cannot index into %s with '%s'", v.kind, Number(i).Text())
	}
	if !(i >= 0) || i != math.Trunc(i) || math.IsInf(i, 0) {
		return None, false, c.fail(TypeError, e.span(), "index must be a whole, non-negative number, got %s", Number(i).Text())
	}
	if n := v.Len(); i >= float64(n) {
		return None, false, nil
	}
	return v.items()[int(i)], true, nil
}

// notFound is what a subscript that finds nothing in v gives.
func (c *Context) notFound(e expr, v Value, s *step) (Value, *Error) {
	if c.asNone || c.lenient {
		return None, nil
	}
	if v.kind == KindArray {
		return None, c.fail(UndefinedVariable, e.span(), "the position is out of range for an array of %d", v.Len())
	}
	if s.kind == stepKey {
		err := c.fail(UndefinedVariable, e.span(), "no such key: %s", s.key)
		if best := closest(s.key, v.Keys()); best != "" {
			err.Hint = "did you mean ." + best + "?"
		}
		return None, err
	}
	return None, c.fail(UndefinedVariable, e.span(), "no such key in the object")
}

// shorten cuts a text to be quoted in a message.
func shorten(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	cut := most
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return s[:cut] + "…"
}

func (e *notExpr) eval(c *Context) (Value, *Error) {
	v, err := e.x.eval(c)
	if err != nil {
		return None, err
	}
	return Bool(v.Truthy() == e.twice), nil
}

func (e *negExpr) eval(c *Context) (Value, *Error) {
	v, err := e.x.eval(c)
	if err != nil {
		return None, err
	}
	if v.kind != KindNumber {
		return None, c.fail(TypeError, e.span(), "expected number, got %s", v.kind)
	}
	return Number(-v.num()), nil
}

func (e *binaryExpr) eval(c *Context) (Value, *Error) {
	var a Value
	var err *Error
	if e.ref != nil {
		a, err = c.read(e.ref)
	} else {
		a, err = e.x.eval(c)
	}
	if err != nil {
		return None, err
	}
	b := e.k
	if e.y != nil {
		if b, err = e.y.eval(c); err != nil {
			return None, err
		}
	}
	if c.fuel--; c.fuel <= 0 {
		if err := c.refuel(); err != nil {
			return None, err
		}
	}
	if a.kind == KindNumber && b.kind == KindNumber {
		x, y := a.num(), b.num()
		switch e.op {
		case opLess:
			return Bool(x < y), nil
		case opGreater:
			return Bool(x > y), nil
		case opLessEq:
			return Bool(x <= y), nil
		case opGreaterEq:
			return Bool(x >= y), nil
		case opAdd:
			return Number(x + y), nil
		case opMul:
			return Number(x * y), nil
		}
	}
	v, err := c.apply(e.op, a, b)
	if err != nil {
		return None, err.located(e.span())
	}
	return v, nil
}

func (e *chainExpr) eval(c *Context) (Value, *Error) {
	acc, err := e.first.eval(c)
	if err != nil {
		return None, err
	}
	for i := 0; i < len(e.rest); i++ {
		if acc.kind == KindString && e.rest[i].op == opAdd {
			// Text grows at its end: collect the run of additions at once.
			mark := len(c.out)
			if err := c.scratch(acc, mark); err != nil {
				return None, err
			}
			for ; i < len(e.rest) && e.rest[i].op == opAdd; i++ {
				v, err := e.rest[i].y.eval(c)
				if err == nil {
					err = c.work(1)
				}
				if err == nil {
					err = c.scratch(v, mark)
				}
				if err != nil {
					c.out = c.out[:mark]
					return None, err
				}
			}
			if acc, err = c.unscratch(mark); err != nil {
				return None, err
			}
			if i == len(e.rest) {
				break
			}
		}
		b, err := e.rest[i].y.eval(c)
		if err != nil {
			return None, err
		}
		if err := c.work(1); err != nil {
			return None, err
		}
		if acc, err = c.apply(e.rest[i].op, acc, b); err != nil {
			return None, err.located(e.spanTo(i))
		}
	}
	return acc, nil
}

// spanTo returns the span of the chain up to and with operator i.
func (e *chainExpr) spanTo(i int) Span {
	if i == len(e.rest)-1 {
		return e.span()
	}
	return Span{Start: e.first.span().Start, End: e.rest[i].y.span().End}
}

func (e *logicExpr) eval(c *Context) (Value, *Error) {
	for _, t := range e.terms {
		v, err := t.eval(c)
		if err != nil {
			return None, err
		}
		if err := c.work(1); err != nil {
			return None, err
		}
		if v.Truthy() == e.or {
			return Bool(e.or), nil
		}
	}
	return Bool(!e.or), nil
}

func (e *arrayExpr) eval(c *Context) (Value, *Error) {
	base := len(c.stack)
	err := c.elements(e.items)
	made := c.stack[base:]
	c.stack = c.stack[:base]
	if err != nil {
		return None, err
	}
	if err := c.charge(len(made) * int(valueUnits) * 8); err != nil {
		return None, err
	}
	items := make([]Value, len(made))
	copy(items, made)
	v := Array(items)
	return v, c.accept(v)
}

// elements pushes the elements that items yield on the stack.
func (c *Context) elements(items []item) *Error {
	return c.items(items, func(it *item, v Value) *Error {
		if len(c.stack)*int(valueUnits)*8 > c.limits.ValueBytes {
			return limitError(c.prog, "%d bytes of values", c.limits.ValueBytes)
		}
		c.stack = append(c.stack, v)
		return nil
	})
}

func (e *objectExpr) eval(c *Context) (Value, *Error) {
	var b ObjectBuilder
	err := c.items(e.items, func(it *item, v Value) *Error {
		if !b.Set(it.key, v) {
			return c.fail(TypeError, it.place.span(), "duplicate object key: %s", it.key)
		}
		return c.charge((int(valueUnits) + 2) * 8)
	})
	if err != nil {
		return None, err
	}
	v := b.Value()
	return v, c.accept(v)
}

// items evaluates the items of a literal and hands each value to add.
func (c *Context) items(items []item, add func(*item, Value) *Error) *Error {
	for i := range items {
		it := &items[i]
		if err := c.tick(); err != nil {
			return err
		}
		switch it.kind {
		case itemValue:
			v, err := it.expr.eval(c)
			if err != nil {
				return err
			}
			if err := add(it, v); err != nil {
				return err
			}
		case itemIf:
			for j := range it.arms {
				if arm := &it.arms[j]; arm.cond != nil {
					v, err := arm.cond.eval(c)
					if err != nil {
						return err
					}
					if !v.Truthy() {
						continue
					}
				}
				if err := c.items(it.arms[j].body, add); err != nil {
					return err
				}
				break
			}
		case itemFor:
			src, err := c.iterable(it.expr)
			if err != nil {
				return err
			}
			for _, v := range src {
				if err := c.round(); err != nil {
					return err
				}
				c.slots[it.slot] = v
				if err := c.items(it.body, add); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
