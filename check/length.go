package check

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/match"
)

// length reports content that is empty, and long content that does not begin
// by saying what it is about.
func (c *checker) length(n *node) {
	content := strings.TrimSpace(n.e.Content)
	if content == "" {
		if !n.e.Disabled && n.e.Inject == nil {
			c.report(n, codeEmpty, place{line: max(n.e.Origin.BodyLine-1, n.e.Origin.Line)}, "the entry has no content", "write it below the front matter, or remove the entry")
		}
		return
	}
	limit := n.e.MaxTokens
	if limit <= 0 {
		limit = c.opts.MaxTokens
	}
	// A token is a byte at least, so most entries need no counting.
	if len(content) <= limit {
		return
	}
	size := c.opts.Count(content)
	if size <= limit {
		return
	}
	third := firstThird(content)
	names := false
	for _, s := range subjects(n) {
		names = true
		if strings.Contains(third, s) {
			return
		}
	}
	for _, k := range n.e.Keys {
		if k.Kind == lore.KeyLiteral || k.Kind == "" {
			continue
		}
		names = true
		if regexOccurs(k, content[:len(content)/3]) {
			return
		}
	}
	// {{char}} is the subject where the entry is named for the character.
	for _, name := range append(c.characters, n.e.Name) {
		if strings.Contains(third, "{{char}}") && (strings.EqualFold(name, n.e.Name) && name != "" && len(c.characters) > 0 || namesChar(n)) {
			return
		}
	}
	if !names {
		return
	}
	c.report(n, codeLong, c.inBody(n, spanOfText(n.e.Content)),
		fmt.Sprintf("the entry is long (about %d tokens, its limit is %d), and its first third names neither %s", size, limit, whatItIs(n)),
		"begin with the name of the thing, or split the entry")
}

// firstThird returns the first third of the content, folded.
func firstThird(content string) string {
	end := len(content) / 3
	for end < len(content) && !utf8.RuneStart(content[end]) {
		end++
	}
	return fold(content[:end])
}

// subjects are the texts, folded, of which one should stand in front: the
// name, its telling words, and the keys.
func subjects(n *node) []string {
	var out []string
	if n.e.Name != "" {
		out = append(out, fold(n.e.Name))
		for _, w := range strings.FieldsFunc(n.e.Name, func(r rune) bool { return strings.ContainsRune(" -–—:,()'’\"/", r) }) {
			if utf8.RuneCountInString(w) >= 4 && !commonWords().function[strings.ToLower(w)] {
				out = append(out, fold(w))
			}
		}
	}
	for _, k := range n.e.Keys {
		if (k.Kind == lore.KeyLiteral || k.Kind == "") && strings.TrimSpace(k.Text) != "" {
			out = append(out, fold(strings.TrimSpace(k.Text)))
		}
	}
	return out
}

func namesChar(n *node) bool {
	for _, k := range n.e.Keys {
		if k.Text == "{{char}}" {
			return true
		}
	}
	return strings.Contains(n.e.Name, "{{char}}")
}

func regexOccurs(k lore.Key, text string) bool {
	var re *match.Regex
	var err error
	if k.Kind == lore.KeyJS {
		re, err = match.CompileJS(k.Text, k.Flags, match.RegexOptions{})
	} else if k.Kind == lore.KeyRE2 {
		re, err = match.CompileRE2(k.Text, match.RegexOptions{})
	}
	if err != nil || re == nil {
		return false
	}
	_, ok, err := re.Match(text, nil)
	return ok && err == nil
}

func whatItIs(n *node) string {
	keys := len(n.e.Keys) > 0
	switch {
	case n.e.Name != "" && keys:
		return fmt.Sprintf("%q nor any of its keys", n.e.Name)
	case n.e.Name != "":
		return fmt.Sprintf("%q nor a word of that name", n.e.Name)
	}
	return "the thing nor any of its keys"
}
