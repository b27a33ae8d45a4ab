package novelai

import (
	"encoding/json"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/keys"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// Defaults of an entry, as the editor fills them in.
const (
	defaultRange    = 1000
	defaultBudget   = 2048
	defaultPriority = 400
	defaultPosition = -1
)

// readEntry reads one entry. An entry of a category that is switched off says so
// by its folder.
func readEntry(r *format.Reader, v jsondoc.Value) *lore.Entry {
	if !keys.IsEntry(r, v) {
		return nil
	}
	e := &lore.Entry{
		ID: r.ID(v, "id"), Name: r.Str(v, "displayName"), Content: r.Str(v, "text"),
		Folder: r.Str(v, "category"), Disabled: !r.Bool(v, "enabled", true),
	}
	e.Keys = keys.LiteralOrRegex(r.Strings(v, "keys"))
	if !v.Get("searchRange").IsNull() {
		e.ScanDepth = lore.Chars(r.Int(v, "searchRange", defaultRange))
	}
	e.Constant = r.Bool(v, "forceActivation", false)
	if r.Bool(v, "nonStoryActivatable", false) {
		e.Sources = []lore.Source{lore.SourceMemory, lore.SourceAuthorsNote}
	} else {
		e.Recursion.Excluded = true
	}
	decodePlacement(r, v.Get("contextConfig"), e)
	decodeConditions(r, v, e)
	if raw := keys.Keep(v, "keyRelative", "loreBiasGroups", "hidden"); raw != nil {
		e.Ext = map[string]json.RawMessage{"novelai": raw}
	}
	return e
}

// decodePlacement reads the contextConfig. Positions count lines, sentences or
// tokens; the engine places by messages, so a line is taken for a message and
// finer units for the end of the chat or one message before it.
func decodePlacement(r *format.Reader, c jsondoc.Value, e *lore.Entry) {
	e.Priority = r.Int(c, "budgetPriority", defaultPriority)
	position := r.Int(c, "insertionPosition", defaultPosition)
	if position < 0 {
		// Each insertion goes below the one before: more important ones stand higher.
		e.InsertionOrder = -e.Priority
		depth := min(-position-1, 1<<20)
		if unit := r.Str(c, "insertionType"); unit != "newline" && unit != "" {
			depth = min(depth, 1)
		}
		e.Slot, e.Where = lore.AtDepth(depth), lore.WhereAtDepth
	} else {
		e.InsertionOrder = e.Priority
	}
	if !c.Exists() {
		return
	}
	e.Prefix, e.Suffix = r.Str(c, "prefix"), r.Str(c, "suffix")
	e.Cap = share(r, c, "tokenBudget")
	e.Reserve = share(r, c, "reservedTokens")
	switch d := r.Str(c, "trimDirection"); d {
	case "trimBottom", "trimTop":
		e.Trim.Direction = map[string]string{"trimBottom": "bottom", "trimTop": "top"}[d]
	case "doNotTrim":
		e.Trim.Direction = "none"
	case "":
	default:
		r.Warnf(c.Get("trimDirection"), "field-value", `"trimDirection" is none of trimBottom, trimTop and doNotTrim`)
	}
	e.Trim.Unit = r.Str(c, "maximumTrimType")
}

// share reads a number of tokens; up to 1 it is a share of the context.
func share(r *format.Reader, c jsondoc.Value, key string) *lore.Amount {
	n := r.FloatPtr(c, key)
	switch {
	case n == nil || *n <= 0:
		return nil
	case *n <= 1:
		return lore.Percent(*n * 100)
	}
	return &lore.Amount{N: *n, Unit: lore.UnitTokens}
}

func shareTree(a *lore.Amount, none float64) *jsondoc.Tree {
	switch {
	case a == nil:
		return jsondoc.Num(none)
	case a.Unit == lore.UnitPercent:
		return jsondoc.Num(a.N / 100)
	case a.Unit == lore.UnitChars:
		return jsondoc.Num(float64(int(a.N/4) + 1))
	}
	return jsondoc.Num(a.N)
}

// newEntry writes an entry in the named format.
func newEntry(e *lore.Entry, name string) *jsondoc.Tree {
	v := keys.Source(e, name)
	var base *lore.Entry
	if v.Exists() {
		base = readEntry(keys.Silent(), v)
	}
	t := jsondoc.Obj(
		jsondoc.M("text", jsondoc.Str(e.Content)),
		jsondoc.M("contextConfig", encodePlacement(e, base, v.Get("contextConfig"))),
	)
	if base == nil {
		t.Set("lastUpdatedAt", jsondoc.Int(0))
	}
	t.Set("displayName", jsondoc.Str(e.Name))
	if base == nil || v.Has("id") {
		t.Set("id", jsondoc.Str(e.ID))
	}
	t.Set("keys", jsondoc.StrList(keys.Texts(e.Keys, lore.KeyLiteral, lore.KeyGlob, lore.KeyJS)))
	searchRange := defaultRange
	if d := e.ScanDepth; d != nil {
		searchRange = int(d.N)
		switch d.Unit {
		case lore.UnitMessages:
			searchRange = int(d.N) * 400
		case lore.UnitTokens:
			searchRange = int(d.N) * 4
		}
	}
	t.Set("searchRange", jsondoc.Int(searchRange))
	t.Set("enabled", jsondoc.NewBool(!e.Disabled))
	t.Set("forceActivation", jsondoc.NewBool(e.Constant))
	if base == nil {
		t.Set("keyRelative", jsondoc.NewBool(false))
	}
	t.Set("nonStoryActivatable", jsondoc.NewBool(!e.Recursion.Excluded))
	t.Set("category", jsondoc.Str(e.Folder))
	if base == nil {
		t.Set("loreBiasGroups", jsondoc.List())
	}
	if c := encodeConditions(e, base, v); c != nil {
		t.Set("advancedConditions", c)
	}
	return t
}

func encodePlacement(e, base *lore.Entry, v jsondoc.Value) *jsondoc.Tree {
	position, unit := defaultPosition, "newline"
	if depth, ok := e.Slot.Depth(); ok {
		position = -depth - 1
	} else if e.Slot != "" && e.Slot != lore.SlotCoda && e.Slot != lore.SlotAftermath || base == nil {
		position = 0
	}
	if base != nil && base.Slot == e.Slot { // the finer place of the file stands
		if n, ok := v.Get("insertionPosition").Int(); ok {
			position = n
		}
		unit = v.Get("insertionType").Text()
	}
	trim := map[string]string{"bottom": "trimBottom", "top": "trimTop", "none": "doNotTrim", "": "trimBottom"}[e.Trim.Direction]
	fine := e.Trim.Unit
	if fine == "" {
		fine = "sentence"
	}
	suffix := e.Suffix
	if base == nil && suffix == "" {
		suffix = "\n"
	}
	return jsondoc.Obj(
		jsondoc.M("prefix", jsondoc.Str(e.Prefix)),
		jsondoc.M("suffix", jsondoc.Str(suffix)),
		jsondoc.M("tokenBudget", shareTree(e.Cap, defaultBudget)),
		jsondoc.M("reservedTokens", shareTree(e.Reserve, 0)),
		jsondoc.M("budgetPriority", jsondoc.Int(e.Priority)),
		jsondoc.M("trimDirection", jsondoc.Str(trim)),
		jsondoc.M("insertionType", jsondoc.Str(unit)),
		jsondoc.M("maximumTrimType", jsondoc.Str(fine)),
		jsondoc.M("insertionPosition", jsondoc.Int(position)),
	)
}
