package resolve

import (
	"slices"
	"strconv"
	"strings"
)

// The functions below take the parts off a name that may be passed over; each
// returns the words that are left, at least one.

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
