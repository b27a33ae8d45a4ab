package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weft-memory/weft/store"
)

// Options configure a Queue. The zero value is fit for use.
type Options struct {
	// Workers is how many pieces of work are done at a time. Defaults to 16.
	Workers int
	// Lease is how long the beat of work may stand still before it is taken
	// back from its owner. Raise it where the database is often out of reach
	// for longer. Defaults to 15 s.
	Lease time.Duration
	// Poll is how often the queue looks for work that nothing told it of: that
	// is so only after a connection broke or the clock jumped. Defaults to 5 s.
	Poll time.Duration
	// Grace is how long a handler may go on when its context has ended; then its
	// work is ended without it. Defaults to 10 s.
	Grace time.Duration
	// Rand spreads the waits before further attempts. Defaults to one with a
	// random seed. The queue is its only user then.
	Rand *rand.Rand
	// Log takes what has no caller to go to. Defaults to slog.Default().
	Log *slog.Logger
}

// Queue does the work of one process. It is safe for concurrent use.
type Queue struct {
	db    *store.DB
	opts  Options
	owner string

	// ctx is that of all handlers; stop ends it.
	ctx  context.Context
	stop context.CancelCauseFunc

	mu      sync.Mutex
	kinds   map[string]*Kind
	names   []string
	held    map[holding]*Job
	started bool
	closed  bool
	fault   error // of the last look for work

	sub     *store.WorkSubscription
	freed   chan struct{} // a hand is free
	closing chan struct{} // no new work
	ended   chan struct{} // nothing is held any more
	runner  sync.WaitGroup
	keeper  sync.WaitGroup
	hands   sync.WaitGroup // handlers, and what goes with them

	// test, where set, is called at named steps; crashed drops all that the
	// queue holds, as the end of a process would.
	test    func(step string)
	crashed atomic.Bool
}

// holding is a piece of work that the queue does.
type holding struct {
	id    string
	token int64
}

// Open returns a queue over a database. It does nothing until it is started,
// but work may be added. The database stays the caller's: close the queue first.
func Open(db *store.DB, opts Options) (*Queue, error) {
	for _, d := range []struct {
		of    *time.Duration
		value time.Duration
	}{{&opts.Lease, 15 * time.Second}, {&opts.Poll, 5 * time.Second}, {&opts.Grace, 10 * time.Second}} {
		if *d.of <= 0 {
			*d.of = d.value
		}
	}
	if opts.Workers <= 0 {
		opts.Workers = 16
	}
	if opts.Workers > 1000 {
		return nil, fmt.Errorf("a queue of work has up to 1000 workers, not %d", opts.Workers)
	}
	if opts.Rand == nil {
		opts.Rand = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	q := &Queue{
		db: db, opts: opts, owner: db.WorkOwner(), kinds: map[string]*Kind{}, held: map[holding]*Job{},
		freed: make(chan struct{}, 1), closing: make(chan struct{}), ended: make(chan struct{}),
	}
	q.ctx, q.stop = context.WithCancelCause(context.Background())
	return q, nil
}

// Register tells how work of a kind is done. Work of kinds that no server knows
// stays queued. A name that is taken is an error.
func (q *Queue) Register(kinds ...Kind) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, k := range kinds {
		if err := k.check(); err != nil {
			return err
		}
		if q.kinds[k.Name] != nil {
			return fmt.Errorf("the kind of work %s is there already", k.Name)
		}
		q.kinds[k.Name] = &k
		q.names = append(q.names, k.Name)
	}
	q.free()
	return nil
}

// Spec describes work to be added.
type Spec struct {
	// Kind is one that was registered.
	Kind string
	// World is the world that it belongs to; [store.System] is the server.
	World string
	// Conversation gives it a place in the order of a conversation, with which
	// it is erased. Work that quotes a conversation shall have one.
	Conversation string
	// Node is the message that it is done for: it is cancelled when the
	// conversation no longer shows that.
	Node string
	// Key keeps the same work from being added twice: with one that is queued,
	// runs or is done nothing is added. With Again only one that is queued
	// counts, for work that looks at what is there when it begins.
	Key   string
	Again bool
	// Payload is written as JSON, at most [store.MaxWorkPayload] bytes. Keep ids
	// in it rather than texts.
	Payload any
	// At is when it may begin; the zero time is at once. After is how long it
	// waits, for which a clock that jumps back does no harm.
	At    time.Time
	After time.Duration
	// Attempts and Priority override those of the kind, if not 0.
	Attempts, Priority int
}

// Enqueue adds work in the transaction that causes it; see [store.Tx.AddWork].
// It is begun a few milliseconds after the commit, if a hand is free. fresh is
// false if there is such work already, which is returned.
func (q *Queue) Enqueue(tx *store.Tx, s Spec) (w store.Work, fresh bool, err error) {
	q.mu.Lock()
	k := q.kinds[s.Kind]
	q.mu.Unlock()
	if k == nil {
		return w, false, store.Errorf(store.Invalid, "there is no kind of work %q", s.Kind)
	}
	w = store.Work{
		World: s.World, Conversation: s.Conversation, Node: s.Node, Kind: s.Kind, Key: s.Key,
		Priority: k.Priority, Attempts: k.Attempts,
	}
	if w.Payload, err = json.Marshal(s.Payload); err != nil {
		return w, false, fmt.Errorf("the payload of %s: %w", s.Kind, err)
	}
	if !s.At.IsZero() {
		w.Due = s.At.UnixMicro()
	}
	if s.Attempts > 0 {
		w.Attempts = s.Attempts
	}
	if s.Priority != 0 {
		w.Priority = s.Priority
	}
	return tx.AddWork(w, s.After.Microseconds(), s.Again)
}

// Start begins to do work. It may be called twice; after Close it does nothing.
func (q *Queue) Start() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.started || q.closed {
		return
	}
	q.started = true
	q.sub = q.db.SubscribeWork()
	q.runner.Add(1)
	go q.run()
	q.keeper.Add(1)
	go q.keep()
}

// Close ends the queue. It begins no new work, waits for what runs until the
// context ends, and then ends the contexts of the handlers; their work is queued
// again. It returns when all handlers have ended; of those that do not within
// [Options].Grace, an error tells. It may be called twice.
func (q *Queue) Close(ctx context.Context) error {
	q.mu.Lock()
	first, started := !q.closed, q.started
	q.closed = true
	q.mu.Unlock()
	if !first || !started {
		q.stop(ErrClosed)
		return nil
	}
	close(q.closing)
	q.hook("closing")
	idle := make(chan struct{})
	go func() { // ends when the last handler does
		q.runner.Wait()
		q.hands.Wait()
		close(idle)
	}()
	select {
	case <-idle:
	case <-ctx.Done():
	}
	q.stop(ErrClosed)
	// Each piece of work ends within the grace, or is ended without its handler.
	last := time.NewTimer(q.opts.Grace + settleTime)
	defer last.Stop()
	var err error
	select {
	case <-idle:
	case <-last.C:
		err = errors.New("some work did not stop: its handlers ignore the end of their context")
	}
	close(q.ended)
	q.keeper.Wait()
	q.sub.Close()
	q.giveBackAll()
	return err
}

// free says that a hand is free.
func (q *Queue) free() {
	select {
	case q.freed <- struct{}{}:
	default:
	}
}

func (q *Queue) hook(step string) {
	if q.test != nil {
		q.test(step)
	}
}

// Status says how a queue does.
type Status struct {
	// Started is false before Start and after Close.
	Started bool
	// Running is how much is being done here, of Workers at a time.
	Running, Workers int
	// Err is why the queue could not look for work the last time; nil if it
	// could.
	Err error
}

// Status says how the queue does.
func (q *Queue) Status() Status {
	q.mu.Lock()
	defer q.mu.Unlock()
	return Status{Started: q.started && !q.closed, Running: len(q.held), Workers: q.opts.Workers, Err: q.fault}
}
