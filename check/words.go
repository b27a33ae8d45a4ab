package check

import (
	_ "embed"
	"index/suffixarray"
	"slices"
	"sort"
	"strings"
	"sync"
)

//go:embed words.txt
var wordSource string

//go:embed homonyms.txt
var homonymSource string

// wordList answers which common words hold a key.
type wordList struct {
	// words in order, each once.
	words []string
	// function words are those that stand in nearly every message.
	function map[string]bool
	// homonyms are words with a second, everyday meaning, and a phrase for it.
	homonyms map[string]string

	// text is all words, each after a line break; starts is where each begins.
	text   string
	starts []int
	index  *suffixarray.Index
}

// commonWords is built on first use, in a few milliseconds.
var commonWords = sync.OnceValue(func() *wordList { return newWordList(wordSource, homonymSource) })

func newWordList(source, homonyms string) *wordList {
	l := &wordList{function: make(map[string]bool), homonyms: make(map[string]string)}
	first := true
	for line := range strings.Lines(source) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		for _, w := range fields[1:] {
			switch fields[0] {
			case "w":
				l.words = append(l.words, w)
				if first {
					l.function[w] = true
				}
			case "n":
				l.words = append(l.words, nounForms(w)...)
			case "v":
				l.words = append(l.words, verbForms(w)...)
			case "a":
				l.words = append(l.words, adjectiveForms(w)...)
			}
		}
		first = false
	}
	for line := range strings.Lines(homonyms) {
		word, phrase, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if ok && !strings.HasPrefix(word, "#") {
			l.homonyms[word] = phrase
		}
	}
	slices.Sort(l.words)
	l.words = slices.Compact(l.words)
	var b strings.Builder
	for _, w := range l.words {
		b.WriteByte('\n')
		l.starts = append(l.starts, b.Len())
		b.WriteString(w)
	}
	b.WriteByte('\n')
	l.text = b.String()
	l.index = suffixarray.New([]byte(l.text))
	return l
}

// holding returns the words that hold the key at any place, the key itself
// and its own forms (ring, rings, ringing) left out; those come second. The
// key is in lower case. At most a few hundred words are looked at.
func (l *wordList) holding(key string, startOnly bool) (others, forms []string) {
	pattern := key
	if startOnly {
		pattern = "\n" + key
	}
	seen := make(map[string]bool)
	for _, at := range l.index.Lookup([]byte(pattern), 400) {
		if startOnly {
			at++
		}
		i := sort.Search(len(l.starts), func(i int) bool { return l.starts[i] > at }) - 1
		w := l.words[i]
		if w == key || seen[w] {
			continue
		}
		seen[w] = true
		if isForm(w, key) {
			forms = append(forms, w)
		} else {
			others = append(others, w)
		}
	}
	// The words that are met most often come first; then the shorter ones, of
	// which the key makes up more.
	byLength := func(a, b string) int {
		if f, g := l.function[a], l.function[b]; f != g {
			if f {
				return -1
			}
			return 1
		}
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	}
	slices.SortFunc(others, byLength)
	slices.SortFunc(forms, byLength)
	return others, forms
}

// formEndings are what may follow a word without making it another one.
var formEndings = []string{
	"s", "es", "ed", "d", "ing", "er", "ers", "r", "rs", "ly", "'s", "y", "ful", "less", "ness",
	"en", "ish", "like", "ship", "hood", "dom", "est",
}

func isForm(word, key string) bool {
	rest, ok := strings.CutPrefix(word, key)
	if !ok {
		return false
	}
	if slices.Contains(formEndings, rest) {
		return true
	}
	// stop, stopped, stopping
	if len(rest) > 1 && rest[0] == key[len(key)-1] {
		return slices.Contains(formEndings, rest[1:])
	}
	return false
}

func nounForms(w string) []string {
	if one, many, ok := strings.Cut(w, "/"); ok {
		return []string{one, many}
	}
	return []string{w, withS(w)}
}

func verbForms(w string) []string {
	double := strings.HasSuffix(w, "*")
	parts := strings.Split(strings.TrimSuffix(w, "*"), "/")
	base := parts[0]
	stem := base
	if double {
		stem += base[len(base)-1:]
	}
	forms := []string{base, withS(base)}
	switch {
	case strings.HasSuffix(base, "ie"): // die, dying
		forms = append(forms, base[:len(base)-2]+"ying")
	case strings.HasSuffix(base, "e") && !strings.HasSuffix(base, "ee") && len(base) > 2 && !strings.HasSuffix(base, "ye") && !strings.HasSuffix(base, "oe"):
		forms = append(forms, base[:len(base)-1]+"ing")
	default:
		forms = append(forms, stem+"ing")
	}
	if len(parts) > 1 {
		return append(forms, parts[1:]...)
	}
	switch {
	case strings.HasSuffix(base, "e"):
		forms = append(forms, base+"d")
	case endsInConsonantY(base):
		forms = append(forms, base[:len(base)-1]+"ied")
	default:
		forms = append(forms, stem+"ed")
	}
	return forms
}

func adjectiveForms(w string) []string {
	compares := strings.HasSuffix(w, "+")
	w = strings.TrimSuffix(w, "+")
	double := strings.HasSuffix(w, "*")
	w = strings.TrimSuffix(w, "*")
	forms := []string{w, withLy(w)}
	if !compares {
		return forms
	}
	stem := w
	switch {
	case double:
		stem += w[len(w)-1:]
	case strings.HasSuffix(w, "e"):
		stem = w[:len(w)-1]
	case endsInConsonantY(w):
		stem = w[:len(w)-1] + "i"
	}
	return append(forms, stem+"er", stem+"est")
}

func withS(w string) string {
	switch {
	case endsInConsonantY(w):
		return w[:len(w)-1] + "ies"
	case strings.HasSuffix(w, "s"), strings.HasSuffix(w, "x"), strings.HasSuffix(w, "z"),
		strings.HasSuffix(w, "ch"), strings.HasSuffix(w, "sh"):
		return w + "es"
	}
	return w + "s"
}

func withLy(w string) string {
	switch {
	case endsInConsonantY(w):
		return w[:len(w)-1] + "ily"
	case strings.HasSuffix(w, "ic"):
		return w + "ally"
	case strings.HasSuffix(w, "le") && len(w) > 3:
		return w[:len(w)-1] + "y"
	case strings.HasSuffix(w, "ll"):
		return w + "y"
	case strings.HasSuffix(w, "ly"):
		return w
	}
	return w + "ly"
}

func endsInConsonantY(w string) bool {
	return len(w) > 1 && w[len(w)-1] == 'y' && !strings.ContainsRune("aeiou", rune(w[len(w)-2]))
}
