package check

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/diag"
)

// timing reports timers that do nothing.
func (c *checker) timing(n *node) {
	timers := n.b.Policy.Timers
	if timers == "" {
		timers = lore.TimersTurns
	}
	if n.e.Cooldown == 1 && timers != lore.TimersAfterSticky {
		message, hint := "a cooldown of 1 blocks nothing: it ends with the turn in which the entry was found",
			"use 2 to skip one turn, or remove the cooldown"
		if timers == lore.TimersMessages {
			message, hint = "a cooldown of 1 message blocks nothing: a turn adds two", "use 3 to skip one turn, or remove the cooldown"
		}
		c.report(n, codeCooldownOne, c.field(n, "cooldown"), message, hint)
	}
	if timers == lore.TimersTurns && n.e.Cooldown > 1 && n.e.Sticky > 0 && n.e.Cooldown <= n.e.Sticky+1 {
		c.report(n, codeCooldownInner, c.field(n, "cooldown"),
			fmt.Sprintf("the cooldown of %d is over before %d sticky turns are, so the entry is never away", n.e.Cooldown, n.e.Sticky),
			fmt.Sprintf("use more than %d, or remove one of the two", n.e.Sticky+1))
	}
}

// placement reports slots that the prompt lacks and groups without a budget.
func (c *checker) placement(n *node) {
	if g := n.e.Group; g != "" {
		if _, ok := n.b.GroupBudgets[g]; !ok {
			c.report(n, codeGroup, c.field(n, "group"),
				fmt.Sprintf("the book has no budget for the group %q, so it bounds nothing", g), "add it to group_budgets in lorebook.yaml")
		}
	}
	slot := n.e.Slot
	if slot == "" {
		slot = n.b.DefaultSlot
	}
	if slot == "" || n.e.Disabled || n.e.Inject != nil {
		return
	}
	there := c.slots(n.b)
	has := func(s lore.Slot) bool {
		_, depth := s.Depth()
		return depth || slices.Contains(there, s)
	}
	if has(slot) || has(slot.Twin()) || slices.ContainsFunc(n.e.Fallback, has) {
		return
	}
	if n.e.Origin.Format != "" && !known(n.b, slot) {
		return // the reader has reported a word that is no slot
	}
	names := make([]string, len(there))
	for i, s := range there {
		names[i] = string(s)
	}
	hint := "the slots are " + strings.Join(names, ", ") + " and at_depth(N)"
	if guess := didYouMean(string(slot), names); guess != "" {
		hint = fmt.Sprintf("did you mean %s?", guess)
	}
	c.report(n, codeSlot, c.field(n, "slot", "position"),
		fmt.Sprintf("the prompt has no slot %q, and no fallback that it has", slot), hint)
}

// slots lists the slots of the prompt and those that the book declares.
func (c *checker) slots(b *lore.Book) []lore.Slot {
	if c.opts.Slots != nil {
		return c.opts.Slots
	}
	return named(b)
}

// named lists the slots that there are for a book, whatever the prompt has.
func named(b *lore.Book) []lore.Slot {
	out := lore.Slots()
	for _, d := range b.Slots {
		out = append(out, d.Name)
	}
	return out
}

func known(b *lore.Book, s lore.Slot) bool {
	_, depth := s.Depth()
	return depth || slices.Contains(named(b), s)
}

// never reports why the keys of an entry can never count, if that is so.
func (c *checker) never(n *node) (why, field string) {
	if n.e.Probability != nil && *n.e.Probability <= 0 {
		return "its probability is 0", "probability"
	}
	if n.cond != nil && isConstant(n.cond) {
		v, err := n.cond.Eval(context.Background(), &weaver.MapHost{}, weaver.Options{Limits: weaver.Limits{Steps: 100_000}})
		if err != nil || !v.Truthy() {
			return "its condition is never true", "condition"
		}
	}
	if n.e.Constant || n.e.Force == lore.ForceActivate {
		return "", ""
	}
	depth, field := n.e.ScanDepth, "scan_depth"
	if depth == nil {
		depth, field = n.b.ScanDepth, "default_scan_depth"
	}
	if depth != nil && depth.N <= 0 && len(n.e.Sources) == 0 {
		return "its scan depth is 0, so no message is searched", field
	}
	return "", ""
}

// isConstant reports whether an expression reads nothing, so that its value is
// always the same.
func isConstant(x *weaver.Expr) bool {
	return len(x.References()) == 0 && len(x.Calls()) == 0 && len(x.Documents()) == 0 && len(x.Triggers()) == 0
}

// book reports settings of a book that have no effect.
func (c *checker) book(b *lore.Book) {
	for _, name := range slices.Sorted(maps.Keys(b.Namespaces)) {
		if ns, ok := c.opts.Namespaces[name]; ok {
			access := "read-only"
			if ns.Access == lore.ReadWrite {
				access = "writable"
			}
			c.reportBook(b, codeNamespaceTaken,
				fmt.Sprintf("the book declares the namespace %q, which the host provides already, %s", name, access),
				"choose another name, or remove the declaration", "namespaces", name)
		}
	}
	used := make(map[string]bool)
	for _, e := range b.Entries {
		if e != nil {
			used[e.Group] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.GroupBudgets)) {
		if used[name] {
			continue
		}
		hint := "remove it, or name it as the group of an entry"
		if guess := didYouMean(name, slices.Sorted(maps.Keys(used))); guess != "" {
			hint = fmt.Sprintf("did you mean %q?", guess)
		}
		c.reportBook(b, codeGroupUnused, fmt.Sprintf("no entry belongs to the budget group %q", name), hint, "group_budgets", name)
	}
}

// spanOfText returns the first word of a text.
func spanOfText(s string) diag.Span {
	start := len(s) - len(strings.TrimLeft(s, " \t\r\n"))
	end := start
	for end < len(s) && !strings.ContainsRune(" \t\r\n", rune(s[end])) {
		end++
	}
	return diag.Span{Start: start, End: end}
}
