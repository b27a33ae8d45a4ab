package engine

import (
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
)

// frame is the host of one evaluation: the rights of an entry's book, and the
// chain of entries that include it. Commands find the activity of entries here
// by asserting the interface of its methods IsActive and IsActiveGlobal.
type frame struct {
	a      *assembly
	view   *view
	entry  *entry // nil outside of any entry
	parent *frame
	depth  int // open entries, this one counted
}

// Get returns a variable that the book may read.
func (f *frame) Get(scope, name string) (weaver.Value, bool, error) {
	if _, ok := f.a.engine.access(f.view.base.book, scope); !ok {
		f.a.noteRead(scope, name, weaver.None, false)
		return weaver.None, false, nil
	}
	v, ok := f.a.vars.lookup(scope, name)
	if !ok {
		v, ok = f.a.builtin(scope, name)
	}
	f.a.noteRead(scope, name, v, ok)
	return v, ok, nil
}

// Set writes a variable that the book may write.
func (f *frame) Set(scope, name string, v weaver.Value) error {
	switch access, ok := f.a.engine.access(f.view.base.book, scope); {
	case !ok:
		return weaver.Errorf(weaver.HostError, "the namespace %s is not declared, so %s:%s cannot be set", scope, scope, name).
			WithHint("declare it in the book's settings under namespaces, or write to state:%s", name)
	case access != lore.ReadWrite:
		return weaver.Errorf(weaver.HostError, "the namespace %s is read-only, so %s:%s cannot be set", scope, scope, name).
			WithHint("write to state:%s instead", name)
	}
	if err := f.a.vars.set(scope, name, v); err != nil {
		return err
	}
	f.a.noteWrite(scope, name, v)
	return nil
}

// Names lists the variables of a namespace, for the question what was meant.
func (f *frame) Names(scope string) []string {
	if _, ok := f.a.engine.access(f.view.base.book, scope); !ok {
		return nil
	}
	return f.a.vars.names(scope)
}

// IsActive reports whether an entry of the evaluated entry's own book is
// active so far.
func (f *frame) IsActive(id string) bool {
	e := f.view.entry(id)
	return e != nil && f.a.active[e] != nil
}

// IsActiveGlobal reports whether an entry of any book is active so far.
func (f *frame) IsActiveGlobal(id string) bool {
	for _, v := range f.a.index.views {
		if e := v.entry(id); e != nil && f.a.active[e] != nil {
			return true
		}
	}
	return false
}

// Fire queues an entry to be looked at after the evaluation of the others. It
// prints nothing. An unknown id is reported and otherwise ignored.
func (f *frame) Fire(_ *weaver.Context, id string) (string, error) {
	v, e := f.a.index.resolve(f.view, id)
	if e == nil {
		f.a.problem(f.view, f.entry, "trigger", "no book has the entry "+quote(id)+" that is to be triggered", nil)
		return "", nil
	}
	f.a.trigger(v, e, f)
	return "", nil
}

// Document evaluates an entry in place, with the rights of its own book.
func (f *frame) Document(ctx *weaver.Context, id string) (weaver.Value, error) {
	v, e := f.a.index.resolve(f.view, id)
	if e == nil {
		return weaver.None, weaver.Errorf(weaver.DocumentNotFound, "no book has the entry %q", id)
	}
	for p := f; p != nil; p = p.parent {
		if p.entry == e {
			return f.unsound(weaver.Errorf(weaver.HostError, "entries include each other in a circle: %s", f.chain(e)))
		}
	}
	if f.depth >= f.a.engine.limits.recursion {
		return f.unsound(weaver.Errorf(weaver.RecursionLimit, "[[%s]] would open more than %d entries inside each other: %s",
			id, f.a.engine.limits.recursion, f.chain(e)))
	}
	f.a.noteInclude(v, e)
	if e.body.tmpl == nil {
		text, _ := f.a.expand(v, e, e.body)
		return weaver.String(text), nil
	}
	inner := &frame{a: f.a, view: v, entry: e, parent: f, depth: f.depth + 1}
	r, err := ctx.Sub(e.body.tmpl, weaver.SubOptions{Host: inner})
	if err == nil {
		err = f.a.circle
	}
	if f.depth <= 1 {
		f.a.circle = nil
	}
	if err != nil {
		return weaver.None, err
	}
	return r.Value, nil
}

// unsound fails the whole chain of inclusions: a lenient evaluation would
// otherwise print the text around the circle, cut where it closes.
func (f *frame) unsound(err *weaver.Error) (weaver.Value, error) {
	if f.depth > 1 {
		f.a.circle = err
	}
	return weaver.None, err
}

// chain writes the entries that are open, and the one that would be next.
func (f *frame) chain(next *entry) string {
	ids := []string{next.ID}
	for p := f; p != nil; p = p.parent {
		if p.entry != nil {
			ids = append(ids, p.entry.ID)
		}
	}
	var b strings.Builder
	for i := len(ids) - 1; i >= 0; i-- {
		b.WriteString(ids[i])
		if i > 0 {
			b.WriteString(" → ")
		}
	}
	return b.String()
}

var (
	_ weaver.Host  = (*frame)(nil)
	_ weaver.Namer = (*frame)(nil)
)
