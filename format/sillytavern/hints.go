package sillytavern

import (
	"encoding/json"
	"iter"
	"reflect"
	"slices"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// Hints are fields as the file has them where the canonical entry says the same
// with other words or nothing: the depth of an entry that is not placed at a
// depth, a probability that is not used, `null` for `[]`. They are kept under
// the name "sillytavern" in Ext, and written again as long as the entry still
// means what it meant.

// pure are the fields without any effect on a scan: they are always kept.
var pure = []string{"addMemo", "displayIndex", "automationId"}

// direct reports whether a field is no part of the hints: it is read and written
// one to one.
func direct(field string) bool {
	switch field {
	case "key", "keysecondary", "comment", "content":
		return true
	}
	return false
}

// SetHints keeps the fields of the file that the entry says otherwise. fields
// are those of the file, by their names in a world file.
func SetHints(e *lore.Entry, fields iter.Seq2[string, jsondoc.Value]) {
	plain := *e // what is direct is not compared
	plain.Keys, plain.Content = nil, ""
	vals := canonicalValues(quietWriter, &plain)
	hints := jsondoc.Obj()
	for name, v := range fields {
		if direct(name) || v.Kind() >= jsondoc.Array {
			continue
		}
		want, known := vals[name]
		if name == "displayIndex" || known && !says(v, want) {
			hints.Set(name, v.Tree())
		}
	}
	// Even without hints the name says where the entry is at home.
	format.SetRawExt(&e.Ext, Name, json.RawMessage(hints.String()))
}

// says reports whether a scalar of a file is spelled as a tree is.
func says(v jsondoc.Value, t *jsondoc.Tree) bool {
	if v.Kind() != t.Kind {
		return false
	}
	if v.Kind() == jsondoc.String {
		return v.ExactText() == t.Text
	}
	return v.Kind() == jsondoc.Null || v.Raw() == t.Text
}

// quietWriter reports nothing and keeps nothing, so that it may be shared.
var quietWriter = format.NewWriter(nil, format.WriteOptions{}).Quiet()

// applyHints puts those hints into vals with which the entry still means the
// same.
func applyHints(w *format.Writer, e *lore.Entry, vals Values) {
	hints := format.ExtTree(e.Ext, Name)
	if hints == nil {
		return
	}
	var open []jsondoc.Member
	for _, h := range hints.Members {
		if slices.Contains(pure, h.Key) {
			vals[h.Key] = h.Value
		} else if byName[h.Key] != nil {
			open = append(open, h)
		}
	}
	if len(open) == 0 {
		return
	}
	want := meaning(vals)
	try := func(hs []jsondoc.Member) bool {
		old := make(Values, len(hs))
		for _, h := range hs {
			old[h.Key], vals[h.Key] = vals[h.Key], h.Value
		}
		if reflect.DeepEqual(meaning(vals), want) {
			return true
		}
		for k, v := range old {
			vals[k] = v
		}
		return false
	}
	if try(open) {
		return
	}
	// Something was edited. One hint may need another one, so go round twice.
	for range 2 {
		open = slices.DeleteFunc(open, func(h jsondoc.Member) bool { return try([]jsondoc.Member{h}) })
	}
}

// meaning reads the fields, without what has no effect.
func meaning(vals Values) *lore.Entry {
	t := jsondoc.Obj()
	for _, f := range template {
		if v := vals[f.Name]; v != nil && f.Name != "content" && f.Name != "comment" && f.Name != "addMemo" && f.Name != "automationId" {
			t.Members = append(t.Members, jsondoc.M(f.Name, v))
		}
	}
	doc, err := jsondoc.Parse(t.Append(nil, jsondoc.Compact()), jsondoc.Limits{})
	if err != nil {
		return nil
	}
	v := doc.Root()
	r := format.QuietReader("")
	e := &lore.Entry{Disabled: v.Get("disable").Truthy()}
	e.Constant = v.Get("constant").Truthy()
	setOrder(e, r.Float(v, "order", 100))
	ReadFields(r, e, func(field string) (jsondoc.Value, string) { return v, field })
	if v.Get("probability").IsNull() && v.Get("useProbability").Truthy() {
		e.Probability = ptr(-1.0)
	}
	return e
}
