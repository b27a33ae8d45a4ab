package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weft-memory/weft/match"
)

const (
	// maxTermBytes bounds a term; what is longer is cut.
	maxTermBytes = 64
	// maxWordCache bounds how many words an analyzer remembers.
	maxWordCache = 1 << 15
	// maxTerms bounds how many terms of one field are indexed.
	maxTerms = 1 << 16
)

// plain folds a word so that case, width and accents make no difference.
func plain(word string) string {
	for i := range len(word) {
		if c := word[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return match.FoldNFKCNoAccents.Apply(word)
		}
	}
	return word
}

// word is what is known of one spelling of a word.
type word struct {
	plain  string // folded, without accents
	little uint16 // the languages in which it is a little word
	script script
	// name says that the word has a capital where nothing but a name has one,
	// unless it begins a sentence.
	name bool
	time bool
	// stems are the stems that were asked for.
	stems []stemmed
}

type stemmed struct {
	lang Language
	stem string
}

// stem returns the stem of the word in a language. Stems of Latin words begin
// with the language: those of different languages are different terms, so that
// German longer, which is long, does not find English long.
func (w *word) stem(source string, lang Language) string {
	switch w.script {
	case scriptCyrillic:
		lang = "ru"
	case scriptArabic:
		lang = "ar"
	case scriptLatin:
	default:
		return w.plain
	}
	for i := range w.stems {
		if w.stems[i].lang == lang {
			return w.stems[i].stem
		}
	}
	s := plain(stemWord(lang, match.FoldNFKC.Apply(source)))
	if s == "" {
		s = w.plain
	}
	if w.script == scriptLatin {
		s = string(lang) + ":" + s
	}
	w.stems = append(w.stems, stemmed{lang, s})
	return s
}

// token is a word of a text, or a character or pair of characters of a script
// without spaces.
type token struct {
	word   *word
	source string
	first  bool // begins a sentence
}

// isName reports whether the token is spelled as a name is.
func (t *token) isName() bool { return t.word.name && !t.first }

// analyzer cuts texts into terms. It remembers words and is used by one
// goroutine at a time.
type analyzer struct {
	words  map[string]*word
	tokens []token
	chars  []string
}

func newAnalyzer() *analyzer { return &analyzer{words: map[string]*word{}} }

// lookup returns what is known of a spelling.
func (a *analyzer) lookup(source string, s script) *word {
	if w := a.words[source]; w != nil {
		return w
	}
	if len(a.words) >= maxWordCache {
		clear(a.words)
	}
	source = strings.Clone(source)
	w := &word{plain: plain(source), script: s}
	if s == scriptLatin {
		w.plain = withoutOrdinal(w.plain)
	}
	w.little = little[w.plain]
	w.time = timeWords[w.plain] || isYear(w.plain)
	if first, n := utf8.DecodeRuneInString(source); unicode.IsUpper(first) && len(source) > n {
		w.name = strings.IndexFunc(source[n:], func(r rune) bool { return !unicode.IsUpper(r) }) >= 0
	}
	a.words[source] = w
	return w
}

// withoutOrdinal makes 8th of 8, the way dates are asked for.
func withoutOrdinal(s string) string {
	if len(s) < 3 || s[0] < '0' || s[0] > '9' {
		return s
	}
	switch n := s[:len(s)-2]; s[len(s)-2:] {
	case "st", "nd", "rd", "th":
		if strings.Trim(n, "0123456789") == "" {
			return n
		}
	}
	return s
}

func isYear(s string) bool {
	return len(s) == 4 && (s[0] == '1' || s[0] == '2') && strings.Trim(s, "0123456789") == ""
}

// cut cuts a text into tokens. The result is valid until the next call.
func (a *analyzer) cut(text string) []token {
	a.tokens = a.tokens[:0]
	first := true
	for i := 0; i < len(text) && len(a.tokens) < maxTerms; {
		r, n := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(text[i:])
		}
		s := scriptOf(r)
		if s == scriptOther {
			first = first || endsSentence(r)
			i += n
			continue
		}
		j := i + n
		switch s {
		case scriptSymbol:
			a.add(text[i:j], s, first)
		case scriptHan, scriptUnspaced:
			for j < len(text) {
				r, n := utf8.DecodeRuneInString(text[j:])
				if t := scriptOf(r); t != scriptHan && t != scriptUnspaced && !unicode.IsMark(r) {
					break
				}
				j += n
			}
			a.pairs(text[i:j])
		default:
			j = wordEnd(text, j)
			a.spaced(text[i:j], s, first)
		}
		first = false
		i = j
	}
	return a.tokens
}

// wordEnd returns the end of the word of spaced script that goes on at j.
func wordEnd(text string, j int) int {
	for j < len(text) {
		r, n := rune(text[j]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(text[j:])
		}
		switch s := scriptOf(r); {
		case s == scriptLatin || s == scriptCyrillic || s == scriptArabic:
		case isApostrophe(r):
			next, _ := utf8.DecodeRuneInString(text[j+n:])
			if !unicode.IsLetter(next) {
				return j
			}
		default:
			return j
		}
		j += n
	}
	return j
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' || r == 'ʼ' }

func endsSentence(r rune) bool {
	switch r {
	case '.', '!', '?', '\n', '"', '“', '”', '«', '»', '*', ':', '(', '[', '…', '—', '„', '¿', '¡':
		return true
	}
	return false
}

// spaced adds a word, which may have apostrophes inside: "Mira's" is Mira,
// "l'épée" is épée, "don't" is nothing but a little word.
func (a *analyzer) spaced(w string, s script, first bool) {
	for len(a.tokens) < maxTerms {
		at := strings.IndexFunc(w, isApostrophe)
		if at < 0 {
			a.add(w, s, first)
			return
		}
		_, n := utf8.DecodeRuneInString(w[at:])
		head, tail := w[:at], w[at+n:]
		switch {
		case tail == "t" && strings.HasSuffix(head, "n"): // don't, isn't
			return
		case isShort(tail):
			a.add(head, s, first)
			return
		case isShort(head):
			first = first && s != scriptLatin
		default:
			a.add(head, s, first)
			first = false
		}
		w = tail
	}
}

// isShort reports whether a text has at most two characters.
func isShort(s string) bool {
	for range 2 {
		_, n := utf8.DecodeRuneInString(s)
		s = s[n:]
	}
	return s == ""
}

func (a *analyzer) add(w string, s script, first bool) {
	if len(w) > maxTermBytes {
		w = strings.ToValidUTF8(w[:maxTermBytes], "")
	}
	a.tokens = append(a.tokens, token{a.lookup(w, s), w, first})
}

// pairs adds each pair of neighbouring characters of a run without spaces,
// and each Chinese character for itself, since one may be a name. A mark
// belongs to the character before it.
func (a *analyzer) pairs(run string) {
	run = match.FoldNFKCNoAccents.Apply(run)
	a.chars = a.chars[:0]
	for i, r := range run {
		n := utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, n = utf8.DecodeRuneInString(run[i:])
		}
		if len(a.chars) > 0 && unicode.IsMark(r) {
			last := a.chars[len(a.chars)-1]
			if len(last) < 16 {
				a.chars[len(a.chars)-1] = run[i-len(last) : i+n]
			}
			continue
		}
		a.chars = append(a.chars, run[i:i+n])
	}
	for i, c := range a.chars {
		r, _ := utf8.DecodeRuneInString(c)
		if scriptOf(r) == scriptHan || len(a.chars) == 1 {
			a.add(c, scriptHan, false)
		}
		if i+1 < len(a.chars) {
			a.add(c+a.chars[i+1], scriptUnspaced, false)
		}
	}
}

// language returns the language of the tokens' Latin words, by the different
// little words among the first of them.
func language(tokens []token, given Language) Language {
	if given != "" {
		return given
	}
	tokens = tokens[:min(len(tokens), maxDetect)]
	var counts [16]int
	for i := range tokens {
		w := tokens[i].word
		if w.little == 0 || len(w.plain) < 2 || slices.ContainsFunc(tokens[:i], func(t token) bool { return t.word == w }) {
			continue
		}
		for k := range latinLanguages {
			if w.little&(1<<k) != 0 {
				counts[k]++
			}
		}
	}
	return detect(&counts)
}

// maxDetect is how many tokens are looked at to tell a language.
const maxDetect = 48

// languageBit is the bit of a language in [word.little]; other scripts share
// the last one.
func languageBit(lang Language) uint16 {
	for i, l := range latinLanguages {
		if l == lang {
			return 1<<i | 1<<15
		}
	}
	return 1 << 15
}

// isLittle reports whether a token says nothing about what a text is about.
func (t *token) isLittle(bit uint16) bool { return t.word.little&bit != 0 && !t.isName() }
