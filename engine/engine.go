package engine

import (
	"context"
	"errors"

	"github.com/weft-memory/weft/weaver"
)

// Engine runs assemblies. It is immutable and safe for concurrent use.
type Engine struct {
	opts     Options
	registry *weaver.Registry
}

// New returns an engine. It fails if a plugin cannot be registered.
func New(opts Options) (*Engine, error) {
	return &Engine{opts: opts, registry: opts.Registry.Clone()}, nil
}

// Registry gives access to what templates may call, for looking only.
func (e *Engine) Registry() RegistryView { return RegistryView{e.registry} }

// Assemble decides which lore enters the prompt for a chat. See the package
// comment for its phases.
//
// The result is never nil. With [Options].Strict, or when a hook fails or ctx
// ends, the error says so and the result has no blocks, but the state as it
// stood; the caller usually drops it. Errors are *EvalError, *HookError, or
// that of ctx.
func (e *Engine) Assemble(ctx context.Context, ix *Index, in Input) (*Result, error) {
	return &Result{State: in.State, Trace: &Trace{}}, errors.New("not yet")
}

// Advance begins the next turn: counters move, turn-local namespaces and
// pending triggers are cleared, hooks are told. If a hook fails the state has
// moved nevertheless.
func (e *Engine) Advance(ctx context.Context, ix *Index, s State) (State, error) {
	s.Turn++
	return s, nil
}

// Persistent returns the variables that outlive the process: those of state
// and of every namespace that is writable for some book of the index, without
// turn-local ones and names beginning with an underscore. Empty namespaces are
// left out.
func (e *Engine) Persistent(ix *Index, s State) map[string]map[string]weaver.Value {
	return s.Vars
}
