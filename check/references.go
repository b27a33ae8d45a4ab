package check

import (
	"fmt"
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/diag"
)

// references resolves the documents and triggers of all entries and reports
// those that lead nowhere.
func (c *checker) references() {
	for _, n := range c.nodes {
		body := func(s diag.Span) place { return c.inBody(n, s) }
		cond := func(s diag.Span) place { return c.inCondition(n, s) }
		size := func(diag.Span) place { return c.field(n, "sizes") }
		if n.body != nil {
			c.resolve(n, n.body.Documents(), n.body.Triggers(), n.body.Calls(), body)
		}
		if n.cond != nil {
			c.resolve(n, n.cond.Documents(), n.cond.Triggers(), n.cond.Calls(), cond)
		}
		for _, t := range n.sizes {
			c.resolve(n, t.Documents(), t.Triggers(), t.Calls(), size)
		}
	}
}

func (c *checker) resolve(n *node, docs, triggers []weaver.IDUse, calls []weaver.CallUse, at func(diag.Span) place) {
	for _, use := range docs {
		if use.Dynamic {
			n.dynamic = true
			continue
		}
		to := c.lookUp(n, use.ID, "[["+use.ID+"]]", "then the whole entry fails", diag.Error, at(use.Span))
		if to != nil {
			n.docs = append(n.docs, edge{to, use.Span})
		}
	}
	for _, use := range triggers {
		if use.Dynamic {
			n.dynamic = true
			continue
		}
		to := c.lookUp(n, use.ID, fmt.Sprintf("<trigger id=%q>", use.ID), "then it does nothing", diag.Error, at(use.Span))
		if to == nil {
			continue
		}
		n.triggers = append(n.triggers, edge{to, use.Span})
		if to.e.Disabled {
			c.report(n, codeTriggerOff, at(use.Span), fmt.Sprintf("the triggered entry %q is disabled, so it never fires", use.ID), "enable it, or remove the trigger")
		}
	}
	for _, call := range calls {
		if call.Kind != weaver.CommandKind || call.Name != "is_active" && call.Name != "is_active_global" {
			continue
		}
		for i, arg := range call.Args {
			id, ok := arg.Literal.AsString()
			if arg.Computed || !ok || !(arg.Name == "" && i == 0 || arg.Name == "id") {
				continue
			}
			if call.Name == "is_active" { // looks in its own book only
				if c.byBook[n.book][id] == nil {
					c.missing(n, id, fmt.Sprintf("%s(%q)", call.Name, id), "is never true", at(call.Span), c.byBook[n.book])
				}
			} else if c.find(n, id) == nil {
				c.missing(n, id, fmt.Sprintf("%s(%q)", call.Name, id), "is never true", at(call.Span), nil)
			}
		}
	}
}

func (c *checker) lookUp(n *node, id, written, otherwise string, sev diag.Severity, at place) *node {
	to := c.find(n, id)
	switch {
	case to == nil:
		c.missing(n, id, written, "", at, nil)
	case to.book != n.book:
		c.report(n, codeRefOther, at,
			fmt.Sprintf("%s leads into the book %q, which may be absent; %s", written, to.b.ID, otherwise),
			"use both books together, or copy the entry")
	}
	return to
}

// missing reports a reference to nothing. own, if not nil, limits the guesses.
func (c *checker) missing(n *node, id, written, effect string, at place, own map[string]*node) {
	names := c.ids(n.book)
	if own != nil {
		names = names[:len(own)]
	}
	hint := "add the entry, or check the books together that are used together"
	if guess := didYouMean(id, names); guess != "" {
		hint = fmt.Sprintf("did you mean %q?", guess)
	}
	where := "no entry has this id"
	if len(c.books) == 1 {
		where = fmt.Sprintf("the book %q has no entry with this id", n.b.ID)
	}
	message := fmt.Sprintf("%s: %s", written, where)
	if effect != "" {
		message = fmt.Sprintf("%s %s: %s", written, effect, where)
	}
	c.report(n, codeRefMissing, at, message, hint)
}

// isRoot reports whether something outside of templates activates an entry.
func isRoot(n *node) bool {
	e := n.e
	if e.Disabled || e.Force == lore.ForceSuppress {
		return false
	}
	return e.Constant || e.Force == lore.ForceActivate || hasKeys(e) || e.Similarity != nil || n.b.Similarity != nil
}

func hasKeys(e *lore.Entry) bool {
	for _, k := range e.Keys {
		if strings.TrimSpace(k.Text) != "" {
			return true
		}
	}
	return false
}

// reach follows triggers and documents from the entries that the scan can
// find, and reports the entries that it does not come to.
func (c *checker) reach() {
	passes := make(map[*node]int) // triggers in a row that lead to an entry
	var queue []*node
	dynamic := make([]bool, len(c.books)+1)
	visit := func(n *node, p int) {
		if old, ok := passes[n]; ok && old <= p {
			return
		}
		passes[n] = p
		queue = append(queue, n)
	}
	for _, n := range c.nodes {
		if why, _ := c.never(n); isRoot(n) && why == "" {
			visit(n, 0)
		}
	}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		p := passes[n]
		if n.dynamic {
			dynamic[n.book], dynamic[len(c.books)] = true, true
		}
		for _, e := range n.docs {
			visit(e.to, p)
		}
		for _, e := range n.triggers {
			if !e.to.e.Disabled {
				visit(e.to, p+1)
			}
		}
	}
	// What a computed id leads to cannot be known: everything may be reached.
	anyDynamic := dynamic[len(c.books)]
	for _, n := range c.nodes {
		p, reached := passes[n]
		if reached {
			if most := n.b.Policy.TriggerPasses; most > 0 && p > most && !anyDynamic {
				c.report(n, codeTriggerDeep, c.field(n, "id"),
					fmt.Sprintf("the entry is reached only through %d triggers in a row, but %d passes are run", p, most),
					"trigger it from an entry nearer to the start of the chain, or give it keywords")
			}
			continue
		}
		if n.e.Disabled || n.e.Force == lore.ForceSuppress {
			continue
		}
		if why, field := c.never(n); why != "" && isRoot(n) {
			c.report(n, codeNever, c.field(n, field, "keywords", "id"),
				"nothing activates the entry: "+why, "correct the number, or set enabled: false")
			continue
		}
		if anyDynamic {
			continue
		}
		c.unreachable(n)
	}
}

func (c *checker) unreachable(n *node) {
	message := "nothing can activate the entry: it has no keywords and no regex, is not constant, and nothing triggers or includes it"
	hint := "add keywords, set constant: true, or trigger it from another entry"
	if n.e.Condition != "" {
		message = "nothing can activate the entry: a condition alone does not, it only holds back"
		hint = "set constant: true to activate it whenever the condition holds, or add keywords"
	}
	for _, from := range c.nodes {
		for _, e := range append(from.docs[:len(from.docs):len(from.docs)], from.triggers...) {
			if e.to == n && from != n {
				message = fmt.Sprintf("nothing can activate the entry: only %q leads to it, which nothing can activate either", from.e.ID)
				if from.e.Disabled {
					message = fmt.Sprintf("nothing can activate the entry: only %q leads to it, which is disabled", from.e.ID)
				}
				hint = fmt.Sprintf("make %q reachable, or add keywords here", from.e.ID)
			}
		}
	}
	c.report(n, codeUnreachable, c.field(n, "id"), message, hint)
}
