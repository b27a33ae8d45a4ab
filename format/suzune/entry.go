package suzune

import (
	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/keys"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// defaultPriority is the priority of an entry that names none.
const defaultPriority = 50

// readEntry reads one entry object. Suzune's priority is one ladder for two
// things and smaller is more important: turned round it is the canonical
// priority, as it stands it is the insertion order.
func readEntry(r *format.Reader, v jsondoc.Value, _ string) *lore.Entry {
	if !keys.IsEntry(r, v) {
		return nil
	}
	e := &lore.Entry{Content: r.Str(v, "content"), Disabled: !r.Bool(v, "enabled", true)}
	e.Keys = keys.Literals(r.Strings(v, "keys"))
	for _, k := range e.Keys {
		if k.Text == "" {
			r.Warnf(v.Get("keys"), "field-value", `"keys" holds an empty key, which never matches`)
		}
	}
	// With selective and no secondary keys the article's code never matches:
	// any() of nothing is false.
	secondary, selective := r.Strings(v, "secondary_keys"), r.Bool(v, "selective", false)
	switch {
	case selective && len(secondary) == 0:
		e.Clauses = []lore.Clause{{Logic: lore.Never}}
		r.Warnf(v.Get("selective"), "field-value", `"selective" is set without secondary_keys: the entry never matches`)
	case len(secondary) > 0:
		e.Clauses = []lore.Clause{{Logic: lore.AnyOf, Keys: keys.Literals(secondary), Inactive: !selective}}
	}
	if e.Constant = r.Bool(v, "constant", false); e.Constant {
		e.Where = lore.WherePromptEnd
	}
	priority := r.Int(v, "priority", defaultPriority)
	e.Priority, e.InsertionOrder = -priority, priority
	e.CaseSensitive = r.BoolPtr(v, "case_sensitive")
	e.Probability = r.FloatPtr(v, "probability")
	e.Sticky, e.Cooldown, e.Delay = r.Int(v, "sticky", 0), r.Int(v, "cooldown", 0), r.Int(v, "delay", 0)
	return e
}

// newEntry writes an entry.
func newEntry(_ *format.Writer, e *lore.Entry) (string, *jsondoc.Tree) {
	var base *lore.Entry
	if v := keys.Source(e, Name); v.Exists() {
		base = readEntry(keys.Silent(), v, "")
	}
	var secondary []string
	selective := false
	if c := keys.ClauseOf(e, lore.AnyOf, lore.Never); c != nil {
		selective = !c.Inactive
		secondary = keys.Texts(c.Keys, lore.KeyLiteral)
	}
	t := jsondoc.Obj(
		jsondoc.M("keys", jsondoc.StrList(keys.Texts(e.Keys, lore.KeyLiteral))),
		jsondoc.M("secondary_keys", jsondoc.StrList(secondary)),
		jsondoc.M("content", jsondoc.Str(e.Content)),
		jsondoc.M("selective", jsondoc.NewBool(selective)),
		jsondoc.M("constant", jsondoc.NewBool(e.Constant)),
		jsondoc.M("priority", jsondoc.Int(keys.Ladder(e, base, true))),
		jsondoc.M("enabled", jsondoc.NewBool(!e.Disabled)),
	)
	if e.CaseSensitive != nil {
		t.Set("case_sensitive", jsondoc.NewBool(*e.CaseSensitive))
	}
	if e.Probability != nil {
		t.Set("probability", jsondoc.Num(*e.Probability))
	}
	for _, f := range []struct {
		key string
		n   int
	}{{"sticky", e.Sticky}, {"cooldown", e.Cooldown}, {"delay", e.Delay}} {
		if f.n != 0 || base != nil {
			t.Set(f.key, jsondoc.Int(f.n))
		}
	}
	return "", t
}
