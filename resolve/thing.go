package resolve

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/weft-memory/weft/lore"
)

// Limits on what of a thing is read; a thing with more is no name in a story.
const (
	// MaxAliases is how many aliases of a thing are read.
	MaxAliases = 64
	// MaxKeys is how many keys of a thing are read.
	MaxKeys = 64
)

// Thing is what the package knows of an entity: an entry of a book, or what a
// model wants to write about one.
type Thing struct {
	// ID names the thing among the known ones; a candidate needs none.
	ID string
	// Type is one of the types of the Compendium, or a type of the caller's
	// own. Only "character" names people. Empty, or "note": not known, goes
	// with any.
	Type string
	// Name is the name by which it is shown.
	Name string
	// Aliases are other names that are its own.
	Aliases []string
	// Description says what the thing is, lastingly. Leave it empty for mere
	// news of it, or set [Options.TrustNames]: a text about what happened
	// today has little in common with the description of yesterday.
	Description string
	// Keys are words that the thing is looked up by. They are no names: they
	// only support a description.
	Keys []string
}

// FromEntry returns the thing that an entry of a book is about. The ID is the
// entry's own, unique in its book. Aliases are not part of a plain entry: its
// keys may be of anything that touches it.
func FromEntry(e *lore.Entry) Thing {
	t := Thing{ID: e.ID, Type: e.Type, Name: e.Name, Description: e.Content}
	if t.Name == "" {
		t.Name = strings.ReplaceAll(e.ID, "_", " ")
	}
	for _, k := range e.Keys {
		if k.Kind == lore.KeyLiteral {
			t.Keys = append(t.Keys, k.Text)
		}
	}
	return t
}

// read is a thing with its names taken apart. It is immutable.
type read struct {
	Thing
	typ  string
	kind kind
	// names are the name and the aliases, the name first.
	names []*name

	once sync.Once
	desc *description
}

// readThing takes the names of a thing apart.
func readThing(t Thing) *read { return readThings([]Thing{t})[0] }

// readThings takes the names of things apart.
func readThings(things []Thing) []*read {
	out := make([]*read, len(things))
	reads := make([]read, len(things))
	names := make([]name, len(things))
	list := make([]*name, len(things))
	read := func(i int) {
		r := &reads[i]
		r.Thing = things[i]
		r.typ = normalType(r.Type)
		r.kind = kindOf(r.typ)
		names[i].parse(r.Name, r.kind)
		list[i] = &names[i]
		r.names = list[i : i+1 : i+1]
		for _, a := range r.Aliases[:min(len(r.Aliases), MaxAliases)] {
			if n := parse(a, r.kind); len(n.core) > 0 {
				r.names = append(r.names, n)
			}
		}
		out[i] = r
	}
	const share = 2048 // of things to a goroutine, to be worth its start
	var wg sync.WaitGroup
	for from := share; from < len(things); from += share {
		wg.Go(func() {
			for i := from; i < min(from+share, len(things)); i++ {
				read(i)
			}
		})
	}
	for i := range min(share, len(things)) {
		read(i)
	}
	wg.Wait()
	return out
}

func normalType(t string) string {
	t = strings.ToLower(strings.TrimSpace(t))
	if t == "note" {
		return ""
	}
	return t
}

// description returns the description taken apart, which happens once.
func (r *read) description() *description {
	r.once.Do(func() {
		own := map[string]bool{}
		for _, n := range r.names {
			for _, w := range n.core {
				own[w] = true
			}
		}
		text := r.Description
		if len(r.Keys) > 0 && text != "" {
			text += ".\n" + strings.ToLower(strings.Join(r.Keys[:min(len(r.Keys), MaxKeys)], ". "))
		}
		r.desc = describe(text, own, r.kind)
	})
	return r.desc
}

// gender returns the gender that the honorifics of the names tell, 0 if none
// does or several do.
func (r *read) gender() gender {
	var g gender
	for _, n := range r.names {
		g |= titleGender(n.titles)
	}
	if g == masculine || g == feminine {
		return g
	}
	return 0
}

// typesMeet reports whether two things may be one by their types.
func typesMeet(a, b *read) bool {
	return a.typ == b.typ || a.typ == "" || b.typ == ""
}

// relateThings compares two things by all their names. It is symmetric.
func relateThings(a, b *read) relation {
	best := relate(a.names[0], b.names[0])
	if best.level == exact || len(a.names) == 1 && len(b.names) == 1 {
		return best
	}
	bi, bj := 0, 0
	for i, x := range a.names {
		for j, y := range b.names {
			if i == 0 && j == 0 {
				continue
			}
			r := relate(x, y)
			if i > 0 && j > 0 {
				// Two aliases: what two people are called by, each in their
				// own circle (Tom, Cap) is no proof.
				if r.level != exact {
					continue
				}
				r.level, r.weak = qualified, true
				why := r.why
				r.why = func() string { return "aliases: " + why() + "; too little for a decision by the name" }
			} else if i > 0 || j > 0 {
				why := r.why
				if why != nil {
					r.why = func() string { return "by an alias: " + why() }
				}
			}
			if better(r, best) {
				best, bi, bj = r, i, j
			}
		}
	}
	if best.level <= rival {
		return best
	}
	if r, ok := vetoed(a, b, bi, bj, best.level); ok {
		return r
	}
	if best.level == contained && strangers(a, b, bi, bj) {
		return relation{level: rival, why: because("only what one is called for short is in the other, and their full names have no word in common")}
	}
	// What is left without an honorific may be a part of the name only: to
	// others Lady Ashgrave is one of the Ashgraves.
	if best.level == qualified && (a.hasLonger(a.names[bi]) || b.hasLonger(b.names[bj])) {
		best.level = contained
	}
	return best
}

// hasLonger reports whether another name of the thing has all words of the core
// of n and more.
func (r *read) hasLonger(n *name) bool {
	return slices.ContainsFunc(r.names, func(m *name) bool {
		return len(m.core) > len(n.core) && isSubset(n.core, m.core)
	})
}

// better orders relations: level, then strength. A rivalry of the names proper
// is kept for the trace.
func better(r, than relation) bool {
	if r.level != than.level {
		return r.level > than.level
	}
	if r.weak != than.weak {
		return !r.weak
	}
	return r.score > than.score
}

// vetoed looks whether other names of the two things, which say more than the
// pair (i, j) that matched, tell them apart: Tom Brask is not Tom Addy, though
// that one is called Tom.
func vetoed(a, b *read, i, j int, matched level) (relation, bool) {
	x, y := a.names[i], b.names[j]
	common := x.core
	if len(y.core) < len(common) {
		common = y.core
	}
	for k, v := range a.names {
		for l, w := range b.names {
			if k == i && l == j || matched == exact && (k == i || l == j) {
				continue
			}
			if !isSubset(common, v.core) || !isSubset(common, w.core) {
				continue
			}
			if r := relate(v, w); r.level == rival {
				why := r.why
				r.why = func() string {
					return "though " + quote(strings.Join(common, " ")) + " is in both, other names tell them apart: " + why()
				}
				return r, true
			}
		}
	}
	return relation{}, false
}

// strangers reports whether two things match only by what one of them is called
// for short, while their full names have no word in common: Mira Vell is not
// Miravel Osk, who is called Mira.
func strangers(a, b *read, i, j int) bool {
	if a.kind.isThing() || b.kind.isThing() {
		return false
	}
	one := func(r *read, short, long *name) bool {
		if len(short.core) >= len(long.core) || !long.isFullName() {
			return false
		}
		return slices.ContainsFunc(r.names, func(n *name) bool {
			return n.isFullName() && !slices.ContainsFunc(n.core, func(w string) bool { return slices.Contains(long.core, w) })
		})
	}
	return one(a, a.names[i], b.names[j]) || one(b, b.names[j], a.names[i])
}

// isFullName reports whether a name is a given name with a family name, as far
// as capitals tell: not the hooded woman.
func (n *name) isFullName() bool {
	if len(n.core) < 2 || n.article != 0 || n.phrase || n.generic {
		return false
	}
	for _, w := range strings.Fields(n.raw) {
		if r, _ := utf8.DecodeRuneInString(w); !unicode.IsUpper(r) && slices.Contains(n.core, Normal(w)) {
			return false
		}
	}
	return true
}

// isFull reports whether the pair of names by which two things match is so
// full that an equal one is hardly chance.
func isFull(a, b *read) bool {
	full := func(r *read) bool {
		return slices.ContainsFunc(r.names, func(n *name) bool {
			return len(n.core) >= 2 && utf8.RuneCountInString(n.joined) >= 3
		})
	}
	return full(a) && full(b)
}
