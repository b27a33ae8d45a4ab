package engine

import (
	"slices"
)

// trigger queues an entry that a template triggered: once, and not if it is
// active already. An active one that is only carried along is refreshed.
func (a *assembly) trigger(v *view, e *entry, from *frame) {
	q := queued{view: v, entry: e, by: "the host"}
	if from.entry != nil {
		q.by = EntryRef{from.view.id, from.entry.ID}.String()
	}
	if x := a.active[e]; x != nil {
		if x.carried && !x.refreshed && !queueHolds(a.refresh, e) {
			a.refresh = append(a.refresh, q)
		}
		return
	}
	if !queueHolds(a.queue, e) {
		a.queue = append(a.queue, q)
	}
}

func queueHolds(queue []queued, e *entry) bool {
	return slices.ContainsFunc(queue, func(q queued) bool { return q.entry == e })
}

// triggers looks at the triggered entries, then at those that were active before
// and stay longer for being triggered.
func (a *assembly) triggers() error {
	if err := a.passes(); err != nil {
		return err
	}
	return a.refreshCarried()
}

// passes activates and evaluates, pass by pass, what the one before triggered.
func (a *assembly) passes() error {
	for pass := 0; pass < a.triggerPasses(); pass++ {
		if len(a.queue) == 0 {
			return nil
		}
		batch := a.queue
		a.queue = nil
		batch, err := a.triggerFired(pass, batch)
		if err != nil {
			return err
		}
		fresh, err := a.admitTriggered(batch)
		if err != nil {
			return err
		}
		if len(fresh) == 0 {
			return nil
		}
		sortByPriority(fresh)
		for _, x := range fresh {
			a.list = append(a.list, x)
			a.active[x.entry] = x
		}
		if err := a.evaluateAll(fresh); err != nil {
			return err
		}
		before := len(a.list)
		if a.list = a.cutActive(a.list); len(a.list) < before {
			return nil
		}
	}
	return nil
}

// admitTriggered returns those of the triggered entries that may be active.
func (a *assembly) admitTriggered(batch []queued) ([]*activation, error) {
	var fresh []*activation
	for _, q := range batch {
		e := q.entry
		if x := a.active[e]; x != nil {
			if x.carried && !x.refreshed {
				a.refresh = append(a.refresh, q)
			}
			continue
		}
		if slices.ContainsFunc(fresh, func(x *activation) bool { return x.entry == e }) {
			continue
		}
		b := a.bookScan(q.view)
		if out, ok := b.gateTriggered(e); !ok {
			a.refuse(e, out)
			continue
		}
		if out, ok, err := a.condition(q.view, e); !ok || err != nil {
			a.refuse(e, out)
			if err != nil {
				return nil, err
			}
			continue
		}
		fresh = append(fresh, &activation{
			Activation: Activation{
				Book: q.view.id, Entry: e.ID, Priority: e.Priority,
				Reason: Reason{Kind: ReasonTriggered, By: q.by},
			},
			view: q.view, entry: e, use: e,
		})
	}
	return fresh, nil
}

// gateTriggered looks at the rules that a trigger obeys: disabled, cooldown,
// and once.
func (b *bookScan) gateTriggered(e *entry) (Absence, bool) {
	out, ok := b.gate(e)
	if !ok && (out.Reason == AbsentDelay || out.Reason == AbsentForced) {
		return Absence{}, true
	}
	return out, ok
}

// refreshCarried restarts the counters of carried entries that were triggered.
func (a *assembly) refreshCarried() error {
	for len(a.refresh) > 0 {
		q := a.refresh[0]
		a.refresh = a.refresh[1:]
		x := a.active[q.entry]
		if x == nil || x.refreshed {
			continue
		}
		b := a.bookScan(q.view)
		if _, ok := b.gateTriggered(q.entry); !ok {
			continue
		}
		_, ok, err := a.condition(q.view, q.entry)
		if err != nil {
			return err
		}
		x.refreshed = x.refreshed || ok
	}
	return nil
}

// triggerPasses returns how many passes there are: the engine's setting, else
// the most that a book's policy allows.
func (a *assembly) triggerPasses() int {
	if n := a.engine.opts.MaxTriggerPasses; n != 0 {
		return max(n, 0)
	}
	n := 0
	for _, v := range a.index.views {
		n = max(n, v.policy().TriggerPasses)
	}
	return n
}

// cutActive keeps the first entries of the list, as many as may be active.
// Entries of books without such a bound do not count.
func (a *assembly) cutActive(list []*activation) (kept []*activation) {
	n := 0
	for i, x := range list {
		most := a.maxActive(x.view)
		if most < 0 || n < most {
			if most >= 0 {
				n++
			}
			if kept != nil {
				kept = append(kept, x)
			}
			continue
		}
		if kept == nil {
			kept = append(make([]*activation, 0, len(list)), list[:i]...)
		}
		x.fired.Activation, x.fired.Outcome = x.Activation, OutcomeMaxActive
		a.cut = append(a.cut, x)
	}
	if kept == nil {
		return list
	}
	return kept
}

// maxActive returns how many entries may be active, -1 for no bound.
func (a *assembly) maxActive(v *view) int {
	most := v.policy().MaxActive
	switch n := a.engine.opts.MaxActive; {
	case most <= 0:
		return -1
	case n > 0:
		return n
	case n < 0:
		return 0
	}
	return most
}
