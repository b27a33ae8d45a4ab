package match

import (
	"regexp"
	"testing"
	"unicode"
)

// TestClassesAgree holds the classes written for package regexp against the
// functions.
func TestClassesAgree(t *testing.T) {
	word, spaceless := regexp.MustCompile(wordClass), regexp.MustCompile(spacelessClass)
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if 0xd800 <= r && r < 0xe000 {
			continue
		}
		if s := string(r); word.MatchString(s) != IsWord(r) || spaceless.MatchString(s) != IsSpaceless(r) {
			t.Errorf("%U: IsWord %v, IsSpaceless %v, but the classes differ", r, IsWord(r), IsSpaceless(r))
		}
	}
}
