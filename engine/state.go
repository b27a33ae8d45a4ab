package engine

import (
	"maps"
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
)

// State is what an activation engine remembers of a conversation: counters and
// variables. It is a value: no function changes a State that it was given, so
// one may be kept with each reply and the conversation resumed from any of
// them. It marshals to JSON and back.
type State struct {
	// Turn is the number of the turn; 0 before the first [Engine.Advance].
	Turn int `json:"turn"`
	// Books holds the counters by book id.
	Books map[string]BookState `json:"books,omitempty"`
	// Vars holds the variables of writable namespaces.
	Vars map[string]map[string]weaver.Value `json:"vars,omitempty"`
	// Pending are entries that were triggered but not yet looked at; they wait
	// for another assembly of the same turn.
	Pending []EntryRef `json:"pending,omitempty"`
}

// BookState holds the counters of one book, by entry id.
type BookState struct {
	// Sticky is for how many turns more an entry stays, the present one
	// included.
	Sticky map[string]int `json:"sticky,omitempty"`
	// Last is the turn in which an entry was last found.
	Last map[string]int `json:"last,omitempty"`
	// Kept and Used are the turns in which entries with keep or once were
	// found.
	Kept map[string]int `json:"kept,omitempty"`
	Used map[string]int `json:"used,omitempty"`
	// StickyUntil and CooldownUntil are the records of dialects that count
	// messages.
	StickyUntil   map[string]MessageTimer `json:"sticky_until,omitempty"`
	CooldownUntil map[string]MessageTimer `json:"cooldown_until,omitempty"`
}

// MessageTimer is an effect that lasts for a span of the chat's length.
type MessageTimer struct {
	// Hash identifies the content of the entry at the time.
	Hash uint64 `json:"hash"`
	// Start and End are lengths of the chat in messages.
	Start int `json:"start"`
	End   int `json:"end"`
	// Protected keeps the record when the chat becomes shorter.
	Protected bool `json:"protected,omitempty"`
}

// With returns the state with a variable set, whatever the access rules: the
// host may set anything.
func (s State) With(scope, name string, v weaver.Value) State {
	vars := maps.Clone(s.Vars)
	if vars == nil {
		vars = make(map[string]map[string]weaver.Value)
	}
	m := maps.Clone(vars[scope])
	if m == nil {
		m = make(map[string]weaver.Value)
	}
	m[name] = v
	vars[scope] = m
	s.Vars = vars
	return s
}

// Restore returns the state with the variables of an export: the namespaces in
// it are replaced as a whole, others are left.
func (s State) Restore(vars map[string]map[string]weaver.Value) State {
	out := maps.Clone(s.Vars)
	if out == nil {
		out = make(map[string]map[string]weaver.Value, len(vars))
	}
	for scope, m := range vars {
		out[scope] = maps.Clone(m)
	}
	s.Vars = out
	return s
}

// Persistent returns the variables that outlive the process: those of state
// and of every namespace that is writable for some book of the index, without
// turn-local ones and names beginning with an underscore. Empty namespaces are
// left out.
func (e *Engine) Persistent(ix *Index, s State) map[string]map[string]weaver.Value {
	out := make(map[string]map[string]weaver.Value)
	for scope, m := range s.Vars {
		if len(m) > 0 && !strings.HasPrefix(scope, "_") && !e.isTurnLocal(scope) && e.writable(ix, scope) {
			out[scope] = maps.Clone(m)
		}
	}
	return out
}

func (e *Engine) isTurnLocal(scope string) bool {
	for _, s := range e.turnLocal {
		if s == scope {
			return true
		}
	}
	return false
}

// writable reports whether some book may write a namespace.
func (e *Engine) writable(ix *Index, scope string) bool {
	if n, ok := e.namespaces[scope]; ok {
		return n.Access == lore.ReadWrite
	}
	for _, v := range ix.views {
		if v.base.book.Namespaces[scope].Access == lore.ReadWrite {
			return true
		}
	}
	return false
}

// advance moves the counters of a state to the next turn.
func (e *Engine) advance(ix *Index, s State) State {
	s.Turn++
	s.Pending = nil
	if len(s.Books) > 0 {
		books := make(map[string]BookState, len(s.Books))
		for id, b := range s.Books {
			b.Sticky = decrement(b.Sticky)
			if v := ix.book(id); v != nil && !e.opts.KeepCounters {
				b.Last = v.remembered(b.Last, s.Turn)
			}
			books[id] = b
		}
		s.Books = books
	}
	for _, scope := range e.turnLocal {
		if len(s.Vars[scope]) > 0 {
			s.Vars = maps.Clone(s.Vars)
			delete(s.Vars, scope)
		}
	}
	return s
}

// decrement returns the counters that are above 1, less 1.
func decrement(m map[string]int) map[string]int {
	var out map[string]int
	for id, n := range m {
		if n > 1 {
			if out == nil {
				out = make(map[string]int, len(m))
			}
			out[id] = n - 1
		}
	}
	return out
}

// remembered returns the turns that a rule will still read.
func (v *view) remembered(last map[string]int, turn int) map[string]int {
	t := timersOf(v.policy())
	out := maps.Clone(last)
	for id, n := range out {
		if e := v.entry(id); e == nil || !t.remembers(e, n, turn) {
			delete(out, id)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
