package engine

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// cutText returns the front of a text that has at most so many tokens, ending at
// the end of a sentence; if no sentence fits, at the end of a word; if no word
// fits, wherever it must.
func cutText(text string, tokens int, t Tokenizer) string {
	fits := func(end int) bool { return t.Count(strings.TrimRightFunc(text[:end], unicode.IsSpace)) <= tokens }
	for _, ends := range [...][]int{sentenceEnds(text), wordEnds(text)} {
		if n := sort.Search(len(ends), func(i int) bool { return !fits(ends[i]) }); n > 0 {
			return strings.TrimRightFunc(text[:ends[n-1]], unicode.IsSpace)
		}
	}
	// Characters: the greatest offset that fits, moved back to a border.
	end := runeStart(text, sort.Search(len(text), func(i int) bool { return t.Count(text[:runeStart(text, i+1)]) > tokens }))
	for end > 0 && t.Count(text[:end]) > tokens {
		end = runeStart(text, end-1) // a tokenizer need not be monotonous
	}
	return text[:end]
}

// runeStart moves an offset back to the start of a character.
func runeStart(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// firstBytes returns at most n bytes of s, whole characters only.
func firstBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:runeStart(s, n)]
}

// sentenceEnds lists the offsets behind the sentences of a text: behind a full
// stop and what closes it, if white space or the end follows; behind the full
// stops of scripts without spaces always; and behind every line.
func sentenceEnds(text string) []int {
	var ends []int
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch r {
		case '\n':
			ends = append(ends, i)
		case '。', '！', '？', '｡', '।', '۔', '။', '።':
			i = skipClosers(text, i)
			ends = append(ends, i)
		case '.', '!', '?', '…', '؟':
			i = skipClosers(text, i)
			next, _ := utf8.DecodeRuneInString(text[i:])
			if i == len(text) || unicode.IsSpace(next) {
				ends = append(ends, i)
			}
		}
	}
	return ends
}

// skipClosers moves behind further full stops, quotes and brackets.
func skipClosers(text string, i int) int {
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !strings.ContainsRune(".!?…。！？\"'”’»)]」』）*_", r) {
			break
		}
		i += size
	}
	return i
}

// wordEnds lists the offsets at which white space begins.
func wordEnds(text string) []int {
	var ends []int
	inside := false
	for i, r := range text {
		space := unicode.IsSpace(r)
		if space && inside {
			ends = append(ends, i)
		}
		inside = !space
	}
	return ends
}
