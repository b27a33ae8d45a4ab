package tokens

import (
	"hash/maphash"
	"sync"
)

// cacheEntries is how many counts an encoder remembers. An entry takes about
// 50 bytes, so a full cache takes less than 2 MB.
const cacheEntries = 32 << 10

// key identifies a text by two independent hashes, so that two texts of a
// running program never share a key in practice.
type key struct{ a, b uint64 }

var seedA, seedB = maphash.MakeSeed(), maphash.MakeSeed()

func keyOf(text string) key {
	return key{maphash.String(seedA, text), maphash.String(seedB, text)}
}

// cache is a map of bounded size. It keeps two generations: when the young one
// is full it becomes the old one and what was old is dropped. A hit in the old
// generation moves the entry to the young one, so what is used stays.
type cache struct {
	mu         sync.Mutex
	half       int
	young, old map[key]int
}

func newCache(entries int) *cache {
	return &cache{half: max(1, entries/2)}
}

func (c *cache) get(k key) (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, ok := c.young[k]; ok {
		return n, true
	}
	n, ok := c.old[k]
	if ok {
		c.add(k, n)
	}
	return n, ok
}

func (c *cache) put(k key, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(k, n)
}

func (c *cache) add(k key, n int) {
	if len(c.young) >= c.half {
		c.old, c.young = c.young, nil
	}
	if c.young == nil {
		c.young = make(map[key]int)
	}
	c.young[k] = n
}

func (c *cache) len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.young) + len(c.old)
}
