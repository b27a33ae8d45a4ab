package engine

// Cache remembers what was found in which message, so that a message is
// searched once in its life. It is keyed by the identity of the compiled book
// and the content of the message, bounded in memory, and safe for concurrent
// use by many assemblies. A result never depends on it.
type Cache struct {
	max int64
}

// DefaultCacheSize is the memory bound of a cache, in bytes.
const DefaultCacheSize = 16 << 20

// NewCache returns a cache that keeps about size bytes. 0 means
// [DefaultCacheSize].
func NewCache(size int64) *Cache {
	if size <= 0 {
		size = DefaultCacheSize
	}
	return &Cache{max: size}
}
