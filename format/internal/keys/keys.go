// Package keys holds what the codecs of several formats need to read and write
// the keys of entries: regexes in slashes, comma strings, clauses, and the one
// ladder of formats that have no second one.
package keys

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// Regex reads a key of the form /pattern/flags as JavaScript programs do. A
// slash inside the pattern must be escaped.
func Regex(s string) (lore.Key, bool) {
	if len(s) < 3 || s[0] != '/' {
		return lore.Key{}, false
	}
	end := strings.LastIndexByte(s, '/')
	if end < 2 || strings.Trim(s[end+1:], "dgimsuvy") != "" {
		return lore.Key{}, false
	}
	pattern := s[1:end]
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '/':
			return lore.Key{}, false
		}
	}
	return lore.Key{Text: pattern, Kind: lore.KeyJS, Flags: s[end+1:]}, true
}

// Literals returns literal keys.
func Literals(texts []string) []lore.Key {
	if len(texts) == 0 {
		return nil
	}
	return lore.LiteralKeys(texts...)
}

// LiteralOrRegex returns a regex key for each text of the form /pattern/flags
// and a literal key for each other one.
func LiteralOrRegex(texts []string) []lore.Key {
	var keys []lore.Key
	for _, t := range texts {
		if k, ok := Regex(t); ok {
			keys = append(keys, k)
			continue
		}
		keys = append(keys, lore.Key{Text: t, Kind: lore.KeyLiteral})
	}
	return keys
}

// Text writes a key as text: a regex as /pattern/flags, others as they are.
func Text(k lore.Key) string {
	switch k.Kind {
	case lore.KeyJS, lore.KeyRE2:
		return "/" + strings.ReplaceAll(strings.ReplaceAll(k.Text, `\/`, `/`), `/`, `\/`) + "/" + k.Flags
	}
	return k.Text
}

// Texts writes the keys of the kinds that a format can say and leaves the
// others out. A key of the empty kind is literal.
func Texts(keys []lore.Key, kinds ...lore.KeyKind) []string {
	texts := make([]string, 0, len(keys))
	for _, k := range keys {
		kind := k.Kind
		if kind == "" {
			kind = lore.KeyLiteral
		}
		if slices.Contains(kinds, kind) {
			texts = append(texts, Text(k))
		}
	}
	return texts
}

// ClauseOf returns the first clause with one of these logics, or nil.
func ClauseOf(e *lore.Entry, logics ...lore.Logic) *lore.Clause {
	for i := range e.Clauses {
		if slices.Contains(logics, e.Clauses[i].Logic) {
			return &e.Clauses[i]
		}
	}
	return nil
}

// Ladder returns the one number of a format that has one ladder for the order
// in the prompt and for survival: the insertion order, unless an edit changed
// the priority alone. Turned says that a smaller number is kept longer.
func Ladder(e, base *lore.Entry, turned bool) int {
	if base != nil && e.Priority != base.Priority && e.InsertionOrder == base.InsertionOrder {
		if turned {
			return -e.Priority
		}
		return e.Priority
	}
	return e.InsertionOrder
}

// Keep returns the named members of an object that are there, as one raw
// object; nil if there are none.
func Keep(v jsondoc.Value, names ...string) json.RawMessage {
	kept := jsondoc.Obj()
	for _, name := range names {
		if m := v.Get(name); m.Exists() {
			kept.Members = append(kept.Members, jsondoc.M(name, m.Tree()))
		}
	}
	if len(kept.Members) == 0 {
		return nil
	}
	return kept.Append(nil, jsondoc.Compact())
}

// Source returns the JSON that an entry was read from, if it was read in the
// named format; the zero Value otherwise. Writers look there for choices that
// the canonical entry does not hold.
func Source(e *lore.Entry, formatName string) jsondoc.Value {
	if e.Origin.Format != formatName || len(e.Origin.Raw) == 0 {
		return jsondoc.Value{}
	}
	doc, err := jsondoc.Parse(e.Origin.Raw, jsondoc.Limits{})
	if err != nil {
		return jsondoc.Value{}
	}
	return doc.Root()
}

// IsEntry reports whether a row of a list can be an entry: an object that is
// not empty. What is none is reported and stays in the file as it is.
func IsEntry(r *format.Reader, v jsondoc.Value) bool {
	switch {
	case v.Kind() != jsondoc.Object:
		r.Errorf(v, "bad-entry", "it is %s, not an object: kept as it is", v.Kind())
		return false
	case v.Len() == 0:
		r.Warnf(v, "empty-entry", "it is an empty object: kept as it is")
		return false
	}
	return true
}

// ListShare returns how many of the first rows of a list are objects that fit,
// and how many objects were looked at. Empty objects and rows that are none are
// passed over: broken rows do not make another format of a file.
func ListShare(list jsondoc.Value, fits func(v jsondoc.Value) bool) (fit, seen int) {
	for _, row := range list.Items() {
		if row.Kind() != jsondoc.Object || row.Len() == 0 {
			continue
		}
		seen++
		if fits(row) {
			fit++
		}
		if seen == 32 {
			break
		}
	}
	return fit, seen
}

// Mostly reports whether at least half of the objects of a list fit.
func Mostly(list jsondoc.Value, fits func(v jsondoc.Value) bool) bool {
	fit, seen := ListShare(list, fits)
	return fit > 0 && fit*2 >= seen
}

// Silent returns a reader whose report nobody reads.
func Silent() *format.Reader { return format.NewReader(&format.Input{}, &format.Report{}) }

// ListOrder reports the ladders of an entry from another format, for formats
// whose only order is the place in the list.
func ListOrder(w *format.Writer, e *lore.Entry, own string) {
	if e.Origin.Format != own && (e.InsertionOrder != w.Index || e.Priority != -w.Index) {
		w.Approx("order and priority", "the place in the list stands for both")
	}
}
