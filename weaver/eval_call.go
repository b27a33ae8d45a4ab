package weaver

import "strconv"

func (e *triggerExpr) eval(c *Context) (Value, *Error) {
	id, err := c.id(e.id)
	if err != nil {
		return None, err
	}
	text, herr := c.fire(id)
	if herr != nil {
		err := c.hostError(herr, e.span())
		if c.lenient && !err.isHard() {
			return String("<trigger id=" + string(appendQuoted(nil, id)) + ">"), nil
		}
		return None, err
	}
	return String(text), c.charge(len(text))
}

func (c *Context) fire(id string) (text string, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicError("trigger "+strconv.Quote(id), r)
		}
	}()
	return c.host.Fire(c, id)
}

func (e *documentExpr) eval(c *Context) (Value, *Error) {
	id, err := c.id(e.id)
	if err != nil {
		return None, err
	}
	v, herr := c.document(id)
	if herr != nil {
		err := c.hostError(herr, e.span())
		if c.lenient && !err.isHard() {
			return String("[[" + id + "]]"), nil
		}
		return None, err
	}
	if err := c.chargeResult(v); err != nil {
		return None, err
	}
	return v, nil
}

func (c *Context) document(id string) (v Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicError("document "+strconv.Quote(id), r)
		}
	}()
	return c.host.Document(c, id)
}

// id evaluates the id of a trigger or document.
func (c *Context) id(e expr) (string, *Error) {
	v, err := e.eval(c)
	if err != nil {
		return "", err
	}
	if v.kind != KindString {
		return "", c.fail(TypeError, e.span(), "expected string, got %s", v.kind)
	}
	return v.str(), nil
}

// chargeResult counts the result of a call or document.
func (c *Context) chargeResult(v Value) *Error {
	switch v.kind {
	case KindString:
		return c.charge(int(v.bits))
	case KindArray, KindObject:
		if err := c.accept(v); err != nil {
			return err
		}
		return c.charge(v.Len() * int(valueUnits) * 8)
	}
	return nil
}

func (e *callExpr) eval(c *Context) (Value, *Error) {
	base := len(c.stack)
	for _, a := range e.args {
		v, err := a.eval(c)
		if err != nil {
			c.stack = c.stack[:base]
			if c.lenient && e.kind == CommandKind && !err.isHard() {
				return String(e.sourceForm()), nil
			}
			return None, err
		}
		c.stack = append(c.stack, v)
	}
	v, err := e.call(c, base)
	c.stack = c.stack[:base]
	if err != nil && c.lenient && !err.isHard() {
		return String(e.sourceForm()), nil
	}
	return v, err
}

// call runs the callable with the arguments that stand on the stack from base
// on.
func (e *callExpr) call(c *Context, base int) (Value, *Error) {
	plan := e.cached.Load()
	if plan == nil || plan.table != c.table {
		var err *Error
		if plan, err = e.resolve(c.table); err != nil {
			err.Span, err.Template, err.tmpl = e.span(), c.prog.name, c.prog
			return None, err
		}
		e.cached.Store(plan)
	}
	if plan.slots != nil {
		from := len(c.stack)
		for range plan.n {
			c.stack = append(c.stack, None)
		}
		for i, slot := range plan.slots {
			c.stack[from+slot] = c.stack[base+i]
		}
		base = from
	}
	if err := c.work(1); err != nil {
		return None, err
	}
	v, err := c.invoke(plan.fn, Args{vals: c.stack[base:len(c.stack):len(c.stack)], given: plan.given, plan: plan})
	if err != nil {
		return None, c.hostError(err, e.span())
	}
	if v.kind >= KindString {
		if err := c.chargeResult(v); err != nil {
			return None, err
		}
	}
	return v, nil
}

// invoke runs a callable and turns a panic into an error.
func (c *Context) invoke(fn *callable, args Args) (v Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicError(fn.label(), r)
		}
	}()
	return fn.run(c, args)
}

// resolve finds the callable in a registry and matches the arguments.
func (e *callExpr) resolve(t *table) (*callPlan, *Error) {
	fn := t.lookup(e.kind, e.name)
	if fn != nil {
		return e.plan(t, fn)
	}
	m, other, form := t.cmds, t.procs, "@[%s(…)]"
	if e.kind == ProcessorKind {
		m, other, form = t.procs, t.cmds, "$[%s(…)]"
	}
	err := Errorf(UndefinedCallable, "undefined %s: %s", e.kind, e.name)
	if _, ok := other[e.name]; ok {
		return nil, err.WithHint("there is "+form, e.name)
	}
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	if best := closest(e.name, names); best != "" {
		err.Hint = "did you mean " + best + "?"
	}
	return nil, err
}

// sourceForm is what the lenient mode prints for a call that failed.
func (e *callExpr) sourceForm() string {
	b := []byte("$[")
	if e.kind == ProcessorKind {
		b[0] = '@'
	}
	b = append(append(b, e.name...), '(')
	for i, name := range e.names() {
		if i > 0 {
			b = append(b, ", "...)
		}
		if name != "" {
			b = append(append(b, name...), ": "...)
		}
		b = append(b, "..."...)
	}
	return string(append(b, ")]"...))
}
