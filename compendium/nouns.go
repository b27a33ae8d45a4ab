package compendium

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// properNouns returns the names in a text: runs of words with a capital that do
// not begin a sentence, and those that do if they stand elsewhere too, or are
// followed by another capital. In a script without capitals there are none.
func properNouns(s string) []string {
	type token struct {
		text  string
		first bool
	}
	var names []token
	start := true
	for _, w := range strings.Fields(s) {
		word := strings.Trim(w, ".,;:!?\"'“”‘’()[]…*_—-")
		word = strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s")
		r, _ := utf8.DecodeRuneInString(word)
		if unicode.IsUpper(r) && utf8.RuneCountInString(word) > 1 {
			names = append(names, token{word, start})
		}
		start = strings.HasSuffix(strings.TrimRight(w, "\"'”’)*_"), ".") || strings.HasSuffix(w, "!") || strings.HasSuffix(w, "?")
	}
	var out []string
	for i, n := range names {
		if n.first {
			again := false
			for j, o := range names {
				again = again || j != i && o.text == n.text && !o.first
			}
			if !again {
				continue
			}
		}
		if !slices.Contains(out, n.text) {
			out = append(out, n.text)
		}
	}
	return out
}

// hasCase reports whether a text is in a script with capitals.
func hasCase(s string) bool {
	for _, r := range s {
		if unicode.IsUpper(r) || unicode.IsLower(r) {
			return true
		}
	}
	return false
}
