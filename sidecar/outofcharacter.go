package sidecar

import (
	"strings"
	"unicode"
)

// outOfCharacterMarks are the marks by which players say that something is not
// part of the story.
var outOfCharacterMarks = [][2]string{
	{"((", "))"},
	{"[ooc", "]"},
	{"(ooc", ")"},
	{"{ooc", "}"},
	{"<ooc>", "</ooc>"},
	{"//", "\n"},
	{"(out of character", ")"},
	{"[out of character", "]"},
	{"（ooc", "）"},
	{"[внеролево", "]"},
	{"(внеролево", ")"},
	{"((нрп", "))"},
}

// lineMarks mark the rest of their line.
var lineMarks = []string{"ooc:", "ooc：", "ooc -", "out of character:", "нрп:", "внеролево:", "(нрп)"}

// InCharacter returns a message without the parts that are not part of the
// story. more are further marks. What is left may be empty: then nothing of the
// message happened.
func InCharacter(text string, more [][2]string) string {
	lower := strings.ToLower(text)
	if len(lower) != len(text) { // some capitals change their length: look for marks as they are
		lower = text
	}
	var b strings.Builder
	at := 0
	for at < len(text) {
		from, to := nextMark(lower, at, more)
		if from < 0 {
			break
		}
		b.WriteString(text[at:from])
		at = to
	}
	b.WriteString(text[at:])
	lines := strings.SplitAfter(b.String(), "\n")
	for i, l := range lines {
		t := strings.ToLower(strings.TrimLeftFunc(l, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("*_>([", r) }))
		for _, m := range lineMarks {
			if strings.HasPrefix(t, m) {
				lines[i] = ""
			}
		}
	}
	return strings.TrimSpace(strings.Join(lines, ""))
}

// nextMark finds the next marked part from a place on.
func nextMark(lower string, at int, more [][2]string) (from, to int) {
	from = -1
	for _, list := range [][][2]string{outOfCharacterMarks, more} {
		for _, m := range list {
			if m[0] == "" || m[1] == "" {
				continue
			}
			for start := at; ; {
				i := strings.Index(lower[start:], strings.ToLower(m[0]))
				if i < 0 {
					break
				}
				i += start
				if !beginsMark(lower, i, m[0]) {
					start = i + len(m[0])
					continue
				}
				end := strings.Index(lower[i+len(m[0]):], strings.ToLower(m[1]))
				switch {
				case end >= 0:
					end += i + len(m[0]) + len(m[1])
				case m[1] == "\n":
					end = len(lower)
				default:
					end = -1 // never closed: it is a part of the story
				}
				if end > 0 && (from < 0 || i < from || i == from && end > to) {
					from, to = i, end
				}
				break
			}
		}
	}
	return from, to
}

// beginsMark reports whether a mark stands where one can: two slashes at the
// start of a line only, since addresses have them too; a word mark not inside
// of a word.
func beginsMark(lower string, i int, mark string) bool {
	if mark == "//" {
		return i == 0 || lower[i-1] == '\n'
	}
	if last := mark[len(mark)-1]; last >= 'a' && last <= 'z' {
		rest := lower[i+len(mark):]
		return rest == "" || !unicode.IsLetter(rune(rest[0]))
	}
	return true
}
