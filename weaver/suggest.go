package weaver

import (
	"slices"
	"strings"
)

// choose returns a hint that names the candidate closest to name, or lists
// all of them after intro if none is close and they are few. It is empty if
// there is nothing to say.
func choose(name string, candidates []string, intro string) string {
	if best := closest(name, candidates); best != "" {
		return "did you mean " + best + "?"
	}
	if intro == "" || len(candidates) == 0 || len(candidates) > 8 {
		return ""
	}
	sorted := slices.Sorted(slices.Values(candidates))
	return intro + " " + strings.Join(sorted, ", ")
}

// closest returns the candidate that needs the fewest edits to become name,
// if they are few for a name of that length, and "" otherwise. Of equally
// close ones it takes the first in order.
func closest(name string, candidates []string) string {
	if len(name) > 64 {
		return ""
	}
	best, bestCost := "", 1+max(1, len(name)/3)
	for _, c := range candidates {
		if c == name || len(c) > 64 {
			continue
		}
		cost := editDistance(strings.ToLower(name), strings.ToLower(c))
		if cost < bestCost || cost == bestCost && best != "" && c < best {
			best, bestCost = c, cost
		}
	}
	return best
}

// editDistance counts the insertions, deletions, substitutions and swaps of
// neighbours that turn a into b (the "optimal string alignment" variant of
// Damerau-Levenshtein).
func editDistance(a, b string) int {
	prev2 := make([]int, len(b)+1)
	prev := make([]int, len(b)+1)
	cur := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
