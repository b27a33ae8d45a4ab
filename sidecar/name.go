package sidecar

import (
	"strings"
	"unicode"

	"github.com/weft-memory/weft/match"
)

// foldName makes the spellings of a name equal, and spaces single.
func foldName(s string) string {
	return strings.Join(strings.Fields(match.FoldNFKC.Apply(s)), " ")
}

// said is a text that is asked for many names.
type said struct {
	text  string
	words map[string]bool // so that most names cost one look
}

func newSaid(text string) *said {
	s := &said{text: foldName(text), words: map[string]bool{}}
	for _, w := range strings.FieldsFunc(s.text, notWord) {
		s.words[w] = true
	}
	return s
}

func notWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }

// says reports whether the text has a name. Names of one letter are too common.
func (s *said) says(name string) bool {
	n := foldName(name)
	if len([]rune(n)) < 2 {
		return false
	}
	if words := strings.FieldsFunc(n, notWord); len(words) > 0 && !s.words[words[0]] && !unspaced(words[0]) {
		return false
	}
	return containsName(s.text, n)
}

// unspaced reports whether a word is of a script that has no spaces.
func unspaced(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return r >= 0x0e00 && r < 0x1000 || r >= 0x2e80 && r < 0xd800 })
}

// containsName reports whether a folded text says a folded name as words of its
// own. In scripts without spaces a name stands anywhere.
func containsName(text, name string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		i += from
		if !joins(text[:i], name, false) && !joins(text[i+len(name):], name, true) {
			return true
		}
		from = i + len(name)
	}
}

// joins reports whether the letters beside a name belong to the same word.
func joins(beside, name string, after bool) bool {
	b, n := []rune(beside), []rune(name)
	if len(b) == 0 {
		return false
	}
	near, edge := b[len(b)-1], n[0]
	if after {
		near, edge = b[0], n[len(n)-1]
	}
	if unspaced(string(edge)) || unspaced(string(near)) { // scripts without spaces
		return false
	}
	return unicode.IsLetter(near) || unicode.IsDigit(near)
}
