package match

import (
	"strings"
	"unicode"
)

// Naive returns what the compiled key has to find: the same as
// CompileKey(key, fold, words) and FindAll, by trying every place one after
// the other, without automaton, index or shortcut. It is far too slow for use
// and exists as the reference of property tests, here and in packages that
// build on this one. A key that does not compile is found nowhere.
func Naive(key string, fold Fold, words Words, text string) []Hit {
	lit := []rune(fold.Apply(key))
	if words == GlobAgnai {
		lit = []rune(strings.NewReplacer(`\`, "", "^", "", "$", "", ".", "", "|", "", "+", "", "(", "", ")", "",
			"[", "", "]", "", "{", "", "}", "", "_", "").Replace(string(lit)))
	}
	if len(lit) == 0 {
		return nil
	}
	f := fold.Fold(text)
	var runes []rune
	var at []int // byte offset of each
	for i, r := range f.Text {
		runes, at = append(runes, r), append(at, i)
	}
	at = append(at, len(f.Text))
	var hits []Hit
	for i := range runes {
		end := -1
		if words != GlobAgnai {
			if len(runes)-i >= len(lit) && string(runes[i:i+len(lit)]) == string(lit) &&
				naiveBorders(&f, words, lit, at[i], at[i+len(lit)]) {
				end = i + len(lit)
			}
		} else {
			for _, e := range naiveGlob(lit, runes, i, nil) {
				if e > i && e > end && naiveGlobBorders(runes, lit, i, e) {
					end = e
				}
			}
		}
		if end >= 0 {
			o, oe := f.Original(at[i], at[end])
			hits = append(hits, Hit{o, oe})
		}
	}
	return hits
}

// naiveBorders looks at what is left and right of the folded range.
func naiveBorders(f *Folded, words Words, lit []rune, start, end int) bool {
	o, oe := f.Original(start, end)
	before, after := []rune(f.Source[:o]), []rune(f.Source[oe:])
	foldedBefore, foldedAfter := []rune(f.Text[:start]), []rune(f.Text[end:])
	// Half of a character: what is left of it is the neighbour.
	if f.splits(start) {
		before = foldedBefore
	}
	if f.splits(end) {
		after = foldedAfter
	}
	space := strings.IndexFunc(string(lit), IsSpaceJS) >= 0
	open := func(edge rune, neighbours []rune, last bool) bool {
		if len(neighbours) == 0 {
			return true
		}
		r := neighbours[0]
		if last {
			r = neighbours[len(neighbours)-1]
		}
		word := unicode.IsLetter(r) || unicode.IsMark(r) || unicode.Is(unicode.Nd, r) || unicode.Is(unicode.Nl, r) ||
			unicode.Is(unicode.Pc, r) || r == 0x200c || r == 0x200d
		unicodeOpen := !word || IsSpaceless(r)
		switch words {
		case Substring:
			return true
		case WholeWordASCII:
			return space || !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", r)
		case WholeWordSpaces:
			return r == ' '
		case WholeWordUnicode:
			return space || unicodeOpen || IsSpaceless(edge) || edge > 127 && unicode.IsSymbol(edge)
		case WholeWordPhrase:
			return unicodeOpen || IsSpaceless(edge) || edge > 127 && unicode.IsSymbol(edge)
		default: // NovelAI
			return unicodeOpen || !unicode.IsLetter(edge) || IsSpaceless(edge)
		}
	}
	if words == WholeWordSpaces && strings.Contains(string(lit), " ") {
		return false
	}
	if words == WholeWordASCII || words == WholeWordSpaces {
		before, after = foldedBefore, foldedAfter
	}
	return open(lit[0], before, true) && open(lit[len(lit)-1], after, false)
}

// naiveGlob returns all places where the glob lit may end if it begins at i.
func naiveGlob(lit, text []rune, i int, ends []int) []int {
	switch {
	case len(lit) == 0:
		return append(ends, i)
	case lit[0] == '*':
		ends = naiveGlob(lit[1:], text, i, ends)
		if i < len(text) && IsWord(text[i]) {
			ends = naiveGlob(lit, text, i+1, ends)
		}
	case i < len(text) && (lit[0] == '?' && IsWord(text[i]) || lit[0] != '?' && lit[0] == text[i]):
		ends = naiveGlob(lit[1:], text, i+1, ends)
	}
	return ends
}

func naiveGlobBorders(text, lit []rune, i, end int) bool {
	free := func(edge rune) bool {
		return edge != '*' && edge != '?' && (IsSpaceless(edge) || edge > 127 && unicode.IsSymbol(edge))
	}
	closed := func(r rune) bool { return IsWord(r) && !IsSpaceless(r) }
	return (i == 0 || free(lit[0]) || !closed(text[i-1])) &&
		(end == len(text) || free(lit[len(lit)-1]) || !closed(text[end]))
}
