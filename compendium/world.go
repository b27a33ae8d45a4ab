package compendium

import (
	"slices"
	"sync"

	"github.com/weft-memory/weft/resolve"
)

// World is a set of typed entries, looked up by id and name, with the graph of
// their references. It is immutable and may be shared between goroutines.
type World struct {
	entries map[string]*Entry
	ids     []string
	// redirects lead from ids of entries that were merged to those that are.
	redirects map[string]string
	names     nameIndex
	types     map[Type][]*known // by type, in the order of the ids
	known     map[string]*known
	// Turn is the number of the newest message, and Now the story's time at it.
	turn int
	now  Moment

	once  sync.Once
	graph *Graph

	indexOnce sync.Once
	index     *resolve.Index
}

// Options say what a world knows beside its entries.
type Options struct {
	// Turn counts the messages up to the newest one: freshness is measured from
	// it. Now is the story's time there.
	Turn int
	Now  Moment
	// Redirects lead from ids of entries that were merged into others.
	Redirects map[string]string
}

// nameIndex holds for the normal form of a name or alias the entries that have
// it, sorted.
type nameIndex map[string][]named

type named struct {
	id string
	// alias says that it is not the name itself.
	alias bool
}

// NewWorld returns the world of some entries. Of entries with one id the last
// counts.
func NewWorld(entries []*Entry, opts Options) *World {
	w := &World{
		entries: make(map[string]*Entry, len(entries)), names: make(nameIndex, 2*len(entries)),
		redirects: opts.Redirects, turn: opts.Turn, now: opts.Now,
	}
	for _, e := range entries {
		if e != nil {
			w.entries[e.ID] = e
		}
	}
	w.ids = sortedNames(w.entries)
	for _, id := range w.ids {
		w.names.add(w.entries[id])
	}
	for n, list := range w.names {
		w.names[n] = slices.Clip(list)
	}
	w.sortTypes(nil)
	return w
}

// sortTypes fills the lists by type; of entries that an older world has, what is
// known is taken from there.
func (w *World) sortTypes(old *World) {
	w.types = make(map[Type][]*known, len(types)+1)
	w.known = make(map[string]*known, len(w.ids))
	for _, id := range w.ids {
		e := w.entries[id]
		var k *known
		if old != nil {
			k = old.known[id]
		}
		if k == nil || k.Entry != e {
			k = know(e)
		}
		w.known[id] = k
		w.types[e.Type] = append(w.types[e.Type], k)
	}
}

func (x nameIndex) add(e *Entry) {
	for i, n := range namesOf(e) {
		x.put(n, named{e.ID, i > 0})
	}
}

func (x nameIndex) put(n string, v named) {
	list := x[n]
	for i, o := range list {
		if o.id == v.id {
			if o.alias && !v.alias {
				list = slices.Clone(list)
				list[i] = v
				x[n] = list
			}
			return
		}
	}
	i, _ := slices.BinarySearchFunc(list, v, func(a, b named) int { return compareStrings(a.id, b.id) })
	x[n] = slices.Insert(slices.Clip(list), i, v)
}

// namesOf returns the normal forms of an entry's name and aliases, the name
// first; an entry without a name has its id for one.
func namesOf(e *Entry) []string {
	out := []string{resolve.Normal(e.Name())}
	rows, _ := e.Data["aliases"].(Object)
	for _, k := range sortedNames(rows) {
		if s, _ := asObject(rows[k])["text"].(string); s != "" {
			out = append(out, resolve.Normal(s))
		}
	}
	return out
}

func compareStrings(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// With returns the world with entries added or replaced; what is known of the
// others is kept. It equals NewWorld of all entries.
func (w *World) With(entries ...*Entry) *World { return w.change(entries, nil) }

// Without returns the world without some entries.
func (w *World) Without(ids ...string) *World { return w.change(nil, ids) }

// At returns the same entries at another time.
func (w *World) At(turn int, now Moment) *World {
	out := &World{entries: w.entries, ids: w.ids, redirects: w.redirects, names: w.names, types: w.types, known: w.known, turn: turn, now: now}
	out.once.Do(func() { out.graph = w.Graph() })
	return out
}

func (w *World) change(put []*Entry, drop []string) *World {
	out := &World{entries: cloneMap(w.entries), names: make(nameIndex, len(w.names)+8), redirects: w.redirects, turn: w.turn, now: w.now}
	for n, list := range w.names {
		out.names[n] = list
	}
	touched := map[string]bool{}
	remove := func(id string) {
		old := out.entries[id]
		if old == nil {
			return
		}
		touched[id] = true
		for _, n := range namesOf(old) {
			list := slices.DeleteFunc(slices.Clone(out.names[n]), func(v named) bool { return v.id == id })
			if len(list) == 0 {
				delete(out.names, n)
			} else {
				out.names[n] = list
			}
		}
		delete(out.entries, id)
	}
	for _, id := range drop {
		remove(id)
	}
	for _, e := range put {
		if e == nil {
			continue
		}
		remove(e.ID)
		touched[e.ID] = true
		out.entries[e.ID] = e
		out.names.add(e)
	}
	out.ids = sortedNames(out.entries)
	out.sortTypes(w)
	if g := w.graph; g != nil {
		out.once.Do(func() { out.graph = g.update(w, out, sortedNames(touched)) })
	}
	return out
}

// Entry returns an entry by id, redirects followed; nil if there is none.
func (w *World) Entry(id string) *Entry { return w.entries[w.follow(id)] }

func (w *World) follow(id string) string {
	for range len(w.redirects) {
		to, ok := w.redirects[id]
		if !ok || w.entries[id] != nil {
			break
		}
		id = to
	}
	return id
}

// Entries returns the entries in the order of their ids.
func (w *World) Entries() []*Entry {
	out := make([]*Entry, len(w.ids))
	for i, id := range w.ids {
		out[i] = w.entries[id]
	}
	return out
}

// Len returns how many entries there are.
func (w *World) Len() int { return len(w.ids) }

// Turn returns the number of the newest message, and Now the story's time.
func (w *World) Turn() int   { return w.turn }
func (w *World) Now() Moment { return w.now }

// Lookup returns the entry that has a name: in normal form its name, or an alias
// if it is nobody's name. ok is false if none or several have it.
func (w *World) Lookup(name string, of ...Type) (id string, ok bool) {
	return w.lookup(resolve.Normal(name), of)
}

func (w *World) lookup(normal string, of []Type) (id string, ok bool) {
	found, byName := 0, 0
	first := ""
	for _, v := range w.names[normal] {
		t := w.entries[v.id].Type
		if len(of) > 0 && t != Note && !slices.Contains(of, t) {
			continue
		}
		found++
		if !v.alias {
			byName++
			id = v.id
		}
		first = v.id
	}
	switch {
	case byName == 1:
		return id, true
	case found == 1:
		return first, true
	}
	return "", false
}

// Resolve finds the entry that a name means, by the rules of package resolve:
// an id, an equal name or alias, a part of a name that only one entry can mean.
// Names that merely look alike are not enough, see [World.Suggest].
func (w *World) Resolve(name string, of ...Type) (id string, ok bool) {
	if e := w.Entry(name); e != nil {
		return e.ID, true
	}
	if id, ok := w.Lookup(name, of...); ok {
		return id, true
	}
	if len(of) == 0 {
		of = []Type{""}
	}
	for _, t := range of {
		d := w.things().Decide(resolve.Thing{Type: string(t), Name: name}, resolve.Options{TrustNames: true})
		switch {
		case d.Verdict == resolve.Ambiguous:
			return "", false
		case d.Verdict == resolve.Same && id != "" && id != d.Target:
			return "", false
		case d.Verdict == resolve.Same:
			id, ok = d.Target, true
		}
	}
	return id, ok
}

// Suggest returns the entries whose names look like one, nearest first.
func (w *World) Suggest(name string, limit int) []string {
	var out []string
	for _, m := range w.things().Similar(name, 0.3, limit) {
		out = append(out, m.ID)
	}
	return out
}

// Decide finds out whether an entry that a call wants to record is a known one.
func (w *World) Decide(p Patch, opts resolve.Options) resolve.Decision {
	return w.things().Decide(p.Thing(), opts)
}

// Thing returns what a patch says of its entry, for package resolve.
func (p Patch) Thing() resolve.Thing {
	t := resolve.Thing{Type: string(p.Type), Name: p.Name}
	t.Description, _ = p.Data["description"].(string)
	list, _ := p.Data["aliases"].([]Object)
	for _, row := range list {
		if s, _ := row["text"].(string); s != "" {
			t.Aliases = append(t.Aliases, s)
		}
	}
	return t
}

// Thing returns what package resolve needs of an entry.
func (e *Entry) Thing() resolve.Thing {
	t := resolve.Thing{ID: e.ID, Type: string(e.Type), Name: e.Name(), Description: e.Description()}
	for _, a := range e.Aliases() {
		t.Aliases = append(t.Aliases, a.Text)
	}
	return t
}

func (w *World) things() *resolve.Index {
	w.indexOnce.Do(func() {
		things := make([]resolve.Thing, len(w.ids))
		for i, id := range w.ids {
			things[i] = w.entries[id].Thing()
		}
		w.index = resolve.NewIndex(things)
	})
	return w.index
}

// Bind returns the entries of the world in which a name can be bound to an entry
// that it did not find before, bound. Only references change.
func (w *World) Bind() []*Entry {
	var out []*Entry
	for _, id := range w.ids {
		e := w.entries[id]
		if data, ok := w.bindObject(e.Data, Fields(e.Type)); ok {
			out = append(out, e.with(data))
		}
	}
	return out
}

func (w *World) bindObject(o Object, fields []Field) (Object, bool) {
	var out Object
	set := func(name string, v any) {
		if out == nil {
			out = make(Object, len(o))
			for k, v := range o {
				out[k] = v
			}
		}
		out[name] = v
	}
	for _, name := range sortedNames(o) {
		f := member(fields, name)
		if f == nil {
			continue
		}
		switch v := o[name].(type) {
		case Ref:
			if v.ID == "" {
				if id, ok := w.Resolve(v.Text, f.Targets...); ok {
					set(name, Ref{ID: id, Text: v.Text})
				}
			}
		case Object:
			switch f.Kind {
			case Group:
				if c, ok := w.bindObject(v, f.Fields); ok {
					set(name, c)
				}
			case Rows, References:
				c := cloneObject(v)
				changed := false
				for _, k := range sortedNames(v) {
					switch r := v[k].(type) {
					case Object:
						if row, ok := w.bindObject(r, f.Fields); ok {
							c[k], changed = row, true
						}
					case Ref:
						if r.ID == "" {
							if id, ok := w.Resolve(r.Text, f.Targets...); ok {
								c[k], changed = Ref{ID: id, Text: r.Text}, true
							}
						}
					}
				}
				if changed {
					set(name, c)
				}
			}
		}
	}
	return out, out != nil
}

var _ Resolver = (*World)(nil)
