package history

import (
	"slices"
	"strings"

	"github.com/weft-memory/weft/lore"
)

// place is a message of the history at its place in the request.
type place struct {
	unit int
	ref  Ref
	node int32 // -1 for one that is to be written
	role lore.Role
	// chained says that it is known by its text, not by what stands around it.
	chained bool
}

// walker goes from the last known message to the end of the request.
type walker struct {
	*resolver
	conv    int32 // -1 for a new conversation
	cur     int32 // the node it stands at; -1 before the first, or behind a write
	ref     Ref
	fresh   bool // it stands behind a write
	places  []place
	pending []int // units of the person that are not placed yet
	prefill int   // the unit of a prefill; -1
	// elsewhere says that the last message is a reply of this conversation that
	// stands elsewhere in its tree: what it answers was edited.
	elsewhere bool
}

func (w *walker) kids() []int32 {
	if w.fresh || w.conv < 0 {
		return nil
	}
	return w.x.children(w.conv, w.cur)
}

func (w *walker) step(u int, n int32) {
	w.cur, w.ref, w.fresh = n, Ref{Node: w.x.nodes[n].id}, false
	w.us[u].node = n
	w.places = append(w.places, place{unit: u, ref: w.ref, node: n, role: w.x.nodes[n].role})
}

func (w *walker) write(u int, wr Write) {
	wr.Parent = w.ref
	w.d.Writes = append(w.d.Writes, wr)
	w.ref, w.fresh = Ref{Write: len(w.d.Writes)}, true
	w.places = append(w.places, place{unit: u, ref: w.ref, node: -1, role: wr.Role})
}

// walk goes through the pieces behind the chain, places those that are
// messages, and decides what is asked for.
func (r *resolver) walk(c *chain) {
	w := &walker{resolver: r, conv: c.conv, cur: -1, prefill: -1}
	start := 0
	for i := range c.links {
		l := &c.links[i]
		w.places = append(w.places, place{unit: r.placeOf[i], ref: Ref{Node: r.x.nodes[l.node].id}, node: l.node, role: r.x.nodes[l.node].role, chained: true})
	}
	if len(c.links) > 0 {
		l := c.last()
		w.cur, w.ref = l.node, Ref{Node: r.x.nodes[l.node].id}
		start = r.placeOf[len(c.links)-1] + 1
		r.trace("%d messages are known, the last one is %s", len(c.links), w.ref.Node)
	} else {
		r.trace("no message is known")
	}
	r.edits(c)
	for u := start; u < len(w.us); u++ {
		w.place(u, u == len(w.us)-1)
	}
	w.flush(false)
	w.decide()
}

// place finds out what a piece behind the known messages is.
func (w *walker) place(u int, last bool) {
	p := &w.us[u]
	switch {
	case p.tool || p.role == lore.RoleSystem || p.role == lore.RoleTool:
		return
	case p.role == lore.RoleAssistant:
		w.reply(u, last)
		return
	}
	if w.trails(u) {
		p.role = lore.RoleSystem
		return
	}
	ended := w.split(u)
	p = &w.us[u]
	rest := w.h.said(p.text, ended)
	if rest == "" || placeholder(p.text) && len(w.places) == 0 {
		return
	}
	if rest != p.text {
		if i := strings.Index(p.text, rest); i >= 0 {
			p.from, p.to = p.from+i, p.from+i+len(rest)
		}
		p.text = rest
	}
	if len(w.places) == 0 && w.conv < 0 && w.msgs[p.msg].Parts > 1 {
		return // system text that has to stand in a message of the person
	}
	w.pending = append(w.pending, u)
	k := keyOf(p.text)
	for _, n := range w.kids() {
		if w.x.nodes[n].role == lore.RoleUser && w.x.says(n, k) && (len(w.pending) == 1 || k.size >= strongSize) {
			for _, q := range w.pending[:len(w.pending)-1] {
				w.learn(w.us[q].text, injected)
			}
			w.pending = nil
			w.step(u, n)
			return
		}
	}
}

// split cuts a text in the person's name at the paragraph that ends turns: what
// stands behind it is no message. It reports whether there is one.
func (w *walker) split(u int) bool {
	p := &w.us[u]
	at := 0
	for para := range strings.SplitAfterSeq(p.text, "\n\n") {
		if at > 0 && w.h.knows(para, ending) && !w.h.knows(para, opening) {
			tail := *p
			tail.role, tail.from, tail.text = lore.RoleSystem, p.from+at, p.text[at:]
			p.to, p.text = p.from+at, strings.TrimSpace(p.text[:at])
			w.us = slices.Insert(w.us, u+1, tail)
			return true
		}
		at += len(para)
	}
	return false
}

// trails reports whether a text in the person's name stands behind what ends
// turns: templates with strict roles turn system text into that.
func (w *walker) trails(u int) bool {
	p := &w.us[u]
	h := w.h
	if last := w.lastPlace(); last != nil && len(w.pending) == 0 && last.role == lore.RoleAssistant && w.displaced(last) {
		return true
	}
	if u > 0 && w.us[u-1].node < 0 && !w.us[u-1].tool && w.us[u-1].role == lore.RoleSystem && h.knows(w.us[u-1].text, ending) && len(w.pending) == 0 {
		last := w.lastPlace()
		return last != nil && last.role == lore.RoleAssistant && w.us[u-1].msg == p.msg
	}
	if before := lastLine(w.msgs[p.msg].Text[:p.from]); before != "" && h.knows(before, ending) {
		return true
	}
	first, _, _ := strings.Cut(p.text, "\n\n")
	return h.knows(first, ending) && !h.knows(first, opening)
}

// flush places the messages of the person that wait; answered says that a reply
// follows, so that they are as the front end keeps them.
func (w *walker) flush(answered bool) {
	if len(w.pending) == 0 {
		return
	}
	texts := make([]string, len(w.pending))
	for i, u := range w.pending {
		texts[i] = w.us[u].text
	}
	if answered && w.around() {
		for _, s := range texts {
			w.learn(s, injected)
		}
		w.pending = nil
		return
	}
	joined := strings.Join(texts, "\n\n")
	u, single := w.pending[len(w.pending)-1], len(w.pending) == 1
	w.pending = nil
	editOf, share := "", 0.0
	for i, n := range w.kids() {
		if w.x.nodes[n].role != lore.RoleUser || i >= 16 {
			continue
		}
		if w.x.says(n, keyOf(joined)) || w.sameSaying(n, texts, joined) {
			w.trace("%s is shown with other text around it", w.x.nodes[n].id)
			if answered && single {
				w.reword(pair{n, u, part})
			} else {
				w.d.wording = append(w.d.wording, wording{node: n, text: joined})
			}
			w.step(u, n)
			return
		}
		for _, known := range w.wordings(n) {
			if s := similar(joined, known); s > share {
				share, editOf = s, w.x.nodes[n].id
			}
		}
	}
	if share < 0.5 {
		editOf = ""
	}
	w.write(u, Write{Role: lore.RoleUser, Name: w.us[u].name, Text: joined, EditOf: editOf})
}

// around reports whether what waits stands in one message with what the person
// said before, to which there is a reply: it was put in around it.
func (w *walker) around() bool {
	last := w.lastPlace()
	if last == nil || last.role != lore.RoleUser || w.us[last.unit].msg != w.us[w.pending[0]].msg || w.msgs[w.us[last.unit].msg].mixed {
		return false
	}
	return slices.ContainsFunc(w.kids(), func(n int32) bool { return w.x.nodes[n].role == lore.RoleAssistant })
}

// sameSaying reports whether a node and a text of the person are the same but
// for paragraphs that were put in around it.
func (w *walker) sameSaying(n int32, texts []string, joined string) bool {
	for _, known := range w.wordings(n) {
		if paragraph(joined, known) {
			return true // something is gone
		}
		// Something is new, or stands there instead of something else. Then the
		// last line has to be the same, and none that anybody might say.
		if l := lastLine(known); unnamed(l) != unnamed(lastLine(joined)) || unnamed(l).size < strongSize {
			continue
		}
		if paragraph(known, joined) && (len(texts) > 1 || w.x.habits.merges) {
			return true
		}
		if strings.Contains(strings.TrimSpace(known), "\n\n") && strings.Contains(joined, "\n\n") {
			return true
		}
	}
	return false
}

// reply places a message of the assistant.
func (w *walker) reply(u int, last bool) {
	if w.msgs[w.us[u].msg].mixed {
		w.split(u)
		last = last && u == len(w.us)-1
	}
	last = last && w.opens() == ""
	p := &w.us[u]
	rest := w.h.unknown(p.text, injected)
	if rest == "" {
		return
	}
	w.flush(true)
	best, node, share := unrelated, int32(-1), 0.0
	for i, n := range w.kids() {
		if w.x.nodes[n].role != lore.RoleAssistant || i >= 32 {
			continue
		}
		if rel, s := w.relate(n, p.text); rel > best || rel == best && s > share {
			best, node, share = rel, n, s
		}
		if best == same {
			break
		}
	}
	if best != unrelated {
		if !last || w.begins(p.text, node) {
			w.reword(pair{node, u, best})
			w.step(u, node)
			return
		}
	}
	w.elsewhere = last && w.says(p.text)
	if last && len(w.places) > 0 && !w.elsewhere {
		w.prefill = u
		return
	}
	editOf := ""
	for _, n := range w.kids() {
		if w.x.nodes[n].role == lore.RoleAssistant {
			editOf = w.x.nodes[n].id
			break
		}
	}
	w.write(u, Write{Role: lore.RoleAssistant, Name: p.name, Text: p.text, EditOf: editOf, Reply: true})
}

// says reports whether a text is a reply of the conversation.
func (w *walker) says(s string) bool {
	t, ok := w.x.byKey[keyOf(s)]
	return ok && w.conv >= 0 && w.x.texts[t].key.size >= strongSize &&
		slices.ContainsFunc(w.x.texts[t].nodes, func(n int32) bool { return w.x.nodes[n].conv == w.conv && w.x.nodes[n].role == lore.RoleAssistant })
}

// begins reports whether a text is a wording of a node or the beginning of one.
func (w *walker) begins(s string, n int32) bool {
	f := newForm(s)
	if w.x.says(n, f.whole()) {
		return true
	}
	for _, known := range w.wordings(n) {
		if k := newForm(known); strings.HasPrefix(string(k.text), string(f.text)) {
			return true
		}
	}
	return false
}
