// Package id makes identifiers: UUIDs of version 7 (RFC 9562) as text, which
// sort by the time at which they were made.
package id

import (
	"crypto/rand"
	"encoding/hex"
	"io"
	"sync"
	"time"
)

// Maker makes identifiers. The zero value uses the clock and the system's
// randomness. It is safe for concurrent use; two ids of one maker never repeat
// and always rise, also within a millisecond and when the clock jumps back.
type Maker struct {
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Random is the source of random bytes; nil means crypto/rand.
	Random io.Reader

	mu   sync.Mutex
	last int64  // milliseconds of the last id
	seq  uint16 // 12 bits, counts within a millisecond
}

var system Maker

// New returns an id of the clock and the system's randomness.
func New() string { return system.New() }

// New returns the next id.
func (m *Maker) New() string {
	var b [16]byte
	random := m.Random
	if random == nil {
		random = rand.Reader
	}
	if _, err := io.ReadFull(random, b[6:]); err != nil {
		panic("id: no randomness: " + err.Error()) // crypto/rand never fails
	}
	now := time.Now
	if m.Now != nil {
		now = m.Now
	}
	m.mu.Lock()
	ms := now().UnixMilli()
	switch {
	case ms > m.last:
		m.last, m.seq = ms, uint16(b[6]&0x07)<<8|uint16(b[7]) // leaves room to count up
	case m.seq < 0xfff:
		m.seq++
	default:
		m.last, m.seq = m.last+1, 0
	}
	ms, seq := m.last, m.seq
	m.mu.Unlock()

	for i := range 6 {
		b[i] = byte(ms >> (8 * (5 - i)))
	}
	b[6], b[7] = 0x70|byte(seq>>8), byte(seq)
	b[8] = 0x80 | b[8]&0x3f
	var out [36]byte
	hex.Encode(out[0:], b[0:4])
	out[8] = '-'
	hex.Encode(out[9:], b[4:6])
	out[13] = '-'
	hex.Encode(out[14:], b[6:8])
	out[18] = '-'
	hex.Encode(out[19:], b[8:10])
	out[23] = '-'
	hex.Encode(out[24:], b[10:16])
	return string(out[:])
}

// Valid reports whether s has the form of an id.
func Valid(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case c >= '0' && c <= '9', c >= 'a' && c <= 'f':
		default:
			return false
		}
	}
	return true
}
