package resolve

import (
	"fmt"
	"slices"
	"strings"
)

// Verdict is the answer to the question whether a thing is a known one.
type Verdict uint8

// The verdicts.
const (
	// Different: it is none of the known things.
	Different Verdict = iota
	// Same: it is the known thing Target.
	Same
	// Ambiguous: it may be one of Candidates, and code cannot tell. It must
	// not be merged unless somebody who read the story says so.
	Ambiguous
)

// String returns the verdict in small letters.
func (v Verdict) String() string {
	switch v {
	case Same:
		return "same"
	case Ambiguous:
		return "ambiguous"
	}
	return "different"
}

// Rule is one of the questions of a decision, in the order in which they are
// asked.
type Rule string

// The rules.
const (
	RuleID          Rule = "id"          // the candidate names a known id
	RuleType        Rule = "type"        // the types are equal, or one is not known
	RuleName        Rule = "name"        // normal forms of name or alias are equal
	RuleQualifier   Rule = "qualifier"   // equal but for an honorific, number, epithet, bracket or kind
	RuleContainment Rule = "containment" // every word of one name is in the other
	RuleTrigram     Rule = "trigram"     // the names look misspelt, the descriptions agree
	RuleDescription Rule = "description" // what the descriptions say about it
	RuleAsk         Rule = "ask"         // the answer of Options.Ask
	RuleNone        Rule = "none"        // nothing matched
)

// Step is one step of the trace of a decision.
type Step struct {
	Rule Rule
	// ID is the known thing that the step is about, "" if about all.
	ID string
	// Text says in words what was found.
	Text string
	// Score is the number that Text speaks of: a similarity from 0 to 1; 0 if
	// none.
	Score float64
}

// String returns the step in one line.
func (s Step) String() string {
	if s.ID == "" {
		return string(s.Rule) + ": " + s.Text
	}
	return fmt.Sprintf("%s: %s: %s", s.Rule, s.ID, s.Text)
}

// Decision is the answer to Decide, with its reasons.
type Decision struct {
	Verdict Verdict
	// Target is the id of the known thing that it is, if Same, or, if
	// Ambiguous, the one that is nearest; else "".
	Target string
	// Candidates are the ids of all known things that it may be, in order, if
	// Ambiguous.
	Candidates []string
	// Agreement is what the descriptions say about Target. If it is Unlike or
	// Conflict while the verdict is Ambiguous, none of Candidates fits any
	// better: there may well be two of one name.
	Agreement Agreement
	// Rule is the one that decided.
	Rule Rule
	// Steps are the trace, in the order of the questions.
	Steps []Step
}

// Trace returns the steps as lines of text and the verdict as the last one.
func (d Decision) Trace() string {
	var b strings.Builder
	for _, s := range d.Steps {
		b.WriteString(s.String())
		b.WriteByte('\n')
	}
	b.WriteString(d.Verdict.String())
	if d.Target != "" {
		b.WriteString(": " + d.Target)
	}
	b.WriteByte('\n')
	return b.String()
}

// Options say how to decide. The zero Options decide by code alone.
type Options struct {
	// TrustNames lets equal names decide where descriptions merely have little
	// in common; outright contradictions still count. Set it for texts that
	// tell news of a thing instead of describing it. Defaults to false.
	TrustNames bool
	// Ask, if not nil, is asked where the verdict would be Ambiguous, with the
	// things in question, nearest first. It usually asks a model. An answer
	// that names none of them is taken for Ambiguous.
	Ask func(candidate Thing, among []Thing) Answer
}

// Answer is what Options.Ask found out.
type Answer struct {
	// Verdict is Same with the ID of one of the things, Different from all of
	// them, or Ambiguous if it cannot tell either.
	Verdict Verdict
	ID      string
	// Reason goes into the trace.
	Reason string
}

// Decide finds out which of the known things the candidate is, if any. The
// order of known does not matter. With a single known thing it is symmetric:
// exchanging the two gives the same verdict, unless the candidate has an ID.
//
// To decide again and again about the same things, build an [Index].
func Decide(candidate Thing, known []Thing, opts Options) Decision {
	c := readThing(candidate)
	reads := make([]*read, len(known))
	for i, t := range known {
		if t.ID != "" && t.ID == candidate.ID {
			return sameID(t.ID)
		}
		reads[i] = readThing(t)
	}
	return decide(c, reads, reads, opts)
}

func sameID(id string) Decision {
	return Decision{Verdict: Same, Target: id, Rule: RuleID, Steps: []Step{{Rule: RuleID, ID: id, Text: "the id is known"}}}
}

const (
	// nearMiss is the least similarity of names that a trace speaks of though
	// nothing came of it.
	nearMiss = 0.3
	// maxMisses and maxSteps bound a trace.
	maxMisses = 3
	maxSteps  = 24
)

// candidateMatch is a known thing with its relation to the candidate.
type candidateMatch struct {
	*read
	relation
	agreement Agreement
	detail    string
}

// decision is a Decision in the making.
type decision struct {
	Decision
	c    *read
	opts Options
	// unlike are the things of the highest level whose names fit and whose
	// descriptions do not, found by unlikeRule.
	unlike     []candidateMatch
	unlikeRule Rule
}

// decide decides about the things that are related to the candidate. near are
// those that a trace of no match may mention.
func decide(c *read, related, near []*read, opts Options) Decision {
	d := &decision{c: c, opts: opts}
	if len(c.names[0].core) == 0 {
		d.step(RuleNone, "", "it has no name", 0)
		d.Rule = RuleNone
		return d.Decision
	}
	var found [exact + 1][]candidateMatch
	for _, o := range related {
		r := relateThings(c, o)
		if r.level == unrelated || r.level == rival {
			continue
		}
		if !typesMeet(c, o) {
			d.step(RuleType, o.ID, fmt.Sprintf("a name matches, but it is of type %s, not %s", o.typ, c.typ), 0)
			continue
		}
		found[r.level] = append(found[r.level], candidateMatch{read: o, relation: r})
	}
	for _, l := range []struct {
		level level
		rule  Rule
	}{{exact, RuleName}, {qualified, RuleQualifier}, {contained, RuleContainment}, {alike, RuleTrigram}} {
		if list := found[l.level]; len(list) > 0 && d.weigh(l.level, l.rule, list) {
			return d.Decision
		}
	}
	if len(d.unlike) > 0 {
		d.ambiguous(d.unlikeRule, d.unlike, "the name fits, but the description does not")
		return d.Decision
	}
	d.Verdict, d.Rule = Different, RuleNone
	d.misses(near)
	d.step(RuleNone, "", "no known thing matches", 0)
	return d.Decision
}

func (d *decision) step(rule Rule, id, text string, score float64) {
	if len(d.Steps) < maxSteps {
		d.Steps = append(d.Steps, Step{Rule: rule, ID: id, Text: text, Score: score})
	}
}

// weigh decides about the things of one level, and reports whether it could.
func (d *decision) weigh(l level, rule Rule, list []candidateMatch) bool {
	slices.SortFunc(list, func(x, y candidateMatch) int { return strings.Compare(x.ID, y.ID) })
	for i := range list {
		m := &list[i]
		m.agreement, m.detail = d.agreement(l, m.read)
		d.step(rule, m.ID, m.why(), m.score)
		if m.detail != "" {
			d.step(RuleDescription, m.ID, fmt.Sprintf("they %s: %s", m.agreement, m.detail), 0)
		}
	}
	if l < exact {
		// Below equality, descriptions that contradict each other rule out.
		list = slices.DeleteFunc(list, func(m candidateMatch) bool {
			return m.agreement == Conflict || l == alike && (m.agreement == Unlike || d.twins(m.read))
		})
		strong := slices.DeleteFunc(slices.Clone(list), func(m candidateMatch) bool { return m.weak })
		if len(strong) > 0 {
			list = strong
		}
		if len(list) == 0 {
			return false
		}
	}
	agree, open := -1, 0
	for i := range list {
		switch list[i].agreement {
		case Agree:
			agree = i
			open++
		case Unknown:
			open++
		}
	}
	// Descriptions that speak for one thing and against all others decide.
	if agree >= 0 && open == 1 {
		if len(list) > 1 || len(d.unlike) > 0 {
			d.step(RuleDescription, list[agree].ID, "the only one whose description agrees", 0)
			rule = RuleDescription
		}
		d.same(rule, &list[agree])
		return true
	}
	if len(d.unlike) > 0 {
		return false
	}
	if open == 0 && (!d.opts.TrustNames || len(list) > 1 || list[0].agreement == Conflict || list[0].weak) {
		// A thing with a name that fits less may have the description.
		d.unlike, d.unlikeRule = list, rule
		return false
	}
	switch {
	case len(list) > 1:
		d.ambiguous(rule, list, "several fit")
	case list[0].weak:
		d.ambiguous(rule, list, "the names alone do not decide")
	default:
		d.same(rule, &list[0])
	}
	return true
}

func (d *decision) same(rule Rule, m *candidateMatch) {
	d.Verdict, d.Target, d.Rule, d.Agreement = Same, m.ID, rule, m.agreement
}

func (d *decision) ambiguous(rule Rule, list []candidateMatch, why string) {
	d.Verdict, d.Rule = Ambiguous, rule
	slices.SortStableFunc(list, func(x, y candidateMatch) int {
		return agreementOrder(x.agreement) - agreementOrder(y.agreement)
	})
	d.Target, d.Agreement = list[0].ID, list[0].agreement
	d.step(rule, "", why, 0)
	if d.opts.Ask != nil {
		d.ask(list)
	}
	if d.Verdict == Ambiguous {
		for _, m := range list {
			d.Candidates = append(d.Candidates, m.ID)
		}
		slices.Sort(d.Candidates)
	}
}

func agreementOrder(a Agreement) int {
	return [...]int{Agree: 0, Unknown: 1, Unlike: 2, Conflict: 3}[a]
}

// ask asks the hook among the things in question.
func (d *decision) ask(list []candidateMatch) {
	among := make([]Thing, len(list))
	for i, m := range list {
		among[i] = m.Thing
	}
	a := d.opts.Ask(d.c.Thing, among)
	reason := ""
	if a.Reason != "" {
		reason = ": " + a.Reason
	}
	switch a.Verdict {
	case Same:
		i := slices.IndexFunc(among, func(t Thing) bool { return t.ID == a.ID })
		if i < 0 {
			d.step(RuleAsk, "", fmt.Sprintf("the answer %q is none of the things in question", a.ID), 0)
			return
		}
		d.step(RuleAsk, a.ID, "the answer is yes"+reason, 0)
		d.same(RuleAsk, &list[i])
	case Different:
		d.step(RuleAsk, "", "the answer is: none of them"+reason, 0)
		d.Verdict, d.Target, d.Rule, d.Agreement = Different, "", RuleAsk, Unknown
	default:
		d.step(RuleAsk, "", "the answer is undecided"+reason, 0)
	}
}

// agreement compares what is known beyond the names.
func (d *decision) agreement(l level, o *read) (Agreement, string) {
	c := d.c
	if x, y := c.gender(), o.gender(); x != 0 || y != 0 {
		if x == 0 {
			x = c.description().gender
		}
		if y == 0 {
			y = o.description().gender
		}
		if gendersClash(x, y) {
			return Conflict, "one is a man, one a woman"
		}
	}
	if c.Description == "" || o.Description == "" {
		return Unknown, ""
	}
	return compareDescriptions(c.description(), o.description(), l >= qualified && isFull(c, o))
}

// twins reports whether the descriptions say that there are two who are alike:
// one speaks of the other by name, or of a twin.
func (d *decision) twins(o *read) bool {
	x, y := d.c.description(), o.description()
	return x.mentions(o.names[0]) || y.mentions(d.c.names[0]) || x.ofTwins() || y.ofTwins()
}

// misses tells which names came near and why they did not match.
func (d *decision) misses(near []*read) {
	type miss struct {
		*read
		score float64
	}
	var list []miss
	name := d.c.names[0]
	for _, o := range near {
		if !typesMeet(d.c, o) {
			continue
		}
		if s := Similarity(name.full, o.names[0].full); s >= nearMiss {
			list = append(list, miss{o, s})
		}
	}
	slices.SortFunc(list, func(x, y miss) int {
		if x.score != y.score {
			if x.score > y.score {
				return -1
			}
			return 1
		}
		return strings.Compare(x.ID, y.ID)
	})
	for i, m := range list {
		if i == maxMisses {
			break
		}
		why := "words differ"
		if r := relateThings(d.c, m.read); r.why != nil {
			why = r.why()
		}
		d.step(RuleTrigram, m.ID, fmt.Sprintf("%q and %q: %.2f alike, but no: %s", name.full, m.names[0].full, m.score, why), m.score)
	}
}
