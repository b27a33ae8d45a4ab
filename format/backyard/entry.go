package backyard

import (
	"fmt"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/keys"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

var (
	toMacros   = strings.NewReplacer("{character}", "{{char}}", "{user}", "{{user}}")
	fromMacros = strings.NewReplacer("{{char}}", "{character}", "{{user}}", "{user}", "{{Char}}", "{character}", "{{User}}", "{user}")
)

// macros translates Backyard's placeholders into the macros of other programs.
// A text that holds double braces already is left alone.
func macros(s string) string {
	if strings.Contains(s, "{{") {
		return s
	}
	return toMacros.Replace(s)
}

// placeholders translates macros into Backyard's placeholders.
func placeholders(s string) string { return fromMacros.Replace(s) }

// readEntry reads a lore item. Its order is a text that sorts; the place in
// the list decides where it is absent, and is the canonical order.
func readEntry(r *format.Reader, v jsondoc.Value) *lore.Entry {
	if !keys.IsEntry(r, v) {
		return nil
	}
	e := &lore.Entry{ID: r.ID(v, "id"), Content: macros(r.Str(v, "value"))}
	if v.Get("key").Kind() == jsondoc.Array {
		e.Keys = keys.Literals(r.Strings(v, "key"))
	} else {
		e.Keys = keys.Literals(format.SplitComma(r.Str(v, "key")))
	}
	e.InsertionOrder, e.Priority = r.Index(), -r.Index()
	return e
}

func newEntry(w *format.Writer, e *lore.Entry, name string) *jsondoc.Tree {
	keys.ListOrder(w, e, name)
	t := jsondoc.Obj(
		jsondoc.M("key", jsondoc.Str(strings.Join(keys.Texts(e.Keys, lore.KeyLiteral, lore.KeyGlob), ", "))),
		jsondoc.M("value", jsondoc.Str(placeholders(e.Content))),
	)
	if name == Name && e.Origin.Format != name {
		t.Set("id", jsondoc.Str(e.ID))
		t.Set("order", jsondoc.Str(fmt.Sprintf("a%04d", max(w.Index, 0))))
	}
	return t
}
