package engine

import (
	"slices"

	"github.com/weft-memory/weft/lore"
)

// slotTable is the order of the named slots: those of the two vocabularies and
// those that books declare.
type slotTable map[lore.Slot]int

const (
	// slotStep is the distance between the ranks of two slots, so that a slot a
	// host alone knows fits between.
	slotStep = 1 << 16
	// depthRank is the rank of at_depth(0); deeper ones follow.
	depthRank = 1 << 30
)

// newSlotTable puts the slots that books declare beside the neighbours they
// name. A declaration whose neighbour is unknown, or that names a slot that is
// there, is passed over.
func newSlotTable(books []*lore.Book) slotTable {
	order := lore.Slots()
	for _, b := range books {
		for _, d := range b.Slots {
			if slices.Contains(order, d.Name) || d.Name == "" {
				continue
			}
			i := slices.Index(order, d.After) + 1 // 0 if it is unknown
			if i == 0 {
				if i = slices.Index(order, d.Before); i < 0 {
					continue
				}
			}
			order = slices.Insert(order, i, d.Name)
		}
	}
	t := make(slotTable, len(order))
	for i, s := range order {
		t[s] = i * slotStep
	}
	return t
}

// prompt is the set of slots that a host's prompt has.
type prompt struct {
	table slotTable
	// extra are the ranks of slots that only the host knows; have is the set of
	// slots, nil for all of the table.
	extra map[lore.Slot]int
	have  map[lore.Slot]struct{}
}

func newPrompt(t slotTable, slots []lore.Slot) prompt {
	p := prompt{table: t}
	if slots == nil {
		return p
	}
	p.have = make(map[lore.Slot]struct{}, len(slots))
	last := -slotStep / 2
	for i, s := range slots {
		p.have[s] = struct{}{}
		if r, ok := t[s]; ok {
			last = r
		} else if _, ok := s.Depth(); !ok {
			if p.extra == nil {
				p.extra = make(map[lore.Slot]int)
			}
			p.extra[s] = last + 1 + i
		}
	}
	return p
}

// has reports whether the prompt has a slot.
func (p *prompt) has(s lore.Slot) bool {
	if _, ok := s.Depth(); ok {
		return true
	}
	if p.have == nil {
		_, ok := p.table[s]
		return ok
	}
	_, ok := p.have[s]
	return ok
}

// rank returns the place of a slot from the front.
func (p *prompt) rank(s lore.Slot) int {
	if n, ok := s.Depth(); ok {
		return depthRank + min(n, depthRank)
	}
	if r, ok := p.table[s]; ok {
		return r
	}
	return p.extra[s]
}

// choose returns the slot for an entry: its own, one of its fallbacks, or the
// twin of its own in the other vocabulary.
func (p *prompt) choose(e *entry, twins bool) (lore.Slot, bool) {
	if p.has(e.slot) {
		return e.slot, true
	}
	for _, s := range e.Fallback {
		if p.has(s) {
			return s, true
		}
	}
	if t := e.slot.Twin(); twins && t != "" && p.has(t) {
		return t, true
	}
	return "", false
}
