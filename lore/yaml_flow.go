package lore

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// flowList changes a list in brackets: items at both ends that stay are not
// touched.
func (e *yamlEdit) flowList(old, value *yaml.Node, loose bool) bool {
	spans, _, ok := e.flowSpans(e.d.offset(old))
	if !ok || len(spans) != len(old.Content) {
		return false
	}
	head, tail := commonEnds(old.Content, value.Content, loose)
	was, now := old.Content[head:len(old.Content)-tail], value.Content[head:len(value.Content)-tail]
	texts := make([]string, len(now))
	for i, v := range now {
		s, err := encodeInline(inheritStyle(old.Content[min(head+i, len(old.Content)-1)], v), true)
		if err != nil {
			return false
		}
		texts[i] = s
	}
	e.flowItems(spans, head, len(was), texts)
	return true
}

// flowMap changes a mapping in braces.
func (e *yamlEdit) flowMap(old, value *yaml.Node, loose bool) bool {
	spans, end, ok := e.flowSpans(e.d.offset(old))
	if !ok || len(spans) != len(old.Content)/2 {
		return false
	}
	if len(spans) == 0 {
		s, err := encodeInline(value, true)
		if err == nil {
			e.cut(e.d.offset(old), end, s)
		}
		return err == nil
	}
	var gone []int
	for i := 0; i+1 < len(old.Content); i += 2 {
		v := lookup(value, resolve(old.Content[i]).Value)
		switch {
		case v == nil:
			gone = append(gone, i/2)
		case sameNode(old.Content[i+1], v, loose):
		case !e.inline(old.Content[i+1], v, true):
			return false
		}
	}
	if len(gone) == len(spans) {
		return false
	}
	for _, i := range gone {
		e.flowCut(spans, i, gone)
	}
	last := spans[len(spans)-1].end
	for i := 0; i+1 < len(value.Content); i += 2 {
		if lookup(old, value.Content[i].Value) != nil {
			continue
		}
		m := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Style: yaml.FlowStyle, Content: value.Content[i : i+2]}
		s, err := encodeInline(m, true)
		if err != nil {
			return false
		}
		e.cut(last, last, ", "+strings.TrimSuffix(strings.TrimPrefix(s, "{"), "}"))
	}
	return true
}

// flowCut removes item i with one comma; gone lists all items that go.
func (e *yamlEdit) flowCut(spans []flowSpan, i int, gone []int) {
	if gone[0] == 0 && i < len(gone) && gone[i] == i { // a run at the front: cut up to the next item
		e.cut(spans[i].start, spans[i+1].start, "")
		return
	}
	e.cut(spans[i-1].end, spans[i].end, "")
}

// flowItems replaces count items from index head by texts.
func (e *yamlEdit) flowItems(spans []flowSpan, head, count int, texts []string) {
	shared := min(count, len(texts))
	for i := range shared {
		e.cut(spans[head+i].start, spans[head+i].end, texts[i])
	}
	separator := ", "
	if len(spans) > 1 {
		if s := e.text[spans[0].end:spans[1].start]; strings.HasPrefix(s, ",") && strings.TrimSpace(s[1:]) == "" {
			separator = s
		}
	}
	if count > shared {
		first, last := head+shared, head+count-1
		if first > 0 {
			e.cut(spans[first-1].end, spans[last].end, "")
		} else {
			e.cut(spans[first].start, spans[last+1].start, "")
		}
	}
	if rest := texts[shared:]; len(rest) > 0 {
		joined := strings.Join(rest, separator)
		if at := head + shared; at > 0 {
			e.cut(spans[at-1].end, spans[at-1].end, separator+joined)
		} else {
			e.cut(spans[0].start, spans[0].start, joined+separator)
		}
	}
}

type flowSpan struct{ start, end int }

// flowSpans finds the items of the list or mapping in brackets at start and
// the end of the whole.
func (e *yamlEdit) flowSpans(start int) (items []flowSpan, end int, ok bool) {
	if start >= e.end || e.text[start] != '[' && e.text[start] != '{' {
		return nil, 0, false
	}
	depth := 0
	item := flowSpan{-1, -1}
	token := func(from, to int) {
		if item.start < 0 {
			item.start = from
		}
		item.end = to
	}
	flush := func() {
		if item.start >= 0 {
			items = append(items, item)
		}
		item = flowSpan{-1, -1}
	}
	for i := start; i < e.end; {
		c := e.text[i]
		from := i
		switch {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			i++
			continue
		case c == '#' && strings.IndexByte(" \t\n", e.text[i-1]) >= 0:
			i = lineSpan(e.text, i).End
			continue
		case c == '[' || c == '{':
			depth++
			i++
			if depth == 1 {
				continue
			}
		case c == ']' || c == '}':
			depth--
			i++
			if depth == 0 {
				flush()
				return items, i, true
			}
		case c == ',':
			i++
			if depth == 1 {
				flush()
			}
			continue
		case c == '"':
			i = doubleQuoted(e.text[:e.end], i)
		case c == '\'':
			i = singleQuoted(e.text[:e.end], i)
		case c == ':' || c == '?':
			i++
		case c == '!' || c == '&' || c == '*':
			for i < e.end && strings.IndexByte(" \t\r\n,[]{}", e.text[i]) < 0 {
				i++
			}
		default:
			i = e.plainEnd(i)
		}
		if i < 0 || i == from {
			return nil, 0, false
		}
		token(from, i)
	}
	return nil, 0, false
}

// plainEnd returns the end of a plain scalar inside brackets.
func (e *yamlEdit) plainEnd(i int) int {
	end := i
	for ; i < e.end; i++ {
		switch c := e.text[i]; {
		case strings.IndexByte(",[]{}\r\n", c) >= 0,
			c == '#' && strings.IndexByte(" \t", e.text[i-1]) >= 0,
			c == ':' && (i+1 >= e.end || strings.IndexByte(" \t\r\n,[]{}", e.text[i+1]) >= 0):
			return end
		case c != ' ' && c != '\t':
			end = i + 1
		}
	}
	return end
}

func doubleQuoted(text string, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

func singleQuoted(text string, i int) int {
	for i++; i < len(text); i++ {
		if text[i] == '\'' {
			if i+1 < len(text) && text[i+1] == '\'' {
				i++
				continue
			}
			return i + 1
		}
	}
	return -1
}

// nodeEnd returns where a value ends that is quoted, in brackets, or plain on
// one line.
func (e *yamlEdit) nodeEnd(n *yaml.Node, start int) (int, bool) {
	if n.Kind == yaml.ScalarNode {
		return e.scalarEnd(n, start)
	}
	if n.Style&yaml.FlowStyle == 0 || n.Kind == yaml.AliasNode {
		return 0, false
	}
	_, end, ok := e.flowSpans(start)
	return end, ok
}

func (e *yamlEdit) scalarEnd(n *yaml.Node, start int) (int, bool) {
	for start < e.end && (e.text[start] == '!' && n.Style&yaml.TaggedStyle != 0) { // a tag before the value
		space := strings.IndexAny(e.text[start:e.end], " \t\r\n")
		if space < 0 || e.text[start+space] != ' ' {
			return 0, false
		}
		start += space + 1
	}
	if start >= e.end {
		return 0, false
	}
	end := -1
	switch {
	case n.Kind != yaml.ScalarNode || n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
	case e.text[start] == '"':
		end = doubleQuoted(e.text[:e.end], start)
	case e.text[start] == '\'':
		end = singleQuoted(e.text[:e.end], start)
	case n.Value != "" && strings.HasPrefix(e.text[start:e.end], n.Value):
		end = start + len(n.Value)
	}
	return end, end >= 0
}

// colon returns the place behind the colon that follows a key, or -1.
func (e *yamlEdit) colon(key *yaml.Node) int {
	at, ok := e.scalarEnd(key, e.d.offset(key))
	if !ok {
		return -1
	}
	rest := e.text[at:e.end]
	trimmed := strings.TrimLeft(rest, " \t")
	if !strings.HasPrefix(trimmed, ":") {
		return -1
	}
	return at + len(rest) - len(trimmed) + 1
}
