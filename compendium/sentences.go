package compendium

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// splitSentences splits a text behind the signs that end sentences in any
// script. A period behind a single capital or a common short form, or before a
// small letter, ends none.
func splitSentences(s string) []string {
	var out []string
	start := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if !strings.ContainsRune(".!?。！？…۔।", r) {
			continue
		}
		for i < len(s) { // closing quotes and more such signs belong to it
			q, n := utf8.DecodeRuneInString(s[i:])
			if !strings.ContainsRune(".!?。！？…\"'”’»)）」』", q) {
				break
			}
			i += n
		}
		wide := strings.ContainsRune("。！？", r)
		if !wide && i < len(s) {
			next, _ := utf8.DecodeRuneInString(s[i:])
			if !unicode.IsSpace(next) {
				continue
			}
			after, _ := utf8.DecodeRuneInString(strings.TrimLeft(s[i:], " \n\t"))
			if r == '.' && (unicode.IsLower(after) || shortForm(s[start:i])) {
				continue
			}
		}
		if x := strings.TrimSpace(s[start:i]); x != "" {
			out = append(out, x)
		}
		start = i
	}
	if x := strings.TrimSpace(s[start:]); x != "" {
		out = append(out, x)
	}
	return out
}

// shortForm reports whether a text ends in a form that is written with a period.
func shortForm(s string) bool {
	i := strings.LastIndexAny(s, " \n\t(\"“")
	w := strings.TrimRight(s[i+1:], ".")
	switch strings.ToLower(w) {
	case "mr", "mrs", "ms", "dr", "st", "sr", "jr", "prof", "capt", "lt", "col", "gen", "no", "vs", "etc", "ca", "bzw", "z.b", "d.h", "nr", "hr", "fr":
		return true
	}
	r, size := utf8.DecodeRuneInString(w)
	return size == len(w) && unicode.IsUpper(r)
}
