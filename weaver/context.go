package weaver

import (
	"context"
	"math/rand/v2"
	"sync"
)

// Context is one running evaluation. The host, commands and processors get
// it; it is valid only during the call, and only for the goroutine of the
// call.
type Context struct {
	ctx     context.Context
	done    <-chan struct{}
	host    Host
	reg     *Registry
	table   *table
	prog    *program
	lenient bool
	asNone  bool

	limits Limits
	nodes  int // used so far
	rounds int
	bytes  int
	depth  int // of nested documents

	// fuel is the work left until the next look at steps and the context.
	fuel  int
	steps int // work left after that

	out   []byte  // the text rendered so far
	slots []Value // loop bindings
	stack []Value // arguments of the calls under way
	ret   Value   // value of a return statement

	rand Source
	pcg  rand.PCG
	seed uint64
}

// fuelChunk is how much work is done between two looks at the context.
const fuelChunk = 1024

var contexts = sync.Pool{New: func() any { return new(Context) }}

// newContext takes an evaluation from the pool and sets it up.
func newContext(ctx context.Context, host Host, p *program, opts *Options) *Context {
	c := contexts.Get().(*Context)
	c.ctx = ctx
	c.done = ctx.Done()
	c.host = host
	c.reg = opts.Registry
	c.table = opts.Registry.table()
	c.prog = p
	c.lenient = opts.Lenient
	c.asNone = opts.UndefinedAsNone
	c.limits = opts.Limits.withDefaults()
	c.steps = c.limits.Steps
	c.fuel = 0
	c.rand = opts.Rand
	c.seed = opts.Seed
	c.reserve(p.slots)
	return c
}

func (c *Context) reserve(slots int) {
	if cap(c.slots) < slots {
		c.slots = make([]Value, slots)
	}
	c.slots = c.slots[:slots]
}

// release clears what the evaluation refers to and returns it to the pool.
func (c *Context) release() {
	const keep = 64 << 10 // larger buffers are left to the collector
	out, slots, stack := c.out[:0], c.slots, c.stack
	if cap(out) > keep {
		out = nil
	}
	clear(slots)
	clear(stack[:cap(stack)])
	if cap(stack) > 1024 {
		stack = nil
	}
	*c = Context{out: out, slots: slots[:0], stack: stack[:0]}
	contexts.Put(c)
}

// Context returns the context that the evaluation was started with, for calls
// that take long or leave the process.
func (c *Context) Context() context.Context { return c.ctx }

// Host returns the host of the evaluation.
func (c *Context) Host() Host { return c.host }

// Registry returns the registry of the evaluation.
func (c *Context) Registry() *Registry { return c.reg }

// Template returns the name of the template that is being evaluated.
func (c *Context) Template() string { return c.prog.name }

// Lenient reports whether the evaluation is lenient.
func (c *Context) Lenient() bool { return c.lenient }

// Depth returns how many documents are open around this evaluation: 0 for
// the outermost template.
func (c *Context) Depth() int { return c.depth }

// Rand returns the source of random numbers of the evaluation. Nested
// documents draw from the same one.
func (c *Context) Rand() Source {
	if c.rand == nil {
		c.pcg.Seed(c.seed, seedStream)
		c.rand = &c.pcg
	}
	return c.rand
}

// IntRange draws a whole number from lo to hi, both included.
func (c *Context) IntRange(lo, hi int64) int64 { return IntRange(c.Rand(), lo, hi) }

// Charge counts n bytes that the caller is about to allocate against
// Limits.ValueBytes. A callable whose result can be much larger than its
// arguments, such as a repeat, calls it before making the result and returns
// the error. The result itself is counted without being asked.
func (c *Context) Charge(n int) error {
	if err := c.charge(n); err != nil {
		return err
	}
	return nil
}

// Step counts n units of work against Limits.Steps, and looks at the context.
// A callable that loops calls it now and then and returns the error.
func (c *Context) Step(n int) error {
	if err := c.work(max(n, 0)); err != nil {
		return err
	}
	if err := c.cancelled(); err != nil {
		return err
	}
	return nil
}

// Remaining returns how much of each limit is left.
func (c *Context) Remaining() Limits {
	return Limits{
		Nodes:       c.limits.Nodes - c.nodes,
		Iterations:  c.limits.Iterations - c.rounds,
		OutputBytes: c.limits.OutputBytes - len(c.out),
		ValueBytes:  c.limits.ValueBytes - c.bytes,
		Steps:       c.steps + c.fuel,
		Depth:       c.limits.Depth - c.depth,
	}
}

// SubOptions are the settings of a nested evaluation.
type SubOptions struct {
	// Host replaces the host; nil keeps it.
	Host Host
	// Strict evaluates the nested template strictly even if the outer
	// evaluation is lenient.
	Strict bool
	// FreshLimits counts nodes and iterations from zero. Bytes, steps and
	// depth are shared in any case.
	FreshLimits bool
}

// Sub evaluates another template on behalf of this evaluation, as a host does
// for a document: with the same registry, source of randomness, mode and
// remaining limits, but its own loop bindings. Nesting deeper than
// Limits.Depth is an error of kind RecursionLimit. A host returns the error
// as it is; the evaluator adds the place of the document.
func (c *Context) Sub(t *Template, o SubOptions) (Result, error) {
	r, err := c.sub(&t.p, o)
	if err != nil {
		return Result{}, err
	}
	return r, nil
}

func (c *Context) sub(p *program, o SubOptions) (Result, *Error) {
	if c.depth >= c.limits.Depth {
		return Result{}, Errorf(RecursionLimit, "documents are nested more than %d deep", c.limits.Depth)
	}
	n := contexts.Get().(*Context)
	n.ctx, n.done = c.ctx, c.done
	n.host, n.reg, n.table = c.host, c.reg, c.table
	if o.Host != nil {
		n.host = o.Host
	}
	n.prog = p
	n.lenient, n.asNone = c.lenient && !o.Strict, c.asNone
	n.limits = c.limits
	n.bytes, n.fuel, n.steps, n.depth = c.bytes, c.fuel, c.steps, c.depth+1
	if !o.FreshLimits {
		n.nodes, n.rounds = c.nodes, c.rounds
	}
	n.rand = c.Rand()
	n.reserve(p.slots)

	r, err := p.renderIn(n)

	c.bytes, c.fuel, c.steps = n.bytes, n.fuel, n.steps
	if !o.FreshLimits {
		c.nodes, c.rounds = n.nodes, n.rounds
	}
	n.release()
	return r, err
}
