package engine

import (
	"slices"
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/match"
)

// needsSweeps reports whether an entry has a rule that only the scan in sweeps
// knows: an exclusive group, a level of recursion, recursion of its own, timers
// that count messages, or macros in keys.
func (e *entry) needsSweeps() bool {
	switch p := &e.seg.book.Policy; {
	case e.Inclusion != nil, e.Recursion.Level > 0, e.Recursion.Override != nil && *e.Recursion.Override:
		return true
	case p.Timers == lore.TimersMessages && (e.Sticky > 0 || e.Cooldown > 0):
		return true
	case p.Language == lore.LangTavern:
		if withMacro(e.Keys) {
			return true
		}
		for _, c := range e.Clauses {
			if withMacro(c.Keys) {
				return true
			}
		}
	}
	return false
}

// withMacro reports whether one of the keys has a macro in it.
func withMacro(keys []lore.Key) bool {
	return slices.ContainsFunc(keys, func(k lore.Key) bool { return strings.Contains(k.Text, "{{") })
}

// late reports whether an entry has a primary key that no automaton proposes,
// or not for every place where it may occur.
func (e *entry) late() bool {
	if e.always {
		return true
	}
	for i := range e.keys {
		if e.keys[i].seamy || e.dynamic(&e.Keys[i]) {
			return true
		}
	}
	return false
}

// dynamic reports whether a key is not what it will be when it is compared:
// SillyTavern resolves macros in keys and trims them.
func (e *entry) dynamic(k *lore.Key) bool {
	if !e.tavernKeys() {
		return false
	}
	if strings.Contains(k.Text, "{{") {
		return true
	}
	return k.Kind != lore.KeyJS && k.Kind != lore.KeyRE2 && match.TrimJS(k.Text) != k.Text
}

// tavernKeys reports whether keys are SillyTavern's.
func (e *entry) tavernKeys() bool {
	p := &e.seg.book.Policy
	return p.Language == lore.LangTavern || p.ScanTogether
}

// proposable reports whether the automaton decides about the key by itself.
func (k *key) proposable() bool { return k.lit != nil && len(k.ids) == 1 && !k.seamy }

// memberOf returns the number under which an entry stood in a JSON object or
// array; -1 if it was none.
func memberOf(e *lore.Entry) int64 {
	at := strings.LastIndexByte(e.Origin.Pointer, '/')
	if at < 0 {
		return -1
	}
	if n, ok := lore.JSArrayIndex(e.Origin.Pointer[at+1:]); ok {
		return int64(n)
	}
	return -1
}
