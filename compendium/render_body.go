package compendium

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// fieldOrder is the order of the sections of a full rendering, by importance for
// the narrator; what is not named follows in the order of the schema.
var fieldOrder = map[Type][]string{
	Character:    {"relationships", "memberships", "goals", "obligations", "abilities", "appearance", "personality", "voice", "age", "pronouns", "culture", "backstory"},
	Location:     {"parent", "features", "hazards", "exits", "inhabitants", "controlled_by", "atmosphere"},
	Organization: {"purpose", "leader", "relations", "headquarters", "members", "methods"},
	Event:        {"when", "location", "participants", "consequences", "cause"},
	Plot:         {"question", "stakes", "deadline", "steps", "clues", "parties", "threats"},
	Threat:       {"targets", "severity", "imminence", "source", "clock", "signs", "countermeasures", "triggers"},
	Item:         {"properties", "appearance", "restrictions", "provenance_chain"},
	Power:        {"effect", "cost", "limits", "requirements", "counters", "holders", "system"},
	Rule:         {"scope", "exceptions", "consequences_of_breaking", "strictness"},
	Culture:      {"traits", "beliefs", "address", "homeland", "relations", "language"},
}

// unrendered are fields of the envelope that no prompt needs, and those that the
// headline says.
var unrendered = map[string]bool{
	"name": true, "aliases": true, "one_line": true, "description": true, "importance": true, "status": true, "tags": true, "facts": true,
	"notes": true, "knowledge": true, "scopes": true, "story_time": true, "locks": true, "current_state": true, "kind": true, "role": true,
	"statement": true, "secrets": true, "significant": true, "public": true, "status_reason": true,
}

// body collects the items behind the headline.
func (d *draft) body() {
	e, l := d.e, d.lang()
	if d.r.alone == nil && !scopeOf(e.Data["knowledge"]).IsPublic() {
		d.add("", d.guardLine("")+".", Brief, -1)
	}
	if line := e.text("one_line"); line != "" && e.Description() == "" && !slices.Contains(d.state, endless(line)) && e.shows("one_line", d) {
		d.add("", terminated(line), Brief, 0)
	}
	for i, s := range splitSentences(e.Description()) {
		if !e.shows("description", d) {
			d.add(d.guardLine("description"), s, Full, 50)
			continue
		}
		size, rank := Full, 20+i
		switch {
		case i == 0 && len(d.state) == 0:
			size, rank = OneLine, 0
		case i == 0:
			size, rank = Brief, 0
		}
		d.add("", terminated(s), size, rank)
	}
	d.present()
	if s := d.newest(); s != "" {
		d.add(l.phrase("newest"), s, Brief, 3)
	}
	fields := Fields(e.Type)
	order := slices.Clone(fieldOrder[e.Type])
	for i := range fields {
		if n := fields[i].Name; !unrendered[n] && !slices.Contains(order, n) {
			order = append(order, n)
		}
	}
	for i, name := range order {
		f := member(fields, name)
		if f == nil || unrendered[name] {
			continue
		}
		d.field(f, 30+i)
	}
	d.facts()
	d.guarded()
}

// terminated ends a sentence that has no sign at its end.
func terminated(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?\"'*)") || !isASCIIText(s[len(s)-1:]) {
		return s
	}
	return s + "."
}

func isASCIIText(s string) bool { return s != "" && s[0] < 0x80 }

// present collects the values of current_state.
func (d *draft) present() {
	e, l := d.e, d.lang()
	f := member(Fields(e.Type), "current_state")
	state := asObject(e.Data["current_state"])
	if f == nil || len(state) == 0 {
		return
	}
	for i := range f.Fields {
		m := &f.Fields[i]
		v, ok := state[m.Name]
		if !ok || slices.Contains(d.state, endless(d.stateText(m.Name))) || !e.shows("current_state."+m.Name, d) {
			continue
		}
		text := d.valueText(m, v, "current_state."+m.Name)
		if text == "" {
			continue
		}
		switch m.Name {
		case "location", "holder", "whereabouts":
			text = d.stateText(m.Name)
		case "status":
		default:
			text = l.phrase("valued", "label", l.label(e.Type, m.Name), "value", text)
		}
		d.add(l.phrase("now"), text, Full, 10+i)
	}
}

// shows reports whether a value may stand among the open ones: secrets that a
// narrator or director sees come last, with who knows them.
func (e *Entry) shows(path string, d *draft) bool {
	if d.r.alone != nil {
		return true // what is hidden is gone
	}
	return e.openAt(path)
}

// openAt reports whether everybody who knows of the entry knows the value.
func (e *Entry) openAt(path string) bool {
	return !slices.ContainsFunc(e.scopesTo(path), func(s Scope) bool { return !s.IsPublic() })
}

// valueText writes a value; the path is for contradictions.
func (d *draft) valueText(f *Field, v any, path string) string {
	l, t := d.lang(), d.e.Type
	text := ""
	switch v := v.(type) {
	case string:
		if text = v; f.Kind == Enum || f.Kind == State {
			text = l.word(t, v)
		}
	case Ref:
		text = d.refName(v)
	case Object:
		switch f.Kind {
		case References:
			var names []string
			for _, r := range sortedRefs(v) {
				names = append(names, d.refName(r))
			}
			text = strings.Join(names, ", ")
		case Rows:
			var parts []string
			for _, r := range sortedRows(v) {
				parts = append(parts, d.rowText(f, r.Object))
			}
			text = strings.Join(parts, ", ")
		case Group:
			var parts []string
			for i := range f.Fields {
				m := &f.Fields[i]
				if x, ok := v[m.Name]; ok {
					parts = append(parts, l.phrase("valued", "label", l.label(t, m.Name), "value", d.valueText(m, x, joinPath(path, m.Name))))
				}
			}
			text = strings.Join(parts, ", ")
		}
	case bool:
		if v {
			text = l.phrase("yes")
		}
	default:
		text = plain(v)
	}
	if text == "" {
		return ""
	}
	if other := d.e.disputes(path); len(other) > 0 && d.r.alone == nil {
		text = l.phrase("disputed", "a", text, "b", strings.Join(other, " / "))
	}
	return strings.ReplaceAll(text, "\n", " ")
}

// field collects the items of a field.
func (d *draft) field(f *Field, rank int) {
	e, l := d.e, d.lang()
	v, ok := e.Data[f.Name]
	if !ok {
		return
	}
	label := l.label(e.Type, f.Name)
	if f.Kind != Rows {
		if f.Hidden == Open && e.shows(f.Name, d) && !slices.Contains(headFields[e.Type], f.Name) {
			d.add(title(label), d.valueText(f, v, f.Name), Full, rank)
		}
		return
	}
	rows := sortedRows(v)
	scene := func(r keyedRow) int {
		for i := range f.Fields {
			if ref, ok := r.Object[f.Fields[i].Name].(Ref); ok && d.r.inScene(ref) {
				return 0
			}
		}
		return 1
	}
	slices.SortStableFunc(rows, func(a, b keyedRow) int { return cmp.Compare(scene(a), scene(b)) })
	brief := 0
	for i, r := range rows {
		if !e.shows(rowPath(f.Name, r.key), d) || d.closed(f, r.Object) {
			continue
		}
		size, at := Full, rank+i
		if scene(r) == 0 && brief < 2 {
			brief++
			size, at = Brief, 1
		}
		d.add(title(label), d.rowText(f, r.Object), size, at)
	}
}

// closed reports whether a row is over and says nothing any more: met goals,
// kept promises, and all goals of the dead.
func (d *draft) closed(f *Field, row Object) bool {
	s, _ := row["status"].(string)
	switch f.Name {
	case "goals", "obligations":
		return rowEnded(row) || d.e.Ended() && (s == "" || s == "open")
	}
	return false
}

func title(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return strings.ToUpper(string(r)) + s[size:]
}

// defaults are values of rows that go without saying.
var defaults = map[string]bool{"open": true, "member": true, "todo": true, "stated": true, "other": true, "now": true}

// rowText writes a row: what it is about, and in parentheses the rest.
func (d *draft) rowText(f *Field, row Object) string {
	l, t := d.lang(), d.e.Type
	mainName := f.main()
	if row[mainName] == nil {
		return ""
	}
	main := endless(d.valueText(member(f.Fields, mainName), row[mainName], ""))
	var more []string
	ended := rowEnded(row)
	for i := range f.Fields {
		m := &f.Fields[i]
		v, ok := row[m.Name]
		if !ok || m.Name == mainName || m.Name == "category" || m.Name == "knowledge" || m.Name == "known_to" || m.Name == "known_by" {
			continue
		}
		switch x := v.(type) {
		case string:
			if m.Kind == Enum && defaults[x] {
				continue
			}
			s := x
			if m.Kind == Enum {
				s = l.word(t, x)
			}
			more = append(more, strings.ReplaceAll(s, "_", " "))
		case float64:
			if x != 0 {
				more = append(more, l.phrase("valued", "label", l.label(t, m.Name), "value", formatNumber(x)))
			}
		case bool:
			if x {
				more = append(more, l.label(t, m.Name))
			}
		case Moment:
			switch {
			case m.Name == "valid_to" || m.Name == "to":
				more = append(more, l.phrase("until", "x", momentText(x)))
			case m.Name != "valid_from":
				more = append(more, l.phrase("valued", "label", l.label(t, m.Name), "value", momentText(x)))
			}
		case Ref:
			more = append(more, d.refName(x))
		case Object:
			if s := d.valueText(m, x, ""); s != "" {
				more = append(more, l.phrase("valued", "label", l.label(t, m.Name), "value", s))
			}
		}
	}
	if len(more) > 0 {
		main = l.phrase("item", "main", main, "more", strings.Join(more, ", "))
	}
	over := ended || d.e.Ended() && (f.Name == "relationships" || f.Name == "memberships")
	if ref, ok := row[mainName].(Ref); ok && f.Name == "memberships" {
		over = over || d.membershipOver(row, ref)
	}
	switch f.Name {
	case "relationships", "memberships", "relations", "inhabitants", "members":
		if over {
			main = l.phrase("former", "x", main)
		}
	}
	return strings.ReplaceAll(main, "\n", " ")
}

// momentText returns the label of a moment, or its number.
func momentText(m Moment) string {
	if m.Label == "" {
		return m.String()
	}
	return m.Label
}

// newest returns the value that changed last, if something changed since the
// entry was made.
func (d *draft) newest() string {
	e, l := d.e, d.lang()
	best, turn, first := "", 0, -1
	for _, p := range sortedNames(e.Sources) {
		t := e.Sources[p].Turn
		if first < 0 || t < first {
			first = t
		}
		top, _, _ := strings.Cut(p, "[")
		top, _, _ = strings.Cut(top, ".")
		if t > turn && (top == "current_state" || !unrendered[top]) && !strings.Contains(p, "[") && e.Value(p) != nil && e.shows(p, d) {
			best, turn = p, t
		}
	}
	if best == "" || turn <= first {
		return ""
	}
	names := strings.Split(best, ".")
	f := FieldAt(e.Type, names...)
	if f == nil {
		return ""
	}
	text := d.valueText(f, e.Value(best), best)
	if text == "" || slices.Contains(d.state, text) || slices.Contains(d.state, endless(d.stateText(names[len(names)-1]))) {
		return ""
	}
	return l.phrase("valued", "label", l.label(e.Type, names[len(names)-1]), "value", text)
}

// facts collects facts and notes, certain and late ones first.
func (d *draft) facts() {
	e, l := d.e, d.lang()
	rows := sortedRows(e.Data["facts"])
	slices.SortStableFunc(rows, func(a, b keyedRow) int {
		return cmp.Or(
			cmp.Compare(certaintyRank[plain(b.Object["certainty"])], certaintyRank[plain(a.Object["certainty"])]),
			cmp.Compare(rowAt(b.Object), rowAt(a.Object)))
	})
	for i, r := range rows {
		if !e.shows(rowPath("facts", r.key), d) {
			continue
		}
		d.add(l.phrase("facts"), d.factText(r.Object), Full, 60+i)
	}
	for i, r := range sortedRows(e.Data["notes"]) {
		if e.shows(rowPath("notes", r.key), d) {
			d.add(l.phrase("facts"), l.phrase("valued", "label", plain(r.Object["name"]), "value", plain(r.Object["text"])), Full, 110+i)
		}
	}
}

func (d *draft) factText(row Object) string {
	l := d.lang()
	text := endless(plain(row["text"]))
	switch plain(row["certainty"]) {
	case "rumour":
		if who := plain(row["speaker"]); who != "" {
			text = l.phrase("claim", "who", who, "x", text)
		} else {
			text = l.phrase("rumour", "x", text)
		}
	case "implied":
		text = l.phrase("implied", "x", text)
	case "disputed":
		text = l.phrase("disputed_fact", "x", text)
	}
	if m, ok := row["valid_to"].(Moment); ok && !m.IsZero() {
		text = l.phrase("former", "x", l.phrase("item", "main", text, "more", l.phrase("until", "x", momentText(m))))
	}
	return text
}

// guarded collects the secrets: for those who see all, with who knows them.
func (d *draft) guarded() {
	e, l := d.e, d.lang()
	guard := func(path, text string) {
		if text == "" {
			return
		}
		if d.r.alone != nil {
			d.add(l.phrase("facts"), text, Full, 50)
			return
		}
		d.add(d.guardLine(path), text, Full, 50)
	}
	fields := Fields(e.Type)
	for i := range fields {
		f := &fields[i]
		v, ok := e.Data[f.Name]
		if !ok || f.Name == "scopes" || f.Name == "aliases" || f.Name == "knowledge" {
			continue
		}
		switch f.Kind {
		case Rows:
			for _, r := range sortedRows(v) {
				where := rowPath(f.Name, r.key)
				hidden := f.Name == "secrets" || d.r.alone == nil && !e.openAt(where)
				if !hidden {
					continue
				}
				text := d.rowText(f, r.Object)
				if f.Name == "facts" {
					text = d.factText(r.Object)
				}
				guard(where, text)
			}
		case Group:
			if d.r.alone != nil {
				continue
			}
			for j := range f.Fields {
				m := &f.Fields[j]
				where := joinPath(f.Name, m.Name)
				if x, ok := asObject(v)[m.Name]; ok && !e.openAt(where) {
					guard(where, l.phrase("valued", "label", l.label(e.Type, m.Name), "value", d.valueText(m, x, where)))
				}
			}
		default:
			if unrendered[f.Name] && f.Name != "role" && f.Name != "statement" {
				continue
			}
			if d.r.alone == nil && !e.openAt(f.Name) {
				guard(f.Name, l.phrase("valued", "label", l.label(e.Type, f.Name), "value", d.valueText(f, v, f.Name)))
			}
		}
	}
}

// guardLine says who knows a secret.
func (d *draft) guardLine(path string) string {
	l := d.lang()
	var names []string
	scopes := d.e.scopesTo(path)
	if path == "" {
		scopes = []Scope{scopeOf(d.e.Data["knowledge"])}
	}
	for _, s := range scopes {
		if s.IsPublic() {
			continue
		}
		for _, r := range s.KnownBy {
			names = append(names, d.refName(r))
		}
		for _, x := range s.Learned {
			names = append(names, d.refName(x.Who))
		}
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) == 0 {
		return l.phrase("secret_none")
	}
	return l.phrase("secret", "who", strings.Join(names, ", "))
}
