package engine

import "math/bits"

// Source is a source of random numbers.
type Source interface {
	// Float64 returns a number from 0 up to, but not including, 1.
	Float64() float64
}

// List returns a source that gives the numbers in turn, and rest when they are
// used up. It is for tests and for replaying recorded draws, and not safe for
// concurrent use.
func List(rest float64, numbers ...float64) Source { return &listSource{numbers, rest} }

type listSource struct {
	numbers []float64
	rest    float64
}

func (l *listSource) Float64() float64 {
	if len(l.numbers) == 0 {
		return l.rest
	}
	n := l.numbers[0]
	l.numbers = l.numbers[1:]
	return n
}

// stream is a small generator (SplitMix64, by Steele, Lea and Flood, 2014)
// whose whole state is one word, so that each entry can have its own.
type stream struct{ state uint64 }

// newStream returns the stream of a purpose of an entry: different for each
// seed, book, entry and purpose, and independent of all other entries.
func newStream(seed uint64, book, entry, purpose string) *stream {
	return &stream{state: streamSeed(seed, book, entry, purpose)}
}

// streamSeed returns where such a stream begins.
func streamSeed(seed uint64, book, entry, purpose string) uint64 {
	h := fnv1a(fnv1a(fnv1a(fnvOffset, book), entry), purpose)
	return mix(seed) ^ bits.RotateLeft64(mix(h), 17)
}

// The 64-bit hash FNV-1a, by Fowler, Noll and Vo, with a byte after each text
// that no UTF-8 text holds.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

func fnv1a(h uint64, s string) uint64 {
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * fnvPrime
	}
	return (h ^ 0xff) * fnvPrime
}

func mix(z uint64) uint64 {
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// Uint64 returns the next 64 bits.
func (s *stream) Uint64() uint64 {
	s.state += 0x9e3779b97f4a7c15
	return mix(s.state)
}

// Float64 returns the next number from 0 up to, but not including, 1.
func (s *stream) Float64() float64 { return float64(s.Uint64()>>11) / (1 << 53) }
