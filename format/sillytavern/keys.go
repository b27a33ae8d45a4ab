package sillytavern

import (
	"strings"
	"sync"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/match"
)

// ParseKey reads a key as SillyTavern does: /pattern/flags is a JavaScript
// expression if it is a valid one, anything else plain text.
func ParseKey(text string) lore.Key {
	if !strings.Contains(text, "/") {
		return lore.Key{Text: text, Kind: lore.KeyLiteral}
	}
	if trimmed := match.TrimJS(text); strings.HasPrefix(trimmed, "/") {
		if pattern, flags, ok := splitJS(trimmed); ok {
			return lore.Key{Text: pattern, Kind: lore.KeyJS, Flags: flags}
		}
	}
	return lore.Key{Text: text, Kind: lore.KeyLiteral}
}

// splitJS is match.SplitJSKey, which has to compile the expression. A
// conversion reads the same key several times, so answers are kept.
func splitJS(key string) (pattern, flags string, ok bool) {
	seen.Lock()
	s, known := seen.keys[key]
	seen.Unlock()
	if known {
		return s.pattern, s.flags, s.ok
	}
	s.pattern, s.flags, s.ok = match.SplitJSKey(key)
	if len(key) > 1024 {
		return s.pattern, s.flags, s.ok
	}
	seen.Lock()
	defer seen.Unlock()
	if len(seen.keys) >= 4096 || seen.keys == nil {
		seen.keys = map[string]split{}
	}
	seen.keys[strings.Clone(key)] = s
	return s.pattern, s.flags, s.ok
}

type split struct {
	pattern, flags string
	ok             bool
}

var seen struct {
	sync.Mutex
	keys map[string]split
}

// ParseKeys reads a list of keys.
func ParseKeys(texts []string) []lore.Key {
	if texts == nil {
		return nil
	}
	keys := make([]lore.Key, len(texts))
	for i, t := range texts {
		keys[i] = ParseKey(t)
	}
	return keys
}

// IsRegex reports whether a key is taken for an expression.
func IsRegex(key string) bool {
	_, _, ok := match.SplitJSKey(key)
	return ok
}

// SplitKeys splits the text of SillyTavern's key field at its commas. Between
// two slashes commas belong to the key; a part that begins with a slash and
// turns out to be no expression is split again at every comma. The character behind a
// comma is not looked at as a comma.
func SplitKeys(text string) []string {
	var keys []string
	add := func(s string) {
		if s = match.TrimJS(s); s != "" {
			keys = append(keys, s)
		}
	}
	// finish takes a part that began with a slash.
	finish := func(part string) {
		if part = match.TrimJS(part); IsRegex(part) || !strings.HasPrefix(part, "/") || !strings.Contains(part, ",") {
			add(part)
			return
		}
		for p := range strings.SplitSeq(part, ",") {
			add(p)
		}
	}
	var part strings.Builder
	inRegex := false
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		c := runes[i]
		if c == ',' && !inRegex {
			finish(part.String())
			part.Reset()
			if i++; i == len(runes) {
				break
			}
			c = runes[i] // stands as it is, even if it is a comma
		}
		if c == '/' && (i == 0 || runes[i-1] != '\\') {
			inRegex = !inRegex
		}
		part.WriteRune(c)
	}
	if inRegex { // never closed: one key
		add(part.String())
	} else {
		finish(part.String())
	}
	return keys
}
