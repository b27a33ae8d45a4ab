package memory

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/weft-memory/weft/lore"
)

// Diff returns the change that makes the entry new of old, for an operation of
// kind patch: fields by their names in Weft's own JSON books, the text as hunks
// of sentences. Ids are not looked at. Applied to old it gives new, byte for
// byte; applied to new it changes nothing.
func Diff(old, new *lore.Entry) Change { return diffVersions(newVersion(old), newVersion(new)) }

func diffVersions(old, new *version) Change {
	var c Change
	set := func(name string, f Field) {
		if c.Fields == nil {
			c.Fields = map[string]Field{}
		}
		c.Fields[name] = f
	}
	a, b := old.list(), new.list()
	for _, f := range b {
		if was := getField(a, f.name); !equalJSON(was, f.raw) {
			set(f.name, Field{Old: was, New: f.raw})
		}
	}
	for _, f := range a {
		if getField(b, f.name) == nil {
			set(f.name, Field{Old: f.raw})
		}
	}
	if len(c.Fields) > 0 {
		setOrder(&c, a, b)
		readable(c.Fields)
	}
	switch {
	case old.content == new.content:
	case utf8.ValidString(old.content) && utf8.ValidString(new.content):
		c.Content = diffTexts(old.content, new.content)
	default:
		f := [2]map[string]json.RawMessage{contentFields(old.content), contentFields(new.content)}
		for _, name := range []string{fieldContent, fieldBase64} {
			if f[0][name] != nil || f[1][name] != nil {
				set(name, Field{Old: f[0][name], New: f[1][name]})
			}
		}
	}
	return c
}

func contentFields(text string) map[string]json.RawMessage {
	name := fieldContent
	if !utf8.ValidString(text) {
		name = fieldBase64
	}
	return map[string]json.RawMessage{name: encodeContent(text)}
}

// setOrder adds the order of the fields where applying the change to a would
// give another than b's, once the entry is written: fields that Weft knows have
// an order of their own.
func setOrder(c *Change, a, b []field) {
	list := slices.Clone(a)
	for _, name := range sortedFields(c.Fields) {
		list = setField(list, name, c.Fields[name].New)
	}
	if slices.EqualFunc(unknownFields(list), unknownFields(b), func(x, y field) bool { return x.name == y.name }) {
		return
	}
	c.Fields[fieldOrder] = Field{Old: fieldNames(a), New: fieldNames(b)}
}

func fieldNames(list []field) json.RawMessage {
	names := make([]string, len(list))
	for i, f := range list {
		names[i] = f.name
	}
	return encodeJSON(names)
}

// unknownFields returns the fields that keep their order: those Weft does not
// know.
func unknownFields(list []field) []field {
	var out []field
	for _, f := range list {
		if !nativeFields[f.name] {
			out = append(out, f)
		}
	}
	return out
}

// nativeFields are the fields that rule how an entry is used, in the names of
// Weft's own JSON. Whatever else an entry holds (status, state, …) is about the
// story.
var nativeFields = func() map[string]bool {
	out := map[string]bool{}
	for _, name := range []string{
		"id", "name", "comment", "type", "folder", "tags", "enabled", "keywords", "regex", "keys", "secondary_keys", "secondary_logic", "selective",
		"clauses", "condition", "constant", "scan_depth", "case_sensitive", "whole_words", "probability", "sources", "kinds", "characters", "similarity",
		"sticky_turns", "cooldown", "delay", "priority", "insertion_order", "slot", "fallback", "role", "group", "max_tokens", "sizes", "ignore_budget",
		"inclusion", "recursion", "dialect", "extensions", fieldContent, fieldBase64,
	} {
		out[name] = true
	}
	return out
}()

// Apply returns the entry with the change made: fields, content and names
// (as keys). The entry itself is not changed. What does not fit is left as it
// is and reported: a hunk whose sentences are not there, a value that no entry
// can hold. A value that is not as the author of the change saw it is replaced
// and reported; lists and objects are merged.
func (c Change) Apply(e *lore.Entry) (*lore.Entry, []Conflict) {
	v := newVersion(e)
	out, conflicts := v.patch(&c, patching{})
	if out == v {
		return e, conflicts
	}
	return out.lore(), conflicts
}

// Inverse returns the change that takes c back where it was applied to the
// entry: applied to the result of c it restores the entry byte for byte.
func Inverse(e *lore.Entry, c Change) Change {
	v := newVersion(e)
	out, _ := v.patch(&c, patching{})
	back := diffVersions(out, v)
	back.Overlay = c.Overlay
	return back
}
