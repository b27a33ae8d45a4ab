package match

// SeamHit is an occurrence that reaches over the border between two texts.
type SeamHit struct {
	Pattern int
	// First and Last are the indexes of the texts in which it begins and ends.
	First, Last int
	// Start is an offset in the folded text First, End one in the folded text
	// Last. An offset beyond the length of its text lies in the separator
	// behind that text.
	Start, End int
}

// ScanSeams reports the occurrences in the texts joined by sep that do not lie
// within one text. Together with a Scan of each text these are exactly the
// occurrences of a Scan of the joined text, at the cost of MaxPatternLen bytes
// on either side of each border. It stops when yield returns false, and
// reports whether it reached the end.
//
// Texts and sep are folded, all by the same rule. Folding piece by piece is
// folding the whole if sep begins and ends with a character that is no letter
// and does not combine, such as a line break or a space; under [FoldNoSpaces]
// a space between the texts folds to the empty separator.
func (a *Automaton) ScanSeams(texts []string, sep string, yield func(SeamHit) bool) bool {
	if len(a.label) == 1 || sep != "" && !a.mayTouch(sep) {
		return true
	}
	for i := 0; i+1 < len(texts); i++ {
		if !a.scanSeam(texts, sep, i, yield) {
			return false
		}
	}
	return true
}

// mayTouch reports whether any pattern holds a byte of sep.
func (a *Automaton) mayTouch(sep string) bool {
	for i := 0; i < len(sep); i++ {
		if a.class[sep[i]] != 0 {
			return true
		}
	}
	return false
}

// scanSeam reports the occurrences that begin in texts[i], or in the separator
// behind it, and end outside of texts[i].
func (a *Automaton) scanSeam(texts []string, sep string, i int, yield func(SeamHit) bool) bool {
	left := texts[i]
	s := uint32(0)
	for j := max(0, len(left)-a.MaxPatternLen()+1); j < len(left); j++ {
		s = a.step(s, left[j])
	}
	// pos and seam are offsets counted from the beginning of texts[i]; nothing
	// that begins at seam or behind it is of interest.
	pos, seam := len(left), len(left)+len(sep)
	pending := func() bool { return pos-a.depth(s) < seam }
	feed := func(piece string, last, base int) bool {
		for j := 0; j < len(piece) && (pos < seam || pending()); j++ {
			s = a.step(s, piece[j])
			pos++
			if e := a.emit[s]; e != 0 {
				ok := a.report(e, pos, func(pattern, start, _ int) bool {
					return start >= seam || yield(SeamHit{pattern, i, last, start, base + j + 1})
				})
				if !ok {
					return false
				}
			}
		}
		return true
	}
	for last := i; last+1 < len(texts) && (last == i || pending()); last++ {
		if !feed(sep, last, len(texts[last])) || !feed(texts[last+1], last+1, 0) {
			return false
		}
	}
	return true
}
