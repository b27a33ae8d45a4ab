package engine

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/weft-memory/weft/lore"
)

// placed is an active entry with a text and a slot, on its way to be a block.
type placed struct {
	*activation
	text string
	slot lore.Slot
	rank int // of the slot
	n    int // activation order
	cut  bool
	size Size
	// members are the entries whose texts stand together in this one.
	members []*placed
}

// place gives every evaluated entry its slot, applies the budgets, and returns
// the blocks in the order of the prompt.
func (a *assembly) place() []Block {
	all := make([]placed, len(a.list))
	list := make([]*placed, 0, len(a.list))
	for n, x := range a.list {
		if a.placeOne(&all[n], n, x) {
			list = append(list, &all[n])
		}
	}
	list = a.gather(list)
	kept := a.injectInto(a.applyBudgets(list))
	settleMembers(list)
	a.orderBlocks(kept)
	blocks := make([]Block, len(kept))
	for i, p := range kept {
		blocks[i] = p.block(a)
	}
	return blocks
}

// placeOne fills in the text and slot of an entry, or says why it has none.
func (a *assembly) placeOne(p *placed, n int, x *activation) bool {
	if !x.evaluated {
		return false
	}
	e := x.use
	text := x.content
	if blank(text) {
		x.fired.Outcome = OutcomeEmpty
		return false
	}
	if e.Where == lore.WhereNowhere {
		x.fired.Outcome = OutcomeNowhere
		return false
	}
	text = e.Prefix + text + e.Suffix
	if e.Inject != nil {
		x.use = a.redirected(x)
		e = x.use
	}
	slot, ok := a.prompt.choose(a.slotted(x), !a.engine.opts.NoTwins)
	if !ok {
		x.fired.Outcome = OutcomeNoSlot
		a.problem(x.view, x.entry, "slot", "the prompt has neither the slot "+string(e.slot)+" nor one of its fallbacks", nil)
		return false
	}
	*p = placed{activation: x, text: text, slot: slot, n: n, size: x.size, rank: a.prompt.rank(slot)}
	a.limit(p)
	if blank(p.text) {
		most, capped := a.capTokens(e)
		if !capped || e.MaxTokens > 0 && e.MaxTokens < most {
			most = e.MaxTokens
		}
		x.fired.Outcome, x.fired.Budget, x.fired.Over = OutcomeOver, "max_tokens", a.engine.tokenizer.Count(text)-most
		return false
	}
	return true
}

// slotted returns the entry as far as its slot is concerned: constants of some
// dialects stand at the end of the prompt.
func (a *assembly) slotted(x *activation) *entry {
	if x.view.policy().Constants != lore.ConstantsAtEnd || !x.use.constant() || x.use.Slot != "" {
		return x.use
	}
	e := *x.use
	e.slot = lore.SlotAftermath
	return &e
}

// limit cuts a text at the entry's max_tokens.
func (a *assembly) limit(p *placed) {
	most := p.use.MaxTokens
	n := a.engine.tokenizer.Count(p.text)
	if most > 0 && n > most {
		p.text = cutText(p.text, most, a.engine.tokenizer)
		n = a.engine.tokenizer.Count(p.text)
		p.cut = true
		a.problem(p.view, p.entry, "cut", "the text was cut at max_tokens ("+itoa(most)+")", nil)
	}
	p.fired.Tokens, p.fired.Cut = n, p.cut
	if most, capped := a.capTokens(p.use); capped && n > most {
		if !a.trimTo(p, most) {
			p.text = ""
			return
		}
		a.problem(p.view, p.entry, "cut", "the text was cut at the entry's cap ("+count(most, "token")+")", nil)
	}
}

// orderBlocks sorts by slot; within a slot by the rule of the dialect, where
// those that put the most important last stand behind the others; by insertion
// order; by activation.
func (a *assembly) orderBlocks(list []*placed) {
	slices.SortStableFunc(list, func(x, y *placed) int {
		if c := cmp.Compare(x.rank, y.rank); c != 0 {
			return c
		}
		rising, other := x.view.policy().PriorityAscending, y.view.policy().PriorityAscending
		if rising != other {
			if rising {
				return 1
			}
			return -1
		}
		c := cmp.Compare(y.Priority, x.Priority)
		if rising {
			c = 0 // there the insertion order alone decides
		}
		n := cmp.Compare(x.n, y.n)
		if x.view.policy().EqualsReversed && y.view.policy().EqualsReversed {
			n = -n
		}
		if c = cmp.Or(c, cmp.Compare(x.use.InsertionOrder, y.use.InsertionOrder)); c != 0 {
			return c
		}
		// The entry whose key stands in the newer message is nearer to the end.
		return cmp.Or(cmp.Compare(a.appearance(y.activation), a.appearance(x.activation)), n)
	})
}

func (p *placed) block(a *assembly) Block {
	e := p.use
	p.fired.Outcome, p.fired.Slot, p.fired.Size = OutcomeBlock, string(p.slot), p.size
	b := Block{
		Slot: p.slot, Book: p.Book, Entry: p.Entry, Name: e.Name, Content: p.text,
		Tokens: p.fired.Tokens, Size: p.size, Cut: p.cut, Role: e.Role,
		Where: e.Where, Outlet: e.Outlet, Priority: p.Priority, InsertionOrder: e.InsertionOrder,
	}
	if n, ok := p.slot.Depth(); ok {
		b.Depth, b.FromStart = n, e.FromStart
	}
	return b
}

// blank reports whether a text is empty or only white space.
func blank(s string) bool { return strings.TrimFunc(s, unicode.IsSpace) == "" }
