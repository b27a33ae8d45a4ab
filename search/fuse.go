package search

import (
	"cmp"
	"math"
	"slices"
)

// fuse adds the parts of every document's score.
func (s *scoring) fuse() {
	x, v := s.x, s.v
	for _, list := range [][]uint32{v.path, v.other} {
		for _, slot := range list {
			s.maxUses = max(s.maxUses, x.docs[slot].uses)
		}
	}
	if s.best > 0 {
		for _, list := range [][]uint32{v.path, v.other} {
			for _, slot := range list {
				s.words[slot] /= s.best
			}
		}
	}
	for _, slot := range v.other {
		f := s.words[slot] + s.denseBy*s.cosine[slot]
		if len(x.docs[slot].sources) > 0 && f > 0 {
			if s.words[slot] > 0 {
				f += s.authorBy[x.docs[slot].author]
			}
			s.passOn(slot, f)
		}
		if f > 0 {
			w := s.own(slot)
			s.sum[slot] = float32(w.total())
		}
	}
	recency := float32(s.c.Recency) / float32(max(1, len(v.path)))
	via, summary := float32(s.c.Via), float32(s.c.Summary)
	for i, slot := range v.path {
		f := s.words[slot] + s.denseBy*s.cosine[slot] + via*s.via[slot] + summary*s.summary[slot]
		if s.anyAuthor {
			f += s.authorBy[x.docs[slot].author]
		}
		if f <= 0 {
			continue
		}
		f += recency * float32(i+1)
		if s.p.when || s.maxUses > 0 {
			w := s.own(slot)
			f = float32(w.total())
		}
		s.sum[slot] = f
	}
	s.addGroups()
}

// found reports whether anything but chance speaks for a document.
func (s *scoring) found(w *Why) bool { return w.Words+w.Dense+w.Author+w.Via+w.Summary > 0 }

// total is the sum of the parts.
func (w *Why) total() float64 {
	return w.Words + w.Dense + w.Author + w.Via + w.Summary + w.Group + w.Time + w.Recency + w.Usage
}

// own returns the parts of a document's score but that of its group. For a
// message, entries and summaries have passed on theirs before.
func (s *scoring) own(slot uint32) Why {
	d := &s.x.docs[slot]
	var w Why
	if s.words[slot] > 0 {
		w.Words = float64(s.words[slot])
	}
	if s.cosine[slot] > 0 {
		w.Cosine = float64(s.cosine[slot])
		w.Dense = float64(s.denseBy * s.cosine[slot])
	}
	if d.kind == Message || w.Words > 0 {
		w.Author = float64(s.authorBy[d.author])
	}
	if d.kind == Message {
		w.Via = s.c.Via * float64(s.via[slot])
		w.Summary = s.c.Summary * float64(s.summary[slot])
	}
	if !s.found(&w) {
		return Why{}
	}
	if s.p.when && d.timed {
		w.Time = s.c.Time
	}
	if d.kind == Message && len(s.v.path) > 0 {
		w.Recency = s.c.Recency * float64(s.v.place[slot]) / float64(len(s.v.path))
	}
	if s.maxUses > 0 {
		w.Usage = s.c.Usage * math.Log1p(float64(d.uses)) / math.Log1p(float64(s.maxUses))
	}
	return w
}

// passOn gives the score of an entry or a summary to its messages.
func (s *scoring) passOn(slot uint32, score float32) {
	d := &s.x.docs[slot]
	to := s.via
	if d.kind == Summary {
		to = s.summary
	}
	for _, ref := range d.sources {
		m := s.x.current[ref]
		if m == none || s.v.sees(m) == 0 || s.x.docs[m].kind != Message || to[m] >= score {
			continue
		}
		to[m] = score
		if d.kind == Entry {
			s.viaFrom[m] = slot
		}
	}
}

// groupBest is how many messages of a group tell how good it is.
const groupBest = 3

// addGroups adds to every message what its group has, scaled so that the best
// group has 1. A conversation without groups has none.
func (s *scoring) addGroups() {
	s.groupBy = nil
	if s.c.Group == 0 || len(s.v.path) == 0 {
		return
	}
	by := make(map[uint32]*[groupBest]float32)
	for _, slot := range s.v.path {
		g := s.x.docs[slot].group
		if g == 0 {
			continue
		}
		top := by[g]
		if top == nil {
			top = new([groupBest]float32)
			by[g] = top
		}
		f := s.sum[slot]
		for i := range top {
			if f > top[i] {
				f, top[i] = top[i], f
			}
		}
	}
	if len(by) < 2 {
		return
	}
	best := float32(0)
	s.groupBy = make(map[uint32]float32, len(by))
	for g, top := range by {
		sum := float32(0)
		for _, f := range top {
			sum += f
		}
		s.groupBy[g] = sum
		best = max(best, sum)
	}
	if best == 0 {
		s.groupBy = nil
		return
	}
	for g, sum := range s.groupBy {
		s.groupBy[g] = float32(s.c.Group) * sum / best
	}
	for _, slot := range s.v.path {
		if s.sum[slot] > 0 {
			s.sum[slot] += s.groupBy[s.x.docs[slot].group]
		}
	}
}

// hits returns the best documents with their reasons.
func (s *scoring) hits() []Hit {
	limit := s.q.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	wanted := [kinds]bool{}
	for _, k := range s.q.Kinds {
		if k < kinds {
			wanted[k] = true
		}
	}
	all := len(s.q.Kinds) == 0
	var excluded map[uint32]bool
	if len(s.q.Exclude) > 0 {
		excluded = make(map[uint32]bool, len(s.q.Exclude))
		for _, id := range s.q.Exclude {
			if slot, ok := s.x.slot(id); ok {
				excluded[slot] = true
			}
		}
	}
	s.cand = s.cand[:0]
	for _, list := range [][]uint32{s.v.path, s.v.other} {
		for _, slot := range list {
			if k := s.x.docs[slot].kind; s.sum[slot] > 0 && (all || wanted[k]) && !excluded[slot] {
				s.cand = append(s.cand, slot)
			}
		}
	}
	order := func(a, b uint32) int { return cmp.Or(cmp.Compare(s.sum[b], s.sum[a]), cmp.Compare(a, b)) }
	top := best(s.cand, limit, order)
	hits := make([]Hit, len(top))
	for i, slot := range top {
		d := &s.x.docs[slot]
		w := s.own(slot)
		if d.kind == Message {
			w.Group = float64(s.groupBy[d.group])
			if w.Via > 0 {
				w.ViaID = s.x.docs[s.viaFrom[slot]].id
			}
		}
		s.explain(slot, &w)
		hits[i] = Hit{ID: d.id, Kind: d.kind, Score: w.total(), Why: w}
	}
	return hits
}

// best sorts the first n of a list by an order, without sorting the rest.
func best(list []uint32, n int, order func(a, b uint32) int) []uint32 {
	if len(list) <= 4*n {
		slices.SortFunc(list, order)
		return list[:min(n, len(list))]
	}
	// A heap of the best so far, the worst of them on top.
	heap := slices.Clone(list[:n])
	worse := func(i, j int) bool { return order(heap[i], heap[j]) > 0 }
	sift := func(i int) {
		for {
			c := 2*i + 1
			if c >= len(heap) {
				return
			}
			if c+1 < len(heap) && worse(c+1, c) {
				c++
			}
			if !worse(c, i) {
				return
			}
			heap[i], heap[c] = heap[c], heap[i]
			i = c
		}
	}
	for i := n/2 - 1; i >= 0; i-- {
		sift(i)
	}
	for _, slot := range list[n:] {
		if order(slot, heap[0]) < 0 {
			heap[0] = slot
			sift(0)
		}
	}
	slices.SortFunc(heap, order)
	return heap
}

// explain finds which words of the query stand in a document and around it.
func (s *scoring) explain(slot uint32, w *Why) {
	kind := s.x.docs[slot].kind
	var around []uint32
	if place := s.v.place[slot]; kind == Message {
		if place > 1 {
			around = append(around, s.v.path[place-2])
		}
		if int(place) < len(s.v.path) {
			around = append(around, s.v.path[place])
		}
	}
	share := float32(0)
	for i := range s.p.terms {
		t := &s.p.terms[i]
		switch {
		case s.contains(t, slot):
			w.Matched = append(w.Matched, t.word)
			share += s.termIDF[i][kind]
		case slices.ContainsFunc(around, func(n uint32) bool {
			return s.x.docs[n].group == s.x.docs[slot].group && s.contains(t, n)
		}):
			w.Nearby = append(w.Nearby, t.word)
		}
	}
	if s.fullSum[kind] > 0 {
		w.Share = float64(share / s.fullSum[kind])
	}
}

func (s *scoring) contains(t *term, slot uint32) bool {
	for _, l := range t.lists {
		if _, ok := slices.BinarySearchFunc(s.x.lists[l], slot, func(p posting, slot uint32) int { return cmp.Compare(p.slot, slot) }); ok {
			return true
		}
	}
	return false
}
