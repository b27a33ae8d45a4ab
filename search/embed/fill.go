package embed

import (
	"context"
	"fmt"
	"sync"
)

// Cache keeps vectors by model and by [Hash] of the text. A database is one.
type Cache interface {
	// Vectors returns the vectors that it has, by hash.
	Vectors(ctx context.Context, model string, hashes []string) (map[string]Vector, error)
	// PutVectors keeps vectors. Those that it has already may be kept or
	// replaced.
	PutVectors(ctx context.Context, model string, vectors map[string]Vector) error
}

// Source is a set of documents that want vectors. The search's index is one,
// but for the texts.
type Source interface {
	// WithoutVector returns the ids of at most n documents that have no vector
	// of the model, and how many there are.
	WithoutVector(model string, n int) (ids []string, all int)
	// Texts returns the texts of documents, in the same order. ok is false for
	// one that is gone.
	Texts(ctx context.Context, ids []string) (texts []string, ok []bool, err error)
	// SetVector gives a document its vector. It returns an error if the
	// document is gone.
	SetVector(model, id string, v Vector) error
}

// Fill gives the documents of a source the vectors of one model, a batch at a
// time. What an embedder answered is in the cache before it is used, so that
// a fill that was stopped, or failed, goes on without asking again.
type Fill struct {
	embedder Embedder
	cache    Cache
	batch    int
}

// NewFill returns a fill. batch is how many documents a step takes; 0 means
// 64. A nil cache keeps nothing.
func NewFill(e Embedder, c Cache, batch int) *Fill {
	if batch <= 0 {
		batch = 64
	}
	return &Fill{e, c, batch}
}

// Progress is what a step did.
type Progress struct {
	// Missing is how many documents have no vector after the step.
	Missing int
	// Cached and Asked are how many vectors came from the cache and from the
	// embedder, Gone how many documents had gone.
	Cached, Asked, Gone int
}

// Step takes one batch. When Missing is 0, all documents have vectors. After an
// error the same step may be tried again.
func (f *Fill) Step(ctx context.Context, s Source) (Progress, error) {
	model := f.embedder.Model()
	ids, all := s.WithoutVector(model, f.batch)
	if len(ids) == 0 {
		return Progress{}, nil
	}
	texts, ok, err := s.Texts(ctx, ids)
	if err != nil {
		return Progress{Missing: all}, err
	}
	if len(texts) != len(ids) || len(ok) != len(ids) {
		return Progress{Missing: all}, fmt.Errorf("embed: %d texts for %d documents", len(texts), len(ids))
	}
	p := Progress{Missing: all}
	hashes := make([]string, len(ids))
	for i := range ids {
		hashes[i] = Hash(texts[i])
	}
	known := map[string]Vector{}
	if f.cache != nil {
		if known, err = f.cache.Vectors(ctx, model, hashes); err != nil {
			return p, fmt.Errorf("embed: read the cache: %w", err)
		}
	}
	var asked []string
	want := map[string]int{}
	for i, h := range hashes {
		if !ok[i] || known[h] != nil {
			continue
		}
		if _, twice := want[h]; !twice {
			want[h] = len(asked)
			asked = append(asked, texts[i])
		}
	}
	fresh := map[string]Vector{}
	if len(asked) > 0 {
		vectors, err := f.embedder.Embed(ctx, asked)
		if err != nil {
			return p, err
		}
		if len(vectors) != len(asked) {
			return p, fmt.Errorf("embed: %s gave %d vectors for %d texts", model, len(vectors), len(asked))
		}
		for h, i := range want {
			fresh[h] = vectors[i]
		}
		if f.cache != nil {
			if err := f.cache.PutVectors(ctx, model, fresh); err != nil {
				return p, fmt.Errorf("embed: write the cache: %w", err)
			}
		}
	}
	for i, id := range ids {
		v := known[hashes[i]]
		switch {
		case !ok[i]:
			p.Gone++
			p.Missing--
			continue
		case v != nil:
			p.Cached++
		default:
			v = fresh[hashes[i]]
			p.Asked++
		}
		if err := s.SetVector(model, id, v); err != nil {
			// It has gone since; a document that is there and does not take the
			// vector would be asked for again and again.
			if left, _ := s.WithoutVector(model, 1); len(left) > 0 && left[0] == id {
				return p, err
			}
		}
		p.Missing--
	}
	return p, nil
}

// Models says which model's vectors answer while those of another one are made:
// the old ones serve until the new ones are complete. All methods may be called
// from several goroutines.
type Models struct {
	mu              sync.Mutex
	serving, wanted string
}

// NewModels returns the state in which a model serves; "" if none does yet.
func NewModels(serving string) *Models { return &Models{serving: serving, wanted: serving} }

// Want makes a model the wanted one. What was being made for another one is
// given up; its vectors stay in the cache.
func (m *Models) Want(model string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.wanted = model
}

// Serving returns the model whose vectors answer now; "" for none.
func (m *Models) Serving() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.serving
}

// Filling returns the model whose vectors are being made, or "".
func (m *Models) Filling() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.wanted == m.serving {
		return ""
	}
	return m.wanted
}

// Complete says that all documents have vectors of a model. If it is the wanted
// one it serves from now on, and the one that served before is returned: its
// vectors are of no more use.
func (m *Models) Complete(model string) (old string, changed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if model != m.wanted || model == m.serving {
		return "", false
	}
	old, m.serving = m.serving, model
	return old, true
}
