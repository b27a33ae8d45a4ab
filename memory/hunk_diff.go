package memory

import (
	"slices"
	"strings"
)

// region is a place where two lists of tokens differ: old[i1:i2] became
// new[j1:j2].
type region struct{ i1, i2, j1, j2 int }

// maxTable bounds the table of the longest common subsequence. Texts that
// differ in more are told apart as a whole.
const maxTable = 1 << 20

// maxRegions is how many hunks a change has at most: what differs in more
// places is another text between the first and the last. maxContext is how
// many sentences of context are tried before the whole text.
const (
	maxRegions = 64
	maxContext = 64
)

// diffTexts returns the hunks that make new of old. Each is given so much
// context that it can stand at one place of old only, and that where it was
// applied it can be told from where it was not: applied to old the hunks give
// new, applied to new they change nothing.
func diffTexts(old, new string) []Hunk {
	if old == new {
		return nil
	}
	a, b := tokens(old), tokens(new)
	d := &differ{a: a, b: b, old: old, new: new}
	d.aPos, d.bPos = positions(a), positions(b)
	regions := joinNear(a, differences(a, b))
	if n := len(regions); n > maxRegions {
		regions = []region{{regions[0].i1, regions[n-1].i2, regions[0].j1, regions[n-1].j2}}
	}
	for i := 0; i < len(regions); {
		h, ok := d.hunk(regions, i)
		if !ok { // the context reaches a neighbour: they are one
			i = d.join(&regions, i)
			d.hunks = d.hunks[:min(i, len(d.hunks))]
			continue
		}
		d.hunks = append(d.hunks[:i], h)
		i++
	}
	return d.hunks
}

type differ struct {
	a, b       []string
	aPos, bPos []int // where tokens begin; one more for the end
	old, new   string
	hunks      []Hunk
}

func positions(toks []string) []int {
	pos := make([]int, len(toks)+1)
	for i, t := range toks {
		pos[i+1] = pos[i] + len(t)
	}
	return pos
}

// join makes one region of regions[i] and a neighbour and returns its index.
func (d *differ) join(regions *[]region, i int) int {
	r := *regions
	if i+1 < len(r) {
		r[i].i2, r[i].j2 = r[i+1].i2, r[i+1].j2
		*regions = slices.Delete(r, i+1, i+2)
		return i
	}
	r[i-1].i2, r[i-1].j2 = r[i].i2, r[i].j2
	*regions = slices.Delete(r, i, i+1)
	return i - 1
}

// hunk gives regions[i] its context. ok is false if the context would reach a
// neighbouring region.
func (d *differ) hunk(regions []region, i int) (h Hunk, ok bool) {
	r := regions[i]
	lo, hi := 0, len(d.a) // how far the context may go
	if i > 0 {
		lo = regions[i-1].i2
	}
	if i+1 < len(regions) {
		hi = regions[i+1].i1
	}
	for sentences := 1; ; sentences *= 2 {
		if sentences > maxContext {
			sentences = len(d.a) + 1
		}
		from, to := d.back(r.i1, lo, sentences), d.ahead(r.i2, hi, sentences)
		h := Hunk{
			Before: d.old[d.aPos[from]:d.aPos[r.i1]], Old: d.old[d.aPos[r.i1]:d.aPos[r.i2]],
			New: d.new[d.bPos[r.j1]:d.bPos[r.j2]], After: d.old[d.aPos[r.i2]:d.aPos[to]],
		}
		if sentences > 1 { // what reaches the border is tied to it
			if from == 0 && i == 0 {
				h.Old, h.New, h.Before = h.Before+h.Old, h.Before+h.New, ""
			}
			if to == len(d.a) && i == len(regions)-1 {
				h.Old, h.New, h.After = h.Old+h.After, h.New+h.After, ""
			}
		}
		if d.distinct(h) {
			return h, true
		}
		if from == lo && to == hi && sentences > 1 {
			return h, len(regions) == 1 // alone it is the whole text
		}
	}
}

// distinct reports whether old holds the hunk's place once, and neither does
// old look as if the hunk had been applied nor new as if it had not.
func (d *differ) distinct(h Hunk) bool {
	was, is := h.Before+h.Old+h.After, h.Before+h.New+h.After
	return len(occurrences(d.old, d.aPos, was, h, 2)) == 1 &&
		len(occurrences(d.old, d.aPos, is, h, 1)) == 0 &&
		len(occurrences(d.new, d.bPos, was, h, 1)) == 0
}

// back returns the index from which n sentences stand before at.
func (d *differ) back(at, lo, n int) int {
	for at > lo && n > 0 {
		at--
		if !isGap(d.a[at]) {
			n--
		}
	}
	if at == 1 && lo == 0 && isGap(d.a[0]) {
		at = 0
	}
	return at
}

// ahead returns the index up to which n sentences stand behind at.
func (d *differ) ahead(at, hi, n int) int {
	for at < hi && n > 0 {
		if !isGap(d.a[at]) {
			n--
		}
		at++
	}
	if hi == len(d.a) && at == hi-1 && isGap(d.a[at]) {
		at = hi
	}
	return at
}

// occurrences returns up to limit offsets at which part stands in a text as
// whole tokens. A hunk without text before (or behind) the place is tied to the
// start (or the end) of the text.
func occurrences(text string, pos []int, part string, h Hunk, limit int) []int {
	atStart, atEnd := h.Before == "", h.After == ""
	if atStart && atEnd {
		if text == part {
			return []int{0}
		}
		return nil
	}
	if atStart {
		if strings.HasPrefix(text, part) && border(pos, len(part)) {
			return []int{0}
		}
		return nil
	}
	if atEnd {
		at := len(text) - len(part)
		if at >= 0 && text[at:] == part && border(pos, at) {
			return []int{at}
		}
		return nil
	}
	return find(text, pos, part, limit)
}

// find returns up to limit offsets at which part stands as whole tokens.
func find(text string, pos []int, part string, limit int) []int {
	var out []int
	if part == "" {
		return nil
	}
	for at := 0; at < len(pos)-1 && len(out) < limit; at++ {
		p := pos[at]
		if strings.HasPrefix(text[p:], part) && border(pos, p+len(part)) {
			out = append(out, p)
		}
	}
	return out
}

func border(pos []int, at int) bool {
	_, ok := slices.BinarySearch(pos, at)
	return ok
}

// joinNear joins regions that only white space separates.
func joinNear(a []string, regions []region) []region {
	var out []region
	for _, r := range regions {
		if n := len(out); n > 0 && !slices.ContainsFunc(a[out[n-1].i2:r.i1], func(t string) bool { return !isGap(t) }) {
			out[n-1].i2, out[n-1].j2 = r.i2, r.j2
			continue
		}
		out = append(out, r)
	}
	return out
}

// differences returns the regions in which two lists of tokens differ, by
// their longest common subsequence, in which a sentence counts more than the
// white space between.
func differences(a, b []string) []region {
	lo := 0
	for lo < len(a) && lo < len(b) && a[lo] == b[lo] {
		lo++
	}
	i2, j2 := len(a), len(b)
	for i2 > lo && j2 > lo && a[i2-1] == b[j2-1] {
		i2, j2 = i2-1, j2-1
	}
	n, m := i2-lo, j2-lo
	if n == 0 && m == 0 {
		return nil
	}
	if n == 0 || m == 0 || n*m > maxTable {
		return []region{{lo, i2, lo, j2}}
	}
	weight := func(t string) int32 {
		if isGap(t) {
			return 1
		}
		return 4
	}
	table := make([]int32, (n+1)*(m+1)) // of the ends from i, j on
	at := func(i, j int) *int32 { return &table[i*(m+1)+j] }
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			best := max(*at(i+1, j), *at(i, j+1))
			if a[lo+i] == b[lo+j] {
				best = max(best, *at(i+1, j+1)+weight(a[lo+i]))
			}
			*at(i, j) = best
		}
	}
	var out []region
	add := func(i1, i2, j1, j2 int) {
		if i1 == i2 && j1 == j2 {
			return
		}
		out = append(out, region{lo + i1, lo + i2, lo + j1, lo + j2})
	}
	i, j, si, sj := 0, 0, 0, 0
	for i < n && j < m {
		switch {
		case a[lo+i] == b[lo+j] && *at(i, j) == *at(i+1, j+1)+weight(a[lo+i]):
			add(si, i, sj, j)
			i, j = i+1, j+1
			si, sj = i, j
		case *at(i+1, j) >= *at(i, j+1):
			i++
		default:
			j++
		}
	}
	add(si, n, sj, m)
	return out
}
