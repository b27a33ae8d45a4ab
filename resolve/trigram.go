package resolve

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"
)

// MaxTrigramText is how much of a text [Similarity] and [Containment] read, in
// bytes. Names are far shorter.
const MaxTrigramText = 1 << 16

// Similarity returns how much of the trigrams of a and b is common to both,
// from 0 to 1: the number of shared ones divided by the number of different
// ones (Jaccard). For text in Latin letters it is what PostgreSQL's extension
// pg_trgm gives as similarity(a, b).
//
// As there, a text is lower-cased character by character and split into words
// of letters and digits; each word is padded with two spaces before and one
// behind; trigrams are counted once, wherever they occur. A text without a
// letter or digit has none, and is similar to nothing.
//
// In scripts that use combining marks as letters, the marks belong to the word
// (in PostgreSQL some of them end it). In scripts without spaces a run of
// characters is one word, whose padding makes its first two and last two
// characters trigrams as well: two names of two characters that share the
// first one have a similarity of 1/5, that share none, 0.
func Similarity(a, b string) float64 {
	x, y := trigrams(a), trigrams(b)
	shared := countShared(x, y)
	if shared == 0 {
		return 0
	}
	return float64(shared) / float64(len(x)+len(y)-shared)
}

// Containment returns which part of the trigrams of the shorter text (the one
// with fewer of them) occurs in the other, from 0 to 1. It is 1 where every
// word of the one stands in the other, however long that is.
func Containment(a, b string) float64 {
	x, y := trigrams(a), trigrams(b)
	shared := countShared(x, y)
	if shared == 0 {
		return 0
	}
	return float64(shared) / float64(min(len(x), len(y)))
}

// trigram is three characters in one number, 21 bits each.
type trigram uint64

func makeTrigram(a, b, c rune) trigram {
	return trigram(a)<<42 | trigram(b)<<21 | trigram(c)
}

// trigrams returns the sorted set of the trigrams of text.
func trigrams(text string) []trigram {
	return appendTrigrams(make([]trigram, 0, len(text)+8), text)
}

// appendTrigrams appends the sorted set of the trigrams of text to dst, which
// has to be empty.
func appendTrigrams(dst []trigram, text string) []trigram {
	if len(text) > MaxTrigramText {
		text = text[:MaxTrigramText]
	}
	a, b := ' ', ' '
	inside := false
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		i += size
		if !isTrigramRune(r) {
			if inside {
				dst = append(dst, makeTrigram(a, b, ' '))
				a, b, inside = ' ', ' ', false
			}
			continue
		}
		if r < utf8.RuneSelf {
			if 'A' <= r && r <= 'Z' {
				r += 'a' - 'A'
			}
		} else {
			r = unicode.ToLower(r)
		}
		dst = append(dst, makeTrigram(a, b, r))
		a, b, inside = b, r, true
	}
	if inside {
		dst = append(dst, makeTrigram(a, b, ' '))
	}
	slices.Sort(dst)
	return slices.Compact(dst)
}

// isTrigramRune reports whether r makes words: what the C library calls
// alphanumeric in a UTF-8 locale, and the marks that belong to one script,
// such as the virama.
func isTrigramRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	if unicode.IsLetter(r) || unicode.Is(unicode.Nd, r) {
		return true
	}
	if unicode.In(r, unicode.Nl, unicode.Other_Alphabetic) {
		return true
	}
	return unicode.IsMark(r) && !unicode.In(r, unicode.Inherited, unicode.Common)
}

// countShared counts the common elements of two sorted sets.
func countShared[T cmp.Ordered](x, y []T) int {
	n := 0
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0] < y[0]:
			x = x[1:]
		case x[0] > y[0]:
			y = y[1:]
		default:
			n++
			x, y = x[1:], y[1:]
		}
	}
	return n
}
