package world

import (
	"context"
	"errors"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

// The kinds of error beside those of the store ([store.NotFound],
// [store.Exists], [store.Conflict], [store.Invalid], [store.Quota], …).
const (
	// Forbidden: the caller may not do this, see [As].
	Forbidden store.Kind = "forbidden"
	// Busy: it cannot be done at the moment. Try again.
	Busy store.Kind = "busy"
	// Unreadable: a file is of no known format, or damaged.
	Unreadable store.Kind = "unreadable"
	// Failed: a plugin's hook, or the strict mode of the engine, ended an
	// assembly.
	Failed store.Kind = "failed"
)

// KindOf returns the kind of an error: what a caller can act on. It is "" for
// nil, for the end of a context, and for faults of the program.
func KindOf(err error) store.Kind {
	if kind := store.KindOf(err); kind != "" {
		return kind
	}
	var unknown *format.UnknownFormatError
	var hook *engine.HookError
	var eval *engine.EvalError
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return ""
	case errors.Is(err, memory.ErrInvalid):
		return store.Invalid
	case errors.As(err, &unknown):
		return Unreadable
	case errors.As(err, &hook), errors.As(err, &eval):
		return Failed
	}
	return ""
}

// Repeated is the error of a request that was answered before, see [Once].
type Repeated struct {
	Response store.Response
}

func (e *Repeated) Error() string { return "this request was answered before" }
