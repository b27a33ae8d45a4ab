package engine

import (
	"strings"

	"github.com/weft-memory/weft/lore"
)

// macroNode is a part of a text with macros: plain text, or a macro.
type macroNode struct {
	macro bool
	// source is the part as it is written, at where it begins.
	source string
	at     int
	// inner is what stands between the braces of a macro.
	inner []macroNode
	// read is the head, once it was asked for.
	read *macroHead
}

// parseMacros divides a text into its macros and what stands between them, in
// one pass. Braces that do not match, or that stand too deep, are plain text.
func parseMacros(text string) []macroNode {
	type open struct {
		at    int // of the braces
		nodes []macroNode
	}
	stack := []open{{at: -1}}
	from := 0 // start of the text not yet part of a node
	flush := func(to int) {
		if to > from {
			top := &stack[len(stack)-1]
			top.nodes = append(top.nodes, macroNode{source: text[from:to], at: from})
		}
		from = to
	}
	for i := 0; i < len(text); {
		switch {
		case strings.HasPrefix(text[i:], "{{"):
			run := i
			for run < len(text) && text[run] == '{' {
				run++
			}
			if (run-i)%2 == 1 {
				i++ // of an odd number the first one is text
			}
			for ; i < run; i += 2 {
				if len(stack) > maxMacroDepth {
					continue
				}
				flush(i)
				stack = append(stack, open{at: i})
				from = i + 2
			}
		case len(stack) > 1 && strings.HasPrefix(text[i:], "}}"):
			flush(i)
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			i += 2
			from = i
			below := &stack[len(stack)-1]
			below.nodes = append(below.nodes, macroNode{macro: true, source: text[top.at:i], at: top.at, inner: top.nodes})
		default:
			i++
		}
	}
	flush(len(text))
	for len(stack) > 1 { // braces that were never closed
		top := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		below := &stack[len(stack)-1]
		below.nodes = append(below.nodes, macroNode{source: text[top.at : top.at+2], at: top.at})
		below.nodes = append(below.nodes, top.nodes...)
	}
	return stack[0].nodes
}

// macroHead is the name of a macro, and what follows it.
type macroHead struct {
	// name is in lower case, without the signs that RisuAI ignores in it.
	name string
	// comment says that the macro is a note.
	comment bool
	// open and closing say that it begins or ends a block with a sign: {{#if}},
	// {{/if}}.
	open, closing bool
	// rest is what stands behind the name and its separator.
	rest   []macroNode
	colons bool
}

// head reads the name of a macro, once.
func (x *expander) head(n *macroNode) *macroHead {
	if n.read == nil {
		h := x.readHead(n)
		n.read = &h
	}
	return n.read
}

func (x *expander) readHead(n *macroNode) macroHead {
	var h macroHead
	if len(n.inner) == 0 || n.inner[0].macro {
		return h
	}
	first := n.inner[0].source
	if x.lang == lore.LangBasic {
		if len(n.inner) == 1 {
			h.name = strings.ToLower(first)
		}
		return h
	}
	text := strings.TrimLeft(first, " \t\r\n")
	if strings.HasPrefix(text, "//") {
		h.comment = true
		return h
	}
	if strings.HasPrefix(text, "#") {
		h.open, text = true, strings.TrimLeft(text[1:], " \t")
	} else if strings.HasPrefix(text, "/") {
		h.closing, text = true, strings.TrimLeft(text[1:], " \t")
		if strings.HasPrefix(text, "//") { // the end of a scoped comment
			h.name = "//"
			return h
		}
	}
	if zone := len("time_"); x.lang == lore.LangTavern && len(text) > zone && strings.EqualFold(text[:zone], "time_") {
		// {{time_UTC+2}} is an older form of {{time::UTC+2}}.
		h.name, h.colons = "time", true
		h.rest = append(h.rest, macroNode{source: text[zone:], at: n.inner[0].at + len(first) - len(text) + zone})
		h.rest = append(h.rest, n.inner[1:]...)
		return h
	}
	end := 0
	for end < len(text) && isMacroName(text[end], end == 0) {
		end++
	}
	if end == 0 && text != "" && strings.IndexByte("?.$", text[0]) >= 0 {
		end = 1 // a sign that is a name of its own
	}
	h.name = x.macroName(text[:end])
	text = text[end:]
	if trimmed := strings.TrimLeft(text, " \t\r\n"); strings.HasPrefix(trimmed, "::") {
		text, h.colons = trimmed[2:], true
	} else if strings.HasPrefix(trimmed, ":") {
		text = trimmed[1:]
	} else {
		if text != "" && trimmed == text && end > 0 && !strings.Contains("?.$", h.name) {
			h.name = "" // no name: some other sign follows it
		}
		text = trimmed
	}
	at := n.inner[0].at + len(first) - len(text)
	if text != "" {
		h.rest = append(h.rest, macroNode{source: text, at: at})
	}
	h.rest = append(h.rest, n.inner[1:]...)
	return h
}

func isMacroName(c byte, first bool) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_':
		return true
	case c >= '0' && c <= '9', c == '-':
		return !first
	}
	return c == ':' && first // RisuAI's {{:else}}
}

// macroName is the name by which a macro is looked up.
func (x *expander) macroName(s string) string {
	s = strings.ToLower(s)
	if x.lang == lore.LangRisu {
		s = strings.NewReplacer("_", "", "-", "").Replace(s)
	}
	return s
}

// args divides what follows the name at double colons.
func (h *macroHead) args() [][]macroNode {
	if len(h.rest) == 0 {
		if h.colons {
			return [][]macroNode{nil}
		}
		return nil
	}
	out := [][]macroNode{nil}
	add := func(n macroNode) { out[len(out)-1] = append(out[len(out)-1], n) }
	for _, n := range h.rest {
		if n.macro {
			add(n)
			continue
		}
		text, at := n.source, n.at
		for {
			i := strings.Index(text, "::")
			if i < 0 {
				if text != "" {
					add(macroNode{source: text, at: at})
				}
				break
			}
			if i > 0 {
				add(macroNode{source: text[:i], at: at})
			}
			out = append(out, nil)
			text, at = text[i+2:], at+i+2
		}
	}
	return out
}
