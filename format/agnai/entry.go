package agnai

import (
	"encoding/json"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/keys"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// inactive are the members that Agnai stores for exchange with other programs
// and does not use itself.
var inactive = []string{
	"comment", "secondaryKeys", "constant", "position", "probability", "useProbability",
	"selective", "selectiveLogic", "excludeRecursion",
}

// readEntry reads one entry of a memory book. Members that Agnai's engine
// does not use are left out of the rules of the entry, so that it behaves as
// in Agnai; they stay in Ext under "agnai".
func readEntry(r *format.Reader, v jsondoc.Value, _ string) *lore.Entry {
	if !keys.IsEntry(r, v) {
		return nil
	}
	e := &lore.Entry{
		ID: r.ID(v, "id"), Name: r.Str(v, "name"), Comment: r.Str(v, "comment"),
		Content: r.Str(v, "entry"), Disabled: !r.Bool(v, "enabled", true),
	}
	for _, text := range r.Strings(v, "keywords") {
		e.Keys = append(e.Keys, lore.Key{Text: text, Kind: lore.KeyGlob})
	}
	if secondary := r.Strings(v, "secondaryKeys"); len(secondary) > 0 {
		e.Clauses = []lore.Clause{{Logic: lore.AnyOf, Keys: keys.Literals(secondary), Inactive: true}}
	}
	e.Priority = r.Int(v, "priority", 100)
	e.InsertionOrder = r.Int(v, "weight", 0)
	if raw := keys.Keep(v, inactive...); raw != nil {
		e.Ext = map[string]json.RawMessage{"agnai": raw}
	}
	return e
}

// newEntry writes an entry. Members for exchange are written for entries that
// come from other formats.
func newEntry(_ *format.Writer, e *lore.Entry) (string, *jsondoc.Tree) {
	t := jsondoc.Obj(
		jsondoc.M("name", jsondoc.Str(e.Name)),
		jsondoc.M("entry", jsondoc.Str(e.Content)),
		jsondoc.M("keywords", jsondoc.StrList(keys.Texts(e.Keys, lore.KeyGlob, lore.KeyLiteral))),
		jsondoc.M("priority", jsondoc.Int(e.Priority)),
		jsondoc.M("weight", jsondoc.Int(e.InsertionOrder)),
		jsondoc.M("enabled", jsondoc.NewBool(!e.Disabled)),
	)
	if e.Comment != "" {
		t.Set("comment", jsondoc.Str(e.Comment))
	}
	if c := keys.ClauseOf(e, lore.AnyOf); c != nil {
		t.Set("secondaryKeys", jsondoc.StrList(keys.Texts(c.Keys, lore.KeyLiteral, lore.KeyGlob)))
	}
	if e.Origin.Format == Name {
		return "", t
	}
	if e.Constant {
		t.Set("constant", jsondoc.NewBool(true))
	}
	return "", t
}
