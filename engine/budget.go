package engine

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/weft-memory/weft/lore"
)

// budget is one bound on what entries use together.
type budget struct {
	name  string
	limit int
	used  int
	chars bool // counts characters, not tokens
	// reserved is what is kept free for entries that come later.
	reserved int
}

// cost returns what a text takes of the budget.
func (b *budget) cost(p *placed) int {
	if b.chars {
		return utf8.RuneCountInString(p.text)
	}
	return p.fired.Tokens
}

// budgets are the bounds of an assembly.
type budgets struct {
	total  *budget
	books  map[*view]*budget
	groups map[*view]map[string]*budget
	// stopped are the books whose selection has ended, and at which bound.
	stopped map[*view]*budget
	// order is all of them, for the trace.
	order []*budget
}

// newBudget turns an amount into a bound; nil and 0 percent mean none.
func (a *assembly) newBudget(name string, amount *lore.Amount, p *lore.Policy) *budget {
	if amount == nil {
		return nil
	}
	context := a.in.Context
	if context <= 0 {
		context = DefaultContext
	}
	b := &budget{name: name, limit: int(amount.N)}
	switch amount.Unit {
	case lore.UnitPercent:
		if p != nil && p.BudgetChars {
			b.limit, b.chars = int(amount.N*float64(context)*charsPerToken/100), true
			break
		}
		b.limit = int(amount.N*float64(context)/100 + 0.5)
		if p != nil && p.BudgetCap > 0 {
			b.limit = min(b.limit, p.BudgetCap)
		}
	case lore.UnitChars:
		b.chars = true
	}
	b.limit = max(b.limit, 0)
	return b
}

// charsPerToken is the number of characters that stand for a token where a
// dialect counts a share of the context in characters.
const charsPerToken = 4

// newBudgets collects the bounds: the host's for all books, and each book's own
// with its groups, for the entries of that book.
func (a *assembly) newBudgets() *budgets {
	bs := &budgets{books: make(map[*view]*budget), groups: make(map[*view]map[string]*budget), stopped: make(map[*view]*budget)}
	if bs.total = a.newBudget("total", a.in.Budget, nil); bs.total != nil {
		bs.order = append(bs.order, bs.total)
	}
	for _, v := range a.index.views {
		book, p := v.base.book, v.policy()
		amount := book.Budget
		if amount == nil && p.Budget.N > 0 && !p.ScanBudget { // else the scan has applied it
			amount = &p.Budget
		}
		if b := a.newBudget("book "+v.id, amount, p); b != nil {
			bs.books[v] = b
			bs.order = append(bs.order, b)
		}
		for _, g := range sortedKeys(book.GroupBudgets) {
			if bs.groups[v] == nil {
				bs.groups[v] = make(map[string]*budget)
			}
			b := &budget{name: "group " + g + " of " + v.id, limit: max(book.GroupBudgets[g], 0)}
			bs.groups[v][g] = b
			bs.order = append(bs.order, b)
		}
	}
	return bs
}

// of returns the bounds that apply to an entry.
func (bs *budgets) of(p *placed) []*budget {
	out := make([]*budget, 0, 3)
	if b := bs.groups[p.view][p.use.Group]; b != nil && p.use.Group != "" {
		out = append(out, b)
	}
	if b := bs.books[p.view]; b != nil {
		out = append(out, b)
	}
	if bs.total != nil {
		out = append(out, bs.total)
	}
	return out
}

// applyBudgets keeps the entries that fit, the most important first. An entry
// that does not fit is tried in its smaller sizes before it is dropped.
func (a *assembly) applyBudgets(list []*placed) []*placed {
	bs := a.newBudgets()
	order := slices.Clone(list)
	slices.SortStableFunc(order, func(x, y *placed) int {
		if c := cmp.Or(
			cmp.Compare(precedence(x), precedence(y)),
			cmp.Compare(rankUnderBudget(y), rankUnderBudget(x)),
		); c != 0 {
			return c
		}
		return cmp.Or(
			cmp.Compare(a.appearance(x.activation), a.appearance(y.activation)),
			cmp.Compare(x.use.InsertionOrder, y.use.InsertionOrder),
			cmp.Compare(x.n, y.n),
		)
	})
	reserve := func(p *placed, sign int) {
		if p.use.Reserve == nil {
			return
		}
		for _, b := range bs.of(p) {
			if !b.chars {
				b.reserved += sign * a.reserveTokens(p)
			}
		}
	}
	for _, p := range order {
		reserve(p, 1)
	}
	kept := make([]*placed, 0, len(order))
	for _, p := range order {
		reserve(p, -1)
		if a.fit(bs, p) {
			kept = append(kept, p)
		}
	}
	for _, b := range bs.order {
		unit := "tokens"
		if b.chars {
			unit = "chars"
		}
		a.trace.Budgets = append(a.trace.Budgets, BudgetUse{Name: b.name, Limit: b.limit, Used: b.used, Unit: unit})
	}
	return kept
}

// precedence says who comes first under a budget: constants of dialects that
// say so, and at the very end what is to go before all others.
func precedence(p *placed) int {
	c := p.view.policy().Constants
	switch {
	case p.use.constant() && (c == lore.ConstantsAtEnd || c == lore.ConstantsFirst):
		return 0
	case p.use.DropFirst:
		return 2
	}
	return 1
}

// fit takes an entry's text out of the budgets, in the largest size that fits.
func (a *assembly) fit(bs *budgets, p *placed) bool {
	all := bs.of(p)
	free := p.use.IgnoreBudget || p.use.constant() && p.view.policy().Constants == lore.ConstantsAtEnd
	if free {
		for _, b := range all {
			b.used += b.cost(p)
		}
		return true
	}
	if b := bs.stopped[p.view]; b != nil {
		p.fired.Outcome, p.fired.Budget = OutcomeStopped, b.name
		return false
	}
	whole := *p
	for {
		short, over := tightest(all, p)
		if short == nil {
			for _, b := range all {
				b.used += b.cost(p)
			}
			return true
		}
		if whole.fired.Over == 0 {
			whole.fired.Over, whole.fired.Budget = over, short.name
		}
		if a.shrink(p) {
			continue
		}
		if p.view.policy().StopOnOverflow {
			bs.stopped[p.view] = short
		}
		if a.trimInto(all, p, short) {
			return true
		}
		p.fired = whole.fired
		p.fired.Outcome = OutcomeOver
		return false
	}
}

// tightest returns the bound that a text passes by most, and by how much; nil if
// it fits in all.
func tightest(all []*budget, p *placed) (worst *budget, over int) {
	for _, b := range all {
		if o := b.used + b.reserved + b.cost(p) - b.limit; o > over {
			worst, over = b, o
		}
	}
	return worst, over
}

// trimInto cuts a text to what is left of its budgets, in dialects that do so,
// and takes it out of them.
func (a *assembly) trimInto(all []*budget, p *placed, short *budget) bool {
	if !canTrim(trimOf(p.use, p.view.policy())) {
		return false
	}
	room := p.fired.Tokens
	for _, b := range all {
		left := b.limit - b.used - b.reserved
		if b.chars {
			left /= charsPerToken
		}
		room = min(room, left)
	}
	cut := *p
	fired := p.fired
	if !a.trimTo(p, room) {
		return false
	}
	if b, _ := tightest(all, p); b != nil { // characters are not tokens
		p.text, p.cut, p.fired = cut.text, cut.cut, fired
		return false
	}
	for _, b := range all {
		b.used += b.cost(p)
	}
	a.problem(p.view, p.entry, "cut", "the text was cut to what was left of the budget "+short.name, nil)
	return true
}

// shrink puts the next smaller size of an entry in its place. Its effects on
// variables are undone: a shorter wording is not a second activation.
func (a *assembly) shrink(p *placed) bool {
	var next Size
	switch {
	case p.size == SizeFull && !p.use.brief.empty():
		next = SizeBrief
	case p.size != SizeOneLine && !p.use.oneLine.empty():
		next = SizeOneLine
	default:
		return false
	}
	mark, queue, again := len(a.vars.journal), len(a.queue), len(a.refresh)
	text, err := a.render(p.activation, sizeOf(p.use, next))
	a.vars.undo(mark)
	a.queue, a.refresh = a.queue[:queue], a.refresh[:again]
	if err != nil {
		a.problem(p.view, p.entry, "eval", "its "+string(next)+" size is not used: "+err.Error(),
			&EvalError{Book: p.Book, Entry: p.Entry, Err: err})
		return false
	}
	p.size = next
	p.text = p.use.Prefix + text + p.use.Suffix
	p.cut = false
	a.limit(p)
	return true
}
