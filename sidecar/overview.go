package sidecar

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
)

// Overview writes the tree of the lore for a model: the books that may be read,
// their categories with what they hold, the entries by name and id. It is at
// most about size characters long. Every book gets its fair share: what a small
// one leaves goes to the others, and where entries are left out it is said how
// many, so that a model knows to search. The same view gives the same text.
func Overview(s *Scene, v *memory.View, size int) string {
	type part struct {
		head  string
		lines []string
		total int
	}
	var parts []*part
	for _, root := range v.Categories() {
		b := s.book(root.Book)
		if !b.Read {
			continue
		}
		p := &part{head: "# " + cmp.Or(b.Name, bookName(root.Book)) + " (" + root.Book + ")"}
		p.lines = categoryLines(s, v, root, 0)
		for _, l := range p.lines {
			p.total += utf8.RuneCountInString(l) + 1
		}
		parts = append(parts, p)
	}
	// The smallest are given all they need first; the rest share what is left.
	share := map[*part]int{}
	left, open := size, len(parts)
	for open > 0 {
		fair, took := left/open, false
		for _, p := range parts {
			if _, ok := share[p]; !ok && p.total <= fair {
				share[p], took = p.total, true
				left -= p.total
				open--
			}
		}
		if !took {
			for _, p := range parts {
				if _, ok := share[p]; !ok {
					share[p] = fair
				}
			}
			break
		}
	}
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.head + "\n")
		used, dropped := 0, 0
		for _, l := range p.lines {
			n := utf8.RuneCountInString(l) + 1
			entry := strings.HasPrefix(strings.TrimLeft(l, " "), "- ")
			if used+n > share[p] && entry {
				dropped++
				continue
			}
			used += n
			b.WriteString(l + "\n")
		}
		if dropped > 0 {
			b.WriteString("(and " + itoa(dropped) + " more: search for them)\n")
		}
	}
	return b.String()
}

// categoryLines writes a category and what lies below it.
func categoryLines(s *Scene, v *memory.View, c *memory.Category, depth int) []string {
	indent := strings.Repeat("  ", depth)
	var lines []string
	if c.ID != "" {
		line := indent + "## " + cmp.Or(c.Name, c.ID) + " {" + c.ID + "}"
		if c.Summary != "" {
			line += ": " + oneLine(c.Summary, 160)
		}
		lines = append(lines, line)
	}
	for _, ref := range c.Entries {
		if line := entryLine(v, ref); line != "" {
			lines = append(lines, indent+line)
		}
	}
	for _, child := range c.Children {
		lines = append(lines, categoryLines(s, v, child, depth+1)...)
	}
	return lines
}

// entryLine writes an entry in one line: name, id, what it is.
func entryLine(v *memory.View, ref memory.Ref) string {
	e := v.Entry(ref.Book, ref.Entry)
	if e == nil || e.Disabled {
		return ""
	}
	line := "- " + displayName(v, ref) + " [" + ref.Entry + "]"
	if names := allAliases(v, ref, e); len(names) > 0 {
		line += " (also " + strings.Join(names[:min(4, len(names))], ", ") + ")"
	}
	if about := OneLine(e); about != "" {
		line += ": " + about
	}
	return line
}

func allAliases(v *memory.View, ref memory.Ref, e *lore.Entry) []string {
	names := Aliases(e)
	if o, ok := v.Overlay(ref.Book, ref.Entry); ok {
		names = append(names, aliasesOf(o.Fields)...)
	}
	return names
}

// OneLine returns an entry in one line: its own short version, or the first
// sentence of its text.
func OneLine(e *lore.Entry) string {
	if e.Sizes.OneLine != "" {
		return oneLine(e.Sizes.OneLine, 140)
	}
	for _, s := range memory.Sentences(e.Content) {
		if s = strings.TrimSpace(s); s != "" && !strings.HasPrefix(s, "@@") {
			return oneLine(s, 140)
		}
	}
	return ""
}

// oneLine makes one line of a text, cut to so many characters.
func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > n {
		s = strings.TrimSpace(string(r[:n-1])) + "…"
	}
	return s
}

// News returns what an overview of the view before does not show of the view
// now: entries that came, went or were renamed, one a line.
func News(before, now *memory.View) string {
	if before == nil || before == now {
		return ""
	}
	var b strings.Builder
	for _, d := range memory.DiffViews(before, now) {
		if d.Ref.IsCategory() {
			continue
		}
		switch {
		case d.After == nil:
			b.WriteString("- gone: " + displayName(before, d.Ref) + " [" + d.Ref.Entry + "]\n")
		case d.Before == nil:
			b.WriteString(entryLine(now, d.Ref) + "\n")
		default:
			b.WriteString(entryLine(now, d.Ref) + " (changed)\n")
		}
	}
	return b.String()
}
