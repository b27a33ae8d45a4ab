package store

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// eventChannel is the channel of LISTEN and NOTIFY; the payload is a world.
const eventChannel = "weft_events"

// Subscription wakes a reader of events.
type Subscription struct {
	hub   *hub
	world string
	c     chan struct{}
}

// C receives a value after transactions with events of the world were
// committed, by this process or another; several may be one value. Now and then
// it receives one without cause. Read [Tx.Events] until it returns none, then
// wait for the next value.
func (s *Subscription) C() <-chan struct{} { return s.c }

// Close ends the subscription. It may be called twice.
func (s *Subscription) Close() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	delete(s.hub.subs[s.world], s)
	if len(s.hub.subs[s.world]) == 0 {
		delete(s.hub.subs, s.world)
	}
}

func (s *Subscription) wake() {
	select {
	case s.c <- struct{}{}:
	default: // it has not looked since the last one
	}
}

// hub knows who waits for events, and who for work.
type hub struct {
	// name tells this handle of the database from all others.
	name   string
	mu     sync.Mutex
	subs   map[string]map[*Subscription]struct{}
	work   map[*WorkSubscription]struct{}
	listen sync.Once
}

func newHub() *hub {
	return &hub{name: rand.Text(), subs: map[string]map[*Subscription]struct{}{}, work: map[*WorkSubscription]struct{}{}}
}

func (h *hub) add(world string) *Subscription {
	s := &Subscription{hub: h, world: world, c: make(chan struct{}, 1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.subs[world] == nil {
		h.subs[world] = map[*Subscription]struct{}{}
	}
	h.subs[world][s] = struct{}{}
	return s
}

func (h *hub) wake(world string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subs[world] {
		s.wake()
	}
}

func (h *hub) wakeAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, subs := range h.subs {
		for s := range subs {
			s.wake()
		}
	}
	for s := range h.work {
		s.wake()
	}
}

func (h *hub) close() { h.wakeAll() }

// Subscribe begins to watch the events of a world. Subscribe first and read
// events then, so that none is missed.
func (db *DB) Subscribe(world string) *Subscription {
	s := db.events.add(world)
	db.listen()
	return s
}

// listen begins to listen to other servers, once.
func (db *DB) listen() {
	if db.pool == nil {
		return
	}
	db.events.listen.Do(func() {
		db.done.Add(1)
		go func() {
			defer db.done.Done()
			db.listenForEver(db.ctx)
		}()
	})
}

// listenForEver passes on what other servers notify, over a connection of its
// own. Whenever it begins to listen it wakes everybody: what happened before
// was not heard.
func (db *DB) listenForEver(ctx context.Context) {
	const shortest, longest = 50 * time.Millisecond, 5 * time.Second
	pause := shortest
	for ctx.Err() == nil {
		began := time.Now()
		err := db.listenOnce(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > longest {
			pause = shortest
		}
		db.opts.Log.Warn("the connection that listens for events broke; it is made again", "error", err, "in", pause.String())
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
		pause = min(2*pause, longest)
	}
}

func (db *DB) listenOnce(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, db.pool.Config().ConnConfig)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "LISTEN "+eventChannel+"; LISTEN "+workChannel); err != nil {
		return err
	}
	db.events.wakeAll()
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		switch {
		case n.Channel == eventChannel:
			db.events.wake(n.Payload)
		case n.Payload != db.events.name: // ours were woken by the commit
			db.events.wakeWork()
		}
	}
}
