package engine

import (
	"slices"

	"github.com/weft-memory/weft/lore"
)

// domain is the books that are scanned as one: one book, or all books of an
// equal policy that says ScanTogether.
type domain struct {
	policy *lore.Policy
	views  []*view
}

// scanner finds the active entries of a domain. What it finds it adds with
// assembly.activate, in order.
type scanner interface {
	scan(a *assembly, d *domain) error
}

// scanner returns the scanner that the books of the domain need.
func (d *domain) scanner() scanner {
	p := d.policy
	if p.ScanTogether || p.ScanBudget || p.Recursive || p.MinActivations > 0 {
		return sweeper{}
	}
	for _, v := range d.views {
		if r := v.base.book.Recursive; r != nil && *r {
			return sweeper{}
		}
		for s := range v.segments {
			for _, r := range s.sweeping {
				if !v.isCovered(s.entries[r]) {
					return sweeper{}
				}
			}
		}
	}
	return singlePass{}
}

// domains groups the books.
func (ix *Index) domains() []*domain {
	var out []*domain
	for _, v := range ix.views {
		p := v.policy()
		if p.ScanTogether {
			if i := slices.IndexFunc(out, func(d *domain) bool { return *d.policy == *p }); i >= 0 {
				out[i].views = append(out[i].views, v)
				continue
			}
		}
		out = append(out, &domain{policy: p, views: []*view{v}})
	}
	return out
}

// scan finds the active entries of all books and sorts them by priority.
func (a *assembly) scan() error {
	for _, d := range a.index.domains() {
		from := len(a.list)
		if err := d.scanner().scan(a, d); err != nil {
			return err
		}
		sortByPriority(a.list[from:])
	}
	sortByPriority(a.list)
	a.trace.Found = make([]Activation, len(a.list))
	for i, x := range a.list {
		a.trace.Found[i] = x.Activation
	}
	a.reportPicks()
	return a.ctx.Err()
}

// sortByPriority sorts stably, higher ones first.
func sortByPriority(list []*activation) {
	slices.SortStableFunc(list, func(x, y *activation) int {
		switch {
		case x.Priority > y.Priority:
			return -1
		case x.Priority < y.Priority:
			return 1
		}
		return 0
	})
}

// activate adds an entry to the active ones.
func (a *assembly) activate(v *view, e *entry, r Reason) *activation {
	x := a.newActivation()
	x.Activation = Activation{Book: v.id, Entry: e.ID, Priority: e.Priority, Reason: r}
	x.view, x.entry, x.use = v, e, e
	a.list = append(a.list, x)
	a.active[e] = x
	return x
}

// newActivation returns an empty activation. Many are made at once, since most
// assemblies have dozens.
func (a *assembly) newActivation() *activation {
	const many = 32
	if len(a.slab) == 0 {
		a.slab = make([]activation, many)
	}
	x := &a.slab[0]
	a.slab = a.slab[1:]
	return x
}
