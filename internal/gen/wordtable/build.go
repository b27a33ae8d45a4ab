package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
)

const dimensions = 100

// smoothing is a of a/(a+p), the weight of a word of probability p in the
// average of a text, and zipf the probability of the word of rank 1; the word
// of rank r has zipf/r (both after Arora, Liang and Ma, "A simple but
// tough-to-beat baseline for sentence embeddings", 2017, and Zipf).
const (
	smoothing = 1e-3
	zipf      = 0.08
)

func weight(rank int) float64 { return smoothing / (smoothing + zipf/float64(rank)) }

// build makes the table: the words in order of their bytes, each with its
// weight in a text and its direction in 8-bit numbers. What all texts have in
// common is taken out of the vectors: their two main components, found on the
// second moment of a text of independent words, so that no text is needed.
//
// The layout is, in little endian: "WEFTWORD", the numbers of words and of
// dimensions (uint32 each), for each word the float32 factor by which its
// numbers are multiplied, a byte of 16 times the binary logarithm of its rank
// and a byte of 255 times its usual likeness ([usual]), the numbers of all
// words, and the words, each ended by a line feed. The factor holds the weight,
// so that a text's vector is the sum of its words' numbers times factors.
func build(list []word) ([]byte, error) {
	for _, w := range list {
		if strings.Contains(w.text, "\n") {
			return nil, errors.New("a word with a line feed")
		}
	}
	var moment [dimensions][dimensions]float64
	for _, w := range list {
		p, a := zipf/float64(w.rank), weight(w.rank)
		for i, x := range w.vector {
			for j, y := range w.vector {
				moment[i][j] += p * a * a * x * y
			}
		}
	}
	for range 2 {
		c := mainComponent(&moment)
		for k := range list {
			remove(list[k].vector, &c)
		}
		deflate(&moment, &c)
	}
	slices.SortFunc(list, func(a, b word) int { return strings.Compare(a.text, b.text) })
	var head, factors, ranks, likeness, numbers, words bytes.Buffer
	bags := randomTexts(list)
	head.WriteString("WEFTWORD")
	_ = binary.Write(&head, binary.LittleEndian, []uint32{uint32(len(list)), dimensions})
	for _, w := range list {
		top := 0.0
		for _, x := range w.vector {
			top = max(top, math.Abs(x))
		}
		if top == 0 {
			top = 1
		}
		_ = binary.Write(&factors, binary.LittleEndian, float32(top/127*weight(w.rank)))
		ranks.WriteByte(byte(min(255, math.Round(16*math.Log2(float64(w.rank))))))
		likeness.WriteByte(byte(math.Round(255 * usual(unit(w.vector), bags))))
		for _, x := range w.vector {
			numbers.WriteByte(byte(int8(math.Round(x / top * 127))))
		}
		words.WriteString(w.text)
		words.WriteByte('\n')
	}
	return slices.Concat(head.Bytes(), factors.Bytes(), ranks.Bytes(), likeness.Bytes(), numbers.Bytes(), words.Bytes()), nil
}

const (
	bagCount = 64
	bagWords = 22
	floor    = 0.1
)

// randomTexts returns texts of independent words that are neither the most
// frequent nor very rare, as lists of directions.
func randomTexts(list []word) [][][]float64 {
	r := rand.New(rand.NewPCG(1, 2))
	var sums []float64
	var from []int
	sum := 0.0
	for i, w := range list {
		if w.rank >= 150 && w.rank <= 30_000 {
			sum += 1 / float64(w.rank)
			sums, from = append(sums, sum), append(from, i)
		}
	}
	bags := make([][][]float64, bagCount)
	for b := range bags {
		for range min(bagWords, len(from)) {
			at := sort.SearchFloat64s(sums, r.Float64()*sum)
			bags[b] = append(bags[b], unit(list[from[min(at, len(from)-1)]].vector))
		}
	}
	return bags
}

// usual returns how alike a word and the most alike word of a text are where
// the text is any: 0 for a cosine of at most [floor], 1 for the same word.
func usual(v []float64, bags [][][]float64) float64 {
	mean := 0.0
	for _, bag := range bags {
		best := floor
		for _, u := range bag {
			dot := 0.0
			for i := range v {
				dot += v[i] * u[i]
			}
			best = max(best, dot)
		}
		mean += (best - floor) / (1 - floor) / float64(len(bags))
	}
	return min(mean, 1)
}

// unit returns the vector scaled to length 1.
func unit(v []float64) []float64 {
	norm := 0.0
	for _, x := range v {
		norm += x * x
	}
	out := make([]float64, len(v))
	if norm = math.Sqrt(norm); norm > 0 {
		for i, x := range v {
			out[i] = x / norm
		}
	}
	return out
}

// mainComponent returns the eigenvector of the greatest eigenvalue of m, which
// is symmetric, by repeated multiplication.
func mainComponent(m *[dimensions][dimensions]float64) [dimensions]float64 {
	var v [dimensions]float64
	for i := range v {
		v[i] = 1
	}
	for range 200 {
		var next [dimensions]float64
		norm := 0.0
		for i := range next {
			for j := range v {
				next[i] += m[i][j] * v[j]
			}
			norm += next[i] * next[i]
		}
		if norm = math.Sqrt(norm); norm == 0 {
			return v
		}
		for i := range next {
			next[i] /= norm
		}
		v = next
	}
	return v
}

// remove takes the part along the unit vector c out of v.
func remove(v []float64, c *[dimensions]float64) {
	dot := 0.0
	for i := range v {
		dot += v[i] * c[i]
	}
	for i := range v {
		v[i] -= dot * c[i]
	}
}

// deflate takes the unit vector c out of the second moment m on both sides.
func deflate(m *[dimensions][dimensions]float64, c *[dimensions]float64) {
	var mc [dimensions]float64
	cmc := 0.0
	for i := range m {
		for j := range m[i] {
			mc[i] += m[i][j] * c[j]
		}
		cmc += c[i] * mc[i]
	}
	for i := range m {
		for j := range m[i] {
			m[i][j] -= c[i]*mc[j] + mc[i]*c[j] - cmc*c[i]*c[j]
		}
	}
}
