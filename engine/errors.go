package engine

import (
	"errors"
	"fmt"

	"github.com/weft-memory/weft/weaver"
)

// EvalError is the error of a template of an entry.
type EvalError struct {
	Book, Entry string
	Err         error
}

// Error names the entry and what went wrong.
func (e *EvalError) Error() string {
	return fmt.Sprintf("entry %s: %v", EntryRef{e.Book, e.Entry}, e.Err)
}

// Unwrap returns the cause, usually a *weaver.Error.
func (e *EvalError) Unwrap() error { return e.Err }

// Kind returns the kind of the language's error, or HostError.
func (e *EvalError) Kind() weaver.ErrorKind {
	var w *weaver.Error
	if errors.As(e.Err, &w) {
		return w.Kind
	}
	return weaver.HostError
}

// HookError is the error of a lifecycle hook. It ends the assembly.
type HookError struct {
	// Plugin is the name of the hook's owner, Hook the point in the pipeline.
	Plugin string
	Hook   HookPoint
	Err    error
}

// Error names plugin and hook.
func (e *HookError) Error() string {
	return fmt.Sprintf("hook %s of plugin %q: %v", e.Hook, e.Plugin, e.Err)
}

// Unwrap returns the cause.
func (e *HookError) Unwrap() error { return e.Err }
