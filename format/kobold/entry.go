package kobold

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/keys"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// keyList reads keys from a comma string (saves) or a list (United).
func keyList(r *format.Reader, v jsondoc.Value, key string) []lore.Key {
	if v.Get(key).Kind() == jsondoc.Array {
		return keys.Literals(r.Strings(v, key))
	}
	return keys.Literals(format.SplitComma(r.Str(v, key)))
}

// readEntry reads an entry of a save or, with united, of a KoboldAI United
// world info file.
func readEntry(r *format.Reader, v jsondoc.Value, united bool) *lore.Entry {
	if !keys.IsEntry(r, v) {
		return nil
	}
	e := &lore.Entry{Content: r.Str(v, "content"), Comment: r.Str(v, "comment"), Disabled: r.Bool(v, "widisabled", false)}
	if united {
		e.ID, e.Name, e.Type = r.ID(v, "uid"), r.Str(v, "title"), r.Str(v, "type")
	}
	e.Keys = keyList(r, v, "key")
	secondary := keyList(r, v, "keysecondary")
	if len(secondary) > 0 {
		selective := r.Bool(v, "selective", united)
		e.Clauses = append(e.Clauses, lore.Clause{Logic: lore.AnyOf, Keys: secondary, Inactive: !selective})
	}
	if anti := keyList(r, v, "keyanti"); len(anti) > 0 {
		e.Clauses = append(e.Clauses, lore.Clause{Logic: lore.NoneOf, Keys: anti})
	}
	e.Constant = r.Bool(v, "constant", false)
	e.Probability = percent(r, v)
	e.Folder = r.Str(v, "wigroup")
	if e.Folder == "" {
		e.Folder = r.ID(v, "folder")
	}
	e.InsertionOrder, e.Priority = r.Index(), -r.Index()
	if raw := keys.Keep(v, "folder", "wigroup"); raw != nil {
		e.Ext = map[string]json.RawMessage{"kobold": raw}
	}
	return e
}

// percent reads the probability, which Lite writes as a number or as a string.
func percent(r *format.Reader, v jsondoc.Value) *float64 {
	if m := v.Get("probability"); m.Kind() == jsondoc.String {
		if f, err := strconv.ParseFloat(strings.TrimSpace(m.Text()), 64); err == nil && f >= 0 && f <= 1e9 {
			return &f
		}
	}
	return r.FloatPtr(v, "probability")
}

// newEntry writes an entry in the named one of the two formats.
func newEntry(w *format.Writer, e *lore.Entry, name string) (string, *jsondoc.Tree) {
	keys.ListOrder(w, e, name)
	v := keys.Source(e, name)
	isNew, united := !v.Exists(), name == UnitedName
	list := func(of []lore.Key) *jsondoc.Tree {
		texts := keys.Texts(of, lore.KeyLiteral, lore.KeyGlob)
		if united {
			return jsondoc.StrList(texts)
		}
		return jsondoc.Str(strings.Join(texts, ","))
	}
	t := jsondoc.Obj()
	if united && isNew {
		t.Set("uid", uid(e, 0))
	}
	if united {
		t.Set("title", jsondoc.Str(e.Name))
	}
	t.Set("key", list(e.Keys))
	secondary, anti := []lore.Key(nil), []lore.Key(nil)
	selective := false
	if c := keys.ClauseOf(e, lore.AnyOf); c != nil {
		secondary, selective = c.Keys, !c.Inactive
	}
	if c := keys.ClauseOf(e, lore.NoneOf); c != nil {
		anti = c.Keys
	}
	t.Set("keysecondary", list(secondary))
	t.Set("keyanti", list(anti))
	t.Set("content", jsondoc.Str(e.Content))
	t.Set("comment", jsondoc.Str(e.Comment))
	if !united || v.Has("selective") {
		t.Set("selective", jsondoc.NewBool(selective))
	}
	t.Set("constant", jsondoc.NewBool(e.Constant))
	probability := func(p float64) *jsondoc.Tree {
		if v.Get("probability").Kind() == jsondoc.String {
			return jsondoc.Str(jsondoc.Num(p).Text)
		}
		return jsondoc.Num(p)
	}
	switch {
	case e.Probability != nil:
		t.Set("probability", probability(*e.Probability))
	case isNew && !united:
		t.Set("probability", jsondoc.Int(100))
	}
	if united {
		if e.Folder == "" {
			t.Set("folder", jsondoc.NewNull())
		} else {
			t.Set("folder", jsondoc.Str(e.Folder))
		}
		if isNew {
			kind := "wi"
			if e.Constant {
				kind = "constant"
			}
			t.Set("type", jsondoc.Str(kind))
		}
		if v.Has("widisabled") || e.Disabled {
			t.Set("widisabled", jsondoc.NewBool(e.Disabled))
		}
		return e.ID, t
	}
	if isNew {
		t.Set("folder", jsondoc.NewNull())
	}
	t.Set("wigroup", jsondoc.Str(e.Folder))
	t.Set("widisabled", jsondoc.NewBool(e.Disabled))
	return "", t
}

// uid writes the id of an entry: as a number if it is one.
func uid(e *lore.Entry, index int) *jsondoc.Tree {
	if e.ID == "" {
		return jsondoc.Int(index)
	}
	if n, err := strconv.Atoi(e.ID); err == nil && strconv.Itoa(n) == e.ID {
		return jsondoc.Int(n)
	}
	return jsondoc.Str(e.ID)
}
