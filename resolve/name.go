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

// takeTitles takes honorifics off both ends.
func (n *name) takeTitles(words []word) []word {
	for len(words) > 1 {
		if len(words) > 2 {
			if t := phrases[[2]string{words[0].text, words[1].text}]; t != nil && !isPrep(words[2]) {
				n.titles = append(n.titles, t)
				words = words[2:]
				continue
			}
		}
		x := words[0].lex
		if x == nil || x.title == nil || !x.title.courtesy && belongs(words[1:]) {
			break
		}
		n.titles = append(n.titles, x.title)
		words = words[1:]
		if len(words) > 1 && words[0].lex != nil && words[0].lex.mid {
			// "Captain the Lord Thorne" is nobody's way to write, but "Frau
			// von der Heide" has no title behind its article.
			break
		}
	}
	for len(words) > 1 {
		last := words[len(words)-1]
		x := last.lex
		if x == nil || x.suffix == nil || isASCII(last.text) && !last.hyphen && last.text != "phd" && last.text != "md" {
			break
		}
		n.titles = append(n.titles, x.suffix)
		words = words[:len(words)-1]
	}
	if len(words) == 1 && isUnspaced(words[0].text) {
		if rest, t := cutSuffixTitle(words[0].text); t != nil {
			n.titles = append(n.titles, t)
			words = []word{{text: rest, strict: rest, lex: lexicon[rest]}}
		}
	}
	return words
}

// belongs reports whether words behind a title make it an office instead of an
// honorific: of the Guard. The particle of a family name does not (von Tann).
func belongs(words []word) bool {
	if !isPrep(words[0]) {
		return false
	}
	switch words[0].text {
	case "von", "van", "de", "di", "da", "du", "del", "al", "el", "ben", "bin", "ibn":
		return len(words) < 2 || words[1].lex != nil && words[1].lex.article != 0 || words[len(words)-1].lower
	}
	return true
}

func isPrep(w word) bool { return w.lex != nil && w.lex.prep }

// takeEpithets takes what an article or "of" begins behind the name, and
// adjectives before and behind it.
func (n *name) takeEpithets(words []word, k kind) []word {
	for i := 1; i < len(words); i++ {
		x := words[i].lex
		if x == nil || i == len(words)-1 {
			continue
		}
		if x.mid && !isPrep(words[i-1]) && (!x.prep || words[i].lower && words[i].text == "l") {
			if words[0].lex != nil && words[0].lex.kin {
				break
			}
			n.addEpithet(words[i+1:])
			return n.takeAdjectives(words[:i], k)
		}
		if words[i].text == "of" || words[i].text == "from" {
			if i == 1 && isGeneric(words[0]) {
				break // captain of the guard, mother of Valen
			}
			rest := words[i+1:]
			n.epithets = append(n.epithets, "of "+joinWords(rest[leadingArticle(rest):], " "))
			return n.takeAdjectives(words[:i], k)
		}
	}
	return n.takeAdjectives(words, k)
}

func (n *name) takeAdjectives(words []word, k kind) []word {
	for len(words) > 1 && words[0].lex != nil && words[0].lex.adjective != "" && words[0].lex.number == 0 {
		a := words[0].lex.adjective
		if isBehind(words[0].text) {
			break
		}
		if k == either && isColour(a) || isPrep(words[1]) {
			break
		}
		n.epithets = append(n.epithets, a)
		words = words[1:]
	}
	for len(words) > 1 {
		x := words[len(words)-1].lex
		if x == nil || x.adjective == "" || k == either && isColour(x.adjective) {
			break
		}
		n.epithets = append(n.epithets, x.adjective)
		words = words[:len(words)-1]
	}
	return words
}

// isBehind tells epithets that only follow a name.
func isBehind(s string) bool {
	switch s {
	case "jr", "sr", "junior", "senior", "mayor", "cadet", "este", "est":
		return true
	}
	return false
}

func isColour(a string) bool {
	switch a {
	case "red", "black", "white", "grey":
		return true
	}
	return false
}

// takeQualifiers takes the words off that tell places of one name apart.
func (n *name) takeQualifiers(words []word) []word {
	for len(words) > 1 && words[0].lex != nil && words[0].lex.adjective != "" &&
		!isColour(words[0].lex.adjective) && !isPrep(words[1]) {
		n.epithets = append(n.epithets, words[0].lex.adjective)
		words = words[1:]
	}
	return words
}

// takeNumbers takes numbers off: digits anywhere, Roman ones and ordinals at
// the end, and for things other than people ordinals at the start.
func (n *name) takeNumbers(words []word, k kind) []word {
	if len(words) == 1 {
		return n.takeUnspacedNumber(words)
	}
	if k.isThing() && words[0].lex != nil && words[0].lex.number > 0 && len(words[0].text) > 2 {
		n.numbers = append(n.numbers, words[0].lex.number)
		words = words[1:]
	}
	for len(words) > 1 {
		v := numberOf(words[len(words)-1])
		if v == 0 {
			break
		}
		n.numbers = append(n.numbers, v)
		words = words[:len(words)-1]
	}
	if len(words) > 1 && slices.ContainsFunc(words, func(w word) bool { return isDigits(w.text) }) {
		kept := make([]word, 0, len(words))
		for _, w := range words {
			if isDigits(w.text) {
				n.numbers = append(n.numbers, digits(w.text))
			} else {
				kept = append(kept, w)
			}
		}
		if len(kept) > 0 {
			words = kept
		} else {
			n.numbers = nil
		}
	}
	return words
}

// numberOf returns the value of a number that ends a name, or 0.
func numberOf(w word) int {
	if isDigits(w.text) {
		return digits(w.text)
	}
	if w.upper {
		if v := roman(w.text); v > 0 {
			return v
		}
	}
	if w.lex != nil && w.lex.number > 0 && (len(w.text) > 1 || w.upper || w.text == "i") {
		return w.lex.number
	}
	return 0
}

func isDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// digits returns a value for digits that differs from number to number.
func digits(s string) int {
	v, err := strconv.Atoi(s)
	if err != nil {
		return int(hash(s) >> 1)
	}
	if v == 0 {
		return -1
	}
	return v
}

func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}

// roman returns the value of a Roman number up to 39 in small letters, or 0.
func roman(s string) int {
	if len(s) > 6 {
		return 0
	}
	v, rest := 0, s
	for strings.HasPrefix(rest, "x") && v < 30 {
		v, rest = v+10, rest[1:]
	}
	for _, u := range [...]struct {
		text string
		v    int
	}{{"viii", 8}, {"vii", 7}, {"iii", 3}, {"vi", 6}, {"iv", 4}, {"ix", 9}, {"ii", 2}, {"v", 5}, {"i", 1}} {
		if rest == u.text {
			return v + u.v
		}
	}
	if rest == "" {
		return v
	}
	return 0
}

// takeNouns takes words for the kind of thing off both ends.
func (n *name) takeNouns(words []word, k kind) []word {
	if !slices.ContainsFunc(words, func(w word) bool { return !isGeneric(w) && !isPrep(w) }) {
		return words
	}
	for len(words) > 1 && words[0].lex != nil && words[0].lex.noun.fits(k) {
		rest := words[1:]
		for len(rest) > 1 && rest[0].lex != nil && (rest[0].lex.of || rest[0].lex.mid) {
			rest = rest[1:]
		}
		n.nouns = append(n.nouns, words[0].lex.noun)
		words = rest
	}
	for len(words) > 1 {
		x := words[len(words)-1].lex
		if x == nil || !x.noun.fits(k) || isPrep(words[len(words)-2]) || x.mid {
			break
		}
		n.nouns = append(n.nouns, x.noun)
		words = words[:len(words)-1]
	}
	return words
}

// isGeneric reports whether a word says only what somebody or something is.
func isGeneric(w word) bool {
	x := w.lex
	return x != nil && (x.noun != nil || x.title != nil || x.kin || x.adjective != "" || x.article != 0)
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
