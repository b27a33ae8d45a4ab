package memory

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/weft-memory/weft/lore"
)

// version is one version of an entry, as fields and text. It is immutable.
type version struct {
	// src is the entry that the version began as.
	src *lore.Entry
	// fields replace those of src; nil means src's own.
	fields  []field
	content string

	parse sync.Once // of src's fields
	own   []field
	make  sync.Once // of the entry
	entry *lore.Entry
}

func newVersion(e *lore.Entry) *version { return &version{src: e, content: e.Content} }

// list returns the fields; they must not be changed.
func (v *version) list() []field {
	if v.fields != nil {
		return v.fields
	}
	v.parse.Do(func() {
		v.own, _ = fieldsOfEntry(v.src) // an entry that cannot be written has no fields to patch
		if v.own == nil {
			v.own = []field{}
		}
	})
	return v.own
}

func (v *version) get(name string) json.RawMessage { return getField(v.list(), name) }

// with returns the version with other fields and text; nil fields are kept.
func (v *version) with(fields []field, content string) *version {
	if fields == nil {
		fields = v.fields
	}
	return &version{src: v.src, fields: fields, content: content}
}

// set returns the version with one field set.
func (v *version) set(name string, raw json.RawMessage) *version {
	return v.with(setField(slices.Clone(v.list()), name, raw), v.content)
}

// lore returns the version as an entry, which must not be changed.
func (v *version) lore() *lore.Entry {
	v.make.Do(func() {
		if v.fields == nil && v.content == v.src.Content {
			v.entry = v.src
			return
		}
		if v.fields != nil {
			if e, err := entryOf(v.src.ID, v.fields, v.content); err == nil {
				e.Origin = v.src.Origin
				v.entry = e
				return
			}
			// Each value was checked when it was set, so only a combination can
			// bring us here; the text at least is right.
		}
		e := *v.src
		e.Content = v.content
		v.entry = &e
	})
	return v.entry
}

// same reports whether two versions read the same.
func (v *version) same(w *version) bool {
	if v == w {
		return true
	}
	if v == nil || w == nil || v.content != w.content {
		return false
	}
	if v.fields == nil && w.fields == nil && v.src == w.src {
		return true
	}
	return slices.EqualFunc(v.list(), w.list(), func(a, b field) bool { return a.name == b.name && equalJSON(a.raw, b.raw) })
}

// blank reports whether the version says nothing.
func (v *version) blank() bool { return v == nil || v.content == "" && len(v.list()) == 0 }

// patching says how a change is applied to a version.
type patching struct {
	// dedup leaves out additions of sentences that stand in the text or in
	// known.
	dedup bool
	known map[string]bool
	// quiet replaces values that are not as the author saw them without a
	// conflict.
	quiet bool
	// dormant applies only what fits exactly what the author saw.
	dormant bool
}

// patch applies fields, content and names of a change. What did not take
// effect as it was meant is returned as conflicts without operation and entry.
func (v *version) patch(c *Change, p patching) (*version, []Conflict) {
	var conflicts []Conflict
	out := v
	for _, named := range v.oneForm(c.Fields) {
		name, f := named.name, named.Field
		cur := out.get(name)
		merged, clash := mergeValue(f.Old, f.New, cur)
		conflict := Conflict{Field: name, Base: f.Old, Theirs: cur, Ours: f.New}
		if clash && p.dormant {
			conflict.Kind = ConflictDormant
			conflicts = append(conflicts, conflict)
			continue
		}
		if !equalJSON(merged, cur) {
			value, err := canonical(name, merged)
			if err != nil {
				conflict.Kind, conflict.Detail = ConflictRefused, err.Error()
				conflicts = append(conflicts, conflict)
				continue
			}
			out = out.set(name, value)
		}
		if clash && !p.quiet {
			conflict.Kind = ConflictChanged
			conflicts = append(conflicts, conflict)
		}
	}
	if f, ok := c.Fields[fieldOrder]; ok {
		out = out.reorder(f.New)
	}
	out, more := out.patchContent(c, p)
	return out.addKeys(c.Names), append(conflicts, more...)
}

// patchContent applies the changes to the text.
func (v *version) patchContent(c *Change, p patching) (*version, []Conflict) {
	missing := ConflictContext
	if p.dormant {
		missing = ConflictDormant
	}
	if conflict, content, ok := wholeContent(c, v.content); ok {
		if conflict != nil {
			conflict.Kind = missing
			return v, []Conflict{*conflict}
		}
		return v.with(nil, content), nil
	}
	if len(c.Content) == 0 {
		return v, nil
	}
	text, lost := patchText(v.content, c.Content, p.dedup, p.known)
	var conflicts []Conflict
	for _, i := range lost {
		h := c.Content[i]
		conflicts = append(conflicts, Conflict{
			Kind: missing, Field: fieldContent, Hunk: &h,
			Base: quoted(h.Old), Theirs: quoted(v.content), Ours: quoted(h.New),
		})
	}
	if text == v.content {
		return v, conflicts
	}
	return v.with(nil, text), conflicts
}

// wholeContent handles changes of a text that is not UTF-8, which stand among
// the fields. ok says that there was one.
func wholeContent(c *Change, cur string) (conflict *Conflict, content string, ok bool) {
	plain, ok1 := c.Fields[fieldContent]
	coded, ok2 := c.Fields[fieldBase64]
	if !ok1 && !ok2 {
		return nil, "", false
	}
	old, oldOK := decodeContent(plain.Old, coded.Old)
	new, newOK := decodeContent(plain.New, coded.New)
	if newOK && (cur == new || oldOK && cur == old) {
		return nil, new, true
	}
	return &Conflict{Field: fieldContent, Base: firstRaw(plain.Old, coded.Old), Theirs: encodeContent(cur), Ours: firstRaw(plain.New, coded.New)}, cur, true
}

func firstRaw(a, b json.RawMessage) json.RawMessage {
	if len(a) > 0 {
		return a
	}
	return b
}

func decodeContent(plain, coded json.RawMessage) (string, bool) {
	var s string
	if len(coded) > 0 {
		if json.Unmarshal(coded, &s) != nil {
			return "", false
		}
		b, err := base64.StdEncoding.DecodeString(s)
		return string(b), err == nil
	}
	if len(plain) == 0 {
		return "", true
	}
	return s, json.Unmarshal(plain, &s) == nil
}

// encodeContent returns a text as JSON; one that is not UTF-8 in base64.
func encodeContent(text string) json.RawMessage {
	if utf8.ValidString(text) {
		return quoted(text)
	}
	return quoted(base64.StdEncoding.EncodeToString([]byte(text)))
}

// fieldOrder, as a name in Change.Fields, is the order of an entry's fields
// where putting them back one by one would not restore it.
const fieldOrder = "~order"

// reorder puts the fields into an order, if it names all of them.
func (v *version) reorder(raw json.RawMessage) *version {
	var names []string
	list := v.list()
	if json.Unmarshal(raw, &names) != nil || len(names) != len(list) {
		return v
	}
	out := make([]field, 0, len(list))
	for _, name := range names {
		i := slices.IndexFunc(list, func(f field) bool { return f.name == name })
		if i < 0 || slices.ContainsFunc(out, func(f field) bool { return f.name == name }) {
			return v
		}
		out = append(out, list[i])
	}
	return v.with(out, v.content)
}

// addKeys adds literal keys that are not there yet.
func (v *version) addKeys(names []string) *version {
	out := v
	for _, name := range names {
		out = out.addItems(fieldKeys, []json.RawMessage{quoted(name)})
	}
	return out
}

// addItems adds items to the list in a field, those that it holds excepted.
func (v *version) addItems(name string, items []json.RawMessage) *version {
	list, _, _, _ := lists(v.get(name))
	n := len(list)
	for _, item := range items {
		if !slices.ContainsFunc(list, func(x json.RawMessage) bool { return equalJSON(x, item) }) {
			list = append(list, item)
		}
	}
	if len(list) == n {
		return v
	}
	return v.set(name, encodeJSON(list))
}

func sortedFields(m map[string]Field) []string { return slices.Sorted(maps.Keys(m)) }
