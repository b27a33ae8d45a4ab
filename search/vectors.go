package search

import (
	"fmt"

	"github.com/weft-memory/weft/search/embed"
)

// SetVector gives a document a vector of a model, of length 1. A document that
// is put again loses its vectors.
func (x *Index) SetVector(model, id string, vector embed.Vector) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	slot, ok := x.slot(id)
	if !ok {
		return fmt.Errorf("search: no document %q", id)
	}
	if len(vector) == 0 {
		return fmt.Errorf("search: the vector of document %q is empty", id)
	}
	m := x.vectors[model]
	if m == nil {
		m = embed.NewMatrix(len(vector))
		x.vectors[model] = m
	}
	return m.Set(int(slot), vector)
}

// DropVectors forgets all vectors of a model.
func (x *Index) DropVectors(model string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.vectors, model)
}

// WithoutVector returns the ids of at most n documents that have no vector of
// a model, in the order in which they were put, and how many there are.
func (x *Index) WithoutVector(model string, n int) (ids []string, all int) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	m := x.vectors[model]
	for slot := range x.docs {
		if x.docs[slot].kind == 0 || m != nil && m.Has(slot) {
			continue
		}
		if all++; len(ids) < n {
			ids = append(ids, x.docs[slot].id)
		}
	}
	return ids, all
}
