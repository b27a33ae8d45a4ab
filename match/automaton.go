package match

// Automaton finds all occurrences of many patterns in one pass. It is
// immutable and safe for concurrent use. It compares bytes: patterns and texts
// have to be folded by the same [Fold] before.
type Automaton struct{ maxLen, patterns int }

// NewAutomaton builds the automaton of the patterns; the number of a pattern
// is its index. Equal patterns are allowed and are reported one after the
// other. An empty pattern is an error.
func NewAutomaton(patterns []string) (*Automaton, error) { panic("not yet") }

// Len returns the number of patterns.
func (a *Automaton) Len() int { return a.patterns }

// MaxPatternLen returns the length of the longest pattern in (folded) bytes.
func (a *Automaton) MaxPatternLen() int { return a.maxLen }

// Size returns the memory kept, in bytes.
func (a *Automaton) Size() int { panic("not yet") }

// Scan calls yield for every occurrence of every pattern, overlapping ones
// included, by rising end, longer ones first. Offsets are bytes of text. It
// stops when yield returns false, and reports whether it reached the end.
func (a *Automaton) Scan(text string, yield func(pattern, start, end int) bool) bool {
	panic("not yet")
}

// ScanSet fills set with the distinct patterns that occur in text, in the
// order in which they were first found. verify, if not nil, is asked for each
// occurrence and decides whether it counts.
func (a *Automaton) ScanSet(text string, set *Set, verify func(pattern, start, end int) bool) {
	panic("not yet")
}

// SetHit is one pattern in a [Set]: its first occurrence and how many there were.
type SetHit struct {
	Pattern    int
	Start, End int // folded bytes
	Count      int
}

// Set is a reusable collection of the distinct patterns found in one text.
// The zero value is ready for use.
type Set struct{ hits []SetHit }

// Hits returns what was found; valid until the next ScanSet.
func (s *Set) Hits() []SetHit { return s.hits }

// SeamHit is an occurrence that reaches over the border between texts.
type SeamHit struct {
	Pattern int
	// First and Last are the indexes of the texts in which it begins and ends.
	First, Last int
	// Start and End are offsets in the folded texts First and Last. An offset
	// beyond the text's length lies in the separator behind it.
	Start, End int
}

// ScanSeams reports the occurrences in the texts joined by sep that do not lie
// within one text: together with a Scan of each text these are exactly the
// occurrences of a Scan of the joined text. Texts and sep are folded.
func (a *Automaton) ScanSeams(texts []string, sep string, yield func(SeamHit) bool) bool {
	panic("not yet")
}
