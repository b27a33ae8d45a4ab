package jobs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
)

// Handler does a piece of work. It should end soon after its context does, and
// is left behind if it does not, see [Options].Grace. An error, or a panic, is a
// failed attempt. nil without [Job.Finish] ends the work too, in a transaction
// of its own.
type Handler func(ctx context.Context, j *Job) error

// Kind says how work of a name is done.
type Kind struct {
	// Name has letters, digits, dots, dashes and underscores.
	Name   string
	Handle Handler
	// Attempts is how often work is tried. Defaults to 5.
	Attempts int
	// Timeout bounds an attempt. Defaults to 10 minutes; negative is none.
	Timeout time.Duration
	// Backoff returns how long to wait after failed attempt n, counted from 1; a
	// fifth more or less is added at random. Defaults to [Backoff].
	Backoff func(n int) time.Duration
	// Priority: higher is done first, except within a conversation. Defaults to
	// 0.
	Priority int
}

// The defaults of [Kind].
const (
	DefaultAttempts = 5
	DefaultTimeout  = 10 * time.Minute
)

// Backoff waits 1, 4, 16, 64, 256 seconds, and 10 minutes from then on.
func Backoff(n int) time.Duration {
	const most = 10 * time.Minute
	if n > 5 {
		return most
	}
	return time.Second << (2 * (max(n, 1) - 1))
}

func (k *Kind) check() error {
	if k.Name == "" || len(k.Name) > 100 {
		return fmt.Errorf("the name of a kind of work has 1 to 100 bytes, not %d", len(k.Name))
	}
	for _, c := range k.Name {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '-', c == '_':
		default:
			return fmt.Errorf("the name of a kind of work has letters, digits, dots, dashes and underscores, not %q", c)
		}
	}
	if k.Handle == nil {
		return fmt.Errorf("the kind of work %s has no handler", k.Name)
	}
	if k.Attempts <= 0 {
		k.Attempts = DefaultAttempts
	}
	if k.Timeout == 0 {
		k.Timeout = DefaultTimeout
	}
	if k.Backoff == nil {
		k.Backoff = Backoff
	}
	return nil
}

// jitter returns a wait, a fifth more or less.
func jitter(d time.Duration, r *rand.Rand) time.Duration {
	if d <= 0 {
		return 0
	}
	return time.Duration(float64(d) * (0.8 + 0.4*r.Float64()))
}

// Permanent marks an error that another attempt would meet again: the work
// fails at once.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &failure{err: err, permanent: true}
}

// RetryAfter marks an error that says when the next attempt makes sense. It is
// the last one all the same if there are no more.
func RetryAfter(err error, wait time.Duration) error {
	if err == nil {
		return nil
	}
	return &failure{err: err, wait: max(wait, 0), timed: true}
}

// failure is an error with what to do about it.
type failure struct {
	err              error
	permanent, timed bool
	wait             time.Duration
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// The causes for which the context of a handler ends, beside its timeout, as
// [context.Cause] returns them.
var (
	// ErrCancelled: the work was cancelled or erased.
	ErrCancelled = errors.New("the work was cancelled")
	// ErrLost: another queue may have taken the work over, since this one could
	// not reach the database.
	ErrLost = errors.New("the work was taken over, or may have been")
	// ErrClosed: the queue closes.
	ErrClosed = errors.New("the queue of work closes")
	// ErrTimeout: the attempt took longer than its kind allows.
	ErrTimeout = errors.New("the attempt took too long")
)
