package history

import (
	"slices"
	"strings"

	"github.com/weft-memory/weft/lore"
)

// Source gives the texts of messages, of which the index has the hashes only.
type Source interface {
	// Wordings returns the texts by which a message is known, the present one
	// first. None is no error: the message is then told by its hashes alone.
	Wordings(node string) []string
}

const (
	// maxFetches bounds how many messages are fetched for one request.
	maxFetches = 96
	// maxGap bounds how many messages between two known ones are compared.
	maxGap = 24
)

// wordings returns the texts of a node, as far as they may still be asked for.
func (r *resolver) wordings(n int32) []string {
	if list, ok := r.fetched[n]; ok {
		return list
	}
	if r.src == nil || len(r.fetched) >= maxFetches {
		return nil
	}
	list := r.src.Wordings(r.x.nodes[n].id)
	r.fetched[n] = list
	return list
}

// relate says how a text follows from the wordings of a node.
func (r *resolver) relate(n int32, s string) (best relation, share float64) {
	if r.x.says(n, keyOf(s)) {
		return same, 1
	}
	for _, known := range r.wordings(n) {
		if rel, sh := relate(s, known); rel > best || rel == best && sh > share {
			best, share = rel, sh
		}
	}
	if best < part && r.x.nodes[n].role == lore.RoleUser { // a line in common among what is put in
		now := lines(r.h.said(s, false))
		for _, known := range r.wordings(n) {
			for _, l := range common(lines(known), now) {
				if keyOf(l.text).size >= prefixSize && !r.h.knows(l.text, injected) {
					return part, 0.1
				}
			}
		}
	}
	return best, share
}

// pair says that a piece of the request shows a node in another wording.
type pair struct {
	node int32
	unit int // in resolver.units
	rel  relation
}

// between returns the indices of the pieces between two links that could be
// messages, and the nodes that stand between them in the tree.
func (r *resolver) between(c *chain, i int) (pieces []int, nodes []int32) {
	from, to := r.placeOf[i-1], r.placeOf[i]
	for u := from + 1; u < to; u++ {
		if p := &r.us[u]; p.role != lore.RoleSystem && !p.tool && p.node < 0 && r.h.unknown(p.text, injected) != "" {
			pieces = append(pieces, u)
		}
	}
	for n := r.x.before(c.links[i].node); n >= 0 && n != c.links[i-1].node && len(nodes) <= maxGap; n = r.x.before(n) {
		nodes = append(nodes, n)
	}
	slices.Reverse(nodes)
	return pieces, nodes
}

// pairs finds which pieces show which nodes, in order. With all it also pairs
// what has nothing in common, where there is as much of one as of the other:
// messages that were rewritten.
func (r *resolver) pairs(pieces []int, nodes []int32, all bool) []pair {
	if len(pieces) > maxGap || len(nodes) > maxGap || len(pieces) == 0 || len(nodes) == 0 {
		return nil
	}
	var out []pair
	next := 0
	for _, n := range nodes {
		if last := r.parted(n, pieces[next:], all); last > 0 {
			out = append(out, pair{n, -1, same})
			next += last
			continue
		}
		best, at, share := unrelated, -1, 0.0
		for j := next; j < len(pieces); j++ {
			u := &r.us[pieces[j]]
			if u.role != r.x.nodes[n].role {
				continue
			}
			rel, sh := r.relate(n, u.text)
			if rel == alike && r.elsewhere(n, u.text) {
				continue
			}
			if rel > best || rel == best && rel != unrelated && sh > share {
				best, at, share = rel, j, sh
			}
		}
		if at >= 0 {
			out = append(out, pair{n, pieces[at], best})
			next = at + 1
		}
	}
	if !all {
		return out
	}
	for _, role := range []lore.Role{lore.RoleUser, lore.RoleAssistant} {
		var left []int32
		var free []int
		for _, n := range nodes {
			if r.x.nodes[n].role == role && !slices.ContainsFunc(out, func(p pair) bool { return p.node == n }) {
				left = append(left, n)
			}
		}
		for _, u := range pieces {
			if r.us[u].role == role && !slices.ContainsFunc(out, func(p pair) bool { return p.unit == u }) {
				free = append(free, u)
			}
		}
		if len(left) == len(free) {
			for i, n := range left {
				out = append(out, pair{n, free[i], unrelated})
			}
		}
	}
	return out
}

// elsewhere reports whether a text is exactly that of another message of the
// conversation.
func (r *resolver) elsewhere(n int32, s string) bool {
	t, ok := r.x.byKey[keyOf(s)]
	return ok && len(r.nodesOf(t, r.x.nodes[n].conv)) > 0
}

// parted looks for a node that was made of several messages of which nobody
// knew yet which is the person's, and which was put in. It returns behind which
// piece that ends; 0 if it is none of those. With write it takes down what they
// say now.
func (r *resolver) parted(n int32, pieces []int, write bool) int {
	if r.x.nodes[n].role != lore.RoleUser {
		return 0
	}
	var texts []string
	end := 0
	for i, u := range pieces { // the messages of the person up to the reply
		if r.us[u].role == lore.RoleUser {
			texts, end = append(texts, r.us[u].text), i+1
		} else if len(texts) > 0 {
			break
		}
	}
	if len(texts) < 2 {
		return 0
	}
	for _, known := range r.wordings(n) {
		count := 0
		for _, s := range texts {
			if paragraph(s, known) {
				count++
			}
		}
		if count == 0 {
			continue
		}
		if joined := strings.Join(texts, "\n\n"); write && count < len(texts) && !r.x.says(n, keyOf(joined)) {
			r.rewrite(n, joined)
		}
		return end
	}
	return 0
}

// rewrite takes down a new wording of a node.
func (r *resolver) rewrite(n int32, s string) {
	nd := &r.x.nodes[n]
	r.trace("%s is shown in another wording", nd.id)
	r.d.wording = append(r.d.wording, wording{node: n, text: s, kept: true})
	r.d.Writes = append(r.d.Writes, Write{Edit: nd.id, Role: nd.role, Name: nd.name, Text: s})
}

// gap returns the pieces between two links, and whether they are all the nodes
// in between in other words.
func (r *resolver) gap(c *chain, i int) (pieces []unit, explained bool) {
	list, nodes := r.between(c, i)
	found := r.pairs(list, nodes, false)
	for _, u := range list {
		pieces = append(pieces, r.us[u])
	}
	return pieces, len(found) == len(nodes)
}

// reword takes down that a piece shows a node in another wording.
func (r *resolver) reword(p pair) {
	u := &r.us[p.unit]
	n := &r.x.nodes[p.node]
	s := u.text
	u.node = p.node
	if u.role == lore.RoleUser {
		if s = r.saying(p.node, s); s == "" {
			return
		}
	}
	if r.x.says(p.node, keyOf(s)) {
		return
	}
	edit := p.rel != same
	if p.rel == part && u.role != lore.RoleUser && n.shown {
		// A reply that was shown in full before, and is cut now, is cut for the
		// prompt only.
		size := len(newForm(s).text)
		edit = !slices.ContainsFunc(r.wordings(p.node), func(k string) bool { return size < len(newForm(k).text) })
	}
	if edit {
		r.rewrite(p.node, s)
		return
	}
	r.d.wording = append(r.d.wording, wording{node: p.node, text: s, kept: true})
}

// saying returns the new wording of a message of the person that a text shows
// with others around it; "" if nothing changed. Lines that are gone had been put
// in by the front end, since the person's own stay. New ones are kept until they
// are gone: nobody knows yet whose they are.
func (r *resolver) saying(n int32, shown string) string {
	rest := r.h.said(shown, false)
	if rest == "" {
		rest = shown
	}
	for _, known := range r.wordings(n) {
		have, now := lines(known), lines(rest)
		both := common(have, now)
		switch {
		case len(both) == 0:
			continue
		case len(both) == len(have) && len(both) == len(now):
			return "" // in another order at most
		}
		r.gone(have, now, both, !r.x.nodes[n].shown)
		if len(both) < len(now) {
			return rest
		}
		var out []line
		for _, l := range have {
			if at := slices.IndexFunc(both, func(b line) bool { return sameLine(b.text, l.text) }); at >= 0 {
				out = append(out, line{text: both[at].text, before: l.before})
			}
		}
		return joinLines(out)
	}
	return rest
}

// gone learns lines that are gone from a message. Where new lines stand in the
// place of old ones, the message may have been edited, and nothing is learned.
// first says that the old lines are those of the request in which the message
// was new.
func (r *resolver) gone(have, now, both []line, first bool) {
	kept := func(l line) bool {
		return slices.ContainsFunc(both, func(b line) bool { return sameLine(b.text, l.text) })
	}
	fresh := map[int]int{} // by the number of kept lines before them
	at := 0
	for _, l := range now {
		if kept(l) {
			at++
		} else {
			fresh[at]++
		}
	}
	old := map[int][]int{}
	at = 0
	for i, l := range have {
		if kept(l) {
			at++
		} else {
			old[at] = append(old[at], i)
		}
	}
	gone := len(have) - len(both)
	end := lines(r.msgs[len(r.msgs)-1].Text)
	for at := range len(both) + 1 { // what stands at the end of the request now is the person's nowhere
		old[at] = slices.DeleteFunc(old[at], func(i int) bool {
			how := injected
			switch {
			case len(end) == 0 || keyOf(have[i].text).size < prefixSize:
				return false
			case sameLine(have[i].text, end[len(end)-1].text):
				how |= ending
			case slices.ContainsFunc(end, func(l line) bool { return sameLine(l.text, have[i].text) || sameButNames(l.text, have[i].text) }):
				how |= trailing
			default:
				return false
			}
			r.d.merged = true
			r.learn(have[i].text, how)
			gone--
			return true
		})
	}
	if gone <= len(now)-len(both) {
		return
	}
	for at := range len(both) + 1 {
		for _, i := range old[at][min(fresh[at], len(old[at])):] {
			how := injected
			switch {
			case keyOf(have[i].text).size < prefixSize:
				continue // too short to be told from what anybody says
			case at > 0 && i == len(have)-1 && first: // it ended the turn
				how |= ending
			case at > 0:
				how |= trailing
			}
			r.d.merged = true
			r.learn(have[i].text, how)
		}
	}
}

// line is a line of a text with the line breaks in front of it.
type line struct{ text, before string }

// lines cuts a text at its line breaks.
func lines(s string) []line {
	var out []line
	for s = strings.Trim(s, " \t\r\n"); s != ""; {
		start := 0
		for start < len(s) && s[start] <= ' ' {
			start++
		}
		end := strings.IndexByte(s[start:], '\n')
		if end < 0 {
			end = len(s) - start
		}
		out = append(out, line{text: strings.TrimSpace(s[start : start+end]), before: s[:start]})
		s = s[start+end:]
	}
	return out
}

func joinLines(list []line) string {
	var b strings.Builder
	for i, l := range list {
		if i > 0 {
			b.WriteString(l.before)
		}
		b.WriteString(l.text)
	}
	return b.String()
}

// common returns the lines of a that b has too, as b has them. A name in front
// makes no difference.
func common(a, b []line) []line {
	var out []line
	for _, p := range a {
		if i := slices.IndexFunc(b, func(q line) bool { return sameLine(p.text, q.text) }); i >= 0 {
			out = append(out, line{text: b[i].text, before: p.before})
		}
	}
	return out
}

func sameLine(a, b string) bool {
	return a == b || keyOf(a) == keyOf(b) || unnamed(a) == unnamed(b)
}

// unnamed is the key of a line without the name in front of it.
func unnamed(s string) key {
	f := newForm(s)
	from := 0
	if len(f.borders) > 2 && proper(f.borders[1].name) {
		from = 1
	}
	return f.key(from, len(f.borders)-1)
}

// stays reports whether a text that has nothing in common with the node in whose
// place it stands was there before, in a request that ended elsewhere. What a
// front end puts in, in the place of a message that is hidden, moves with the
// end; a message that was rewritten stays. far is how far from the end it is.
func (r *resolver) stays(p pair, far int32) bool {
	n, k := &r.x.nodes[p.node], keyOf(r.us[p.unit].text)
	if n.maybe == k && far > n.maybeFar+1 { // a turn has passed
		return true
	}
	r.d.maybe = append(r.d.maybe, maybe{p.node, k, far})
	return false
}

// edits looks for messages that are shown in another wording between those that
// are shown as they are known.
func (r *resolver) edits(c *chain) {
	from := max(1, len(c.links)-512)
	for i := from; i < len(c.links); i++ {
		if c.links[i].skipped == 0 {
			continue
		}
		pieces, nodes := r.between(c, i)
		if len(pieces) == 0 {
			continue
		}
		for _, p := range r.pairs(pieces, nodes, true) {
			if p.unit < 0 || p.rel == unrelated && r.us[p.unit].role == lore.RoleUser && !r.stays(p, int32(len(c.links)-i)) {
				continue
			}
			r.reword(p)
		}
	}
}
