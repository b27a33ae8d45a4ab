package resolve

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weft-memory/weft/internal/suggest"
)

// level says how close two names are. A higher one outranks all below.
type level uint8

const (
	// unrelated names share nothing that counts.
	unrelated level = iota
	// rival names share their core or words of it, and differ in something
	// that tells two things apart.
	rival
	// alike names are equal but for what looks like a slip of the pen.
	alike
	// contained: every word of one name stands in the other.
	contained
	// qualified names are equal but for an honorific, number, epithet,
	// bracket or kind that only one of them has.
	qualified
	// exact names have one normal form.
	exact
)

// TrigramThreshold is the least [Similarity] of two names of which one may be
// a misspelling of the other. Holds for trigrams only, and only together with
// what [Decide] asks of the words and descriptions.
const TrigramThreshold = 0.45

// relation is what two names have to do with each other.
type relation struct {
	level level
	// weak relations need descriptions that agree.
	weak bool
	// score is the similarity of alike names.
	score float64
	// why says it in words; built only when a trace needs it.
	why func() string
}

func because(format string, args ...any) func() string {
	return func() string { return fmt.Sprintf(format, args...) }
}

// relate compares two names. It is symmetric.
func relate(a, b *name) relation {
	if len(a.core) == 0 || len(b.core) == 0 {
		return relation{}
	}
	if a.full == b.full && slices.Equal(a.brackets, b.brackets) {
		if gendersClash(a.article, b.article) {
			return relation{level: rival, why: because("same words, articles of different gender")}
		}
		if accentsClash(a.strict, b.strict) {
			return relation{level: alike, weak: true, score: 1, why: because("same letters with different accents: %q and %q", a.strict, b.strict)}
		}
		return relation{level: exact, why: because("both are %q", a.full)}
	}
	if sameCore(a, b) {
		return relateParts(a, b)
	}
	if isSubset(a.core, b.core) || isSubset(b.core, a.core) {
		return relateContained(a, b)
	}
	if isKindOf(a, b) || isKindOf(b, a) {
		return relation{level: contained, weak: true, why: because("one of %q and %q says only what kind of thing it is; too little for a decision by the name", min(a.full, b.full), max(a.full, b.full))}
	}
	r := relateAlike(a, b)
	if r.level != unrelated {
		return r
	}
	if sharedWords(a.core, b.core) > 0 {
		return relation{level: rival, why: func() string {
			return fmt.Sprintf("share %s, but differ in %s and %s", quoteShared(a.core, b.core),
				quoteRest(a.core, b.core), quoteRest(b.core, a.core))
		}}
	}
	return relation{}
}

// sameCore reports whether the cores are equal, spaces aside.
func sameCore(a, b *name) bool {
	if a.joined != b.joined {
		return a.spelled != "" && a.spelled == b.joined || b.spelled != "" && b.spelled == a.joined
	}
	// Short names of other words that run together the same are no accident
	// often enough (An Na, Anna).
	return slices.Equal(a.core, b.core) || len(a.joined) >= 5
}

// relateParts compares names of one core by their other parts.
func relateParts(a, b *name) relation {
	if gendersClash(a.article, b.article) {
		return relation{level: rival, why: because("same words, articles of different gender")}
	}
	p := compareParts(a, b)
	if p.clash != "" {
		return relation{level: rival, why: because("both are %s, but %s", strings.Join(a.core, " "), p.clash)}
	}
	if a.strictCore != "" && b.strictCore != "" && accentsClash(a.strictCore, b.strictCore) {
		return relation{level: alike, weak: true, score: 1, why: because("same letters with different accents: %q and %q", a.strictCore, b.strictCore)}
	}
	if len(p.dropped) == 0 {
		return relation{level: exact, why: because("both are %q, hyphens, spaces and spelling aside", strings.Join(a.core, " "))}
	}
	r := relation{level: qualified, weak: p.weak || a.generic && b.generic && !sharePart(a, b)}
	core, dropped, weak := a.core, p.dropped, r.weak
	r.why = func() string {
		s := fmt.Sprintf("both are %q without %s, of which the other has none", strings.Join(core, " "), strings.Join(dropped, " and "))
		if weak {
			s += "; too little for a decision by the name"
		}
		return s
	}
	return r
}

// sharePart reports whether two names have the same epithet, number or kind,
// so that a word that says only what they are (wastes) becomes a name.
func sharePart(a, b *name) bool {
	return len(a.nouns) > 0 && sameSet(a.nouns, b.nouns) || len(a.epithets) > 0 && sameSet(a.epithets, b.epithets) ||
		len(a.numbers) > 0 && sameSet(a.numbers, b.numbers)
}

// relateContained compares names of which one holds all words of the other.
func relateContained(a, b *name) relation {
	short, long := a, b
	if len(a.core) > len(b.core) {
		short, long = b, a
	}
	if len(a.core) == len(b.core) && a.complement == len(a.core) && b.complement == len(b.core) {
		return relateTurned(a, b)
	}
	if !within(short.core, long.core[:long.complement]) {
		return relation{level: rival, why: because("%q is what %q belongs to, or another order of words", strings.Join(short.core, " "), long.full)}
	}
	p := compareParts(a, b)
	if p.clash != "" {
		return relation{level: rival, why: because("%q is in %q, but %s", strings.Join(short.core, " "), strings.Join(long.core, " "), p.clash)}
	}
	if len(short.nouns) > len(long.nouns) {
		return relation{level: rival, why: because("share %q, but one is a %s, the other %q", strings.Join(short.core, " "), nounNames(short.nouns), strings.Join(long.core, " "))}
	}
	weak := p.weak || short.generic || len(short.core) == 1 && (a.phrase || b.phrase)
	// The shorter name says something that the longer one does not: an epithet
	// or number tells one of several, who may be somebody else (Red Tom, Tom
	// Addy).
	if len(short.epithets) > len(long.epithets) || len(short.numbers) > len(long.numbers) {
		weak = true
	}
	// Before a family name, Don may be a given name.
	if short.core[0] != long.core[0] {
		for _, t := range short.titles {
			weak = weak || t.given
		}
	}
	// One character of a name without spaces is a family name at best.
	if len(short.core) == 1 && utf8.RuneCountInString(short.core[0]) < 2 {
		weak = true
	}
	return relation{level: contained, weak: weak, why: func() string {
		s := fmt.Sprintf("every word of %q is in %q", strings.Join(short.core, " "), strings.Join(long.core, " "))
		if weak {
			s += "; too little for a decision by the name"
		}
		return s
	}}
}

// relateTurned compares names of the same words in another order: people of
// some countries are called by their family name first.
func relateTurned(a, b *name) relation {
	p := compareParts(a, b)
	if p.clash != "" {
		return relation{level: rival, why: because("the same words in another order, but %s", p.clash)}
	}
	return relation{
		level: contained, weak: p.weak || !a.person || !b.person || a.generic,
		why: because("the same words in another order: %q and %q", min(a.full, b.full), max(a.full, b.full)),
	}
}

// isKindOf reports whether a says only what kind of thing b is: the Market,
// Fish Market.
func isKindOf(a, b *name) bool {
	return a.bare != nil && slices.ContainsFunc(b.nouns, func(n *noun) bool { return n.kind == a.bare.kind })
}

// relateAlike compares names word by word for slips of the pen.
func relateAlike(a, b *name) relation {
	if len(a.core) != len(b.core) || len(a.core) > 16 {
		return relation{}
	}
	var used [16]bool
	slips := 0
	for _, w := range a.core {
		j := slices.Index(b.core, w)
		if j >= 0 && !used[j] {
			used[j] = true
			continue
		}
		j = -1
		for k, v := range b.core {
			if !used[k] && isSlip(w, v) {
				j = k
				break
			}
		}
		if j < 0 {
			return relation{}
		}
		used[j] = true
		slips++
	}
	x, y := strings.Join(a.core, " "), strings.Join(b.core, " ")
	score := Similarity(x, y)
	if slips == 0 || score < TrigramThreshold {
		return relation{}
	}
	if p := compareParts(a, b); p.clash != "" {
		return relation{level: rival, why: because("%q and %q are alike, but %s", x, y, p.clash)}
	}
	return relation{level: alike, weak: true, score: score, why: because("%q and %q are alike: %.2f, at least %.2f", x, y, score, TrigramThreshold)}
}

// isSlip reports whether one word may be the other misspelt: six letters or
// more, one letter missing, doubled, wrong or swapped, two in words of ten; the
// first two and the last two letters stand. Names that differ in their ending
// are two names (Julian, Juliana; Julio, Julia).
func isSlip(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) < 6 || len(y) < 6 || len(x) > 64 || len(y) > 64 || isUnspaced(a) {
		return false
	}
	if !slices.Equal(x[:2], y[:2]) || !slices.Equal(x[len(x)-2:], y[len(y)-2:]) {
		return false
	}
	limit := 1
	if len(x) >= 10 && len(y) >= 10 {
		limit = 2
	}
	d := suggest.Distance(x, y)
	if d == 0 || d > limit {
		return false
	}
	return true
}

// parts is the comparison of everything but the cores.
type parts struct {
	// clash says what both have and differs, "" if nothing.
	clash string
	// dropped are the parts that only one of them has.
	dropped []string
	weak    bool
}

// compareParts holds the rule that a part may be passed over only if the other
// name has none of its kind.
func compareParts(a, b *name) parts {
	var p parts
	loose := a.loose || b.loose
	p.titles(a.titles, b.titles)
	p.roles(a, b)
	part(&p, "number", a.numbers, b.numbers, loose, func(n int) string { return fmt.Sprint(max(n, 0)) })
	part(&p, "epithet", a.epithets, b.epithets, loose, quote)
	part(&p, "bracket", a.brackets, b.brackets, hasDigits(a.brackets) || hasDigits(b.brackets), quote)
	p.nouns(a.nouns, b.nouns)
	return p
}

func quote(s string) string { return fmt.Sprintf("%q", s) }

func hasDigits(list []string) bool { return slices.ContainsFunc(list, isDigits) }

// part compares one kind of part: equal sets, or one of them empty.
func part[T comparable](p *parts, what string, x, y []T, weak bool, show func(T) string) {
	if len(x) == 0 && len(y) == 0 || p.clash != "" {
		return
	}
	if len(x) == 0 || len(y) == 0 {
		for _, v := range append(x[:len(x):len(x)], y...) {
			p.dropped = append(p.dropped, what+" "+show(v))
		}
		p.weak = p.weak || weak
		return
	}
	if !sameSet(x, y) {
		p.clash = fmt.Sprintf("%ss differ: %s and %s", what, showAll(x, show), showAll(y, show))
	}
}

func showAll[T any](list []T, show func(T) string) string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = show(v)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

func sameSet[T comparable](x, y []T) bool {
	return isSubset(x, y) && isSubset(y, x)
}

func isSubset[T comparable](x, y []T) bool {
	for _, v := range x {
		if !slices.Contains(y, v) {
			return false
		}
	}
	return true
}

// titles compares honorifics. Those of mere courtesy clash only by gender; of
// the others, one name may have more than the other (Lord Captain Thorne,
// Captain Thorne), but none of its own on both sides.
func (p *parts) titles(x, y []*title) {
	if len(x) == 0 && len(y) == 0 {
		return
	}
	if gendersClash(titleGender(x), titleGender(y)) {
		p.clash = fmt.Sprintf("honorifics differ: %s and %s", titleNames(x), titleNames(y))
		return
	}
	ranks := func(list []*title) []string {
		var out []string
		for _, t := range list {
			if !t.courtesy {
				out = append(out, t.name)
			}
		}
		return out
	}
	rx, ry := ranks(x), ranks(y)
	if len(rx) > 0 && len(ry) > 0 && !isSubset(rx, ry) && !isSubset(ry, rx) {
		p.clash = fmt.Sprintf("honorifics differ: %s and %s", titleNames(x), titleNames(y))
		return
	}
	if titleNames(x) != titleNames(y) {
		p.dropped = append(p.dropped, "honorific "+strings.Trim(titleNames(x)+", "+titleNames(y), ", "))
	}
}

// roles compares what the names say somebody is, wherever they say it: King
// Harald is not Harald the Smith, and Alys (queen) is Queen Alys.
func (p *parts) roles(a, b *name) {
	if p.clash != "" || len(a.epithets)+len(a.brackets)+len(b.epithets)+len(b.brackets) == 0 {
		return
	}
	x, y := a.roles(), b.roles()
	if len(x) > 0 && len(y) > 0 && !slices.ContainsFunc(x, func(s string) bool { return slices.Contains(y, s) }) {
		s := func(s string) string { return s }
		p.clash = fmt.Sprintf("roles differ: %s and %s", min(showAll(x, s), showAll(y, s)), max(showAll(x, s), showAll(y, s)))
	}
}

// roles returns the ranks, offices and trades that the name tells.
func (n *name) roles() []string {
	var out []string
	for _, t := range n.titles {
		if !t.courtesy {
			out = append(out, t.name)
		}
	}
	for _, list := range [][]string{n.epithets, n.brackets} {
		for _, s := range list {
			if x := lexicon[s]; x != nil && x.role != "" {
				out = append(out, x.role)
			}
		}
	}
	return out
}

func titleNames(list []*title) string {
	return showAll(list, func(t *title) string { return t.name })
}

// titleGender returns the gender that the honorifics tell, 0 if none does.
func titleGender(list []*title) gender {
	var g gender
	for _, t := range list {
		g |= t.of
	}
	return g
}

func gendersClash(x, y gender) bool { return x != 0 && y != 0 && x&y == 0 }

// nouns compares kinds of things: Broken Anchor Tavern is Broken Anchor Inn,
// Lantern Guild is not Lantern Guard, Crooked Lane may be Crooked Street.
func (p *parts) nouns(x, y []*noun) {
	if p.clash != "" || sameSet(x, y) {
		return
	}
	lacks := func(x, y []*noun) (out []*noun) {
		for _, n := range x {
			if !slices.ContainsFunc(y, func(m *noun) bool { return m.kind == n.kind }) {
				out = append(out, n)
			}
		}
		return out
	}
	more, less := lacks(x, y), lacks(y, x)
	if len(more) > 0 && len(less) > 0 {
		p.clash = fmt.Sprintf("they are of different kinds: %s and %s", min(nounNames(x), nounNames(y)), max(nounNames(x), nounNames(y)))
		return
	}
	for _, n := range x {
		if !n.synonyms && !slices.Contains(y, n) && slices.ContainsFunc(y, func(m *noun) bool { return m.kind == n.kind }) {
			p.weak = true
			p.dropped = append(p.dropped, "the words for the kind")
			break
		}
	}
	if more = append(more, less...); len(more) > 0 {
		p.dropped = append(p.dropped, "the kind "+nounNames(more))
		// A part, or a second kind, is something else: the guild's house.
		p.weak = p.weak || len(x) > 0 && len(y) > 0 || slices.ContainsFunc(more, func(n *noun) bool { return n.part })
	}
}

func nounNames(list []*noun) string {
	return showAll(list, func(n *noun) string { return n.name })
}

// sharedWords counts the words of x that y has too, each once.
func sharedWords(x, y []string) int {
	n := 0
	for i, w := range x {
		if slices.Contains(y, w) && !slices.Contains(x[:i], w) {
			n++
		}
	}
	return n
}

func quoteShared(x, y []string) string {
	var out []string
	for _, w := range x {
		if slices.Contains(y, w) {
			out = append(out, w)
		}
	}
	return quote(strings.Join(out, " "))
}

func quoteRest(x, y []string) string {
	var out []string
	for _, w := range x {
		if !slices.Contains(y, w) {
			out = append(out, w)
		}
	}
	return quote(strings.Join(out, " "))
}

// within reports whether the words of x stand in y in the same order.
func within(x, y []string) bool {
	for _, w := range y {
		if len(x) > 0 && x[0] == w {
			x = x[1:]
		}
	}
	return len(x) == 0
}
