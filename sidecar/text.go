package sidecar

import (
	"strings"

	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/resolve"
)

// replaceSentence returns a text with one of its sentences, or several that stand
// behind each other, replaced; ok is false if it has none like it. A model copies
// badly, so a sentence counts as meant if it has nearly the same words.
func replaceSentence(text, old, repl string) (out string, ok bool) {
	if i := strings.Index(text, old); i >= 0 && wholeSentences(text, i, i+len(old)) {
		return joinAround(text[:i], repl, text[i+len(old):]), true
	}
	list := memory.Sentences(text)
	span := max(1, len(memory.Sentences(old)))
	best, from, to := 0.0, 0, 0
	at := 0
	for i := range list {
		end := at
		for j := i; j < min(i+span, len(list)); j++ {
			end += len(list[j])
		}
		if s := likeness(text[at:end], old); s > best {
			best, from, to = s, at, end
		}
		at += len(list[i])
	}
	if best < sentenceLikeness {
		return text, false
	}
	return joinAround(text[:from], repl, text[to:]), true
}

// sentenceLikeness is from where on two sentences count as the same one, by
// [likeness].
const sentenceLikeness = 0.72

// likeness compares two sentences: how much of their trigrams is common, or, if
// the one is a part of the other, how much of it that is.
func likeness(a, b string) float64 {
	if squeeze(a) == squeeze(b) && squeeze(a) != "" {
		return 1
	}
	return max(resolve.Similarity(a, b), 0.9*resolve.Containment(a, b)*ratio(len(a), len(b)))
}

func ratio(a, b int) float64 {
	if a > b {
		a, b = b, a
	}
	if b == 0 {
		return 0
	}
	r := float64(a) / float64(b)
	return min(1, r*2)
}

// wholeSentences reports whether a part of a text begins and ends where
// sentences do.
func wholeSentences(text string, from, to int) bool {
	at, begins, ends := 0, false, false
	for _, s := range memory.Sentences(text) {
		lead := len(s) - len(strings.TrimLeft(s, " \t\r\n"))
		begins = begins || from >= at && from <= at+lead
		at += len(s)
		ends = ends || to <= at && to >= at-(len(s)-len(strings.TrimRight(s, " \t\r\n")))
	}
	return begins && ends
}

// joinAround puts a text between two others, with spaces as sentences have
// them.
func joinAround(before, text, after string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		after = strings.TrimLeft(after, " ")
		if after == "" {
			return strings.TrimRight(before, " \t\r\n")
		}
		return before + after
	}
	text = ended(text)
	if before != "" && !strings.HasSuffix(before, " ") && !strings.HasSuffix(before, "\n") && spaced(before, text) {
		before += " "
	}
	if after != "" && !strings.HasPrefix(after, " ") && !strings.HasPrefix(after, "\n") && spaced(text, after) {
		text += " "
	}
	return before + text + after
}

// addSentences puts sentences behind a text.
func addSentences(text, more string) string {
	return joinAround(strings.TrimRight(text, " \t"), more, "")
}

// ended gives a sentence its full stop.
func ended(s string) string {
	r := []rune(s)
	switch last := r[len(r)-1]; {
	case strings.ContainsRune(".!?…。！？؟।\"”»」』)", last):
		return s
	case last >= 0x3040 && last < 0xd7b0:
		return s + "。"
	}
	return s + "."
}

// spaced reports whether a space stands between two sentences: not between
// those of scripts that put none.
func spaced(before, after string) bool {
	if before == "" || after == "" {
		return false
	}
	b := []rune(before)
	return !strings.ContainsRune("。！？」』", b[len(b)-1])
}

// statusMark begins the sentence of an entry that says how things stand.
const statusMark = "Status: "

// setStatus replaces the sentence about how things stand, or puts one in front.
func setStatus(text, status string) string {
	line := statusMark + ended(status)
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, statusMark) {
			end := ""
			if strings.HasSuffix(l, "\n") {
				end = "\n"
			}
			lines[i] = line + end
			return strings.Join(lines, "")
		}
	}
	if text == "" {
		return line
	}
	return line + "\n" + text
}

// freshSentences returns how many sentences of more are not in a text.
func freshSentences(text, more string) int {
	has := map[string]bool{}
	for _, s := range memory.Sentences(text) {
		has[squeeze(s)] = true
	}
	n := 0
	for _, s := range memory.Sentences(more) {
		if k := squeeze(s); k != "" && !has[k] {
			n++
		}
	}
	return n
}
