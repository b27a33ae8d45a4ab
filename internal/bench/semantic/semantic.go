// Package semantic measures how well entries activate by what a scene is about
// rather than by their keys: pairs of a scene that speaks of an entry in other
// words, and of a decoy that has words of it and is about nothing in the book.
package semantic

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed" // the pairs
	"encoding/json"
	"fmt"
	"slices"

	"github.com/weft-memory/weft/search"
	"github.com/weft-memory/weft/search/embed"
)

// Pair is an entry with a scene about it and a decoy, each a message or two.
type Pair struct {
	World    string `json:"world"`
	Language string `json:"language"`
	Entry    struct {
		Name string   `json:"name"`
		Keys []string `json:"keys"`
		Text string   `json:"text"`
	} `json:"entry"`
	Paraphrase []string `json:"paraphrase"`
	Decoy      []string `json:"decoy"`
}

//go:embed pairs.jsonl
var pairs []byte

// Pairs returns the pairs that come with the program: 200, in eight worlds in
// English and one of ten other languages.
func Pairs() []Pair {
	list, err := Read(pairs)
	if err != nil {
		panic(err)
	}
	return list
}

// Read reads pairs, one JSON object a line.
func Read(data []byte) ([]Pair, error) {
	var list []Pair
	s := bufio.NewScanner(bytes.NewReader(data))
	s.Buffer(nil, 1<<20)
	for line := 1; s.Scan(); line++ {
		if len(bytes.TrimSpace(s.Bytes())) == 0 {
			continue
		}
		var p Pair
		if err := json.Unmarshal(s.Bytes(), &p); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		if p.Entry.Text == "" || len(p.Paraphrase) == 0 {
			return nil, fmt.Errorf("line %d: entry.text and paraphrase are wanted", line)
		}
		list = append(list, p)
	}
	return list, s.Err()
}

// Point is what a threshold gives.
type Point struct {
	Threshold float64 `json:"threshold"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	Right     int     `json:"right"`
	Wrong     int     `json:"wrong"`
}

// Report is the outcome.
type Report struct {
	Model string `json:"model"`
	Pairs int    `json:"pairs"`
	// Default is what the default rule gives, Curve what other thresholds do.
	Default Point   `json:"default"`
	Curve   []Point `json:"curve"`
	// Best is the lowest threshold of the curve from which on the precision is
	// at least 0.9.
	Best Point `json:"best"`
	// First is the share of paraphrases whose entry has the best score,
	// whatever it is.
	First float64 `json:"first"`
	// ByLanguage is what the default rule gives for each language.
	ByLanguage map[string]Point `json:"by_language"`
}

// Options say how to measure.
type Options struct {
	// Embedder makes vectors; nil means none.
	Embedder embed.Embedder
	// Turns limits the messages of a scene; 0 means all.
	Turns int
	// Book puts all entries into one book instead of one for each world.
	Book bool
}

// outcome is the score of an entry for one scene.
type outcome struct {
	score    float64
	right    bool
	language string
}

// Run measures pairs.
func Run(ctx context.Context, list []Pair, o Options) (*Report, error) {
	worlds := map[string][]Pair{}
	for _, p := range list {
		w := p.World
		if p.Language != "en" {
			w = "other languages"
		}
		if o.Book {
			w = ""
		}
		worlds[w] = append(worlds[w], p)
	}
	r := &Report{Pairs: len(list), ByLanguage: map[string]Point{}}
	if o.Embedder != nil {
		r.Model = o.Embedder.Model()
	}
	var all, active []outcome
	wanted := map[string]int{}
	first := 0
	for _, book := range worlds {
		like, vector, err := prepare(ctx, book, o)
		if err != nil {
			return nil, err
		}
		for i, p := range book {
			wanted[p.Language]++
			for k, scene := range [][]string{p.Paraphrase, p.Decoy} {
				if len(scene) == 0 {
					continue
				}
				if o.Turns > 0 {
					scene = scene[:min(len(scene), o.Turns)]
				}
				var turns []search.Turn
				for _, s := range scene {
					turns = append(turns, search.Turn{Text: s})
				}
				scored := like.Score(turns, nil, vector)
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				var candidates []search.Candidate
				for n, s := range scored {
					right := k == 0 && s.ID == id(i)
					if n == 0 && right {
						first++
					}
					if n < search.DefaultTopK {
						all = append(all, outcome{s.Score, right, p.Language})
					}
					candidates = append(candidates, search.Candidate{Entry: s.ID, Score: s.Score})
				}
				for _, a := range search.Activate(candidates) {
					if a.Active {
						active = append(active, outcome{a.Score, k == 0 && a.Entry == id(i), p.Language})
					}
				}
			}
		}
	}
	r.First = float64(first) / float64(max(1, len(list)))
	r.Default = point(active, search.DefaultThreshold, len(list))
	for lang, n := range wanted {
		var of []outcome
		for _, a := range active {
			if a.language == lang {
				of = append(of, a)
			}
		}
		r.ByLanguage[lang] = point(of, search.DefaultThreshold, n)
	}
	r.curve(all, len(list))
	return r, nil
}

func id(i int) string { return fmt.Sprintf("%03d", i) }

// prepare makes the likeness of a book and what embeds its messages.
func prepare(ctx context.Context, book []Pair, o Options) (*search.Likeness, func(string) embed.Vector, error) {
	subjects := make([]search.Subject, len(book))
	texts := make([]string, len(book))
	for i, p := range book {
		texts[i] = p.Entry.Name + ". " + p.Entry.Text
		subjects[i] = search.Subject{ID: id(i), Text: texts[i]}
	}
	if o.Embedder == nil {
		return search.NewLikeness(subjects), nil, nil
	}
	vectors, err := o.Embedder.Embed(ctx, texts)
	if err != nil {
		return nil, nil, err
	}
	for i := range vectors {
		subjects[i].Vector = vectors[i]
	}
	return search.NewLikeness(subjects), func(text string) embed.Vector {
		v, err := o.Embedder.Embed(ctx, []string{text})
		if err != nil {
			return nil
		}
		return v[0]
	}, nil
}

// point counts the outcomes at or above a threshold.
func point(list []outcome, threshold float64, wanted int) Point {
	p := Point{Threshold: threshold}
	for _, o := range list {
		switch {
		case o.score < threshold:
		case o.right:
			p.Right++
		default:
			p.Wrong++
		}
	}
	if n := p.Right + p.Wrong; n > 0 {
		p.Precision = float64(p.Right) / float64(n)
	}
	p.Recall = float64(p.Right) / float64(max(1, wanted))
	return p
}

func (r *Report) curve(all []outcome, wanted int) {
	slices.SortFunc(all, func(a, b outcome) int { return cmp.Compare(a.score, b.score) })
	const steps = 100
	good := true
	for i := steps; i >= 0; i-- {
		p := point(all, float64(i)/steps, wanted)
		if good = good && (p.Right+p.Wrong == 0 || p.Precision >= 0.9); good && p.Right > 0 {
			r.Best = p
		}
		if i%5 == 0 {
			r.Curve = append(r.Curve, p)
		}
	}
	slices.Reverse(r.Curve)
}
