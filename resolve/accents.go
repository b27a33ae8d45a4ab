package resolve

import (
	"slices"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// letter is a letter with the marks on it.
type letter struct {
	base  rune
	marks []rune
}

// letters takes a text apart into letters and their marks, without spaces.
func letters(s string) []letter {
	var out []letter
	for _, r := range norm.NFD.String(s) {
		switch {
		case unicode.Is(unicode.Mn, r):
			if len(out) > 0 {
				out[len(out)-1].marks = append(out[len(out)-1].marks, r)
			}
		case unicode.IsSpace(r):
		default:
			out = append(out, letter{base: r})
		}
	}
	return out
}

// accentsClash reports whether two words of the same letters carry different
// accents on one letter. A letter without accent goes with any.
func accentsClash(a, b string) bool {
	if a == b || isASCII(a) || isASCII(b) {
		return false
	}
	x, y := letters(a), letters(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i].base == y[i].base && len(x[i].marks) > 0 && len(y[i].marks) > 0 &&
			!slices.Equal(x[i].marks, y[i].marks) {
			return true
		}
	}
	return false
}
