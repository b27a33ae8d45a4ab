package search

import (
	"cmp"
	"slices"
)

// Rule says when an entry activates by similarity. Zero fields have the
// defaults.
type Rule struct {
	// Threshold is the least score, from 0 to 1. Defaults to 0.5.
	Threshold float64
	// Margin is how far the score must stand above that of the best entry that
	// is left out by TopK. Defaults to 0.
	Margin float64
	// TopK is how many entries of a book activate at most. Defaults to 2.
	TopK int
}

// The defaults of a [Rule].
const (
	DefaultThreshold = 0.5
	DefaultTopK      = 2
)

// Candidate is an entry that may activate by similarity.
type Candidate struct {
	// Book and Entry name it.
	Book, Entry string
	Rule        Rule
	// Score is how much the messages are about it, from 0 to 1: a
	// [Scored].Score, or a host's own.
	Score float64
	// Resting says that the entry has a cooldown that is not over. It does not
	// activate, and does not stand in the way of others.
	Resting bool
	// Words and Cosine are for the trace, see [Scored].
	Words  []string
	Cosine float64
}

// Activation is the decision on a candidate.
type Activation struct {
	Candidate
	// Active says that the entry activates.
	Active bool
	// Threshold, Margin and TopK are the rule that was applied. Ahead is how
	// far the score stands above the best entry of the book that TopK leaves
	// out.
	Threshold, Margin float64
	TopK              int
	Ahead             float64
	// Reason says why not: "threshold", "margin", "top_k", "cooldown" or
	// nothing.
	Reason string
}

// Activate decides which candidates activate, book by book. All of them are in
// the result, the active ones first and by falling score; candidates of equal
// score come in order of book and entry. The same candidates in any order give
// the same result.
func Activate(candidates []Candidate) []Activation {
	list := make([]Activation, 0, len(candidates))
	for _, c := range candidates {
		a := Activation{Candidate: c, Threshold: c.Rule.Threshold, Margin: c.Rule.Margin, TopK: c.Rule.TopK}
		if a.Threshold <= 0 {
			a.Threshold = DefaultThreshold
		}
		if a.TopK <= 0 {
			a.TopK = DefaultTopK
		}
		list = append(list, a)
	}
	order := func(a, b Activation) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Book, b.Book), cmp.Compare(a.Entry, b.Entry))
	}
	slices.SortFunc(list, order)
	books := map[string][]int{}
	for i := range list {
		if list[i].Resting {
			list[i].Reason = "cooldown"
			continue
		}
		books[list[i].Book] = append(books[list[i].Book], i)
	}
	for _, of := range books {
		for rank, i := range of {
			a := &list[i]
			a.Ahead = a.Score
			if next := max(a.TopK, rank+1); next < len(of) {
				a.Ahead = a.Score - list[of[next]].Score
			}
			switch {
			case a.Score < a.Threshold || !(a.Score > 0):
				a.Reason = "threshold"
			case rank >= a.TopK:
				a.Reason = "top_k"
			case a.Ahead < a.Margin:
				a.Reason = "margin"
			default:
				a.Active = true
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Activation) int {
		switch {
		case a.Active == b.Active:
			return 0
		case a.Active:
			return -1
		}
		return 1
	})
	return list
}
