package engine

import (
	"slices"
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/match"
)

// primaryKey stands for the primary keys where the number of a clause is
// asked for.
const primaryKey = -1

// sweepSources are the texts beside the chat in the order in which they follow
// it in the searched text.
var sweepSources = []lore.Source{
	lore.SourcePersona, lore.SourceDescription, lore.SourcePersonality, lore.SourceDepthPrompt,
	lore.SourceScenario, lore.SourceCreatorNotes, lore.SourceMemory, lore.SourceAuthorsNote,
}

// sourceMask is a set of sweepSources.
type sourceMask uint16

func sourceBit(s lore.Source) sourceMask {
	if i := slices.Index(sweepSources, s); i >= 0 {
		return 1 << i
	}
	return 0
}

// sweepUnit is one text of a recursive scan.
type sweepUnit struct {
	*unit
	// place is the index in searcher.chat, -1 for other texts; age counts
	// messages from the newest.
	place, age int
	source     sourceMask
	recursed   bool
	// parts are the entries whose texts a recursed text is made of, and ends
	// where each ends.
	parts []EntryRef
	ends  []int
}

// locate says where an occurrence in a text stands.
func (u *sweepUnit) locate(h *KeyHit, start, end int) {
	u.unit.place(h, start, end)
	for i, e := range u.ends {
		if start < e {
			h.Source = "entry " + u.parts[i].String()
			if end > e {
				h.Start, h.End = -1, -1
			} else if i > 0 {
				h.Start, h.End = start-u.ends[i-1]-1, end-u.ends[i-1]-1
			}
			return
		}
	}
}

// sweepWindow is the part of the texts that an entry is searched in.
type sweepWindow struct {
	window
	sources  sourceMask
	recursed bool
	// empty sees nothing at all.
	empty bool
}

// sees reports whether a text is part of the window.
func (w *sweepWindow) sees(u *sweepUnit) bool {
	switch {
	case w.empty:
		return false
	case u.place >= 0:
		return u.age < w.depth
	case u.recursed:
		return w.recursed
	case u.source != 0:
		return w.sources&u.source != 0
	}
	return true // a text that is always searched
}

// literalID names a literal of a segment's automata.
type literalID struct {
	seg *Segment
	set int8
	id  int32
}

type sweepHit struct {
	unit int
	textHit
}

// sweepHits are the occurrences of a literal, at most one in each text.
type sweepHits struct {
	first sweepHit
	more  []sweepHit
}

// sweepTexts finds keys in the texts of a recursive scan. Texts are added while
// the scan goes on: older messages as the scan looks deeper, and the contents
// of what was found.
type sweepTexts struct {
	a    *assembly
	s    *searcher
	segs []*Segment
	// books are the numbers of the books that the segments belong to.
	books []int

	units    []*sweepUnit
	messages int // of the chat that are among the units
	found    map[literalID]sweepHits
	// touched are the entries with a key in what was added last.
	touched  []touch
	blocks   []int // units of recursed texts, the newest first
	windows  map[sweepWindow]*windowText
	folds    map[windowFold]*match.Folded
	compiled map[dynamicKey]*key
	keyTexts map[*lore.Key]string
}

// touch is an entry with a key in the texts.
type touch struct {
	book  int
	entry *entry
}

// windowText is the whole text of a window, and which unit stands where behind
// the chat.
type windowText struct {
	text  string
	spans []textSpan
}

type textSpan struct{ unit, start int }

type windowFold struct {
	window sweepWindow
	fold   match.Fold
}

// dynamicKey is a key whose text is known only now: it holds macros or blanks
// at its ends.
type dynamicKey struct {
	text  string
	js    bool
	flags string
	rule  keyRule
}

func newSweepTexts(a *assembly, d *domain) *sweepTexts {
	t := &sweepTexts{
		a: a, s: a.searcher(d.policy.Join),
		found:   map[literalID]sweepHits{},
		windows: map[sweepWindow]*windowText{}, folds: map[windowFold]*match.Folded{}, compiled: map[dynamicKey]*key{},
	}
	depth := 0
	for i, v := range d.views {
		v.segments(func(s *Segment) bool {
			t.segs, t.books = append(t.segs, s), append(t.books, i)
			depth = max(depth, s.depth)
			return true
		})
	}
	t.deepen(depth)
	for _, src := range sweepSources {
		if u := t.s.extra[src]; u != nil {
			t.add(&sweepUnit{unit: u, place: -1, source: sourceBit(src)})
		}
	}
	for _, text := range a.in.Injects {
		if text != "" && d.policy.ScanTogether {
			t.add(&sweepUnit{unit: &unit{text: text, message: -1, source: "inject", length: len(text)}, place: -1})
		}
	}
	return t
}

// deepen adds messages until the newest n are there.
func (t *sweepTexts) deepen(n int) {
	for n = min(n, t.s.messages()); t.messages < n; t.messages++ {
		i := t.s.index(t.messages)
		t.add(&sweepUnit{unit: &t.s.chat[i], place: i, age: t.messages})
	}
}

// recursedText is what a sweep found, as the next one searches it.
type recursedText struct {
	from EntryRef
	text string
}

// recurse adds the texts of what a sweep found, as one block.
func (t *sweepTexts) recurse(parts []recursedText) {
	var b strings.Builder
	u := &sweepUnit{place: -1, recursed: true}
	for i, p := range parts {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(p.text)
		u.parts, u.ends = append(u.parts, p.from), append(u.ends, b.Len())
	}
	if b.Len() == 0 {
		return
	}
	text := b.String()
	u.unit = &unit{text: text, message: -1, source: "entries", length: len(text), hash: hashText(text)}
	t.blocks = append([]int{len(t.units)}, t.blocks...)
	t.add(u)
	clear(t.windows)
	clear(t.folds)
}

func (t *sweepTexts) add(u *sweepUnit) {
	n := len(t.units)
	t.units = append(t.units, u)
	for s, seg := range t.segs {
		for i, set := range seg.sets {
			for _, h := range t.s.searchUnit(seg, i, set, u.unit, u.place).hits {
				id := literalID{seg, int8(i), h.id}
				if hits, seen := t.found[id]; seen {
					hits.more = append(hits.more, sweepHit{n, h})
					t.found[id] = hits
					continue
				}
				t.found[id] = sweepHits{first: sweepHit{n, h}}
				for _, r := range set.of(h.id) {
					t.touched = append(t.touched, touch{t.books[s], seg.entries[r]})
				}
			}
		}
	}
}

// recursed reports whether there is text of entries.
func (t *sweepTexts) recursed() bool { return len(t.blocks) > 0 }

// recursedText is the text of entries as the budget counts it.
func (t *sweepTexts) recursedText() string {
	var b strings.Builder
	for _, n := range t.blocks {
		b.WriteString(t.units[n].text)
		b.WriteByte('\n')
	}
	return b.String()
}

// text returns the whole text of a window.
func (t *sweepTexts) text(w sweepWindow) *windowText {
	if w.empty {
		return &windowText{}
	}
	if text, ok := t.windows[w]; ok {
		return text
	}
	out := &windowText{}
	text := t.s.text(w.window)
	if text == "" {
		text = t.s.join.Lead
	}
	var b strings.Builder
	b.WriteString(text)
	write := func(n int) {
		if b.Len() > 0 {
			b.WriteString(t.s.join.Separator)
		}
		out.spans = append(out.spans, textSpan{n, b.Len()})
		b.WriteString(t.units[n].text)
	}
	for n, u := range t.units {
		if u.place < 0 && !u.recursed && w.sees(u) {
			write(n)
		}
	}
	if w.recursed {
		for _, n := range t.blocks {
			write(n)
		}
	}
	out.text = b.String()
	t.windows[w] = out
	return out
}

// fold returns the folded text of a window.
func (t *sweepTexts) fold(w sweepWindow, rule match.Fold) *match.Folded {
	k := windowFold{w, rule}
	f := t.folds[k]
	if f == nil {
		folded := rule.Fold(t.text(w).text)
		f = &folded
		t.folds[k] = f
	}
	return f
}

// keyOf returns a key of an entry, compiled and as the file has it.
func keyOf(e *entry, clause, i int) (*key, *lore.Key) {
	if clause == primaryKey {
		return &e.keys[i], &e.Keys[i]
	}
	return &e.clauses[clause].keys[i], &e.Clauses[clause].Keys[i]
}

// blank reports whether nothing is left of a key when its macros are replaced
// and its ends trimmed.
func (t *sweepTexts) blank(e *entry, clause, i int) bool {
	_, k := keyOf(e, clause, i)
	if !e.tavernKeys() {
		return false
	}
	return k.Kind != lore.KeyJS && k.Kind != lore.KeyRE2 && match.TrimJS(t.keyText(e, k)) == ""
}

// keyText returns the text of a key with its macros resolved, once in a scan.
func (t *sweepTexts) keyText(e *entry, k *lore.Key) string {
	if !e.dynamic(k) {
		return k.Text
	}
	text, ok := t.keyTexts[k]
	if !ok {
		text, _ = t.a.expand(t.a.viewOf(e), e, content{text: k.Text, lang: language(&e.seg.book.Policy)})
		if t.keyTexts == nil {
			t.keyTexts = map[*lore.Key]string{}
		}
		t.keyTexts[k] = text
	}
	return text
}

// find looks for a key in a window. A raw key is taken as it is written,
// without macros and with its blanks.
func (t *sweepTexts) find(e *entry, clause, i int, w sweepWindow, raw, faithful bool) (KeyHit, bool) {
	k, src := keyOf(e, clause, i)
	if e.dynamic(src) {
		text := src.Text
		if !raw {
			if text = t.keyText(e, src); text == "" {
				return KeyHit{}, false
			}
			if src.Kind != lore.KeyJS {
				text = match.TrimJS(text)
			}
		}
		if text == "" || !faithful && match.TrimJS(text) == "" {
			if !faithful {
				return KeyHit{}, false
			}
			return KeyHit{Key: src.Text, Message: -1, Start: -1, End: -1, Rule: "blank"}, true
		}
		k = t.compile(e, src, text)
	}
	if k.lit == nil && k.re == nil {
		return KeyHit{}, false
	}
	out := KeyHit{Key: src.Text, Message: -1, Start: -1, End: -1, Rule: k.rule()}
	if len(k.ids) > 0 && !k.seamy {
		hit, ok := t.proposed(e.seg, k, &w)
		if !ok {
			return KeyHit{}, false
		}
		if k.re == nil && w.chars == 0 && len(k.ids) == 1 {
			t.units[hit.unit].locate(&out, int(hit.start), int(hit.end))
			return out, true
		}
	}
	if k.re == nil {
		hit, ok := k.lit.FindFolded(t.fold(w, k.lit.Fold()))
		if ok {
			t.place(&out, w, hit)
		}
		return out, ok
	}
	hit, ok, err := k.re.Match(t.text(w).text, t.s.budget)
	if err != nil {
		t.s.report(e, k, err)
	}
	if !ok || err != nil {
		return KeyHit{}, false
	}
	t.place(&out, w, hit)
	return out, true
}

// place says where a match in the text of a window stands.
func (t *sweepTexts) place(out *KeyHit, w sweepWindow, hit match.Hit) {
	text := t.text(w)
	for i := len(text.spans) - 1; i >= 0; i-- {
		if span := text.spans[i]; hit.Start >= span.start {
			if u := t.units[span.unit]; hit.End <= span.start+len(u.text) {
				u.locate(out, hit.Start-span.start, hit.End-span.start)
			}
			return
		}
	}
	if w.chars == 0 {
		t.s.placeText(out, window{depth: w.depth}, hit)
	}
}

// proposed returns an occurrence of one of a key's literals in a window.
func (t *sweepTexts) proposed(seg *Segment, k *key, w *sweepWindow) (sweepHit, bool) {
	for _, id := range k.ids {
		hits, ok := t.found[literalID{seg, k.set, id}]
		if !ok {
			continue
		}
		if w.sees(t.units[hits.first.unit]) {
			return hits.first, true
		}
		for _, h := range hits.more {
			if w.sees(t.units[h.unit]) {
				return h, true
			}
		}
	}
	return sweepHit{}, false
}

// compile compiles a key whose text is known only now. A text of the form
// /pattern/flags has become an expression.
func (t *sweepTexts) compile(e *entry, src *lore.Key, text string) *key {
	d := dynamicKey{text: text, js: src.Kind == lore.KeyJS, flags: src.Flags, rule: comparison(e.seg.book, e.Entry)}
	if k := t.compiled[d]; k != nil {
		return k
	}
	k := &key{text: text, kind: src.Kind}
	pattern, flags, js := text, src.Flags, d.js
	if !js {
		pattern, flags, js = match.SplitJSKey(text)
	}
	var err error
	switch {
	case js:
		k.kind = lore.KeyJS
		k.re, err = match.CompileJS(pattern, flags, match.RegexOptions{})
	case src.Kind == lore.KeyRE2:
		k.re, err = match.CompileRE2(text, match.RegexOptions{})
	default:
		k.lit, err = match.CompileKey(text, d.rule.fold, d.rule.words)
	}
	if err != nil {
		k.re, k.lit = nil, nil
		t.a.problem(t.a.viewOf(e), e, "regex", "the key "+quote(text)+" is not used: "+err.Error(), err)
	}
	t.compiled[d] = k
	return k
}
