package match

import (
	"cmp"
	"slices"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// jsCases returns r with all characters that JavaScript takes for equal to it
// under the flag i. With u that is simple case folding. Without it, two
// characters are equal if their capitals are, where a capital of several
// characters, and one of ASCII for a letter beyond ASCII, does not count
// (ECMAScript, Canonicalize).
func jsCases(r rune, unicodeFlag bool) []rune {
	if unicodeFlag {
		all := []rune{r}
		for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
			all = append(all, o)
		}
		return all
	}
	if all, ok := jsCaseGroups().of[r]; ok {
		return all
	}
	return []rune{r}
}

type caseGroups struct {
	of     map[rune][]rune
	sorted []rune // the characters with other cases
}

var jsCaseGroups = sync.OnceValue(func() caseGroups {
	members := map[rune][]rune{}
	for r := rune(0); r <= 0xffff; r++ {
		if u := jsUpper(r); u != r {
			members[u] = append(members[u], r)
		}
	}
	g := caseGroups{of: map[rune][]rune{}}
	for u, rs := range members {
		if jsUpper(u) != u {
			continue
		}
		rs = append(rs, u)
		for _, r := range rs {
			g.of[r] = rs
			g.sorted = append(g.sorted, r)
		}
	}
	slices.Sort(g.sorted)
	return g
})

// jsUpper is Canonicalize of a UTF-16 unit without the flag u.
func jsUpper(r rune) rune {
	if r < utf8.RuneSelf {
		if 'a' <= r && r <= 'z' {
			r -= 'a' - 'A'
		}
		return r
	}
	if unicode.ToUpper(r) == r || !utf8.ValidRune(r) {
		return r
	}
	full := cases.Upper(language.Und).String(string(r))
	u, size := utf8.DecodeRuneInString(full)
	if size != len(full) || u < utf8.RuneSelf || u > 0xffff {
		return r
	}
	return u
}

var foldSorted = sync.OnceValue(func() []rune {
	var all []rune
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if unicode.SimpleFold(r) != r {
			all = append(all, r)
		}
	}
	return all
})

// jsCloseCases adds to the ranges all other cases of their characters, and
// sorts and merges them.
func jsCloseCases(ranges []jsRange, unicodeFlag bool) []jsRange {
	cased := jsCaseGroups().sorted
	if unicodeFlag {
		cased = foldSorted()
	}
	out := slices.Clone(ranges)
	for _, r := range ranges {
		i, _ := slices.BinarySearch(cased, r.lo)
		for ; i < len(cased) && cased[i] <= r.hi; i++ {
			for _, o := range jsCases(cased[i], unicodeFlag) {
				if o < r.lo || o > r.hi {
					out = append(out, jsRange{o, o})
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b jsRange) int { return cmp.Compare(a.lo, b.lo) })
	merged := out[:0]
	for _, r := range out {
		if n := len(merged); n > 0 && r.lo <= merged[n-1].hi+1 {
			merged[n-1].hi = max(merged[n-1].hi, r.hi)
		} else {
			merged = append(merged, r)
		}
	}
	return merged
}
