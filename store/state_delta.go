package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// A state is compared as a tree of JSON: objects down to stateDepth are maps,
// everything below (and everything else) is a text. So nothing here knows the
// fields of engine.State, and a new one is carried like the others.
//
// Most of what changes from turn to turn are counters. A map of whole numbers
// is therefore stored as what differs from a guess: that all stay, that all
// count down by one, or that those of the last turn are of this one.

// stateDepth is the depth of the counters: books, book, kind, entry. Variables
// lie one level higher; what they hold stays a text, since its order counts.
const stateDepth = 4

// tree is a node of a state: a map or a text.
type tree struct {
	children map[string]*tree // nil for a text
	text     string
}

// parseTree reads JSON down to a depth.
func parseTree(raw json.RawMessage, depth int) (*tree, error) {
	raw = bytes.TrimSpace(raw)
	if depth == 0 || len(raw) == 0 || raw[0] != '{' {
		return &tree{text: string(raw)}, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, err
	}
	t := &tree{children: make(map[string]*tree, len(fields))}
	for name, value := range fields {
		d := depth - 1
		if depth == stateDepth && name == "vars" {
			d-- // scopes and names; the values are texts
		}
		child, err := parseTree(value, d)
		if err != nil {
			return nil, err
		}
		t.children[name] = child
	}
	return t, nil
}

// json writes a tree, its keys sorted.
func (t *tree) json(out []byte) []byte {
	if t.children == nil {
		return append(out, t.text...)
	}
	out = append(out, '{')
	for i, name := range slices.Sorted(maps.Keys(t.children)) {
		if i > 0 {
			out = append(out, ',')
		}
		key, _ := json.Marshal(name) // a string
		out = append(append(out, key...), ':')
		out = t.children[name].json(out)
	}
	return append(out, '}')
}

func (t *tree) equal(u *tree) bool {
	if t.children == nil || u.children == nil {
		return t.children == nil && u.children == nil && t.text == u.text
	}
	return maps.EqualFunc(t.children, u.children, (*tree).equal)
}

// The guesses about a map of whole numbers.
const (
	guessSame    = 0 // nothing changes
	guessDown    = 1 // each is one less, those at one are gone
	guessCurrent = 2 // those that were the last turn are this turn
)

// treeDiff says what differs between two maps.
type treeDiff struct {
	Guess int `json:"g,omitempty"`
	// Now are keys whose value is this turn.
	Now  []string                   `json:"n,omitempty"`
	Set  map[string]json.RawMessage `json:"s,omitempty"`
	Gone []string                   `json:"d,omitempty"`
	In   map[string]*treeDiff       `json:"m,omitempty"`
}

func (d *treeDiff) size() int { return len(d.Now) + len(d.Set) + len(d.Gone) + len(d.In) }

// turns are the numbers of the turns of two states, as texts.
type turns struct{ old, now string }

func turnsOf(old, now *tree) turns {
	t := turns{"0", "0"}
	if c := old.children["turn"]; c != nil {
		t.old = c.text
	}
	if c := now.children["turn"]; c != nil {
		t.now = c.text
	}
	return t
}

// diff returns what makes now of old; both are maps.
func diff(old, now *tree, t turns) *treeDiff {
	best := diffGuess(old, now, t, guessSame)
	if best.size() == 0 || !counters(old) || !counters(now) {
		return best
	}
	for _, guess := range []int{guessDown, guessCurrent} {
		if d := diffGuess(predict(old, t, guess), now, t, guess); d.size() < best.size() {
			best = d
		}
	}
	return best
}

func diffGuess(old, now *tree, t turns, guess int) *treeDiff {
	d := &treeDiff{Guess: guess}
	for name, value := range now.children {
		before := old.children[name]
		switch {
		case before == nil:
			d.set(name, value, t)
		case before.children != nil && value.children != nil:
			if in := diff(before, value, t); in.size() > 0 || in.Guess != guessSame {
				if d.In == nil {
					d.In = map[string]*treeDiff{}
				}
				d.In[name] = in
			}
		case !before.equal(value):
			d.set(name, value, t)
		}
	}
	for name := range old.children {
		if now.children[name] == nil {
			d.Gone = append(d.Gone, name)
		}
	}
	slices.Sort(d.Now)
	slices.Sort(d.Gone)
	return d
}

func (d *treeDiff) set(name string, value *tree, t turns) {
	if value.children == nil && value.text == t.now && t.now != t.old {
		d.Now = append(d.Now, name)
		return
	}
	if d.Set == nil {
		d.Set = map[string]json.RawMessage{}
	}
	d.Set[name] = value.json(nil)
}

// counters reports whether a map holds whole numbers only.
func counters(t *tree) bool {
	if len(t.children) == 0 {
		return false
	}
	for _, c := range t.children {
		if c.children != nil {
			return false
		}
		if _, err := strconv.Atoi(c.text); err != nil {
			return false
		}
	}
	return true
}

// predict applies a guess to a map of whole numbers.
func predict(old *tree, t turns, guess int) *tree {
	if guess == guessSame {
		return old
	}
	out := &tree{children: make(map[string]*tree, len(old.children))}
	for name, c := range old.children {
		switch guess {
		case guessDown:
			if n, err := strconv.Atoi(c.text); err == nil && n != 1 {
				out.children[name] = &tree{text: strconv.Itoa(n - 1)}
			}
		case guessCurrent:
			if c.text == t.old {
				c = &tree{text: t.now}
			}
			out.children[name] = c
		}
	}
	return out
}

// apply makes the new map of the old one. The old one is not changed.
func (d *treeDiff) apply(old *tree, t turns, depth int) (*tree, error) {
	if old.children == nil {
		return nil, fmt.Errorf("a difference does not fit its base")
	}
	out := &tree{children: maps.Clone(predict(old, t, d.Guess).children)}
	for _, name := range d.Gone {
		delete(out.children, name)
	}
	for _, name := range d.Now {
		out.children[name] = &tree{text: t.now}
	}
	inner := func(name string) int {
		if depth == stateDepth && name == "vars" {
			return depth - 2
		}
		return depth - 1
	}
	for name, raw := range d.Set {
		child, err := parseTree(raw, inner(name))
		if err != nil {
			return nil, err
		}
		out.children[name] = child
	}
	for name, in := range d.In {
		before := out.children[name]
		if before == nil {
			return nil, fmt.Errorf("a difference does not fit its base")
		}
		child, err := in.apply(before, t, inner(name))
		if err != nil {
			return nil, err
		}
		out.children[name] = child
	}
	return out, nil
}

// stateDiff is the difference of two whole states.
type stateDiff struct {
	// Old and Now are the numbers of the turns.
	Old  string    `json:"o"`
	Now  string    `json:"t"`
	Tree *treeDiff `json:"x"`
}

// diffStates returns the difference of two states as a text.
func diffStates(old, now *tree) ([]byte, error) {
	t := turnsOf(old, now)
	return json.Marshal(stateDiff{t.old, t.now, diff(old, now, t)})
}

// applyState returns the state that a difference makes of an old one.
func applyState(old *tree, text []byte) (*tree, error) {
	var d stateDiff
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	if d.Tree == nil {
		return nil, fmt.Errorf("a difference is empty")
	}
	return d.Tree.apply(old, turns{d.Old, d.Now}, stateDepth)
}
