package search

import (
	"cmp"
	"slices"
	"strings"

	"github.com/weft-memory/weft/search/embed"
	"github.com/weft-memory/weft/search/embed/words"
)

// Likeness tells how much recent messages are about each of some entries
// without any of their keys: by words that are alike, each taken for itself
// and not averaged, in both directions, and by vectors. It is made once for
// the entries that activate by similarity, and is immutable.
//
// A word counts by how rare it is and by how much more alike the entry's most
// alike word is than that of any text would be. The best word of each
// direction counts half: one word in common is chance, two are a subject.
type Likeness struct {
	entries   []likeEntry
	stems     map[string]uint32
	df        []float32 // by stem: the share of entries that have it
	by        map[uint32][]int32
	languages []Language
	center    embed.Vector
	matrix    *embed.Matrix
}

// Subject is an entry that messages may be about.
type Subject struct {
	// ID names the entry.
	ID string
	// Text is the entry's name and content.
	Text string
	// Vector is its vector; nil if there is none.
	Vector   embed.Vector
	Language Language
}

type likeEntry struct {
	id    string
	words []likeWord
}

// likeWord is a word with what it counts.
type likeWord struct {
	stems  []uint32 // of an entry's word one, of a message's one for each language
	word   words.Word
	known  bool // word is set
	weight float32
	usual  float32
}

const (
	// maxLikeWords bounds the words of an entry; the rarest are kept.
	maxLikeWords = 64
	// likeWindow is how many words of the messages are looked at together,
	// about two short messages, likeStride how far windows are apart, and
	// maxWindows how many there are at most.
	likeWindow, likeStride, maxWindows = 28, 14, 12
	// maxCandidates is how many entries are compared word by word.
	maxCandidates = 40

	commonest   = 4 // a word of this rarity or less says nothing
	unknownRare = 9 // a word that the table does not know
	pairRare    = 6 // a character or pair of characters
	vectorPart  = 6 // what a cosine of 1 counts against words
	bestPart    = 0.5
	// halfScore is the sum of words and vectors whose score is one half.
	halfScore = 22
)

// NewLikeness prepares entries. Vectors that do not have the dimensions of the
// first one are left out.
func NewLikeness(subjects []Subject) *Likeness {
	l := &Likeness{stems: map[string]uint32{}, by: map[uint32][]int32{}}
	a := newAnalyzer()
	spoken := map[Language]bool{}
	for i := range subjects {
		s := &subjects[i]
		tokens := a.cut(s.Text)
		lang := language(tokens, s.Language)
		spoken[lang] = true
		e := likeEntry{id: s.ID, words: l.words(tokens, []Language{lang}, lang, true)}
		slices.SortStableFunc(e.words, func(a, b likeWord) int { return cmp.Compare(b.weight, a.weight) })
		e.words = slices.Clip(e.words[:min(len(e.words), maxLikeWords)])
		for _, w := range e.words {
			l.by[w.stems[0]] = append(l.by[w.stems[0]], int32(i))
		}
		l.entries = append(l.entries, e)
	}
	for lang := range spoken {
		l.languages = append(l.languages, lang)
	}
	slices.Sort(l.languages)
	l.df = make([]float32, len(l.stems))
	for stem, list := range l.by {
		l.df[stem] = float32(len(list)) / float32(len(subjects))
	}
	for i := range l.entries {
		for k := range l.entries[i].words {
			w := &l.entries[i].words[k]
			w.usual = max(w.usual, l.df[w.stems[0]]-1/float32(len(subjects)))
		}
	}
	l.setVectors(subjects)
	return l
}

// setVectors keeps the vectors, less what all entries have in common: a world's
// own subject, which says nothing about any of them.
func (l *Likeness) setVectors(subjects []Subject) {
	n := 0
	for i := range subjects {
		v := subjects[i].Vector
		if len(v) == 0 || l.center != nil && len(v) != len(l.center) {
			continue
		}
		if l.center == nil {
			l.center = make(embed.Vector, len(v))
		}
		n++
		for k, x := range v {
			l.center[k] += x
		}
	}
	if n == 0 {
		return
	}
	const few = 4 // the mean of few says little
	for k := range l.center {
		l.center[k] /= float32(n + few)
	}
	l.matrix = embed.NewMatrix(len(l.center))
	for i := range subjects {
		if v := l.centered(subjects[i].Vector); v != nil {
			_ = l.matrix.Set(i, v) // has the dimensions
		}
	}
}

func (l *Likeness) centered(v embed.Vector) embed.Vector {
	if len(v) == 0 || len(v) != len(l.center) {
		return nil
	}
	out := make(embed.Vector, len(v))
	for i := range v {
		out[i] = v[i] - l.center[i]
	}
	out.Normalize()
	return out
}

// words returns the different words of a text that say something. New stems
// are numbered if they are an entry's; of a message's, those that no entry has
// are left out.
func (l *Likeness) words(tokens []token, languages []Language, own Language, grow bool) []likeWord {
	bit := languageBit(own)
	seen := map[*word]bool{}
	var list []likeWord
	for i := range tokens {
		t := &tokens[i]
		if t.isLittle(bit) || seen[t.word] {
			continue
		}
		seen[t.word] = true
		w := likeWord{weight: unknownRare}
		switch t.word.script {
		case scriptHan, scriptUnspaced:
			w.weight = pairRare
		default:
			if own == "en" {
				w.word, w.known = words.Lookup(t.word.plain)
			}
		}
		if w.known {
			w.weight, w.usual = w.word.Rarity, w.word.Usual
		}
		if w.weight -= commonest; w.weight <= 0 {
			continue
		}
		for _, lang := range languages {
			stem := t.word.stem(t.source, lang)
			n, ok := l.stems[stem]
			if !ok {
				if !grow {
					continue
				}
				n = uint32(len(l.stems))
				l.stems[strings.Clone(stem)] = n
			}
			if !slices.Contains(w.stems, n) {
				w.stems = append(w.stems, n)
			}
		}
		if len(w.stems) > 0 || w.known {
			list = append(list, w)
		}
	}
	return list
}

// Scored is how much messages are about an entry.
type Scored struct {
	// ID is the subject's.
	ID string
	// Score is from 0 to 1; at 0.5 and above it is nearly sure.
	Score float64
	// Cosine is the likeness by vectors, and Words those of the messages that
	// speak most for the entry, the best first.
	Cosine float64
	Words  []string
}

// Score returns the entries that the messages are about to some degree, the
// best first. earlier are messages before them: what is said all the time in
// this chat counts less. embedder makes the vectors of the messages; nil means
// none.
func (l *Likeness) Score(messages, earlier []Turn, embedder func(text string) embed.Vector) []Scored {
	if len(l.entries) == 0 {
		return nil
	}
	usual := l.chatter(earlier)
	var out []Scored
	at := map[int]int{}
	for _, w := range l.windows(messages) {
		for i := range w.words {
			x := &w.words[i]
			for _, s := range x.stems {
				x.usual = max(x.usual, l.df[s], usual[s])
			}
		}
		var v embed.Vector
		if embedder != nil && l.matrix != nil {
			v = l.centered(embedder(w.text))
		}
		for _, s := range l.scoreWindow(&w, v) {
			if k, ok := at[s.entry]; !ok {
				at[s.entry] = len(out)
				out = append(out, s.Scored)
			} else if s.Score > out[k].Score {
				out[k] = s.Scored
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Scored) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// chatter returns, by stem, the share of messages that have it.
func (l *Likeness) chatter(earlier []Turn) map[uint32]float32 {
	if len(earlier) == 0 {
		return nil
	}
	a := analyzers.Get().(*analyzer)
	defer analyzers.Put(a)
	share := map[uint32]float32{}
	for _, t := range earlier {
		text, _ := head(t.Text, maxQuery/4)
		tokens := a.cut(text)
		have := map[uint32]bool{}
		for _, w := range l.words(tokens, l.languages, language(tokens, ""), false) {
			for _, s := range w.stems {
				have[s] = true
			}
		}
		for s := range have {
			share[s] += 1 / float32(len(earlier)+1)
		}
	}
	return share
}

// window is a run of words of the messages.
type window struct {
	text  string
	words []likeWord
	names []string // of the words, as they are written
}

// windows cuts messages into runs of words; a longer text has the end looked at.
func (l *Likeness) windows(messages []Turn) []window {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(m.Text)
		b.WriteByte('\n')
	}
	text := tail(b.String(), maxQuery/2)
	a := newAnalyzer()
	tokens := a.cut(text)
	lang := language(tokens, "")
	bit := languageBit(lang)
	// Where each token that says something stands.
	var starts []int
	at := 0
	for i := range tokens {
		if p := strings.Index(text[at:], tokens[i].source); p >= 0 {
			at += p
		}
		if !tokens[i].isLittle(bit) {
			starts = append(starts, at)
		}
	}
	content := slices.DeleteFunc(slices.Clone(tokens), func(t token) bool { return t.isLittle(bit) })
	var list []window
	for end := len(content); end > 0 && len(list) < maxWindows; end -= likeStride {
		from := max(0, end-likeWindow)
		w := window{}
		to := len(text)
		if end < len(content) {
			to = starts[end]
		}
		if starts[from] < to {
			w.text = text[starts[from]:to]
		}
		for i := from; i < end; i++ {
			one := l.words(content[i:i+1], l.languages, lang, false)
			if len(one) == 1 && !slices.Contains(w.names, content[i].source) {
				w.words = append(w.words, one[0])
				w.names = append(w.names, content[i].source)
			}
		}
		list = append(list, w)
		if from == 0 {
			break
		}
	}
	return list
}

type scoredEntry struct {
	Scored
	entry int
}

// scoreWindow scores the entries that a window may be about.
func (l *Likeness) scoreWindow(w *window, v embed.Vector) []scoredEntry {
	quick := make([]float32, len(l.entries))
	cosines := make([]float32, len(l.entries))
	for _, x := range w.words {
		for _, s := range x.stems {
			for _, e := range l.by[s] {
				quick[e] += x.weight * (1 - x.usual)
			}
		}
	}
	if v != nil {
		p := embed.NewProbe(v)
		for e := range l.entries {
			cosines[e] = l.matrix.Cosine(e, &p)
			quick[e] += vectorPart * cosines[e]
		}
	}
	order := make([]uint32, len(l.entries))
	for i := range order {
		order[i] = uint32(i)
	}
	var out []scoredEntry
	for _, e := range best(order, maxCandidates, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(quick[b], quick[a]), cmp.Compare(a, b))
	}) {
		sum, names := l.align(w, &l.entries[e])
		if sum += vectorPart * cosines[e]; sum <= 0 {
			continue
		}
		out = append(out, scoredEntry{Scored{
			ID: l.entries[e].id, Score: float64(sum / (sum + halfScore)), Cosine: float64(cosines[e]), Words: names,
		}, int(e)})
	}
	return out
}

// align compares the words of a window and an entry in both directions.
func (l *Likeness) align(w *window, e *likeEntry) (float32, []string) {
	there := make([]float32, len(w.words))
	back := make([]float32, len(e.words))
	for i := range w.words {
		x := &w.words[i]
		for k := range e.words {
			y := &e.words[k]
			like := float32(0)
			switch {
			case slices.Contains(x.stems, y.stems[0]):
				like = 1
			case x.known && y.known:
				like = x.word.Likeness(y.word)
			}
			there[i] = max(there[i], like)
			back[k] = max(back[k], like)
		}
	}
	sum, top := float32(0), float32(0)
	type part struct {
		name string
		by   float32
	}
	var parts []part
	for i, like := range there {
		by := w.words[i].weight * (like - w.words[i].usual)
		sum += by
		top = max(top, by)
		if by > 1 {
			parts = append(parts, part{w.names[i], by})
		}
	}
	sum -= bestPart * top
	top = 0
	for k, like := range back {
		by := e.words[k].weight * (like - e.words[k].usual)
		sum += by
		top = max(top, by)
	}
	sum -= bestPart * top
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.by, a.by) })
	var names []string
	for _, p := range parts[:min(len(parts), 5)] {
		names = append(names, p.name)
	}
	return sum, names
}
