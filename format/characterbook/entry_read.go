package characterbook

import (
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/format/sillytavern"
	"github.com/weft-memory/weft/lore"
)

func readEntry(r *format.Reader, v jsondoc.Value, _ string) *lore.Entry {
	if v.Kind() != jsondoc.Object {
		r.Errorf(v, "bad-entry", "the entry is %s, not an object: kept as it is", v.Kind())
		return nil
	}
	if v.Len() == 0 {
		r.Warnf(v, "empty-entry", "the entry is empty")
	}
	e := &lore.Entry{ID: r.ID(v, "id"), Content: r.Str(v, "content"), Disabled: !r.Bool(v, "enabled", true)}
	if e.ID == "" && v.Has("uid") {
		e.ID = r.ID(v, "uid")
	}
	if v.Has("name") {
		e.Name, e.Comment = r.Str(v, "name"), r.Str(v, "comment")
	} else {
		e.Name = r.Str(v, "comment")
	}
	if !v.Has("enabled") && v.Len() > 0 {
		r.Warnf(v, "missing-field", "\"enabled\" is missing: the entry is taken as enabled (SillyTavern would disable it)")
	}
	sillytavern.SetOrder(e, r.Float(v, "insertion_order", 100))
	e.Constant = r.Bool(v, "constant", false)
	if tavernStyle(v) {
		readTavern(r, e, v)
		return e
	}
	readSpec(r, e, v)
	return e
}

// readTavern reads an entry by SillyTavern's habit.
func readTavern(r *format.Reader, e *lore.Entry, v jsondoc.Value) {
	ext := v.Get("extensions")
	e.Keys = sillytavern.ParseKeys(r.Strings(v, "keys"))
	look := func(field string) (jsondoc.Value, string) {
		switch field {
		case "keysecondary":
			return v, "secondary_keys"
		case "selective", "constant":
			return v, field
		case "order":
			return v, "insertion_order"
		case "position":
			if ext.Get("position").IsNull() {
				return jsondoc.Value{}, field
			}
		}
		for _, f := range sillytavern.Fields() {
			if f.Name == field {
				return ext, f.Ext
			}
		}
		return jsondoc.Value{}, field
	}
	readPosition(r, e, v)
	sillytavern.ReadFields(r, e, look)
	if e.Where == "" { // SillyTavern takes anything but before_char so
		e.Where, e.Slot = lore.WhereAfterChar, lore.WhereAfterChar.Slot()
	}
	if e.CaseSensitive == nil {
		e.CaseSensitive = r.BoolPtr(v, "case_sensitive")
	}
	sillytavern.ReadFilter(r, e, ext.Get("character_filter"))
	lore.DecoratorsTavern.Apply(e, false)
	if raw := sillytavern.ForeignExtensions(ext); raw != nil {
		format.SetRawExt(&e.Ext, "extensions", raw)
	}
	sillytavern.SetHints(e, func(yield func(string, jsondoc.Value) bool) {
		for _, f := range [][2]string{{"order", "insertion_order"}, {"constant", "constant"}, {"selective", "selective"}} {
			if m := v.Get(f[1]); m.Exists() && !yield(f[0], m) {
				return
			}
		}
		for name, m := range ext.Members() {
			if field := sillytavern.WorldName(name); field != "" && !yield(field, m) {
				return
			}
		}
	})
}

// readSpec reads an entry by the specification.
func readSpec(r *format.Reader, e *lore.Entry, v jsondoc.Value) {
	regex := r.Bool(v, "use_regex", false)
	e.Keys = specKeys(r.Strings(v, "keys"), regex)
	if secondary := specKeys(r.Strings(v, "secondary_keys"), regex); len(secondary) > 0 {
		e.Clauses = append(e.Clauses, lore.Clause{
			Logic: lore.AnyOf, Keys: secondary, Inactive: !r.Bool(v, "selective", false) || regex,
		})
	}
	if regex && e.Constant {
		r.Notef(v, "constant-regex", "a constant entry with use_regex: V3 cards ignore the constant")
		e.Constant = false
	}
	if p := r.IntPtr(v, "priority"); p != nil {
		e.Priority = *p
	}
	e.CaseSensitive = r.BoolPtr(v, "case_sensitive")
	readPosition(r, e, v)
	lore.DecoratorsV3.Apply(e, regex)
	if raw := sillytavern.ForeignExtensions(v.Get("extensions")); raw != nil {
		format.SetRawExt(&e.Ext, "extensions", raw)
	}
}

func specKeys(texts []string, regex bool) []lore.Key {
	if texts == nil {
		return nil
	}
	keys := make([]lore.Key, len(texts))
	for i, t := range texts {
		if keys[i] = (lore.Key{Text: t, Kind: lore.KeyLiteral}); regex {
			keys[i] = lore.ParseRegexKey(t)
		}
	}
	return keys
}

// readPosition reads the field of the specification; some files have a number
// or another word there.
func readPosition(r *format.Reader, e *lore.Entry, v jsondoc.Value) {
	p := v.Get("position")
	switch text := p.Text(); {
	case p.IsNull():
		return
	case text == "before_char", text == "after_char":
		e.Where = lore.Where(text)
	case strings.HasPrefix(text, "before"), p.Number() == "0":
		r.Warnf(p, "unknown-value", "position is %s: read as before_char", p.Raw())
		e.Where = lore.WhereBeforeChar
	case strings.HasPrefix(text, "after"), p.Number() == "1":
		r.Warnf(p, "unknown-value", "position is %s: read as after_char", p.Raw())
		e.Where = lore.WhereAfterChar
	case text == "":
		if p.Kind() != jsondoc.String {
			r.Warnf(p, "unknown-value", "position is %s: ignored", p.Raw())
		}
	default:
		r.Warnf(p, "unknown-value", "position is %s: ignored", p.Raw())
	}
	e.Slot = e.Where.Slot()
}
