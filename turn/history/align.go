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
	// maxNear is how far up the tree the message before is looked for first,
	// maxBack and maxLook how many earlier places are tried then.
	maxNear = 6
	maxBack = 12
	maxLook = 200
	// maxSame is from how many messages of one conversation with the same text
	// on only those are compared that follow what was found before.
	maxSame = 48
)

// candidates returns the conversations that have most of the request's texts in
// common with it, the best first.
func (r *resolver) candidates(occs []occurrence, only int32) []int32 {
	if only >= 0 {
		r.chosen = map[int32]bool{only: true}
		return []int32{only}
	}
	type vote struct {
		conv   int32
		weight float64
	}
	votes := map[int32]float64{}
	// Texts that few say tell more, and cost less; the others only if there is
	// none of those.
	for _, most := range []int{manyNodes, 1 << 30} {
		counted := map[int32]bool{}
		for i := len(occs) - 1; i >= 0 && len(counted) < 64; i-- {
			t := occs[i].text
			if nodes := r.x.texts[t].nodes; !counted[t] && len(nodes) <= most {
				counted[t] = true
				r.vote(votes, t)
			}
		}
		if len(votes) > 0 {
			break
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
	r.chosen = map[int32]bool{}
	for _, v := range list[:min(len(list), maxCandidates)] {
		out = append(out, v.conv)
		r.chosen[v.conv] = true
	}
	return out
}

// manyNodes is from how many messages on a text is one that many say.
const manyNodes = 64

// vote counts a text for the conversations that have it, more if it is long and
// few have it.
func (r *resolver) vote(votes map[int32]float64, t int32) {
	nodes := r.x.texts[t].nodes
	var convs []int32
	for i, n := range nodes {
		c := r.x.nodes[n].conv
		if !r.x.convs[c].gone && (i == 0 || r.x.nodes[nodes[i-1]].conv != c) {
			convs = append(convs, c)
		}
	}
	for _, c := range convs {
		votes[c] += float64(min(r.x.texts[t].key.size, 64)) / float64(len(convs))
	}
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
	at := map[int32][2]int32{} // of a node, the best place and the last one
	best := int32(-1)
	for oi := range occs {
		o := &occs[oi]
		for _, n := range r.near(o.text, conv, states) {
			nd := &r.x.nodes[n]
			if nd.deleted || nd.role == lore.RoleSystem && r.msgs[o.msg].Role != lore.RoleSystem {
				continue
			}
			w := r.weigh(o, nd)
			s := state{node: n, occ: int32(oi), prev: -1, score: w}
			if nd.parent < 0 {
				s.score += 0.5
			}
			r.link(&s, states, occs, at)
			if s.prev < 0 && len(states) > 0 && w < 4 && nd.parent >= 0 {
				continue // what is said often, and follows nothing
			}
			i := int32(len(states))
			if best, ok := at[n]; !ok {
				at[n] = [2]int32{i, i}
			} else if s.score >= states[best[0]].score {
				at[n] = [2]int32{i, i}
			} else {
				at[n] = [2]int32{best[0], i}
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

// link finds the state that a state follows.
func (r *resolver) link(s *state, states []state, occs []occurrence, at map[int32][2]int32) {
	o, w := &occs[s.occ], s.score
	try := func(j, skipped, replies int32) {
		p := &states[j]
		q := &occs[p.occ]
		if q.msg == o.msg && q.to > o.from || p.occ == s.occ || r.replies(q, o) > replies {
			return // at the same place, or somebody answered in between who did not in the tree
		}
		score := p.score + w - 0.4*float64(min(skipped, 6)) - 0.2*float64(min(max(r.told[o.msg]-r.told[q.msg+1], 0), 6))
		if skipped == 0 {
			score++
		}
		if score > s.score {
			s.prev, s.score = j, score
		}
	}
	skipped, replies := int32(0), int32(0)
	n := r.x.nodes[s.node].parent
	for ; n >= 0 && skipped < maxNear; n = r.x.nodes[n].parent {
		if found, ok := at[n]; ok {
			try(found[0], skipped, replies)
			if found[1] != found[0] {
				try(found[1], skipped, replies)
			}
		}
		if nd := &r.x.nodes[n]; !nd.deleted {
			skipped++
			if nd.role == lore.RoleAssistant {
				replies++
			}
		}
	}
	if s.prev >= 0 || n < 0 || w < 4 {
		return
	}
	tried := 0
	for j := len(states) - 1; j >= max(0, len(states)-maxLook) && tried < maxBack; j-- {
		if r.x.under(states[j].node, s.node) {
			tried++
			skipped, replies := r.skipped(states[j].node, s.node)
			try(int32(j), skipped, replies)
		}
	}
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
	start := b.from // of its line, where its name stands
	for start > 0 && !r.msgs[b.msg].form.borders[start].line {
		start--
	}
	switch { // other text in the same messages
	case r.msgs[b.msg].mixed:
	case a.msg == b.msg:
		if start > a.to && r.msgs[b.msg].Role == lore.RoleAssistant {
			count++
		}
	default:
		if start > 0 && r.msgs[b.msg].Role == lore.RoleAssistant {
			count++
		}
		if m := &r.msgs[a.msg]; a.to < len(m.form.borders)-1 && m.Role == lore.RoleAssistant {
			count++
		}
	}
	if m := &r.msgs[b.msg]; m.mixed {
		from, to := 0, b.from
		if a.msg == b.msg {
			from = a.to
		}
		for to > from && !m.form.borders[to].line {
			to-- // its own name
		}
		count += m.answers[max(from, to)] - m.answers[from]
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
			if c := r.x.nodes[n].conv; r.chosen[c] {
				k := [2]int32{t, c}
				r.byConv[k] = append(r.byConv[k], n)
			}
		}
	}
	return r.byConv[[2]int32{t, conv}]
}

// near returns the nodes of a conversation that have a text. Of a text that is
// said often it returns those that follow the last places, and the newest.
func (r *resolver) near(t, conv int32, states []state) []int32 {
	all := r.nodesOf(t, conv)
	if len(all) <= maxSame {
		return all
	}
	out := slices.Clone(all[len(all)-maxSame/2:])
	seen := 0
	var down func(n int32, levels int)
	down = func(n int32, levels int) {
		for _, c := range r.x.nodes[n].children {
			if seen++; seen > 4*maxSame {
				return
			}
			if slices.Contains(r.x.nodes[c].texts, t) && !slices.Contains(out, c) {
				out = append(out, c)
			}
			if levels > 1 {
				down(c, levels-1)
			}
		}
	}
	for j := len(states) - 1; j >= max(0, len(states)-16); j-- {
		down(states[j].node, 3)
	}
	return out
}

// strong reports whether a link would not be there by chance. Of a text of the
// person the last line counts: what stands before it may be put in.
func (r *resolver) strong(l *link) bool {
	size := int(r.x.texts[l.occ.text].key.size)
	if f := &r.msgs[l.occ.msg].form; r.x.nodes[l.node].role == lore.RoleUser {
		from := l.occ.to - 1
		for from > l.occ.from && !f.borders[from].line {
			from--
		}
		size = f.borders[l.occ.to].at - f.borders[from].at
	}
	return size >= strongSize && len(r.nodesOf(l.occ.text, r.x.nodes[l.node].conv)) == 1
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
	return r.x.before(first.node) < 0 && r.told[first.occ.msg] == 0
}

// holds reports whether the message of a link is the one that is shown, going by
// what stands before it.
func (r *resolver) holds(c *chain, i int) bool {
	l := &c.links[i]
	if i == 0 {
		if r.x.before(l.node) < 0 && r.told[l.occ.msg] == 0 {
			return true // the first of the conversation and of the request
		}
		if !r.strong(l) {
			return r.told[l.occ.msg] == 0 && len(c.links) > 1
		}
		// Behind other messages, only a reply that is known in one place.
		return r.told[l.occ.msg] == 0 ||
			r.x.nodes[l.node].role == lore.RoleAssistant && len(r.x.texts[l.occ.text].nodes) == 1
	}
	if l.skipped == 0 {
		// Between the two may stand what the front end puts in, but no reply. What
		// nobody has seen yet may be a message as well.
		pieces, _ := r.gap(c, i)
		return len(pieces) == 0 || r.strong(l) || r.x.nodes[l.node].role != lore.RoleUser
	}
	pieces, explained := r.gap(c, i)
	if explained && (r.strong(l) || r.x.nodes[l.node].role != lore.RoleUser || len(pieces) <= int(l.skipped)) {
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
