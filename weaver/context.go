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
	vars    *MapHost  // the host, if it is just that
	maps    ScopeHost // the host, if it is one
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

	// scopes are the maps of the scopes that the program reads, as far as
	// the host gives them and they have been asked for.
	scopes []map[string]Value

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
	c.setHost(host)
	c.reg = opts.Registry
	c.table = opts.Registry.table()
	c.prog = p
	c.lenient = opts.Lenient
	c.asNone = opts.UndefinedAsNone
	if opts.Limits == (Limits{}) {
		c.limits = defaultLimits
	} else {
		c.limits = opts.Limits.withDefaults()
	}
	c.steps = c.limits.Steps
	c.fuel = 0
	c.rand = opts.Rand
	c.seed = opts.Seed
	c.reserve(p)
	return c
}

func (c *Context) setHost(host Host) {
	if host == nil {
		host = new(MapHost)
	}
	c.host = host
	if h, ok := host.(*MapHost); ok {
		c.vars = h
	} else if h, ok := host.(ScopeHost); ok {
		c.maps = h
	}
}

// reserve makes room for the loop bindings and scopes of a program.
func (c *Context) reserve(p *program) {
	if n := p.slots; n > 0 {
		if cap(c.slots) < n {
			c.slots = make([]Value, n)
		}
		c.slots = c.slots[:n]
	}
	if n := len(p.scopes); n > 0 {
		if cap(c.scopes) < n {
			c.scopes = make([]map[string]Value, max(n, 4))
		}
		c.scopes = c.scopes[:n]
	}
}

// scopeVars asks the host for the map of a scope, nil if it does not give it.
func (c *Context) scopeVars(id int32) (m map[string]Value) {
	switch {
	case c.vars != nil:
		m = c.vars.Vars[c.prog.scopes[id]]
	case c.maps != nil:
		m = c.maps.ScopeVars(c.prog.scopes[id])
	}
	c.scopes[id] = m
	return m
}

// release drops what the evaluation refers to and returns it to the pool.
func (c *Context) release() {
	const keepBytes, keepValues = 64 << 10, 64 // larger buffers are left to the collector
	if cap(c.out) > keepBytes {
		c.out = nil
	}
	if cap(c.stack) > keepValues {
		c.stack = nil
	}
	clear(c.slots)
	clear(c.scopes)
	clear(c.stack[:cap(c.stack)])
	c.out, c.slots, c.stack, c.scopes = c.out[:0], c.slots[:0], c.stack[:0], c.scopes[:0]
	c.ctx, c.done, c.host, c.reg, c.table, c.prog, c.rand = nil, nil, nil, nil, nil, nil, nil
	c.vars, c.maps = nil, nil
	c.ret = None
	c.nodes, c.rounds, c.bytes, c.depth = 0, 0, 0, 0
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
// Limits.Depth is an error of kind RecursionLimit, a template that did not
// parse one of kind HostError. A host returns the error as it is; the evaluator
// adds the place of the document.
func (c *Context) Sub(t *Template, o SubOptions) (Result, error) {
	var r Result
	if err := c.sub(&t.p, o, &r); err != nil {
		return Result{}, err
	}
	return r, nil
}

func (c *Context) sub(p *program, o SubOptions, r *Result) *Error {
	if p.err != nil {
		return &Error{Kind: HostError, Message: "the document does not parse: " + p.err.Message, Cause: p.err}
	}
	if c.depth >= c.limits.Depth {
		return Errorf(RecursionLimit, "documents are nested more than %d deep", c.limits.Depth)
	}
	n := contexts.Get().(*Context)
	n.ctx, n.done = c.ctx, c.done
	n.reg, n.table = c.reg, c.table
	if o.Host == nil {
		o.Host = c.host
	}
	n.setHost(o.Host)
	n.prog = p
	n.lenient, n.asNone = c.lenient && !o.Strict, false
	n.limits = c.limits
	n.bytes, n.fuel, n.steps, n.depth = c.bytes, 0, c.steps+c.fuel, c.depth+1
	if !o.FreshLimits {
		n.nodes, n.rounds = c.nodes, c.rounds
	}
	n.rand = c.Rand()
	n.reserve(p)

	err := p.renderIn(n, r)

	c.bytes, c.fuel, c.steps = n.bytes, 0, n.steps+n.fuel
	if !o.FreshLimits {
		c.nodes, c.rounds = n.nodes, n.rounds
	}
	n.release()
	return err
}
