package app

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
)

// write prints the assembly for people.
func (a *assembly) write(b *strings.Builder, c *console) {
	if len(a.cmd.Why) > 0 && !a.cmd.Trace {
		a.writeWhy(b, c)
		return
	}
	a.writeHead(b, c)
	a.writeBlocks(b, c)
	if a.cmd.Trace {
		a.writeTrace(b, c)
	}
	if len(a.cmd.Why) > 0 {
		b.WriteByte('\n')
		a.writeWhy(b, c)
	}
	a.writeProblems(b, c)
}

// writeHead prints what was assembled, and its size.
func (a *assembly) writeHead(b *strings.Builder, c *console) {
	names := make([]string, len(a.books))
	for i, book := range a.books {
		names[i] = book.Name
		if names[i] == "" {
			names[i] = book.ID
		}
	}
	total := 0
	for _, block := range a.result.Blocks {
		total += block.Tokens
	}
	size := plural(total, "token")
	if limit, ok := a.limit(); ok {
		size += " of " + limit
	}
	head := visible(strings.Join(names, " + "), false)
	rest := fmt.Sprintf("turn %d · %s · %s, %s", a.result.State.Turn, plural(len(a.messages), "message"), plural(len(a.result.Blocks), "block"), size)
	if textWidth(head)+3+textWidth(rest) <= c.width {
		fmt.Fprintf(b, "%s   %s\n", c.paint(strong, head), c.paint(dim, rest))
		return
	}
	fmt.Fprintf(b, "%s\n", c.paint(strong, truncate(head, c.width)))
	for _, line := range wrap(rest, c.width) {
		fmt.Fprintf(b, "%s\n", c.paint(dim, line))
	}
}

// limit writes the budget over all books.
func (a *assembly) limit() (string, bool) {
	if a.result.Trace == nil {
		return "", false
	}
	for _, use := range a.result.Trace.Budgets {
		if use.Name == "total" {
			return number(use.Limit), use.Unit == "tokens"
		}
	}
	return "", false
}

// writeBlocks prints the blocks as they will stand in the prompt: the slots
// before the chat, the chat with what stands inside it, the slots behind.
func (a *assembly) writeBlocks(b *strings.Builder, c *console) {
	var before, inside, after []engine.Block
	for _, block := range a.result.Blocks {
		_, depth := block.Slot.Depth()
		switch {
		case depth:
			inside = append(inside, block)
		case a.behindChat(block.Slot):
			after = append(after, block)
		default:
			before = append(before, block)
		}
	}
	a.writeSlots(b, c, before)
	// From the front: the deepest one stands first.
	slices.SortStableFunc(inside, func(x, y engine.Block) int { return depthOf(y) - depthOf(x) })
	n := len(a.messages)
	last := 0 // messages shown so far
	for i := 0; i < len(inside); {
		d := depthOf(inside[i])
		end := i
		for end < len(inside) && depthOf(inside[end]) == d {
			end++
		}
		at := max(n-d, 0)
		a.writeChat(b, c, last, at)
		last = max(last, at)
		a.writeSlots(b, c, inside[i:end])
		i = end
	}
	a.writeChat(b, c, last, n)
	a.writeSlots(b, c, after)
}

func depthOf(b engine.Block) int {
	n, _ := b.Slot.Depth()
	return n
}

// behindChat reports whether a slot stands behind the chat: coda, aftermath,
// and what books declare beside them.
func (a *assembly) behindChat(s lore.Slot) bool {
	for range 10 { // declared slots may name each other
		if s == lore.SlotCoda || s == lore.SlotAftermath {
			return true
		}
		next := s
		for _, book := range a.books {
			for _, d := range book.Slots {
				if d.Name == s && d.After != "" {
					next = d.After
				} else if d.Name == s && d.Before != "" {
					next = d.Before
				}
			}
		}
		if next == s {
			return false
		}
		s = next
	}
	return false
}

// writeChat stands for messages from up to before to of the chat.
func (a *assembly) writeChat(b *strings.Builder, c *console, from, to int) {
	if from >= to {
		return
	}
	text := fmt.Sprintf("chat: message %d", to)
	switch {
	case from == 0 && to == len(a.messages):
		text = fmt.Sprintf("chat: %s", plural(to, "message"))
	case to-from > 1:
		text = fmt.Sprintf("chat: messages %d to %d", from+1, to)
	}
	b.WriteByte('\n')
	b.WriteString(c.paint(dim, "┄┄ "+text+" "+strings.Repeat("┄", max(c.prose()-textWidth(text)-4, 2))) + "\n")
}

// writeSlots prints blocks with a heading for each slot.
func (a *assembly) writeSlots(b *strings.Builder, c *console, blocks []engine.Block) {
	for i := 0; i < len(blocks); {
		end, total := i, 0
		for end < len(blocks) && blocks[end].Slot == blocks[i].Slot {
			total += blocks[end].Tokens
			end++
		}
		b.WriteByte('\n')
		name, size := string(blocks[i].Slot), plural(total, "token")
		if n, ok := blocks[i].Slot.Depth(); ok {
			name += " " + depthWords(n)
		}
		rule := max(c.prose()-textWidth(name)-textWidth(size)-6, 2)
		b.WriteString(c.paint(heading, "── "+name) + " " + c.paint(dim, strings.Repeat("─", rule)+" "+size) + "\n")
		for _, block := range blocks[i:end] {
			a.writeBlock(b, c, block)
		}
		i = end
	}
}

func depthWords(n int) string {
	switch n {
	case 0:
		return "(after the last message)"
	case 1:
		return "(before the last message)"
	}
	return fmt.Sprintf("(before the last %d messages)", n)
}

// writeBlock prints one block: a line that says what it is, then its text.
func (a *assembly) writeBlock(b *strings.Builder, c *console, block engine.Block) {
	label := title(block.Name, block.Entry)
	if len(a.books) > 1 {
		label += " · " + block.Book
	}
	size := number(block.Tokens)
	for _, mark := range []struct {
		on   bool
		text string
	}{{block.Cut, "cut"}, {block.Size != engine.SizeFull, string(block.Size)}, {block.Role != "" && block.Role != lore.RoleSystem, string(block.Role)}} {
		if mark.on {
			size = mark.text + " · " + size
		}
	}
	label = truncate(visible(label, false), c.prose()-textWidth(size)-4)
	gap := max(c.prose()-textWidth(label)-textWidth(size)-2, 1)
	b.WriteString("  " + c.paint(strong, label) + strings.Repeat(" ", gap) + c.paint(dim, size) + "\n")
	text := strings.Trim(visible(block.Content, true), "\n")
	b.WriteString(indentLines(wrap(text, c.prose()-6), "    "))
}

// writeProblems prints what went wrong without ending the assembly.
func (a *assembly) writeProblems(b *strings.Builder, c *console) {
	if len(a.result.Problems) == 0 {
		return
	}
	b.WriteString("\n" + c.paint(bad, plural(len(a.result.Problems), "problem")) + "\n")
	for _, p := range a.result.Problems {
		text := p.Message
		if p.Entry != "" && !strings.Contains(text, p.Entry) {
			text = fmt.Sprintf("%s: %s", p.Entry, text)
		}
		b.WriteString(indentLines(wrap(visible(text, false), c.prose()-2), "  "))
	}
}

// excerpt shows a part of a message around the bytes from start to end, in
// about n columns.
func excerpt(text string, start, end, n int) string {
	start, end = max(min(start, len(text)), 0), max(min(end, len(text)), 0)
	if end < start {
		end = start
	}
	if textWidth(text[start:min(end, start+8*n)]) > n { // the beginning of what was found will do
		end = start
		for used := 0; used < n-1 && end < len(text); {
			r, size := utf8.DecodeRuneInString(text[end:])
			used += max(runeWidth(r), 1)
			end += size
		}
	}
	room := max(n-textWidth(text[start:end])-2, 4)
	from, used := start, 0
	for from > 0 && used < room/2 {
		r, size := utf8.DecodeLastRuneInString(text[:from])
		used += max(runeWidth(r), 1)
		from -= size
	}
	to := end
	for to < len(text) && used < room {
		r, size := utf8.DecodeRuneInString(text[to:])
		used += max(runeWidth(r), 1)
		to += size
	}
	// Begin and end with whole words where the text has them.
	lead, tail := "", ""
	if from > 0 {
		lead = "…"
		if i := strings.IndexAny(text[from:start], " \n"); i >= 0 && text[from-1] != ' ' {
			from += i + 1
		}
	}
	if to < len(text) {
		tail = "…"
		if i := strings.LastIndexAny(text[end:to], " \n"); i >= 0 && text[to] != ' ' {
			to = end + i
		}
	}
	return lead + strings.TrimSpace(visible(text[from:to], false)) + tail
}
