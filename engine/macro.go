package engine

import (
	"strings"

	"github.com/weft-memory/weft/lore"
)

// plain renders a content that is no template: {{char}} and {{user}} in any
// case become the names, unless the language is plain text.
func (a *assembly) plain(c content) string {
	if c.lang == lore.LangPlain || !strings.Contains(c.text, "{{") {
		return c.text
	}
	var b strings.Builder
	rest := c.text
	for {
		i := strings.Index(rest, "{{")
		if i < 0 {
			b.WriteString(rest)
			return b.String()
		}
		b.WriteString(rest[:i])
		rest = rest[i:]
		const size = len("{{char}}")
		switch {
		case len(rest) >= size && strings.EqualFold(rest[:size], "{{char}}"):
			b.WriteString(a.charName())
			rest = rest[size:]
		case len(rest) >= size && strings.EqualFold(rest[:size], "{{user}}"):
			b.WriteString(a.userName())
			rest = rest[size:]
		default:
			b.WriteString("{{")
			rest = rest[2:]
		}
	}
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
