package app

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/weft-memory/weft/weaver/diag"
)

// runeWidth returns the columns that r takes in a terminal: 2 for wide
// characters (Chinese, Japanese, Korean, most emoji), 0 for marks that sit on
// the character before, 1 otherwise. Control characters take none, since they
// are never printed as they are.
func runeWidth(r rune) int {
	switch {
	case r >= 0x20 && r < 0x7f:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Cc):
		return 0
	case r >= 0x1160 && r <= 0x11ff: // medial and final Hangul letters join the one before
		return 0
	}
	return diag.RuneWidth(r)
}

// textWidth returns the columns that s takes. s has no line breaks and no
// colours.
func textWidth(s string) int {
	n, joined := 0, false
	for _, r := range s {
		if r == '\u200d' { // joins the next emoji to this one
			joined = true
			continue
		}
		if !joined {
			n += runeWidth(r)
		}
		joined = false
	}
	return n
}

// pad fills s with spaces to n columns.
func pad(s string, n int) string {
	if missing := n - textWidth(s); missing > 0 {
		return s + strings.Repeat(" ", missing)
	}
	return s
}

// padLeft fills s with spaces in front.
func padLeft(s string, n int) string {
	if missing := n - textWidth(s); missing > 0 {
		return strings.Repeat(" ", missing) + s
	}
	return s
}

// truncate cuts s to n columns; a cut text ends in an ellipsis.
func truncate(s string, n int) string {
	if textWidth(s) <= n {
		return s
	}
	if n <= 0 {
		return ""
	}
	used, cut := 0, 0
	for i, r := range s {
		w := runeWidth(r)
		if used+w > n-1 {
			break
		}
		used += w
		cut = i + utf8.RuneLen(r)
	}
	return s[:cut] + "…"
}

// wrap breaks text into lines of at most n columns. Line breaks of the text
// stay, and so does the indent of a line. Lines break at spaces, and between
// wide characters, which stand without spaces; a word that is longer than the
// line is broken where it has to be.
func wrap(text string, n int) []string {
	n = max(n, 8)
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, wrapLine(strings.TrimRight(line, " \t\r"), n)...)
	}
	return lines
}

func wrapLine(line string, n int) []string {
	if textWidth(line) <= n {
		return []string{line}
	}
	var lines []string
	rest := line
	for textWidth(rest) > n {
		used, cut, lastBreak := 0, 0, 0
		for i, r := range rest {
			w := runeWidth(r)
			if used+w > n {
				break
			}
			if i > 0 && (w == 2 && !closesPhrase(r)) {
				lastBreak = i
			}
			used += w
			cut = i + utf8.RuneLen(r)
			if r == ' ' && strings.TrimSpace(rest[:i]) != "" {
				lastBreak = cut
			}
		}
		if next, _ := utf8.DecodeRuneInString(rest[cut:]); next == ' ' || runeWidth(next) == 2 && !closesPhrase(next) {
			lastBreak = cut
		}
		if lastBreak > 0 {
			cut = lastBreak
		}
		if cut == 0 { // one character wider than the line
			_, cut = utf8.DecodeRuneInString(rest)
		}
		lines = append(lines, strings.TrimRight(rest[:cut], " "))
		rest = strings.TrimLeft(rest[cut:], " ")
	}
	if rest != "" || len(lines) == 0 {
		lines = append(lines, rest)
	}
	return lines
}

// closesPhrase reports whether a line must not begin with r.
func closesPhrase(r rune) bool {
	return strings.ContainsRune("。、，．！？」』）：；…", r)
}

// visible replaces what a terminal would act on instead of show: control
// characters and escape sequences in lore or chats must not reach it. Line
// breaks and tabs stay where keepLines is set; elsewhere they become spaces.
func visible(s string, keepLines bool) string {
	clean := true
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] >= 0x7f {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range strings.ToValidUTF8(s, "\uFFFD") {
		switch {
		case r == '\n' && keepLines:
			b.WriteByte('\n')
		case r == '\t' && keepLines:
			b.WriteString("    ")
		case r == '\n' || r == '\t' || r == '\r' && !keepLines:
			b.WriteByte(' ')
		case r == '\r':
		case r < 0x20: // the pictures of the control characters
			b.WriteRune(0x2400 + r)
		case r == 0x7f || r >= 0x80 && r < 0xa0:
			b.WriteRune('\uFFFD')
		// Overrides of the writing direction would make text read as something
		// else than it is.
		case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
			b.WriteRune('\uFFFD')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// indentLines puts prefix before each line.
func indentLines(lines []string, prefix string) string {
	var b strings.Builder
	for _, l := range lines {
		if l == "" {
			b.WriteString(strings.TrimRight(prefix, " "))
		} else {
			b.WriteString(prefix)
			b.WriteString(l)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
