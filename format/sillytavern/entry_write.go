package sillytavern

import (
	"maps"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// Values are the fields of an entry by their names in a world file.
type Values map[string]*jsondoc.Tree

// FieldValues returns all fields of an entry of any dialect as SillyTavern has
// them, id excepted. What SillyTavern cannot say is noted in w.
func FieldValues(w *format.Writer, e *lore.Entry) Values {
	vals := canonicalValues(w, e)
	applyHints(w, e, vals)
	return vals
}

// canonicalValues is FieldValues without the hints of the entry.
func canonicalValues(w *format.Writer, e *lore.Entry) Values {
	vals := maps.Clone(defaults)
	vals["key"] = jsondoc.StrList(w.KeyTexts("keys", e.Keys))
	vals["comment"] = jsondoc.Str(e.Name)
	vals["content"] = jsondoc.Str(content(e))
	vals["addMemo"] = boolean(e.Name != "")
	vals["order"] = jsondoc.Int(e.InsertionOrder)
	vals["constant"] = boolean(e.Constant)
	vals["vectorized"] = boolean(e.Similarity != nil)
	vals["disable"] = boolean(e.Disabled)
	vals["ignoreBudget"] = boolean(e.IgnoreBudget)
	vals["excludeRecursion"] = boolean(e.Recursion.Excluded)
	vals["preventRecursion"] = boolean(e.Recursion.Silent)
	if e.Priority != e.InsertionOrder {
		w.Approx("priority", "SillyTavern has one number for order and priority: the order "+strconv.Itoa(e.InsertionOrder)+" is written")
	}
	if len(e.Clauses) > 0 {
		c := e.Clauses[0]
		vals["keysecondary"] = jsondoc.StrList(w.KeyTexts("clauses", c.Keys))
		vals["selective"] = jsondoc.NewBool(!c.Inactive)
		vals["selectiveLogic"] = jsondoc.Int(logicNumber(c.Logic))
		if len(e.Clauses) > 1 {
			w.Lost("clauses", "SillyTavern has one list of secondary keys")
		}
	}
	if e.Recursion.Level > 0 {
		vals["delayUntilRecursion"] = jsondoc.Int(e.Recursion.Level)
	}
	for _, s := range e.Sources {
		known := false
		for _, f := range sources {
			if f.source == string(s) {
				vals[f.field], known = yes, true
			}
		}
		if !known {
			w.Lost("sources", "SillyTavern does not search "+string(s))
		}
	}
	if e.Probability != nil {
		vals["probability"] = jsondoc.Num(*e.Probability)
		if *e.Probability < 0 {
			vals["probability"] = null
		}
	}
	place(w, e, vals)
	if g := e.Inclusion; g != nil {
		vals["group"] = jsondoc.Str(strings.Join(g.Names, ", "))
		vals["groupOverride"] = jsondoc.NewBool(g.Override)
		if g.Weight != nil {
			vals["groupWeight"] = jsondoc.Num(*g.Weight)
		}
		vals["useGroupScoring"] = boolOrNull(g.Scoring)
	}
	vals["caseSensitive"], vals["matchWholeWords"] = boolOrNull(e.CaseSensitive), boolOrNull(e.WholeWords)
	if d := e.ScanDepth; d != nil {
		if d.Unit == lore.UnitMessages || d.Unit == "" {
			vals["scanDepth"] = jsondoc.Num(d.N)
		} else {
			w.Lost("scanDepth", "SillyTavern counts messages, not "+string(d.Unit))
		}
	}
	for field, n := range map[string]int{"sticky": e.Sticky, "cooldown": e.Cooldown, "delay": e.Delay} {
		if n > 0 {
			vals[field] = jsondoc.Int(n)
		}
	}
	if w.Book != nil && w.Book.Policy.Timers != lore.TimersMessages && e.Sticky+e.Cooldown > 0 {
		w.Approx("sticky, cooldown", "SillyTavern counts messages where the book counts turns: the numbers are kept")
	}
	if len(e.Kinds) > 0 {
		list := jsondoc.List()
		for _, k := range e.Kinds {
			list.Items = append(list.Items, jsondoc.Str(string(k)))
		}
		vals["triggers"] = list
	}
	return vals
}

// content returns the text with the decorator that a forced entry needs.
func content(e *lore.Entry) string {
	var said lore.Entry
	said.Content = e.Content
	lore.DecoratorsTavern.Apply(&said, false)
	switch {
	case said.Force == e.Force:
		return e.Content
	case e.Force == lore.ForceActivate:
		return "@@activate\n" + e.Content
	case e.Force == lore.ForceSuppress:
		return "@@dont_activate\n" + e.Content
	}
	return e.Content
}

func logicNumber(l lore.Logic) int {
	switch l {
	case lore.NotAllOf:
		return 1
	case lore.NoneOf:
		return 2
	case lore.AllOf:
		return 3
	case lore.Never:
		return -1
	}
	return 0
}

func boolean(b bool) *jsondoc.Tree {
	if b {
		return yes
	}
	return no
}

func boolOrNull(b *bool) *jsondoc.Tree {
	if b == nil {
		return null
	}
	return jsondoc.NewBool(*b)
}

// place writes position, depth, role and outlet.
func place(w *format.Writer, e *lore.Entry, vals Values) {
	position, depth := -1, 4
	for i, where := range places {
		if where == e.Where {
			position = i
		}
	}
	atDepth, isDepth := e.Slot.Depth()
	switch {
	case e.Where == lore.WhereNowhere:
	case position == 4:
		if isDepth {
			depth = atDepth
		}
	case position >= 0:
	case isDepth:
		position, depth = 4, atDepth
	default:
		position, depth = nearest(w, e)
	}
	if e.FromStart {
		w.Approx("place", "SillyTavern counts depths from the end")
	}
	vals["position"], vals["depth"] = jsondoc.Int(position), jsondoc.Int(depth)
	switch e.Role {
	case lore.RoleUser:
		vals["role"] = jsondoc.Int(1)
	case lore.RoleAssistant:
		vals["role"] = jsondoc.Int(2)
	}
	vals["outletName"] = jsondoc.Str(e.Outlet)
}

// nearest finds the position for a slot of the weaver dialect.
func nearest(w *format.Writer, e *lore.Entry) (position, depth int) {
	slot := e.Slot
	if slot == "" && e.Where == "" && w.Book != nil {
		slot = w.Book.DefaultSlot
	}
	switch {
	case slot == lore.SlotCoda || slot == lore.SlotAftermath || e.Where == lore.WherePromptEnd:
		position, depth = 4, 0
	case slot == "" && e.Where == "":
		return 0, 4
	case slot == lore.SlotPrelude || slot == lore.SlotPreamble || slot == lore.SlotFoundation ||
		slot == lore.SlotBackdrop || slot == lore.SlotContext:
		position, depth = 0, 4
	default:
		position, depth = 1, 4
	}
	from := string(slot)
	if e.Where != "" {
		from = string(e.Where)
	}
	w.Approx("place", from+" is written as position "+strconv.Itoa(position))
	return position, depth
}

func newEntry(w *format.Writer, e *lore.Entry) (string, *jsondoc.Tree) {
	vals := FieldValues(w, e)
	id := w.IntID(e)
	t := jsondoc.Obj(jsondoc.M("uid", jsondoc.Int(id)))
	for _, f := range template {
		t.Members = append(t.Members, jsondoc.M(f.Name, vals[f.Name]))
	}
	if d := vals["displayIndex"]; d != nil {
		t.Set("displayIndex", d)
	}
	if f := FilterTree(e.Characters); f != nil {
		t.Set("characterFilter", f)
	}
	if ext := format.ExtTree(e.Ext, "extensions"); ext != nil {
		t.Set("extensions", ext)
	}
	return strconv.Itoa(id), t
}

// FilterTree writes a filter of characters as SillyTavern does; nil for none.
func FilterTree(f *lore.CharacterFilter) *jsondoc.Tree {
	if f == nil {
		return nil
	}
	return jsondoc.Obj(
		jsondoc.M("isExclude", jsondoc.NewBool(f.Exclude)),
		jsondoc.M("names", jsondoc.StrList(f.Names)),
		jsondoc.M("tags", jsondoc.StrList(f.Tags)),
	)
}

// ReadFilter reads a filter of characters into e.
func ReadFilter(r *format.Reader, e *lore.Entry, v jsondoc.Value) { readFilter(r, e, v) }

// SetOrder sets priority and order of an entry from SillyTavern's one number.
func SetOrder(e *lore.Entry, order float64) { setOrder(e, order) }
