package resolve

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// kind says how a name is read: names of people carry honorifics and epithets,
// names of other things say what kind of thing they are.
type kind uint8

// The kinds behind person are those of things; object is any of them.
const (
	either kind = iota // nothing is known of the type
	person
	place
	group
	item
	event
	idea
	object
)

func kindOf(typ string) kind {
	switch typ {
	case "":
		return either
	case "character":
		return person
	case "location":
		return place
	case "organization":
		return group
	case "item":
		return item
	case "event":
		return event
	case "plot", "threat", "power", "rule", "culture":
		return idea
	}
	return object
}

// isThing reports whether names of the kind are no names of people.
func (k kind) isThing() bool { return k >= place }

// name is a name taken apart: its core, and the parts that may be passed over
// if the other name has none of their kind.
type name struct {
	// raw is the name as it was given.
	raw string
	// full is the whole name without articles, words parted by spaces.
	full string
	// strict is full with accents.
	strict string
	// core are the words that make the name; joined is them without spaces.
	core   []string
	joined string
	// spelled is joined with umlauts written as two letters, "" if the same.
	spelled string
	// strictCore is joined with its accents, "" if it has none.
	strictCore string
	// article is the set of genders of the leading article, 0 without one.
	article  gender
	titles   []*title
	numbers  []int
	epithets []string
	brackets []string
	nouns    []*noun
	// complement tells, by index into core, from where on the words belong to
	// somebody else (mother of Valen); len(core) if nowhere.
	complement int
	// generic tells that the core says only what kind of thing it is.
	generic bool
	// person tells that it is known to be a name of somebody.
	person bool
	// bare is the kind of thing that is all of the name (the Market), or nil.
	bare *noun
	// phrase tells that one word of the name makes no name: Fire Lance is not
	// Fire.
	phrase bool
	// loose tells that numbers and epithets make another thing of it more
	// often than not: they are of a place or an object, or stand in brackets.
	loose bool
}

// parse reads a name as k. It returns a name with an empty core only if the
// text has no letter, digit or sign.
func parse(raw string, k kind) *name {
	n := &name{}
	n.parse(raw, k)
	return n
}

func (n *name) parse(raw string, k kind) {
	if len(raw) > MaxName {
		head := trimToRune(raw, MaxName)
		n.parse(head, k)
		rest := strconv.FormatUint(hash(raw[len(head):]), 36)
		n.core = append(n.core, rest)
		n.full, n.strict, n.joined = n.full+" "+rest, n.strict+" "+rest, n.joined+rest
		return
	}
	n.raw = raw
	text := raw
	if strings.ContainsAny(raw, "([{（【〈《［") {
		text = n.takeBrackets(text, brackets)
	}
	if strings.ContainsAny(text, "\"“”„«»「『") && !k.isThing() {
		text = n.takeNickname(text, k)
	}
	var buf [8]word
	words := appendWords(buf[:0], text)
	if len(words) == 0 {
		words = appendWords(buf[:0], raw)
		n.brackets = nil
	}
	if len(words) == 0 {
		n.full = strings.TrimSpace(raw)
		n.strict, n.joined = n.full, n.full
		if n.full != "" {
			n.core = []string{n.full}
		}
		n.complement = len(n.core)
		return
	}
	if k == either && len(words) > 1 {
		// A word for a kind of thing tells that it is no person.
		last := words[len(words)-1].lex
		if last != nil && last.noun != nil && last.title == nil {
			k = object
		}
	}
	a := leadingArticle(words)
	if a > 0 {
		n.article = words[0].lex.article
		words = words[a:]
	}
	n.setFull(words)
	words, tail := splitComma(words)
	if len(tail) > 0 {
		n.takeTail(tail, k)
	}
	if k != person && isUnspacedName(words) {
		words = n.takeUnspacedNoun(words, k)
	}
	if !k.isThing() {
		words = n.takeTitles(words)
		words = n.takeEpithets(words, k)
	} else {
		n.loose = true
		words = n.takeQualifiers(words)
	}
	words = n.takeNumbers(words, k)
	if k.isThing() || k == either && len(n.titles) == 0 {
		words = n.takeNouns(words, k)
	}
	n.setCore(words, k)
}

// setFull keeps the whole name without its articles.
func (n *name) setFull(words []word) {
	plain, accents := true, false
	for i := range words {
		if i > 0 && words[i].lex != nil && words[i].lex.mid {
			plain = false
		}
		accents = accents || words[i].strict != words[i].text
	}
	kept := words
	if !plain {
		kept = make([]word, 0, len(words))
		for i := range words {
			if i == 0 || words[i].lex == nil || !words[i].lex.mid || i == len(words)-1 {
				kept = append(kept, words[i])
			}
		}
	}
	n.full = joinWords(kept, " ")
	n.strict = n.full
	if accents {
		parts := make([]string, len(kept))
		for i := range kept {
			parts[i] = kept[i].strict
		}
		n.strict = strings.Join(parts, " ")
	}
	if !isASCII(n.full) {
		n.full = foldKana(n.full)
	}
}

// bracketSigns are pairs of signs around something said by the way.
type bracketSigns struct{ open, close string }

var (
	brackets = bracketSigns{"([{（【〈《［", ")]}）】〉》］"}
	quotes   = bracketSigns{"“„«「『\"", "”»」』\""}
)

// takeNickname moves what stands in quotes into the brackets, unless it is the
// name itself: Thomas "Tom" Addy, but Tavern "Three Oars".
func (n *name) takeNickname(raw string, k kind) string {
	var m name
	text := m.takeBrackets(raw, quotes)
	outside := tokenize(text)
	if k == either && !slices.ContainsFunc(outside, func(w word) bool { return !isGeneric(w) }) {
		return raw
	}
	n.brackets = append(n.brackets, m.brackets...)
	return text
}

// takeBrackets moves what stands in brackets into n.brackets, and returns the
// rest.
func (n *name) takeBrackets(raw string, signs bracketSigns) string {
	var out strings.Builder
	depth, start := 0, 0
	take := func(end int) {
		if inner := Normal(raw[start:end]); inner != "" {
			n.brackets = append(n.brackets, inner)
		}
	}
	for i, r := range raw {
		opens := r < utf8.RuneError && strings.ContainsRune(signs.open, r)
		if closes := r < utf8.RuneError && strings.ContainsRune(signs.close, r); closes && (!opens || depth > 0) {
			if depth > 0 {
				if depth--; depth == 0 {
					take(i)
				}
			}
			out.WriteByte(' ')
			continue
		}
		switch {
		case opens:
			if depth == 0 {
				start = i + utf8.RuneLen(r)
				out.WriteByte(' ')
			}
			depth++
		case depth == 0:
			out.WriteRune(r)
		}
	}
	if depth > 0 { // never closed
		take(len(raw))
	}
	slices.Sort(n.brackets)
	n.brackets = slices.Compact(n.brackets)
	return out.String()
}

// splitComma parts a name at its first comma. "Wald, John" is turned round.
func splitComma(words []word) (head, tail []word) {
	i := slices.IndexFunc(words, func(w word) bool { return w.comma })
	if i <= 0 {
		return words, nil
	}
	head, tail = words[:i:i], words[i:]
	given := !slices.ContainsFunc(tail, func(w word) bool { return w.lower && !head[0].lower || w.lex != nil })
	if len(tail) <= 2 && len(head) == 1 && given && !isUnspaced(head[0].text) {
		turned := append(slices.Clone(tail), head...)
		turned[0].comma = false
		return turned, nil
	}
	return head, tail
}

// takeTail takes what follows a comma: an epithet of a person, the whereabouts
// of a place.
func (n *name) takeTail(tail []word, k kind) {
	tail = tail[leadingArticle(tail):]
	if len(tail) == 1 && tail[0].lex != nil && tail[0].lex.number > 0 {
		n.numbers = append(n.numbers, tail[0].lex.number)
		return
	}
	if k.isThing() {
		n.brackets = append(n.brackets, joinWords(tail, " "))
		return
	}
	if len(tail) == 1 && tail[0].lex != nil && tail[0].lex.title != nil {
		n.titles = append(n.titles, tail[0].lex.title)
		return
	}
	n.addEpithet(tail)
}

func (n *name) addEpithet(words []word) {
	if len(words) == 1 && words[0].lex != nil {
		if v := words[0].lex.number; v > 0 {
			n.numbers = append(n.numbers, v)
			return
		}
		if a := words[0].lex.adjective; a != "" {
			n.epithets = append(n.epithets, a)
			return
		}
	}
	n.epithets = append(n.epithets, joinWords(words, " "))
}

// setCore keeps what is left.
func (n *name) setCore(words []word, k kind) {
	n.complement = -1
	// What stands behind an honorific is a name, whatever else it means.
	n.generic = len(n.titles) == 0
	accents := false
	n.core = make([]string, 0, len(words))
	for i := range words {
		w := &words[i]
		if w.lex != nil && i > 0 && (w.lex.prep || w.lex.mid) {
			if w.lex.prep && n.complement < 0 {
				n.complement = len(n.core)
			}
			if len(words) > 1 && (w.lex.mid || w.lex.of) && i < len(words)-1 {
				continue
			}
		}
		n.generic = n.generic && isGeneric(*w) && (k != person || w.lex.noun == nil || w.lex.title != nil || w.lex.kin) &&
			(len(words) == 1 || w.lex.adjective == "")
		accents = accents || w.strict != w.text
		text := w.text
		if !isASCII(text) {
			text = foldKana(text)
		}
		if !k.isThing() && i == 0 && len(words) == 1 && isUnspaced(text) {
			n.core = appendHanName(n.core, text)
			continue
		}
		n.core = append(n.core, text)
	}
	if len(words) == 1 && words[0].lex != nil && k != person {
		n.bare = words[0].lex.noun
	}
	n.phrase = k == idea || k == event
	n.person = k == person
	if n.complement < 0 || len(words) > 0 && !isGeneric(words[0]) {
		n.complement = len(n.core)
	}
	if len(n.core) == 1 {
		n.joined = n.core[0]
	} else {
		n.joined = strings.Join(n.core, "")
	}
	if accents {
		var b strings.Builder
		for i := range words {
			b.WriteString(words[i].strict)
		}
		n.strictCore = b.String()
		if s := foldAccents(umlauts.Replace(n.strictCore)); s != n.joined && s != foldAccents(n.strictCore) {
			n.spelled = s
		}
	}
}

func trimToRune(s string, limit int) string {
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
