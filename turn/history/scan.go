package history

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weft-memory/weft/lore"
)

// message is a message of the request as it is looked at.
type message struct {
	Message
	index int // in the request; -1 for its system text
	// offset is where it begins in the prompt of a text completion.
	offset int
	form   form
	mixed  bool // it holds the whole history, with names in front
	open   bool // the answer goes on in it
	put    bool // the front end put it in, all of it
	found  []occurrence
	// answers counts, for a message that holds the whole history, the lines
	// before each border that begin with the name of an assistant.
	answers []int32
}

// occurrence is a text of a known message in the request.
type occurrence struct {
	msg      int // in resolver.msgs
	from, to int // borders
	text     int32
	whole    bool // nothing else but a name stands in the message
}

// maxScan bounds how many messages from the end are compared. The beginning of
// a longer history has no part in the decision.
const maxScan = 6000

// maxStarts bounds in how many places of one message others are looked for.
const maxStarts = 20000

// scan finds the known texts in a message.
func (x *Index) scan(m *message, at int) {
	f := &m.form
	last := len(f.borders) - 1
	if last < 1 {
		return
	}
	for s := 0; s < last && s < 3; s++ {
		if s > 0 && f.borders[s].name == "" {
			break
		}
		if t, ok := x.byKey[f.key(s, last)]; ok {
			m.found = append(m.found, occurrence{msg: at, from: s, to: last, text: t, whole: true})
		}
	}
	// A message of the person may hold more than what it says in one of its
	// wordings; all others are whole.
	whole := len(m.found)
	if whole > 0 && (m.Role != lore.RoleUser || last > 64) {
		return
	}
	if m.Role == lore.RoleSystem || last > maxStarts {
		return
	}
	for s := 0; s < last; {
		e, t := x.longest(f, s)
		if e == 0 {
			s++
			continue
		}
		if whole > 0 && s == m.found[0].from && e == last {
			s++ // found already
			continue
		}
		m.found = append(m.found, occurrence{msg: at, from: s, to: e, text: t})
		for b := s + 1; b < e && f.borders[b].name != ""; b++ { // and without the name
			if t, ok := x.byKey[f.key(b, e)]; ok {
				m.found = append(m.found, occurrence{msg: at, from: b, to: e, text: t})
			}
		}
		s = e
	}
}

// maxSamePrefix bounds how many texts with one beginning are compared.
const maxSamePrefix = 512

// longest returns the longest known text that begins at a border, and the
// border where it ends; 0 if there is none.
func (x *Index) longest(f *form, s int) (end int, t int32) {
	start := f.borders[s].at
	if p, ok := f.prefix(s); ok {
		list := x.byPrefix[p]
		for _, c := range list[max(0, len(list)-maxSamePrefix):] {
			k := x.texts[c].key
			at := start + int(k.size)
			if at > len(f.text) || end > 0 && at <= f.borders[end].at {
				continue
			}
			if e := f.endAt(at); e > s && f.key(s, e) == k {
				end, t = e, c
			}
		}
		if end > 0 {
			return end, t
		}
	}
	for e := s + 1; e < len(f.borders) && f.borders[e].at-start < prefixSize; e++ {
		if f.borders[e].line && f.borders[e].at > start {
			if c, ok := x.byKey[f.key(s, e)]; ok {
				end, t = e, c
			}
		}
	}
	return end, t
}

// endAt returns the border at a place where a message may end; 0 if there is
// none.
func (f *form) endAt(at int) int {
	i := sort.Search(len(f.borders), func(i int) bool { return f.borders[i].at >= at })
	for ; i < len(f.borders) && f.borders[i].at == at; i++ {
		if f.borders[i].line {
			return i
		}
	}
	return 0
}

// unit is a piece of the request between or at known messages.
type unit struct {
	msg      int // in resolver.msgs
	from, to int // in its text
	role     lore.Role
	name     string
	text     string
	node     int32 // -1 if it shows none
	link     int   // of the chain, if it does
	tool     bool
	cut      bool // a known message stands in the same message
}

// units cuts the request into pieces, at the messages of a chain.
func (r *resolver) units(c []link) []unit {
	var out []unit
	next := 0
	for i := range r.msgs {
		m := &r.msgs[i]
		if m.Role == lore.RoleTool || m.Calls && strings.TrimSpace(m.Text) == "" {
			out = append(out, unit{msg: i, to: len(m.Text), role: m.Role, node: -1, tool: true})
			continue
		}
		if i == len(r.msgs)-1 && r.completion && r.bare(m) {
			continue
		}
		pos, cut := 0, false
		for ; next < len(c) && c[next].occ.msg == i; next++ {
			o := c[next].occ
			from, to := m.form.borders[o.from].src, m.form.borders[o.to].end
			name := m.form.borders[o.from].name
			before := from
			if name != "" { // the name stands in front of the message and belongs to it
				before = max(0, from-2*maxName) + strings.LastIndex(m.Text[max(0, from-2*maxName):from], name)
				if j := strings.LastIndexByte(m.Text[:max(before, 0)], '\n') + 1; strings.Count(m.Text[j:from], ":") == 2 {
					before = j
				}
				before = max(before, pos)
			}
			if pos < before {
				out = r.residue(out, i, pos, before, true)
			}
			role := m.Role
			if m.mixed {
				role = r.x.nodes[c[next].node].role
			}
			out = append(out, unit{msg: i, from: from, to: to, role: role, name: cmpOr(name, m.Name), text: m.Text[from:to], node: c[next].node, link: next})
			pos, cut = to, true
		}
		if pos < len(m.Text) {
			out = r.residue(out, i, pos, len(m.Text), cut)
		}
	}
	return out
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// bare reports whether a message is only the name of who speaks next.
func (r *resolver) bare(m *message) bool {
	s := strings.TrimSpace(m.Text)
	return s == "" || strings.HasSuffix(s, ":") && len(s) < maxName
}

// residue adds a piece that shows no known message. In a message that holds the
// whole history it is cut where names stand.
func (r *resolver) residue(out []unit, i, from, to int, cut bool) []unit {
	m := &r.msgs[i]
	add := func(from, to int, role lore.Role, name string) {
		for from < to && m.Text[from] <= ' ' {
			from++
		}
		for from < to && m.Text[to-1] <= ' ' {
			to--
		}
		if from < to && keyOf(m.Text[from:to]).size > 0 {
			out = append(out, unit{msg: i, from: from, to: to, role: role, name: name, text: m.Text[from:to], node: -1, cut: cut})
		}
	}
	if !m.mixed {
		name := m.Name
		if before, after, ok := r.speaker(m.Text[from:to]); ok {
			name, from = before, to-len(after)
		}
		if r.completion && cut && m.Role == lore.RoleAssistant && name == "" {
			add(from, to, lore.RoleSystem, "") // templates without a mark for that
			return out
		}
		add(from, to, m.Role, name)
		return out
	}
	role, name := lore.RoleSystem, ""
	start := from
	borders := m.form.borders
	for _, b := range borders[sort.Search(len(borders), func(j int) bool { return borders[j].src >= from }):] {
		if b.src > to {
			break
		}
		if b.name == "" || r.voices[b.name] == "" {
			continue
		}
		near := max(start, b.src-2*maxName)
		line := near + strings.LastIndex(m.Text[near:b.src], b.name)
		if line < near {
			continue
		}
		if name == b.name && strings.TrimSpace(m.Text[start:line]) == "" { // the name twice
			start = b.src
			continue
		}
		add(start, line, role, name)
		role, name, start = r.voices[b.name], b.name, b.src
	}
	add(start, to, role, name)
	return out
}

// countAnswers fills in the answers of a message that holds the whole history.
func (r *resolver) countAnswers(m *message) {
	m.answers = make([]int32, len(m.form.borders)+1)
	fresh := true
	for i, b := range m.form.borders {
		m.answers[i+1] = m.answers[i]
		switch {
		case b.line:
			fresh = true
		case fresh && r.voices[b.name] == lore.RoleAssistant:
			m.answers[i+1]++
			fresh = false
		}
	}
}

// speaker takes the name of somebody known from the front of a text.
func (r *resolver) speaker(s string) (name, rest string, ok bool) {
	before, after, found := strings.Cut(s, ":")
	before = strings.TrimSpace(before)
	if !found || len(before) > maxName || r.voices[before] == "" {
		return "", s, false
	}
	return before, after, true
}

// prefixes learns names that stand in front of all messages of a role. One
// message alone is not enough: "Note: the door is open" names nobody.
func (r *resolver) prefixes() {
	found := map[lore.Role]map[string]bool{}
	count, all := map[lore.Role]int{}, map[lore.Role]bool{lore.RoleUser: true, lore.RoleAssistant: true}
	for i := range r.msgs {
		m := &r.msgs[i]
		if m.Role != lore.RoleUser && m.Role != lore.RoleAssistant || len(m.form.text) == 0 || r.h.knowsKey(m.form.whole(), injected) {
			continue
		}
		if len(m.form.borders) < 3 || !proper(m.form.borders[1].name) {
			all[m.Role] = false
			continue
		}
		if found[m.Role] == nil {
			found[m.Role] = map[string]bool{}
		}
		found[m.Role][m.form.borders[1].name] = true
		count[m.Role]++
	}
	for role, names := range found {
		other := lore.RoleUser
		if role == other {
			other = lore.RoleAssistant
		}
		if !all[role] || count[role] < 2 && !(all[other] && count[other] > 0) {
			continue
		}
		for name := range names {
			if r.voices[name] == "" {
				r.voices[name] = role
			}
		}
	}
}

// proper reports whether a name begins as names do.
func proper(name string) bool {
	first, _ := utf8.DecodeRuneInString(name)
	return name != "" && !unicode.IsLower(first) && strings.Count(name, " ") <= 2
}

// listen finds out who speaks in a message that holds the whole history, and
// what role they have.
func (r *resolver) listen() {
	r.voices = map[string]lore.Role{}
	for name, role := range r.x.habits.names {
		r.voices[name] = role
	}
	for _, name := range r.req.Characters {
		r.voices[name] = lore.RoleAssistant
	}
	for _, name := range []string{r.req.User, r.req.IDs.Persona} {
		if name != "" {
			r.voices[name] = lore.RoleUser
		}
	}
	if r.req.IDs.Character != "" {
		r.voices[r.req.IDs.Character] = lore.RoleAssistant
	}
	for _, s := range r.req.Stop {
		if name, ok := strings.CutSuffix(strings.TrimSpace(s), ":"); ok && isName(name) && r.voices[name] == "" {
			r.voices[name] = lore.RoleUser
		}
	}
	r.prefixes()
	history := 0
	for i := range r.msgs {
		m := &r.msgs[i]
		if m.Role != lore.RoleSystem && m.Role != lore.RoleTool && !(r.completion && i == len(r.msgs)-1 && r.bare(m)) {
			history++
		}
	}
	if history != 1 {
		return
	}
	i := slices.IndexFunc(r.msgs, func(m message) bool { return m.Role == lore.RoleUser })
	if i < 0 {
		return
	}
	m := &r.msgs[i]
	var found []string // in the order of the last time
	for b := 1; b < len(m.form.borders); b++ {
		if name := m.form.borders[b].name; name != "" && m.form.borders[b-1].line {
			if j := slices.Index(found, name); j >= 0 {
				found = slices.Delete(found, j, j+1)
			}
			found = append(found, name)
		}
	}
	if len(found) == 0 {
		return
	}
	m.mixed = true
	if open, ok := strings.CutSuffix(strings.TrimRight(m.Text, " \n"), ":"); ok {
		line := strings.TrimSpace(open[strings.LastIndexByte(open, '\n')+1:])
		if slices.Contains(found, line) {
			m.open = true
			if r.voices[line] == "" {
				r.voices[line] = lore.RoleAssistant
			}
		}
	}
	for j, name := range found {
		if r.voices[name] == "" {
			r.voices[name] = lore.RoleAssistant
			if j == len(found)-1 && len(found) > 1 {
				r.voices[name] = lore.RoleUser // an answer to them is asked for
			}
		}
	}
	r.countAnswers(m)
}
