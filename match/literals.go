package match

import (
	"regexp/syntax"
	"slices"
	"strings"
)

// Bounds of the prefilter: at most so many literals, none shorter than so many
// bytes, since a single letter stands in every text.
const (
	maxLiterals     = 16
	minLiteralBytes = 2
	maxLiteralBytes = 64
)

// requiredLiterals returns texts, folded by RegexFold, one of which is in
// every match of the expression, or nil.
func requiredLiterals(re *syntax.Regexp) []string { return usable(required(re)) }

func usable(lits []string) []string {
	slices.Sort(lits)
	lits = slices.Compact(lits)
	// A literal that holds another one is no news.
	var out []string
	for i, l := range lits {
		if len(l) < minLiteralBytes {
			return nil
		}
		if !slices.ContainsFunc(lits, func(o string) bool { return o != l && strings.Contains(l, o) }) {
			out = append(out, lits[i])
		}
	}
	if len(out) > maxLiterals {
		return nil
	}
	return out
}

// better reports whether a is the more selective set: its shortest literal is
// longer, or it has fewer of them.
func better(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) > 0
	}
	la, lb := shortest(a), shortest(b)
	return la > lb || la == lb && len(a) < len(b)
}

func shortest(lits []string) int {
	n := len(lits[0])
	for _, l := range lits {
		n = min(n, len(l))
	}
	return n
}

// exact returns all texts, folded, that re matches, or nil if there are too
// many of them. The empty text may be among them.
func exact(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return []string{""}
	case syntax.OpLiteral:
		return []string{RegexFold.Apply(string(re.Rune))}
	case syntax.OpCharClass:
		var out []string
		for i := 0; i < len(re.Rune); i += 2 {
			if re.Rune[i+1]-re.Rune[i] > 2*maxLiterals {
				return nil
			}
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				out = append(out, RegexFold.Apply(string(r)))
			}
			if len(out) > 4*maxLiterals {
				return nil
			}
		}
		slices.Sort(out)
		if out = slices.Compact(out); len(out) > maxLiterals {
			return nil
		}
		return out
	case syntax.OpCapture:
		return exact(re.Sub[0])
	case syntax.OpQuest:
		if e := exact(re.Sub[0]); e != nil {
			return bounded(append(e, ""))
		}
	case syntax.OpConcat:
		out := []string{""}
		for _, sub := range re.Sub {
			if out = cross(out, exact(sub)); out == nil {
				return nil
			}
		}
		return out
	case syntax.OpAlternate:
		var out []string
		for _, sub := range re.Sub {
			e := exact(sub)
			if e == nil {
				return nil
			}
			if out = bounded(append(out, e...)); out == nil {
				return nil
			}
		}
		return out
	}
	return nil
}

func bounded(lits []string) []string {
	if len(lits) > maxLiterals {
		return nil
	}
	return lits
}

// cross returns each of a followed by each of b, or nil if that is too much.
func cross(a, b []string) []string {
	if b == nil || len(a)*len(b) > maxLiterals {
		return nil
	}
	out := make([]string, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			if len(x)+len(y) > maxLiteralBytes {
				return nil
			}
			out = append(out, x+y)
		}
	}
	return out
}

// required returns a set of texts one of which is in every match, or nil.
func required(re *syntax.Regexp) []string {
	if e := exact(re); e != nil && !slices.Contains(e, "") {
		return e
	}
	switch re.Op {
	case syntax.OpLiteral: // longer than exact would have it
		return []string{RegexFold.Apply(string(re.Rune))}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpAlternate:
		var out []string
		for _, sub := range re.Sub {
			r := required(sub)
			if r == nil {
				return nil
			}
			if out = append(out, r...); len(out) > 4*maxLiterals {
				return nil
			}
		}
		return out
	case syntax.OpConcat:
		var best []string
		run := []string{""} // what the last parts match, all of it
		consider := func(lits []string) {
			if lits != nil && !slices.Contains(lits, "") && len(usable(slices.Clone(lits))) > 0 && better(lits, best) {
				best = slices.Clone(lits)
			}
		}
		for _, sub := range re.Sub {
			e := exact(sub)
			if next := cross(run, e); next != nil {
				run = next
				consider(run)
				continue
			}
			if run = []string{""}; e != nil {
				run = e
				consider(run)
			} else {
				consider(required(sub))
			}
		}
		return best
	}
	return nil
}
