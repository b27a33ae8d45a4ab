package store

// workChannel is the channel of LISTEN and NOTIFY for work; the payload is the
// name of the handle that told of it.
const workChannel = "weft_work"

// WorkSubscription wakes those who do work.
type WorkSubscription struct {
	hub *hub
	c   chan struct{}
}

// SubscribeWork begins to watch for work, of all worlds. Subscribe first and
// look for work then, so that none is missed.
func (db *DB) SubscribeWork() *WorkSubscription {
	s := &WorkSubscription{hub: db.events, c: make(chan struct{}, 1)}
	db.events.mu.Lock()
	db.events.work[s] = struct{}{}
	db.events.mu.Unlock()
	db.listen()
	return s
}

// C receives a value after transactions were committed, by this process or
// another, that added work, freed some, or cancelled some; several may be one
// value. Now and then it receives one without cause.
func (s *WorkSubscription) C() <-chan struct{} { return s.c }

// Close ends the subscription. It may be called twice.
func (s *WorkSubscription) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	delete(s.hub.work, s)
}

func (s *WorkSubscription) wake() {
	select {
	case s.c <- struct{}{}:
	default: // it has not looked since the last one
	}
}

func (h *hub) wakeWork() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.work {
		s.wake()
	}
}
