package history

import (
	"slices"

	"github.com/weft-memory/weft/lore"
)

// link is a known message at its place in the request.
type link struct {
	occ     occurrence
	node    int32
	skipped int32 // nodes between it and the link before that are not shown
}

// chain is a way through a conversation's tree as the request shows it.
type chain struct {
	conv  int32
	links []link
	score float64
	twin  bool // another message with the same text would do as well
}

func (c *chain) last() *link { return &c.links[len(c.links)-1] }

const (
	// strongSize is from how many bytes of normal form on a text is taken for
	// one that is not said twice.
	strongSize = 20
	// maxCandidates bounds how many conversations are compared in full.
	maxCandidates = 12
	// maxBack bounds how many earlier places are tried for what stands before a
	// message.
	maxBack = 40
)

// candidates returns the conversations that have most of the request's texts in
// common with it, the best first.
func (r *resolver) candidates(occs []occurrence, only int32) []int32 {
	if only >= 0 {
		return []int32{only}
	}
	type vote struct {
		conv   int32
		weight float64
	}
	votes := map[int32]float64{}
	counted := map[int32]bool{}
	for i := len(occs) - 1; i >= 0 && len(counted) < 64; i-- {
		t := occs[i].text
		if counted[t] {
			continue
		}
		counted[t] = true
		convs := map[int32]bool{}
		for _, n := range r.x.texts[t].nodes {
			if c := r.x.nodes[n].conv; !r.x.convs[c].gone {
				convs[c] = true
			}
		}
		for c := range convs {
			votes[c] += float64(min(r.x.texts[t].key.size, 64)) / float64(len(convs))
		}
	}
	list := make([]vote, 0, len(votes))
	for c, w := range votes {
		list = append(list, vote{c, w})
	}
	slices.SortFunc(list, func(a, b vote) int {
		switch {
		case a.weight != b.weight && a.weight > b.weight:
			return -1
		case a.weight != b.weight:
			return 1
		case r.x.convs[a.conv].active != r.x.convs[b.conv].active:
			return int(max(-1, min(1, r.x.convs[b.conv].active-r.x.convs[a.conv].active)))
		}
		return int(a.conv - b.conv)
	})
	var out []int32
	for _, v := range list[:min(len(list), maxCandidates)] {
		out = append(out, v.conv)
	}
	return out
}

type state struct {
	node  int32
	occ   int32
	prev  int32
	score float64
}

// weigh says how much a text says.
func (r *resolver) weigh(o *occurrence, n *node) float64 {
	w := 1.0
	switch size := r.x.texts[o.text].key.size; {
	case size >= strongSize:
		w = 4
	case size >= 8:
		w = 2
	}
	m := &r.msgs[o.msg]
	if m.Role != n.role && !m.mixed {
		w /= 2
	}
	return w
}

// align finds the way through a conversation that shows most of the request.
func (r *resolver) align(conv int32, occs []occurrence) chain {
	var states []state
	best := int32(-1)
	for oi := range occs {
		o := &occs[oi]
		for _, n := range r.nodesOf(o.text, conv) {
			nd := &r.x.nodes[n]
			if nd.deleted || nd.role == lore.RoleSystem && r.msgs[o.msg].Role != lore.RoleSystem {
				continue
			}
			w := r.weigh(o, nd)
			s := state{node: n, occ: int32(oi), prev: -1, score: w}
			if nd.parent < 0 {
				s.score += 0.5
			}
			tried := 0
			for j := len(states) - 1; j >= 0 && tried < maxBack; j-- {
				p := &states[j]
				if q := &occs[p.occ]; q.msg == o.msg && q.to > o.from || !r.x.under(p.node, n) {
					continue
				}
				tried++
				skipped, replies := r.skipped(p.node, n)
				if r.replies(&occs[p.occ], o) > replies {
					continue // somebody answered in between who did not in the tree
				}
				score := p.score + w - 0.4*float64(min(skipped, 6)) - 0.2*float64(min(r.blank[o.msg]-r.blank[occs[p.occ].msg+1], 6))
				if skipped == 0 {
					score++
				}
				if score > s.score {
					s.prev, s.score = int32(j), score
				}
				if skipped == 0 && s.prev == int32(j) && p.occ == s.occ-1 {
					break
				}
			}
			states = append(states, s)
			if best < 0 || r.better(&states[len(states)-1], &states[best]) {
				best = int32(len(states) - 1)
			}
		}
	}
	c := chain{conv: conv}
	if best < 0 {
		return c
	}
	c.score = states[best].score
	for i := range states { // the same text at the same place, elsewhere in the tree
		if s := &states[i]; int32(i) != best && s.occ == states[best].occ && s.score > c.score-0.01 && s.node != states[best].node {
			c.twin = true
		}
	}
	for i := best; i >= 0; i = states[i].prev {
		l := link{occ: occs[states[i].occ], node: states[i].node}
		if p := states[i].prev; p >= 0 {
			l.skipped, _ = r.skipped(states[p].node, l.node)
		}
		c.links = append(c.links, l)
	}
	slices.Reverse(c.links)
	return c
}

func (r *resolver) better(a, b *state) bool {
	switch {
	case a.score > b.score+0.01:
		return true
	case a.score < b.score-0.01:
		return false
	}
	return a.occ > b.occ || a.occ == b.occ && r.x.nodes[a.node].active > r.x.nodes[b.node].active
}

// skipped counts the nodes between two nodes of a path that are not deleted, and
// how many of them are replies.
func (r *resolver) skipped(u, v int32) (nodes, replies int32) {
	for n := r.x.nodes[v].parent; n >= 0 && n != u && nodes < 64; n = r.x.nodes[n].parent {
		if nd := &r.x.nodes[n]; !nd.deleted {
			nodes++
			if nd.role == lore.RoleAssistant {
				replies++
			}
		}
	}
	return nodes, replies
}

// replies counts the messages of the assistant between two places.
func (r *resolver) replies(a, b *occurrence) int32 {
	count := int32(0)
	if a.msg != b.msg {
		count = r.answers[b.msg] - r.answers[a.msg+1]
	}
	if m := &r.msgs[b.msg]; m.mixed {
		from, to := 0, b.from
		if a.msg == b.msg {
			from = a.to
		}
		for to > from && !m.form.borders[to].line {
			to-- // its own name
		}
		fresh := true
		for _, bd := range m.form.borders[from:to] {
			switch {
			case bd.line:
				fresh = true
			case fresh && r.voices[bd.name] == lore.RoleAssistant:
				count++
				fresh = false
			}
		}
	}
	return count
}

// nodesOf returns the nodes of a conversation that have a text.
func (r *resolver) nodesOf(t, conv int32) []int32 {
	all := r.x.texts[t].nodes
	if len(all) == 1 {
		if r.x.nodes[all[0]].conv == conv {
			return all
		}
		return nil
	}
	if r.byConv == nil {
		r.byConv = map[[2]int32][]int32{}
		r.sorted = map[int32]bool{}
	}
	if !r.sorted[t] {
		r.sorted[t] = true
		for _, n := range all {
			k := [2]int32{t, r.x.nodes[n].conv}
			r.byConv[k] = append(r.byConv[k], n)
		}
	}
	return r.byConv[[2]int32{t, conv}]
}

// strong reports whether a link would not be there by chance.
func (r *resolver) strong(l *link) bool {
	return r.x.texts[l.occ.text].key.size >= strongSize && len(r.nodesOf(l.occ.text, r.x.nodes[l.node].conv)) == 1
}

// trust cuts from the end of a chain what may be there by chance, and reports
// whether enough is left.
func (r *resolver) trust(c *chain) bool {
	for len(c.links) > 0 {
		l := c.last()
		if r.holds(c, len(c.links)-1) {
			break
		}
		r.trace("%s is known, but what stands before it differs", r.x.nodes[l.node].id)
		c.links = c.links[:len(c.links)-1]
		c.twin = false
	}
	if len(c.links) == 0 {
		return false
	}
	for i := range c.links {
		if r.strong(&c.links[i]) {
			return true
		}
	}
	// Only what anybody might say: it has to be the conversation from its
	// beginning on.
	first := &c.links[0]
	return r.x.before(first.node) < 0 && r.blank[first.occ.msg] == 0
}

// holds reports whether the message of a link is the one that is shown, going by
// what stands before it.
func (r *resolver) holds(c *chain, i int) bool {
	l := &c.links[i]
	if i == 0 {
		if r.x.before(l.node) < 0 && r.blank[l.occ.msg] == 0 {
			return true // the first of the conversation and of the request
		}
		if !r.strong(l) {
			return r.blank[l.occ.msg] == 0 && len(c.links) > 1
		}
		// Behind other messages, only a reply that is known in one place.
		return r.blank[l.occ.msg] == 0 ||
			r.x.nodes[l.node].role == lore.RoleAssistant && len(r.x.texts[l.occ.text].nodes) == 1
	}
	if l.skipped == 0 {
		return true // between the two stands what the front end puts in, but no reply
	}
	pieces, explained := r.gap(c, i)
	if explained {
		return true
	}
	if !r.strong(l) {
		return false
	}
	if r.x.nodes[l.node].role == lore.RoleAssistant {
		return true
	}
	// A message of the person that was said once: what is shown in between has
	// to be what was there, in other words.
	count := map[lore.Role]int{}
	for n := r.x.before(l.node); n >= 0 && n != c.links[i-1].node; n = r.x.before(n) {
		count[r.x.nodes[n].role]++
	}
	for _, u := range pieces {
		count[u.role]--
	}
	return count[lore.RoleAssistant] >= 0
}
