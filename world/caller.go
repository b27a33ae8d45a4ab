package world

import (
	"context"

	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

// Caller is who asks. Without one, everything is allowed: the caller is the
// program itself.
type Caller struct {
	// User is the id of the user; what belongs to others is NotFound for them.
	User string
	// Name is written to the operations and revisions that the caller makes.
	Name string
	// Admin may do everything.
	Admin bool
}

// As returns a context in which a caller asks.
func As(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, &c)
}

type callerKey struct{}

// CallerOf returns who asks in a context; false if it is the program itself.
func CallerOf(ctx context.Context) (Caller, bool) {
	c, ok := ctx.Value(callerKey{}).(*Caller)
	if !ok {
		return Caller{}, false
	}
	return *c, true
}

// person returns the author of what the caller does.
func person(ctx context.Context) memory.Author {
	c, _ := CallerOf(ctx)
	return memory.Author{Kind: memory.ByPerson, Name: c.Name}
}

// Once makes a request safe to repeat. The first method that writes with it
// keeps its answer in its own transaction; asked again with the same key, it
// does nothing and returns a [*Repeated] error that holds the answer.
type Once struct {
	// Scope separates the keys of different users; Key is what the client sent.
	Scope, Key string
	// Request identifies the request, such as a hash of method, path and body.
	// The same key with another request is a Conflict.
	Request string
	// Render makes the answer of what the method returns (its first result; nil
	// if it returns an error only). Nil means status 200 and the value as JSON.
	Render func(result any) (store.Response, error)
}

// WithOnce returns a context for one method that writes.
func WithOnce(ctx context.Context, o Once) context.Context {
	return context.WithValue(ctx, onceKey{}, &o)
}

type onceKey struct{}

// Answered returns the answer that was given to a request with this key;
// NotFound if there was none.
func (s *Service) Answered(ctx context.Context, o Once) (store.Response, error) {
	var r store.Response
	err := s.db.View(ctx, func(tx *store.Tx) (err error) {
		r, err = tx.Response(o.Scope, o.Key, o.Request)
		return err
	})
	return r, err
}
