package match

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrEmptyPattern is the error of [NewAutomaton] for a pattern without bytes,
// which would occur everywhere.
var ErrEmptyPattern = errors.New("pattern is empty")

// Automaton finds all occurrences of many patterns in one pass over a text. It
// is immutable and safe for concurrent use. It compares bytes: patterns and
// texts have to be folded by the same [Fold] before. Its hits are proposals,
// which [Key.Verify] accepts or refuses.
//
// It is the machine of Aho and Corasick, "Efficient string matching: an aid
// to bibliographic search" (1975), laid out flat: states are numbered level by
// level, hence the children of a state stand side by side, and a state takes
// 13 bytes.
type Automaton struct {
	// The children of state s are first[s] up to first[s+1], sorted by label,
	// the byte that leads to them. State 0 is the root.
	first []uint32
	label []byte
	// fail leads to the state of the longest proper suffix that is a state.
	fail []uint32
	// emit is 0, or 1 + the index of the longest output that ends here.
	emit []uint32
	outs []output
	// ids are the patterns of all outputs; equal patterns stand side by side.
	ids []uint32
	// class numbers the bytes that patterns hold from 1; all others are 0.
	class   [256]uint16
	classes int
	// dense has a row of all classes for each of the first states, those near
	// the root, where a scan spends most of its time: the next state, failure
	// links followed.
	dense []uint32
	// level[d] is the first state of depth d.
	level []uint32
}

// output is a pattern's end: its patterns are ids[from:to]. next is 0, or 1 +
// the index of the next shorter output that ends at the same place.
type output struct{ from, to, size, next uint32 }

// NewAutomaton builds the automaton of the patterns. The number of a pattern
// is its index; equal patterns are each reported. The error is
// ErrEmptyPattern, with the index, if one is empty. Patterns with more than
// 4 GiB together are refused.
func NewAutomaton(patterns []string) (*Automaton, error) {
	total := 0
	for i, p := range patterns {
		if p == "" {
			return nil, fmt.Errorf("pattern %d: %w", i, ErrEmptyPattern)
		}
		total += len(p)
	}
	if uint64(total) >= math.MaxUint32 || uint64(len(patterns)) >= math.MaxUint32 {
		return nil, fmt.Errorf("%d patterns of %d bytes are too many for one automaton", len(patterns), total)
	}
	a := &Automaton{ids: make([]uint32, len(patterns))}
	for i := range a.ids {
		a.ids[i] = uint32(i)
	}
	slices.SortFunc(a.ids, func(x, y uint32) int {
		if c := cmp.Compare(patterns[x], patterns[y]); c != 0 {
			return c
		}
		return cmp.Compare(x, y)
	})
	a.grow(patterns)
	a.link()
	return a, nil
}

// grow numbers the states level by level. A state is a range of the sorted
// patterns that begin alike.
func (a *Automaton) grow(patterns []string) {
	type group struct{ from, to, state uint32 }
	var used [256]bool
	states := countStates(patterns, a.ids)
	a.first = make([]uint32, 0, states+1)
	a.label = make([]byte, 1, states)
	a.emit = make([]uint32, 1, states)
	level := []group{{0, uint32(len(patterns)), 0}}
	var next []group
	for depth := 0; len(level) > 0; depth++ {
		a.level = append(a.level, level[0].state)
		next = next[:0]
		for _, g := range level {
			a.first = append(a.first, uint32(len(a.label)))
			i := g.from
			for i < g.to && len(patterns[a.ids[i]]) == depth {
				i++
			}
			if i > g.from {
				a.outs = append(a.outs, output{from: g.from, to: i, size: uint32(depth)})
				a.emit[g.state] = uint32(len(a.outs))
			}
			for i < g.to {
				c := patterns[a.ids[i]][depth]
				j := i + 1
				for j < g.to && patterns[a.ids[j]][depth] == c {
					j++
				}
				used[c] = true
				next = append(next, group{i, j, uint32(len(a.label))})
				a.label = append(a.label, c)
				a.emit = append(a.emit, 0)
				i = j
			}
		}
		level, next = next, level
	}
	a.first = append(a.first, uint32(len(a.label)))
	a.classes = 1
	for c, ok := range used {
		if ok {
			a.class[c] = uint16(a.classes)
			a.classes++
		}
	}
}

// countStates returns the number of states of the sorted patterns, so that
// nothing has to be moved or left over while they are made.
func countStates(patterns []string, ids []uint32) int {
	n := 1
	prev := ""
	for _, id := range ids {
		p := patterns[id]
		k := 0
		for k < len(p) && k < len(prev) && p[k] == prev[k] {
			k++
		}
		n += len(p) - k
		prev = p
	}
	return n
}

// denseStates bounds the rows of Automaton.dense; of small automatons only
// one state in denseShare gets one, but for the first 64.
const (
	denseStates = 4096
	denseShare  = 16
)

// link sets fail, emit and dense, level by level.
func (a *Automaton) link() {
	a.fail = make([]uint32, len(a.label))
	rows := min(len(a.label), max(64, min(len(a.label)/denseShare, denseStates)))
	a.dense = make([]uint32, 0, rows*a.classes)
	for s := uint32(0); int(s) < len(a.label); s++ {
		if f := a.emit[a.fail[s]]; f != 0 && s != 0 {
			if a.emit[s] == 0 {
				a.emit[s] = f
			} else {
				a.outs[a.emit[s]-1].next = f
			}
		}
		if s != 0 {
			for t := a.first[s]; t < a.first[s+1]; t++ {
				a.fail[t] = a.step(a.fail[s], a.label[t])
			}
		}
		if int(s) < rows {
			from := int(a.fail[s]) * a.classes
			if s == 0 {
				a.dense = append(a.dense, make([]uint32, a.classes)...)
			} else {
				a.dense = append(a.dense, a.dense[from:from+a.classes]...)
			}
			row := a.dense[int(s)*a.classes:]
			for t := a.first[s]; t < a.first[s+1]; t++ {
				row[a.class[a.label[t]]] = t
			}
		}
	}
}

// step returns the state after reading c in state s.
func (a *Automaton) step(s uint32, c byte) uint32 {
	for {
		if row := int(s) * a.classes; row < len(a.dense) {
			return a.dense[row+int(a.class[c])]
		}
		lo, hi := a.first[s], a.first[s+1]
		for hi-lo > 8 {
			if m := (lo + hi) / 2; a.label[m] <= c {
				lo = m
			} else {
				hi = m
			}
		}
		for ; lo < hi; lo++ {
			if a.label[lo] == c {
				return lo
			}
		}
		s = a.fail[s]
	}
}

// Len returns the number of patterns.
func (a *Automaton) Len() int { return len(a.ids) }

// MaxPatternLen returns the length of the longest pattern in (folded) bytes.
func (a *Automaton) MaxPatternLen() int { return len(a.level) - 1 }

// Size returns the memory that the automaton keeps, in bytes.
func (a *Automaton) Size() int {
	return 4*(cap(a.first)+cap(a.fail)+cap(a.emit)+cap(a.dense)+cap(a.ids)+cap(a.level)) +
		cap(a.label) + 16*cap(a.outs)
}

// Scan calls yield for every occurrence of every pattern, overlapping ones
// included: by rising end, of those the longest first, of equal patterns by
// number. Offsets are bytes of text. It stops when yield returns false, and
// reports whether it reached the end.
func (a *Automaton) Scan(text string, yield func(pattern, start, end int) bool) bool {
	if len(a.label) == 1 {
		return true
	}
	s, classes := uint32(0), a.classes
	dense, first, label, fail, emit := a.dense, a.first, a.label, a.fail, a.emit
	for i := 0; i < len(text); i++ {
		c := text[i]
		for { // a.step(s, c), by hand: this loop is where the time goes
			if row := int(s) * classes; row < len(dense) {
				s = dense[row+int(a.class[c])]
				break
			}
			lo, hi := first[s], first[s+1]
			for hi-lo > 8 {
				if m := (lo + hi) / 2; label[m] <= c {
					lo = m
				} else {
					hi = m
				}
			}
			for lo < hi && label[lo] != c {
				lo++
			}
			if lo < hi {
				s = lo
				break
			}
			s = fail[s]
		}
		if e := emit[s]; e != 0 && !a.report(e, i+1, yield) {
			return false
		}
	}
	return true
}

func (a *Automaton) report(e uint32, end int, yield func(pattern, start, end int) bool) bool {
	for e != 0 {
		o := &a.outs[e-1]
		for _, id := range a.ids[o.from:o.to] {
			if !yield(int(id), end-int(o.size), end) {
				return false
			}
		}
		e = o.next
	}
	return true
}

// depth returns the length of the text that the state s stands for.
func (a *Automaton) depth(s uint32) int {
	d, exact := slices.BinarySearch(a.level, s)
	if exact {
		return d
	}
	return d - 1
}
