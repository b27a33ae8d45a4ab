package compendium

import (
	"cmp"
	"slices"
	"strings"
)

// Named is an entry, or a mere name, in an answer.
type Named struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name"`
	Type Type   `json:"type,omitempty"`
}

// named returns what a reference names.
func (w *World) named(r Ref, of ...Type) Named {
	if e := w.target(r, of...); e != nil {
		return nameOf(e)
	}
	return Named{Name: r.Text}
}

func nameOf(e *Entry) Named { return Named{ID: e.ID, Name: e.Name(), Type: e.Type} }

// target returns the entry that a reference leads to, nil if there is none.
func (w *World) target(r Ref, of ...Type) *Entry {
	if r.ID != "" {
		if e := w.Entry(r.ID); e != nil {
			return e
		}
	}
	if r.Text == "" {
		return nil
	}
	if id, ok := w.Lookup(r.Text, of...); ok {
		return w.entries[id]
	}
	return nil
}

// ofType returns the entries of a type in the order of their ids. They must not
// be changed.
func (w *World) ofType(t Type) []*known { return w.types[t] }

// PlotState is a plot in an answer.
type PlotState struct {
	Named
	Kind       string `json:"kind,omitempty"`
	Status     string `json:"status"`
	Stage      string `json:"stage,omitempty"`
	Latest     string `json:"latest,omitempty"`
	Next       string `json:"next,omitempty"`
	Deadline   string `json:"deadline,omitempty"`
	Importance int    `json:"importance"`
	Changed    int    `json:"changed"` // the turn

	deadline Moment
}

// OpenPlots returns the plots that are not over: active before seeded before
// stalled ones, main plots first, then by stage, deadline and the latest change.
func (w *World) OpenPlots() []PlotState {
	var out []PlotState
	for _, k := range w.ofType(Plot) {
		e := k.Entry
		if k.ended {
			continue
		}
		deadline, _ := e.Data["deadline"].(Moment)
		out = append(out, PlotState{
			Named: nameOf(e), Kind: e.text("kind"), Status: e.Status(), Stage: plain(e.state("stage")), Latest: plain(e.state("latest_development")),
			Next: plain(e.state("next_likely")), Deadline: deadline.Label, Importance: k.importance, Changed: k.turn, deadline: deadline,
		})
	}
	slices.SortFunc(out, comparePlots)
	return out
}

func comparePlots(a, b PlotState) int {
	return cmp.Or(
		cmp.Compare(rank(a.Status, "active", "seeded", "stalled"), rank(b.Status, "active", "seeded", "stalled")),
		cmp.Compare(rank(a.Kind, "main"), rank(b.Kind, "main")),
		cmp.Compare(rank(a.Stage, "climax", "crisis", "rising", "seed", "aftermath"), rank(b.Stage, "climax", "crisis", "rising", "seed", "aftermath")),
		compareDue(a.deadline, b.deadline), cmp.Compare(b.Changed, a.Changed), compareStrings(a.ID, b.ID))
}

// rank returns the place of a word in a list, its length if it is not there.
func rank(s string, list ...string) int {
	if i := slices.Index(list, s); i >= 0 {
		return i
	}
	return len(list)
}

// compareDue orders deadlines: dated ones first, by time, then those with a mere
// label, then none.
func compareDue(a, b Moment) int {
	if c, ok := compareMoments(a, b); ok {
		return c
	}
	class := func(m Moment) int {
		switch {
		case m.Dated:
			return 0
		case m.Label != "":
			return 1
		}
		return 2
	}
	return cmp.Compare(class(a), class(b))
}

// ThreatState is a threat in an answer.
type ThreatState struct {
	Named
	Status     string  `json:"status"`
	Severity   int     `json:"severity"`
	Imminence  int     `json:"imminence"`
	Phase      string  `json:"phase,omitempty"`
	Targets    []Named `json:"targets,omitempty"`
	Segments   int     `json:"segments,omitempty"`
	Filled     int     `json:"filled,omitempty"`
	Importance int     `json:"importance"`
	Changed    int     `json:"changed"`
}

// OpenThreats returns the threats that are not over, the most pressing first:
// severity times one more than imminence.
func (w *World) OpenThreats() []ThreatState {
	var out []ThreatState
	for _, k := range w.ofType(Threat) {
		if !k.ended {
			out = append(out, w.threat(k))
		}
	}
	slices.SortFunc(out, func(a, b ThreatState) int {
		return cmp.Or(cmp.Compare(b.press(), a.press()), cmp.Compare(b.Changed, a.Changed), compareStrings(a.ID, b.ID))
	})
	return out
}

func (t ThreatState) press() int { return t.Severity * (1 + t.Imminence) }

func (w *World) threat(k *known) ThreatState {
	e := k.Entry
	t := ThreatState{
		Named: nameOf(e), Status: e.Status(), Severity: e.number("severity", 2), Imminence: e.number("imminence", 0), Phase: plain(e.state("phase")),
		Importance: k.importance, Changed: k.turn,
	}
	clock := asObject(e.Data["clock"])
	if n, ok := clock["segments"].(float64); ok {
		t.Segments = int(n)
	}
	if n, ok := clock["filled"].(float64); ok {
		t.Filled = int(n)
	}
	for _, r := range sortedRows(e.Data["targets"]) {
		if who, ok := r.Object["who"].(Ref); ok {
			t.Targets = append(t.Targets, w.named(who))
		}
	}
	return t
}

func (e *Entry) number(name string, otherwise int) int {
	if n, ok := e.Data[name].(float64); ok {
		return int(n)
	}
	return otherwise
}

// Whereabouts says where somebody or something is, as far as is known.
type Whereabouts struct {
	Who    Named  `json:"who"`
	Where  Named  `json:"where"`
	Status string `json:"status"`
	// Turn is when it was said, Age how many messages ago.
	Turn int `json:"turn"`
	Age  int `json:"age"`
	// Displaced says that the place is no more, and nothing was said since.
	Displaced bool `json:"displaced,omitempty"`
}

func (w *World) whereabouts(e *Entry) (Whereabouts, bool) {
	r, ok := e.state("location").(Ref)
	if !ok || r.Text == "" {
		return Whereabouts{}, false
	}
	turn := e.Sources["current_state.location"].Turn
	place := w.target(r, Location)
	out := Whereabouts{Who: nameOf(e), Where: Named{Name: r.Text}, Status: e.Status(), Turn: turn, Age: max(w.turn-turn, 0)}
	if place != nil {
		out.Where = nameOf(place)
		out.Displaced = place.Ended() && place.changed("status") > turn
	}
	return out, true
}

// WhereIsEveryone returns where each living character is, in the order of the
// places' names, then their own.
func (w *World) WhereIsEveryone() []Whereabouts {
	var out []Whereabouts
	for _, e := range w.ofType(Character) {
		if x, ok := w.whereabouts(e.Entry); ok && !e.ended {
			out = append(out, x)
		}
	}
	slices.SortStableFunc(out, func(a, b Whereabouts) int {
		return cmp.Or(compareStrings(a.Where.Name, b.Where.Name), compareStrings(a.Who.Name, b.Who.Name))
	})
	return out
}

// WhoIsAt returns the characters at a place, those in places that are part of it
// included. The place is an id or a name.
func (w *World) WhoIsAt(place string) []Whereabouts {
	var out []Whereabouts
	for _, e := range w.ofType(Character) {
		x, ok := w.whereabouts(e.Entry)
		if ok && !e.ended && !x.Displaced && w.isIn(x.Where, place) {
			out = append(out, x)
		}
	}
	return out
}

// isIn reports whether a place is another one or part of it.
func (w *World) isIn(at Named, place string) bool {
	want := w.find(place, Location)
	for range 16 { // places may be part of each other by mistake
		switch {
		case want != nil && at.ID == want.ID:
			return true
		case want == nil && keyPart(at.Name) == keyPart(place):
			return true
		}
		e := w.entries[at.ID]
		if e == nil {
			return false
		}
		parent, ok := e.Data["parent"].(Ref)
		if !ok {
			return false
		}
		at = w.named(parent, Location)
	}
	return false
}

// find returns an entry by id or name, nil if there is none.
func (w *World) find(s string, of ...Type) *Entry {
	if e := w.Entry(s); e != nil {
		return e
	}
	if id, ok := w.Resolve(s, of...); ok {
		return w.entries[id]
	}
	return nil
}

// Possession is an item in an answer.
type Possession struct {
	Item      Named  `json:"item"`
	Holder    Named  `json:"holder"`
	Place     Named  `json:"place"`
	Status    string `json:"status"`
	Condition string `json:"condition,omitempty"`
	Turn      int    `json:"turn"`
	// Remains says that the holder is dead.
	Remains bool `json:"remains,omitempty"`
	// Chain are those who had it, oldest first.
	Chain []Holding `json:"chain,omitempty"`
}

// Holding is a link of the chain of an item.
type Holding struct {
	Holder Named  `json:"holder"`
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
	How    string `json:"how,omitempty"`
}

func (w *World) possession(e *Entry) Possession {
	p := Possession{Item: nameOf(e), Status: e.Status(), Condition: plain(e.state("condition"))}
	if r, ok := e.state("holder").(Ref); ok && r.Text != "" {
		p.Holder, p.Turn = w.named(r, Character, Organization), e.Sources["current_state.holder"].Turn
		h := w.entries[p.Holder.ID]
		p.Remains = h != nil && h.Type == Character && h.Ended()
	}
	if r, ok := e.state("location").(Ref); ok && r.Text != "" {
		p.Place, p.Turn = w.named(r, Location, Item), e.Sources["current_state.location"].Turn
	}
	for _, r := range sortedRows(e.Data["provenance_chain"]) {
		h, _ := r.Object["holder"].(Ref)
		p.Chain = append(p.Chain, Holding{w.named(h, Character, Organization), plain(r.Object["from"]), plain(r.Object["to"]), plain(r.Object["how"])})
	}
	return p
}

// WhoHolds returns who has an item, or where it is, and its chain; ok is false
// if there is no such item. The item is an id or a name.
func (w *World) WhoHolds(item string) (p Possession, ok bool) {
	e := w.find(item, Item)
	if e == nil || e.Type != Item {
		return Possession{}, false
	}
	return w.possession(e), true
}

// Inventory returns the items that somebody has, an id or a name, in the order
// of their names.
func (w *World) Inventory(holder string) []Possession {
	want := w.find(holder, Character, Organization)
	var out []Possession
	for _, e := range w.ofType(Item) {
		r, ok := e.state("holder").(Ref)
		if !ok || e.Ended() {
			continue
		}
		h := w.named(r, Character, Organization)
		if want != nil && h.ID == want.ID || want == nil && keyPart(h.Name) == keyPart(holder) {
			out = append(out, w.possession(e.Entry))
		}
	}
	slices.SortStableFunc(out, func(a, b Possession) int { return compareStrings(a.Item.Name, b.Item.Name) })
	return out
}

// Relation is a relationship from one to the other, now and before.
type Relation struct {
	From     Named  `json:"from"`
	To       Named  `json:"to"`
	Category string `json:"category,omitempty"`
	Nature   string `json:"nature,omitempty"`
	Status   string `json:"status,omitempty"`
	Note     string `json:"note,omitempty"`
	Tension  int    `json:"tension,omitempty"`
	Trust    int    `json:"trust,omitempty"`
	Turn     int    `json:"turn"`
	Ended    bool   `json:"ended,omitempty"`
	// Past are the values that it had, oldest first.
	Past []Past `json:"past,omitempty"`
}

// relation reads a row of relationships, or of relations of an organization or
// culture.
func (w *World) relation(e *Entry, list string, r keyedRow) Relation {
	with, _ := r.Object["with"].(Ref)
	where := rowPath(list, r.key)
	out := Relation{
		From: nameOf(e), To: w.named(with), Category: plain(r.Object["category"]), Nature: plain(r.Object["nature"]), Status: plain(r.Object["status"]),
		Note: plain(r.Object["note"]), Turn: e.rowTurn(where, r.Object), Ended: rowEnded(r.Object),
	}
	if out.Nature == "" {
		out.Nature = plain(r.Object["stance"])
	}
	if n, ok := r.Object["tension"].(float64); ok {
		out.Tension = int(n)
	}
	if n, ok := r.Object["trust"].(float64); ok {
		out.Trust = int(n)
	}
	return out
}

// rowTurn returns when a row changed last.
func (e *Entry) rowTurn(path string, row Object) int {
	turn := 0
	for name := range row {
		turn = max(turn, e.Sources[path+"."+name].Turn)
	}
	return turn
}

// Relations returns what is between two, in both directions, with what it was
// before. Both are ids or names.
func (w *World) Relations(a, b string) []Relation {
	x, y := w.find(a), w.find(b)
	var out []Relation
	for _, side := range []struct {
		e    *Entry
		to   *Entry
		name string
	}{{x, y, b}, {y, x, a}} {
		if side.e == nil {
			continue
		}
		for _, list := range []string{"relationships", "relations"} {
			for _, r := range sortedRows(side.e.Data[list]) {
				rel := w.relation(side.e, list, r)
				if side.to != nil && rel.To.ID == side.to.ID || side.to == nil && keyPart(rel.To.Name) == keyPart(side.name) {
					rel.Past = side.e.PastOf(rowPath(list, r.key))
					out = append(out, rel)
				}
			}
		}
	}
	return out
}

// Debt is an obligation in an answer.
type Debt struct {
	Who    Named  `json:"who"`
	To     Named  `json:"to"`
	What   string `json:"what"`
	Due    string `json:"due,omitempty"`
	Status string `json:"status"`
	Turn   int    `json:"turn"`

	due        Moment
	importance int
}

// Obligations returns the open obligations, those due first before the others.
func (w *World) Obligations() []Debt {
	var out []Debt
	for _, e := range w.ofType(Character) {
		if !e.owes || e.ended {
			continue
		}
		for _, r := range sortedRows(e.Data["obligations"]) {
			if rowEnded(r.Object) {
				continue
			}
			to, _ := r.Object["to"].(Ref)
			due, _ := r.Object["due"].(Moment)
			out = append(out, Debt{
				Who: nameOf(e.Entry), To: w.named(to, Character, Organization), What: plain(r.Object["what"]), Due: due.Label, Status: "open",
				Turn: e.rowTurn(rowPath("obligations", r.key), r.Object), due: due, importance: e.importance,
			})
		}
	}
	slices.SortStableFunc(out, func(a, b Debt) int { return compareDue(a.due, b.due) })
	return out
}

// Membership is a member of an organization in an answer.
type Membership struct {
	Who    Named  `json:"who"`
	Rank   string `json:"rank,omitempty"`
	Status string `json:"status"`
}

// Members returns the members of an organization, an id or a name, former ones
// included, in the order of their names.
func (w *World) Members(org string) []Membership {
	want := w.find(org, Organization)
	is := func(n Named) bool {
		return want != nil && n.ID == want.ID || want == nil && keyPart(n.Name) == keyPart(org)
	}
	var out []Membership
	add := func(m Membership) {
		i := slices.IndexFunc(out, func(o Membership) bool {
			return o.Who.ID == m.Who.ID && (m.Who.ID != "" || keyPart(o.Who.Name) == keyPart(m.Who.Name))
		})
		if i < 0 {
			out = append(out, m)
		} else if out[i].Rank == "" {
			out[i].Rank = m.Rank
		}
	}
	for _, e := range w.ofType(Character) {
		for _, r := range sortedRows(e.Data["memberships"]) {
			if o, _ := r.Object["org"].(Ref); is(w.named(o, Organization)) {
				status := plain(r.Object["status"])
				if status == "" {
					status = "member"
				}
				if want != nil && want.Ended() {
					status = "former"
				}
				add(Membership{nameOf(e.Entry), plain(r.Object["rank"]), status})
			}
		}
	}
	if want != nil {
		for _, r := range sortedRows(want.Data["members"]) {
			who, _ := r.Object["who"].(Ref)
			add(Membership{w.named(who, Character), plain(r.Object["rank"]), "member"})
		}
		if leader, ok := want.Data["leader"].(Ref); ok {
			add(Membership{w.named(leader, Character), "", "leader"})
		}
	}
	slices.SortStableFunc(out, func(a, b Membership) int { return compareStrings(a.Who.Name, b.Who.Name) })
	return out
}

// RulesAt returns the rules in force that bind a place, an id or a name: those
// of it, of the places that it is part of, and those that bind everywhere.
func (w *World) RulesAt(place string) []Named {
	here := Named{Name: place}
	if e := w.find(place, Location); e != nil {
		here = nameOf(e)
	}
	var out []Named
	for _, e := range w.ofType(Rule) {
		if e.Ended() || e.Status() == "suspended" {
			continue
		}
		rows := sortedRows(e.Data["scope"])
		applies := len(rows) == 0
		for _, r := range rows {
			ref, _ := r.Object["ref"].(Ref)
			n := w.named(ref, Location)
			key := n.ID
			if key == "" {
				key = n.Name
			}
			applies = applies || w.isIn(here, key)
		}
		if applies {
			out = append(out, nameOf(e.Entry))
		}
	}
	return out
}

// Knowledge is a thing that not everybody knows.
type Knowledge struct {
	Entry Named  `json:"entry"`
	Path  string `json:"path,omitempty"`
	Text  string `json:"text"`
	// How is how they got to know it; "" if they always knew.
	How string `json:"how,omitempty"`
}

// WhatKnows returns what a character knows that not everybody knows: their own
// secrets, those they were told, the entries and values of which they learned.
// The character is an id or a name.
func (w *World) WhatKnows(who string) []Knowledge {
	c := w.find(who, Character)
	if c == nil {
		return nil
	}
	v := w.CharacterViewer(c.ID)
	var out []Knowledge
	add := func(e *Entry, path, text string, scopes ...Scope) {
		closed := false
		how := ""
		for _, s := range scopes {
			if s.IsPublic() && len(s.Learned) == 0 {
				continue
			}
			if !s.Knows(v) {
				return
			}
			closed = true
			for _, l := range s.Learned {
				if v.is(l.Who) {
					how = l.How
				}
			}
		}
		if closed {
			out = append(out, Knowledge{nameOf(e), path, text, how})
		}
	}
	for _, id := range w.ids {
		e := w.entries[id]
		own := scopeOf(e.Data["knowledge"])
		if !own.Knows(v) && e.ID != c.ID {
			continue
		}
		add(e, "", e.Name(), own)
		fields := Fields(e.Type)
		for i := range fields {
			f := &fields[i]
			if f.Kind != Rows || f.Name == "scopes" {
				continue
			}
			for _, r := range sortedRows(e.Data[f.Name]) {
				path := rowPath(f.Name, r.key)
				add(e, path, plain(r.Object[f.main()]), append([]Scope{rowScope(e, f, r.Object)}, e.scopesTo(path)...)...)
			}
		}
		for _, r := range sortedRows(e.Data["scopes"]) {
			path := plain(r.Object["path"])
			if text := e.Text(path); text != "" && !strings.Contains(path, "[") {
				add(e, path, text, scopeOf(r.Object["knowledge"]))
			}
		}
	}
	return out
}

// Contradiction is a value of which two versions are held.
type Contradiction struct {
	Entry  Named    `json:"entry"`
	Path   string   `json:"path"`
	Values []string `json:"values"`
}

// Contradictions returns what is disputed and not settled: values with two
// sources of one standing, and facts that exclude each other.
func (w *World) Contradictions() []Contradiction {
	var out []Contradiction
	for _, id := range w.ids {
		e := w.entries[id]
		seen := map[string]bool{}
		for _, k := range sortedNames(e.History) {
			p := e.History[k]
			if !p.Disputed || seen[p.Path] {
				continue
			}
			seen[p.Path] = true
			if other := e.disputes(p.Path); len(other) > 0 {
				out = append(out, Contradiction{nameOf(e), p.Path, append([]string{e.Text(p.Path)}, other...)})
			}
		}
		topics := map[string][]string{}
		for _, r := range sortedRows(e.Data["facts"]) {
			if plain(r.Object["certainty"]) == "disputed" && !rowEnded(r.Object) {
				topic := plain(r.Object["topic"])
				topics[topic] = append(topics[topic], plain(r.Object["text"]))
			}
		}
		for _, topic := range sortedNames(topics) {
			out = append(out, Contradiction{nameOf(e), "facts", topics[topic]})
		}
	}
	return out
}

// Untouched returns the living entries that nothing changed for so many
// messages, the oldest first.
func (w *World) Untouched(turns int) []Named {
	type aged struct {
		Named
		turn int
	}
	var list []aged
	for _, id := range w.ids {
		e := w.entries[id]
		if t := e.lastTurn(); !e.Ended() && w.turn-t >= turns {
			list = append(list, aged{nameOf(e), t})
		}
	}
	slices.SortStableFunc(list, func(a, b aged) int { return cmp.Compare(a.turn, b.turn) })
	out := make([]Named, len(list))
	for i, x := range list {
		out[i] = x.Named
	}
	return out
}

// EntryChange says what changed about an entry.
type EntryChange struct {
	Entry Named `json:"entry"`
	// New says that nothing was known of it before.
	New   bool     `json:"new,omitempty"`
	Paths []string `json:"paths"`
	Turn  int      `json:"turn"`
}

// ChangedSince returns what changed after a turn, the latest first.
func (w *World) ChangedSince(turn int) []EntryChange {
	var out []EntryChange
	for _, id := range w.ids {
		e := w.entries[id]
		c := EntryChange{Entry: nameOf(e), New: e.Sources["name"].Turn > turn}
		for p, s := range e.Sources {
			if s.Turn <= turn {
				continue
			}
			c.Paths = append(c.Paths, p)
			c.Turn = max(c.Turn, s.Turn)
		}
		if len(c.Paths) > 0 {
			slices.Sort(c.Paths)
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b EntryChange) int { return cmp.Compare(b.Turn, a.Turn) })
	return out
}
