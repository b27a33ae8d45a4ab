package sidecar

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/resolve"
)

// known are the entries that a phase knows of, for questions of the kind "is
// this the same thing?".
type known struct {
	scene *Scene
	view  *memory.View
	index *resolve.Index
	refs  map[string]memory.Ref
}

func newKnown(s *Scene, v *memory.View) *known {
	k := &known{scene: s, view: v, refs: map[string]memory.Ref{}}
	var things []resolve.Thing
	for _, ref := range v.Live() {
		if t, ok := k.thing(ref); ok {
			things = append(things, t)
		}
	}
	k.index = resolve.NewIndex(things)
	return k
}

// thing returns an entry as something to compare with; ok is false for those
// that the sidecar may not read, and for summaries, which are no things.
func (k *known) thing(ref memory.Ref) (resolve.Thing, bool) {
	if ref.IsCategory() || !k.scene.book(ref.Book).Read {
		return resolve.Thing{}, false
	}
	e := k.view.Entry(ref.Book, ref.Entry)
	if !isThing(e) {
		return resolve.Thing{}, false
	}
	t := resolve.FromEntry(e)
	t.ID = keyOf(ref)
	k.refs[t.ID] = ref
	names := namesOf(k.view, ref, e)
	t.Name, t.Aliases = names[0], names[1:]
	return t, true
}

// isThing reports whether an entry, which may be nil, is of something in the
// story.
func isThing(e *lore.Entry) bool { return e != nil && e.Type != TypeSummary && e.Type != TypeTracker }

// namesOf returns what an entry is called, its name now first.
func namesOf(v *memory.View, ref memory.Ref, e *lore.Entry) []string {
	names := append([]string{authoredName(e)}, Aliases(e)...)
	if o, ok := v.Overlay(ref.Book, ref.Entry); ok {
		names = append(names, aliasesOf(o.Fields)...)
		if o.Name != "" && o.Name != names[0] {
			names = slices.Insert(names, 0, o.Name)
		}
	}
	return names
}

// keyOf joins a reference to one text; ids may hold anything, so the length of
// the first part stands in front.
func keyOf(r memory.Ref) string { return itoa(len(r.Book)) + ":" + r.Book + "/" + r.Entry }

// with returns what is known after an operation.
func (k *known) with(v *memory.View, changed ...memory.Ref) *known {
	n := &known{scene: k.scene, view: v, refs: k.refs, index: k.index}
	for _, ref := range changed {
		if t, ok := n.thing(ref); ok {
			n.index = n.index.With(t)
		} else {
			n.index = n.index.Without(keyOf(ref))
		}
	}
	return n
}

// find returns the entry that a model means: by its id, or by a name that fits
// one entry only. why says what is wrong, for the model.
func (k *known) find(name string) (ref memory.Ref, why string) {
	name = strings.TrimSpace(name)
	if name == "" {
		return ref, "say which entry."
	}
	if ref, ok := k.byID(name); ok {
		return ref, ""
	}
	d := k.index.Decide(resolve.Thing{Name: name}, resolve.Options{TrustNames: true})
	switch d.Verdict {
	case resolve.Same:
		return k.refs[d.Target], ""
	case resolve.Ambiguous:
		return ref, "it may be " + k.names(d.Candidates, 5) + ". Use an id."
	}
	near := k.index.Similar(name, 0.3, 3)
	if len(near) == 0 {
		return ref, "there is no entry of that name."
	}
	ids := make([]string, len(near))
	for i, m := range near {
		ids[i] = m.ID
	}
	return ref, "there is no entry of that name. Near it: " + k.names(ids, 3) + "."
}

// byID finds an entry by its id, with or without its book in front.
func (k *known) byID(id string) (memory.Ref, bool) {
	var found []memory.Ref
	for _, b := range k.books() {
		plain := strings.TrimPrefix(id, b+"/")
		if e := k.view.Entry(b, plain); e != nil && k.scene.book(b).Read {
			ref := k.view.Redirect(b, plain)
			if _, ok := k.refs[keyOf(ref)]; !ok {
				k.refs[keyOf(ref)] = ref
			}
			if plain != id { // the book was named
				return ref, true
			}
			found = append(found, ref)
		}
	}
	if len(found) == 1 {
		return found[0], true
	}
	return memory.Ref{}, false
}

// books are the books that hold something, in order.
func (k *known) books() []string {
	var list []string
	for _, ref := range k.view.Live() {
		if !slices.Contains(list, ref.Book) {
			list = append(list, ref.Book)
		}
	}
	return list
}

// names lists entries for a model, as name [id].
func (k *known) names(keys []string, most int) string {
	var list []string
	for _, key := range keys {
		if len(list) == most {
			break
		}
		list = append(list, k.label(k.refs[key]))
	}
	return strings.Join(list, " or ")
}

// label writes an entry as a model sees it: its name and its id.
func (k *known) label(ref memory.Ref) string {
	name := displayName(k.view, ref)
	if name == "" || name == ref.Entry {
		return "[" + ref.Entry + "]"
	}
	return name + " [" + ref.Entry + "]"
}

// displayName is what an entry is called now.
func displayName(v *memory.View, ref memory.Ref) string {
	if o, ok := v.Overlay(ref.Book, ref.Entry); ok && o.Name != "" {
		return o.Name
	}
	if e := v.Entry(ref.Book, ref.Entry); e != nil {
		return authoredName(e)
	}
	return ref.Entry
}

// authoredName is what an entry is called by itself. Many books name their
// entries by their keys alone.
func authoredName(e *lore.Entry) string {
	switch {
	case e.Name != "":
		return e.Name
	case len(e.Keys) > 0 && e.Keys[0].Kind == lore.KeyLiteral:
		return e.Keys[0].Text
	}
	return e.ID
}

// Aliases returns the other names of an entry that a sidecar keeps.
func Aliases(e *lore.Entry) []string {
	var free map[string]json.RawMessage
	if json.Unmarshal(e.Ext["weaver"], &free) != nil {
		return nil
	}
	return aliasesOf(free)
}

func aliasesOf(fields map[string]json.RawMessage) []string {
	var list []string
	if json.Unmarshal(fields[fieldAliases], &list) != nil {
		return nil
	}
	return list
}

// fieldAliases is the free field of an entry that holds its other names.
const fieldAliases = "aliases"

// The types of entries that are no things of the story.
const (
	TypeSummary = "summary"
	TypeTracker = "tracker"
)
