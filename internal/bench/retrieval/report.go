package retrieval

import (
	"math"
	"slices"
	"time"
)

// Figures are the means over some questions.
type Figures struct {
	Questions int     `json:"questions"`
	R5        float64 `json:"R@5"`
	R10       float64 `json:"R@10"`
	R20       float64 `json:"R@20"`
	MRR       float64 `json:"MRR"`
	Hit1      float64 `json:"hit@1"`
	Hit5      float64 `json:"hit@5"`
	Hit10     float64 `json:"hit@10"`
	Hit20     float64 `json:"hit@20"`
}

// add counts one answer.
func (f *Figures) add(ranked, gold []string) {
	set := map[string]bool{}
	for _, id := range gold {
		set[id] = true
	}
	seen := map[string]bool{}
	var found [4]float64
	first := 0
	for _, id := range ranked {
		if seen[id] || len(seen) >= Ranked {
			continue
		}
		seen[id] = true
		if !set[id] {
			continue
		}
		rank := len(seen)
		if first == 0 {
			first = rank
		}
		for i, k := range [4]int{1, 5, 10, 20} {
			if rank <= k {
				found[i]++
			}
		}
	}
	n := float64(len(set))
	f.Questions++
	f.R5 += found[1] / n
	f.R10 += found[2] / n
	f.R20 += found[3] / n
	for i, hit := range [4]*float64{&f.Hit1, &f.Hit5, &f.Hit10, &f.Hit20} {
		if found[i] > 0 {
			*hit++
		}
	}
	if first > 0 {
		f.MRR += 1 / float64(first)
	}
}

// mean returns the figures divided by the number of questions.
func (f Figures) mean() Figures {
	if f.Questions == 0 {
		return f
	}
	for _, x := range [8]*float64{&f.R5, &f.R10, &f.R20, &f.MRR, &f.Hit1, &f.Hit5, &f.Hit10, &f.Hit20} {
		*x = math.Round(*x/float64(f.Questions)*10_000) / 10_000
	}
	return f
}

// adversarial questions ask for what was never said. They are no part of the
// headline.
const adversarial = "adversarial"

// Report is the outcome of a run over a file.
type Report struct {
	File    *File
	Answers []Answer
	// Bytes is the memory of the indexes.
	Bytes int

	sum   Figures
	by    map[string]*Figures
	times []time.Duration
}

func newReport(f *File) *Report { return &Report{File: f, by: map[string]*Figures{}} }

func (r *Report) took(d time.Duration) { r.times = append(r.times, d) }

func (r *Report) add(id, category string, ranked, gold []string) {
	r.Answers = append(r.Answers, Answer{id, ranked})
	if category != adversarial {
		r.sum.add(ranked, gold)
	}
	if category != "" {
		if r.by[category] == nil {
			r.by[category] = new(Figures)
		}
		r.by[category].add(ranked, gold)
	}
}

// Total are the figures of all questions but the adversarial ones.
func (r *Report) Total() Figures { return r.sum.mean() }

// Category are the figures of the questions of one category.
func (r *Report) Category(name string) Figures {
	if f := r.by[name]; f != nil {
		return f.mean()
	}
	return Figures{}
}

// Categories are the names of the categories, in order.
func (r *Report) Categories() []string {
	var list []string
	for name := range r.by {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// Took returns the time of a query that a share of them stayed within.
func (r *Report) Took(share float64) time.Duration {
	if len(r.times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(r.times))
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}
