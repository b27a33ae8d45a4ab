package engine

import (
	"strconv"
	"strings"
)

// keyDetail says which keys were not found, and where they were looked for.
func (s *sweepScan) keyDetail(e *sweepEntry, w sweepWindow) string {
	if !s.asked[e.entry] && s.in.Trace < TraceAll {
		return ""
	}
	out := e.book.keyDetail(e.entry, w.window)
	var more []string
	for _, src := range sweepSources {
		if w.sources&sourceBit(src) != 0 && s.in.Sources[src] != "" {
			more = append(more, string(src))
		}
	}
	if w.recursed && s.texts.recursed() {
		more = append(more, "the texts of other entries")
	}
	if len(more) > 0 {
		out += ", nor in " + strings.Join(more, ", ")
	}
	return out
}

// lostGroup says to whom an entry lost a group.
func lostGroup(group string, winner *sweepEntry, how string) Absence {
	out := Absence{Reason: AbsentGroup, Detail: "it lost the group " + quote(group)}
	if winner != nil {
		out.Detail += " to " + winner.ref().String()
	}
	if how != "" {
		out.Detail += ", " + how
	}
	return out
}

// howChosen says why a member was kept and not another.
func (s *sweepScan) howChosen(winner, loser *sweepEntry) string {
	switch {
	case winner == nil:
		return ""
	case winner.Inclusion.Override && !loser.Inclusion.Override:
		return "which is prioritised"
	case winner.Inclusion.Override:
		return "which is prioritised too and stands higher in order"
	}
	return "which was drawn (weights " + weightText(winner) + " to " + weightText(loser) + ")"
}

func weightText(e *sweepEntry) string { return strconv.FormatFloat(groupWeight(e), 'g', 4, 64) }
