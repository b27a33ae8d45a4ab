package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/match"
)

// NovelAI's conditions are trees. How the members of an entry's list combine is
// not documented: here all must hold. A node that cannot be decided, since the
// host does not give what it asks for or the type is not known, is neither true
// nor false; if the whole is undecided the entry activates, and that is
// reported.

// naiNode is a node of a condition, compiled.
type naiNode struct {
	Type       string            `json:"type"`
	Conditions []json.RawMessage `json:"conditions"`
	Condition  json.RawMessage   `json:"condition"`

	Key   string   `json:"key"`
	In    []string `json:"in"`
	Range *int     `json:"range"`
	ID    string   `json:"entryId"`
	Terms []struct {
		Value    json.RawMessage `json:"value"`
		Operator string          `json:"operator"`
	} `json:"terms"`
	Comparison string          `json:"comparison"`
	Target     json.RawMessage `json:"target"`
	Model      string          `json:"model"`
	Chance     float64         `json:"chance"`
	Mode       string          `json:"mode"`
	Left       string          `json:"left"`
	Right      string          `json:"right"`

	inner []*naiNode
	key   *key
}

const (
	maxNaiDepth = 32
	maxNaiNodes = 4096
)

// parseNai compiles a list of conditions.
func parseNai(source string, rule keyRule) (*naiNode, error) {
	var list []json.RawMessage
	if err := json.Unmarshal([]byte(source), &list); err != nil {
		return nil, fmt.Errorf("it is no list of conditions: %w", err)
	}
	left := maxNaiNodes
	root := &naiNode{Type: "and", Conditions: list}
	return root, root.compile(rule, 0, &left)
}

func (n *naiNode) compile(rule keyRule, depth int, left *int) error {
	if depth > maxNaiDepth {
		return errors.New("it is nested too deeply")
	}
	sub := n.Conditions
	if n.Type == "not" && n.Condition != nil {
		sub = []json.RawMessage{n.Condition}
	}
	n.Conditions, n.Condition = nil, nil
	for _, raw := range sub {
		if *left--; *left < 0 {
			return errors.New("it has too many parts")
		}
		c := &naiNode{}
		if err := json.Unmarshal(raw, c); err != nil {
			return fmt.Errorf("a part of it has another shape: %w", err)
		}
		if err := c.compile(rule, depth+1, left); err != nil {
			return err
		}
		n.inner = append(n.inner, c)
	}
	if n.Type == "key" {
		k := &key{text: n.Key, kind: lore.KeyLiteral}
		var err error
		if pattern, flags, js := match.SplitJSKey(n.Key); js {
			k.kind = lore.KeyJS
			k.re, err = match.CompileJS(pattern, flags, match.RegexOptions{})
		} else {
			k.lit, err = match.CompileKey(n.Key, rule.fold, rule.words)
		}
		if err != nil && !errors.Is(err, match.ErrEmptyKey) {
			return err
		}
		n.key = k
	}
	return nil
}

// tri is a truth value that may be unknown.
type tri int8

const (
	triNo      tri = -1
	triUnknown tri = 0
	triYes     tri = 1
)

func triOf(b bool) tri {
	if b {
		return triYes
	}
	return triNo
}

// naiEval evaluates a condition for an entry.
type naiEval struct {
	*assembly
	view    *view
	entry   *entry
	draws   Source
	unknown string // the first part that could not be decided
}

// foreign decides about a condition of another program.
func (a *assembly) foreign(v *view, e *entry) (Absence, bool) {
	x := &naiEval{assembly: a, view: v, entry: e}
	switch x.eval(e.nai) {
	case triNo:
		return Absence{Reason: AbsentCondition, Detail: "its condition is false"}, false
	case triUnknown:
		a.reportNai(v, e, x.unknown)
	}
	return Absence{}, true
}

func (a *assembly) reportNai(v *view, e *entry, part string) {
	key := "nai " + v.id + "/" + e.ID
	if a.macroSeen == nil {
		a.macroSeen = make(map[string]bool)
	}
	if !a.macroSeen[key] {
		a.macroSeen[key] = true
		a.problem(v, e, "condition", "its condition cannot be decided, so it counts as true: "+part, nil)
	}
}

func (x *naiEval) cannot(why string) tri {
	if x.unknown == "" {
		x.unknown = why
	}
	return triUnknown
}

func (x *naiEval) eval(n *naiNode) tri {
	switch n.Type {
	case "true":
		return triYes
	case "and", "or":
		out, decides := triYes, triNo
		if n.Type == "or" {
			out, decides = triNo, triYes
		}
		for _, c := range n.inner {
			switch v := x.eval(c); {
			case v == decides:
				return v
			case v == triUnknown:
				out = triUnknown
			}
		}
		return out
	case "not":
		if len(n.inner) != 1 {
			return x.cannot("a part of the type not has no condition")
		}
		return -x.eval(n.inner[0])
	case "key":
		return x.evalKey(n)
	case "lore":
		id := n.ID
		for _, ref := range x.activeIDs(x.view) {
			if id == "" || ref == id {
				return triYes
			}
		}
		return triNo
	case "equation":
		return x.equation(n)
	case "random":
		if x.draws == nil {
			if x.draws = x.in.Rand; x.draws == nil {
				x.draws = newStream(x.in.Seed, x.view.id, x.entry.ID, "condition")
			}
		}
		return triOf(x.draws.Float64() < n.Chance)
	case "model":
		v, ok := x.vars.lookup("chat", "model")
		if !ok {
			return x.cannot("the host does not give chat:model")
		}
		return triOf(v.Text() == n.Model)
	case "storymode":
		v, ok := x.vars.lookup("chat", "mode")
		if !ok {
			return triOf(n.Mode == "normal")
		}
		return triOf(v.Text() == n.Mode)
	case "string":
		left, right := x.text(n.Left), x.text(n.Right)
		switch n.Comparison {
		case "equals":
			return triOf(left == right)
		case "includes":
			return triOf(strings.Contains(left, right))
		case "startsWith":
			return triOf(strings.HasPrefix(left, right))
		case "endsWith":
			return triOf(strings.HasSuffix(left, right))
		}
		return x.cannot("there is no comparison " + quote(n.Comparison))
	}
	return x.cannot("there is no condition of the type " + quote(n.Type))
}

// activeIDs are the entries of a book that are active so far.
func (x *naiEval) activeIDs(v *view) []string {
	var out []string
	for e := range x.active {
		if x.viewOf(e) == v {
			out = append(out, e.ID)
		}
	}
	if s := x.sweeping; s != nil {
		for _, e := range s.admitted {
			if e.book.view == v {
				out = append(out, e.ID)
			}
		}
	}
	slices.Sort(out)
	return out
}

// story is the text of the chat.
func (x *naiEval) story() string {
	s := x.searcher(x.view.policy().Join)
	return s.text(window{depth: s.messages()})
}

// text returns what a name in a comparison of strings stands for.
func (x *naiEval) text(name string) string {
	switch name {
	case "storyText":
		return x.story()
	case "memoryText":
		return x.in.Sources[lore.SourceMemory]
	case "authorsNoteText":
		return x.in.Sources[lore.SourceAuthorsNote]
	}
	return name
}

func (x *naiEval) evalKey(n *naiNode) tri {
	places := n.In
	if len(places) == 0 {
		places = []string{"story"}
	}
	for _, place := range places {
		var text string
		switch place {
		case "story":
			text = x.story()
		case "memory":
			text = x.in.Sources[lore.SourceMemory]
		case "an":
			text = x.in.Sources[lore.SourceAuthorsNote]
		case "lore":
			if s := x.sweeping; s != nil {
				text = s.texts.recursedText()
			}
		default:
			return x.cannot("there is no place " + quote(place))
		}
		if n.Range != nil && *n.Range > 0 {
			text = lastChars(text, *n.Range)
		}
		switch {
		case n.key.lit != nil:
			if _, ok := n.key.lit.Find(text); ok {
				return triYes
			}
		case n.key.re != nil:
			if _, ok, err := n.key.re.Match(text, x.budget); ok && err == nil {
				return triYes
			}
		}
	}
	return triNo
}

func (x *naiEval) equation(n *naiNode) tri {
	sum := 0.0
	for i, t := range n.Terms {
		f, ok := x.number(t.Value)
		if !ok {
			return x.cannot("an equation has the unknown value " + shorten(string(t.Value)))
		}
		// An operator stands between a term and the one before it.
		op := t.Operator
		if i > 0 && op == "" {
			op = n.Terms[i-1].Operator
		}
		switch {
		case i == 0:
			sum = f
		case op == "+", op == "":
			sum += f
		case op == "-":
			sum -= f
		case op == "*":
			sum *= f
		case op == "/":
			sum /= f
		case op == "%":
			sum = math.Mod(sum, f)
		default:
			return x.cannot("an equation has the unknown operator " + quote(op))
		}
	}
	target, ok := x.number(n.Target)
	if !ok {
		return x.cannot("an equation has the unknown target " + shorten(string(n.Target)))
	}
	switch n.Comparison {
	case "<":
		return triOf(sum < target)
	case "<=":
		return triOf(sum <= target)
	case "=", "==":
		return triOf(sum == target)
	case ">":
		return triOf(sum > target)
	case ">=":
		return triOf(sum >= target)
	}
	return x.cannot("there is no comparison " + quote(n.Comparison))
}

// number returns a value of an equation.
func (x *naiEval) number(raw json.RawMessage) (float64, bool) {
	var f float64
	if json.Unmarshal(raw, &f) == nil {
		return f, true
	}
	var name string
	if json.Unmarshal(raw, &name) != nil {
		return 0, false
	}
	switch name {
	case "characterCount":
		return float64(utf8.RuneCountInString(x.story())), true
	case "currentStep":
		return float64(x.searcher(x.view.policy().Join).messages()), true
	case "paragraphCount":
		n := 0
		for line := range strings.SplitSeq(x.story(), "\n") {
			if strings.TrimSpace(line) != "" {
				n++
			}
		}
		return float64(n), true
	}
	return macroNumber(name)
}
