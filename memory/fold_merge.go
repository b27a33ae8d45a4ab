package memory

import (
	"encoding/json"
	"slices"
)

// merge makes entries part of another one.
func (f *folder) merge(op *Operation) {
	c := &op.Change
	to := op.Ref()
	if len(c.Into) > 0 {
		to = c.Into[0].in(op.book())
	}
	into := f.follow(to)
	if c.Entry != nil { // takes a split back
		into = f.lookup(to)
	}
	into.log = append(into.log, op)
	sidecar := op.Author.Kind == BySidecar
	switch {
	case !into.exists(), sidecar && !into.live():
		f.gone(into, op)
		return
	case sidecar && into.lockedAll():
		into.propose(op, *c, into.guard())
		return
	}
	var waiting []Ref
	for _, r := range c.From {
		r = r.in(op.book())
		from := f.follow(r)
		if c.Entry != nil {
			from = f.lookup(r)
		}
		switch {
		case from == into:
			if f.lookup(r) == into {
				into.refuse(op, "an entry cannot be merged into itself")
			}
		case !from.exists() || !from.live():
			from.log = append(from.log, op)
			f.gone(from, op)
		case from.ref.IsCategory() != into.ref.IsCategory():
			into.refuse(op, "an entry and a category cannot be merged")
		case sidecar && from.guard() != "":
			waiting = append(waiting, from.ref)
		default:
			from.log = append(from.log, op)
			into.absorb(from, sidecar && into.guard() != "")
			from.status, from.into = StatusMerged, into.ref
		}
	}
	if len(waiting) > 0 {
		into.propose(op, Change{Into: []Ref{into.ref}, From: waiting}, f.lookup(waiting[0]).guard())
	}
	if c.Entry != nil {
		into.own = newVersion(c.Entry)
		into.status, into.into = StatusLive, Ref{}
	}
	if len(c.Fields) > 0 || len(c.Content) > 0 || len(c.Names) > 0 {
		f.patch(op, into)
	}
}

// absorb adds to the entry what another one holds: its name and keys, tags,
// sentences, and what it says about the story where the entry says nothing.
func (s *state) absorb(from *state, over bool) {
	to, known := s.own, map[string]bool(nil)
	if over {
		to, known = s.laid(), sentenceSet(s.own.content)
	}
	has := func(name string) bool { return len(to.get(name)) > 0 || len(s.own.get(name)) > 0 }
	for _, v := range []*version{from.own, from.over} {
		if v == nil {
			continue
		}
		for _, name := range []string{fieldKeys, "tags"} {
			items, _, _, _ := lists(v.get(name))
			if name == fieldKeys {
				if n := v.get("name"); len(n) > 0 && !equalJSON(n, s.own.get("name")) {
					items = append(slices.Clone(items), n)
				}
			}
			to = to.addItems(name, missingItems(listJSON(items), s.own.get(name)))
		}
		for _, f := range v.list() {
			if !nativeFields[f.name] && !has(f.name) {
				to = to.set(f.name, f.raw)
			}
		}
		if text, _ := patchText(to.content, []Hunk{{New: v.content}}, true, known); text != to.content {
			to = to.with(nil, text)
		}
	}
	if over {
		s.setOver(to)
	} else {
		s.own = to
		if from.over != nil || from.own != nil {
			s.human.join(from.human)
		}
	}
	s.knows = addNames(s.knows, from.knows)
}

// split makes several entries of one.
func (f *folder) split(op *Operation, s *state) {
	c := &op.Change
	if op.Author.Kind == BySidecar {
		if why := s.guard(); why != "" {
			s.propose(op, *c, why)
			return
		}
	}
	var parts []*state
	stays := false
	whole := s.own
	for i, e := range c.Parts {
		if e == nil {
			continue
		}
		r := op.part(i)
		if r == op.Ref() {
			r = s.ref // where a merge led
		}
		p := f.lookup(r)
		switch {
		case p == s:
			stays = true
			s.own = newVersion(e)
		case p.exists() && (p.status != StatusMerged || f.follow(r) != s):
			s.refuse(op, "an entry with the id "+e.ID+" is there already")
			continue
		case p.exists(): // takes a merge back
			p.own, p.status, p.into = newVersion(e), StatusLive, Ref{}
			p.log = append(p.log, op)
		default:
			f.begin(op, p, e)
			p.made = s.made
			if e.Folder == "" {
				p.category = s.category
			}
			p.knows = slices.Clone(s.knows)
			p.log = append(p.log, op)
		}
		parts = append(parts, p)
	}
	if len(parts) == 0 {
		return
	}
	parts[0].keep(whole, parts)
	if !stays {
		s.own = whole
		s.status, s.into = StatusMerged, parts[0].ref
	}
	s.knowsField(c)
	if len(c.Fields) > 0 || len(c.Content) > 0 {
		f.patch(op, s)
	}
}

// keep adds to a part of a split entry what no part holds.
func (s *state) keep(whole *version, parts []*state) {
	var held []*version
	for _, p := range parts {
		held = append(held, p.own)
		if p.over != nil {
			held = append(held, p.over)
		}
	}
	var texts []string
	for _, v := range held {
		texts = append(texts, v.content)
	}
	known := sentenceSet(texts...)
	if text, _ := patchText(s.own.content, []Hunk{{New: whole.content}}, true, known); text != s.own.content {
		s.own = s.own.with(nil, text)
	}
	for _, name := range []string{fieldKeys, "tags"} {
		left, _, _, _ := lists(whole.get(name))
		for _, v := range held {
			left = missingItems(listJSON(left), v.get(name))
			if n := v.get("name"); name == fieldKeys && len(n) > 0 { // a name is found as a key is
				left = missingItems(listJSON(left), listJSON([]json.RawMessage{n}))
			}
		}
		s.own = s.own.addItems(name, left)
	}
	for _, f := range whole.list() { // what it said about the story
		if !nativeFields[f.name] && !slices.ContainsFunc(held, func(v *version) bool { return len(v.get(f.name)) > 0 }) {
			s.own = s.own.set(f.name, f.raw)
		}
	}
}
