package resolve

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Index holds known things for many decisions. It is immutable and safe for
// concurrent use; With and Without return changed copies that share what they
// can. A decision equals that of [Decide] over the same things, up to the
// limits MaxRelated and, in what a trace mentions, of near misses.
type Index struct {
	// segments hold the things, from old to new; each is at least as large as
	// those behind it together, so that there are few of them and a thing is
	// indexed again only as often.
	segments []segmentView
	live     int
}

// MaxRelated is how many known things that share words with a candidate are
// looked at. More of them, of one word, are ambiguous whatever they are.
const MaxRelated = 512

// segmentView is a segment of which some things are gone.
type segmentView struct {
	*segment
	dead map[int32]bool // by thing; never changed once shared
}

// segment is an immutable part of an index.
type segment struct {
	things []*read
	ids    map[string]int32
	// names of all things, one after the other.
	owner []int32 // the thing of a name
	name  []*name
	// byKey finds names by the hash of their core, and by that of the words of
	// their core. byTrigram finds names by trigram.
	byKey     postings
	byWord    postings
	byTrigram gramPostings
	sizes     []uint16 // trigrams of each name
	scratch   sync.Pool
}

// NewIndex returns an index of the things. Of two with one ID the later
// replaces the earlier; things without ID are kept each.
func NewIndex(things []Thing) *Index {
	return (&Index{}).With(things...)
}

// Len returns the number of things.
func (x *Index) Len() int { return x.live }

// With returns an index that holds the things too, in place of those with the
// same ID.
func (x *Index) With(things ...Thing) *Index {
	if len(things) == 0 {
		return x
	}
	ids := make(map[string]int, len(things))
	last := things
	for i, t := range things {
		if t.ID != "" {
			ids[t.ID] = i
		}
	}
	if len(ids) < len(things) { // some have no id, or one that comes again
		last = make([]Thing, 0, len(things))
		for i, t := range things {
			if t.ID == "" || ids[t.ID] == i {
				last = append(last, t)
			}
		}
	}
	fresh := readThings(last)
	y := x
	if x.live > 0 {
		gone := make([]string, 0, len(ids))
		for id := range ids {
			gone = append(gone, id)
		}
		y = x.Without(gone...)
	}
	return y.append(fresh)
}

// append adds things with new ids, and merges the segments that became too
// small to stand alone.
func (x *Index) append(fresh []*read) *Index {
	segments := slices.Clone(x.segments)
	for len(segments) > 0 {
		last := segments[len(segments)-1]
		if len(last.things)-len(last.dead) > len(fresh)*2 {
			break
		}
		fresh = append(last.alive(), fresh...)
		segments = segments[:len(segments)-1]
	}
	y := &Index{segments: append(segments, segmentView{segment: newSegment(fresh)})}
	for _, s := range y.segments {
		y.live += len(s.things) - len(s.dead)
	}
	return y
}

// Without returns an index without the things of these ids.
func (x *Index) Without(ids ...string) *Index {
	var y *Index
	for i, s := range x.segments {
		var dead map[int32]bool
		for _, id := range ids {
			t, ok := s.ids[id]
			if !ok || s.dead[t] || dead[t] {
				continue
			}
			if dead == nil {
				dead = make(map[int32]bool, len(s.dead)+1)
				for t := range s.dead {
					dead[t] = true
				}
			}
			dead[t] = true
		}
		if dead == nil {
			continue
		}
		if y == nil {
			y = &Index{segments: slices.Clone(x.segments), live: x.live}
		}
		y.live -= len(dead) - len(s.dead)
		y.segments[i].dead = dead
		// A segment that is mostly gone is built anew.
		if len(dead) > 16 && len(dead)*2 > len(s.things) {
			y.segments[i] = segmentView{segment: newSegment(y.segments[i].alive())}
		}
	}
	if y == nil {
		return x
	}
	return y
}

func (s segmentView) alive() []*read {
	out := make([]*read, 0, len(s.things)-len(s.dead))
	for i, t := range s.things {
		if !s.dead[int32(i)] {
			out = append(out, t)
		}
	}
	return out
}

// Thing returns the thing with this id.
func (x *Index) Thing(id string) (Thing, bool) {
	for _, s := range x.segments {
		if t, ok := s.ids[id]; ok && !s.dead[t] {
			return s.things[t].Thing, true
		}
	}
	return Thing{}, false
}

// Decide finds out which of the things of the index the candidate is.
func (x *Index) Decide(candidate Thing, opts Options) Decision {
	if candidate.ID != "" {
		if _, ok := x.Thing(candidate.ID); ok {
			return sameID(candidate.ID)
		}
	}
	return decide(readThing(candidate), x, opts)
}

// Match is a known thing whose name is like a text.
type Match struct {
	ID         string
	Name       string // the name or alias that is like it
	Similarity float64
}

// Similar returns the things with a name or alias whose [Similarity] to the
// text, normal forms compared, is at least threshold, best first, at most
// limit of them (all if limit is 0).
func (x *Index) Similar(text string, threshold float64, limit int) []Match {
	var out []Match
	for _, s := range x.segments {
		for _, m := range s.similar(parse(text, object).full, threshold) {
			t := s.things[m.thing]
			out = append(out, Match{ID: t.ID, Name: s.name[m.name].raw, Similarity: m.score})
		}
	}
	slices.SortFunc(out, func(a, b Match) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), strings.Compare(a.ID, b.ID), strings.Compare(a.Name, b.Name))
	})
	if limit > 0 && len(out) > limit {
		out = out[:limit]
	}
	return out
}

func newSegment(things []*read) *segment {
	s := &segment{things: things, ids: make(map[string]int32, len(things))}
	n := 0
	for _, t := range things {
		n += len(t.names)
	}
	s.owner = make([]int32, 0, n)
	s.name = make([]*name, 0, n)
	s.sizes = make([]uint16, 0, n)
	keys := newPostingsBuilder(n, n+n/4)
	words := newPostingsBuilder(n, 3*n)
	grams := newGramBuilder(16 * n)
	buf := make([]trigram, 0, 128)
	hashes := make([]uint64, 0, 4)
	for i, t := range things {
		if t.ID != "" {
			s.ids[t.ID] = int32(i)
		}
		for _, nm := range t.names {
			id := int32(len(s.name))
			s.owner = append(s.owner, int32(i))
			s.name = append(s.name, nm)
			hashes = nm.keys(hashes[:0])
			for _, k := range hashes {
				keys.add(k, id)
			}
			for j, w := range nm.core {
				if !slices.Contains(nm.core[:j], w) {
					words.add(hash(w), id)
				}
			}
			for _, k := range nm.nouns {
				words.add(hash("of kind "+k.kind), id)
			}
			if nm.bare != nil {
				words.add(hash("bare kind "+nm.bare.kind), id)
			}
			buf = appendTrigrams(buf[:0], nm.full)
			s.sizes = append(s.sizes, uint16(min(len(buf), 1<<16-1)))
			for _, g := range buf {
				grams.add(g, id)
			}
		}
	}
	s.byKey, s.byWord, s.byTrigram = keys.build(), words.build(), grams.build()
	return s
}

// keys appends the hashes under which equal names are found.
func (n *name) keys(dst []uint64) []uint64 {
	dst = append(dst, hash(n.joined))
	if len(n.core) != 1 || n.full != n.joined {
		dst = append(dst, hash(n.full)^1)
	}
	if n.spelled != "" {
		dst = append(dst, hash(n.spelled))
	}
	return dst
}

// counts is a counter for each name, with the names that were counted.
type counts struct {
	n       []uint16
	touched []int32
}

func (s *segment) counter() *counts {
	c, _ := s.scratch.Get().(*counts)
	if c == nil {
		c = &counts{n: make([]uint16, len(s.name))}
	}
	return c
}

func (s *segment) release(c *counts) {
	for _, t := range c.touched {
		c.n[t] = 0
	}
	c.touched = c.touched[:0]
	s.scratch.Put(c)
}

func (c *counts) add(list []int32) {
	for _, n := range list {
		if c.n[n] == 0 {
			c.touched = append(c.touched, n)
		}
		c.n[n]++
	}
}

func (x *Index) equal(c *read) []*read   { return x.find(c, segmentView.equal) }
func (x *Index) sharing(c *read) []*read { return x.find(c, segmentView.sharing) }
func (x *Index) slips(c *read) []*read   { return x.find(c, segmentView.slips) }

// find gathers the live things whose names are found for a name of c, at most
// MaxRelated.
func (x *Index) find(c *read, names func(s segmentView, n *name, add func(int32))) []*read {
	var out []*read
	seen := map[*read]bool{}
	for _, s := range x.segments {
		for _, n := range c.names {
			names(s, n, func(id int32) {
				t := s.owner[id]
				if r := s.things[t]; len(out) < MaxRelated && !s.dead[t] && !seen[r] {
					seen[r] = true
					out = append(out, r)
				}
			})
		}
	}
	return out
}

func (x *Index) nearest(c *read, k int) []nearMiss {
	top := make([]nearMiss, 0, k+1)
	for _, s := range x.segments {
		s.nearest(trigrams(c.names[0].full), func(t int32, score float64) {
			if len(top) == k && score < top[k-1].score {
				return
			}
			if r := s.things[t]; !s.dead[t] && typesMeet(c, r) {
				// A thing counts once, by its best name.
				if i := slices.IndexFunc(top, func(m nearMiss) bool { return m.read == r }); i >= 0 {
					if top[i].score >= score {
						return
					}
					top = slices.Delete(top, i, i+1)
				}
				top = addMiss(top, nearMiss{r, score}, k)
			}
		})
	}
	return top
}

// equal finds the names with the core or the whole of n.
func (s segmentView) equal(n *name, add func(int32)) {
	for _, k := range n.keys(nil) {
		for _, id := range s.byKey.get(k) {
			add(id)
		}
	}
}

// sharing finds the names of which all words are in n, or that have all words
// of n, and those of which one says only what kind of thing the other is.
func (s segmentView) sharing(n *name, add func(int32)) {
	c := s.counter()
	defer s.release(c)
	own := 0
	for i, w := range n.core {
		if !slices.Contains(n.core[:i], w) {
			c.add(s.byWord.get(hash(w)))
			own++
		}
	}
	var found []int32
	for _, id := range c.touched {
		if k := int(c.n[id]); k == own || k >= s.distinct(id) {
			found = append(found, id)
		}
	}
	slices.Sort(found)
	for _, id := range found {
		add(id)
	}
	if n.bare != nil {
		for _, id := range s.byWord.get(hash("of kind " + n.bare.kind)) {
			add(id)
		}
	}
	for _, k := range n.nouns {
		for _, id := range s.byWord.get(hash("bare kind " + k.kind)) {
			add(id)
		}
	}
}

// distinct counts the different words of the core of a name.
func (s *segment) distinct(id int32) int {
	core := s.name[id].core
	if len(core) < 2 || len(core) == 2 && core[0] != core[1] {
		return len(core)
	}
	return sharedWords(core, core)
}

// slips finds the names with as many words as n that are like it.
func (s segmentView) slips(n *name, add func(int32)) {
	if !mayBeSlip(n) {
		return
	}
	grams := trigrams(strings.Join(n.core, " "))
	c := s.counter()
	defer s.release(c)
	for _, g := range grams {
		c.add(s.byTrigram.get(g))
	}
	// The whole of the other name has the trigrams of its core and more; so
	// alike cores share at least this many.
	least := int(TrigramThreshold * float64(len(grams)))
	var found []int32
	for _, id := range c.touched {
		if int(c.n[id]) >= least && len(s.name[id].core) == len(n.core) {
			found = append(found, id)
		}
	}
	slices.Sort(found)
	for _, id := range found {
		add(id)
	}
}

// mayBeSlip reports whether a name has a word that is long enough to be
// recognised misspelt.
func mayBeSlip(n *name) bool {
	return slices.ContainsFunc(n.core, func(w string) bool {
		return len(w) >= 6 && utf8.RuneCountInString(w) >= 6 && !isUnspaced(w)
	})
}

// nameMatch is a name of a segment that is like a text.
type nameMatch struct {
	name, thing int32
	score       float64
}

// nearest calls yield with the thing and the similarity of each name that has
// a trigram in common with the text.
func (s segmentView) nearest(grams []trigram, yield func(thing int32, score float64)) {
	c := s.counter()
	defer s.release(c)
	for _, g := range grams {
		c.add(s.byTrigram.get(g))
	}
	for _, n := range c.touched {
		shared := int(c.n[n])
		if score := float64(shared) / float64(len(grams)+int(s.sizes[n])-shared); score >= leastMiss {
			yield(s.owner[n], score)
		}
	}
}

// similarNames finds the names whose full form has a similarity of at least
// threshold to the text.
func (s segmentView) similarNames(text string, threshold float64) []nameMatch {
	grams := trigrams(text)
	if len(grams) == 0 {
		return nil
	}
	c := s.counter()
	defer s.release(c)
	for _, g := range grams {
		c.add(s.byTrigram.get(g))
	}
	var out []nameMatch
	for _, n := range c.touched {
		shared := int(c.n[n])
		score := float64(shared) / float64(len(grams)+int(s.sizes[n])-shared)
		if score >= threshold {
			out = append(out, nameMatch{name: n, thing: s.owner[n], score: score})
		}
	}
	return out
}

// similar finds live things by their best name.
func (s segmentView) similar(text string, threshold float64) []nameMatch {
	var out []nameMatch
	at := map[int32]int{}
	for _, m := range s.similarNames(text, threshold) {
		if s.dead[m.thing] {
			continue
		}
		if i, ok := at[m.thing]; ok {
			if o := &out[i]; m.score > o.score || m.score == o.score && m.name < o.name {
				*o = m
			}
			continue
		}
		at[m.thing] = len(out)
		out = append(out, m)
	}
	return out
}
