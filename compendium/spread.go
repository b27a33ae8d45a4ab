package compendium

import (
	"slices"
	"strings"
)

// Significant reports whether others should hear of a change, and why: it is
// marked so, of importance 3 or more, or somebody's or something's life came to
// an end. before is nil for an entry that is new. Of changes to events and
// plots, only those that tell something new count: the first record, and a
// change of status.
func Significant(before, after *Entry) (ok bool, why string) {
	if after == nil {
		return false, ""
	}
	if marked, _ := after.Data["significant"].(bool); marked && (before == nil || before.Data["significant"] != true) {
		return true, "it is marked as significant"
	}
	if after.Ended() && (before == nil || before.Status() != after.Status()) {
		return true, after.Name() + " is " + strings.ReplaceAll(after.Status(), "_", " ")
	}
	happens := after.Type == Event || after.Type == Plot || after.Type == Threat
	if happens && after.Importance() >= 3 && (before == nil || before.Status() != after.Status() || before.Importance() < 3) {
		return true, "it is important"
	}
	return false, ""
}

// Learner is somebody who gets to know something.
type Learner struct {
	Who Named
	// How is saw, told, public or inferred.
	How string
}

// WhoKnows returns the characters who know of an entry and did not learn of it
// yet: those who took part or saw it, whoever was told, and, if it is public,
// the characters who are bound to the world. Nobody else does. Organizations
// know nothing; their members do not learn by it.
//
// bound are the ids of entries of characters, or their names where they have no
// entry.
func (w *World) WhoKnows(e *Entry, bound []string) []Learner {
	scope := scopeOf(e.Data["knowledge"])
	var out []Learner
	seen := func(n Named) bool {
		return slices.ContainsFunc(out, func(l Learner) bool { return sameNamed(l.Who, n) }) ||
			slices.ContainsFunc(scope.Learned, func(l Learned) bool { return sameNamed(w.named(l.Who, Character), n) })
	}
	add := func(n Named, how string) {
		if n.Name != "" && (n.Type == Character || n.Type == "") && !seen(n) {
			out = append(out, Learner{n, how})
		}
	}
	if e.Type == Event {
		for _, r := range sortedRows(e.Data["participants"]) {
			if who, ok := r.Object["who"].(Ref); ok && rowScope(e, FieldAt(Event, "participants"), r.Object).IsPublic() {
				add(w.named(who, Character, Organization), "saw")
			}
		}
	}
	if e.Type == Character {
		add(nameOf(e), "saw")
	}
	for _, r := range scope.KnownBy {
		add(w.named(r, Character), "told")
	}
	public, marked := e.Data["public"].(bool)
	if scope.Kind == Public && (!marked && e.Type != Event || public) {
		for _, b := range bound {
			n := Named{Name: b}
			if c := w.find(b, Character); c != nil {
				n = nameOf(c)
			}
			if !slices.ContainsFunc(scope.HiddenFrom, func(r Ref) bool { return sameNamed(w.named(r, Character), n) }) {
				add(n, "public")
			}
		}
	}
	return out
}

func sameNamed(a, b Named) bool {
	if a.ID != "" && b.ID != "" {
		return a.ID == b.ID
	}
	return keyPart(a.Name) == keyPart(b.Name)
}

// Telling returns what the world layer keeps of an entry for those who get to
// know it: a new event, or the news of somebody's end, as everybody who learns of
// it may know it. Everything that is hidden from one of them, and whatever only
// those who were there know (causes, outcomes, notes, quotes), is left out. Its
// scope names the learners; the id is given by the caller.
//
// A public happening is told to the bound characters; a private one only to
// those who took part.
func (w *World) Telling(e *Entry, learners []Learner, id string) *Entry {
	seen := e
	for _, l := range learners {
		v := Viewer{Kind: AsCharacter, ID: l.Who.ID, Names: []string{l.Who.Name}}
		if l.Who.ID != "" {
			v = w.CharacterViewer(l.Who.ID)
		}
		known := learned(seen, l)
		if seen = newRedaction(w, v).entry(known); seen == nil {
			return nil
		}
	}
	out := &Entry{ID: id, Type: Event, Layer: LayerWorld, Schema: SchemaVersion, Sources: map[string]Source{}, Data: Object{}}
	keep := []string{"name", "one_line", "importance", "status", "kind", "when", "location", "participants", "tags"}
	if !slices.ContainsFunc(learners, func(l Learner) bool { return l.How != "saw" }) {
		keep = append(keep, "description")
	}
	if e.Type != Event {
		out.Data["name"] = seen.Name() + ": " + strings.ReplaceAll(seen.Status(), "_", " ")
		out.Data["description"] = terminated(seen.Name() + " is " + strings.ReplaceAll(seen.Status(), "_", " "))
		out.Data["importance"] = float64(max(e.Importance(), 3))
		out.Data["status"] = "past"
		if s := seen.Sources["status"].Story; !s.IsZero() {
			out.Data["when"] = s
		}
		out.Data["participants"] = Object{keyPart(seen.Name()): Object{"who": Ref{ID: e.ID, Text: seen.Name()}, memberAt: encode(0)}}
		keep = nil
	}
	for _, name := range keep {
		if v, ok := seen.Data[name]; ok {
			out.Data[name] = v
			for p, s := range seen.Sources {
				if within(p, name) {
					out.Sources[p] = s
				}
			}
		}
	}
	if rows, ok := out.Data["participants"].(Object); ok {
		list := Object{}
		for k, r := range rows {
			if row := asObject(r); row != nil {
				list[k] = Object{"who": row["who"], memberAt: row[memberAt]}
			}
		}
		out.Data["participants"] = list
	}
	scope := Scope{Kind: KnownBy}
	know := Object{}
	for _, l := range learners {
		scope.KnownBy = append(scope.KnownBy, Ref{ID: l.Who.ID, Text: l.Who.Name})
		know[keyPart(l.Who.Name)] = Object{"who": Ref{ID: l.Who.ID, Text: l.Who.Name}, "how": l.How, memberAt: encode(0)}
	}
	o := scope.object()
	if len(know) > 0 {
		o["learned"] = know
	}
	out.Data["knowledge"] = o
	return out
}

// learned returns the entry as if somebody knew of it as a whole: its rows keep
// their own scopes.
func learned(e *Entry, l Learner) *Entry {
	know := cloneObject(asObject(e.Data["knowledge"]))
	if know == nil {
		return e
	}
	list := cloneObject(asObject(know["learned"]))
	if list == nil {
		list = Object{}
	}
	list[keyPart(l.Who.Name)] = Object{"who": Ref{ID: l.Who.ID, Text: l.Who.Name}}
	know["learned"] = list
	data := make(Object, len(e.Data))
	for k, v := range e.Data {
		data[k] = v
	}
	data["knowledge"] = know
	return e.with(data)
}
