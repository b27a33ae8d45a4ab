package janitor

import (
	"encoding/json"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/keys"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

var logics = []lore.Logic{lore.AnyOf, lore.NotAllOf, lore.NoneOf, lore.AllOf}

// keyList reads a list of keys that stands up to three times; the list wins
// over the strings.
func keyList(r *format.Reader, v jsondoc.Value, list string, raws ...string) []string {
	if !v.Get(list).IsNull() {
		return r.Strings(v, list)
	}
	for _, raw := range raws {
		if s := r.Str(v, raw); s != "" {
			return format.SplitComma(s)
		}
	}
	return nil
}

func readEntry(r *format.Reader, v jsondoc.Value, _ string) *lore.Entry {
	if !keys.IsEntry(r, v) {
		return nil
	}
	e := &lore.Entry{
		ID: r.ID(v, "id"), Name: r.Str(v, "name"), Comment: r.Str(v, "comment"), Type: r.Str(v, "category"),
		Tags: r.Strings(v, "tags"), Content: r.Str(v, "content"), Disabled: !r.Bool(v, "enabled", true),
	}
	e.Keys = keys.LiteralOrRegex(keyList(r, v, "key", "keysRaw", "keywordsRaw"))
	if secondary := keyList(r, v, "keysecondary", "keysecondaryRaw"); len(secondary) > 0 {
		logic, n := lore.Never, r.Int(v, "selectiveLogic", 0)
		if n >= 0 && n < len(logics) {
			logic = logics[n]
		} else {
			r.Warnf(v.Get("selectiveLogic"), "field-value", `"selectiveLogic" is none of 0 to 3: the entry never matches`)
		}
		e.Clauses = []lore.Clause{{Logic: logic, Keys: keys.LiteralOrRegex(secondary)}}
	}
	e.Constant = r.Bool(v, "constant", false)
	e.CaseSensitive = r.BoolPtr(v, "case_sensitive")
	words := r.Bool(v, "matchWholeWords", true)
	e.WholeWords = &words
	order := r.Int(v, "insertion_order", 100)
	e.Priority, e.InsertionOrder = order, order
	if p := r.FloatPtr(v, "probability"); p != nil {
		e.Probability = p
		if *p == 1 {
			r.Warnf(v.Get("probability"), "field-value", `"probability" is 1, so the entry fires once in a hundred times; imports of the site have been seen to write 1 for 100`)
		}
	}
	e.Delay = r.Int(v, "minMessages", 0)
	if names := format.SplitComma(r.Str(v, "inclusionGroupRaw")); len(names) > 0 {
		e.Inclusion = &lore.Inclusion{
			Names: names, Weight: r.FloatPtr(v, "groupWeight"), Override: r.Bool(v, "prioritizeInclusion", false),
			Scoring: r.BoolPtr(v, "keyMatchPriority"),
		}
	}
	if script := r.Str(v, "activationScript"); script != "" && r.Str(v, "activationMode") != "standard" {
		e.Foreign = &lore.ForeignCondition{Language: "js", Source: script}
		r.Warnf(v.Get("activationScript"), "field-value", `"activationScript" is a script that is not run: the entry follows its keys alone`)
	}
	if raw := keys.Keep(v, "priority", "depth", "activationMode", "extensions"); raw != nil {
		e.Ext = map[string]json.RawMessage{"janitor": raw}
	}
	return e
}

// newEntry writes an entry. The copies of the keys are kept in step where they
// stand.
func newEntry(_ *format.Writer, e *lore.Entry) (string, *jsondoc.Tree) {
	source := keys.Source(e, Name)
	isNew := !source.Exists()
	has := func(name string) bool { return isNew || source.Has(name) }
	var base *lore.Entry
	if !isNew {
		base = readEntry(keys.Silent(), source, "")
	}
	primary := keys.Texts(e.Keys, lore.KeyLiteral, lore.KeyGlob, lore.KeyJS)
	var secondary []string
	logic := 0
	if c := keys.ClauseOf(e, logics...); c != nil && !c.Inactive {
		secondary = keys.Texts(c.Keys, lore.KeyLiteral, lore.KeyGlob, lore.KeyJS)
		for i, l := range logics {
			if l == c.Logic {
				logic = i
			}
		}
	}
	t := jsondoc.Obj()
	raw := func(name string, list []string) {
		if has(name) {
			t.Set(name, jsondoc.Str(strings.Join(list, ", ")))
		}
	}
	if isNew {
		t.Set("id", jsondoc.Str(e.ID))
		t.Set("activationMode", jsondoc.Str("standard"))
		t.Set("activationScript", jsondoc.Str(""))
	}
	t.Set("name", jsondoc.Str(e.Name))
	t.Set("comment", jsondoc.Str(e.Comment))
	t.Set("category", jsondoc.Str(e.Type))
	t.Set("tags", jsondoc.StrList(e.Tags))
	t.Set("key", jsondoc.StrList(primary))
	raw("keysRaw", primary)
	raw("keywordsRaw", primary)
	t.Set("keysecondary", jsondoc.StrList(secondary))
	raw("keysecondaryRaw", secondary)
	t.Set("selectiveLogic", jsondoc.Int(logic))
	t.Set("content", jsondoc.Str(e.Content))
	t.Set("constant", jsondoc.NewBool(e.Constant))
	t.Set("enabled", jsondoc.NewBool(!e.Disabled))
	if e.CaseSensitive != nil || isNew {
		t.Set("case_sensitive", jsondoc.NewBool(e.CaseSensitive != nil && *e.CaseSensitive))
	}
	t.Set("matchWholeWords", jsondoc.NewBool(e.WholeWords == nil || *e.WholeWords))
	t.Set("insertion_order", jsondoc.Int(keys.Ladder(e, base, false)))
	if e.Probability != nil {
		t.Set("probability", jsondoc.Num(*e.Probability))
	} else if isNew {
		t.Set("probability", jsondoc.Int(100))
	}
	t.Set("minMessages", jsondoc.Int(e.Delay))
	group, weight, override, scoring := "", 100.0, false, false
	if g := e.Inclusion; g != nil {
		group = strings.Join(g.Names, ", ")
		if g.Weight != nil {
			weight = *g.Weight
		}
		override = g.Override
		scoring = g.Scoring != nil && *g.Scoring
	}
	t.Set("inclusionGroupRaw", jsondoc.Str(group))
	t.Set("groupWeight", jsondoc.Num(weight))
	t.Set("prioritizeInclusion", jsondoc.NewBool(override))
	t.Set("keyMatchPriority", jsondoc.NewBool(scoring))
	if isNew {
		t.Set("priority", jsondoc.Int(1))
		t.Set("extensions", jsondoc.Obj())
	}
	return "", t
}
