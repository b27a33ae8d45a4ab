package weaver

import (
	"math/bits"
	"math/rand/v2"
)

// Source is a source of random numbers. *rand.PCG and *rand.ChaCha8 of
// math/rand/v2 are such.
type Source interface {
	// Uint64 returns 64 random bits.
	Uint64() uint64
}

// NewSource returns the source that an evaluation with this seed uses.
func NewSource(seed uint64) Source { return rand.NewPCG(seed, seedStream) }

// seedStream is the second half of every seed; an arbitrary constant that
// must not change, or the same seed would roll other numbers.
const seedStream = 0x7765_6176_6572_2e31

// IntRange draws a whole number from lo to hi, both included, each equally
// likely. If hi is below lo the two are swapped. It draws from src at least
// once, also when lo equals hi, so that later draws do not depend on the
// range.
func IntRange(src Source, lo, hi int64) int64 {
	if hi < lo {
		lo, hi = hi, lo
	}
	n := uint64(hi) - uint64(lo) + 1
	x := src.Uint64()
	if n == 0 { // the whole range of int64
		return int64(x)
	}
	// Multiply and reject: D. Lemire, "Fast Random Integer Generation in an
	// Interval", ACM TOMACS 29 (2019).
	high, low := bits.Mul64(x, n)
	if low < n {
		for threshold := -n % n; low < threshold; {
			high, low = bits.Mul64(src.Uint64(), n)
		}
	}
	return int64(uint64(lo) + high)
}
