package engine

// pickOf returns the first pick that means the entry, or nil.
func (b *bookScan) pickOf(e *entry) *Pick {
	for i := range b.in.Picks {
		if b.pickEntry(&b.in.Picks[i]) == e {
			return &b.in.Picks[i]
		}
	}
	return nil
}

// applyPick gives an active entry the size and the replacement that a pick asks
// for.
func (b *bookScan) applyPick(x *activation, p *Pick) {
	x.size = p.Size
	if x.Reason.Kind != ReasonPick {
		x.Reason.Score = p.Score
	}
	if p.Replace == nil {
		return
	}
	s := &Segment{id: b.view.id, book: b.view.base.book}
	e, list := compileEntry(s, p.Replace)
	if e == nil {
		b.problem(b.view, x.entry, "pick", "the replacement of a pick does not compile, so the entry is used as it is: "+list.Err().Error(), list.Err())
		return
	}
	e.pos = x.entry.pos
	x.use = e
	x.Priority = e.Priority
}

// reportPicks reports the picks that no book has.
func (a *assembly) reportPicks() {
	for _, p := range a.in.Picks {
		if _, e := a.index.find(EntryRef{p.Book, p.Entry}); e == nil {
			a.problem(nil, nil, "pick", "no book has the picked entry "+quote(EntryRef{p.Book, p.Entry}.String()), nil)
		}
	}
}
