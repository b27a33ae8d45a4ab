package sillytavern

import (
	"encoding/json"
	"math"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// Name is the name of the world info format.
const Name = "sillytavern"

func readEntry(r *format.Reader, v jsondoc.Value, key string) *lore.Entry {
	if v.Kind() != jsondoc.Object {
		r.Errorf(v, "bad-entry", "the entry is %s, not an object: kept as it is", v.Kind())
		return nil
	}
	if v.Len() == 0 {
		r.Warnf(v, "empty-entry", "the entry is empty")
	}
	e := &lore.Entry{
		ID:       r.ID(v, "uid"),
		Name:     r.Str(v, "comment"),
		Content:  r.Str(v, "content"),
		Disabled: v.Get("disable").Truthy(),
	}
	e.Keys = readKeys(r, v, "key")
	if !v.Has("key") && v.Has("keys") {
		r.Warnf(v.Get("keys"), "foreign-entry", "the entry is that of a character book: SillyTavern finds no key in it")
	}
	e.Constant = v.Get("constant").Truthy()
	setOrder(e, r.Float(v, "order", 100))
	look := func(field string) (jsondoc.Value, string) { return v, field }
	ReadFields(r, e, look)
	if !v.Has("position") {
		e.Where = lore.WhereNowhere
		e.Slot = ""
	}
	if v.Get("probability").IsNull() && v.Get("useProbability").Truthy() {
		e.Probability = ptr(-1.0)
	}
	readFilter(r, e, v.Get("characterFilter"))
	lore.DecoratorsTavern.Apply(e, false)
	if ext := v.Get("extensions"); ext.Kind() == jsondoc.Object {
		if raw := ForeignExtensions(ext); raw != nil {
			format.SetRawExt(&e.Ext, "extensions", raw)
		}
	}
	SetHints(e, v.Members())
	return e
}

func ptr[T any](v T) *T { return &v }

// readKeys reads a list of keys. Anything but a list holds no key.
func readKeys(r *format.Reader, v jsondoc.Value, field string) []lore.Key {
	m := v.Get(field)
	if m.IsNull() {
		return nil
	}
	if m.Kind() != jsondoc.Array {
		r.Warnf(m, "field-type", "%q is %s, not a list: SillyTavern finds no key in it", field, m.Kind())
		return nil
	}
	return ParseKeys(r.Strings(v, field))
}

// setOrder sets both ladders: SillyTavern has one number for what survives a
// budget and for what comes later.
func setOrder(e *lore.Entry, order float64) {
	n := int(math.Max(-1<<53, math.Min(1<<53, order)))
	e.Priority, e.InsertionOrder = n, n
}

// Lookup finds a field by its name in a world file: the object that holds it
// and its name there.
type Lookup func(field string) (object jsondoc.Value, name string)

// ReadFields reads the fields that world files and the extensions of character
// books share: everything but id, keys, texts, order and the switches.
func ReadFields(r *format.Reader, e *lore.Entry, look Lookup) {
	get := func(field string) jsondoc.Value {
		v, name := look(field)
		return v.Get(name)
	}
	readClause(r, e, look)
	readPlace(r, e, look)
	if get("useProbability").Truthy() || !get("useProbability").Exists() && !isWorld(look) {
		v, name := look("probability")
		if p := r.FloatPtr(v, name); p != nil && *p != 100 {
			e.Probability = p
		}
	}
	if get("vectorized").Truthy() {
		e.Similarity = &lore.Similarity{}
	}
	e.IgnoreBudget = get("ignoreBudget").Truthy()
	e.Recursion.Excluded = get("excludeRecursion").Truthy()
	e.Recursion.Silent = get("preventRecursion").Truthy()
	e.Recursion.Level = level(get("delayUntilRecursion"))
	for _, s := range sources {
		if get(s.field).Truthy() {
			e.Sources = append(e.Sources, lore.Source(s.source))
		}
	}
	readGroup(r, e, look)
	if v, name := look("scanDepth"); !v.Get(name).IsNull() {
		if n := r.FloatPtr(v, name); n != nil {
			e.ScanDepth = &lore.Amount{N: *n, Unit: lore.UnitMessages}
		}
	}
	boolean := func(field string) *bool {
		v, name := look(field)
		return r.BoolPtr(v, name)
	}
	e.CaseSensitive, e.WholeWords = boolean("caseSensitive"), boolean("matchWholeWords")
	count := func(field string) int {
		v, name := look(field)
		return max(0, r.Int(v, name, 0))
	}
	e.Sticky, e.Cooldown, e.Delay = count("sticky"), count("cooldown"), count("delay")
	if v, name := look("triggers"); !v.Get(name).IsNull() {
		for _, k := range r.Strings(v, name) {
			e.Kinds = append(e.Kinds, lore.TurnKind(k))
		}
	}
}

// isWorld reports whether the fields come from a world file, where a missing
// field is not filled in.
func isWorld(look Lookup) bool {
	_, name := look("ignoreBudget")
	return name == "ignoreBudget"
}

func readClause(r *format.Reader, e *lore.Entry, look Lookup) {
	v, name := look("keysecondary")
	keys := readKeys(r, v, name)
	if len(keys) == 0 {
		return
	}
	v, name = look("selective")
	c := lore.Clause{Logic: lore.AnyOf, Keys: keys, Inactive: !v.Get(name).Truthy()}
	v, name = look("selectiveLogic")
	if logic := v.Get(name); !logic.IsNull() {
		n, ok := logic.Float()
		switch {
		case ok && n == 0:
		case ok && n == 1:
			c.Logic = lore.NotAllOf
		case ok && n == 2:
			c.Logic = lore.NoneOf
		case ok && n == 3:
			c.Logic = lore.AllOf
		default:
			r.Warnf(logic, "unknown-value", "selectiveLogic is %s, which no version knows: the secondary keys never pass", logic.Raw())
			c.Logic = lore.Never
		}
	}
	e.Clauses = append(e.Clauses, c)
}

// places are the positions 0 to 7.
var places = []lore.Where{
	lore.WhereBeforeChar, lore.WhereAfterChar, lore.WhereNoteTop, lore.WhereNoteBottom,
	lore.WhereAtDepth, lore.WhereExamplesTop, lore.WhereExamplesBottom, lore.WhereOutlet,
}

func readPlace(r *format.Reader, e *lore.Entry, look Lookup) {
	v, name := look("position")
	if m := v.Get(name); m.Exists() {
		n, ok := m.Float()
		if ok && n >= 0 && n < float64(len(places)) && n == math.Trunc(n) {
			e.Where = places[int(n)]
		} else {
			r.Warnf(m, "unknown-value", "position is %s, which no version knows: the entry goes nowhere", m.Raw())
			e.Where = lore.WhereNowhere
		}
		e.Slot = e.Where.Slot()
	}
	if e.Where == lore.WhereAtDepth {
		v, name = look("depth")
		e.Slot = lore.AtDepth(r.Int(v, name, 4))
	}
	v, name = look("role")
	if n, ok := v.Get(name).Int(); ok {
		switch n {
		case 1:
			e.Role = lore.RoleUser
		case 2:
			e.Role = lore.RoleAssistant
		}
	}
	v, name = look("outletName")
	e.Outlet = r.Str(v, name)
}

func readGroup(r *format.Reader, e *lore.Entry, look Lookup) {
	v, name := look("group")
	names := SplitGroups(r.Str(v, name))
	if len(names) == 0 {
		return
	}
	g := &lore.Inclusion{Names: names}
	v, name = look("groupOverride")
	g.Override = v.Get(name).Truthy()
	v, name = look("groupWeight")
	g.Weight = r.FloatPtr(v, name)
	v, name = look("useGroupScoring")
	g.Scoring = r.BoolPtr(v, name)
	e.Inclusion = g
}

// SplitGroups splits a list of group names at a comma and the white space
// behind it, and drops empty names.
func SplitGroups(s string) []string {
	var names []string
	for i, part := range strings.Split(s, ",") {
		if i > 0 {
			part = strings.TrimLeft(part, " \t\r\n\v\f\u00a0\ufeff")
		}
		if part != "" {
			names = append(names, part)
		}
	}
	return names
}

// level reads delayUntilRecursion: true is level 1, a number itself.
func level(v jsondoc.Value) int {
	if b, ok := v.Bool(); ok {
		if b {
			return 1
		}
		return 0
	}
	n, _ := v.Int()
	return max(n, 0)
}

func readFilter(r *format.Reader, e *lore.Entry, v jsondoc.Value) {
	if v.IsNull() {
		return
	}
	if v.Kind() != jsondoc.Object {
		r.Warnf(v, "field-type", "characterFilter is %s, not an object: ignored", v.Kind())
		return
	}
	names, tags := r.Strings(v, "names"), r.Strings(v, "tags")
	exclude := v.Get("isExclude").Truthy()
	if len(names)+len(tags) == 0 && !exclude {
		return
	}
	e.Characters = &lore.CharacterFilter{Exclude: exclude, Names: names, Tags: tags}
}

// ForeignExtensions returns the members of an entry's extensions that belong
// neither to SillyTavern nor to Weft; nil if there are none.
func ForeignExtensions(ext jsondoc.Value) json.RawMessage {
	t := jsondoc.Obj()
	for key, m := range ext.Members() {
		if byExt[key] == nil && key != "weft" && key != "character_filter" {
			t.Members = append(t.Members, jsondoc.M(key, m.Tree()))
		}
	}
	if len(t.Members) == 0 {
		return nil
	}
	return json.RawMessage(t.String())
}
