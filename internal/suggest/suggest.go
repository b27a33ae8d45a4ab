// Package suggest guesses which name was meant by one that does not exist.
package suggest

import (
	"strings"
	"unicode/utf8"
)

// Nearest returns the name nearest to s, or "" if none is near enough: about
// one letter in three may be wrong. Case does not matter. Of names that are
// equally near, the first one counts.
func Nearest(s string, names []string) string {
	best, bestDistance := "", max(1, utf8.RuneCountInString(s)/3)+1
	low := strings.ToLower(s)
	for _, name := range names {
		if name == s {
			continue
		}
		d := distance(low, strings.ToLower(name), bestDistance)
		if d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best
}

// distance is [Distance] in letters; more than limit is not told apart.
func distance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) > limit || len(y)-len(x) > limit || len(x) > 200 || len(y) > 200 {
		return limit + 1
	}
	return Distance(x, y)
}

// Distance is the number of elements to insert, remove, change or swap with
// their neighbour to turn x into y (optimal string alignment). Its cost is the
// product of the lengths: bound them before.
func Distance[T comparable](x, y []T) int {
	before, prev, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return prev[len(y)]
}
