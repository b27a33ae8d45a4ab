package engine

import (
	"slices"
	"strings"

	"github.com/weft-memory/weft/match"
)

// keyset is all literals of a segment that are compared under one folding rule:
// one automaton proposes them, and each proposal is verified by its key.
type keyset struct {
	fold match.Fold
	// sep is the folded text that stands between messages.
	sep  string
	auto *match.Automaton
	// keys are the literal keys by id; nil for a literal of a regular
	// expression, whose occurrence is all that is asked.
	keys []*match.Key
	// seam finds the literals that may reach over the border of two messages;
	// seamIDs are their ids. It is nil if there are none.
	seam    *match.Automaton
	seamIDs []int32
	// first and owners list the entries that an id may activate: those of id i
	// are owners[first[i]:first[i+1]], as ranks.
	first  []int32
	owners []int32
}

// keysetBuilder gathers the literals of a folding rule. Equal keys share an id.
type keysetBuilder struct {
	fold match.Fold
	// sep is the folded text that stands between messages.
	sep      string
	ids      map[keyID]int32
	literals []string
	keys     []*match.Key
	uses     []keyUse
}

type keyID struct {
	text  string
	words match.Words
	regex bool
}

type keyUse struct{ id, rank int32 }

// add returns the id of a literal. key is nil for one of a regular expression.
func (b *keysetBuilder) add(id keyID, literal string, k *match.Key) int32 {
	if n, ok := b.ids[id]; ok {
		return n
	}
	n := int32(len(b.literals))
	b.ids[id] = n
	b.literals = append(b.literals, literal)
	b.keys = append(b.keys, k)
	return n
}

// build makes the automata.
func (b *keysetBuilder) build() (*keyset, error) {
	s := &keyset{fold: b.fold, sep: b.sep, keys: slices.Clip(b.keys)}
	var err error
	if s.auto, err = match.NewAutomaton(b.literals); err != nil {
		return nil, err
	}
	if b.sep != "" {
		var seam []string
		for id, lit := range b.literals {
			if strings.ContainsAny(lit, b.sep) {
				seam = append(seam, lit)
				s.seamIDs = append(s.seamIDs, int32(id))
			}
		}
		if len(seam) > 0 {
			if s.seam, err = match.NewAutomaton(seam); err != nil {
				return nil, err
			}
		}
	} else {
		// Messages that stand side by side: any literal may reach over.
		s.seam = s.auto
		s.seamIDs = make([]int32, len(b.literals))
		for i := range s.seamIDs {
			s.seamIDs[i] = int32(i)
		}
	}
	slices.SortFunc(b.uses, func(x, y keyUse) int {
		if x.id != y.id {
			return int(x.id - y.id)
		}
		return int(x.rank - y.rank)
	})
	b.uses = slices.Compact(b.uses)
	s.first = make([]int32, len(b.literals)+1)
	s.owners = make([]int32, len(b.uses))
	for i, u := range b.uses {
		s.first[u.id+1]++
		s.owners[i] = u.rank
	}
	for i := 1; i < len(s.first); i++ {
		s.first[i] += s.first[i-1]
	}
	return s, nil
}

// of returns the ranks of the entries that an id may activate.
func (s *keyset) of(id int32) []int32 { return s.owners[s.first[id]:s.first[id+1]] }
