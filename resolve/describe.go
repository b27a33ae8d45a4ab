package resolve

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxDescription is how much of a description is read, in bytes.
const MaxDescription = 8 << 10

// Agreement says what two descriptions say about two things being one.
type Agreement uint8

// The kinds of agreement.
const (
	// Unknown: there is too little text, or too little in common.
	Unknown Agreement = iota
	// Agree: the descriptions share half of their words, and none contradicts.
	Agree
	// Unlike: both say enough, and hardly anything in common.
	Unlike
	// Conflict: they contradict each other outright: a man and a woman, the
	// north gate and the south gate.
	Conflict
)

// String says it as the end of a sentence about descriptions.
func (a Agreement) String() string {
	switch a {
	case Agree:
		return "agree"
	case Unlike:
		return "have little in common"
	case Conflict:
		return "contradict each other"
	}
	return "say too little"
}

// Thresholds for descriptions: the share of the words of the shorter one that
// the other has too.
const (
	// AgreeThreshold is the least share of descriptions that agree.
	AgreeThreshold = 0.5
	// UnlikeThreshold is the greatest share of descriptions that have little
	// in common.
	UnlikeThreshold = 0.34
	// minWords is how many words a description needs to be unlike another.
	minWords = 3
	// maxTraits is how many traits of a description are read.
	maxTraits = 64
)

// description is a description taken apart.
type description struct {
	words  []string // stems, sorted, each once
	proper []string // stems of words with a capital inside a sentence, sorted
	traits []mention
	gender gender
	text   string // folded words with single spaces around, to look for names
}

// mention is a trait that a description ascribes, with the words around it.
type mention struct {
	trait
	before, after string
}

// describe reads a description of a thing of kind k. The words of its own
// names say nothing and are left out.
func describe(text string, own map[string]bool, k kind) *description {
	d := &description{}
	if len(text) > MaxDescription {
		text = trimToRune(text, MaxDescription)
	}
	if strings.TrimSpace(text) == "" {
		return d
	}
	r := descriptionReader{d: d, own: own, kind: k}
	sentence := true
	for pos := 0; pos < len(text); {
		c, size := utf8.DecodeRuneInString(text[pos:])
		if !isNameRune(c) && !isApostrophe(c) {
			sentence = sentence || strings.ContainsRune(".!?:;\n。！？؟…", c)
			pos += size
			continue
		}
		end := pos
		for end < len(text) {
			c, size := utf8.DecodeRuneInString(text[end:])
			if !isNameRune(c) && !isApostrophe(c) {
				break
			}
			end += size
		}
		for _, w := range tokenize(text[pos:end]) {
			r.read(w, !sentence && unicode.IsUpper(c))
		}
		sentence = false
		pos = end
	}
	r.finish()
	return d
}

// descriptionReader reads a description word by word.
type descriptionReader struct {
	d     *description
	own   map[string]bool
	kind  kind
	units []string // all words, or characters where words run together
	at    []int    // for each trait, its unit
	both  bool     // words of both genders occurred
}

func (r *descriptionReader) read(w word, proper bool) {
	if isSpacelessWord(w.text) {
		r.readSpaceless(w.text)
		return
	}
	r.unit(w.text)
	if stopWords[w.text] || r.own[w.text] {
		return
	}
	s := stem(w.text)
	if s == "" {
		return
	}
	r.d.words = append(r.d.words, s)
	if proper && !isDigits(w.text) {
		r.d.proper = append(r.d.proper, s)
	}
}

// readSpaceless takes pairs of characters for words; hiragana between them is
// grammar.
func (r *descriptionReader) readSpaceless(s string) {
	if _, ok := lookTrait(s); ok {
		r.unit(s)
	}
	var last rune
	for _, c := range s {
		r.unit(string(c))
		if unicode.Is(unicode.Hiragana, c) || !unicode.IsLetter(c) || strings.ContainsRune(hanParticles, c) {
			last = 0
			continue
		}
		if last != 0 {
			r.d.words = append(r.d.words, string(last)+string(c))
		}
		last = c
	}
}

// unit looks one word up in the tables of genders and traits.
func (r *descriptionReader) unit(s string) {
	if !r.kind.isThing() {
		if g := genderWords[s]; g != 0 {
			r.both = r.both || r.d.gender&^g != 0
			r.d.gender |= g
		}
	}
	t, ok := lookTrait(s)
	if !ok && len(r.units) > 0 {
		t, ok = colourTrait(r.units[len(r.units)-1], s)
	}
	if ok && len(r.at) < maxTraits && (!r.kind.isThing() || traitTable[t.row].near) {
		r.d.traits = append(r.d.traits, mention{trait: t})
		r.at = append(r.at, len(r.units))
	}
	r.units = append(r.units, s)
}

func (r *descriptionReader) finish() {
	d := r.d
	if r.both {
		d.gender = 0
	}
	for i, at := range r.at {
		if at > 0 {
			d.traits[i].before = stem(r.units[at-1])
		}
		if at+1 < len(r.units) {
			d.traits[i].after = stem(r.units[at+1])
		}
	}
	var b strings.Builder
	b.WriteByte(' ')
	for _, u := range r.units {
		b.WriteString(foldKana(u))
		b.WriteByte(' ')
	}
	d.text = b.String()
	slices.Sort(d.words)
	d.words = slices.Compact(d.words)
	slices.Sort(d.proper)
	d.proper = slices.Compact(d.proper)
}

// isSpacelessWord reports whether words of this script are not parted by
// spaces, so that pairs of characters stand for words.
func isSpacelessWord(s string) bool {
	for _, r := range s {
		if r < 0x3000 {
			return false
		}
		if unicode.In(r, unicode.Han, unicode.Katakana, unicode.Hiragana) {
			return true
		}
	}
	return false
}

// stem cuts a word to the part that its inflected forms share, roughly: words
// of descriptions are only counted, never shown.
func stem(s string) string {
	if isASCII(s) {
		if len(s) < 3 && !isDigits(s) {
			return ""
		}
		if len(s) > 3 && s[len(s)-1] == 's' {
			s = s[:len(s)-1]
		}
		return s[:min(len(s), 5)]
	}
	r, _ := utf8.DecodeRuneInString(s)
	limit := 5
	switch {
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return s
	case unicode.Is(unicode.Hangul, r):
		limit = 2
	case unicode.In(r, unicode.Hebrew, unicode.Arabic):
		limit = 4
		if rest, ok := strings.CutPrefix(s, "ה"); ok && utf8.RuneCountInString(rest) >= 3 {
			s = rest
		}
	}
	n := 0
	for i := range s {
		if n == limit {
			return s[:i]
		}
		n++
	}
	if n < 2 {
		return ""
	}
	return s
}

// compareDescriptions weighs two descriptions. full tells that the names are
// full enough to need no support: then only much text with nothing in common
// counts as unlike. It is symmetric.
func compareDescriptions(a, b *description, full bool) (Agreement, string) {
	if gendersClash(a.gender, b.gender) {
		return Conflict, "one is of a man, one of a woman"
	}
	if why := contradiction(a, b); why != "" {
		return Conflict, why
	}
	least := min(len(a.words), len(b.words))
	if least == 0 {
		return Unknown, "there are not two descriptions"
	}
	shared := countShared(a.words, b.words)
	share := float64(shared) / float64(least)
	detail := fmt.Sprintf("%d of %d words shared: %.2f", shared, least, share)
	if len(a.proper) > 0 && len(b.proper) > 0 && countShared(a.proper, b.proper) == 0 &&
		share <= UnlikeThreshold && least >= minWords {
		return Unlike, detail + ", and no name"
	}
	switch {
	case share >= AgreeThreshold && (shared >= 2 || least == 1):
		return Agree, detail
	case full && (least < 2*minWords || shared > 0):
		return Unknown, detail
	case least >= minWords && share <= UnlikeThreshold:
		return Unlike, detail
	}
	return Unknown, detail
}

// contradiction finds a trait of which each description has its own value.
// Some traits count only beside the same word: the north gate and the south
// gate, but not the north gate and the southern sea.
func contradiction(a, b *description) string {
	for _, x := range a.traits {
		for _, y := range b.traits {
			if x.row != y.row || x.value == y.value || a.has(y.trait) || b.has(x.trait) {
				continue
			}
			row := &traitTable[x.row]
			if row.near && (x.after == "" || x.after != y.after) && (x.before == "" || x.before != y.before) {
				continue
			}
			v, w := row.names[x.value], row.names[y.value]
			return fmt.Sprintf("they differ in %s: %s and %s", row.name, min(v, w), max(v, w))
		}
	}
	return ""
}

func (d *description) has(t trait) bool {
	return slices.ContainsFunc(d.traits, func(m mention) bool { return m.trait == t })
}

// mentions reports whether the description speaks of the name.
func (d *description) mentions(n *name) bool {
	if d.text == "" || n.generic || len(n.core) == 0 {
		return false
	}
	return strings.Contains(d.text, " "+strings.Join(n.core, " ")+" ")
}

// ofTwins reports whether the description speaks of a twin.
func (d *description) ofTwins() bool {
	return slices.ContainsFunc(twinStems, func(s string) bool {
		_, ok := slices.BinarySearch(d.words, s)
		return ok || strings.Contains(d.text, " "+s+" ")
	})
}

var twinStems = func() []string {
	var out []string
	for _, w := range strings.Fields("twin twins zwilling zwillingsschwester zwillingsbruder jumeau jumelle gemelo gemela gemello gemella близнец близняшка توأم תאום תאומה δίδυμος δίδυμη 双子 双胞胎 雙胞胎 孪生 쌍둥이") {
		out = append(out, stem(foldTableWord(w)))
	}
	return out
}()
