package engine

// evaluateAll renders active entries in order.
func (a *assembly) evaluateAll(list []*activation) error {
	for _, x := range list {
		if err := a.evaluate(x); err != nil {
			return err
		}
	}
	return nil
}

// evaluate renders one entry, hooks around it. An error is returned only if it
// ends the assembly.
func (a *assembly) evaluate(x *activation) error {
	x.fired.Activation = x.Activation
	skip, err := a.preEvaluate(x)
	if err != nil {
		return err
	}
	if skip {
		x.skipped = true
		x.fired.Outcome = OutcomeSkipped
		return nil
	}
	if a.in.Trace >= TraceAll {
		a.notes = &notes{}
	}
	mark, queue, again := len(a.vars.journal), len(a.queue), len(a.refresh)
	var text string
	if x.ready && x.size == SizeFull {
		text = x.readyText
	} else {
		text, err = a.render(x, sizeOf(x.use, x.size))
	}
	if a.notes != nil {
		x.fired.Reads, x.fired.Writes, x.fired.Includes = a.notes.reads, a.notes.writes, a.notes.includes
		a.notes = nil
	}
	if err != nil {
		if ctxErr := a.ctx.Err(); ctxErr != nil {
			return ctxErr
		}
		fail := &EvalError{Book: x.Book, Entry: x.Entry, Err: err}
		x.fired.Outcome, x.fired.Error = OutcomeError, err.Error()
		if a.engine.opts.Strict {
			return fail
		}
		a.vars.undo(mark)
		a.queue, a.refresh = a.queue[:queue], a.refresh[:again]
		a.problem(x.view, x.entry, "eval", "the entry is left out: "+err.Error(), fail)
		return nil
	}
	x.content, x.evaluated = text, true
	return a.postEvaluate(x)
}

// sizeOf returns the content of a size; an entry without that size gives the
// next larger one.
func sizeOf(e *entry, s Size) content {
	switch {
	case s == SizeOneLine && !e.oneLine.empty():
		return e.oneLine
	case s != SizeFull && !e.brief.empty():
		return e.brief
	}
	return e.body
}

// render renders a content of an entry.
func (a *assembly) render(x *activation, c content) (string, error) {
	if c.tmpl == nil {
		text, _ := a.expand(x.view, x.entry, c)
		return text, nil
	}
	a.top = frame{a: a, view: x.view, entry: x.entry, depth: 1}
	r, err := c.tmpl.Render(a.ctx, &a.top, a.engine.renderOptions(a, x.view, x.entry, "body"))
	if err != nil {
		return "", err
	}
	return r.Text, nil
}

// wordSource makes a source of floats one of words, for templates.
type wordSource struct{ s Source }

// Uint64 returns 53 random bits in the upper part of the word.
func (w wordSource) Uint64() uint64 { return uint64(w.s.Float64()*(1<<53)) << 11 }
