package tokens

import (
	"unicode"
	"unicode/utf8"
)

// Estimate returns a counter for models whose vocabulary is not at hand. It
// walks the text once and prices words by script and length, digits in groups
// of three, runs of punctuation and white space, and emoji one by one. The
// prices are fitted to o200k_base, the largest public vocabulary and so the
// nearest to what current models use; older vocabularies need two to three
// times as many tokens outside the Latin script, which [Scaled] can express.
//
// Measured on prose that the prices were not fitted to, the estimate is within
// 15 % of o200k_base for English, German, French, Spanish, Russian, Chinese,
// Japanese, Korean, Arabic and source code, and within 25 % for Polish,
// Vietnamese, Ukrainian, Greek, Hebrew, Thai, Hindi, emoji and mixed text; the
// package's tests hold it to that. Texts of a few words vary more.
//
// The estimate of two texts joined is near the sum of their estimates: the seam
// changes it by a few tokens, and a change of language within one script (the
// price of a Latin or Cyrillic word depends on which letters the whole text
// uses) by less than a factor of two.
func Estimate() Counter { return estimator{} }

type estimator struct{}

func (estimator) Count(text string) int { return estimate(text) }
func (estimator) String() string        { return "estimate" }

// class says how a character is priced.
type class uint8

const (
	space class = iota
	newline
	digit
	punct // ASCII punctuation and the marks of European typography
	symbol
	emoji
	joiner // zero-width joiner, variation selectors, skin tones
	latin
	latinExtra // Latin letters beyond ASCII
	cyrillic
	cyrillicExtra // Cyrillic letters that Russian does not use
	greek
	hebrew
	arabic
	indic
	thai
	hangul
	kana
	han
	cjkPunct
	otherLetter
	classes
)

// price of a word in thousandths of a token: at least one token, first plus
// letter for each character.
type price struct{ first, letter int }

var wordPrices = [classes]price{
	cyrillic:      {620, 194},
	cyrillicExtra: {450, 361},
	greek:         {0, 480},
	hebrew:        {160, 403},
	arabic:        {300, 333},
	indic:         {140, 351},
	thai:          {300, 415},
	hangul:        {650, 564},
	kana:          {0, 930},
	han:           {0, 850},
	otherLetter:   {200, 600},
}

// Prices in thousandths of a token.
const (
	token         = 1000
	latinFree     = 4    // letters of a Latin word that cost nothing extra
	latinLetter   = 40   // each further letter
	latinForeign  = 120  // … in addition, in a text with many accented words
	latinDistant  = 220  // … in addition, in a text with many words of Latin Extended-A
	latinAccent   = 330  // each accented letter of western Europe and Vietnam
	latinEastern  = 700  // … of Latin Extended-A (ą, č, ő, ş), which the vocabularies know less well
	latinAccents  = 1400 // the most that the accents of a word cost
	latinCapital  = 260  // each letter of a word in capitals beyond the third
	latinRun      = 300  // each letter beyond latinRunFrom: no word is that long
	latinRunFrom  = 14   //
	punctMore     = 330  // each further character of a run of punctuation
	punctRepeat   = 60   // … when it repeats the one before
	punctGlued    = 700  // one mark glued to the front of a word
	symbolPrice   = 1400 // ★, →, ½
	emojiPrice    = 1650
	joinerPrice   = 800
	cjkPunctPrice = 800
)

// estimate is the count of Estimate.
func estimate(text string) int {
	var w walker
	for text != "" {
		w.run(&text)
	}
	return w.total()
}

// walker adds up the price of a text, run by run. What depends on the language
// of the whole text is summed apart and priced at the end.
type walker struct {
	sum int // thousandths of a token

	words    int // Latin words
	accented int // … with accents
	eastern  int // … with letters of Latin Extended-A
	spare    int // letters beyond latinFree in words without accents

	russian, slavic int // price of the Cyrillic words by either price
	beyond          int // Cyrillic letters that Russian does not use
	letters         int // Cyrillic letters

	last  class // class of the run before
	first bool  // whether a run came before
}

// total returns the tokens, rounded, at least one for anything that costs.
func (w *walker) total() int {
	sum := w.sum + w.spare*latinLetter
	switch {
	case w.eastern*10 > w.words:
		sum += w.spare * latinDistant
	case w.accented*25 > w.words:
		sum += w.spare * latinForeign
	}
	if w.beyond*100 >= w.letters {
		sum += w.slavic
	} else {
		sum += w.russian
	}
	if sum > 0 && sum < token {
		return 1
	}
	return (sum + token/2) / token
}

// run takes one run of characters of the same kind off the text and prices it.
func (w *walker) run(text *string) {
	s := *text
	r, size := utf8.DecodeRuneInString(s)
	c := classOf(r)
	var end int
	switch c {
	case latin, latinExtra:
		end = w.latinWord(s)
	case cyrillic, cyrillicExtra:
		end = w.cyrillicWord(s)
	case space, newline:
		end = w.gap(s)
	case digit:
		n := 0
		n, end = count(s, digit, digit)
		w.sum += (n + 2) / 3 * token
		if w.last == space && w.first {
			w.sum += token // a space is part of a word, but not of a number
		}
	case punct:
		end = w.punctuation(s)
	case symbol:
		w.sum += symbolPrice
		end = size
	case emoji:
		w.sum += emojiPrice
		end = size
	case joiner:
		w.sum += joinerPrice
		end = size
	case cjkPunct:
		w.sum += cjkPunctPrice
		end = size
	default:
		n := 0
		n, end = count(s, c, c)
		w.sum += max(token, wordPrices[c].first+n*wordPrices[c].letter)
	}
	w.last, w.first = c, true
	*text = s[end:]
}

// count returns how many characters of class a or b the text begins with, and
// where they end.
func count(s string, a, b class) (n, end int) {
	for end < len(s) {
		r, size := utf8.DecodeRuneInString(s[end:])
		if c := classOf(r); c != a && c != b && !unicode.Is(unicode.Mn, r) {
			break
		}
		n++
		end += size
	}
	return n, end
}

// latinWord prices one word. A capital after a small letter begins a new word,
// as it does in the vocabularies.
func (w *walker) latinWord(s string) (end int) {
	letters, accents, capitals := 0, 0, 0
	small := false
	for end < len(s) {
		r, size := utf8.DecodeRuneInString(s[end:])
		c := classOf(r)
		upper := unicode.IsUpper(r)
		if c == latin && upper && small {
			break
		}
		switch {
		case c == latin:
		case c == latinExtra && r >= 0x100 && r < 0x180 && r != 'đ' && r != 'Đ':
			accents += latinEastern
		case c == latinExtra, unicode.Is(unicode.Mn, r):
			accents += latinAccent
		default:
			w.addLatin(letters, accents, capitals, small)
			return end
		}
		letters++
		if upper {
			capitals++
		} else {
			small = true
		}
		end += size
	}
	w.addLatin(letters, accents, capitals, small)
	return end
}

func (w *walker) addLatin(letters, accents, capitals int, small bool) {
	w.words++
	w.sum += token
	if letters > latinRunFrom {
		w.sum += (letters - latinRunFrom) * latinRun
	}
	switch {
	case accents > 0:
		w.accented++
		if accents >= latinEastern {
			w.eastern++
		}
		w.sum += min(accents, latinAccents)
		w.sum += max(0, letters-latinFree) * latinForeign
	case capitals > 3 && !small:
		w.sum += (capitals - 3) * latinCapital
	default:
		w.spare += max(0, min(letters, latinRunFrom)-latinFree)
	}
}

func (w *walker) cyrillicWord(s string) int {
	n, end := 0, 0
	for end < len(s) {
		r, size := utf8.DecodeRuneInString(s[end:])
		c := classOf(r)
		if c == cyrillicExtra {
			w.beyond++
		} else if c != cyrillic {
			break
		}
		n++
		end += size
	}
	w.letters += n
	w.russian += max(token, wordPrices[cyrillic].first+n*wordPrices[cyrillic].letter)
	w.slavic += max(token, wordPrices[cyrillicExtra].first+n*wordPrices[cyrillicExtra].letter)
	return end
}

// gap prices white space: one space belongs to the word after it, a run of
// spaces is a token, and so is a run of line breaks unless a mark before them
// takes them in.
func (w *walker) gap(s string) int {
	n, end, breaks := 0, 0, 0
	for end < len(s) {
		r, size := utf8.DecodeRuneInString(s[end:])
		c := classOf(r)
		if c != space && c != newline {
			break
		}
		if c == newline {
			breaks++
			n = 0
		} else {
			n++
		}
		end += size
	}
	if breaks > 0 && w.last != punct {
		w.sum += token
	}
	if breaks > 16 {
		w.sum += (breaks - 16) * token / 16
	}
	if n > 1 {
		w.sum += token + n/64*token
	}
	return end
}

func (w *walker) punctuation(s string) int {
	n, end, cost := 0, 0, token
	var before rune
	for end < len(s) {
		r, size := utf8.DecodeRuneInString(s[end:])
		if classOf(r) != punct {
			break
		}
		switch {
		case n == 0:
		case r == before:
			cost += punctRepeat
		default:
			cost += punctMore
		}
		before = r
		n++
		end += size
	}
	if n == 1 && end < len(s) {
		next, _ := utf8.DecodeRuneInString(s[end:])
		if c := classOf(next); c == latin && (w.last == space || w.last == newline || w.last == latin) {
			cost = punctGlued
		}
	}
	w.sum += cost
	return end
}

// classOf returns how a character is priced.
func classOf(r rune) class {
	switch {
	case r < 0x80:
		return asciiClasses[r]
	case r < 0x250:
		switch {
		case r == 0xA0 || r == 0x85:
			return space
		case r < 0xC0 && r != 0xAA && r != 0xB5 && r != 0xBA, r == 0xD7, r == 0xF7:
			return punct
		}
		return latinExtra
	case r >= 0x370 && r < 0x400 || r >= 0x1F00 && r < 0x2000:
		return greek
	case r >= 0x410 && r < 0x450 || r == 'ё' || r == 'Ё':
		return cyrillic
	case r >= 0x400 && r < 0x530:
		return cyrillicExtra
	case r >= 0x590 && r < 0x600:
		return hebrew
	case r >= 0x600 && r < 0x780 || r >= 0xFB50 && r < 0xFE00 || r >= 0xFE70 && r < 0xFEFF:
		return arabic
	case r >= 0x900 && r < 0xE00:
		return indic
	case r >= 0xE00 && r < 0xF00:
		return thai
	case r >= 0x1E00 && r < 0x1F00:
		return latinExtra
	case r >= 0x2000 && r < 0x2100:
		switch {
		case r <= 0x200A || r == 0x202F:
			return space
		case r == 0x2028 || r == 0x2029:
			return newline
		case r == 0x200D || r == 0x20E3:
			return joiner
		}
		return punct
	case r >= 0x3000 && r < 0x3040 || r >= 0xFF00 && r < 0xFF10 || r >= 0xFF1A && r < 0xFF21 || r >= 0xFF5B && r < 0xFF66:
		return cjkPunct
	case r >= 0x3040 && r < 0x3130 || r >= 0xFF66 && r < 0xFFA0:
		return kana
	case r >= 0xAC00 && r < 0xD7B0 || r >= 0x1100 && r < 0x1200 || r >= 0x3130 && r < 0x3190:
		return hangul
	case r >= 0x3400 && r < 0xA000 || r >= 0xF900 && r < 0xFB00 || r >= 0x20000 && r < 0x32000:
		return han
	case r >= 0xFE00 && r < 0xFE10 || r >= 0x1F3FB && r < 0x1F400:
		return joiner
	case r >= 0x2600 && r < 0x27C0 || r >= 0x1F000 && r < 0x1FB00:
		return emoji
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return otherLetter
	case unicode.IsSpace(r):
		return space
	}
	return symbol
}

var asciiClasses = func() (table [0x80]class) {
	for r := range rune(0x80) {
		switch {
		case r == '\n' || r == '\r':
			table[r] = newline
		case r <= ' ' || r == 0x7F:
			table[r] = space
		case r >= '0' && r <= '9':
			table[r] = digit
		case r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z':
			table[r] = latin
		default:
			table[r] = punct
		}
	}
	return table
}()
