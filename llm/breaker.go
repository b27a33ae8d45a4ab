package llm

import (
	"fmt"
	"sync"
	"time"
)

// breaker keeps requests from an endpoint that fails. Closed, it lets all
// through; after a number of failures in a row it opens; after a while it lets
// one request through, whose outcome decides.
type breaker struct {
	limit    int
	cooldown time.Duration

	mu       sync.Mutex
	failures int
	opens    int // in a row
	until    time.Time
	probing  bool
}

// BreakerState is what a breaker does just now.
type BreakerState string

// The states of a breaker.
const (
	BreakerClosed   BreakerState = "closed"
	BreakerOpen     BreakerState = "open"
	BreakerHalfOpen BreakerState = "half-open"
)

// enter asks for a way through. The caller must call the returned function with
// the outcome: nil if the endpoint is well, an error if it is ill; abandoned if
// nothing can be said.
func (b *breaker) enter() (done func(outcome), err *Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	probe := false
	if !b.until.IsZero() {
		if wait := time.Until(b.until); wait > 0 {
			return nil, &Error{Kind: KindBreaker, RetryAfter: wait, Message: fmt.Sprintf("it failed %d times in a row; next attempt in %s", b.failures, wait.Round(time.Second))}
		}
		if b.probing {
			return nil, &Error{Kind: KindBreaker, Message: "it failed; one request is trying it just now"}
		}
		b.probing, probe = true, true
	}
	var once sync.Once
	return func(o outcome) {
		once.Do(func() { b.leave(probe, o) })
	}, nil
}

type outcome int

const (
	well outcome = iota
	ill
	abandoned
)

func (b *breaker) leave(probe bool, o outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if probe {
		b.probing = false
	}
	switch o {
	case well:
		b.failures, b.opens, b.until = 0, 0, time.Time{}
	case ill:
		b.failures++
		if b.limit > 0 && b.failures >= b.limit && (probe || b.until.IsZero()) {
			wait := b.cooldown << min(b.opens, 4)
			b.opens++
			b.until = time.Now().Add(min(wait, 10*b.cooldown))
		}
	}
}

func (b *breaker) state() BreakerState {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.until.IsZero():
		return BreakerClosed
	case time.Now().Before(b.until):
		return BreakerOpen
	}
	return BreakerHalfOpen
}
