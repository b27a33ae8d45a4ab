package compendium

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/resolve"
)

// ScopeKind says who knows something unless a name says otherwise.
type ScopeKind string

// The kinds of scope.
const (
	Public       ScopeKind = "public"
	KnownBy      ScopeKind = "known_by"
	NarratorOnly ScopeKind = "narrator_only"
)

// Scope says who knows of an entry, an alias, a row, a fact or a value.
type Scope struct {
	Kind       ScopeKind
	KnownBy    []Ref
	HiddenFrom []Ref
	// Learned are those who got to know it since, and how.
	Learned []Learned
}

// Learned is one who got to know something.
type Learned struct {
	Who       Ref
	How       string // told, saw, inferred, public
	Certainty string
	Node      string
}

// scopeOf reads a scope as it is stored.
func scopeOf(v any) Scope {
	o, _ := v.(Object)
	if len(o) == 0 {
		return Scope{Kind: Public}
	}
	kind, _ := o["kind"].(string)
	s := Scope{Kind: ScopeKind(kind), KnownBy: sortedRefs(o["known_by"]), HiddenFrom: sortedRefs(o["hidden_from"])}
	for _, r := range sortedRows(o["learned"]) {
		who, _ := r.Object["who"].(Ref)
		s.Learned = append(s.Learned, Learned{who, plain(r.Object["how"]), plain(r.Object["certainty"]), plain(r.Object["node"])})
	}
	if s.Kind == "" {
		s.Kind = Public
		if len(s.KnownBy) > 0 {
			s.Kind = KnownBy
		}
	}
	return s
}

// object returns the scope as it is stored; nil if it says nothing.
func (s Scope) object() Object {
	o := Object{}
	if s.Kind != "" && s.Kind != Public {
		o["kind"] = string(s.Kind)
	}
	for name, list := range map[string][]Ref{"known_by": s.KnownBy, "hidden_from": s.HiddenFrom} {
		set := Object{}
		for _, r := range list {
			addRef(set, r)
		}
		if len(set) > 0 {
			o[name] = set
		}
	}
	return o
}

// IsPublic reports whether everybody knows.
func (s Scope) IsPublic() bool { return s.Kind == Public && len(s.HiddenFrom) == 0 }

// ViewerKind says for whom something is shown.
type ViewerKind string

// The kinds of viewer.
const (
	// Director sees everything, secrets marked.
	Director ViewerKind = "director"
	// Narrator sees everything; secrets come with a line that says who must
	// not act on them.
	Narrator ViewerKind = "narrator"
	// AsCharacter sees what one character knows.
	AsCharacter ViewerKind = "character"
)

// Viewer is for whom something is shown. The zero Viewer is the director.
type Viewer struct {
	Kind ViewerKind
	// ID and Names say which character it is.
	ID    string
	Names []string
}

// CharacterViewer returns the viewer that an entry of the world is.
func (w *World) CharacterViewer(id string) Viewer {
	v := Viewer{Kind: AsCharacter, ID: w.follow(id)}
	if e := w.Entry(id); e != nil {
		v.Names = append(v.Names, e.Name())
		for _, a := range e.Aliases() {
			v.Names = append(v.Names, a.Text)
		}
	}
	return v
}

func (v Viewer) seesAll() bool { return v.Kind != AsCharacter }

func (v Viewer) is(r Ref) bool {
	if r.ID != "" && v.ID != "" {
		return r.ID == v.ID
	}
	n := resolve.Normal(r.Text)
	return n != "" && slices.ContainsFunc(v.Names, func(s string) bool { return resolve.Normal(s) == n })
}

func (v Viewer) in(list []Ref) bool { return slices.ContainsFunc(list, v.is) }

// Knows reports whether a viewer knows what has the scope. Whoever learned of it
// knows, hidden from them or not.
func (s Scope) Knows(v Viewer) bool {
	if v.seesAll() || slices.ContainsFunc(s.Learned, func(l Learned) bool { return v.is(l.Who) }) {
		return true
	}
	if v.in(s.HiddenFrom) {
		return false
	}
	switch s.Kind {
	case KnownBy:
		return v.in(s.KnownBy)
	case NarratorOnly:
		return false
	}
	return true
}

// rowScope returns the scope of a row: what it says itself, and what the schema
// says of rows of its kind.
func rowScope(holder *Entry, f *Field, row Object) Scope {
	s := scopeOf(row["knowledge"])
	narrow := func(kind ScopeKind, known ...Ref) {
		if s.Kind == Public {
			s.Kind = kind
		}
		s.KnownBy = append(s.KnownBy, known...)
	}
	self := Ref{ID: holder.ID, Text: holder.Name()}
	switch f.Hidden {
	case OwnSecret:
		narrow(KnownBy, append(sortedRefs(row["known_by"]), self)...)
	case Narrators:
		narrow(NarratorOnly)
	case UntilFound:
		for _, name := range []string{"found", "discovered", "seen"} {
			if found, given := row[name].(bool); given && !found {
				narrow(NarratorOnly)
			}
		}
		if _, given := row["discovered"].(bool); !given && f.Name == "hidden" {
			narrow(NarratorOnly)
		}
	}
	if f.Name == "aliases" {
		if known := sortedRefs(row["known_to"]); len(known) > 0 || plain(row["kind"]) == "disguise" {
			narrow(KnownBy, append(known, self)...)
		}
	}
	return s
}

// ScopeAt returns the scope of the value at a path: the narrowest of those of the
// entry, the row and the value itself is what counts for a viewer; this is the
// last of them that says anything.
func (e *Entry) ScopeAt(path string) Scope {
	s := scopeOf(e.Data["knowledge"])
	for _, one := range e.scopesTo(path) {
		if !one.IsPublic() {
			s = one
		}
	}
	return s
}

// scopesTo returns the scopes on the way to a path, the entry's own excepted.
func (e *Entry) scopesTo(path string) []Scope {
	var out []Scope
	for _, r := range sortedRows(e.Data["scopes"]) {
		if p := plain(r.Object["path"]); within(path, p) {
			out = append(out, scopeOf(r.Object["knowledge"]))
		}
	}
	steps, _ := splitPath(path)
	fields := Fields(e.Type)
	var v any = e.Data
	var f *Field
	for _, s := range steps {
		o, _ := v.(Object)
		if s.row {
			v = o[s.key]
			if f != nil {
				if row, ok := v.(Object); ok {
					out = append(out, rowScope(e, f, row))
				}
			}
			continue
		}
		if f = member(fields, s.name); f == nil {
			break
		}
		v, fields = o[s.name], f.Fields
		if f.Kind != Rows && f.Hidden == Narrators {
			out = append(out, Scope{Kind: NarratorOnly})
		}
	}
	return out
}

// Knows reports whether a viewer knows the value at a path of the entry; of the
// entry itself for "".
func (e *Entry) Knows(v Viewer, path string) bool {
	if v.seesAll() {
		return true
	}
	if !scopeOf(e.Data["knowledge"]).Knows(v) && !v.is(Ref{ID: e.ID, Text: e.Name()}) {
		return false
	}
	if path == "" {
		return true
	}
	return !slices.ContainsFunc(e.scopesTo(path), func(s Scope) bool { return !s.Knows(v) })
}

// Learn returns the entry once somebody got to know the value at a path, or, with
// an empty path, that the entry exists. Learning adds; nothing else changes.
func Learn(e *Entry, path string, l Learned, ctx Context) (*Entry, Result) {
	row := Object{"who": l.Who}
	for name, v := range map[string]string{"how": l.How, "certainty": l.Certainty, "node": l.Node} {
		if v != "" {
			row[name] = v
		}
	}
	know := Object{"learned": []Object{row}}
	data := Object{"knowledge": know}
	if path != "" {
		data = Object{}
		steps, ok := splitPath(path)
		if !ok || e.Value(path) == nil {
			return e, Result{Rejected: []Rejection{{path, "there is no such value"}}}
		}
		if len(steps) == 2 && steps[1].row && FieldAt(e.Type, steps[0].name, "knowledge") != nil {
			data[steps[0].name] = []Object{{memberKey: steps[1].key, "knowledge": know}}
		} else {
			data["scopes"] = []Object{{"path": path, "knowledge": know}}
		}
	}
	ctx.Update = true
	return Merge(e, Patch{Type: e.Type, Data: data}, ctx)
}

// For returns the world as a viewer knows it: entries, aliases, rows and values
// that are hidden from them are not in it, and nothing speaks of them. Whatever
// is made of that world, a rendering, an answer or an error, cannot tell them.
// The director and the narrator get the whole world.
func (w *World) For(v Viewer) *World {
	if v.seesAll() {
		return w
	}
	r := newRedaction(w, v)
	entries := make([]*Entry, 0, len(w.ids))
	for _, id := range w.ids {
		if e := r.entry(w.entries[id]); e != nil {
			entries = append(entries, e)
		}
	}
	return NewWorld(entries, Options{Turn: w.turn, Now: w.now, Redirects: w.redirects})
}

// redaction takes out of entries what a viewer does not know.
type redaction struct {
	w *World
	v Viewer
	// hidden are entries that the viewer does not know of, and secret in lower
	// case the names that nobody may say before them.
	hidden map[string]bool
	secret []string
	// secretNames are those names in normal form.
	secretNames map[string]bool
}

func newRedaction(w *World, v Viewer) *redaction {
	r := &redaction{w: w, v: v, hidden: map[string]bool{}, secretNames: map[string]bool{}}
	var secret, open []string
	for _, id := range w.ids {
		e := w.entries[id]
		if !e.Knows(v, "") {
			r.hidden[id] = true
			secret = append(secret, e.Name())
			for _, a := range e.Aliases() {
				secret = append(secret, a.Text)
			}
			continue
		}
		rows, _ := e.Data["aliases"].(Object)
		for k, row := range rows {
			o := asObject(row)
			if s := plain(o["text"]); e.Knows(v, rowPath("aliases", k)) {
				open = append(open, s)
			} else {
				secret = append(secret, s)
			}
		}
		if e.Knows(v, "name") {
			open = append(open, e.Name())
		} else {
			secret = append(secret, e.Name())
		}
	}
	known := map[string]bool{}
	for _, s := range open {
		known[resolve.Normal(s)] = true
	}
	for _, s := range secret {
		if n := resolve.Normal(s); !known[n] && n != "" && !r.secretNames[n] {
			r.secretNames[n] = true
			r.secret = append(r.secret, strings.ToLower(s))
		}
	}
	slices.Sort(r.secret)
	return r
}

// says reports whether a text speaks a secret name.
func (r *redaction) says(s string) bool {
	if len(r.secret) == 0 || s == "" {
		return false
	}
	low := strings.ToLower(s)
	return slices.ContainsFunc(r.secret, func(x string) bool { return strings.Contains(low, x) })
}

// entry returns an entry as the viewer knows it; nil if they do not.
func (r *redaction) entry(e *Entry) *Entry {
	if r.hidden[e.ID] {
		return nil
	}
	out := &Entry{ID: e.ID, Book: e.Book, Layer: e.Layer, Type: e.Type, Schema: e.Schema}
	scoped := map[string]Scope{}
	for _, row := range sortedRows(e.Data["scopes"]) {
		scoped[plain(row.Object["path"])] = scopeOf(row.Object["knowledge"])
	}
	out.Data = r.object(e, e.Data, Fields(e.Type), "", scoped)
	delete(out.Data, "scopes")
	delete(out.Data, "knowledge")
	delete(out.Data, "locks")
	if e.Data["name"] != nil && out.Data["name"] == nil {
		out.Data["name"] = r.otherName(e)
	}
	// Quotes are the story's words, which may say anything.
	out.Sources = make(map[string]Source, len(e.Sources))
	for p, s := range e.Sources {
		if out.Value(p) != nil {
			out.Sources[p] = Source{By: s.By, Turn: s.Turn, Call: s.Call, Story: s.Story}
		}
	}
	if e.base != nil {
		b := e.base.Clone()
		b.Keys = slices.DeleteFunc(b.Keys, func(k lore.Key) bool { return r.says(k.Text) })
		b.Ext, b.Sizes, b.Comment = nil, lore.Sizes{}, ""
		b.Origin = lore.Origin{}
		b.Name, b.Content, b.Tags = "", "", nil
		b.Condition, b.Foreign = "", nil
		for i := range b.Clauses {
			b.Clauses[i].Keys = slices.DeleteFunc(b.Clauses[i].Keys, func(k lore.Key) bool { return r.says(k.Text) })
		}
		out.base = b
	}
	return out
}

// otherName returns what the viewer calls an entry whose name is secret: the
// first alias that they know, else its type.
func (r *redaction) otherName(e *Entry) string {
	for _, a := range e.Aliases() {
		if e.Knows(r.v, rowPath("aliases", a.Key)) && !r.says(a.Text) {
			return a.Text
		}
	}
	return "unknown " + string(e.Type)
}

func (r *redaction) object(e *Entry, o Object, fields []Field, path string, scoped map[string]Scope) Object {
	out := make(Object, len(o))
	for name, v := range o {
		where := joinPath(path, name)
		if s, ok := scoped[where]; ok && !s.Knows(r.v) {
			continue
		}
		f := member(fields, name)
		if f == nil {
			if raw, ok := v.(json.RawMessage); !ok || !r.says(string(raw)) {
				out[name] = v
			}
			continue
		}
		if f.Kind != Rows && f.Hidden == Narrators {
			continue
		}
		if v = r.value(e, v, f, where, scoped); !isEmpty(v) {
			out[name] = v
		}
	}
	return out
}

// value returns a value as the viewer knows it, nil if they do not.
func (r *redaction) value(e *Entry, v any, f *Field, path string, scoped map[string]Scope) any {
	switch v := v.(type) {
	case string:
		if f.Kind == Text && r.says(v) {
			return r.sentences(v)
		}
		return v
	case Moment:
		if r.says(v.Label) {
			return nil
		}
		return v
	case Ref:
		if r.unknown(v, f) {
			return nil
		}
		return v
	case []string:
		return slices.DeleteFunc(slices.Clone(v), r.says)
	case Object:
		switch f.Kind {
		case Group:
			return r.object(e, v, f.Fields, path, scoped)
		case References:
			out := Object{}
			for k, x := range v {
				if ref, ok := x.(Ref); ok && !r.unknown(ref, f) && r.scopeKnown(scoped, rowPath(path, k)) {
					out[k] = ref
				}
			}
			return out
		case Rows:
			return r.rows(e, v, f, path, scoped)
		}
	}
	return v
}

func (r *redaction) scopeKnown(scoped map[string]Scope, path string) bool {
	s, ok := scoped[path]
	return !ok || s.Knows(r.v)
}

func (r *redaction) rows(e *Entry, rows Object, f *Field, path string, scoped map[string]Scope) Object {
	out := Object{}
	for k, x := range rows {
		row, ok := x.(Object)
		where := rowPath(path, k)
		if !ok || !rowScope(e, f, row).Knows(r.v) || !r.scopeKnown(scoped, where) {
			continue
		}
		c := r.object(e, row, f.Fields, where, scoped)
		lost := false
		for _, name := range append(slices.Clone(f.Key), f.main()) {
			lost = lost || !isEmpty(row[name]) && isEmpty(c[name])
		}
		if lost || f.Name != "facts" && r.says(plain(row[f.main()])) {
			continue
		}
		delete(c, "knowledge")
		delete(c, "known_by")
		delete(c, "known_to")
		if r.says(k) {
			k = freeKey(out, f, c)
		}
		out[k] = c
	}
	return out
}

// unknown reports whether a reference leads to what the viewer does not know, or
// calls it by a name that they do not know.
func (r *redaction) unknown(ref Ref, f *Field) bool {
	if ref.ID != "" && r.hidden[r.w.follow(ref.ID)] {
		return true
	}
	if len(r.secretNames) == 0 {
		return false
	}
	if r.secretNames[resolve.Normal(ref.Text)] || r.says(ref.Text) {
		return true
	}
	if ref.ID == "" {
		if id, ok := r.w.Lookup(ref.Text, f.Targets...); ok {
			return r.hidden[id]
		}
	}
	return false
}

// sentences returns the sentences of a text that speak no secret name.
func (r *redaction) sentences(s string) string {
	var out []string
	for _, x := range splitSentences(s) {
		if !r.says(x) {
			out = append(out, x)
		}
	}
	return strings.Join(out, " ")
}
