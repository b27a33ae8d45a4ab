package embed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
)

// Vector is the place of a text in the space of a model. Vectors of an
// [Embedder] have length 1, or 0 for a text that says nothing.
type Vector []float32

// Embedder makes vectors of texts.
type Embedder interface {
	// Embed returns the vector of each text. It may be called from several
	// goroutines.
	Embed(ctx context.Context, texts []string) ([]Vector, error)
	// Model names the model, with whatever else changes its vectors. Vectors
	// of different models do not compare.
	Model() string
	// Dimensions is the length of its vectors as lists; 0 if it is not known
	// before the first answer.
	Dimensions() int
}

// Instant is implemented by embedders that work in the process, so fast that
// their vectors need not be kept.
type Instant interface {
	Embedder
	// EmbedText returns the vector of one text.
	EmbedText(text string) Vector
}

// Bag is implemented by embedders that average the words of a text: the longer
// the text, the less its vector says.
type Bag interface {
	Embedder
	// Clear is about how many words of content a text may have before its
	// vector blurs.
	Clear() int
}

// Hash returns the name of a text in a [Cache].
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// Normalize scales a vector to length 1 in place, and reports whether it had
// any length. Numbers that are none become 0.
func (v Vector) Normalize() bool {
	sum := 0.0
	for i, x := range v {
		if f := float64(x); math.IsNaN(f) || math.IsInf(f, 0) {
			v[i] = 0
			continue
		}
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return false
	}
	f := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= f
	}
	return true
}

// Dot returns the cosine of two vectors of length 1; 0 if they do not have the
// same dimensions.
func Dot(a, b Vector) float32 {
	if len(a) != len(b) {
		return 0
	}
	var s float32
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}
