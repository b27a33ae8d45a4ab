package match

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// glob is a key with wildcards, for words of [GlobAgnai].
type glob struct {
	// parts are the literals between the wildcards.
	parts []string
	// re matches at the beginning of a text, with the key as its group 1 and
	// the border behind it, which is a character or the end.
	re   *regexp.Regexp
	left bool
	// head is the literal that every match begins with.
	head string
}

// globIgnored are the signs that a glob does not have.
const globIgnored = `\^$.|+()[]{}_`

// Classes in the syntax of package regexp: word characters as IsWord has them,
// and the characters that end a word.
const (
	wordClassBody = `\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{200C}\x{200D}` +
		`\x{24B6}-\x{24E9}\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189}` // letters in circles and squares
	wordClass = `[` + wordClassBody + `]`
)

// compileGlob compiles a folded key.
func compileGlob(key string) (*glob, error) {
	key = strings.Map(func(r rune) rune {
		if strings.ContainsRune(globIgnored, r) {
			return -1
		}
		return r
	}, key)
	if key == "" {
		return nil, ErrEmptyKey
	}
	g := &glob{}
	var re, part strings.Builder
	for _, r := range key {
		switch r {
		case '*', '?':
			if part.Len() > 0 {
				g.parts = append(g.parts, part.String())
				part.Reset()
			}
			re.WriteString(wordClass)
			if r == '*' {
				re.WriteByte('*')
			}
		default:
			part.WriteRune(r)
			re.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	if part.Len() > 0 {
		g.parts = append(g.parts, part.String())
	}
	first, _ := utf8.DecodeRuneInString(key)
	last, _ := utf8.DecodeLastRuneInString(key)
	g.left = first == '*' || first == '?' || GlobAgnai.needsBorder(first)
	if first != '*' && first != '?' {
		g.head = g.parts[0]
	}
	end := ``
	if last == '*' || last == '?' || GlobAgnai.needsBorder(last) {
		end = `(?:\z|[^` + wordClassBody + `]|` + spacelessClass + `)`
	}
	var err error
	g.re, err = regexp.Compile(`\A(` + re.String() + `)` + end)
	return g, err
}

// spacelessClass is IsSpaceless in the syntax of package regexp.
const spacelessClass = `[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Bopomofo}\p{Yi}` +
	`\p{Ahom}\p{Tangut}\p{Nushu}` +
	`\x{1950}-\x{1974}\x{1980}-\x{19DF}\x{1A20}-\x{1AAD}\x{AA80}-\x{AADF}` + // Tai scripts
	`\x{3031}-\x{3035}\x{3099}-\x{309C}\x{3006}\x{303C}\x{30FC}\x{FF70}\x{FF9E}\x{FF9F}]`

// literal returns the longest literal, or "" where one would not do, see
// [Key.Literal].
func (g *glob) literal() string {
	longest := ""
	for _, p := range g.parts {
		if strings.ContainsFunc(p, IsSpaceJS) {
			return ""
		}
		if len(p) > len(longest) {
			longest = p
		}
	}
	return longest
}

// each calls yield for the match at each place, borders being looked for in
// the folded text.
func (g *glob) each(f *Folded, yield func(Hit) bool) {
	text := f.Text
	prev := ' '
	for i := 0; i < len(text); {
		if g.head != "" {
			j := strings.Index(text[i:], g.head)
			if j < 0 {
				return
			}
			if j > 0 {
				i += j
				prev, _ = utf8.DecodeLastRuneInString(text[:i])
			}
		}
		if !g.left || i == 0 || GlobAgnai.borders(prev) {
			if m := g.re.FindStringSubmatchIndex(text[i:]); m != nil && m[3] > 0 {
				o, oe := f.Original(i, i+m[3])
				if !yield(Hit{o, oe}) {
					return
				}
			}
		}
		var size int
		prev, size = utf8.DecodeRuneInString(text[i:])
		i += size
	}
}
