package match

// SetHit is one pattern of a [Set]: its first occurrence, in folded bytes, and
// how many occurrences there were.
type SetHit struct {
	Pattern    int
	Start, End int
	Count      int
}

// Set collects the distinct patterns found in one text. It is made for reuse:
// clearing it takes no time, whatever the number of patterns. The zero value
// is ready. It must not be used by two goroutines at once.
type Set struct {
	hits []SetHit
	// slot[p] is the index in hits of pattern p if mark[p] equals round.
	slot, mark []uint32
	round      uint32
}

// Hits returns what was found, in order of the first occurrence's end. It is
// valid until the next ScanSet.
func (s *Set) Hits() []SetHit { return s.hits }

// Get returns the hit of one pattern.
func (s *Set) Get(pattern int) (SetHit, bool) {
	if pattern < 0 || pattern >= len(s.mark) || s.mark[pattern] != s.round || s.round == 0 {
		return SetHit{}, false
	}
	return s.hits[s.slot[pattern]], true
}

func (s *Set) reset(patterns int) {
	s.hits = s.hits[:0]
	if len(s.mark) < patterns {
		s.slot, s.mark, s.round = make([]uint32, patterns), make([]uint32, patterns), 0
	}
	if s.round++; s.round == 0 { // after four thousand million texts
		clear(s.mark)
		s.round = 1
	}
}

func (s *Set) add(pattern, start, end int) {
	if s.mark[pattern] == s.round {
		s.hits[s.slot[pattern]].Count++
		return
	}
	s.mark[pattern], s.slot[pattern] = s.round, uint32(len(s.hits))
	s.hits = append(s.hits, SetHit{pattern, start, end, 1})
}

// ScanSet fills set with the distinct patterns that occur in text. verify, if
// not nil, decides for each occurrence whether it counts.
func (a *Automaton) ScanSet(text string, set *Set, verify func(pattern, start, end int) bool) {
	set.reset(a.Len())
	a.Scan(text, func(pattern, start, end int) bool {
		if verify == nil || verify(pattern, start, end) {
			set.add(pattern, start, end)
		}
		return true
	})
}
