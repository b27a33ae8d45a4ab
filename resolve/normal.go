package resolve

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weft-memory/weft/match"
)

// MaxName is how much of a name is read, in bytes; the rest of a longer one
// still counts for equality.
const MaxName = 1024

// Normal returns the normal form of a name: names that differ only in what
// writers vary have the same one. It is the key of aliases and of keyed lists.
//
// Compatibility forms, width and case are made equal (NFKC, full case
// folding), and so are accents (é and e, й and и, vowel points), kinds of
// Arabic alef, and ligatures (æ and ae). Hyphens, dashes, middle dots, slashes
// and underscores become spaces. Apostrophes and other punctuation vanish; the
// word "and" and its sign are one. One leading article goes (English, German,
// French, Spanish, Italian, Portuguese, Dutch, Greek), if a word is left.
// Letters of no script are ever removed. If nothing is left, the
// trimmed name itself is returned.
//
// It keeps honorifics, numbers, epithets and what stands in parentheses: those
// tell namesakes apart, and only [Decide] knows when they may be passed over.
func Normal(name string) string {
	words := tokenize(name)
	words = words[leadingArticle(words):]
	if len(words) == 0 {
		return strings.TrimSpace(name)
	}
	return joinWords(words, " ")
}

// word is one word of a name, folded.
type word struct {
	text string
	// strict is the word with its accents; equal to text if it has none.
	strict string
	// upper tells that all its letters were capitals.
	upper bool
	// lower tells that its first letter was a small one.
	lower bool
	// hyphen tells that a hyphen joined it to the word before.
	hyphen bool
	// comma tells that a comma stood before it.
	comma bool
	lex   *lexeme
}

func joinWords(words []word, sep string) string {
	if len(words) == 1 {
		return words[0].text
	}
	n := 0
	for i := range words {
		n += len(words[i].text) + len(sep)
	}
	var b strings.Builder
	b.Grow(n)
	for i := range words {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(words[i].text)
	}
	return b.String()
}

// leadingArticle returns how many words at the start are an article: 0 or 1,
// and 0 if nothing would be left.
func leadingArticle(words []word) int {
	if len(words) < 2 || words[0].lex == nil || words[0].lex.article == 0 {
		return 0
	}
	switch next := words[1].text; words[0].text {
	case "an": // "an owl", not "An Na"
		if !strings.ContainsRune("aeiouh", rune(next[0])) {
			return 0
		}
	case "a":
		if strings.ContainsRune("aeio", rune(next[0])) {
			return 0
		}
	}
	return 1
}

// tokenize splits a name into folded words. Brackets count as space: the
// caller takes their contents out first where they matter.
func tokenize(name string) []word { return appendWords(nil, name) }

// appendWords appends the words of a name to dst, which has to be empty.
func appendWords(dst []word, name string) []word {
	words := dst
	if isASCII(name) {
		words = tokenizeASCII(words, name)
	} else {
		words = tokenizeUnicode(words, name)
	}
	// "and" and its sign are one word, and so are "saint" and its short forms.
	for i := range max(len(words)-1, 0) {
		x := words[i].lex
		switch {
		case x == nil:
		case i > 0 && x.and:
			words[i].text, words[i].strict = "&", "&"
		case words[i].text == "st" || words[i].text == "sankt":
			words[i].text, words[i].strict = "saint", "saint"
		}
	}
	return words
}

// tokenizeUnicode is tokenize for any name.
func tokenizeUnicode(words []word, name string) []word {
	var b strings.Builder
	b.Grow(len(name))
	for _, r := range name {
		// NFKC would turn these into a space and an accent.
		if isApostrophe(r) {
			r = '\''
		}
		if !isInvisible(r) {
			b.WriteRune(r)
		}
	}
	text := b.String()
	hyphen, comma := false, false
	start := -1
	flush := func(end int) {
		if start < 0 {
			return
		}
		before := len(words)
		words = appendWord(words, text[start:end])
		if len(words) > before {
			words[before].hyphen, words[before].comma = hyphen, comma
			hyphen, comma = false, false
		}
		start = -1
	}
	for i, r := range text {
		switch {
		case isNameRune(r):
			if start < 0 {
				start = i
			}
		case r == '\'':
			// It stays inside a word, for the rule of elision.
		case r == ',' || r == '、' || r == '，' || r == '،':
			flush(i)
			comma = len(words) > 0
		case r == '&' || r == '＆':
			flush(i)
			words = append(words, word{text: "&", strict: "&", lex: lexicon["&"]})
		default:
			flush(i)
			hyphen = unicode.Is(unicode.Pd, r) || r == 0x2212
		}
	}
	flush(len(text))
	return words
}

// appendWord folds one raw word, which may hold apostrophes.
func appendWord(words []word, raw string) []word {
	if i := strings.IndexByte(raw, '\''); i >= 0 {
		head := match.FoldNFKC.Apply(raw[:i])
		rest := strings.ReplaceAll(raw[i:], "'", "")
		if (head == "l" || head == "un") && rest != "" {
			words = append(words, word{text: "l", strict: "l", lower: true, lex: lexicon["l"]})
			raw = rest
		} else {
			raw = raw[:i] + rest
		}
		if raw == "" {
			return words
		}
	}
	first, _ := utf8.DecodeRuneInString(raw)
	w := word{lower: unicode.IsLower(first), upper: isUpperWord(raw)}
	// A fold may give spaces or signs (fractions, ellipses); they part words.
	strict := match.FoldNFKC.Apply(raw)
	if piece := strings.FieldsFunc(strict, func(r rune) bool { return !isNameRune(r) }); len(piece) != 1 {
		for _, p := range piece {
			text := foldLetters(p)
			words = append(words, word{text: text, strict: p, lex: lexicon[text]})
		}
		return words
	}
	w.strict = strict
	w.text = foldLetters(strict)
	if isArabic(w.text) {
		w.text = trimArabicArticle(w.text)
	}
	w.lex = lexicon[w.text]
	return append(words, w)
}

// foldLetters is foldAccents for words; one that is nothing but accents stays.
func foldLetters(s string) string {
	if text := foldAccents(s); text != "" {
		return text
	}
	return s
}

// foldAccents takes the accents off a folded word and spells ligatures out.
func foldAccents(s string) string {
	if isASCII(s) {
		return s
	}
	s = match.FoldNFKCNoAccents.Apply(s)
	if strings.ContainsAny(s, "æœþðßĳ") {
		s = ligatures.Replace(s)
	}
	if strings.IndexFunc(s, func(r rune) bool { return r >= 0x600 && r < 0x700 }) >= 0 {
		s = arabicLetters.Replace(s)
	}
	return s
}

var (
	ligatures     = strings.NewReplacer("æ", "ae", "œ", "oe", "þ", "th", "ð", "d", "ß", "ss", "ĳ", "ij")
	arabicLetters = strings.NewReplacer("ة", "ه", "ى", "ي", "ٱ", "ا", "ک", "ك", "ی", "ي")
	umlauts       = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ø", "oe", "å", "aa")
)

// trimArabicArticle takes the article off an Arabic word of five letters or
// more.
func trimArabicArticle(s string) string {
	if rest, ok := strings.CutPrefix(s, "ال"); ok && utf8.RuneCountInString(rest) >= 3 {
		return rest
	}
	return s
}

func isArabic(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r >= 0x600 && r < 0x700
}

// tokenizeASCII is tokenize for the names that most books are full of.
func tokenizeASCII(words []word, name string) []word {
	folded := true
	for i := 0; i < len(name); i++ {
		c := name[i]
		if 'A' <= c && c <= 'Z' || c == '\'' || c == '`' || c < ' ' || c == 0x7f {
			folded = false
		}
	}
	text := name
	if !folded {
		buf := make([]byte, 0, len(name)+2)
		for i := 0; i < len(name); i++ {
			switch c := name[i]; {
			case 'A' <= c && c <= 'Z':
				buf = append(buf, c+'a'-'A')
			case c == '\'' || c == '`':
				// An article with an apostrophe is a word of its own.
				if k := len(buf); i+1 < len(name) && isASCIIWord(name[i+1]) && elides(buf[:k]) {
					buf = append(buf, 1)
				} else {
					buf = append(buf, 2)
				}
			default:
				buf = append(buf, c)
			}
		}
		text = string(buf)
	}
	hyphen, comma := false, false
	for i := 0; i < len(text); {
		c := text[i]
		if !isASCIIWord(c) {
			switch c {
			case ',':
				comma = len(words) > 0
			case '&':
				words = append(words, word{text: "&", strict: "&", lex: lexicon["&"]})
			case 1, 2:
			default:
				hyphen = c == '-'
			}
			i++
			continue
		}
		start := i
		upper, letters := true, 0
		apostrophe := false
		for i < len(text) && (isASCIIWord(text[i]) || text[i] == 2) {
			apostrophe = apostrophe || text[i] == 2
			// text and name have the same offsets: each byte gave one.
			if c := name[i]; 'a' <= c && c <= 'z' {
				upper = false
				letters++
			} else if 'A' <= c && c <= 'Z' {
				letters++
			}
			i++
		}
		w := word{
			text: text[start:i], hyphen: hyphen, comma: comma,
			upper: upper && letters > 0,
			lower: 'a' <= name[start] && name[start] <= 'z',
		}
		if apostrophe {
			w.text = strings.ReplaceAll(w.text, "\x02", "")
		}
		w.strict = w.text
		if w.text == "un" && i < len(text) && text[i] == 1 {
			w.text, w.strict = "l", "l"
		}
		w.lex = lexicon[w.text]
		words = append(words, w)
		hyphen, comma = false, false
	}
	return words
}

// elides reports whether buf ends in an article that is written with an
// apostrophe.
func elides(buf []byte) bool {
	n := len(buf)
	switch {
	case n >= 1 && buf[n-1] == 'l':
		return n == 1 || !isASCIIWord(buf[n-2])
	case n >= 2 && buf[n-2] == 'u' && buf[n-1] == 'n':
		return n == 2 || !isASCIIWord(buf[n-3])
	}
	return false
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isASCIIWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || asciiSymbol(c)
}

// asciiSymbol tells the signs that are no punctuation: they stay in names.
func asciiSymbol(c byte) bool {
	return c == '+' || c == '$' || c == '='
}

// isNameRune reports whether r stays in names: whatever is no space,
// punctuation, control or invisible character.
func isNameRune(r rune) bool {
	if r < utf8.RuneSelf {
		return isASCIIWord(byte(r))
	}
	switch r {
	case '＝', '～', '〜', '｜': // signs that part the words of Japanese names
		return false
	}
	return !unicode.IsSpace(r) && !unicode.IsPunct(r) && !unicode.IsControl(r) &&
		!unicode.Is(unicode.Sk, r)
}

// isApostrophe tells the many signs that are typed for an apostrophe.
func isApostrophe(r rune) bool {
	switch r {
	case '\'', '`', '´', '‘', '’', '‛', 'ʼ', 'ʻ', 'ʹ', 'ʽ', 'ʾ', 'ʿ', '′', '＇', '׳', '‵', '΄':
		return true
	}
	return false
}

// isInvisible tells characters without width or look of their own, and the
// Arabic letter stretcher.
func isInvisible(r rune) bool {
	return r >= utf8.RuneSelf &&
		(r == 'ـ' || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r))
}

func isUpperWord(s string) bool {
	letters := false
	for _, r := range s {
		if unicode.IsLower(r) {
			return false
		}
		letters = letters || unicode.IsUpper(r)
	}
	return letters
}

// foldKana makes hiragana katakana, so that two ways to write a sound are one.
func foldKana(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return 0x3041 <= r && r <= 0x3096 }) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if 0x3041 <= r && r <= 0x3096 {
			return r + 0x60
		}
		return r
	}, s)
}
