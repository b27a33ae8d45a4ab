package compendium

import (
	"fmt"
	"slices"
	"strings"

	"github.com/weft-memory/weft/resolve"
)

// rows merges rows into a keyed array.
func (m *merger) rows(have Object, list []Object, f *Field, path string) any {
	out := have
	grow := func() {
		if same(out, have) {
			out = make(Object, len(have)+len(list))
			for k, v := range have {
				out[k] = v
			}
		}
	}
	for i, g := range m.group(have, list, f, path) {
		row, key, where := g.row, g.key, rowPath(path, g.key)
		_, found := out[key]
		switch {
		case g.remove && !found:
			m.unchanged(path)
		case g.remove:
			if m.removeRow(where, out[key]) {
				grow()
				delete(out, key)
			}
		case !found:
			if why := m.locked(where); why != "" {
				m.keepOut(where, why, rowValues(row))
				continue
			}
			if f.Max > 0 && len(out) >= f.Max && !m.evict(&out, grow, f, path) {
				m.reject(path, fmt.Sprintf("it holds %d already: end some of them first", f.Max))
				continue
			}
			grow()
			out[key] = m.newRow(row, f, where, i)
		default:
			before := asObject(out[key])
			after := m.object(before, m.changes(before, row, f), f.Fields, where)
			if equal(before, after) {
				m.unchanged(where)
				continue
			}
			grow()
			out[key] = after
		}
	}
	if path == "facts" {
		return m.facts(have, out)
	}
	return out
}

// rowGroup is what a patch says of one row.
type rowGroup struct {
	key    string
	row    Object
	remove bool
}

// group finds the rows that a patch means and puts together what it says of one
// row in several places: the later words count.
func (m *merger) group(have Object, list []Object, f *Field, path string) []*rowGroup {
	work := make(Object, len(have)+len(list))
	for k, v := range have {
		work[k] = v
	}
	var out []*rowGroup
	byKey := map[string]*rowGroup{}
	for _, patch := range list {
		row := m.bindRow(patch, f)
		key, found, ok := m.find(work, f, row, path)
		if !ok {
			continue
		}
		g := byKey[key]
		if g == nil {
			g = &rowGroup{key: key, row: row}
			byKey[key] = g
			out = append(out, g)
		} else {
			g.row = overlay(g.row, row)
		}
		g.remove, _ = row[memberRemove].(bool)
		if !found {
			work[key] = row
		}
	}
	return out
}

// overlay returns an object with the values of another one laid over it, groups
// member by member.
func overlay(a, b Object) Object {
	out := make(Object, len(a)+len(b))
	for k, v := range a {
		out[k] = v
	}
	for k, v := range b {
		x, ok1 := out[k].(Object)
		y, ok2 := v.(Object)
		if ok1 && ok2 {
			v = overlay(x, y)
		}
		out[k] = v
	}
	return out
}

// bindRow binds the references of a row that are part of its key.
func (m *merger) bindRow(row Object, f *Field) Object {
	out := make(Object, len(row))
	for k, v := range row {
		if r, ok := v.(Ref); ok {
			if mf := member(f.Fields, k); mf != nil {
				v = m.bind(r, mf)
			}
		}
		out[k] = v
	}
	return out
}

// find returns the key of the row that a patch means, and whether it is there;
// ok is false for a row that was rejected.
func (m *merger) find(rows Object, f *Field, row Object, path string) (key string, found, ok bool) {
	if k, _ := row[memberKey].(string); k != "" {
		if _, ok := rows[k]; ok {
			return k, true, true
		}
		if keyOf(f, row) == "" {
			m.reject(rowPath(path, k), "there is no such row")
			return "", false, false
		}
	}
	switch {
	case f.Name == "relationships":
		return m.findRelationship(rows, f, row, path)
	case f.Name == "facts":
		if k, ok := findFact(rows, row); ok {
			return k, true, true
		}
	}
	if k, ok := findRow(rows, f, row); ok {
		return k, true, true
	}
	return freeKey(rows, f, row), false, true
}

// findRelationship finds a relationship, and completes the category of one that
// is new: see [categoryOf].
func (m *merger) findRelationship(rows Object, f *Field, row Object, path string) (key string, found, ok bool) {
	with, _ := row["with"].(Ref)
	category, _ := row["category"].(string)
	nature, _ := row["nature"].(string)
	var others []string
	for _, k := range sortedNames(rows) {
		have := asObject(rows[k])
		r, _ := have["with"].(Ref)
		if !r.Same(with) {
			continue
		}
		others = append(others, k)
		n, _ := have["nature"].(string)
		c, _ := have["category"].(string)
		switch {
		case category == "" && nature != "" && resolve.Normal(n) == resolve.Normal(nature):
			return k, true, true
		case category != "" && c == category && (c != "other" || nature == "" || resolve.Normal(n) == resolve.Normal(nature)):
			return k, true, true
		}
	}
	if category == "" && nature == "" {
		switch len(others) {
		case 0:
			category = "other"
		case 1:
			return others[0], true, true
		default:
			m.reject(path, fmt.Sprintf("there are %d relationships with %s: give the nature", len(others), with.Text))
			return "", false, false
		}
	}
	if category == "" {
		if category = categoryOf(nature); category == "" {
			category = "other"
		}
		for _, k := range others {
			if c, _ := asObject(rows[k])["category"].(string); c == category && category != "other" {
				return k, true, true
			}
		}
	}
	row["category"] = category
	key = keyPart(with.Text) + "|" + category
	if category == "other" && nature != "" {
		key += "|" + keyPart(nature)
	}
	if _, taken := rows[key]; taken {
		key += "#" + plainID(with.ID)
		if _, taken := rows[key]; taken {
			key = freeKey(rows, f, row)
		}
	}
	return key, false, true
}

// newRow returns a row as it is stored.
func (m *merger) newRow(row Object, f *Field, where string, i int) Object {
	m.fresh = append(m.fresh, where)
	s := m.ctx.Source
	data := rowValues(row)
	if f.Name == "facts" && data["valid_from"] == nil && s.Story.Dated {
		data["valid_from"] = s.Story
	}
	out := m.object(nil, data, f.Fields, where)
	if out == nil {
		out = Object{}
	}
	out[memberAt] = encode(int64(s.Turn)*1_000_000 + int64(min(s.Call, 999))*1000 + int64(min(i, 999)))
	return out
}

// rowValues returns the row without what is no value.
func rowValues(row Object) Object {
	out := make(Object, len(row)+1)
	for k, v := range row {
		if k != memberRemove && k != memberKey && k != memberAt {
			out[k] = v
		}
	}
	return out
}

// changes returns what of a patch changes a row that is there: its key is not
// changed, but a name in it may become bound.
func (m *merger) changes(have, row Object, f *Field) Object {
	out := rowValues(row)
	for _, name := range f.Key {
		r, isRef := out[name].(Ref)
		was, _ := have[name].(Ref)
		if isRef && r.ID != "" && was.ID == "" && was.Same(r) {
			continue
		}
		delete(out, name)
	}
	if f.Name == "facts" {
		delete(out, "topic")
		delete(out, "text")
		if c, _ := out["certainty"].(string); certaintyRank[c] <= certaintyRank[plain(have["certainty"])] {
			delete(out, "certainty") // a rumour does not make a known fact doubtful
		}
	}
	return out
}

var certaintyRank = map[string]int{"rumour": 1, "disputed": 2, "implied": 3, "stated": 4, "": 4}

func (m *merger) removeRow(where string, row any) bool {
	switch {
	case !m.ctx.Update && m.ctx.Source.By != ByPerson:
		m.reject(where, "only an update removes: to end it, set its status or valid_to")
		return false
	case m.locked(where) != "":
		m.keepOut(where, m.locked(where), nil)
		return false
	}
	m.past(where, row, m.source(where), false)
	m.own()
	for p := range m.e.Sources {
		if within(p, where) {
			delete(m.e.Sources, p)
		}
	}
	m.Changed = append(m.Changed, where)
	return true
}

// endings are words of a row's status that say that it is over.
var endings = map[string]bool{
	"ended": true, "over": true, "former": true, "expelled": true, "dropped": true, "met": true, "kept": true, "broken": true,
	"done": true, "failed": true, "dissolved": true, "estranged for good": true,
}

// rowEnded reports whether a row says that it is over.
func rowEnded(row Object) bool {
	s, _ := row["status"].(string)
	return endings[strings.ToLower(s)] || !isEmpty(row["valid_to"])
}

// evict makes room in a list that is full: the oldest row that is over goes to
// the history.
func (m *merger) evict(out *Object, grow func(), f *Field, path string) bool {
	for _, r := range sortedRows(*out) {
		if !rowEnded(r.Object) || m.locked(rowPath(path, r.key)) != "" {
			continue
		}
		grow()
		where := rowPath(path, r.key)
		m.past(where, r.Object, m.source(where), false)
		m.own()
		for p := range m.e.Sources {
			if within(p, where) {
				delete(m.e.Sources, p)
			}
		}
		delete(*out, r.key)
		m.Changed = append(m.Changed, where)
		m.Notes = append(m.Notes, path+": full; "+r.key+", which is over, moved to the history")
		return true
	}
	return false
}

// Facts.

// findFact finds the fact that says the same: of the same topic, with the same
// numbers and negations, and nearly the same words.
func findFact(rows, row Object) (string, bool) {
	topic, text := keyPart(plain(row["topic"])), plain(row["text"])
	if k := topic + "|" + keyPart(text); rows[k] != nil {
		return k, true
	}
	var marks []string
	for _, k := range sortedNames(rows) {
		have := asObject(rows[k])
		if keyPart(plain(have["topic"])) != topic {
			continue
		}
		other := plain(have["text"])
		if resolve.Similarity(text, other) < 0.8 {
			continue
		}
		if marks == nil {
			marks = factMarks(text)
		}
		if slices.Equal(marks, factMarks(other)) {
			return k, true
		}
	}
	return "", false
}

// factMarks returns the words of a text that change its meaning however alike
// the rest is: numbers, negations, names.
func factMarks(s string) []string {
	out := []string{}
	for i, w := range strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune(" \t\n.,;:!?\"“”()", r) }) {
		low := strings.ToLower(w)
		switch {
		case negations[low] || strings.HasSuffix(low, "n't") || strings.HasSuffix(low, "n’t"):
			out = append(out, "not")
		case numberWords[low] || strings.ContainsAny(w, "0123456789"):
			out = append(out, low)
		case opposites[low] != "":
			out = append(out, low)
		case i > 0 && low != w:
			out = append(out, low) // a name
		}
	}
	slices.Sort(out)
	return out
}

func wordSet(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

var (
	negations   = wordSet("not no never none nobody nothing without cannot nicht kein keine keinen nie ohne не нет никогда без ni jamais sans")
	numberWords = wordSet("one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand half " +
		"ein eine zwei drei vier fünf sechs sieben acht neun zehn zwölf один два три четыре пять шесть семь восемь девять десять")
	// opposites are pairs of words of which a text can hold one or the other.
	opposites = func() map[string]string {
		out := map[string]string{}
		for pair := range strings.FieldsSeq("open/closed alive/dead left/right true/false old/young north/south east/west friend/enemy safe/dangerous guilty/innocent brother/sister husband/wife son/daughter father/mother before/after inside/outside won/lost sold/bought hot/cold full/empty light/dark loyal/disloyal always/sometimes") {
			a, b, _ := strings.Cut(pair, "/")
			out[a], out[b] = b, a
		}
		return out
	}()
)

// contradict reports whether two texts on one topic cannot both hold: they are
// alike, but one negates the other, or a number or one of two opposites differs.
func contradict(a, b string) bool {
	if resolve.Similarity(a, b) < 0.5 {
		return false
	}
	x, y := factMarks(a), factMarks(b)
	if slices.Equal(x, y) {
		return false
	}
	diff := func(x, y []string) (out []string) {
		for _, w := range x {
			if !slices.Contains(y, w) {
				out = append(out, w)
			}
		}
		return out
	}
	dx, dy := diff(x, y), diff(y, x)
	if slices.Contains(dx, "not") != slices.Contains(dy, "not") {
		return len(dx)+len(dy) == 1
	}
	if len(dx) != 1 || len(dy) != 1 {
		return false
	}
	isNumber := func(s string) bool { return numberWords[s] || strings.ContainsAny(s, "0123456789") }
	return opposites[dx[0]] == dy[0] || isNumber(dx[0]) && isNumber(dy[0])
}

// facts looks for contradictions between facts that are new and those that were
// there: of two that know their story time the earlier one is closed, else both
// are disputed.
func (m *merger) facts(have, rows Object) Object {
	out := rows
	if same(have, rows) {
		return rows
	}
	for _, k := range sortedNames(rows) {
		if have[k] != nil {
			continue
		}
		for _, other := range sortedNames(rows) {
			a, b := asObject(out[k]), asObject(out[other])
			if other == k || keyPart(plain(a["topic"])) != keyPart(plain(b["topic"])) || rowEnded(a) || rowEnded(b) ||
				!contradict(plain(a["text"]), plain(b["text"])) {
				continue
			}
			if same(out, rows) {
				out = make(Object, len(rows))
				for k, v := range rows {
					out[k] = v
				}
			}
			m.opposeFacts(out, k, other)
		}
	}
	return out
}

func (m *merger) opposeFacts(rows Object, k, other string) {
	a, b := asObject(rows[k]), asObject(rows[other])
	if plain(a["certainty"]) == "rumour" || plain(b["certainty"]) == "rumour" {
		return // talk contradicts nothing
	}
	set := func(key string, row Object, name string, v any) {
		c := cloneObject(row)
		c[name] = v
		rows[key] = c
		m.change(joinPath(rowPath("facts", key), name))
	}
	from := func(row Object) Moment {
		t, _ := row["valid_from"].(Moment)
		return t
	}
	if c, ok := compareMoments(from(a), from(b)); ok && c != 0 {
		if c > 0 {
			set(other, b, "valid_to", from(a))
		} else {
			set(k, a, "valid_to", from(b))
		}
		return
	}
	if m.ctx.Source.By == ByPerson {
		until := m.ctx.Source.Story
		if until.IsZero() {
			until = Moment{Label: "corrected"}
		}
		set(other, b, "valid_to", until)
		return
	}
	if why := m.locked(rowPath("facts", other)); why != "" {
		set(k, a, "certainty", "disputed")
		m.Disputed = append(m.Disputed, rowPath("facts", k))
		return
	}
	for key, row := range map[string]Object{k: a, other: b} {
		if plain(row["certainty"]) != "disputed" {
			set(key, row, "certainty", "disputed")
		}
	}
	m.Disputed = append(m.Disputed, rowPath("facts", k), rowPath("facts", other))
	slices.Sort(m.Disputed)
}

// Items.

// holder keeps the two rules of items: an item is with somebody or somewhere,
// and its chain says who had it.
func (m *merger) holder(before *Entry, patch Object) {
	given, _ := patch["current_state"].(Object)
	_, holderGiven := given["holder"].(Ref)
	_, placeGiven := given["location"].(Ref)
	was, _ := before.state("holder").(Ref)
	is, _ := m.e.state("holder").(Ref)
	place, _ := m.e.state("location").(Ref)
	placeWas, _ := before.state("location").(Ref)
	switch {
	case is.Text == "" || place.Text == "":
	case holderGiven && placeGiven:
		m.drop("location", place, placeWas)
		m.Notes = append(m.Notes, "current_state.location: an item has a holder or a place; the holder was kept")
	case placeGiven && place != placeWas:
		m.drop("holder", is, is)
		is = Ref{}
	case holderGiven && is != was:
		m.drop("location", place, place)
	}
	if is.Text == "" || is.Same(was) {
		return
	}
	now := m.ctx.Source.Story
	if now.IsZero() {
		now = Moment{Label: fmt.Sprintf("turn %d", m.ctx.Source.Turn)}
	}
	f := FieldAt(Item, "provenance_chain")
	chain := asObject(m.e.Data["provenance_chain"])
	var list []Object
	if was.Text != "" {
		for _, r := range sortedRows(chain) {
			if h, _ := r.Object["holder"].(Ref); h.Same(was) && isEmpty(r.Object["to"]) {
				list = append(list, Object{memberKey: r.key, "to": now})
			}
		}
		if len(list) == 0 {
			list = append(list, Object{"holder": was, "from": Moment{Label: "before"}, "to": now})
		}
	}
	row := Object{"holder": is, "from": now}
	if how, _ := m.e.state("how").(string); how != "" && given["how"] != nil {
		if w, ok := chainWords[strings.ToLower(how)]; ok {
			row["how"] = w
		}
	}
	list = append(list, row)
	m.setData("provenance_chain", m.rows(chain, list, f, "provenance_chain"))
}

var chainWords = map[string]string{
	"given": "given", "gave": "given", "gift": "given", "handed over": "given", "stolen": "stolen", "stole": "stolen", "theft": "stolen", "taken": "stolen",
	"found": "found", "bought": "bought", "purchased": "bought", "inherited": "inherited",
}

// drop clears one of the two places of an item.
func (m *merger) drop(name string, value, was Ref) {
	path := "current_state." + name
	state := cloneObject(asObject(m.e.Data["current_state"]))
	delete(state, name)
	m.setData("current_state", state)
	if was.Text != "" {
		m.past(path, was, m.source(path), false)
	}
	m.own()
	if i := slices.Index(m.Changed, path); i >= 0 && was.Text == "" {
		m.Changed = slices.Delete(m.Changed, i, i+1)
		delete(m.e.Sources, path)
		return
	}
	if !slices.Contains(m.Changed, path) {
		m.Changed = append(m.Changed, path)
	}
	m.e.Sources[path] = m.source(path)
}

func (m *merger) setData(name string, v any) {
	data := make(Object, len(m.e.Data)+1)
	for k, x := range m.e.Data {
		data[k] = x
	}
	if isEmpty(v) {
		delete(data, name)
	} else {
		data[name] = v
	}
	m.e.Data = data
}
