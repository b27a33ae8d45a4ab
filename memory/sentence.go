package memory

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences splits a text into sentences, each with the white space behind it;
// joined they are the text, byte for byte. White space at the head of the text
// belongs to the first.
//
// A line break ends a sentence, and so do the full stops of scripts that put no
// space behind them. A full stop of Latin kind ends one where white space
// follows and the next word does not begin in lower case, unless it belongs to
// an abbreviation, an initial, or the number of a list. In doubt two sentences
// stay one.
func Sentences(text string) []string {
	toks := tokens(text)
	var out []string
	for i := 0; i < len(toks); i++ {
		s := toks[i]
		if isGap(s) && i+1 < len(toks) { // only at the head
			i++
			s += toks[i]
		}
		if i+1 < len(toks) && isGap(toks[i+1]) {
			i++
			s += toks[i]
		}
		out = append(out, s)
	}
	return out
}

// tokens splits a text into sentences and the white space between, in turn.
func tokens(text string) []string {
	var out []string
	start := 0
	for start < len(text) {
		end := start + gapLen(text[start:])
		if end == start {
			end = sentenceEnd(text, start)
		}
		out = append(out, text[start:end])
		start = end
	}
	return out
}

func isGap(s string) bool { return gapLen(s) == len(s) }

func gapLen(s string) int { return len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace)) }

// sentenceEnd returns where the sentence that begins at start ends, without
// the white space behind it.
func sentenceEnd(text string, start int) int {
	last := start // behind the last character that is no space
	for i := start; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		if r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' {
			return last
		}
		if !unicode.IsSpace(r) {
			last = i
		}
		switch {
		case endsAlways(r):
			end, quoted := skipClosers(text, i)
			if !quoted || !quoteGoesOn(text[end:]) {
				return end
			}
			i, last = end, end
		case r == '.', r == '!', r == '?', r == '…', r == '؟', r == '‽':
			end, _ := skipClosers(text, i)
			if end < len(text) && gapLen(text[end:]) == 0 {
				if r == '.' || r == '…' || end == i {
					i, last = end, end // 3.14, a.b, Really?!No
					continue
				}
			}
			if endsHere(text, start, i, end) {
				return end
			}
			i, last = end, end
		}
	}
	return last
}

// endsAlways reports whether a full stop needs no white space behind it.
func endsAlways(r rune) bool {
	switch r {
	case '。', '！', '？', '｡', '．', '।', '॥', '۔', '።', '։', '។', '။', '།':
		return true
	}
	return false
}

const (
	closers = "\"'”’»›)]}）」』】》〉〕｣*_~"
	openers = "\"'“‘«‹([{（「『【《〈〔｢*_~¿¡-–—"
)

// skipClosers moves behind further full stops, quotes and brackets. quoted
// says that a quotation ended.
func skipClosers(text string, i int) (end int, quoted bool) {
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case strings.ContainsRune(closers, r):
			quoted = quoted || !strings.ContainsRune("*_~", r)
		case endsAlways(r), strings.ContainsRune(".!?…؟‽", r):
		default:
			return i, quoted
		}
		i += size
	}
	return i, quoted
}

// quoteGoesOn reports whether what follows a quotation is part of its
// sentence, as Japanese does with a particle.
func quoteGoesOn(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return r == 'と' || r == 'っ' || r == '、' || r == '，'
}

// endsHere decides about a full stop that ends at stop, with closers at end,
// behind which white space or the end of the text follows.
func endsHere(text string, start, stop, end int) bool {
	rest := text[end:]
	gap := gapLen(rest)
	if strings.ContainsAny(rest[:gap], "\n\r\u2028\u2029") || gap == len(rest) {
		return true
	}
	next := strings.TrimLeft(rest[gap:], openers)
	r, _ := utf8.DecodeRuneInString(next)
	if unicode.IsLower(r) || r == ',' || r == ';' || r == ':' {
		return false
	}
	if text[stop-1] != '.' || end > stop && text[stop] == '.' {
		return true // no full stop, or an ellipsis
	}
	return !abbreviated(text[start:stop-1], unicode.IsDigit(r))
}

// abbreviated reports whether the full stop behind s belongs to its last word.
func abbreviated(s string, number bool) bool {
	word := s[strings.LastIndexFunc(s, unicode.IsSpace)+1:]
	first := len(word) == len(s)
	word = strings.TrimLeft(word, openers)
	if word == "" {
		return false
	}
	if first && strings.TrimLeft(word, "0123456789") == "" {
		return true // 1. the number of a list
	}
	if utf8.RuneCountInString(word) == 1 {
		r, _ := utf8.DecodeRuneInString(word)
		return unicode.IsUpper(r) && r != 'I' || unicode.IsLower(r) && unicode.Is(unicode.Cyrillic, r)
	}
	if initials(word) {
		return true
	}
	kind, ok := abbreviations[strings.ToLower(word)]
	return ok && (kind == anywhere || number)
}

// initials reports whether a word is made of letters with full stops between:
// U.S, e.g, т.е.
func initials(word string) bool {
	parts := strings.Split(word, ".")
	for _, p := range parts {
		if n := utf8.RuneCountInString(p); n != 1 {
			return false
		}
	}
	return len(parts) > 1
}

type abbreviation int

const (
	anywhere abbreviation = iota
	beforeNumber
)

// abbreviations are words whose full stop ends no sentence. Those that are
// words of their own too count before a number only.
var abbreviations = func() map[string]abbreviation {
	out := map[string]abbreviation{}
	for _, w := range strings.Fields("mr mrs ms mx dr prof sr jr st ste mt ft sgt capt cpt lt col gen maj adm cmdr rev hon gov sen rep pres messrs mme mlle " +
		"vs cf ca approx dept inc ltd corp bros esq viz etc ibid " +
		"z.b d.h bzw usw evtl ggf hr fr sog inkl " +
		"sra srta dña ud uds sig dott avv ing dott.ssa им ул гг ст проф") {
		out[w] = anywhere
	}
	for _, w := range strings.Fields("no nr nos p pp vol ch sec fig art op jan feb mar apr jun jul aug sep sept oct nov dec стр рис") {
		out[w] = beforeNumber
	}
	return out
}()

// sentenceKey is what two sentences are compared by: white space counts once.
func sentenceKey(s string) string {
	space := false
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c < ' ' || c == ' ' && space { // the rare case
			return strings.Join(strings.Fields(s), " ")
		}
		space = s[i] == ' '
	}
	return s
}

// sentenceSet returns the keys of the sentences of some texts.
func sentenceSet(texts ...string) map[string]bool {
	if len(texts) == 1 {
		return sentenceSetOf(tokens(texts[0]))
	}
	set := map[string]bool{}
	for _, text := range texts {
		for key := range sentenceSetOf(tokens(text)) {
			set[key] = true
		}
	}
	return set
}

func sentenceSetOf(toks []string) map[string]bool {
	set := make(map[string]bool, len(toks)/2+1)
	for _, t := range toks {
		if !isGap(t) {
			set[sentenceKey(t)] = true
		}
	}
	return set
}
