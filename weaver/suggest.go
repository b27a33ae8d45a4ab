package weaver

import (
	"slices"
	"strings"

	"github.com/weft-memory/weft/internal/suggest"
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
		cost := suggest.Distance([]byte(strings.ToLower(name)), []byte(strings.ToLower(c)))
		if cost < bestCost || cost == bestCost && best != "" && c < best {
			best, bestCost = c, cost
		}
	}
	return best
}
