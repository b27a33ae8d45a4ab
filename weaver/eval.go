package weaver

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
)

// signal says how a body ended.
type signal uint8

const (
	sigNone signal = iota
	sigBreak
	sigContinue
	sigStop
	sigReturn
)

// render renders p; r is zero and stays so if there is an error.
func (p *program) render(ctx context.Context, host Host, opts *Options, r *Result) *Error {
	if p.err != nil {
		return p.err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if p.constant {
		return p.renderConstant(ctx, opts, r)
	}
	c := newContext(ctx, host, p, opts)
	err := p.renderIn(c, r)
	c.release()
	return err
}

// renderConstant renders a template without constructs; its text is not
// copied.
func (p *program) renderConstant(ctx context.Context, opts *Options, r *Result) *Error {
	r.Value = String("")
	if len(p.body) == 0 {
		return nil
	}
	text := p.body[0].text
	if ctx.Done() != nil || opts.Limits != (Limits{}) || len(text) > defaultLimits.OutputBytes {
		if err := ctx.Err(); err != nil {
			r.Value = None
			return cancelledError(p, err)
		}
		l := opts.Limits.withDefaults()
		switch {
		case l.Nodes < 1:
			r.Value = None
			return limitError(p, "%d node evaluations", l.Nodes)
		case len(text) > l.OutputBytes:
			r.Value = None
			return limitError(p, "%d bytes of output", l.OutputBytes)
		}
	}
	r.Value, r.Text, r.Usage.Nodes = String(text), text, 1
	return nil
}

// renderIn renders p with a context that has been set up for it.
func (p *program) renderIn(c *Context, r *Result) (err *Error) {
	if p.err != nil {
		return p.err
	}
	defer c.barrier(&err)
	sig, err := c.body(p.body)
	if err != nil {
		return err
	}
	if sig == sigReturn {
		mark := len(c.out)
		if err := c.print(c.ret); err != nil {
			return err
		}
		r.Value = c.ret
		if r.Value.kind == KindString {
			r.Text = r.Value.str()
		} else {
			r.Text = string(c.out[mark:])
		}
	} else {
		r.Text = string(c.out)
		r.Value = String(r.Text)
	}
	r.Usage = Usage{Nodes: c.nodes, Iterations: c.rounds}
	return nil
}

// evaluate evaluates the expression of p.
func (p *program) evaluate(ctx context.Context, host Host, opts *Options) (Value, *Error) {
	if p.err != nil {
		return None, p.err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	c := newContext(ctx, host, p, opts)
	v, err := p.evaluateIn(c)
	c.release()
	return v, err
}

func (p *program) evaluateIn(c *Context) (v Value, err *Error) {
	defer c.barrier(&err)
	if err := c.tick(); err != nil {
		return None, err
	}
	return p.root.eval(c)
}

// barrier turns a panic of the host into an error.
func (c *Context) barrier(err **Error) {
	if r := recover(); r != nil {
		*err = c.hostError(panicError("the host", r), Span{})
	}
}

// panicError describes a panic of foreign code. The stack is kept as the
// cause, out of the message.
func panicError(who string, r any) error {
	e := Errorf(HostError, "%s panicked: %v", who, r)
	e.Cause = &stackError{stack: string(debug.Stack())}
	return e
}

// stackError carries the stack of a panic for whoever logs the whole chain.
type stackError struct{ stack string }

func (e *stackError) Error() string { return e.stack }

// tick counts one node. Fuel never lasts beyond the node limit, so the usual
// case is one comparison and is inlined.
func (c *Context) tick() *Error {
	c.nodes++
	if c.fuel--; c.fuel <= 0 {
		return c.refuel()
	}
	return nil
}

// work counts n units of work.
func (c *Context) work(n int) *Error {
	if c.fuel -= n; c.fuel <= 0 {
		return c.refuel()
	}
	return nil
}

// refuel looks at the context and the limits and takes the next chunk of the
// steps left.
func (c *Context) refuel() *Error {
	if err := c.cancelled(); err != nil {
		return err
	}
	if c.nodes > c.limits.Nodes {
		return limitError(c.prog, "%d node evaluations", c.limits.Nodes)
	}
	debt := -c.fuel
	if debt >= c.steps {
		return limitError(c.prog, "%d steps of work", c.limits.Steps)
	}
	c.steps -= debt
	c.fuel = min(fuelChunk, c.steps, max(c.limits.Nodes-c.nodes, 0)+1)
	c.steps -= c.fuel
	return nil
}

func (c *Context) cancelled() *Error {
	if c.done == nil {
		return nil
	}
	select {
	case <-c.done:
		return cancelledError(c.prog, c.ctx.Err())
	default:
		return nil
	}
}

// charge counts n bytes of new values.
func (c *Context) charge(n int) *Error {
	if n < 0 || n > c.limits.ValueBytes-c.bytes {
		return limitError(c.prog, "%d bytes of values", c.limits.ValueBytes)
	}
	c.bytes += n
	return c.work(n >> 6)
}

// accept checks an array or object that comes from outside or was just made.
func (c *Context) accept(v Value) *Error {
	switch {
	case v.depth > maxValueDepth:
		return limitError(c.prog, "%d levels of nested values", maxValueDepth)
	case v.Size() > c.limits.ValueBytes:
		return limitError(c.prog, "%d bytes of values", c.limits.ValueBytes)
	}
	return nil
}

func limitError(p *program, format string, n int) *Error {
	return &Error{
		Kind: ResourceLimit, Message: fmt.Sprintf("evaluation exceeded maximum of "+format, n),
		Template: p.name, tmpl: p,
	}
}

func cancelledError(p *program, cause error) *Error {
	e := &Error{Kind: Cancelled, Message: "evaluation cancelled", Template: p.name, Cause: cause, tmpl: p}
	if errors.Is(cause, context.DeadlineExceeded) {
		e.Message = "evaluation ran out of time"
	}
	return e
}

// fail makes an error with a place in the template being evaluated.
func (c *Context) fail(kind ErrorKind, sp Span, format string, args ...any) *Error {
	return &Error{
		Kind: kind, Span: sp, Message: fmt.Sprintf(format, args...),
		Template: c.prog.name, tmpl: c.prog,
	}
}

// hostError turns an error of the host or a callable into one with a place.
func (c *Context) hostError(err error, sp Span) *Error {
	out := &Error{Kind: HostError, Span: sp, Message: err.Error(), Template: c.prog.name, Cause: err, tmpl: c.prog}
	var e *Error
	switch {
	case errors.As(err, &e):
		out.Kind = e.Kind
		if err == error(e) {
			out.Message, out.Hint = e.Message, e.Hint
			if e.tmpl == nil { // made by the host: nothing in it that is not in out
				out.Cause = e.Cause
			}
		}
		if e.isHard() {
			out.Span = Span{}
			if e.tmpl != nil && err == error(e) {
				return e
			}
		}
	case c.ctx.Err() != nil && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)):
		return cancelledError(c.prog, err)
	}
	return out
}

// located gives an error of apply its place.
func (e *Error) located(sp Span) *Error {
	if !e.isHard() {
		e.Span = sp
	}
	return e
}

// isHard reports whether not even the lenient mode may pass over the error.
func (e *Error) isHard() bool { return e.Kind == ResourceLimit || e.Kind == Cancelled }

// apply computes a binary operator. The caller puts the place into an error
// (see located).
func (c *Context) apply(op operator, a, b Value) (Value, *Error) {
	if a.kind == KindNumber && b.kind == KindNumber {
		return c.arithmetic(op, a.num(), b.num())
	}
	switch op {
	case opEq, opNotEq:
		if a.kind == KindString && b.kind == KindString && a.bits == b.bits {
			if err := c.work(int(a.bits >> 6)); err != nil {
				return None, err
			}
		}
		return Bool(a.Equal(b) == (op == opEq)), nil
	case opAdd:
		if a.kind == KindString || b.kind == KindString {
			return c.join(a, b)
		}
		return None, c.fail(TypeError, Span{}, "expected number or string, got %s + %s", a.kind, b.kind)
	}
	bad := a.kind
	if bad == KindNumber {
		bad = b.kind
	}
	return None, c.fail(TypeError, Span{}, "expected number, got %s", bad)
}

func (c *Context) arithmetic(op operator, x, y float64) (Value, *Error) {
	switch op {
	case opAdd:
		return Number(x + y), nil
	case opSub:
		return Number(x - y), nil
	case opMul:
		return Number(x * y), nil
	case opDiv:
		if y == 0 {
			return None, c.fail(ArithmeticError, Span{}, "division by zero")
		}
		return Number(x / y), nil
	case opMod:
		if y == 0 {
			return None, c.fail(ArithmeticError, Span{}, "modulo by zero")
		}
		return Number(remainder(x, y)), nil
	case opLess:
		return Bool(x < y), nil
	case opGreater:
		return Bool(x > y), nil
	case opLessEq:
		return Bool(x <= y), nil
	case opGreaterEq:
		return Bool(x >= y), nil
	case opEq:
		return Bool(math.Abs(x-y) < tolerance), nil
	}
	return Bool(!(math.Abs(x-y) < tolerance)), nil
}

// remainder is x - y*trunc(x/y), with the sign of x. Whole numbers, the usual
// case, are quicker in integers.
func remainder(x, y float64) float64 {
	const exact = 1 << 53
	if math.Abs(x) < exact && math.Abs(y) < exact {
		if i, j := int64(x), int64(y); j != 0 && float64(i) == x && float64(j) == y {
			return math.Copysign(float64(i%j), x)
		}
	}
	return math.Mod(x, y)
}

// join is + with a string on either side.
func (c *Context) join(a, b Value) (Value, *Error) {
	if a.kind == KindString && b.kind == KindString {
		switch {
		case a.bits == 0:
			return b, nil
		case b.bits == 0:
			return a, nil
		}
		if err := c.charge(int(a.bits + b.bits)); err != nil {
			return None, err
		}
		return String(a.str() + b.str()), nil
	}
	mark := len(c.out)
	if err := c.scratch(a, mark); err != nil {
		return None, err
	}
	if err := c.scratch(b, mark); err != nil {
		return None, err
	}
	return c.unscratch(mark)
}

// Expressions print nothing, so the end of the output buffer, from a mark on,
// serves them as scratch space.

// scratch appends the text of v there.
func (c *Context) scratch(v Value, mark int) *Error {
	limit := c.limits.ValueBytes - c.bytes
	c.out = appendText(c.out, v, mark+limit)
	if len(c.out)-mark > limit {
		c.out = c.out[:mark]
		return limitError(c.prog, "%d bytes of values", c.limits.ValueBytes)
	}
	return nil
}

// unscratch takes what was appended as a string.
func (c *Context) unscratch(mark int) (Value, *Error) {
	s := string(c.out[mark:])
	c.out = c.out[:mark]
	return String(s), c.charge(len(s))
}
