package history

import (
	"fmt"
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/turn/instruct"
)

// resolver works on one request.
type resolver struct {
	x       *Index
	h       known
	req     *Request
	src     Source
	msgs    []message
	blank   []int   // how many messages of the chat before each show nothing known
	told    []int   // how many messages that the front end did not put in before each
	answers []int32 // how many of those are the assistant's
	short   bool    // it shows no reply to the person
	voices  map[string]lore.Role

	// completion says that the request is a prompt that was split, and open
	// whose message it ends in.
	completion bool
	open       lore.Role

	byConv map[[2]int32][]int32
	sorted map[int32]bool
	chosen map[int32]bool // the conversations that are compared

	us      []unit
	placeOf []int // the unit of each link
	fetched map[int32][]string
	d       *Decision
}

// maxTrace bounds the lines of a trace.
const maxTrace = 64

func (r *resolver) trace(format string, args ...any) {
	if len(r.d.Trace) < maxTrace {
		r.d.Trace = append(r.d.Trace, fmt.Sprintf(format, args...))
	}
}

func (r *resolver) learn(s string, how habit) {
	r.d.learned = append(r.d.learned, learned{s, how})
	eachPart(s, how, func(k key) { r.h.fresh[k] |= how })
	if how&(ending|trailing) != 0 {
		*r.h.tails = remember(*r.h.tails, s)
	}
}

// Resolve says which conversation a request belongs to and what it asks for. It
// changes nothing; [Index.Commit] does. src may be nil, which makes messages in
// another wording strangers.
func (x *Index) Resolve(req *Request, src Source) *Decision {
	r := &resolver{x: x, req: req, src: src, d: &Decision{}, fetched: map[int32][]string{}}
	r.h = known{&x.habits, map[key]habit{}, new([]string)}
	r.read()
	if what := r.nothing(); what != "" {
		r.d.Kind = Side
		r.trace("a side call: %s", what)
		return r.d
	}
	only := r.named()
	c := r.find(only)
	r.us = r.units(c.links)
	r.index(&c)
	r.walk(&c)
	return r.d
}

// read lays the request open.
func (r *resolver) read() {
	add := func(m Message, index int) {
		r.msgs = append(r.msgs, message{Message: m, index: index})
	}
	if r.req.System != "" {
		add(Message{Role: lore.RoleSystem, Text: r.req.System}, -1)
	}
	for i, m := range r.req.Messages {
		if m.Role == "" {
			m.Role = lore.RoleUser
		}
		add(m, i)
	}
	if r.req.Prompt != "" && len(r.req.Messages) == 0 {
		r.prompt(add)
	}
	if skip := len(r.msgs) - maxScan; skip > 0 {
		r.trace("%d messages at the beginning are not looked at", skip)
		r.msgs = r.msgs[skip:]
	}
	for i := range r.msgs {
		r.msgs[i].form = newForm(r.msgs[i].Text)
	}
	r.listen()
}

// prompt lays the prompt of a text completion open.
func (r *resolver) prompt(add func(Message, int)) {
	p, ok := instruct.Split(r.req.Prompt)
	if !ok {
		add(Message{Role: lore.RoleUser, Text: r.req.Prompt}, 0)
		return
	}
	r.trace("the prompt is in the template %s", p.Template.Name)
	at := 0
	for _, part := range p.Parts {
		at += len(part.Before)
		add(Message{Role: part.Role, Text: part.Text}, 0)
		r.msgs[len(r.msgs)-1].offset = at
		at += len(part.Text)
	}
	role, open := p.Open()
	r.open, r.completion = role, open
}

// named returns the conversation that the client names; -1 if it names none
// that is known.
func (r *resolver) named() int32 {
	external := r.req.IDs.External()
	if external == "" {
		return -1
	}
	r.d.External = external
	if c, ok := r.x.byExt[external]; ok && !r.x.convs[c].gone {
		r.trace("the client says that it is the conversation %s", r.x.convs[c].id)
		return c
	}
	if c, ok := r.x.byConv[external]; ok {
		return c
	}
	r.trace("the client names a conversation that is new")
	return -2
}

// find returns the best way through the tree that the request shows.
func (r *resolver) find(only int32) chain {
	best := chain{conv: -1}
	var occs []occurrence
	r.blank, r.told, r.answers = make([]int, len(r.msgs)+1), make([]int, len(r.msgs)+1), make([]int32, len(r.msgs)+1)
	for i := range r.msgs {
		m := &r.msgs[i]
		if !m.Calls && m.Role != lore.RoleTool {
			r.x.scan(m, i)
		}
		occs = append(occs, m.found...)
		r.blank[i+1], r.told[i+1] = r.blank[i], r.told[i]
		m.put = m.Calls || placeholder(m.Text) || r.h.knowsKey(m.form.whole(), injected) ||
			len(m.found) == 0 && r.h.unknown(m.Text, injected) == ""
		if (m.Role == lore.RoleUser || m.Role == lore.RoleAssistant) && !m.put {
			r.told[i+1]++
			if len(m.found) == 0 {
				r.blank[i+1]++
			}
		}
		r.answers[i+1] = r.answers[i]
		if m.Role == lore.RoleAssistant && !m.put {
			r.answers[i+1]++
		}
	}
	r.short = r.begins()
	if only == -2 || len(occs) == 0 {
		if only >= 0 {
			best.conv = only
		}
		return best
	}
	for _, conv := range r.candidates(occs, only) {
		c := r.align(conv, occs)
		r.us = r.units(c.links)
		r.index(&c)
		if len(c.links) == 0 || !r.trust(&c) && only < 0 {
			continue
		}
		if r.short && only < 0 && r.req.Retry == 0 && r.starts(&c) && r.x.turns(conv) > 2 {
			r.trace("it begins anew where %s begins, which went on", r.x.convs[conv].id)
			continue
		}
		// What was said since counts against it: runs are told from their end.
		c.score -= 1.5 * float64(min(3, r.answers[len(r.msgs)]-r.answers[c.last().occ.msg+1]))
		switch {
		case best.conv < 0 || c.score > best.score+0.01:
			best = c
		case c.score > best.score-0.01:
			if r.x.convs[c.conv].active > r.x.convs[best.conv].active {
				best = c
			}
			r.d.Ambiguous = true
			r.trace("%s and %s show the same history", r.x.convs[c.conv].id, r.x.convs[best.conv].id)
		}
	}
	if only >= 0 {
		best.conv = only
	}
	r.d.Ambiguous = r.d.Ambiguous || best.twin
	return best
}

// begins reports whether a request shows no reply to a message of the person,
// and no more than one of those.
func (r *resolver) begins() bool {
	users := 0
	for i := range r.msgs {
		m := &r.msgs[i]
		if m.mixed {
			for _, b := range m.form.borders[:len(m.form.borders)-1] {
				switch role := r.voices[b.name]; {
				case role == lore.RoleUser:
					users++
				case role == lore.RoleAssistant && users > 0 && b.at < len(m.form.text):
					return false
				}
			}
			continue
		}
		switch {
		case m.put:
		case m.Role == lore.RoleUser:
			users++
		case m.Role == lore.RoleAssistant && users > 0 && (i < len(r.msgs)-1 || len(m.found) > 0):
			return false
		}
	}
	return users <= 2 // one may be put in by the front end
}

// starts reports whether a chain is no more than the beginning of a conversation
// with one message of the person.
func (r *resolver) starts(c *chain) bool {
	users := 0
	for i := range c.links {
		n := c.links[i].node
		if r.x.nodes[n].role == lore.RoleUser {
			users++
			continue
		}
		for steps := 0; n >= 0; n, steps = r.x.before(n), steps+1 {
			if r.x.nodes[n].role == lore.RoleUser || steps > 16 {
				return false // it answers the person
			}
		}
	}
	return users <= 1 && r.x.before(c.links[0].node) < 0
}

// index takes down which unit shows which link.
func (r *resolver) index(c *chain) {
	r.placeOf = make([]int, len(c.links))
	for i := range r.us {
		if r.us[i].node >= 0 {
			r.placeOf[r.us[i].link] = i
		}
	}
}

// placeholder reports whether a text only holds a place: front ends put it where
// a template asks for a message of the person in front of a greeting.
func placeholder(s string) bool {
	s = strings.TrimSpace(s)
	if len(s) > 100 || strings.Contains(s, "\n") {
		return false
	}
	if strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]") {
		return true
	}
	switch strings.ToLower(strings.Trim(s, ".!()*")) {
	case "", "let's get started", "begin", "start", "start a new chat", "continue":
		return true
	}
	return false
}
