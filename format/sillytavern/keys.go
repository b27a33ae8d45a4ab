package sillytavern

import (
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/match"
)

// ParseKey reads a key as SillyTavern does: /pattern/flags is a JavaScript
// expression if it is a valid one, anything else plain text.
func ParseKey(text string) lore.Key {
	if trimmed := match.TrimJS(text); strings.HasPrefix(trimmed, "/") {
		if pattern, flags, ok := match.SplitJSKey(trimmed); ok {
			return lore.Key{Text: pattern, Kind: lore.KeyJS, Flags: flags}
		}
	}
	return lore.Key{Text: text, Kind: lore.KeyLiteral}
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
