package history

import (
	"strings"
	"unicode"
)

// maxWords bounds how many words of two texts are compared.
const maxWords = 4000

// similar says how much two texts have in common: the share of their words that
// both have (Dice's coefficient over bags of words), from 0 to 1.
func similar(a, b string) float64 {
	x, y := words(a), words(b)
	if len(x) == 0 || len(y) == 0 {
		return 0
	}
	bag := make(map[string]int, len(x))
	for _, w := range x {
		bag[w]++
	}
	both := 0
	for _, w := range y {
		if bag[w] > 0 {
			bag[w]--
			both++
		}
	}
	return 2 * float64(both) / float64(len(x)+len(y))
}

func words(s string) []string {
	list := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' || r > 'z' && r < 0x80
	})
	if len(list) == 1 && len(list[0]) > 24 { // a script without blanks
		runes := []rune(list[0])
		list = list[:0]
		for i := 0; i+1 < len(runes); i++ {
			list = append(list, string(runes[i:i+2]))
		}
	}
	return list[:min(len(list), maxWords)]
}

// sameButNames reports whether two lines of at least three words differ in two
// words at most, and those begin as names do.
func sameButNames(a, b string) bool {
	split := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '-' }
	x, y := strings.FieldsFunc(a, split), strings.FieldsFunc(b, split)
	if len(x) != len(y) || len(x) < 3 {
		return false
	}
	other := 0
	for i := range x {
		if x[i] == y[i] {
			continue
		}
		if other++; other > 2 || !proper(x[i]) || !proper(y[i]) || unicode.IsDigit(rune(x[i][0])) {
			return false
		}
	}
	return true
}

// relation says how a shown text follows from a known one.
type relation uint8

const (
	unrelated relation = iota
	alike              // many words in common
	part               // one is a part of the other
	same               // the same but for blanks, marks and thoughts
)

// relate compares a text that is shown with one that is known.
func relate(shown, known string) (relation, float64) {
	a, b := newForm(shown), newForm(known)
	x, y := string(a.text), string(b.text)
	switch {
	case len(x) == 0 || len(y) == 0:
		return unrelated, 0
	case x == y:
		return same, 1
	}
	share := float64(min(len(x), len(y))) / float64(max(len(x), len(y)))
	if strings.HasPrefix(y, x) && (share > 0.25 || len(x) >= 12) || strings.HasPrefix(x, y) && share > 0.25 {
		return part, share
	}
	if len(x) >= 12 && strings.Contains(y, x) || len(y) >= 12 && strings.Contains(x, y) {
		return part, share
	}
	if paragraph(shown, known) || paragraph(known, shown) {
		return part, share
	}
	if s := similar(shown, known); s >= 0.55 {
		return alike, s
	}
	return unrelated, 0
}

// paragraph reports whether a text stands in another one as whole paragraphs.
func paragraph(s, in string) bool {
	k := keyOf(s)
	f := newForm(in)
	for from := range f.borders {
		for to := from + 1; to < len(f.borders) && from < 64; to++ {
			size := f.borders[to].at - f.borders[from].at
			if size > int(k.size) {
				break
			}
			if f.borders[to].line && f.key(from, to) == k {
				return true
			}
		}
	}
	return false
}
