package engine

import (
	"strings"

	"github.com/weft-memory/weft/lore"
)

// closers finds, for each macro of a run that begins a block, the macro that
// ends it; 0 where there is none. RisuAI's blocks begin with #, and any closing
// tag ends the innermost. In SillyTavern a closing tag ends the nearest macro
// of its name.
func (x *expander) closers(nodes []macroNode) map[int]int {
	if x.lang != lore.LangTavern && x.lang != lore.LangRisu {
		return nil
	}
	var out map[int]int
	type opened struct {
		name string
		i    int
	}
	var stack []opened
	for i := range nodes {
		if !nodes[i].macro {
			continue
		}
		h := x.head(&nodes[i])
		name := h.name
		if h.comment {
			name = "//"
		}
		switch {
		case h.closing:
			for j := len(stack) - 1; j >= 0; j-- {
				if x.lang == lore.LangRisu || stack[j].name == name {
					if out == nil {
						out = make(map[int]int)
					}
					out[stack[j].i] = i
					stack = stack[:j]
					break
				}
			}
		case x.lang == lore.LangRisu && h.open, x.lang == lore.LangTavern && scopedMacros[name]:
			if len(stack) < maxMacroBlocks {
				stack = append(stack, opened{name, i})
			}
		}
	}
	return out
}

// maxMacroBlocks bounds how many blocks may be open at once.
const maxMacroBlocks = 64

// scopedMacros are the macros of SillyTavern whose last argument may stand
// between an opening and a closing tag.
var scopedMacros = map[string]bool{
	"if": true, "setvar": true, "setglobalvar": true, "addvar": true, "addglobalvar": true,
	"reverse": true, "//": true, "comment": true,
}

// block resolves a macro with a body; done is false if it is none that is
// known.
func (x *expander) block(n *macroNode, h *macroHead, body []macroNode) (s string, done bool) {
	if x.lang == lore.LangRisu {
		return x.risuBlock(h, body)
	}
	switch {
	case h.comment || h.name == "comment":
		return "", true
	case h.name == "if":
		args := h.args()
		if len(args) == 0 {
			return "", false
		}
		then, otherwise := x.branches(body, "else")
		if !x.tavernTrue(x.argument(args[0])) {
			then = otherwise
		}
		return x.scoped(h, then), true
	}
	f := x.known[h.name]
	if f == nil {
		return "", false
	}
	m := &macroCall{name: h.name, colons: true, at: n.at}
	for _, arg := range h.args() {
		m.args = append(m.args, x.argument(arg))
	}
	m.args = append(m.args, x.scoped(h, body))
	s, v := f(x, m)
	return s, v == macroDone
}

// inlineIf resolves SillyTavern's {{if::condition::then::else}}.
func (x *expander) inlineIf(h *macroHead) (string, bool) {
	if x.lang != lore.LangTavern || h.name != "if" || h.closing {
		return "", false
	}
	args := h.args()
	if len(args) < 2 {
		return "", false
	}
	switch {
	case x.tavernTrue(x.argument(args[0])):
		return x.argument(args[1]), true
	case len(args) > 2:
		return x.argument(args[2]), true
	}
	return "", true
}

// branches divides a body at the macro that begins its other branch.
func (x *expander) branches(body []macroNode, name string) (then, otherwise []macroNode) {
	closers := x.closers(body)
	for i := 0; i < len(body); i++ {
		if end := closers[i]; end > 0 {
			i = end
			continue
		}
		if body[i].macro && x.head(&body[i]).name == name {
			return body[:i], body[i+1:]
		}
	}
	return body, nil
}

// scoped resolves the body of a macro and takes the white space around it and
// its common indentation off, unless the macro is marked with #.
func (x *expander) scoped(h *macroHead, body []macroNode) string {
	s := string(x.sequence(body))
	if h.open {
		return s
	}
	return dedent(s)
}

// dedent trims a text and takes the indentation of its first line off every
// line.
func dedent(s string) string {
	lines := strings.Split(s, "\n")
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	if len(lines) == 0 {
		return ""
	}
	indent := lines[0][:len(lines[0])-len(strings.TrimLeft(lines[0], " \t"))]
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, indent)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// tavernTrue decides about the condition of an {{if}}: the name of a macro
// stands for its value.
func (x *expander) tavernTrue(cond string) bool {
	not := strings.HasPrefix(cond, "!")
	if not {
		cond = strings.TrimSpace(cond[1:])
	}
	if name := strings.ToLower(cond); name != "" {
		if strings.IndexByte(".$", name[0]) >= 0 {
			cond = x.variable(name[0] == '$', strings.TrimSpace(cond[1:]))
		} else if f := x.known[name]; f != nil {
			if s, v := f(x, &macroCall{name: name}); v == macroDone {
				cond = s
			}
		}
	}
	switch strings.ToLower(strings.TrimSpace(cond)) {
	case "", "false", "0", "off", "no":
		return not
	}
	return !not
}

// risuBlock resolves a block of RisuAI.
func (x *expander) risuBlock(h *macroHead, body []macroNode) (string, bool) {
	switch h.name {
	case "if", "ifpure":
		args := h.args()
		if len(args) == 0 {
			return "", true
		}
		if !risuTrue(x.argument(args[0])) {
			return "", true
		}
		s := string(x.sequence(body))
		if h.name == "if" {
			s = trimLines(s)
		}
		return s, true
	case "when":
		yes, ok := x.risuWhen(h.args())
		if !ok {
			return "", false
		}
		then, otherwise := x.branches(body, ":else")
		if !yes {
			then = otherwise
		}
		return strings.Trim(string(x.sequence(then)), "\r\n"), true
	case "pure", "puredisplay":
		var b strings.Builder
		for _, n := range body {
			b.WriteString(n.source)
		}
		return strings.TrimSpace(b.String()), true
	}
	return "", false
}

// risuWhen decides about {{#when …}}: operators and operands divided by double
// colons, from the left.
func (x *expander) risuWhen(args [][]macroNode) (yes, ok bool) {
	if len(args) == 0 {
		return false, true
	}
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = x.argument(a)
	}
	for len(words) > 1 && (words[0] == "keep" || words[0] == "legacy") {
		words = words[1:]
	}
	switch {
	case len(words) == 1:
		return risuTrue(words[0]), true
	case len(words) == 2 && words[0] == "not":
		return !risuTrue(words[1]), true
	case len(words) == 2 && words[0] == "var":
		return risuTrue(x.variable(false, words[1])), true
	case len(words) != 3:
		return false, false
	}
	a, b := words[0], words[2]
	switch words[1] {
	case "is":
		return a == b, true
	case "isnot":
		return a != b, true
	case "and":
		return risuTrue(a) && risuTrue(b), true
	case "or":
		return risuTrue(a) || risuTrue(b), true
	case "vis":
		return x.variable(false, a) == b, true
	case "visnot":
		return x.variable(false, a) != b, true
	case ">", "<", ">=", "<=":
		f, g := jsNumber(a), jsNumber(b)
		return map[string]bool{">": f > g, "<": f < g, ">=": f >= g, "<=": f <= g}[words[1]], true
	}
	return false, false
}

func risuTrue(s string) bool { return s == "1" || strings.EqualFold(s, "true") }

// trimLines takes the indentation off every line, and the white space around
// the text.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimLeft(l, " \t")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
