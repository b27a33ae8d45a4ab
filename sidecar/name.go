package sidecar

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weft-memory/weft/match"
)

// foldName makes the spellings of a name equal, and spaces single.
func foldName(s string) string { return match.FoldNFKC.Apply(singleSpaced(s)) }

func singleSpaced(s string) string { return strings.Join(strings.Fields(s), " ") }

// said is a text that is asked for many names.
type said struct {
	text  match.Folded
	words map[string]bool // so that most names cost one look
}

func newSaid(text string) *said {
	s := &said{text: match.FoldNFKC.Fold(singleSpaced(text)), words: map[string]bool{}}
	for _, w := range strings.FieldsFunc(s.text.Text, endsWord) {
		s.words[w] = true
	}
	return s
}

// endsWord reports whether a character ends the word before it, as in
// [match.WholeWordPhrase].
func endsWord(r rune) bool { return !match.IsWord(r) || match.IsSpaceless(r) }

// says reports whether the text has a name, as words of its own. Names of one
// letter are too common. In Korean, particles follow a name without a space, so
// there it may stand in a longer word.
func (s *said) says(name string) bool {
	n := foldName(name)
	if utf8.RuneCountInString(n) < 2 {
		return false
	}
	borders := match.WholeWordPhrase
	if first, _ := utf8.DecodeRuneInString(n); unicode.Is(unicode.Hangul, first) {
		borders = match.Substring
	} else if words := strings.FieldsFunc(n, endsWord); len(words) > 0 && !match.IsSpaceless(first) && !s.words[words[0]] {
		return false
	}
	key, err := match.CompileKey(n, match.FoldNFKC, borders)
	if err != nil {
		return false // nothing is left of the name
	}
	_, found := key.FindFolded(&s.text)
	return found
}
