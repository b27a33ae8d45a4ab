package search

import (
	"context"
	"errors"
	"slices"
	"testing"
)

type byLength struct{ err error }

func (r byLength) Rerank(_ context.Context, _ string, texts []string) ([]float64, error) {
	var out []float64
	for _, s := range texts {
		out = append(out, float64(len(s)))
	}
	return out, r.err
}

func TestRerank(t *testing.T) {
	t.Parallel()
	hits := []Hit{{ID: "a"}, {ID: "bbb"}, {ID: "cc"}, {ID: "dddd"}}
	text := func(id string) string { return id }
	got, err := Rerank(t.Context(), byLength{}, "q", hits, 3, text)
	if err != nil {
		t.Fatal(err)
	}
	if list := found(Result{Hits: got}); !slices.Equal(list, []string{"bbb", "cc", "a", "dddd"}) || *got[0].Why.Rerank != 3 || got[3].Why.Rerank != nil {
		t.Errorf("got %v", list)
	}
	got, err = Rerank(t.Context(), byLength{errors.New("away")}, "q", hits, 3, text)
	if err == nil || !slices.Equal(found(Result{Hits: got}), []string{"a", "bbb", "cc", "dddd"}) {
		t.Errorf("a reranker that fails gives %v, %v", found(Result{Hits: got}), err)
	}
}
