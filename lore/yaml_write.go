package lore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// encodeField writes `name: value` as lines that end with "\n".
func encodeField(name string, value *yaml.Node) (string, error) {
	return encodeYAML(&yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{textNode(name), value}})
}

// encodeValue writes what follows the name of a field: ": value\n" or
// ":\n  lines\n".
func encodeValue(value *yaml.Node) (string, error) {
	s, err := encodeField("k", value)
	return strings.TrimPrefix(s, "k"), err
}

// encodeItem writes an item of a list, "- value\n".
func encodeItem(value *yaml.Node) (string, error) {
	return encodeYAML(&yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Content: []*yaml.Node{value}})
}

// encodeInline writes a value on one line, in a form that may stand inside
// brackets if flow is set.
func encodeInline(value *yaml.Node, flow bool) (string, error) {
	n := deepCopy(value)
	inlineStyle(n)
	if !flow {
		s, err := encodeValue(n)
		return strings.TrimSuffix(strings.TrimPrefix(s, ": "), "\n"), err
	}
	s, err := encodeYAML(&yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle, Content: []*yaml.Node{n}})
	return strings.TrimSuffix(strings.TrimPrefix(s, "["), "]\n"), err
}

// inlineStyle makes a tree fit on one line.
func inlineStyle(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 || strings.ContainsAny(n.Value, "\r\n\u0085\u2028\u2029") {
			n.Style = n.Style&yaml.TaggedStyle | yaml.DoubleQuotedStyle
		}
		return
	}
	n.Style |= yaml.FlowStyle
	for _, c := range n.Content {
		inlineStyle(c)
	}
}

// encodeYAML writes a tree and makes sure that it reads back as it was; texts
// that the writer would change are put into double quotes.
func encodeYAML(n *yaml.Node) (string, error) {
	safe := deepCopy(n)
	quoteOdd(safe)
	s, err := marshalYAML(safe)
	if err == nil && readsAs(s, n) {
		return s, nil
	}
	quoted := deepCopy(n)
	quoteAll(quoted)
	if s, err = marshalYAML(quoted); err != nil {
		return "", err
	}
	if !readsAs(s, n) {
		return "", fmt.Errorf("YAML cannot hold this value")
	}
	return s, nil
}

func marshalYAML(n *yaml.Node) (s string, err error) {
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(n); err != nil {
		return "", err
	}
	if err := enc.Close(); err != nil {
		return "", err
	}
	return b.String(), nil
}

func readsAs(s string, want *yaml.Node) bool {
	var doc yaml.Node
	if yaml.Unmarshal([]byte(s), &doc) != nil || len(doc.Content) != 1 {
		return false
	}
	return sameNode(doc.Content[0], want, false)
}

// quoteOdd puts texts into double quotes whose line breaks are not "\n" alone
// and those that are nothing but white space.
func quoteOdd(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" && strings.ContainsAny(n.Value, "\r\n\u0085\u2028\u2029") &&
		(strings.ContainsAny(n.Value, "\r\u0085\u2028\u2029") || strings.TrimSpace(n.Value) == "") {
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, c := range n.Content {
		quoteOdd(c)
	}
}

func quoteAll(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		n.Style = yaml.DoubleQuotedStyle
	}
	for _, c := range n.Content {
		quoteAll(c)
	}
}

func deepCopy(n *yaml.Node) *yaml.Node {
	c := *n
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, child := range n.Content {
		c.Content[i] = deepCopy(child)
	}
	return &c
}

// sameNode reports whether two trees say the same; the order of a mapping does
// not matter. If loose is set, a plain
// scalar of the first equals a text that is spelled like it, as it does for
// the fields that hold texts.
func sameNode(a, b *yaml.Node, loose bool) bool {
	a, b = resolve(a), resolve(b)
	if a.Kind != b.Kind || len(a.Content) != len(b.Content) {
		return bytes.Equal(nodeJSON(a), nodeJSON(b)) // !at_depth 3 and {at_depth: 3}
	}
	if a.Kind == yaml.ScalarNode {
		if loose && b.Tag == "!!str" && a.Tag != "!!null" && strings.HasPrefix(a.Tag, "!!") {
			return a.Value == b.Value
		}
		return bytes.Equal(nodeJSON(a), nodeJSON(b))
	}
	if a.Tag != b.Tag {
		return false
	}
	if a.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(a.Content); i += 2 {
			v := b.Content[i+1]
			if name := resolve(a.Content[i]).Value; resolve(b.Content[i]).Value != name {
				v = lookup(b, name)
			}
			if v == nil || !sameNode(a.Content[i+1], v, loose) {
				return false
			}
		}
		return true
	}
	for i := range a.Content {
		if !sameNode(a.Content[i], b.Content[i], loose) {
			return false
		}
	}
	return true
}

// inheritStyle gives a new value the quoting and layout of the old one.
func inheritStyle(old, value *yaml.Node) *yaml.Node {
	old = resolve(old)
	n := deepCopy(value)
	applyStyle(old, n)
	return n
}

func applyStyle(old, n *yaml.Node) {
	const quotes = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle
	switch {
	case old.Kind != n.Kind:
	case n.Kind == yaml.ScalarNode:
		if n.Tag != "!!str" {
			return
		}
		switch {
		case old.Style&quotes != 0 && !strings.Contains(n.Value, "\n"):
			n.Style = old.Style & quotes
		case old.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
			n.Style = yaml.LiteralStyle
		}
	default:
		n.Style = n.Style&^yaml.FlowStyle | old.Style&yaml.FlowStyle
		for i, c := range n.Content {
			if n.Kind == yaml.SequenceNode && len(old.Content) > 0 {
				applyStyle(resolve(old.Content[min(i, len(old.Content)-1)]), c)
			}
			if n.Kind == yaml.MappingNode && i%2 == 1 {
				if v := lookup(old, n.Content[i-1].Value); v != nil {
					applyStyle(resolve(v), c)
				}
			}
		}
	}
}

// lookup returns the value of a name in a mapping, or nil.
func lookup(m *yaml.Node, name string) *yaml.Node {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if resolve(m.Content[i]).Value == name {
			return m.Content[i+1]
		}
	}
	return nil
}

// valueNode turns a Go value into a node.
func valueNode(field string, value any) (*yaml.Node, error) {
	plain := UnitTokens
	if strings.HasSuffix(field, "scan_depth") {
		plain = UnitMessages
	}
	switch v := value.(type) {
	case *yaml.Node:
		return v, nil
	case Slot:
		return slotNode(v), nil
	case []Slot:
		list := textsNode[string](nil)
		for _, s := range v {
			list.Content = append(list.Content, slotNode(s))
		}
		return list, nil
	case []string:
		return textsNode(v), nil
	case []Key:
		return keysNode(v), nil
	case Amount:
		return amountNode(&v, plain), nil
	case *Amount:
		return amountNode(v, plain), nil
	case *Similarity:
		if v == nil {
			return nil, nil
		}
		return valueNode(field, *v)
	case json.RawMessage:
		return rawNode(v), nil
	case nil:
		return nil, nil
	}
	n := &yaml.Node{}
	if err := n.Encode(value); err != nil {
		return nil, err
	}
	return n, nil
}

// changedPairs returns the fields of next that differ from old, and those of
// old that next lacks with a nil value.
func changedPairs(old, next []pair) []pair {
	var out []pair
	for _, n := range next {
		if v := findPair(old, n.name); v == nil || !sameNode(v, n.value, false) {
			out = append(out, n)
		}
	}
	for _, o := range old {
		if findPair(next, o.name) == nil {
			out = append(out, pair{o.name, nil})
		}
	}
	return out
}

func findPair(pairs []pair, name string) *yaml.Node {
	for _, p := range pairs {
		if p.name == name {
			return p.value
		}
	}
	return nil
}

func firstDifference(old, next []pair) string {
	if d := changedPairs(old, next); len(d) > 0 {
		return d[0].name
	}
	return ""
}
