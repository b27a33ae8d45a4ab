package engine

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
)

// Engine runs assemblies. It is immutable and safe for concurrent use.
type Engine struct {
	opts       Options
	registry   *weaver.Registry
	namespaces map[string]lore.Namespace
	turnLocal  []string
	tokenizer  Tokenizer
	limits     limits
}

// limits are the bounds of the options, their defaults filled in.
type limits struct {
	recursion int
	state     int
	hook      time.Duration
}

// New returns an engine. It fails if a plugin cannot be registered.
func New(opts Options) (*Engine, error) {
	e := &Engine{opts: opts, tokenizer: opts.Tokenizer}
	var err error
	if e.registry, err = register(opts.Registry.Clone(), opts.Plugins); err != nil {
		return nil, err
	}
	e.opts.Hooks = slices.Clone(opts.Hooks)
	e.namespaces = defaultNamespaces()
	if opts.Namespaces != nil {
		all := e.namespaces
		e.namespaces = maps.Clone(opts.Namespaces)
		for _, name := range []string{"state", "temp"} {
			if _, ok := e.namespaces[name]; !ok {
				e.namespaces[name] = all[name]
			}
		}
	}
	e.turnLocal = slices.Clone(opts.TurnLocal)
	if opts.TurnLocal == nil {
		e.turnLocal = []string{"temp"}
		if _, ok := e.namespaces["local"]; ok {
			e.turnLocal = append(e.turnLocal, "local")
		}
	}
	if e.tokenizer == nil {
		e.tokenizer = Estimate
	}
	e.limits = limits{
		recursion: orDefault(opts.MaxRecursionDepth, DefaultMaxRecursionDepth),
		state:     orDefault(opts.MaxState, DefaultMaxState),
		hook:      orDefault(opts.HookDeadline, DefaultHookDeadline),
	}
	if e.opts.RegexTime == 0 {
		e.opts.RegexTime = DefaultRegexTime
	}
	if e.opts.Limits.Depth == 0 {
		// The engine counts entries itself; the language's own bound must not
		// come first.
		e.opts.Limits.Depth = max(32, e.limits.recursion+1)
	}
	return e, nil
}

// orDefault returns n, the default for 0, and 0 for a negative number.
func orDefault[N int | time.Duration](n, def N) N {
	if n == 0 {
		return def
	}
	return max(n, 0)
}

// Registry gives access to what templates may call, for looking only.
func (e *Engine) Registry() RegistryView { return RegistryView{e.registry} }

// Assemble decides which lore enters the prompt for a chat. See the package
// comment for its phases. A nil index holds no books.
//
// The result is never nil. With [Options].Strict, or when a hook fails or ctx
// ends, the error says so and the result has no blocks, but the state as it
// stood; the caller usually drops it. Errors are *EvalError, *HookError, or
// that of ctx.
func (e *Engine) Assemble(ctx context.Context, ix *Index, in Input) (*Result, error) {
	if ix == nil {
		ix = NewIndex()
	}
	a := newAssembly(ctx, e, ix, &in)
	defer a.release()
	blocks, err := a.run()
	if err != nil {
		blocks = nil
	}
	return a.result(blocks), err
}

// Advance begins the next turn: counters move, turn-local namespaces and
// pending triggers are cleared, hooks are told. If a hook fails the state has
// moved nevertheless.
func (e *Engine) Advance(ctx context.Context, ix *Index, s State) (State, error) {
	return e.AdvanceFor(ctx, ix, s, PurposeTurn)
}

// AdvanceFor is Advance for a purpose: a preview or replay skips hooks with
// effects outside.
func (e *Engine) AdvanceFor(ctx context.Context, ix *Index, s State, purpose Purpose) (State, error) {
	if ix == nil {
		ix = NewIndex()
	}
	next := e.advance(ix, s)
	info := HookInfo{Purpose: purpose, Kind: lore.KindNormal, Turn: next.Turn, Registry: e.Registry()}
	for _, v := range ix.views {
		c := &TurnAdvance{HookInfo: info, Book: v.id}
		err := callHooks(e, ctx, purpose, AtTurnAdvance, func(ctx context.Context, h TurnAdvancer) error {
			return h.TurnAdvance(ctx, c)
		})
		if err != nil {
			return next, err
		}
	}
	return next, ctx.Err()
}
