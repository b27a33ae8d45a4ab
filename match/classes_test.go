package match

import (
	"regexp"
	"testing"
)

// TestClassesAgree holds the classes written for package regexp against the
// functions.
func TestClassesAgree(t *testing.T) {
	word, spaceless := regexp.MustCompile(wordClass), regexp.MustCompile(spacelessClass)
	for r := range assigned() {
		if s := string(r); word.MatchString(s) != IsWord(r) || spaceless.MatchString(s) != IsSpaceless(r) {
			t.Errorf("%U: IsWord %v, IsSpaceless %v, but the classes differ", r, IsWord(r), IsSpaceless(r))
		}
	}
}
