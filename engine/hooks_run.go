package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// callHooks calls every hook that takes part at a point, in order. A preview or
// replay skips those with effects outside.
func callHooks[H any](e *Engine, ctx context.Context, purpose Purpose, at HookPoint, call func(context.Context, H) error) error {
	for _, h := range e.opts.Hooks {
		p, ok := h.(H)
		if !ok {
			continue
		}
		if purpose == PurposePreview || purpose == PurposeReplay {
			if x, ok := h.(Effectful); ok && x.Effectful() {
				continue
			}
		}
		if err := e.callHook(ctx, func(ctx context.Context) error { return call(ctx, p) }); err != nil {
			return &HookError{Plugin: h.Name(), Hook: at, Err: err}
		}
	}
	return nil
}

// callHook calls one hook within its deadline. A panic of a hook is an error of
// that hook: a plugin must not take the host down.
func (e *Engine) callHook(ctx context.Context, call func(context.Context) error) (err error) {
	if e.opts.HookDeadline >= 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, e.limits.hook)
		defer cancel()
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	if err := call(ctx); err != nil {
		return err
	}
	if err := ctx.Err(); errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("took longer than %v", e.limits.hook)
	} else if err != nil {
		return err
	}
	return nil
}

// hasHook reports whether any hook takes part at a point.
func hasHook[H any](e *Engine) bool {
	return slices.ContainsFunc(e.opts.Hooks, func(h Hook) bool {
		_, ok := h.(H)
		return ok
	})
}

func (a *assembly) hookInfo() HookInfo {
	return HookInfo{Purpose: a.purpose(), Kind: a.kind(), Turn: a.state.Turn, Registry: a.engine.Registry()}
}

func (a *assembly) purpose() Purpose {
	if a.in.Purpose == "" {
		return PurposeTurn
	}
	return a.in.Purpose
}

func (a *assembly) preActivation() error {
	if !hasHook[PreActivator](a.engine) {
		return a.ctx.Err()
	}
	c := &PreActivation{HookInfo: a.hookInfo(), Messages: slices.Clone(a.messages)}
	err := callHooks(a.engine, a.ctx, c.Purpose, AtPreActivation, func(ctx context.Context, h PreActivator) error {
		return h.PreActivation(ctx, c)
	})
	a.messages = c.Messages
	return err
}

func (a *assembly) postActivation() error {
	if !hasHook[PostActivator](a.engine) {
		return nil
	}
	c := &PostActivation{HookInfo: a.hookInfo(), Activations: make([]Activation, len(a.list))}
	for i, x := range a.list {
		c.Activations[i] = x.Activation
	}
	err := callHooks(a.engine, a.ctx, c.Purpose, AtPostActivation, func(ctx context.Context, h PostActivator) error {
		return h.PostActivation(ctx, c)
	})
	if err != nil {
		return err
	}
	a.applyActivations(c.Activations)
	return nil
}

// applyActivations takes over the list that hooks made of the activations.
func (a *assembly) applyActivations(list []Activation) {
	old := make(map[*entry]*activation, len(a.list))
	for _, x := range a.list {
		old[x.entry] = x
	}
	a.list = a.list[:0:0]
	clear(a.active)
	for _, act := range list {
		v, e := a.index.find(act.Ref())
		if e == nil {
			a.problem(nil, nil, "hook", "a hook activates the entry "+quote(act.Ref().String())+", which no book has", nil)
			continue
		}
		if a.active[e] != nil {
			continue
		}
		x := old[e]
		if x == nil {
			if act.ownPriority {
				act.Priority = e.Priority
			}
			act.Book = v.id
			x = &activation{view: v, entry: e, use: e}
		}
		x.Activation = act
		x.ownPriority = false
		a.list = append(a.list, x)
		a.active[e] = x
	}
	for _, x := range old {
		if a.active[x.entry] == nil {
			a.refuse(x.entry, Absence{Reason: AbsentRemoved, Detail: "a hook took it out after the scan"})
		}
	}
}

func (a *assembly) preEvaluate(x *activation) (skip bool, err error) {
	if !hasHook[PreEvaluator](a.engine) {
		return false, nil
	}
	c := &PreEvaluate{HookInfo: a.hookInfo(), Activation: x.Activation}
	err = callHooks(a.engine, a.ctx, c.Purpose, AtPreEvaluate, func(ctx context.Context, h PreEvaluator) error {
		return h.PreEvaluate(ctx, c)
	})
	return c.Skip, err
}

func (a *assembly) postEvaluate(x *activation) error {
	if !hasHook[PostEvaluator](a.engine) {
		return nil
	}
	c := &PostEvaluate{HookInfo: a.hookInfo(), Activation: x.Activation, Content: x.content}
	err := callHooks(a.engine, a.ctx, c.Purpose, AtPostEvaluate, func(ctx context.Context, h PostEvaluator) error {
		return h.PostEvaluate(ctx, c)
	})
	x.content = c.Content
	return err
}

// triggerFired tells hooks of the triggered entries and returns what they made
// of them.
func (a *assembly) triggerFired(pass int, batch []queued) ([]queued, error) {
	if !hasHook[TriggerObserver](a.engine) {
		return batch, nil
	}
	c := &TriggerFired{HookInfo: a.hookInfo(), Pass: pass, Triggered: make([]EntryRef, len(batch))}
	by := make(map[EntryRef]string, len(batch))
	for i, q := range batch {
		c.Triggered[i] = EntryRef{q.view.id, q.entry.ID}
		by[c.Triggered[i]] = q.by
	}
	err := callHooks(a.engine, a.ctx, c.Purpose, AtTriggerFired, func(ctx context.Context, h TriggerObserver) error {
		return h.TriggerFired(ctx, c)
	})
	if err != nil {
		return nil, err
	}
	batch = nil
	for _, ref := range c.Triggered {
		v, e := a.index.find(ref)
		if e == nil {
			a.problem(nil, nil, "hook", "a hook triggers the entry "+quote(ref.String())+", which no book has", nil)
			continue
		}
		who, ok := by[EntryRef{v.id, e.ID}]
		if !ok {
			who = "a hook"
		}
		batch = append(batch, queued{view: v, entry: e, by: who})
	}
	return batch, nil
}

func (a *assembly) postAssemble(blocks []Block) ([]Block, error) {
	if !hasHook[PostAssembler](a.engine) {
		return blocks, nil
	}
	c := &PostAssemble{HookInfo: a.hookInfo(), Blocks: blocks}
	err := callHooks(a.engine, a.ctx, c.Purpose, AtPostAssemble, func(ctx context.Context, h PostAssembler) error {
		return h.PostAssemble(ctx, c)
	})
	if err != nil {
		return nil, err
	}
	return c.Blocks, nil
}

// Methods of funcHook, so that closures are hooks.

func (h *funcHook) PreActivation(ctx context.Context, c *PreActivation) error {
	return callFunc(ctx, h.f.PreActivation, c)
}

func (h *funcHook) PostActivation(ctx context.Context, c *PostActivation) error {
	return callFunc(ctx, h.f.PostActivation, c)
}

func (h *funcHook) PreEvaluate(ctx context.Context, c *PreEvaluate) error {
	return callFunc(ctx, h.f.PreEvaluate, c)
}

func (h *funcHook) PostEvaluate(ctx context.Context, c *PostEvaluate) error {
	return callFunc(ctx, h.f.PostEvaluate, c)
}

func (h *funcHook) TriggerFired(ctx context.Context, c *TriggerFired) error {
	return callFunc(ctx, h.f.TriggerFired, c)
}

func (h *funcHook) PostAssemble(ctx context.Context, c *PostAssemble) error {
	return callFunc(ctx, h.f.PostAssemble, c)
}

func (h *funcHook) TurnAdvance(ctx context.Context, c *TurnAdvance) error {
	return callFunc(ctx, h.f.TurnAdvance, c)
}

func callFunc[C any](ctx context.Context, f func(context.Context, C) error, c C) error {
	if f == nil {
		return nil
	}
	return f(ctx, c)
}

// Guards: closures take part everywhere.
var (
	_ PreActivator    = (*funcHook)(nil)
	_ PostActivator   = (*funcHook)(nil)
	_ PreEvaluator    = (*funcHook)(nil)
	_ PostEvaluator   = (*funcHook)(nil)
	_ TriggerObserver = (*funcHook)(nil)
	_ PostAssembler   = (*funcHook)(nil)
	_ TurnAdvancer    = (*funcHook)(nil)
	_ Effectful       = (*funcHook)(nil)
)
