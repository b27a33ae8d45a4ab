package compendium

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/weft-memory/weft/lore"
)

// Size is one of the sizes of a rendering.
type Size int

// The sizes, each a part of the next one.
const (
	OneLine Size = iota // at most 30 tokens
	Brief               // at most 90
	Full                // at most 350
)

// Limit returns how many tokens a rendering of the size has at most.
func (s Size) Limit() int { return [...]int{30, 90, 350}[s] }

// String returns the name of the size, as budgets and sizes of entries have it.
func (s Size) String() string { return [...]string{"one_line", "brief", "full"}[s] }

// Renderer writes entries as prose for a prompt. The zero Renderer writes
// English for the director. Its fields must not change once it is used; it may
// be shared between goroutines then.
type Renderer struct {
	// World gives names to references and says who knows what; nil means that
	// an entry is all there is.
	World *World
	// Lang defaults to English.
	Lang *Language
	// Viewer is for whom the text is.
	Viewer Viewer
	// Scene are the ids of entries in the scene: what touches them comes first.
	Scene []string
	// Tokens counts; it defaults to [EstimateTokens].
	Tokens func(string) int

	once  sync.Once
	seen  *World
	alone *redaction
}

func (r *Renderer) prepare() {
	r.once.Do(func() {
		w := r.World
		if w == nil {
			w = NewWorld(nil, Options{})
		}
		r.seen = w.For(r.Viewer)
		if !r.Viewer.seesAll() {
			r.alone = newRedaction(w, r.Viewer)
		}
	})
}

func (r *Renderer) lang() *Language {
	if r.Lang == nil {
		return LanguageFor("en")
	}
	return r.Lang
}

func (r *Renderer) tokens(s string) int {
	if r.Tokens == nil {
		return EstimateTokens(s)
	}
	return r.Tokens(s)
}

// view returns the entry as the viewer knows it; nil if they do not.
func (r *Renderer) view(e *Entry) *Entry {
	r.prepare()
	if r.alone == nil {
		return e
	}
	if !e.Knows(r.Viewer, "") {
		return nil
	}
	return r.alone.entry(e)
}

// Render writes an entry. It is "" for an entry of which the viewer knows
// nothing. The same entry, renderer and size give the same bytes.
func (r *Renderer) Render(e *Entry, size Size) string {
	if e = r.view(e); e == nil {
		return ""
	}
	d := r.draft(e)
	chosen := d.choose(size)
	return d.text(chosen)
}

// item is a piece of a rendering that is there or not as a whole.
type item struct {
	// section it stands in; "" is a sentence of its own.
	section string
	text    string
	// size is the smallest size that wants it, rank its place in the queue for
	// room: smaller goes first.
	size Size
	rank int
}

// draft is a rendering in the making.
type draft struct {
	r     *Renderer
	e     *Entry
	name  string
	what  []string
	state []string // items of the headline, as many as fit
	items []item
}

func (r *Renderer) draft(e *Entry) *draft {
	d := &draft{r: r, e: e, name: e.Name()}
	d.headline()
	d.body()
	return d
}

func (d *draft) lang() *Language { return d.r.lang() }

// selection is what of a draft is shown.
type selection struct {
	what, state int
	cut         bool // the name is cut
	items       []bool
}

// choose takes what fits, small sizes first, so that a larger size says all that
// a smaller one does.
func (d *draft) choose(size Size) selection {
	s := selection{items: make([]bool, len(d.items))}
	fits := func(limit int) bool { return d.r.tokens(d.text(s)) <= limit }
	limit := OneLine.Limit()
	s.cut = !fits(limit)
	// What matters most about the state comes before the second thing that it is.
	for _, grow := range []*int{&s.what, &s.state, &s.state, &s.what, &s.what} {
		most := len(d.what)
		if grow == &s.state {
			most = len(d.state)
		}
		if *grow < most {
			*grow++
			if !fits(limit) {
				*grow--
			}
		}
	}
	order := make([]int, len(d.items))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return d.items[a].rank - d.items[b].rank })
	for step := OneLine; step <= size; step++ {
		for _, i := range order {
			if d.items[i].size > step || s.items[i] {
				continue
			}
			s.items[i] = true
			if !fits(step.Limit()) {
				s.items[i] = false
			}
		}
	}
	return s
}

// text writes what is chosen.
func (d *draft) text(s selection) string {
	l := d.lang()
	name := d.name
	if s.cut {
		name = clip(name, 24) + "…"
	}
	head := l.phrase("head", "name", name)
	if s.what > 0 {
		head = l.phrase("head_what", "name", name, "what", strings.Join(d.what[:s.what], ", "))
	}
	var b strings.Builder
	if s.state > 0 {
		b.WriteString(unstopped(l.phrase("line_state", "head", head, "state", endless(strings.Join(d.state[:s.state], "; ")))))
	} else {
		b.WriteString(l.phrase("line", "head", head))
	}
	for i := 0; i < len(d.items); {
		section := d.items[i].section
		var texts []string
		for ; i < len(d.items) && d.items[i].section == section; i++ {
			if s.items[i] {
				texts = append(texts, d.items[i].text)
			}
			if section == "" {
				i++
				break
			}
		}
		if len(texts) == 0 {
			continue
		}
		b.WriteByte(' ')
		if section == "" {
			b.WriteString(texts[0])
		} else {
			b.WriteString(unstopped(l.phrase("section", "label", section, "items", endless(strings.Join(texts, "; ")))))
		}
	}
	return b.String()
}

// unstopped takes the period off that a phrase puts behind a question or a call.
func unstopped(s string) string {
	if n := len(s); n > 1 && s[n-1] == '.' && (s[n-2] == '?' || s[n-2] == '!') {
		return s[:n-1]
	}
	return s
}

// endless takes off the sign that ends a sentence, where another one follows.
func endless(s string) string { return strings.TrimRight(s, ".;:, ") }

// add adds an item.
func (d *draft) add(section, text string, size Size, rank int) {
	if text = strings.TrimSpace(text); text != "" {
		if section != "" {
			text = endless(text)
		}
		d.items = append(d.items, item{section, text, size, rank})
	}
}

// refName returns what to call the target of a reference.
func (d *draft) refName(r Ref) string { return d.r.refName(r) }

func (r *Renderer) refName(ref Ref) string {
	if ref.ID != "" {
		if e := r.seen.Entry(ref.ID); e != nil {
			return e.Name()
		}
	}
	return ref.Text
}

// target returns the entry that a reference leads to, nil if there is none.
func (r *Renderer) target(ref Ref, of ...Type) *Entry {
	if e := r.seen.Entry(ref.ID); ref.ID != "" && e != nil {
		return e
	}
	if id, ok := r.seen.Lookup(ref.Text, of...); ok {
		return r.seen.Entry(id)
	}
	return nil
}

// inScene reports whether a reference leads into the scene.
func (r *Renderer) inScene(ref Ref) bool {
	e := r.target(ref)
	return e != nil && slices.Contains(r.Scene, e.ID)
}

// headline collects the parts of the first line.
func (d *draft) headline() {
	e, l := d.e, d.lang()
	if e.Ended() { // that somebody is dead leads every rendering
		d.what = append(d.what, l.word(e.Type, e.Status()))
	}
	if e.Type == Character {
		d.what = appendText(d.what, e.text("role"))
		if rows := sortedRows(e.Data["memberships"]); len(rows) > 0 && e.shows(rowPath("memberships", rows[0].key), d) {
			org, _ := rows[0].Object["org"].(Ref)
			text := d.refName(org)
			if d.membershipOver(rows[0].Object, org) {
				text = l.phrase("ex", "x", text)
			}
			d.what = appendText(d.what, text)
		}
	} else {
		kind := plain(e.Data["kind"])
		if kind == "" {
			kind = string(e.Type)
		}
		d.what = appendText(d.what, l.word(e.Type, kind))
	}
	if !e.Ended() && e.Status() != DefaultStatus(e.Type) {
		d.state = append(d.state, l.word(e.Type, e.Status()))
	}
	for _, name := range headFields[e.Type] {
		if e.shows(name, d) {
			d.state = appendText(d.state, e.text(name))
		}
	}
	for _, name := range headStates[e.Type] {
		if len(d.state) >= 3 {
			break
		}
		if !e.shows("current_state."+name, d) {
			continue
		}
		d.state = appendText(d.state, d.stateText(name))
	}
	if len(d.state) == 0 {
		d.state = appendText(d.state, e.text("one_line"))
	}
}

// headFields are lasting values that belong into the first line.
var headFields = map[Type][]string{Rule: {"statement"}, Event: {"when"}, Power: {"effect"}}

// headStates are the values of current_state that say most in one line.
var headStates = map[Type][]string{
	Character: {"status", "location", "condition", "activity"}, Location: {"condition", "access", "owner_now"}, Organization: {"current_aim", "strength"},
	Event: {"progress", "expected_when"}, Plot: {"stage", "latest_development"}, Threat: {"phase", "whereabouts"},
	Item: {"holder", "location", "condition"}, Power: {"availability", "charges"}, Rule: {"in_force"}, Culture: {"current_pressure"},
}

func appendText(list []string, s string) []string {
	if s = endless(strings.TrimSpace(s)); s == "" || slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

func (d *draft) membershipOver(row Object, org Ref) bool {
	if rowEnded(row) {
		return true
	}
	t := d.r.target(org, Organization)
	return t != nil && t.Ended()
}

// stateText writes a value of current_state for the headline.
func (d *draft) stateText(name string) string {
	e, l := d.e, d.lang()
	switch v := e.state(name).(type) {
	case Ref:
		t := d.r.target(v)
		switch {
		case v.Text == "":
			return ""
		case name == "holder" && t != nil && t.Type == Character && t.Ended():
			return l.phrase("remains", "x", t.Name())
		case name == "holder":
			return l.phrase("held", "x", d.refName(v))
		case (name == "location" || name == "whereabouts") && t != nil && t.Type == Location && t.Ended() && e.changed("current_state."+name) < t.changed("status"):
			return l.phrase("displaced", "x", t.Name())
		case name == "location" || name == "whereabouts":
			return l.phrase("at", "x", d.refName(v))
		}
		return l.phrase("valued", "label", l.label(e.Type, name), "value", d.refName(v))
	case string:
		f := FieldAt(e.Type, "current_state", name)
		if f != nil && f.Kind == Enum {
			return l.word(e.Type, v)
		}
		return v
	}
	return ""
}

// Present returns a lorebook entry as a prompt gets it: its typed data rendered
// for a viewer in the place of the bare description, the shorter sizes beside
// it. keep is text that stays behind the rendering as it is, such as what an
// author wrote in a template language; "" if the description is the entry's own.
// Nil if the viewer knows nothing of it.
func Present(e *Entry, r *Renderer, keep string) *lore.Entry {
	v := r.view(e)
	if v == nil {
		return nil
	}
	d := r.draft(v)
	out := v.ToLore()
	setStored(out, nil)
	out.Content = d.text(d.choose(Full))
	out.Sizes.Brief, out.Sizes.OneLine = d.text(d.choose(Brief)), d.text(d.choose(OneLine))
	if keep != "" {
		out.Content += "\n" + keep
	}
	return out
}

// disputes returns the values that contradict the one at a path, from the
// history: those of the same record time.
func (e *Entry) disputes(path string) []string {
	var out []string
	now := e.Sources[path]
	for _, p := range e.PastOf(path) {
		if p.Path != path || !p.Disputed || compareRecords(p.From, now) != 0 && compareRecords(p.Until, now) != 0 {
			continue
		}
		var s string
		if json.Unmarshal(p.Value, &s) != nil {
			s = string(p.Value)
		} else {
			s = ParseMoment(ParseRef(s).Text).Label
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
