package engine

import (
	"hash/maphash"
	"sync"
)

// Cache remembers what was found in which message, so that a message is
// searched once in its life. It is keyed by the identity of the compiled book
// and a 128-bit hash of the message, bounded in memory, and safe for concurrent
// use by many assemblies. A result never depends on it.
//
// It holds two generations: when the young one is full it becomes the old one,
// and what is used moves back into the young one. So memory is bounded, and
// what was used in the last while stays.
type Cache struct {
	max int64 // of one generation, in bytes

	mu         sync.Mutex
	young, old map[cacheKey]*textHits
	size       int64 // of young

	hits, misses int64
}

// DefaultCacheSize is the memory bound of a cache, in bytes.
const DefaultCacheSize = 16 << 20

// NewCache returns a cache that keeps about size bytes. 0 means
// [DefaultCacheSize].
func NewCache(size int64) *Cache {
	if size <= 0 {
		size = DefaultCacheSize
	}
	return &Cache{max: size / 2, young: make(map[cacheKey]*textHits)}
}

// CacheStats says how a cache was used.
type CacheStats struct {
	Hits, Misses int64
	// Bytes is about what the cache holds.
	Bytes int64
}

// Stats returns counts since the cache was made.
func (c *Cache) Stats() CacheStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := CacheStats{Hits: c.hits, Misses: c.misses, Bytes: c.size}
	for _, h := range c.old {
		s.Bytes += h.size()
	}
	return s
}

// hash128 identifies a text. The seeds are chosen at random when the process
// starts, so that no text can be made to collide.
type hash128 [2]uint64

var hashSeeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

func hashText(s string) hash128 {
	return hash128{maphash.String(hashSeeds[0], s), maphash.String(hashSeeds[1], s)}
}

// hashSeam identifies a run of texts.
func hashSeam(texts []hash128) hash128 {
	var out hash128
	for i := range out {
		var h maphash.Hash
		h.SetSeed(hashSeeds[i])
		for _, t := range texts {
			maphash.WriteComparable(&h, t)
		}
		out[i] = h.Sum64()
	}
	return out
}

type cacheKey struct {
	serial uint64
	set    int8
	seam   bool
	hash   hash128
}

// textHits is what one automaton found in one text, or over the seam behind it.
type textHits struct {
	// folded is the length of the folded text, in bytes.
	folded int32
	hits   []textHit
}

// textHit is one key that occurs: its first verified occurrence, in bytes of
// the original text. For a seam, first and last are the texts in which the
// occurrence begins and ends, counted from the text before the seam.
type textHit struct {
	id         int32
	first      int32
	last       int32
	start, end int32
}

func (h *textHits) size() int64 { return 128 + int64(len(h.hits))*20 }

// get returns what is known, or nil. A nil cache knows nothing.
func (c *Cache) get(k cacheKey) *textHits {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	h, ok := c.young[k]
	if !ok {
		if h, ok = c.old[k]; ok {
			delete(c.old, k)
			c.put(k, h)
		}
	}
	if ok {
		c.hits++
	} else {
		c.misses++
	}
	return h
}

func (c *Cache) set(k cacheKey, h *textHits) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.young[k]; !ok {
		c.put(k, h)
	}
}

// put stores into the young generation; the caller holds the lock.
func (c *Cache) put(k cacheKey, h *textHits) {
	if c.size+h.size() > c.max {
		c.old, c.young, c.size = c.young, make(map[cacheKey]*textHits), 0
	}
	c.young[k] = h
	c.size += h.size()
}
