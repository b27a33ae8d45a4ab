package embed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// source is a source of numbered texts.
type source struct {
	ids   []string
	texts map[string]string
	have  map[string]map[string]Vector
}

func newSource(n int) *source {
	s := &source{texts: map[string]string{}, have: map[string]map[string]Vector{}}
	for i := range n {
		id := fmt.Sprintf("d%03d", i)
		s.ids = append(s.ids, id)
		s.texts[id] = fmt.Sprintf("text %d", i%(n-1)) // the last repeats the first
	}
	return s
}

func (s *source) WithoutVector(model string, n int) (ids []string, all int) {
	for _, id := range s.ids {
		if s.have[model][id] == nil {
			if all++; len(ids) < n {
				ids = append(ids, id)
			}
		}
	}
	return ids, all
}

func (s *source) Texts(_ context.Context, ids []string) ([]string, []bool, error) {
	texts, ok := make([]string, len(ids)), make([]bool, len(ids))
	for i, id := range ids {
		texts[i], ok[i] = s.texts[id]
	}
	return texts, ok, nil
}

func (s *source) SetVector(model, id string, v Vector) error {
	if s.have[model] == nil {
		s.have[model] = map[string]Vector{}
	}
	s.have[model][id] = v
	return nil
}

type cache map[string]Vector

func (c cache) Vectors(_ context.Context, model string, hashes []string) (map[string]Vector, error) {
	out := map[string]Vector{}
	for _, h := range hashes {
		if v, ok := c[model+h]; ok {
			out[h] = v
		}
	}
	return out, nil
}

func (c cache) PutVectors(_ context.Context, model string, vectors map[string]Vector) error {
	for h, v := range vectors {
		c[model+h] = v
	}
	return nil
}

// counting is an embedder that fails from a call on.
type counting struct{ texts, calls, failAt int }

func (c *counting) Model() string   { return "m" }
func (c *counting) Dimensions() int { return 2 }
func (c *counting) Embed(_ context.Context, texts []string) ([]Vector, error) {
	if c.calls++; c.calls == c.failAt {
		return nil, errors.New("the server is away")
	}
	c.texts += len(texts)
	out := make([]Vector, len(texts))
	for i, s := range texts {
		out[i] = Vector{float32(len(s)), 1}
		out[i].Normalize()
	}
	return out, nil
}

func TestFillGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	s, c, e := newSource(50), cache{}, &counting{failAt: 3}
	f := NewFill(e, c, 10)
	var failed int
	for steps := 0; ; steps++ {
		if steps > 20 {
			t.Fatal("the fill does not end")
		}
		p, err := f.Step(t.Context(), s)
		if err != nil {
			failed++
			continue
		}
		if p.Missing == 0 {
			break
		}
	}
	if failed != 1 || e.texts != 49 {
		t.Errorf("%d failures, %d texts asked for, want 1 and 49: each text once", failed, e.texts)
	}
	// Another index of the same texts asks nobody.
	again := newSource(50)
	for {
		p, err := f.Step(t.Context(), again)
		if err != nil {
			t.Fatal(err)
		}
		if p.Missing == 0 {
			break
		}
	}
	if e.texts != 49 {
		t.Errorf("%d texts asked for, want still 49", e.texts)
	}
}

func TestOldVectorsServeUntilTheNewOnesAreComplete(t *testing.T) {
	t.Parallel()
	m := NewModels("old")
	m.Want("new")
	if m.Serving() != "old" || m.Filling() != "new" {
		t.Errorf("serving %q, filling %q, want old and new", m.Serving(), m.Filling())
	}
	if _, changed := m.Complete("other"); changed {
		t.Error("a model that nobody wants serves")
	}
	if old, changed := m.Complete("new"); old != "old" || !changed || m.Serving() != "new" || m.Filling() != "" {
		t.Errorf("after completion: old %q, changed %v, serving %q, filling %q", old, changed, m.Serving(), m.Filling())
	}
}

func random(r *rand.Rand, dims int) Vector {
	v := make(Vector, dims)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	v.Normalize()
	return v
}

func TestMatrixIsExact(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for _, dims := range []int{1, 7, 100, 384} {
		m := NewMatrix(dims)
		list := make([]Vector, 300)
		for i := range list {
			list[i] = random(r, dims)
			if err := m.Set(i, list[i]); err != nil {
				t.Fatal(err)
			}
		}
		q := random(r, dims)
		p := NewProbe(q)
		for i, v := range list {
			if diff := math.Abs(float64(m.Cosine(i, &p) - Dot(q, v))); diff > 0.01 {
				t.Fatalf("%d dimensions: the cosine is off by %v", dims, diff)
			}
		}
		got := m.Nearest(q, 3, func(row int) Vector { return list[row] })
		for _, n := range got {
			for i, v := range list {
				if Dot(q, v) > got[0].Cosine+1e-6 {
					t.Fatalf("%d dimensions: row %d is nearer than %d", dims, i, n.Row)
				}
			}
		}
	}
}

func TestMatrixTakesWhatComes(t *testing.T) {
	t.Parallel()
	m := NewMatrix(3)
	if err := m.Set(0, Vector{1, 2}); err == nil {
		t.Error("a vector of two numbers is taken for one of three")
	}
	if err := m.Set(-1, Vector{1, 2, 3}); err == nil {
		t.Error("row -1 is taken")
	}
	for _, v := range []Vector{{0, 0, 0}, {float32(math.NaN()), 1, 0}, {float32(math.Inf(1)), 0, 0}} {
		v.Normalize()
		if err := m.Set(5, v); err != nil {
			t.Fatal(err)
		}
		p := NewProbe(v)
		if c := m.Cosine(5, &p); c != c {
			t.Errorf("the cosine of %v is no number", v)
		}
	}
	m.Clear(5)
	if m.Has(5) || m.Rows() != 0 || m.Row(5) != nil {
		t.Error("a cleared row is still there")
	}
	if got := m.Nearest(Vector{1, 0, 0}, 3, nil); len(got) != 0 {
		t.Errorf("an empty matrix has the neighbours %v", got)
	}
}
