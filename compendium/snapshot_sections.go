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

func (s *snapshotter) nowSection() []candidate {
	l := s.o.Lang
	var parts []string
	if t := momentText(s.w.now); t != "" {
		parts = append(parts, oneLine(t))
	}
	if s.scene.Name != "" {
		parts = append(parts, l.phrase("snap_here", "x", oneLine(s.scene.Name)))
	}
	if s.o.Situation != "" && (s.o.Viewer.seesAll() || !newRedaction(s.w, s.o.Viewer).says(s.o.Situation)) {
		parts = append(parts, brief(s.o.Situation, 160))
	}
	if len(parts) == 0 {
		return nil
	}
	var ids []string
	if s.scene.ID != "" {
		ids = []string{s.scene.ID}
	}
	return []candidate{{ids: ids, head: parts[0], clauses: parts[1:]}}
}

func (s *snapshotter) castSection() []candidate {
	l := s.o.Lang
	cast := slices.Clone(s.cast)
	slices.SortStableFunc(cast, func(a, b *Entry) int {
		return cmp.Or(cmp.Compare(b.Importance(), a.Importance()), cmp.Compare(b.lastTurn(), a.lastTurn()), compareStrings(a.ID, b.ID))
	})
	var out []candidate
	for _, e := range cast {
		state := func(name string) string { return plain(e.state(name)) }
		c := candidate{ids: []string{e.ID}, head: oneLine(e.Name()), minor: e.Importance() < minorBelow}
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
		out = append(out, c)
	}
	return out
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

func (s *snapshotter) tensions() []candidate {
	l := s.o.Lang
	var out []candidate
	for _, id := range s.w.ids {
		e := s.w.entries[id]
		if e.Type != Character || e.Ended() || e.Importance() < minorBelow {
			continue
		}
		rows, _ := e.Data["relationships"].(Object)
		for key, v := range rows {
			row, ok := v.(Object)
			if !ok || rowEnded(row) {
				continue
			}
			tension, _ := row["tension"].(float64)
			trust, _ := row["trust"].(float64)
			status, _ := row["status"].(string)
			if tension < 1 && trust >= 0 && !isStrained(status) {
				continue
			}
			rel := s.w.relation(e, "relationships", keyedRow{key, row})
			other := 2
			if t := s.w.entries[rel.To.ID]; t != nil {
				if other = t.Importance(); t.Ended() {
					continue
				}
			}
			if other < minorBelow {
				continue
			}
			if rel.Status != "" {
				rel.Status = ", " + brief(rel.Status, 40)
			}
			nature := strings.ReplaceAll(rel.Nature, "_", " ")
			if nature == "" {
				nature = l.word(Character, rel.Category)
			}
			c := candidate{
				ids:  []string{e.ID},
				head: l.phrase("snap_tension", "a", oneLine(e.Name()), "b", oneLine(rel.To.Name), "nature", brief(nature, 40), "status", rel.Status),
			}
			if rel.To.ID != "" {
				c.ids = append(c.ids, rel.To.ID)
			}
			c.clauses = nonEmpty(brief(rel.Note, 60))
			c.score = max(tension, 0.5) * float64(e.Importance()+other) * freshness(s.w.turn, rel.Turn)
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.head, b.head))
	})
	return out
}

func (s *snapshotter) plots() []candidate {
	l := s.o.Lang
	var out []candidate
	for _, p := range s.w.OpenPlots() {
		c := candidate{ids: []string{p.ID}, head: oneLine(p.Name), minor: p.Importance < minorBelow}
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
		out = append(out, c)
	}
	return out
}

func (s *snapshotter) threats() []candidate {
	l := s.o.Lang
	var out []candidate
	for _, t := range s.w.OpenThreats() {
		if t.Status != "active" && t.Status != "escalating" && t.press() < 6 {
			continue
		}
		c := candidate{ids: []string{t.ID}, head: oneLine(t.Name), minor: t.Importance < minorBelow}
		c.clauses = nonEmpty(brief(t.Phase, 60))
		if len(t.Targets) > 0 {
			c.clauses = append(c.clauses, l.phrase("snap_target", "x", oneLine(t.Targets[0].Name)))
		}
		if t.Segments > 0 {
			c.clauses = append(c.clauses, l.phrase("snap_clock", "filled", strconv.Itoa(t.Filled), "segments", strconv.Itoa(t.Segments)))
		}
		out = append(out, c)
	}
	return out
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

func (s *snapshotter) elsewhere() []candidate {
	l := s.o.Lang
	var list []*Entry
	for _, id := range s.w.ids {
		e := s.w.entries[id]
		if e.Type != Character || e.Ended() || e.Importance() < 3 || slices.Contains(s.cast, e) {
			continue
		}
		if openGoal(e) != "" || plain(e.state("activity")) != "" || plain(e.state("immediate_goal")) != "" {
			list = append(list, e)
		}
	}
	slices.SortStableFunc(list, func(a, b *Entry) int {
		return cmp.Or(cmp.Compare(b.Importance(), a.Importance()), cmp.Compare(b.lastTurn(), a.lastTurn()), compareStrings(a.ID, b.ID))
	})
	var out []candidate
	for _, e := range list {
		c := candidate{ids: []string{e.ID}, head: oneLine(e.Name())}
		if x, ok := s.w.whereabouts(e); ok {
			c.clauses = append(c.clauses, l.phrase("snap_here", "x", oneLine(x.Where.Name)))
		}
		doing := plain(e.state("activity"))
		if doing == "" {
			if goal := cmp.Or(plain(e.state("immediate_goal")), openGoal(e)); goal != "" {
				doing = l.phrase("snap_goal", "x", endless(brief(goal, 60)))
			}
		}
		c.clauses = append(c.clauses, nonEmpty(brief(doing, 60))...)
		out = append(out, c)
	}
	return out
}

// recent is for how many turns a change of stance is news.
const recent = 10

func (s *snapshotter) powers() []candidate {
	l := s.o.Lang
	var out []candidate
	for _, id := range s.w.ids {
		e := s.w.entries[id]
		if e.Type != Organization || e.Ended() {
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
	return out
}

// due collects debts that fall due and secrets between those who are together.
func (s *snapshotter) due() []candidate {
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
			scope := rowScope(e, f, r.Object)
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
	return out
}
