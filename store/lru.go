package store

import (
	"container/list"
	"sync"
)

// lru remembers values up to a total weight, those that were used last. What it
// holds is shared and never changed.
type lru[K comparable, V any] struct {
	limit int

	mu     sync.Mutex
	weight int
	byKey  map[K]*list.Element
	recent *list.List // of *lruItem, the newest first
}

type lruItem[K comparable, V any] struct {
	key    K
	value  V
	weight int
}

func newLRU[K comparable, V any](limit int) *lru[K, V] {
	return &lru[K, V]{limit: limit, byKey: map[K]*list.Element{}, recent: list.New()}
}

func (c *lru[K, V]) get(key K) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.byKey[key]
	if e == nil {
		return v, false
	}
	c.recent.MoveToFront(e)
	return e.Value.(*lruItem[K, V]).value, true
}

// put remembers a value in place of an earlier one. What is heavier than the
// limit is not remembered.
func (c *lru[K, V]) put(key K, v V, weight int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(c.byKey[key])
	if weight > c.limit {
		return
	}
	c.byKey[key] = c.recent.PushFront(&lruItem[K, V]{key, v, weight})
	c.weight += weight
	for c.weight > c.limit {
		c.remove(c.recent.Back())
	}
}

func (c *lru[K, V]) remove(e *list.Element) {
	if e == nil {
		return
	}
	item := c.recent.Remove(e).(*lruItem[K, V])
	delete(c.byKey, item.key)
	c.weight -= item.weight
}

// forget drops the values whose key is chosen.
func (c *lru[K, V]) forget(chosen func(K) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, e := range c.byKey {
		if chosen(key) {
			c.remove(e)
		}
	}
}
