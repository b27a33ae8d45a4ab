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
	if r.Bool(v, "selective", false) {
		if secondary := splitKeys(r.Str(v, "secondkey"), regex); len(secondary) > 0 {
			e.Clauses = []lore.Clause{{Logic: lore.AnyOf, Keys: keyList(secondary, regex)}}
		}
	}
	e.Constant = r.Bool(v, "alwaysActive", false) || r.Str(v, "mode") == "constant"
	order := r.Int(v, "insertorder", 100)
	e.Priority, e.InsertionOrder = order, order
	e.Probability = r.FloatPtr(v, "activationPercent")
	e.Disabled = suppressed(e.Content)
	extensions := v.Get("extentions")
	e.CaseSensitive = r.BoolPtr(extensions, "risu_case_sensitive")
	if raw := keys.Keep(v, "mode", "extentions", "loreCache", "bookVersion"); raw != nil {
		e.Ext = map[string]json.RawMessage{"risu": raw}
	}
	return e
}

// head calls yield for each decorator line at the head of a content: its name
// without the @ signs, and where the line begins and the next one does.
func head(content string, yield func(name string, start, next int)) {
	for pos := 0; pos < len(content); {
		next := len(content)
		if i := strings.IndexByte(content[pos:], '\n'); i >= 0 {
			next = pos + i + 1
		}
		line := strings.TrimSpace(content[pos:next])
		if line != "" && !strings.HasPrefix(line, "@@") {
			return
		}
		if line != "" {
			name, _, _ := strings.Cut(strings.TrimLeft(line, "@"), " ")
			yield(name, pos, next)
		}
		pos = next
	}
}

func suppressed(content string) bool {
	never, always := false, false
	head(content, func(name string, _, _ int) {
		never = never || name == "dont_activate"
		always = always || name == "activate"
	})
	return never && !always
}

// setSuppressed adds or removes the decorator that stands for "disabled".
func setSuppressed(content string, off bool) string {
	if suppressed(content) == off {
		return content
	}
	if off {
		return "@@dont_activate\n" + content
	}
	var b strings.Builder
	from := 0
	head(content, func(name string, start, next int) {
		if name == "dont_activate" {
			b.WriteString(content[from:start])
			from = next
		}
	})
	return b.String() + content[from:]
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
	secondary := []string(nil)
	regex := v.Get("useRegex").Truthy()
	for _, k := range e.Keys {
		regex = regex || k.Kind == lore.KeyJS
	}
	if c := keys.ClauseOf(e, lore.AnyOf); c != nil {
		secondary = keys.Texts(c.Keys, kinds...)
	}
	t := jsondoc.Obj(
		jsondoc.M("key", jsondoc.Str(strings.Join(keys.Texts(e.Keys, kinds...), ", "))),
		jsondoc.M("secondkey", jsondoc.Str(strings.Join(secondary, ", "))),
		jsondoc.M("insertorder", jsondoc.Int(keys.Ladder(e, base, false))),
		jsondoc.M("comment", jsondoc.Str(e.Name)),
		jsondoc.M("content", jsondoc.Str(setSuppressed(e.Content, e.Disabled))),
	)
	mode := "normal"
	if m := v.Get("mode").Text(); m != "" && (m != "constant" || e.Constant) {
		mode = m
	}
	t.Set("mode", jsondoc.Str(mode))
	t.Set("alwaysActive", jsondoc.NewBool(e.Constant))
	t.Set("selective", jsondoc.NewBool(len(secondary) > 0))
	if regex || !isNew {
		t.Set("useRegex", jsondoc.NewBool(regex))
	}
	if e.Probability != nil {
		t.Set("activationPercent", jsondoc.Num(*e.Probability))
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
