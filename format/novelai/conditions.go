package novelai

import (
	"slices"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/keys"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/lore"
)

// Conditions are trees that have to hold beside the keys. How the members of
// the list combine is not documented; here all must hold. What is a plain test
// for keys in the story becomes clauses, one draw becomes the probability, and
// the rest is kept as a condition in the language "nai".

// evaluated are the types of conditions that the engine knows.
var evaluated = []string{"and", "or", "not", "key", "lore", "equation", "model", "random", "storymode", "string", "true"}

// decodeConditions reads advancedConditions into e.
func decodeConditions(r *format.Reader, v jsondoc.Value, e *lore.Entry) {
	list := v.Get("advancedConditions")
	if list.Kind() != jsondoc.Array || list.Len() == 0 {
		return
	}
	var rest []*jsondoc.Tree
	for _, c := range list.Items() {
		decodeCondition(r, c, e, &rest)
	}
	if len(rest) > 0 {
		e.Foreign = &lore.ForeignCondition{Language: "nai", Source: jsondoc.List(rest...).String()}
	}
}

func decodeCondition(r *format.Reader, c jsondoc.Value, e *lore.Entry, rest *[]*jsondoc.Tree) {
	switch c.Get("type").Text() {
	case "true":
		return
	case "and":
		for _, inner := range c.Get("conditions").Items() {
			decodeCondition(r, inner, e, rest)
		}
		return
	case "or":
		if tests, ok := keyTests(c.Get("conditions")); ok {
			e.Clauses = append(e.Clauses, lore.Clause{Logic: lore.AnyOf, Keys: tests})
			return
		}
	case "key":
		if key, ok := keyTest(c); ok {
			e.Clauses = append(e.Clauses, lore.Clause{Logic: lore.AnyOf, Keys: []lore.Key{key}})
			return
		}
	case "not":
		inner := c.Get("condition")
		if key, ok := keyTest(inner); ok {
			e.Clauses = append(e.Clauses, lore.Clause{Logic: lore.NoneOf, Keys: []lore.Key{key}})
			return
		}
		logic, known := map[string]lore.Logic{"or": lore.NoneOf, "and": lore.NotAllOf}[inner.Get("type").Text()]
		if tests, ok := keyTests(inner.Get("conditions")); ok && known {
			e.Clauses = append(e.Clauses, lore.Clause{Logic: logic, Keys: tests})
			return
		}
	case "random":
		if chance, ok := c.Get("chance").Float(); ok && e.Probability == nil && chance >= 0 && chance <= 1 {
			percent := chance * 100
			e.Probability = &percent
			return
		}
	}
	if kind := c.Get("type").Text(); !slices.Contains(evaluated, kind) {
		r.Notef(c, "not-modelled", "a condition of type %q is kept but not evaluated", kind)
	}
	*rest = append(*rest, c.Tree())
}

// keyTest reads a test for one key in the story and nowhere else. Its range is
// taken to be the entry's.
func keyTest(c jsondoc.Value) (lore.Key, bool) {
	if c.Get("type").Text() != "key" || c.Get("key").Text() == "" {
		return lore.Key{}, false
	}
	places, _ := c.Get("in").Strings()
	if len(places) > 1 || len(places) == 1 && places[0] != "story" {
		return lore.Key{}, false
	}
	return keys.LiteralOrRegex([]string{c.Get("key").Text()})[0], true
}

func keyTests(list jsondoc.Value) (tests []lore.Key, ok bool) {
	for _, c := range list.Items() {
		key, ok := keyTest(c)
		if !ok {
			return nil, false
		}
		tests = append(tests, key)
	}
	return tests, len(tests) > 0
}

// encodeConditions writes the conditions: those of the file where no edit
// touched them.
func encodeConditions(e, base *lore.Entry, v jsondoc.Value) *jsondoc.Tree {
	if base != nil && sameConditions(e, base) {
		return v.Get("advancedConditions").Tree()
	}
	list := jsondoc.List()
	for _, c := range e.Clauses {
		var tests []*jsondoc.Tree
		for _, k := range c.Keys {
			tests = append(tests, jsondoc.Obj(
				jsondoc.M("type", jsondoc.Str("key")), jsondoc.M("key", jsondoc.Str(keys.Text(k))),
				jsondoc.M("in", jsondoc.StrList([]string{"story"})), jsondoc.M("range", jsondoc.Int(defaultRange)),
			))
		}
		if len(tests) == 0 || c.Inactive {
			continue
		}
		join := func(kind string) *jsondoc.Tree {
			if len(tests) == 1 {
				return tests[0]
			}
			return jsondoc.Obj(jsondoc.M("type", jsondoc.Str(kind)), jsondoc.M("conditions", jsondoc.List(tests...)))
		}
		not := func(t *jsondoc.Tree) *jsondoc.Tree {
			return jsondoc.Obj(jsondoc.M("type", jsondoc.Str("not")), jsondoc.M("condition", t))
		}
		switch c.Logic {
		case lore.AnyOf:
			list.Items = append(list.Items, join("or"))
		case lore.AllOf:
			list.Items = append(list.Items, join("and"))
		case lore.NoneOf:
			list.Items = append(list.Items, not(join("or")))
		case lore.NotAllOf:
			list.Items = append(list.Items, not(join("and")))
		}
	}
	if e.Probability != nil && *e.Probability < 100 {
		list.Items = append(list.Items, jsondoc.Obj(
			jsondoc.M("type", jsondoc.Str("random")), jsondoc.M("chance", jsondoc.Num(*e.Probability/100)),
		))
	}
	if f := e.Foreign; f != nil && f.Language == "nai" {
		if doc, err := jsondoc.Parse(f.Source, jsondoc.Limits{}); err == nil {
			for _, c := range doc.Root().Items() {
				list.Items = append(list.Items, c.Tree())
			}
		}
	}
	if len(list.Items) == 0 && base == nil {
		return nil
	}
	return list
}

func sameConditions(a, b *lore.Entry) bool {
	if (a.Foreign == nil) != (b.Foreign == nil) || a.Foreign != nil && *a.Foreign != *b.Foreign {
		return false
	}
	if (a.Probability == nil) != (b.Probability == nil) || a.Probability != nil && *a.Probability != *b.Probability {
		return false
	}
	return slices.EqualFunc(a.Clauses, b.Clauses, func(x, y lore.Clause) bool {
		return x.Logic == y.Logic && slices.Equal(x.Keys, y.Keys)
	})
}
