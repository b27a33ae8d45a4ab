// Package failpoint lets a test end the program in the middle of what it does.
// The program calls a function at every step that writes; only the main function
// of a test ever sets one.
package failpoint

import "sync/atomic"

var hook atomic.Pointer[func(step string)]

// Set makes fn the function that is called at every step. Call it before the
// program begins.
func Set(fn func(step string)) { hook.Store(&fn) }

// Hook returns the function that was set; nil if none was, as in every program
// but a test.
func Hook() func(step string) {
	if fn := hook.Load(); fn != nil {
		return *fn
	}
	return nil
}
