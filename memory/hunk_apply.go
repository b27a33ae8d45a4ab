package memory

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// splice is a replacement of text[start:end].
type splice struct {
	start, end int
	text       string
	hunk       int
}

// patchText applies hunks to a text. Each is looked for in the text as it was;
// those whose place is not there or not certain are returned in lost, and the
// rest is applied. With dedup, sentences of pure additions that stand in the
// text, or in known, are left out; without, only those of a hunk that says
// nothing about its place.
func patchText(text string, hunks []Hunk, dedup bool, known map[string]bool) (out string, lost []int) {
	t := newTarget(text)
	var splices []splice
	for i, h := range hunks {
		if h.Old == "" && (dedup || h.Before == "" && h.After == "") {
			if h.New = t.fresh(h.New, known, dedup); h.New == "" {
				continue
			}
		}
		s, found := t.locate(h)
		switch {
		case !found:
			lost = append(lost, i)
		case s.start == s.end && s.text == "": // applied before
		default:
			s.hunk = i
			splices = append(splices, s)
		}
	}
	slices.SortStableFunc(splices, func(a, b splice) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.end, b.end)) })
	var b strings.Builder
	at := 0
	for _, s := range splices {
		if s.start < at {
			lost = append(lost, s.hunk) // another hunk took its place
			continue
		}
		b.WriteString(text[at:s.start])
		b.WriteString(s.text)
		at = s.end
	}
	b.WriteString(text[at:])
	slices.Sort(lost)
	return b.String(), lost
}

// target is a text into which hunks are put.
type target struct {
	text string
	toks []string
	pos  []int
	set  map[string]bool
}

func newTarget(text string) *target {
	t := &target{text: text, toks: tokens(text)}
	t.pos = positions(t.toks)
	return t
}

// known returns the keys of the text's sentences.
func (t *target) known() map[string]bool {
	if t.set == nil {
		t.set = sentenceSetOf(t.toks)
	}
	return t.set
}

// fresh returns the sentences of add that do not stand in the text yet, with
// the white space before them. With inside, a sentence that add repeats is
// taken once.
func (t *target) fresh(add string, known map[string]bool, inside bool) string {
	t.known()
	var b strings.Builder
	seen := map[string]bool{}
	gap, dropped, tail := "", false, ""
	for _, tok := range tokens(add) {
		if isGap(tok) {
			gap, tail = tok, tok
			continue
		}
		tail = ""
		key := sentenceKey(tok)
		if t.set[key] || known[key] || inside && seen[key] {
			dropped = true
			continue
		}
		seen[key] = true
		b.WriteString(gap)
		b.WriteString(tok)
		gap = ""
	}
	if !dropped {
		return add
	}
	if b.Len() > 0 {
		b.WriteString(tail)
	}
	return b.String()
}

// locate finds the place of a hunk. A hunk that was applied already is found
// as an empty splice.
func (t *target) locate(h Hunk) (splice, bool) {
	was := h.Before + h.Old + h.After
	if at := occurrences(t.text, t.pos, was, h, 2); len(at) == 1 {
		start := at[0] + len(h.Before)
		return splice{start: start, end: start + len(h.Old), text: h.New}, true
	}
	if len(occurrences(t.text, t.pos, h.Before+h.New+h.After, h, 1)) > 0 {
		return splice{}, true
	}
	if was == "" {
		return t.insert(len(t.text), h.New), true
	}
	if h.Old == "" {
		return t.locateInsertion(h)
	}
	return t.locateOld(h)
}

// locateInsertion finds the place of an addition by the nearest sentence of
// its context, or, if it was made at the end, there.
func (t *target) locateInsertion(h Hunk) (splice, bool) {
	if core := strings.TrimSpace(h.New); core != "" && len(find(t.text, t.pos, core, 1)) > 0 {
		return splice{}, true
	}
	if last := edgeSentence(h.Before, true); last != "" {
		if at := find(t.text, t.pos, last, 2); len(at) == 1 {
			return t.insert(at[0]+len(last), h.New), true
		}
	}
	if first := edgeSentence(h.After, false); first != "" {
		if at := find(t.text, t.pos, first, 2); len(at) == 1 {
			return t.insert(at[0], h.New), true
		}
	}
	switch {
	case h.After == "":
		return t.insert(len(t.text), h.New), true
	case h.Before == "":
		return t.insert(0, h.New), true
	}
	return splice{}, false
}

// locateOld finds the place of a replacement or deletion by the sentences that
// it replaces.
func (t *target) locateOld(h Hunk) (splice, bool) {
	old, to := h.Old, h.New
	at := t.choose(find(t.text, t.pos, old, len(t.pos)), old, h)
	if at < 0 {
		old, to = strings.TrimSpace(h.Old), strings.TrimSpace(h.New)
		if old == "" {
			return splice{}, false
		}
		at = t.choose(find(t.text, t.pos, old, len(t.pos)), old, h)
	}
	if at >= 0 {
		start, end := at, at+len(old)
		if to == "" && old != h.Old { // a deletion takes a space with it
			if n := gapLen(t.text[end:]); n > 0 && start > 0 {
				end += n
			} else if start > 0 {
				start = len(strings.TrimRightFunc(t.text[:start], unicode.IsSpace))
			} else {
				end += n
			}
		}
		return splice{start: start, end: end, text: to}, true
	}
	if to = strings.TrimSpace(h.New); to != "" && len(find(t.text, t.pos, to, 1)) > 0 && len(find(t.text, t.pos, strings.TrimSpace(h.Old), 1)) == 0 {
		return splice{}, true
	}
	return splice{}, false
}

// choose returns the offset that is meant: the only one, or the only one beside
// which a sentence of the context stands; else -1.
func (t *target) choose(at []int, part string, h Hunk) int {
	if len(at) == 1 {
		return at[0]
	}
	before, after := edgeSentence(h.Before, true), edgeSentence(h.After, false)
	found := -1
	for _, p := range at {
		left := strings.TrimRightFunc(t.text[:p], unicode.IsSpace)
		right := strings.TrimLeftFunc(t.text[p+len(part):], unicode.IsSpace)
		if before != "" && strings.HasSuffix(left, before) || after != "" && strings.HasPrefix(right, after) ||
			h.Before == "" && left == "" || h.After == "" && right == "" {
			if found >= 0 {
				return -1
			}
			found = p
		}
	}
	return found
}

// edgeSentence returns the last (or first) sentence of a text.
func edgeSentence(text string, last bool) string {
	toks := tokens(text)
	if last {
		slices.Reverse(toks)
	}
	for _, tok := range toks {
		if !isGap(tok) {
			return tok
		}
	}
	return ""
}

// insert returns the splice that puts a text at an offset, with white space
// between it and its neighbours where their script puts some.
func (t *target) insert(at int, add string) splice {
	before, after := t.text[:at], t.text[at:]
	head, tail := "", ""
	if before != "" && add != "" && needsSpace(before, add) {
		head = t.gap()
	}
	if after != "" && add != "" && needsSpace(add, after) {
		tail = t.gap()
	}
	if before == "" {
		add = strings.TrimLeftFunc(add, unicode.IsSpace)
	}
	return splice{start: at, end: at, text: head + add + tail}
}

// needsSpace reports whether two texts need white space between them.
func needsSpace(left, right string) bool {
	l, _ := utf8.DecodeLastRuneInString(left)
	r, _ := utf8.DecodeRuneInString(right)
	return !unicode.IsSpace(l) && !unicode.IsSpace(r) && !endsAlways(l) && !strings.ContainsRune("」』】》", l)
}

// gap returns what the text puts between sentences.
func (t *target) gap() string {
	for i := len(t.toks) - 2; i > 0; i-- {
		if isGap(t.toks[i]) {
			return t.toks[i]
		}
	}
	return " "
}
