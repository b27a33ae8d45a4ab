package resolve

import (
	"cmp"
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
	for _, t := range known {
		if t.ID != "" && t.ID == candidate.ID {
			return sameID(t.ID)
		}
	}
	return decide(c, readList(readThings(known)), opts)
}

// source finds known things for a decision.
type source interface {
	// equal finds the things of which a name may be equal to one of c, or
	// differ only in accents or by an honorific, number, epithet, bracket or
	// kind; sharing those with a name contained in one of c, or the other way
	// round; slips those with a name that may be misspelt. They may find more.
	equal(c *read) []*read
	sharing(c *read) []*read
	slips(c *read) []*read
	// nearest finds the k things with the most similar names, for the trace.
	nearest(c *read, k int) []nearMiss
}

// nearMiss is a thing with the similarity of its best name.
type nearMiss struct {
	*read
	score float64
}

// readList is a source that finds everything.
type readList []*read

func (l readList) equal(*read) []*read   { return l }
func (l readList) sharing(*read) []*read { return nil }
func (l readList) slips(*read) []*read   { return nil }

func (l readList) nearest(c *read, k int) []nearMiss {
	top := make([]nearMiss, 0, k+1)
	for _, r := range l {
		if !typesMeet(c, r) {
			continue
		}
		best := nearMiss{read: r}
		for _, n := range r.names {
			best.score = max(best.score, Similarity(c.names[0].full, n.full))
		}
		top = addMiss(top, best, k)
	}
	return top
}

// addMiss keeps the k best.
func addMiss(top []nearMiss, m nearMiss, k int) []nearMiss {
	if m.score < leastMiss || len(top) == k && compareMisses(m, top[k-1]) >= 0 {
		return top
	}
	i, _ := slices.BinarySearchFunc(top, m, compareMisses)
	top = slices.Insert(top, i, m)
	return top[:min(len(top), k)]
}

func compareMisses(x, y nearMiss) int {
	return cmp.Or(cmp.Compare(y.score, x.score), strings.Compare(x.ID, y.ID), strings.Compare(x.Name, y.Name))
}

func sameID(id string) Decision {
	return Decision{Verdict: Same, Target: id, Rule: RuleID, Steps: []Step{{Rule: RuleID, ID: id, Text: "the id is known"}}}
}

const (
	// leastMiss is the least similarity of names that a trace speaks of though
	// nothing came of it.
	leastMiss = 0.3
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
	c     *read
	opts  Options
	seen  map[*read]bool
	found [exact + 1][]candidateMatch
	// unlike are the things of the highest level whose names fit and whose
	// descriptions do not, found by unlikeRule.
	unlike     []candidateMatch
	unlikeRule Rule
}

// decide decides about the candidate among what the source finds. What a later
// question needs is looked for only if an earlier one did not decide.
func decide(c *read, from source, opts Options) Decision {
	d := &decision{c: c, opts: opts}
	if !slices.ContainsFunc(c.names, func(n *name) bool { return len(n.core) > 0 }) {
		d.step(RuleNone, "", "it has no name", 0)
		d.Rule = RuleNone
		return d.Decision
	}
	d.sort(from.equal(c))
	if d.weigh(exact, RuleName) || d.weigh(qualified, RuleQualifier) {
		return d.Decision
	}
	d.sort(from.sharing(c))
	if d.weigh(contained, RuleContainment) {
		return d.Decision
	}
	d.sort(from.slips(c))
	if d.weigh(alike, RuleTrigram) {
		return d.Decision
	}
	if len(d.unlike) > 0 {
		d.ambiguous(d.unlikeRule, d.unlike, "the name fits, but the description does not")
		return d.Decision
	}
	d.Verdict, d.Rule = Different, RuleNone
	d.misses(from.nearest(c, maxMisses))
	d.step(RuleNone, "", "no known thing matches", 0)
	return d.Decision
}

// sort sorts things by how close their names are.
func (d *decision) sort(things []*read) {
	var other []*read // with an equal name, but of another type
	for _, o := range things {
		if d.seen[o] {
			continue
		}
		if d.seen == nil {
			d.seen = make(map[*read]bool, len(things))
		}
		d.seen[o] = true
		r := relateThings(d.c, o)
		switch {
		case r.level <= rival:
		case typesMeet(d.c, o):
			d.found[r.level] = append(d.found[r.level], candidateMatch{read: o, relation: r})
		case r.level == exact:
			other = append(other, o)
		}
	}
	slices.SortFunc(other, compareReads)
	for _, o := range other {
		d.step(RuleType, o.ID, fmt.Sprintf("a name matches, but it is of type %s, not %s", o.typ, d.c.typ), 0)
	}
}

func compareReads(x, y *read) int {
	return cmp.Or(strings.Compare(x.ID, y.ID), strings.Compare(x.Name, y.Name))
}

func (d *decision) step(rule Rule, id, text string, score float64) {
	if len(d.Steps) < maxSteps {
		d.Steps = append(d.Steps, Step{Rule: rule, ID: id, Text: text, Score: score})
	}
}

// weigh decides about the things of one level, and reports whether it could.
func (d *decision) weigh(l level, rule Rule) bool {
	list := d.found[l]
	if len(list) == 0 {
		return false
	}
	slices.SortFunc(list, func(x, y candidateMatch) int { return compareReads(x.read, y.read) })
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
func (d *decision) misses(near []nearMiss) {
	name := d.c.names[0].full
	for _, m := range near {
		why := "words differ"
		if r := relateThings(d.c, m.read); r.why != nil {
			why = r.why()
		}
		d.step(RuleTrigram, m.ID, fmt.Sprintf("%q and %q: %.2f alike, but no: %s", name, m.names[0].full, m.score, why), m.score)
	}
}
