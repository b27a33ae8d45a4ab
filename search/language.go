package search

import (
	"unicode"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/danish"
	"github.com/blevesearch/snowballstem/dutch"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/finnish"
	"github.com/blevesearch/snowballstem/french"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/hungarian"
	"github.com/blevesearch/snowballstem/italian"
	"github.com/blevesearch/snowballstem/norwegian"
	"github.com/blevesearch/snowballstem/portuguese"
	"github.com/blevesearch/snowballstem/romanian"
	"github.com/blevesearch/snowballstem/russian"
	"github.com/blevesearch/snowballstem/spanish"
	"github.com/blevesearch/snowballstem/swedish"
	"github.com/blevesearch/snowballstem/turkish"
)

// Language is the code of a language of Latin script whose words are stemmed,
// such as "en". Other scripts need none: a word of Cyrillic letters is stemmed
// as Russian, one of Arabic letters as Arabic, and scripts that put no spaces
// between words are taken in pairs of characters.
type Language string

// stemmers are the languages that are told apart. Words of others are matched
// as they are written.
var stemmers = map[Language]func(*snowballstem.Env) bool{
	"ar": arabic.Stem, "da": danish.Stem, "de": german.Stem, "en": english.Stem, "es": spanish.Stem,
	"fi": finnish.Stem, "fr": french.Stem, "hu": hungarian.Stem, "it": italian.Stem, "nl": dutch.Stem,
	"no": norwegian.Stem, "pt": portuguese.Stem, "ro": romanian.Stem, "ru": russian.Stem, "sv": swedish.Stem,
	"tr": turkish.Stem,
}

// fallback is the language of a Latin text that is too short to tell.
const fallback Language = "en"

// Languages lists the languages that have a stemmer, for help texts.
func Languages() []Language {
	return []Language{"ar", "da", "de", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ro", "ru", "sv", "tr"}
}

// script is a way of writing, as far as the cutting into terms differs.
type script uint8

const (
	scriptOther script = iota // no word character
	scriptLatin               // and whatever separates words by spaces
	scriptCyrillic
	scriptArabic
	scriptHan      // each character may be a word
	scriptUnspaced // kana, Hangul, Thai, Lao, Khmer, Burmese: pairs of characters
	scriptSymbol   // emoji: each is a word
)

func scriptOf(r rune) script {
	switch {
	case r < 0x80:
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return scriptLatin
		}
		return scriptOther
	case r < 0x400:
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			return scriptLatin
		}
		return scriptOther
	case r <= 0x52f:
		return scriptCyrillic
	case unicode.Is(unicode.Han, r):
		return scriptHan
	case unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar),
		r == 'ー', r == 'ｰ', 0xff9e <= r && r <= 0xff9f:
		return scriptUnspaced
	case unicode.Is(unicode.Arabic, r):
		if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || r == 0x640 {
			return scriptArabic
		}
		return scriptOther
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r) && !unicode.Is(unicode.Variation_Selector, r):
		return scriptLatin
	case r >= 0x2600 && unicode.Is(unicode.So, r):
		return scriptSymbol
	}
	return scriptOther
}

// detect returns the language of a Latin text of which counts tells how many
// different little words of each language it has. Short of two of them, or
// where English has nearly as many, it is the fallback.
func detect(counts *[16]int) Language {
	best := 0
	for i, n := range counts {
		if n > counts[best] {
			best = i
		}
	}
	if counts[best] < 2 || counts[best] <= 2*counts[0] {
		return fallback
	}
	return latinLanguages[best]
}

// stemWord returns the stem of a folded word. A word that the stemmer does not
// like stays whole.
func stemWord(lang Language, word string) (stem string) {
	f := stemmers[lang]
	if f == nil || len(word) > maxTermBytes {
		return word
	}
	defer func() {
		if recover() != nil || stem == "" {
			stem = word
		}
	}()
	env := snowballstem.NewEnv(word)
	f(env)
	return env.Current()
}
