package engine

import (
	"strings"

	"github.com/weft-memory/weft/lore"
)

// This file and its neighbours macro_*.go resolve the macros of dialects whose
// content is no template: {{char}}, {{random::a::b}}, {{getvar::name}} and so
// on. Macros may stand inside each other; inner ones are resolved first, and
// what a macro gives is never looked through again. A macro that is not known,
// or whose value the host does not give, stays as it is and is reported once
// in an assembly.

const (
	// maxMacroDepth is how deep macros may stand inside each other.
	maxMacroDepth = 32
	// maxMacroText bounds, in bytes, what the macros of one text may add to it.
	maxMacroText = 1 << 20
)

// expander resolves the macros of one text.
type expander struct {
	*assembly
	view  *view
	entry *entry
	lang  lore.Language
	known map[string]macro
	rand  Source
	// left is how many bytes the macros may still add.
	left int
	// hidden are texts that only a recursive scan sees.
	hidden []string
}

// macro gives the value of a macro from its arguments.
type macro func(x *expander, m *macroCall) (string, verdict)

// macroCall is a macro whose arguments have been resolved.
type macroCall struct {
	name string
	args []string
	// colons says that the arguments were divided by double colons.
	colons bool
	// at is where the macro stands in the text, in bytes.
	at int
}

// arg returns an argument, or "" if there are not so many.
func (m *macroCall) arg(i int) string {
	if i < len(m.args) {
		return m.args[i]
	}
	return ""
}

// verdict says what became of a macro.
type verdict int8

const (
	macroDone    verdict = iota
	macroUnknown         // no macro of this name, or not with these arguments
	macroNoValue         // known, but the host gives no value
	macroElse            // not resolved here: part of a construct
)

// expand returns the text of a content that is no template, its macros
// resolved, and the texts in it that only a recursive scan is to see.
func (a *assembly) expand(v *view, e *entry, c content) (text, hidden string) {
	if c.lang == lore.LangPlain || !hasMacro(c.text, c.lang) {
		return c.text, ""
	}
	if text, ok := a.namesOnly(c.text); ok {
		return text, ""
	}
	x := &expander{assembly: a, view: v, entry: e, lang: c.lang, left: maxMacroText}
	switch c.lang {
	case lore.LangTavern:
		x.known = tavernMacros
	case lore.LangRisu:
		x.known = risuMacros
	default:
		x.known = basicMacros
	}
	out := x.sequence(parseMacros(c.text))
	return string(out), strings.Join(x.hidden, "\n")
}

// namesOnly resolves a text whose only macros are {{char}} and {{user}}, as most
// are, without taking it apart; ok is false for any other.
func (a *assembly) namesOnly(text string) (out string, ok bool) {
	const size = len("{{char}}")
	if strings.ContainsAny(text, `<\`) {
		return "", false
	}
	var b strings.Builder
	from := 0
	for {
		i := strings.IndexByte(text[from:], '{')
		if i < 0 {
			b.WriteString(text[from:])
			return b.String(), true
		}
		i += from
		if i+size > len(text) || i+size < len(text) && text[i+size] == '}' {
			return "", false
		}
		name := ""
		switch m := text[i : i+size]; {
		case strings.EqualFold(m, "{{char}}"):
			name = a.charName()
		case strings.EqualFold(m, "{{user}}"):
			name = a.userName()
		default:
			return "", false
		}
		if from == 0 {
			b.Grow(len(text) + len(name))
		}
		b.WriteString(text[from:i])
		b.WriteString(name)
		from = i + size
	}
}

// hasMacro reports whether there is anything to resolve.
func hasMacro(text string, lang lore.Language) bool {
	if strings.Contains(text, "{{") {
		return true
	}
	switch lang {
	case lore.LangTavern:
		return strings.Contains(text, "<") || strings.Contains(text, `\{\{`)
	case lore.LangRisu:
		return strings.Contains(text, "<")
	}
	return false
}

// sequence resolves a run of texts and macros.
func (x *expander) sequence(nodes []macroNode) []byte {
	var out []byte
	closers := x.closers(nodes)
	trim := false // take line breaks off the front of what follows
	put := func(s string) {
		if trim {
			if s = strings.TrimLeft(s, "\r\n"); s == "" {
				return
			}
			trim = false
		}
		out = append(out, s...)
	}
	for i := 0; i < len(nodes); i++ {
		n := &nodes[i]
		if !n.macro {
			put(x.plainText(n.source))
			continue
		}
		head := x.head(n)
		if end := closers[i]; end > 0 {
			if s, done := x.block(n, head, nodes[i+1:end]); done {
				put(x.bounded(n, s))
				i = end
				continue
			}
		} else if s, done := x.inlineIf(head); done {
			put(x.bounded(n, s))
			continue
		}
		if head.name == "trim" && len(head.rest) == 0 && x.lang != lore.LangBasic {
			out = []byte(strings.TrimRight(string(out), "\r\n"))
			trim = true
			continue
		}
		put(x.bounded(n, x.call(n, head)))
	}
	return out
}

// bounded returns what a macro gives, or nothing if it is too much.
func (x *expander) bounded(n *macroNode, s string) string {
	if grown := len(s) - len(n.source); grown > 0 {
		if grown > x.left {
			x.reportMacro("limit", "macros would make more than "+itoa(maxMacroText)+" bytes of text: "+shorten(n.source)+" is left out")
			return ""
		}
		x.left -= grown
	}
	return s
}

// call resolves a single macro.
func (x *expander) call(n *macroNode, h *macroHead) string {
	if h.comment {
		return ""
	}
	f := x.known[h.name]
	if f == nil {
		return x.keep(n, h, macroUnknown)
	}
	m := &macroCall{name: h.name, colons: h.colons, at: n.at}
	for _, arg := range h.args() {
		m.args = append(m.args, x.argument(arg))
	}
	s, v := f(x, m)
	if v != macroDone {
		return x.keep(n, h, v)
	}
	return s
}

// argument resolves an argument. SillyTavern and RisuAI trim it.
func (x *expander) argument(nodes []macroNode) string {
	return strings.TrimSpace(string(x.sequence(nodes)))
}

// keep returns a macro as it is written, but for the macros inside of it.
func (x *expander) keep(n *macroNode, h *macroHead, v verdict) string {
	name := h.name
	if name == "" {
		name = shorten(strings.Trim(n.source, "{}"))
	}
	switch v {
	case macroUnknown:
		x.reportMacro(name, "the macro "+shorten(n.source)+" is not one that "+x.dialect()+" books have here: it stays as it is")
	case macroNoValue:
		x.reportMacro(name, "the host gives no value for the macro "+shorten(n.source)+": it stays as it is")
	}
	return "{{" + string(x.sequence(n.inner)) + "}}"
}

func (x *expander) dialect() string {
	if x.view == nil {
		return "these"
	}
	return x.view.policy().Name
}

// reportMacro reports a macro once in an assembly.
func (x *expander) reportMacro(name, message string) {
	if x.macroSeen == nil {
		x.macroSeen = make(map[string]bool)
	}
	if key := string(x.lang) + " " + name; !x.macroSeen[key] {
		x.macroSeen[key] = true
		x.problem(x.view, x.entry, "macro", message, nil)
	}
}

// shorten returns a text that fits in a message.
func shorten(s string) string {
	const most = 60
	if len(s) > most {
		return firstBytes(s, most) + "…"
	}
	return s
}

// plainText is a text between macros: the old spellings of names are resolved,
// and escaped braces lose their backslashes.
func (x *expander) plainText(s string) string {
	if x.lang == lore.LangTavern && strings.Contains(s, `\`) {
		s = strings.ReplaceAll(strings.ReplaceAll(s, `\{\{`, "{{"), `\}\}`, "}}")
	}
	if x.lang == lore.LangBasic || !strings.Contains(s, "<") {
		return s
	}
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '<')
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		s = s[i:]
		name, rest, ok := x.oldName(s)
		if !ok {
			b.WriteByte('<')
			s = s[1:]
			continue
		}
		b.WriteString(name)
		s = rest
	}
}

// oldName resolves <USER>, <BOT> and the like at the start of s.
func (x *expander) oldName(s string) (name, rest string, ok bool) {
	end := strings.IndexByte(s[:min(len(s), len("<charifnotgroup>"))], '>')
	if end < 0 {
		return "", s, false
	}
	switch strings.ToLower(s[1:end]) {
	case "user":
		name = x.userName()
	case "char", "bot", "group", "charifnotgroup":
		name = x.charName()
	default:
		return "", s, false
	}
	return name, s[end+1:], true
}

// number draws a random number for a macro: all macros of a text draw from one
// stream of the entry, in order.
func (x *expander) number() float64 {
	if x.rand == nil {
		if x.rand = x.in.Rand; x.rand == nil {
			x.rand = newStream(x.in.Seed, x.bookID(), x.entryID(), "macro")
		}
	}
	return x.rand.Float64()
}

func (x *expander) bookID() string {
	if x.view == nil {
		return ""
	}
	return x.view.id
}

func (x *expander) entryID() string {
	if x.entry == nil {
		return ""
	}
	return x.entry.ID
}

// charName is the name of the character: the input's, else the host's variable
// char:name.
func (a *assembly) charName() string {
	if a.in.Character.Name != "" {
		return a.in.Character.Name
	}
	if v, ok := a.vars.get("char", "name"); ok {
		return v.Text()
	}
	return "Narrator"
}

// userName is the name of the user: the input's, else the host's variable
// user:name.
func (a *assembly) userName() string {
	if a.in.User != "" {
		return a.in.User
	}
	if v, ok := a.vars.get("user", "name"); ok {
		return v.Text()
	}
	return "User"
}
