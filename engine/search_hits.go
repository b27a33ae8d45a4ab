package engine

import (
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/match"
)

// segmentHits is what the automata of a segment propose in the texts of an
// assembly: for each literal the occurrence that the shallowest window sees.
type segmentHits struct {
	chat  []map[int32]foundHit // by keyset
	extra []map[extraKey]textHit
}

type extraKey struct {
	source lore.Source
	id     int32
}

// foundHit is an occurrence in the chat.
type foundHit struct {
	// age is the greatest age of a message that a window must hold to see it.
	age int32
	// unit is where it begins; last the number of texts it reaches on.
	unit int32
	textHit
}

// hits searches the texts for the keys of a segment, once in an assembly.
func (s *searcher) hits(seg *Segment) *segmentHits {
	if h := s.found[seg]; h != nil {
		return h
	}
	h := &segmentHits{chat: make([]map[int32]foundHit, len(seg.sets)), extra: make([]map[extraKey]textHit, len(seg.sets))}
	depth := min(seg.depth, len(s.chat))
	if s.wide {
		depth = len(s.chat)
	}
	for n, set := range seg.sets {
		h.chat[n] = s.searchChat(seg, n, set, depth)
		for _, src := range seg.sources {
			u := s.extra[src]
			if u == nil {
				continue
			}
			if h.extra[n] == nil {
				h.extra[n] = make(map[extraKey]textHit)
			}
			for _, t := range s.searchUnit(seg, n, set, u, -1).hits {
				h.extra[n][extraKey{src, t.id}] = t
			}
		}
	}
	s.found[seg] = h
	return h
}

// searchChat goes through the messages from the newest to the oldest, so that
// the first occurrence that is noted is the one that the shallowest window
// sees.
func (s *searcher) searchChat(seg *Segment, n int, set *keyset, depth int) map[int32]foundHit {
	out := make(map[int32]foundHit)
	records := make([]*textHits, depth) // by age
	for age := range depth {
		records[age] = s.searchUnit(seg, n, set, &s.chat[s.index(age)], s.index(age))
	}
	for age := range depth {
		i := s.index(age)
		for _, t := range records[age].hits {
			if _, seen := out[t.id]; !seen {
				out[t.id] = foundHit{age: int32(age), unit: int32(i), textHit: t}
			}
		}
		if set.seam == nil {
			continue
		}
		// The seam between this message and the next older one.
		before := i
		if !s.join.NewestFirst {
			before = i - 1 // the older one comes first in the text
		}
		if age+1 >= depth {
			continue
		}
		for _, t := range s.searchSeam(seg, n, set, before, depth, records) {
			oldest := s.age(before + int(t.first))
			if s.join.NewestFirst {
				oldest = s.age(before + int(t.last))
			}
			if old, seen := out[t.id]; !seen || int(old.age) > oldest {
				out[t.id] = foundHit{age: int32(oldest), unit: int32(before), textHit: t}
			}
		}
	}
	return out
}

// age is the inverse of index.
func (s *searcher) age(i int) int { return s.index(i) }

// searchUnit returns what occurs in one text. i is its place in the chat, -1
// for a text beside it.
func (s *searcher) searchUnit(seg *Segment, n int, set *keyset, u *unit, i int) *textHits {
	k := cacheKey{serial: seg.serial, set: int8(n), hash: u.sum()}
	if h := s.cache.get(k); h != nil {
		return h
	}
	f := s.fold(set.fold, u, i)
	verify := func(id, start, end int) bool {
		if key := set.keys[id]; key != nil {
			_, ok := key.Verify(f, start, end)
			return ok
		}
		return true
	}
	set.auto.ScanSet(f.Text, s.set, verify)
	h := &textHits{folded: int32(len(f.Text))}
	for _, sh := range s.set.Hits() {
		var hit match.Hit
		if key := set.keys[sh.Pattern]; key != nil {
			hit, _ = key.Verify(f, sh.Start, sh.End)
		} else {
			hit.Start, hit.End = f.Original(sh.Start, sh.End)
		}
		h.hits = append(h.hits, textHit{id: int32(sh.Pattern), start: int32(hit.Start), end: int32(hit.End)})
	}
	s.cache.set(k, h)
	return h
}

// searchSeam returns the occurrences that begin in the text before, or in the
// separator behind it, and reach over that seam. before is its place in the
// chat; records are by age, depth of them.
func (s *searcher) searchSeam(seg *Segment, n int, set *keyset, before, depth int, records []*textHits) []textHit {
	_, end := s.span(depth)
	// As many texts behind as the longest key can reach.
	sep := set.sep
	reach := set.seam.MaxPatternLen()
	last := before
	for last+1 < end && reach > 0 {
		last++
		reach -= len(sep) + int(records[s.age(last)].folded)
	}
	hashes := make([]hash128, 0, 4)
	for i := before; i <= last; i++ {
		hashes = append(hashes, s.chat[i].sum())
	}
	k := cacheKey{serial: seg.serial, set: int8(n), seam: true, hash: hashSeam(hashes)}
	if h := s.cache.get(k); h != nil {
		return h.hits
	}
	folded := make([]match.Folded, 0, len(hashes))
	texts := make([]string, 0, len(hashes))
	for i := before; i <= last; i++ {
		f := s.fold(set.fold, &s.chat[i], i)
		folded = append(folded, *f)
		texts = append(texts, f.Text)
	}
	h := &textHits{}
	seen := make(map[int32]bool)
	set.seam.ScanSeams(texts, sep, func(sh match.SeamHit) bool {
		if sh.First != 0 {
			return true
		}
		id := set.seamIDs[sh.Pattern]
		if seen[id] {
			return true
		}
		t := textHit{id: id, first: int32(sh.First), last: int32(sh.Last), start: -1, end: -1}
		if sh.End > len(texts[sh.Last]) {
			t.last++ // it ends in the separator, which is there only before another text
		}
		if key := set.keys[id]; key != nil {
			sh.Pattern = int(id)
			hit, ok := key.VerifySeam(folded, sep, sh)
			if !ok {
				return true
			}
			t.start, t.end = int32(hit.Start), int32(hit.End)
		}
		seen[id] = true
		h.hits = append(h.hits, t)
		return true
	})
	s.cache.set(k, h)
	return h.hits
}

// fold folds a text, once for each rule. i is its place in the chat, or -1.
func (s *searcher) fold(rule match.Fold, u *unit, i int) *match.Folded {
	if i < 0 {
		f := rule.Fold(u.text)
		return &f
	}
	k := foldedKey{rule, i}
	if f := s.folded[k]; f != nil {
		return f
	}
	f := rule.Fold(u.text)
	if s.folded == nil {
		s.folded = make(map[foldedKey]*match.Folded)
	}
	s.folded[k] = &f
	return &f
}

// key looks for a key of an entry in a window.
func (s *searcher) key(e *entry, k *key, w window) (KeyHit, bool) {
	if k.lit == nil && k.re == nil {
		return KeyHit{}, false
	}
	if len(k.ids) > 0 && !s.proposed(e.seg, k, w) {
		return KeyHit{}, false
	}
	out := KeyHit{Key: k.text, Message: -1, Start: -1, End: -1, Rule: k.rule()}
	if k.re == nil && len(k.ids) == 1 && w.chars == 0 {
		h := s.hits(e.seg)
		if f, ok := h.chat[k.set][k.ids[0]]; ok && int(f.age) < w.depth {
			s.placeChat(&out, f)
			return out, true
		}
		for _, src := range splitSources(w.sources) {
			if t, ok := h.extra[k.set][extraKey{src, k.ids[0]}]; ok {
				s.extra[src].place(&out, int(t.start), int(t.end))
				return out, true
			}
		}
	}
	if k.re == nil && w.chars == 0 && len(k.ids) > 0 && !(k.seamy && w.sources != "") {
		return KeyHit{}, false
	}
	text := s.text(w)
	var hit match.Hit
	var ok bool
	if k.re != nil {
		var err error
		if hit, ok, err = k.re.Match(text, s.budget); err != nil {
			if s.report != nil {
				s.report(e, k, err)
			}
			return KeyHit{}, false
		}
	} else {
		hit, ok = k.lit.Find(text)
	}
	if !ok {
		return KeyHit{}, false
	}
	s.placeText(&out, w, hit)
	return out, true
}

// proposed reports whether one of a key's literals occurs in the window.
func (s *searcher) proposed(seg *Segment, k *key, w window) bool {
	h := s.hits(seg)
	for _, id := range k.ids {
		if f, ok := h.chat[k.set][id]; ok && int(f.age) < w.depth {
			return true
		}
		for _, src := range splitSources(w.sources) {
			if _, ok := h.extra[k.set][extraKey{src, id}]; ok {
				return true
			}
		}
	}
	// A literal may lie over the seam to a text beside the chat, where no
	// automaton looks.
	return k.seamy && w.sources != ""
}

func splitSources(s string) []lore.Source {
	if s == "" {
		return nil
	}
	var out []lore.Source
	for _, name := range strings.Split(s, ",") {
		out = append(out, lore.Source(name))
	}
	return out
}

// placeChat says where an occurrence stands.
func (s *searcher) placeChat(out *KeyHit, f foundHit) {
	if f.first == 0 && f.last == 0 {
		s.chat[f.unit].place(out, int(f.start), int(f.end))
		return
	}
	// Over a seam: name the newest message that it touches.
	newest := int(f.unit) + int(f.last)
	if s.join.NewestFirst {
		newest = int(f.unit)
	}
	out.Message = s.chat[newest].message
}

// placeText says where a match in the joined text of a window stands.
func (s *searcher) placeText(out *KeyHit, w window, hit match.Hit) {
	if w.chars > 0 || w.sources != "" {
		return // not counted back into the messages
	}
	lo, hi := s.span(w.depth)
	at := len(s.join.Lead)
	for i := lo; i < hi; i++ {
		n := len(s.chat[i].text)
		if hit.Start >= at && hit.Start <= at+n {
			if hit.End <= at+n {
				s.chat[i].place(out, hit.Start-at, hit.End-at)
			} else {
				out.Message = s.chat[i].message
			}
			return
		}
		at += n + len(s.join.Separator)
	}
}
