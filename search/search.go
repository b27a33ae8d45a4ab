package search

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/weft-memory/weft/search/embed"
)

// Hit is a document that was found.
type Hit struct {
	ID    string
	Kind  Kind
	Score float64
	Why   Why
}

// Why says how a score came about: what each part contributed, in the unit of
// [Config]. The parts add up to the score.
type Why struct {
	// Words is for the words of the query in the document itself and, for a
	// message, in its neighbours.
	Words float64 `json:"words,omitempty"`
	// Dense is for likeness by vectors.
	Dense float64 `json:"dense,omitempty"`
	// Author is for a speaker whom the query names.
	Author float64 `json:"author,omitempty"`
	// Via is what entries gave to the messages that they were made from, and
	// ViaID the entry that gave most; Summary is the same for summaries.
	Via     float64 `json:"via,omitempty"`
	ViaID   string  `json:"via_id,omitempty"`
	Summary float64 `json:"summary,omitempty"`
	Group   float64 `json:"group,omitempty"`
	Time    float64 `json:"time,omitempty"`
	Recency float64 `json:"recency,omitempty"`
	Usage   float64 `json:"usage,omitempty"`
	// Matched are the words of the query that stand in the document, as the
	// query has them; Nearby are those of a message's neighbours.
	Matched []string `json:"matched,omitempty"`
	Nearby  []string `json:"nearby,omitempty"`
	// Cosine is the likeness by vectors itself.
	Cosine float64 `json:"cosine,omitempty"`
	// Rerank is the score of a reranker, where one was asked. It is no part of
	// the score.
	Rerank *float64 `json:"rerank,omitempty"`
	// Share is the share of the query's weight that the matched words have,
	// from 0 to 1.
	Share float64 `json:"share,omitempty"`
}

// Result is the answer to a query.
type Result struct {
	Hits []Hit
	// Terms is how many words of the query the index knows.
	Terms int
	// Best is the score of words that has 1 in [Why].Words, before scaling. It
	// is absolute: a word that few documents have gives about 5 in a small book
	// and 10 in a large one.
	Best float64
	// Cut says that the query was too long, so that not all was looked at.
	Cut bool
}

// buffers are reused between searches.
type buffers struct {
	tf, words, sum []float32
	norm           []float32 // what the text's length is held against it, inverted
	via, summary   []float32
	viaFrom        []uint32
	touched, cand  []uint32
	cosine         []float32
}

var pool = sync.Pool{New: func() any { return new(buffers) }}

func zeroed(s []float32, n int) []float32 {
	if cap(s) < n {
		return make([]float32, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// scoring is one search under way.
type scoring struct {
	*buffers
	x         *Index
	v         *View
	c         *Config
	q         *Query
	p         parsed
	weights   [fields]float32
	usual     [kinds]float32
	best      float32 // the best score of words
	maxUses   uint32
	termIDF   [][kinds]float32 // by term
	fullSum   [kinds]float32   // what all terms together could give
	probe     embed.Probe
	matrix    *embed.Matrix
	denseBy   float32
	authorBy  []float32 // by author
	anyAuthor bool
	groupBy   map[uint32]float32 // by group
}

// Search returns the documents of the view that answer the query best, the
// best first. Documents of equal score come in the order in which they were
// put into the index.
func (x *Index) Search(v *View, q Query, c Config) Result {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if v.index != x {
		panic("search: a view of another index")
	}
	s := &scoring{buffers: pool.Get().(*buffers), x: x, v: v, c: &c, q: &q, p: x.parse(&q), weights: c.fields()}
	defer pool.Put(s.buffers)
	n := len(x.docs)
	s.tf, s.words, s.sum = zeroed(s.tf, n), zeroed(s.words, n), zeroed(s.sum, n)
	s.via, s.summary, s.cosine = zeroed(s.via, n), zeroed(s.summary, n), zeroed(s.cosine, n)
	if cap(s.viaFrom) < n {
		s.viaFrom = make([]uint32, n)
	}
	s.viaFrom = s.viaFrom[:n]
	for k := range s.usual {
		s.usual[k] = v.stats[k].usual()
	}
	if cap(s.norm) < n {
		s.norm = make([]float32, n)
	}
	s.norm = s.norm[:n]
	b := float32(c.B)
	for _, list := range [][]uint32{v.path, v.other} {
		for _, slot := range list {
			d := &x.docs[slot]
			s.norm[slot] = 1 / (1 - b + b*float32(d.length)/s.usual[d.kind])
		}
	}
	s.matchWords()
	s.compareVectors()
	s.weighAuthors()
	s.fuse()
	return Result{Hits: s.hits(), Terms: len(s.p.terms), Best: float64(s.best), Cut: s.p.cut}
}

// matchWords gives every document the score of its words, BM25F (Robertson,
// Zaragoza and Taylor, 2004) with the neighbours of a message as fields of it.
func (s *scoring) matchWords() {
	terms := s.p.terms
	s.termIDF = make([][kinds]float32, len(terms))
	if len(terms) > maxQueryTerms {
		s.keepRarest()
		terms = s.p.terms
	}
	for i := range terms {
		s.matchTerm(i, &terms[i])
	}
	for _, slot := range s.v.path {
		s.best = max(s.best, s.words[slot])
	}
	for _, slot := range s.v.other {
		s.best = max(s.best, s.words[slot])
	}
}

// keepRarest drops the commonest terms of a query that has too many.
func (s *scoring) keepRarest() {
	size := func(t *term) int {
		n := 0
		for _, l := range t.lists {
			n += len(s.x.lists[l])
		}
		return n
	}
	slices.SortStableFunc(s.p.terms, func(a, b term) int { return cmp.Compare(size(&a), size(&b)) })
	s.p.terms = s.p.terms[:maxQueryTerms]
	s.p.cut = true
}

func (s *scoring) matchTerm(i int, t *term) {
	x, v := s.x, s.v
	s.touched = s.touched[:0]
	var seen [kinds]int
	tf := s.tf
	prev, next := float32(s.c.Previous), float32(s.c.Next)
	entry := &s.weights
	spoken := &[fields]float32{fieldText: s.weights[fieldText], fieldExtra: s.weights[fieldExtra]}
	touched := s.touched
	for _, list := range t.lists {
		for _, p := range x.lists[list] {
			if int(p.slot) >= len(v.place) {
				break // lists are in order of slots
			}
			place, kind := v.place[p.slot], x.kinds[p.slot]
			if place == 0 || kind == 0 {
				continue
			}
			seen[kind]++
			if kind != Message {
				if tf[p.slot] == 0 {
					touched = append(touched, p.slot)
				}
				tf[p.slot] += p.weighted(entry, s.norm[p.slot])
				continue
			}
			f := p.weighted(spoken, s.norm[p.slot])
			if f == 0 {
				continue // by that author: [Config.Author] is for that
			}
			if tf[p.slot] == 0 {
				touched = append(touched, p.slot)
			}
			tf[p.slot] += f
			if int(place) < len(v.path) && v.joins[place] && prev > 0 {
				n := v.path[place]
				if tf[n] == 0 {
					touched = append(touched, n)
				}
				tf[n] += prev * f
			}
			if place > 1 && v.joins[place-1] && next > 0 {
				n := v.path[place-2]
				if tf[n] == 0 {
					touched = append(touched, n)
				}
				tf[n] += next * f
			}
		}
	}
	s.touched = touched
	idf := &s.termIDF[i]
	times := t.tf * (s.c.Repeat + 1) / (t.tf + s.c.Repeat)
	all, seenAll := 0, 0
	for k := range seen {
		all += s.v.stats[k].docs
		seenAll += seen[k]
	}
	share := (float64(seenAll) + 0.5) / float64(all+1)
	for k := range idf {
		idf[k] = rarity(s.v.stats[k].docs, seen[k], share) * float32(times)
	}
	if len(s.q.Scene) > 0 && s.v.stats[Message].docs > 0 {
		// A scene is told in another way than an entry is: what is common in
		// messages says little, however rare it is in entries.
		n := float64(s.v.stats[Message].docs)
		w := float32(math.Log1p(n/float64(seen[Message]+1)) / math.Log1p(n))
		for k := range idf {
			idf[k] *= w
		}
	}
	k1 := float32(s.c.K1)
	for k := range idf {
		s.fullSum[k] += idf[k]
	}
	top := *idf
	for k := range top {
		top[k] *= k1 + 1
	}
	for _, slot := range touched {
		f := tf[slot]
		s.words[slot] += top[x.kinds[slot]&(kinds-1)] * f / (f + k1)
		tf[slot] = 0
	}
}

// prior is for how many documents the share of all kinds stands in the figures
// of one: of a kind that has few, they say little.
const prior = 20

// rarity returns the weight of a term that seen of n documents of a kind have,
// and this share of all documents.
func rarity(n, seen int, share float64) float32 {
	seen = min(seen, n)
	return float32(math.Log((float64(n) + 1 + prior) / (float64(seen) + 0.5 + prior*share)))
}

// manyVectors is the size of a view from which on most of its vectors are only
// looked at.
const manyVectors = 4096

// compareVectors sets the cosine of every document that is seen.
func (s *scoring) compareVectors() {
	if s.c.Dense == 0 || len(s.q.Vector) == 0 {
		return
	}
	m := s.x.vectors[s.q.Model]
	if m == nil || m.Dimensions() != len(s.q.Vector) {
		return
	}
	s.matrix, s.probe = m, embed.NewProbe(s.q.Vector)
	s.denseBy = float32(s.c.Dense)
	if s.q.Clear > 0 && s.p.content > s.q.Clear {
		s.denseBy *= float32(s.q.Clear) / float32(s.p.content)
	}
	// In a large world, what has no word of the query and a vector that points
	// elsewhere is not compared.
	large := len(s.v.path)+len(s.v.other) > manyVectors
	for _, list := range [][]uint32{s.v.path, s.v.other} {
		for _, slot := range list {
			if large && s.words[slot] < s.best/4 && m.Far(int(slot), &s.probe) {
				continue
			}
			s.cosine[slot] = max(0, m.Cosine(int(slot), &s.probe))
		}
	}
}

// weighAuthors sets what a message has for its author.
func (s *scoring) weighAuthors() {
	s.authorBy = make([]float32, len(s.x.authors.list))
	if s.c.Author == 0 || len(s.p.authors) == 0 || len(s.v.path) == 0 {
		return
	}
	named := make([]bool, len(s.x.authors.list))
	for _, a := range s.p.authors {
		named[a] = true
	}
	hers := 0
	for _, slot := range s.v.path {
		if named[s.x.docs[slot].author] {
			hers++
		}
	}
	w := float32(s.c.Author) * (1 - float32(hers)/float32(len(s.v.path)))
	for _, a := range s.p.authors {
		s.authorBy[a] = w
	}
	s.anyAuthor = true
}
