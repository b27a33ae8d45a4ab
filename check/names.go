package check

import (
	"fmt"
	"unicode/utf8"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

// names reports names that content spells out although the language has
// {{char}} and {{user}} for them.
func (c *checker) names(n *node) {
	switch n.b.Policy.Language {
	case lore.LangWeaver, lore.LangBasic, lore.LangTavern, lore.LangRisu, "":
	default: // plain text has no macros
		return
	}
	characters := c.characters
	if f := n.e.Characters; f != nil && !f.Exclude && len(f.Names) == 1 && len(f.Tags) == 0 {
		characters = append(characters[:len(characters):len(characters)], f.Names[0])
	}
	if len(characters) == 0 && len(c.users) == 0 {
		return
	}
	text := prose(n.e.Content)
	look := func(names []string, macro, who string) {
		for _, name := range names {
			if utf8.RuneCountInString(name) < 2 {
				continue
			}
			at, count := wordAt(text, name)
			if count == 0 {
				continue
			}
			times := ""
			if count > 1 {
				times = fmt.Sprintf(" (%d times)", count)
			}
			c.report(n, codeNameLiteral, c.inBody(n, diag.Span{Start: at, End: at + len(name)}),
				fmt.Sprintf("the name of the %s, %q, is written out%s", who, name, times), "write "+macro)
			return
		}
	}
	look(characters, "{{char}}", "character")
	look(c.users, "{{user}}", "user")
}
