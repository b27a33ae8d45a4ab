package world

import (
	"container/list"
	"sync"
)

// lru keeps the last used values, at most size of them. It is safe for
// concurrent use.
type lru[K comparable, V any] struct {
	size int

	mu     sync.Mutex
	byKey  map[K]*list.Element
	recent *list.List
}

type lruItem[K comparable, V any] struct {
	key   K
	value V
}

func newLRU[K comparable, V any](size int) *lru[K, V] {
	return &lru[K, V]{size: size, byKey: map[K]*list.Element{}, recent: list.New()}
}

func (l *lru[K, V]) get(key K) (v V, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.byKey[key]
	if e == nil {
		return v, false
	}
	l.recent.MoveToFront(e)
	return e.Value.(*lruItem[K, V]).value, true
}

func (l *lru[K, V]) put(key K, v V) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.byKey[key]; e != nil {
		e.Value.(*lruItem[K, V]).value = v
		l.recent.MoveToFront(e)
		return
	}
	l.byKey[key] = l.recent.PushFront(&lruItem[K, V]{key, v})
	for l.recent.Len() > l.size {
		last := l.recent.Back()
		delete(l.byKey, last.Value.(*lruItem[K, V]).key)
		l.recent.Remove(last)
	}
}

func (l *lru[K, V]) remove(key K) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.byKey[key]; e != nil {
		delete(l.byKey, key)
		l.recent.Remove(e)
	}
}

func (l *lru[K, V]) len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.recent.Len()
}

// each calls fn for every key and value, in no order.
func (l *lru[K, V]) removeIf(fits func(K, V) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, e := range l.byKey {
		if fits(key, e.Value.(*lruItem[K, V]).value) {
			delete(l.byKey, key)
			l.recent.Remove(e)
		}
	}
}
