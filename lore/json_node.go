package lore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/weft-memory/weft/weaver/diag"
)

// parseJSON parses the source as one JSON value into the same tree that
// [parseYAML] gives. A nil root means that an error was reported.
func parseJSON(p *problems) *document {
	d := &document{src: p.src, byteColumns: true}
	text := p.src.Text()
	body := strings.TrimPrefix(text, "\ufeff")
	root, at, err := jsonTree(body)
	shift := len(text) - len(body)
	if err != nil {
		at += shift
		hint := ""
		if at >= len(text) {
			hint = "the file ends too early: is it cut off?"
		}
		p.at(diag.Error, codeSyntax, diag.Span{Start: at, End: at}, "JSON cannot be read: "+err.Error(), hint)
		return d
	}
	if shift > 0 {
		shiftColumns(root, shift)
	}
	if checkTree(p, d, root) {
		d.root = root
	}
	return d
}

func shiftColumns(n *yaml.Node, by int) {
	n.Column += by
	for _, c := range n.Content {
		shiftColumns(c, by)
	}
}

// jsonTree builds the tree of one JSON text. Column is the byte offset + 1. In
// case of an error, at is where it was found.
func jsonTree(text string) (root *yaml.Node, at int, err error) {
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var stack []*yaml.Node
	place := func(n *yaml.Node) {
		if len(stack) == 0 {
			root = n
			return
		}
		top := stack[len(stack)-1]
		top.Content = append(top.Content, n)
	}
	for {
		start := skipJSONSpace(text, int(dec.InputOffset()))
		tok, err := dec.Token()
		if err != nil {
			var syntax *json.SyntaxError
			switch {
			case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
				return nil, len(text), errors.New("unexpected end")
			case errors.As(err, &syntax):
				return nil, min(int(max(syntax.Offset-1, 0)), len(text)), syntax
			}
			return nil, start, err
		}
		n := &yaml.Node{Kind: yaml.ScalarNode, Line: 1, Column: start + 1}
		switch v := tok.(type) {
		case json.Delim:
			switch v {
			case '{':
				n.Kind, n.Tag = yaml.MappingNode, "!!map"
			case '[':
				n.Kind, n.Tag = yaml.SequenceNode, "!!seq"
			default:
				stack = stack[:len(stack)-1]
				if len(stack) == 0 {
					return jsonEnd(text, dec, root)
				}
				continue
			}
			place(n)
			stack = append(stack, n)
			if len(stack) > maxNesting {
				return nil, start, fmt.Errorf("nested more than %d levels deep", maxNesting)
			}
			continue
		case string:
			n.Tag, n.Value = "!!str", v
		case json.Number:
			n.Tag, n.Value = "!!int", v.String()
			if strings.ContainsAny(n.Value, ".eE") {
				n.Tag = "!!float"
			}
		case bool:
			n.Tag, n.Value = "!!bool", strconv.FormatBool(v)
		case nil:
			n.Tag, n.Value = "!!null", "null"
		}
		place(n)
		if len(stack) == 0 {
			return jsonEnd(text, dec, root)
		}
	}
}

// jsonEnd makes sure that nothing follows the value.
func jsonEnd(text string, dec *json.Decoder, root *yaml.Node) (*yaml.Node, int, error) {
	if at := skipJSONSpace(text, int(dec.InputOffset())); at < len(text) {
		return nil, at, errors.New("something follows the end of the value")
	}
	return root, 0, nil
}

// skipJSONSpace returns where the next token begins.
func skipJSONSpace(text string, at int) int {
	for at < len(text) && strings.IndexByte(" \t\r\n,:", text[at]) >= 0 {
		at++
	}
	return at
}

// nodeJSON writes a node as compact JSON. A YAML tag of its own is written as
// an object, `!at_depth 3` as {"at_depth":3}. Aliases are written out; the
// caller has bounded the tree.
func nodeJSON(n *yaml.Node) json.RawMessage {
	var b bytes.Buffer
	writeNodeJSON(&b, n)
	return b.Bytes()
}

func writeNodeJSON(b *bytes.Buffer, n *yaml.Node) {
	n = resolve(n)
	if strings.HasPrefix(n.Tag, "!") && !strings.HasPrefix(n.Tag, "!!") && len(n.Tag) > 1 {
		b.WriteByte('{')
		writeJSONString(b, n.Tag[1:])
		b.WriteByte(':')
		inner := *n
		inner.Tag = ""
		if n.Kind == yaml.ScalarNode {
			inner.Style &^= yaml.TaggedStyle
			inner.Tag = inner.ShortTag()
		}
		writeNodeJSON(b, &inner)
		b.WriteByte('}')
		return
	}
	switch n.Kind {
	case yaml.MappingNode:
		b.WriteByte('{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSONString(b, resolve(n.Content[i]).Value)
			b.WriteByte(':')
			writeNodeJSON(b, n.Content[i+1])
		}
		b.WriteByte('}')
	case yaml.SequenceNode:
		b.WriteByte('[')
		for i, c := range n.Content {
			if i > 0 {
				b.WriteByte(',')
			}
			writeNodeJSON(b, c)
		}
		b.WriteByte(']')
	case yaml.ScalarNode:
		writeScalarJSON(b, n)
	default:
		b.WriteString("null")
	}
}

func writeScalarJSON(b *bytes.Buffer, n *yaml.Node) {
	switch n.Tag {
	case "!!null":
		b.WriteString("null")
		return
	case "!!bool":
		b.WriteString(strings.ToLower(n.Value))
		return
	case "!!int", "!!float":
		if json.Valid([]byte(n.Value)) {
			b.WriteString(n.Value)
			return
		}
		var i int64
		var f float64
		if n.Tag == "!!int" && n.Decode(&i) == nil {
			b.WriteString(strconv.FormatInt(i, 10))
			return
		}
		if n.Decode(&f) == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
			b.WriteString(strconv.FormatFloat(f, 'g', -1, 64))
			return
		}
	}
	writeJSONString(b, n.Value)
}

// writeJSONString writes a JSON string with as few escapes as JSON allows.
func writeJSONString(b *bytes.Buffer, s string) {
	const hex = "0123456789abcdef"
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteRune(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\r':
			b.WriteString(`\r`)
		case c == '\t':
			b.WriteString(`\t`)
		case c < ' ' || c == 0x7f || c == 0x2028 || c == 0x2029 || c == 0xfeff:
			b.WriteString(`\u`)
			for shift := 12; shift >= 0; shift -= 4 {
				b.WriteByte(hex[c>>shift&15])
			}
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
}

// rawNode turns raw JSON into a node; JSON that does not parse becomes text,
// so that nothing is dropped.
func rawNode(raw json.RawMessage) *yaml.Node {
	root, _, err := jsonTree(string(raw))
	if err != nil || !utf8.Valid(raw) {
		return textNode(string(raw))
	}
	clearPlaces(root)
	return root
}

func clearPlaces(n *yaml.Node) {
	n.Line, n.Column = 0, 0
	for _, c := range n.Content {
		clearPlaces(c)
	}
}

// Nodes for values that are written.

func textNode(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off": // truth values to other YAML readers
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}

func intNode(i int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(i)}
}

func boolNode(v bool) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(v)}
}

func numberNode(f float64) *yaml.Node {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.FormatFloat(f, 'f', 0, 64)}
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!float", Value: strconv.FormatFloat(f, 'g', -1, 64)}
}

func textsNode[S ~string](list []S) *yaml.Node {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}
	for _, s := range list {
		n.Content = append(n.Content, textNode(string(s)))
	}
	return n
}

// mapNode makes a mapping from names and values in turn; a nil value leaves
// its name out. Without any value it returns nil.
func mapNode(pairs ...any) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	for i := 0; i+1 < len(pairs); i += 2 {
		if v, ok := pairs[i+1].(*yaml.Node); ok && v != nil {
			n.Content = append(n.Content, textNode(pairs[i].(string)), v)
		}
	}
	if len(n.Content) == 0 {
		return nil
	}
	return n
}
