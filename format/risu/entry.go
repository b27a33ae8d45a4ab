package risu

import (
	"encoding/json"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/keys"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// splitKeys splits a comma string. RisuAI splits before it reads regexes, so
// that a regex with a comma breaks there; here a part that begins as /…/flags
// runs to the end of the regex.
func splitKeys(s string, regex bool) []string {
	if !regex {
		return format.SplitComma(s)
	}
	parts := strings.Split(s, ",")
	var list []string
	for i := 0; i < len(parts); i++ {
		key := strings.TrimSpace(parts[i])
		if strings.HasPrefix(key, "/") {
			for j := i; j < len(parts); j++ {
				whole := strings.TrimSpace(strings.Join(parts[i:j+1], ","))
				if _, ok := keys.Regex(whole); ok {
					key, i = whole, j
					break
				}
			}
		}
		if key != "" {
			list = append(list, key)
		}
	}
	return list
}

func keyList(texts []string, regex bool) []lore.Key {
	if regex {
		return keys.LiteralOrRegex(texts)
	}
	return keys.Literals(texts)
}

// readEntry reads one row of RisuAI lore that is an entry (not a folder and
// not a child row). Decorators stay in the content, where the policy reads
// them; an entry that they switch off counts as disabled.
func readEntry(r *format.Reader, v jsondoc.Value) *lore.Entry {
	if !keys.IsEntry(r, v) {
		return nil
	}
	switch v.Get("mode").Text() {
	case "folder":
		return nil
	case "child":
		r.Notef(v, "child-row", "a child row shows the entry with the id %q once more: kept as it is", r.ID(v, "id"))
		return nil
	}
	e := &lore.Entry{ID: r.ID(v, "id"), Name: r.Str(v, "comment"), Content: r.Str(v, "content"), Folder: r.Str(v, "folder")}
	regex := r.Bool(v, "useRegex", false)
	key := r.Str(v, "key")
	if v.Get("key").Kind() == jsondoc.Array {
		key = strings.Join(r.Strings(v, "key"), ", ")
	}
	e.Keys = keyList(splitKeys(key, regex), regex)
	if secondary := splitKeys(r.Str(v, "secondkey"), regex); len(secondary) > 0 {
		e.Clauses = []lore.Clause{{
			Logic: lore.AnyOf, Keys: keyList(secondary, regex), Inactive: !r.Bool(v, "selective", false),
		}}
	}
	e.Constant = r.Bool(v, "alwaysActive", false) || r.Str(v, "mode") == "constant"
	order := r.Int(v, "insertorder", 100)
	e.Priority, e.InsertionOrder = order, order
	e.Probability = r.FloatPtr(v, "activationPercent")
	lore.DecoratorsRisu.Apply(e, regex)
	e.Disabled = e.Force == lore.ForceSuppress
	extensions := v.Get("extentions")
	e.CaseSensitive = r.BoolPtr(extensions, "risu_case_sensitive")
	if raw := keys.Keep(v, "mode", "extentions", "loreCache", "bookVersion"); raw != nil {
		e.Ext = map[string]json.RawMessage{"risu": raw}
	}
	return e
}

const folderMark = "\uf000"

// folderKey makes an id the key of a folder row.
func folderKey(id string) string {
	if id == "" || strings.HasPrefix(id, folderMark) || strings.HasPrefix(id, "folder:") {
		return id
	}
	return folderMark + "folder:" + id
}

// newEntry writes an entry in the named one of the two formats.
func newEntry(e *lore.Entry, name string) *jsondoc.Tree {
	v := keys.Source(e, name)
	isNew := !v.Exists()
	var base *lore.Entry
	if !isNew {
		base = readEntry(keys.Silent(), v)
	}
	kinds := []lore.KeyKind{lore.KeyLiteral, lore.KeyGlob, lore.KeyJS}
	regex := v.Get("useRegex").Truthy()
	for _, k := range e.Keys {
		regex = regex || k.Kind == lore.KeyJS
	}
	order := e.InsertionOrder
	if base != nil && base.Priority == base.InsertionOrder && e.Priority != base.Priority && e.InsertionOrder == base.InsertionOrder {
		order = e.Priority // one ladder in the row: it is the number that was edited
	}
	var percent *float64
	if base != nil && v.Has("activationPercent") {
		percent = e.Probability
	}
	s := said(e, regex, order, percent)
	content := contentFor(e, s)
	clause, lines := clauseLines(e, s)
	if len(lines) > 0 {
		content = strings.Join(lines, "\n") + "\n" + content
	}
	var secondary []string
	selective := false
	if clause != nil {
		secondary, selective = keys.Texts(clause.Keys, kinds...), !clause.Inactive
	}
	t := jsondoc.Obj(
		jsondoc.M("key", jsondoc.Str(strings.Join(keys.Texts(e.Keys, kinds...), ", "))),
		jsondoc.M("secondkey", jsondoc.Str(strings.Join(secondary, ", "))),
		jsondoc.M("insertorder", jsondoc.Int(order)),
		jsondoc.M("comment", jsondoc.Str(e.Name)),
		jsondoc.M("content", jsondoc.Str(content)),
	)
	mode := "normal"
	if m := v.Get("mode").Text(); m != "" && (m != "constant" || e.Constant) {
		mode = m
	}
	t.Set("mode", jsondoc.Str(mode))
	t.Set("alwaysActive", jsondoc.NewBool(e.Constant))
	t.Set("selective", jsondoc.NewBool(selective))
	if regex || !isNew {
		t.Set("useRegex", jsondoc.NewBool(regex))
	}
	if percent != nil {
		t.Set("activationPercent", jsondoc.Num(*percent))
	}
	if e.CaseSensitive != nil {
		t.Set("extentions", jsondoc.Obj(jsondoc.M("risu_case_sensitive", jsondoc.NewBool(*e.CaseSensitive))))
	}
	if e.Folder != "" || !isNew {
		t.Set("folder", jsondoc.Str(folderKey(e.Folder)))
	}
	if isNew && e.ID != "" {
		t.Set("id", jsondoc.Str(e.ID))
	}
	return t
}
