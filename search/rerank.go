package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// Reranker reads texts and says how well each answers a query: a model at an
// endpoint. The greater its score, the better.
type Reranker interface {
	Rerank(ctx context.Context, query string, texts []string) ([]float64, error)
}

// Rerank puts the first top hits into the order of a reranker, ties in the
// order in which they were, and notes its score in [Why].Rerank. The other hits
// follow as they are. text returns the text of a document. After an error the
// hits are returned as they came, so that a search still answers.
func Rerank(ctx context.Context, r Reranker, query string, hits []Hit, top int, text func(id string) string) ([]Hit, error) {
	top = min(max(top, 0), len(hits))
	if top < 2 {
		return hits, nil
	}
	texts := make([]string, top)
	for i, h := range hits[:top] {
		texts[i] = text(h.ID)
	}
	scores, err := r.Rerank(ctx, query, texts)
	if err != nil {
		return hits, fmt.Errorf("search: rerank: %w", err)
	}
	if len(scores) != top {
		return hits, fmt.Errorf("search: rerank: %d scores for %d texts", len(scores), top)
	}
	out := slices.Clone(hits)
	for i, score := range scores {
		out[i].Why.Rerank = &score
	}
	slices.SortStableFunc(out[:top], func(a, b Hit) int { return cmp.Compare(*b.Why.Rerank, *a.Why.Rerank) })
	return out, nil
}
