package risu

import (
	"slices"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/lore"
)

// head calls yield for each decorator line at the head of a content: its name,
// and where the line begins and the next one does. Fallback lines have three
// signs and are no orders of their own.
func head(content string, yield func(name string, start, next int)) {
	for pos := 0; pos < len(content); {
		next := len(content)
		if i := strings.IndexByte(content[pos:], '\n'); i >= 0 {
			next = pos + i + 1
		}
		line := strings.TrimSpace(content[pos:next])
		if line != "" && !strings.HasPrefix(line, "@@") {
			return
		}
		if name, ok := strings.CutPrefix(line, "@@"); ok && !strings.HasPrefix(name, "@") {
			name, _, _ = strings.Cut(name, " ")
			yield(name, pos, next)
		}
		pos = next
	}
}

// setDecorators puts lines at the head of a content in the place of all
// decorators with these names.
func setDecorators(content string, names, lines []string) string {
	var b strings.Builder
	from, placed := 0, false
	place := func() {
		for _, l := range lines {
			b.WriteString(l + "\n")
		}
		placed = true
	}
	head(content, func(name string, start, next int) {
		if !slices.Contains(names, name) {
			return
		}
		b.WriteString(content[from:start])
		if !placed {
			place()
		}
		from = next
	})
	if placed {
		return b.String() + content[from:]
	}
	b.Reset()
	place()
	return b.String() + content
}

// said returns what the decorators of an entry's content say, laid over the
// fields of the row that decorators override.
func said(e *lore.Entry, regex bool, order int, probability *float64) *lore.Entry {
	s := &lore.Entry{Content: e.Content}
	s.Priority, s.InsertionOrder, s.Probability = order, order, probability
	lore.DecoratorsRisu.Apply(s, regex)
	s.Disabled = s.Force == lore.ForceSuppress
	return s
}

// contentFor returns the content of an entry with the decorators that its fields
// need: those that differ from what it says already.
func contentFor(e, s *lore.Entry) string {
	text := e.Content
	set := func(same bool, names, lines []string) {
		if !same {
			text = setDecorators(text, names, lines)
		}
	}
	number := func(name string, now, was int) {
		var lines []string
		if now != 0 {
			lines = []string{"@@" + name + " " + strconv.Itoa(now)}
		}
		set(now == was, []string{name}, lines)
	}
	flag := func(name string, now, was bool) {
		var lines []string
		if now {
			lines = []string{"@@" + name}
		}
		set(now == was, []string{name}, lines)
	}
	if lines, ok := placeLines(e); ok {
		set(e.Where == s.Where && e.Slot == s.Slot && e.FromStart == s.FromStart,
			[]string{"depth", "end", "reverse_depth", "position"}, lines)
	}
	var role []string
	if e.Role != "" {
		role = []string{"@@role " + string(e.Role)}
	}
	set(e.Role == s.Role, []string{"role"}, role)
	var depth []string
	if e.ScanDepth != nil && e.ScanDepth.Unit == lore.UnitMessages {
		depth = []string{"@@scan_depth " + strconv.Itoa(int(e.ScanDepth.N))}
	}
	set(equal(e.ScanDepth, s.ScanDepth), []string{"scan_depth"}, depth)
	var probability []string
	if e.Probability != nil {
		probability = []string{"@@probability " + strconv.Itoa(int(*e.Probability))}
	}
	set(equal(e.Probability, s.Probability), []string{"probability"}, probability)
	set(e.Priority == s.Priority, []string{"priority"}, []string{"@@priority " + strconv.Itoa(e.Priority)})
	number("activate_only_after", e.After, s.After)
	number("activate_only_every", e.Every, s.Every)
	flag("keep_activate_after_match", e.Keep, s.Keep)
	flag("dont_activate_after_match", e.Once, s.Once)
	flag("ignore_on_max_context", e.DropFirst, s.DropFirst)
	flag("no_recursive_search", e.Recursion.Excluded, s.Recursion.Excluded)
	flag("dont_activate", e.Disabled, s.Disabled)
	flag("activate", e.Force == lore.ForceActivate, s.Force == lore.ForceActivate)
	either := func(now, was *bool, yes, no string) {
		var lines []string
		if now != nil {
			lines = []string{"@@" + map[bool]string{true: yes, false: no}[*now]}
		}
		set(equal(now, was), []string{yes, no}, lines)
	}
	either(e.WholeWords, s.WholeWords, "match_full_word", "match_partial_word")
	either(e.Recursion.Override, s.Recursion.Override, "recursive", "unrecursive")
	if e.Greeting != nil || s.Greeting != nil {
		var lines []string
		if e.Greeting != nil {
			lines = []string{"@@is_greeting " + strconv.Itoa(*e.Greeting)}
		}
		set(equal(e.Greeting, s.Greeting), []string{"is_greeting"}, lines)
	}
	return text
}

func equal[T comparable](a, b *T) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// placeLines writes the place of an entry; ok is false for places that no
// decorator names.
func placeLines(e *lore.Entry) (lines []string, ok bool) {
	if n, isDepth := e.Slot.Depth(); isDepth {
		name := "depth"
		if e.FromStart {
			name = "reverse_depth"
		}
		return []string{"@@" + name + " " + strconv.Itoa(n)}, true
	}
	switch e.Where {
	case lore.WhereBeforeChar:
		return []string{"@@position before_desc"}, true
	case lore.WhereAfterChar:
		return []string{"@@position after_desc"}, true
	case lore.WherePersonality, lore.WhereScenario:
		return []string{"@@position " + string(e.Where)}, true
	case lore.WhereOutlet:
		if strings.HasPrefix(e.Outlet, "pt_") {
			return []string{"@@position " + e.Outlet}, true
		}
		return nil, false
	case "":
		return nil, e.Slot == ""
	}
	return nil, false
}

// clauseLines parts the clauses of an entry into the one that is the secondary
// keys of the row, and decorators for the others that the content does not say.
func clauseLines(e, s *lore.Entry) (secondary *lore.Clause, lines []string) {
	rest := slices.Clone(e.Clauses)
	for _, c := range s.Clauses {
		for i := range rest {
			if rest[i].Logic == c.Logic && rest[i].Inactive == c.Inactive && slices.Equal(rest[i].Keys, c.Keys) {
				rest = slices.Delete(rest, i, i+1)
				break
			}
		}
	}
	for i := range rest {
		c := rest[i]
		name := map[lore.Logic]string{lore.AnyOf: "additional_keys", lore.NoneOf: "exclude_keys", lore.NotAllOf: "exclude_keys_all"}[c.Logic]
		if c.Logic == lore.AnyOf && secondary == nil {
			secondary = &rest[i]
			continue
		}
		if name == "" || c.Inactive || len(c.Keys) == 0 {
			continue
		}
		var texts []string
		for _, k := range c.Keys {
			texts = append(texts, strings.ReplaceAll(k.Text, ",", `\,`))
		}
		lines = append(lines, "@@"+name+" "+strings.Join(texts, ","))
	}
	return secondary, lines
}
