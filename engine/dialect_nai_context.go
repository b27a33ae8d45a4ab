package engine

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/weft-memory/weft/lore"
)

// What a NovelAI file says beyond the fields of an entry or a folder is kept in
// Ext under "novelai", as the file has it. Two things of it are rules: an entry
// may stand relative to its key, and a category may be a subcontext, which
// stands in the prompt as one text with a place and a budget of its own.

const naiExt = "novelai"

// keyRelative returns the entry with the injection that its file asks for.
func keyRelative(le *lore.Entry) *lore.Entry {
	raw := le.Ext[naiExt]
	if raw == nil || le.Inject != nil {
		return le
	}
	var own struct {
		KeyRelative bool `json:"keyRelative"`
	}
	if json.Unmarshal(raw, &own) != nil || !own.KeyRelative {
		return le
	}
	out := *le
	out.Inject = &lore.Inject{Mode: lore.InjectKey}
	return &out
}

// naiConfig is the contextConfig of a subcontext.
type naiConfig struct {
	Prefix            string   `json:"prefix"`
	Suffix            string   `json:"suffix"`
	TokenBudget       *float64 `json:"tokenBudget"`
	ReservedTokens    *float64 `json:"reservedTokens"`
	BudgetPriority    *int     `json:"budgetPriority"`
	TrimDirection     string   `json:"trimDirection"`
	MaximumTrimType   string   `json:"maximumTrimType"`
	InsertionType     string   `json:"insertionType"`
	InsertionPosition *int     `json:"insertionPosition"`
}

// subcontexts returns the folders of a book that are subcontexts, each as an
// entry that has its place.
func subcontexts(s *Segment) map[string]*entry {
	var out map[string]*entry
	for _, f := range s.book.Folders {
		var own struct {
			Create   bool `json:"createSubcontext"`
			Settings struct {
				Context naiConfig `json:"contextConfig"`
			} `json:"subcontextSettings"`
		}
		raw := f.Ext[naiExt]
		if raw == nil || json.Unmarshal(raw, &own) != nil || !own.Create {
			continue
		}
		if out == nil {
			out = make(map[string]*entry)
		}
		le := &lore.Entry{ID: f.ID, Name: f.Name, Placement: own.Settings.Context.placement()}
		out[f.ID] = &entry{Entry: le, seg: s, slot: cmp.Or(le.Slot, lore.DefaultSlot)}
	}
	return out
}

// placement is what a contextConfig says, in the engine's terms: positions from
// the bottom count messages.
func (c naiConfig) placement() lore.Placement {
	p := lore.Placement{Prefix: c.Prefix, Suffix: c.Suffix, Priority: 400, Cap: naiShare(c.TokenBudget), Reserve: naiShare(c.ReservedTokens)}
	if c.BudgetPriority != nil {
		p.Priority = *c.BudgetPriority
	}
	p.InsertionOrder = p.Priority
	position := -1
	if c.InsertionPosition != nil {
		position = *c.InsertionPosition
	}
	if position < 0 {
		depth := -(position + 1)
		if c.InsertionType != "" && c.InsertionType != "newline" {
			depth = min(depth, 1)
		}
		p.InsertionOrder, p.Slot, p.Where = -p.Priority, lore.AtDepth(min(depth, wholeChat)), lore.WhereAtDepth
	}
	p.Trim.Direction = map[string]string{"trimBottom": "bottom", "trimTop": "top", "doNotTrim": "none"}[c.TrimDirection]
	if slices.Contains([]string{"newline", "sentence", "token"}, c.MaximumTrimType) {
		p.Trim.Unit = c.MaximumTrimType
	}
	return p
}

// naiShare is a number of tokens; up to 1 it is a share of the context.
func naiShare(n *float64) *lore.Amount {
	switch {
	case n == nil || *n <= 0:
		return nil
	case *n <= 1:
		return lore.Percent(*n * 100)
	}
	return &lore.Amount{N: *n, Unit: lore.UnitTokens}
}

// gather puts the entries of each subcontext together. Inside of one, the more
// important entries take its budget first.
func (a *assembly) gather(list []*placed) []*placed {
	groups := make(map[*entry]*placed)
	var out []*placed
	for _, p := range list {
		sub := p.view.base.together[p.use.Folder]
		if sub == nil {
			out = append(out, p)
			continue
		}
		g := groups[sub]
		if g == nil {
			g = &placed{activation: &activation{
				Activation: Activation{Book: p.Book, Entry: sub.ID, Priority: sub.Priority},
				view:       p.view, entry: sub, use: sub,
			}, n: p.n}
			groups[sub] = g
			out = append(out, g)
		}
		g.members = append(g.members, p)
	}
	if len(groups) == 0 {
		return list
	}
	return slices.DeleteFunc(out, func(p *placed) bool { return p.members != nil && !a.fillSubcontext(p) })
}

// fillSubcontext makes the text of a subcontext; it reports whether there is
// one and a place for it.
func (a *assembly) fillSubcontext(g *placed) bool {
	slot, ok := a.prompt.choose(g.use, !a.engine.opts.NoTwins)
	g.slot, g.rank = slot, a.prompt.rank(slot)
	order := slices.Clone(g.members)
	slices.SortStableFunc(order, func(x, y *placed) int {
		return cmp.Or(cmp.Compare(precedence(x), precedence(y)), cmp.Compare(y.Priority, x.Priority), cmp.Compare(x.n, y.n))
	})
	left, capped := a.capTokens(g.use)
	left -= a.engine.tokenizer.Count(g.use.Prefix + g.use.Suffix)
	var kept []*placed
	for _, p := range order {
		p.fired.Outcome = OutcomeNoSlot
		if !ok {
			continue
		}
		if over := p.fired.Tokens - left; capped && over > 0 && !(canTrim(trimOf(p.use, p.view.policy())) && a.trimTo(p, left)) {
			p.fired.Outcome, p.fired.Over, p.fired.Budget = OutcomeOver, over, "category "+g.Entry+" of "+g.Book
			continue
		}
		left -= p.fired.Tokens
		p.fired.Outcome = OutcomeInjected
		kept = append(kept, p)
	}
	if g.members = kept; len(kept) == 0 {
		return false
	}
	a.orderBlocks(kept)
	for _, p := range kept {
		g.text += p.text
	}
	g.text = g.use.Prefix + g.text + g.use.Suffix
	g.fired.Tokens = a.engine.tokenizer.Count(g.text)
	return true
}

// settleMembers tells the members of subcontexts what became of them.
func settleMembers(list []*placed) {
	for _, g := range list {
		for _, p := range g.members {
			p.fired.Slot = string(g.slot)
			if g.fired.Outcome != "" {
				p.fired.Outcome, p.fired.Over, p.fired.Budget = g.fired.Outcome, g.fired.Over, g.fired.Budget
			}
		}
	}
}
