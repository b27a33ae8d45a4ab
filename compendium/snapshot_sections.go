package compendium

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// minorBelow is the importance from which on an entry can claim room.
const minorBelow = 2

func nonEmpty(list ...string) []string {
	var out []string
	for _, s := range list {
		if s = endless(oneLine(s)); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// brief cuts a text that an author wrote at length to its first clause.
func brief(s string, n int) string {
	s = oneLine(s)
	if len([]rune(s)) <= n {
		return s
	}
	for _, sep := range []string{". ", "; ", " (", ", "} {
		if head, _, ok := strings.Cut(s, sep); ok && len([]rune(head)) <= n {
			return head
		}
	}
	return cutText(s, n)
}

func (s *snapshotter) nowSection() section {
	l := s.o.Lang
	var parts []string
	if t := momentText(s.w.now); t != "" {
		parts = append(parts, oneLine(t))
	}
	if s.scene.Name != "" {
		parts = append(parts, l.phrase("snap_here", "x", oneLine(s.scene.Name)))
	}
	if s.o.Situation != "" && s.o.Viewer.seesAll() {
		parts = append(parts, brief(s.o.Situation, 160))
	}
	if len(parts) == 0 {
		return section{}
	}
	var ids []string
	if s.scene.ID != "" {
		ids = []string{s.scene.ID}
	}
	return section{list: []candidate{{ids: ids, head: parts[0], clauses: parts[1:]}}}
}

// rankEntries sorts entries by importance, then the latest change, then id.
func rankEntries(list []*known) []*known {
	slices.SortFunc(list, func(a, b *known) int {
		return cmp.Or(cmp.Compare(b.importance, a.importance), cmp.Compare(b.turn, a.turn), compareStrings(a.ID, b.ID))
	})
	return list
}

func isMinor(e *known) bool { return e.importance < minorBelow }

func (s *snapshotter) castSection() section {
	l := s.o.Lang
	return firstOf(rankEntries(slices.Clone(s.cast)), isMinor, func(e *known) candidate {
		state := func(name string) string { return plain(e.state(name)) }
		c := candidate{ids: []string{e.ID}, head: oneLine(e.Name())}
		if e.Ended() {
			c.head += " (" + l.word(e.Type, e.Status()) + ")"
		}
		condition := state("status")
		if condition == "" {
			condition = state("condition")
		}
		c.clauses = nonEmpty(brief(condition, 60), brief(state("mood"), 40))
		if goal := brief(state("immediate_goal"), 70); goal != "" {
			c.clauses = append(c.clauses, l.phrase("snap_goal", "x", endless(goal)))
		}
		return c
	})
}

// strained are words of a status that tell of tension.
var strained = wordSet("strained complicated hostile broken betrayed hunted estranged tense jealous bitter feuding unresolved angry distrustful suspicious wary " +
	"fraught volatile rocky cold angespannt schwierig feindlich zerstritten натянутые сложные враждебные")

func isStrained(status string) bool {
	for w := range strings.FieldsFuncSeq(strings.ToLower(status), func(r rune) bool { return r == ' ' || r == ',' || r == ';' || r == '_' || r == '-' || r == '/' }) {
		if strained[w] {
			return true
		}
	}
	return false
}

// tension is a relationship under strain with its score.
type tension struct {
	tense
	e     *known
	score float64
}

func (s *snapshotter) tensions() section {
	l := s.o.Lang
	var list []tension
	for _, e := range s.w.ofType(Character) {
		if len(e.tense) == 0 || isMinor(e) || e.ended {
			continue
		}
		for _, x := range e.tense {
			other := 2
			with, _ := x.row["with"].(Ref)
			if t := s.w.target(with); t != nil {
				if other = t.Importance(); other < minorBelow || t.Ended() {
					continue
				}
			}
			list = append(list, tension{x, e, x.strain * float64(e.importance+other) * freshness(s.w.turn, x.turn)})
		}
	}
	slices.SortFunc(list, func(a, b tension) int {
		return cmp.Or(cmp.Compare(b.score, a.score), compareStrings(a.e.ID, b.e.ID), compareStrings(a.key, b.key))
	})
	return firstOf(list, func(tension) bool { return false }, func(t tension) candidate {
		rel := s.w.relation(t.e.Entry, "relationships", keyedRow{t.key, t.row})
		if rel.Status != "" {
			rel.Status = ", " + brief(rel.Status, 40)
		}
		nature := strings.ReplaceAll(rel.Nature, "_", " ")
		if nature == "" {
			nature = l.word(Character, rel.Category)
		}
		c := candidate{
			ids:  []string{t.e.ID},
			head: l.phrase("snap_tension", "a", oneLine(t.e.Name()), "b", oneLine(rel.To.Name), "nature", brief(nature, 40), "status", rel.Status),
		}
		if s.o.Viewer.seesAll() && !t.e.openAt(rowPath("relationships", t.key)) {
			c.secret, c.head = true, l.phrase("snap_marked", "x", c.head)
		}
		if rel.To.ID != "" {
			c.ids = append(c.ids, rel.To.ID)
		}
		c.clauses = nonEmpty(brief(rel.Note, 60))
		return c
	})
}

func (s *snapshotter) plots() section {
	l := s.o.Lang
	return firstOf(s.w.OpenPlots(), func(p PlotState) bool { return p.Importance < minorBelow }, func(p PlotState) candidate {
		c := candidate{ids: []string{p.ID}, head: oneLine(p.Name)}
		stage := l.word(Plot, p.Stage)
		if p.Status == "stalled" {
			stage = l.word(Plot, p.Status)
		}
		c.clauses = nonEmpty(stage)
		if p.Next != "" {
			c.clauses = append(c.clauses, l.phrase("snap_next", "x", endless(brief(p.Next, 80))))
		} else if p.Latest != "" {
			c.clauses = append(c.clauses, endless(brief(p.Latest, 80)))
		}
		if p.Deadline != "" {
			c.clauses = append(c.clauses, l.phrase("snap_due_by", "x", oneLine(p.Deadline)))
		}
		return c
	})
}

func (s *snapshotter) threats() section {
	l := s.o.Lang
	list := slices.DeleteFunc(s.w.OpenThreats(), func(t ThreatState) bool {
		return t.Status != "active" && t.Status != "escalating" && t.press() < 6
	})
	return firstOf(list, func(t ThreatState) bool { return t.Importance < minorBelow }, func(t ThreatState) candidate {
		c := candidate{ids: []string{t.ID}, head: oneLine(t.Name)}
		c.clauses = nonEmpty(brief(t.Phase, 60))
		if len(t.Targets) > 0 {
			c.clauses = append(c.clauses, l.phrase("snap_target", "x", oneLine(t.Targets[0].Name)))
		}
		if t.Segments > 0 {
			c.clauses = append(c.clauses, l.phrase("snap_clock", "filled", strconv.Itoa(t.Filled), "segments", strconv.Itoa(t.Segments)))
		}
		return c
	})
}

// openGoal returns the first goal of a character that is not met.
func openGoal(e *Entry) string {
	for _, r := range sortedRows(e.Data["goals"]) {
		if !rowEnded(r.Object) {
			return plain(r.Object["text"])
		}
	}
	return ""
}

func (s *snapshotter) elsewhere() section {
	l := s.o.Lang
	here := make(map[*Entry]bool, len(s.cast))
	for _, k := range s.cast {
		here[k.Entry] = true
	}
	var list []*known
	for _, e := range s.w.ofType(Character) {
		if e.wants && e.importance >= 3 && !e.ended && !here[e.Entry] {
			list = append(list, e)
		}
	}
	return firstOf(rankEntries(list), isMinor, func(e *known) candidate {
		c := candidate{ids: []string{e.ID}, head: oneLine(e.Name())}
		if x, ok := s.w.whereabouts(e.Entry); ok {
			c.clauses = append(c.clauses, l.phrase("snap_here", "x", oneLine(x.Where.Name)))
		}
		doing := plain(e.state("activity"))
		if doing == "" {
			if goal := cmp.Or(plain(e.state("immediate_goal")), openGoal(e.Entry)); goal != "" {
				doing = l.phrase("snap_goal", "x", endless(brief(goal, 60)))
			}
		}
		c.clauses = append(c.clauses, nonEmpty(brief(doing, 60))...)
		return c
	})
}

// recent is for how many turns a change of stance is news.
const recent = 10

func (s *snapshotter) powers() section {
	l := s.o.Lang
	var out []candidate
	for _, e := range s.w.ofType(Organization) {
		if e.ended {
			continue
		}
		c := candidate{ids: []string{e.ID}, head: oneLine(e.Name()), minor: e.Importance() < minorBelow}
		turn := 0
		for _, r := range sortedRows(e.Data["relations"]) {
			stance := plain(r.Object["stance"])
			at := e.rowTurn(rowPath("relations", r.key), r.Object)
			if rowEnded(r.Object) || stance != "hostile" && stance != "war" && (at == 0 || s.w.turn-at > recent) {
				continue
			}
			with, _ := r.Object["with"].(Ref)
			turn = max(turn, at)
			c.clauses = append(c.clauses, l.word(Organization, stance)+" - "+oneLine(s.w.named(with).Name))
		}
		if tension := plain(e.state("internal_tension")); tension != "" {
			turn = max(turn, e.Sources["current_state.internal_tension"].Turn)
			c.clauses = append(c.clauses, endless(brief(tension, 60)))
		}
		if len(c.clauses) == 0 {
			continue
		}
		c.score = float64(e.Importance()) * freshness(s.w.turn, turn)
		out = append(out, c)
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	return firstOf(out, func(c candidate) bool { return c.minor }, func(c candidate) candidate { return c })
}

// due collects debts that fall due and secrets between those who are together.
func (s *snapshotter) due() section {
	l := s.o.Lang
	var out []candidate
	for _, d := range s.w.Obligations() {
		if d.Due == "" || d.due.Dated && s.w.now.Dated && d.due.Sort-s.w.now.Sort > SkipFrom {
			continue
		}
		c := candidate{
			ids:  []string{d.Who.ID},
			head: l.phrase("snap_owes", "a", oneLine(d.Who.Name), "b", oneLine(d.To.Name), "what", endless(brief(d.What, 50))), minor: d.importance < minorBelow,
		}
		c.clauses = []string{l.phrase("snap_due_by", "x", oneLine(d.Due))}
		out = append(out, c)
	}
	f := FieldAt(Character, "secrets")
	for _, e := range s.cast {
		for _, r := range sortedRows(e.Data["secrets"]) {
			scope := rowScope(e.Entry, f, r.Object)
			var from []string
			for _, o := range s.cast {
				if o != e && o.Type == Character && !scope.Knows(s.w.CharacterViewer(o.ID)) {
					from = append(from, oneLine(o.Name()))
				}
			}
			if len(from) == 0 {
				continue
			}
			out = append(out, candidate{
				ids: []string{e.ID}, secret: true, minor: e.Importance() < minorBelow,
				head: l.phrase("snap_secret", "a", oneLine(e.Name()), "b", strings.Join(from, ", "), "what", endless(brief(plain(r.Object["text"]), 60))),
			})
		}
	}
	return firstOf(out, func(c candidate) bool { return c.minor }, func(c candidate) candidate { return c })
}
