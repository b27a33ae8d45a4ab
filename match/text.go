package match

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsSpaceJS reports whether r is JavaScript white space: a Unicode space
// separator, tab, line feed, carriage return, U+2028, U+2029, vertical tab,
// form feed or the byte order mark. U+0085 is none, unlike in unicode.IsSpace.
func IsSpaceJS(r rune) bool {
	switch {
	case r == ' ' || '\t' <= r && r <= '\r':
		return true
	case r < 0xa0:
		return false
	case r == 0xa0 || r == 0x1680 || 0x2000 <= r && r <= 0x200a:
		return true
	}
	switch r {
	case 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff:
		return true
	}
	return false
}

// TrimJS cuts JavaScript white space ([IsSpaceJS]) from both ends, as
// String.prototype.trim does.
func TrimJS(s string) string { return strings.TrimFunc(s, IsSpaceJS) }

// LenUTF16 returns the length of s in UTF-16 code units, JavaScript's length.
// An invalid byte counts as one unit (it would be read as U+FFFD).
func LenUTF16(s string) int {
	n := 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			i++
			n++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}

// ToLowerJS lower-cases s as String.prototype.toLowerCase does: the full
// mapping of Unicode's SpecialCasing without any language's exceptions. Σ at
// the end of a word becomes ς, İ becomes i followed by U+0307. Each invalid
// byte becomes U+FFFD.
func ToLowerJS(s string) string { return FoldLower.Apply(s) }

const (
	capitalSigma = 'Σ'
	dottedI      = 'İ'
	dotAbove     = '\u0307'
)

// finalSigma reports whether the Σ at s[i:] has its final form: a cased
// letter before it and none after it, case-ignorable characters aside
// (Unicode standard, table 3-17).
func finalSigma(s string, i int) bool {
	before := false
	for j := i; j > 0; {
		r, size := utf8.DecodeLastRuneInString(s[:j])
		j -= size
		if caseIgnorable(r) {
			continue
		}
		before = cased(r)
		break
	}
	if !before {
		return false
	}
	for j := i + len("Σ"); j < len(s); {
		r, size := utf8.DecodeRuneInString(s[j:])
		j += size
		if caseIgnorable(r) {
			continue
		}
		return !cased(r)
	}
	return true
}

func cased(r rune) bool {
	return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt, unicode.Other_Lowercase, unicode.Other_Uppercase)
}

// caseIgnorable is Unicode's property Case_Ignorable. The list holds the
// characters with the word-break values MidLetter, MidNumLet, Single_Quote.
func caseIgnorable(r rune) bool {
	switch r {
	case '\'', '.', ':', 0xb7, 0x387, 0x55f, 0x5f4, 0x2018, 0x2019, 0x2024, 0x2027,
		0xfe13, 0xfe52, 0xfe55, 0xff07, 0xff0e, 0xff1a:
		return true
	}
	if r < 0x80 {
		return r == '^' || r == '`' // category Sk
	}
	return unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
}
