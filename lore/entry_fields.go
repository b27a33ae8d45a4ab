package lore

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// nativeExt is the namespace of [Entry].Ext and [Book].Ext that keeps unknown
// fields of Weft's own files.
const nativeExt = "weaver"

// fieldSpec describes one field of a file: how it is read into T and what is
// written for it. One table serves YAML and JSON.
type fieldSpec[T any] struct {
	name  string
	read  func(r *reader, n *yaml.Node, name string, t *T)
	write func(t *T) *yaml.Node // nil leaves the field out
}

// The fields of an entry in the order in which they are written. The content
// is not among them: it is the body of a .weaver file.
var entryFields = []fieldSpec[Entry]{
	{"id", func(r *reader, n *yaml.Node, f string, e *Entry) { setText(r, n, f, &e.ID) }, func(e *Entry) *yaml.Node { return textNode(e.ID) }},
	textField("name", func(e *Entry) *string { return &e.Name }),
	textField("comment", func(e *Entry) *string { return &e.Comment }),
	textField("type", func(e *Entry) *string { return &e.Type }),
	textField("folder", func(e *Entry) *string { return &e.Folder }),
	textsField("tags", func(e *Entry) *[]string { return &e.Tags }),
	{"enabled", func(r *reader, n *yaml.Node, f string, e *Entry) {
		if v, ok := r.boolean(n, f); ok {
			e.Disabled = !v
		}
	}, func(e *Entry) *yaml.Node {
		if e.Disabled {
			return boolNode(false)
		}
		return nil
	}},

	{"keywords", func(r *reader, n *yaml.Node, f string, e *Entry) {
		e.Keys = append(LiteralKeys(r.texts(n, f)...), e.Keys...)
	}, func(e *Entry) *yaml.Node { return keysOfKind(e.Keys, KeyLiteral) }},
	{"regex", func(r *reader, n *yaml.Node, f string, e *Entry) {
		for _, text := range r.texts(n, f) {
			e.Keys = append(e.Keys, Key{Text: text, Kind: KeyRE2})
		}
	}, func(e *Entry) *yaml.Node { return keysOfKind(e.Keys, KeyRE2) }},
	{"keys", func(r *reader, n *yaml.Node, f string, e *Entry) {
		e.Keys = append(e.Keys, r.keys(n, f)...)
	}, func(e *Entry) *yaml.Node {
		if plainKeys(e.Keys) {
			return nil
		}
		return keysNode(e.Keys)
	}},
	{"secondary_keys", func(r *reader, n *yaml.Node, f string, e *Entry) {
		if keys := r.keys(n, f); len(keys) > 0 {
			e.Clauses = []Clause{{Logic: AnyOf, Keys: keys}}
		}
	}, func(e *Entry) *yaml.Node {
		if oneClause(e) {
			return keysNode(e.Clauses[0].Keys)
		}
		return nil
	}},
	{"secondary_logic", func(r *reader, n *yaml.Node, f string, e *Entry) {
		if logic, ok := r.word(n, f, clauseLogics...); ok && len(e.Clauses) > 0 {
			e.Clauses[0].Logic = Logic(logic)
		}
	}, func(e *Entry) *yaml.Node {
		if oneClause(e) && e.Clauses[0].Logic != AnyOf {
			return textNode(string(e.Clauses[0].Logic))
		}
		return nil
	}},
	{"selective", func(r *reader, n *yaml.Node, f string, e *Entry) {
		if on, ok := r.boolean(n, f); ok && len(e.Clauses) > 0 {
			e.Clauses[0].Inactive = !on
		}
	}, func(e *Entry) *yaml.Node {
		if oneClause(e) && e.Clauses[0].Inactive {
			return boolNode(false)
		}
		return nil
	}},
	{"clauses", func(r *reader, n *yaml.Node, f string, e *Entry) {
		items, _ := r.items(n, f, "{logic, keys}")
		for i, item := range items {
			c := Clause{Logic: AnyOf}
			r.mapping(item, fmt.Sprintf("%s[%d]", f, i), []string{"logic", "keys", "inactive"}, func(name, f string, v *yaml.Node) {
				switch name {
				case "keys":
					c.Keys = r.keys(v, f)
				case "inactive":
					c.Inactive, _ = r.boolean(v, f)
				case "logic":
					if logic, ok := r.word(v, f, clauseLogics...); ok {
						c.Logic = Logic(logic)
					}
				}
			})
			e.Clauses = append(e.Clauses, c)
		}
	}, func(e *Entry) *yaml.Node {
		if len(e.Clauses) == 0 || oneClause(e) {
			return nil
		}
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, c := range e.Clauses {
			keys := keysNode(c.Keys)
			if keys == nil {
				keys = textsNode[string](nil)
			}
			list.Content = append(list.Content, mapNode("logic", textNode(string(c.Logic)), "keys", keys, "inactive", trueNode(c.Inactive)))
		}
		return list
	}},
	{"condition", func(r *reader, n *yaml.Node, f string, e *Entry) {
		v := resolve(n)
		if v.Kind == yaml.ScalarNode && v.Tag != "!!str" { // condition: true
			e.Condition = v.Value
			return
		}
		setText(r, n, f, &e.Condition)
	}, func(e *Entry) *yaml.Node { return optionalText(e.Condition) }},
	boolField("constant", func(e *Entry) *bool { return &e.Constant }),
	{"scan_depth", func(r *reader, n *yaml.Node, f string, e *Entry) {
		if a, ok := r.amount(n, f, UnitMessages, UnitMessages, UnitChars, UnitTokens); ok {
			e.ScanDepth = a
		}
	}, func(e *Entry) *yaml.Node { return amountNode(e.ScanDepth, UnitMessages) }},
	optionalBool("case_sensitive", func(e *Entry) **bool { return &e.CaseSensitive }),
	optionalBool("whole_words", func(e *Entry) **bool { return &e.WholeWords }),
	{"probability", func(r *reader, n *yaml.Node, f string, e *Entry) {
		if p, ok := r.number(n, f, 0, 100); ok {
			e.Probability = &p
		}
	}, func(e *Entry) *yaml.Node { return optionalNumber(e.Probability) }},
	wordsField("sources", func(e *Entry) *[]Source { return &e.Sources }, sources),
	wordsField("kinds", func(e *Entry) *[]TurnKind { return &e.Kinds }, turnKinds),
	{"characters", func(r *reader, n *yaml.Node, f string, e *Entry) {
		c := &CharacterFilter{}
		if r.mapping(n, f, []string{"exclude", "names", "tags"}, func(name, f string, v *yaml.Node) {
			switch name {
			case "exclude":
				c.Exclude, _ = r.boolean(v, f)
			case "names":
				c.Names = r.texts(v, f)
			case "tags":
				c.Tags = r.texts(v, f)
			}
		}) {
			e.Characters = c
		}
	}, func(e *Entry) *yaml.Node {
		if e.Characters == nil {
			return nil
		}
		return emptyMap(mapNode("exclude", trueNode(e.Characters.Exclude), "names", optionalTexts(e.Characters.Names), "tags", optionalTexts(e.Characters.Tags)))
	}},
	similarityField(func(e *Entry) **Similarity { return &e.Similarity }),

	countField("sticky_turns", func(e *Entry) *int { return &e.Sticky }),
	countField("cooldown", func(e *Entry) *int { return &e.Cooldown }),
	countField("delay", func(e *Entry) *int { return &e.Delay }),

	{"priority", func(r *reader, n *yaml.Node, f string, e *Entry) { setInteger(r, n, f, &e.Priority) }, func(e *Entry) *yaml.Node {
		return intNode(e.Priority) // writers leave out the default
	}},
	{"insertion_order", func(r *reader, n *yaml.Node, f string, e *Entry) { setInteger(r, n, f, &e.InsertionOrder) }, func(e *Entry) *yaml.Node {
		if e.InsertionOrder == DefaultInsertionOrder {
			return nil
		}
		return intNode(e.InsertionOrder)
	}},
	{"slot", func(r *reader, n *yaml.Node, f string, e *Entry) {
		if s, ok := r.slot(n, f); ok {
			e.Slot = s
		}
	}, func(e *Entry) *yaml.Node { return slotNode(e.Slot) }},
	{"fallback", func(r *reader, n *yaml.Node, f string, e *Entry) {
		items, _ := r.items(n, f, "slots")
		for i, item := range items {
			if s, ok := r.slot(item, fmt.Sprintf("%s[%d]", f, i)); ok {
				e.Fallback = append(e.Fallback, s)
			}
		}
	}, func(e *Entry) *yaml.Node {
		if len(e.Fallback) == 0 {
			return nil
		}
		list := textsNode[string](nil)
		for _, s := range e.Fallback {
			list.Content = append(list.Content, slotNode(s))
		}
		return list
	}},
	{"role", func(r *reader, n *yaml.Node, f string, e *Entry) {
		if w, ok := r.word(n, f, blockRoles...); ok {
			e.Role = Role(w)
		}
	}, func(e *Entry) *yaml.Node { return optionalText(string(e.Role)) }},
	textField("group", func(e *Entry) *string { return &e.Group }),
	countField("max_tokens", func(e *Entry) *int { return &e.MaxTokens }),
	{"sizes", func(r *reader, n *yaml.Node, f string, e *Entry) {
		r.mapping(n, f, []string{"brief", "one_line"}, func(name, f string, v *yaml.Node) {
			if name == "brief" {
				setText(r, v, f, &e.Sizes.Brief)
			} else {
				setText(r, v, f, &e.Sizes.OneLine)
			}
		})
	}, func(e *Entry) *yaml.Node {
		return mapNode("brief", optionalText(e.Sizes.Brief), "one_line", optionalText(e.Sizes.OneLine))
	}},
	boolField("ignore_budget", func(e *Entry) *bool { return &e.IgnoreBudget }),
	{"inclusion", readInclusion, writeInclusion},
	{"recursion", readRecursion, writeRecursion},
	{"dialect", readDialect, writeDialect},
	{"extensions", func(r *reader, n *yaml.Node, _ string, e *Entry) { readExtensions(n, &e.Ext) }, func(e *Entry) *yaml.Node {
		return extensionsNode(e.Ext)
	}},
}

var (
	clauseLogics = []string{string(AnyOf), string(AllOf), string(NoneOf), string(NotAllOf), string(Never)}
	blockRoles   = []string{string(RoleSystem), string(RoleUser), string(RoleAssistant)}
	turnKinds    = []TurnKind{KindNormal, KindContinue, KindImpersonate, KindSwipe, KindRegenerate, KindQuiet}
	sources      = []Source{
		SourcePersona, SourceDescription, SourcePersonality, SourceDepthPrompt, SourceScenario,
		SourceCreatorNotes, SourceMemory, SourceAuthorsNote,
	}
	keyKinds = []string{string(KeyLiteral), string(KeyRE2), string(KeyJS), string(KeyGlob)}
)

// entryFieldNames are the names that an entry may use.
var entryFieldNames = fieldNames(entryFields)

func fieldNames[T any](fields []fieldSpec[T]) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	return names
}

// Keys.

func (r *reader) keys(n *yaml.Node, field string) []Key {
	items, _ := r.items(n, field, "keys")
	keys := make([]Key, 0, len(items))
	for i, item := range items {
		f := fmt.Sprintf("%s[%d]", field, i)
		if resolve(item).Kind == yaml.ScalarNode {
			keys = append(keys, Key{Text: resolve(item).Value, Kind: KeyLiteral})
			continue
		}
		k := Key{Kind: KeyLiteral}
		if r.mapping(item, f, []string{"text", "kind", "flags"}, func(name, f string, v *yaml.Node) {
			switch name {
			case "text":
				setText(r, v, f, &k.Text)
			case "kind":
				if w, ok := r.word(v, f, keyKinds...); ok {
					k.Kind = KeyKind(w)
				}
			case "flags":
				setText(r, v, f, &k.Flags)
			}
		}) {
			keys = append(keys, k)
		}
	}
	return keys
}

// oneClause reports whether secondary_keys can say the clauses.
func oneClause(e *Entry) bool {
	return len(e.Clauses) == 1 && len(e.Clauses[0].Keys) > 0
}

// plainKeys reports whether keys are literals followed by RE2 patterns, which
// the fields keywords and regex can say.
func plainKeys(keys []Key) bool {
	patterns := false
	for _, k := range keys {
		switch {
		case k.Flags != "":
			return false
		case k.Kind == KeyRE2:
			patterns = true
		case patterns || k.Kind != KeyLiteral && k.Kind != "":
			return false
		}
	}
	return true
}

func keysOfKind(keys []Key, kind KeyKind) *yaml.Node {
	if !plainKeys(keys) {
		return nil
	}
	var list []string
	for _, k := range keys {
		if (k.Kind == KeyRE2) == (kind == KeyRE2) {
			list = append(list, k.Text)
		}
	}
	return optionalTexts(list)
}

func keysNode(keys []Key) *yaml.Node {
	if len(keys) == 0 {
		return nil
	}
	list := textsNode[string](nil)
	for _, k := range keys {
		if k.Flags == "" && (k.Kind == KeyLiteral || k.Kind == "") {
			list.Content = append(list.Content, textNode(k.Text))
			continue
		}
		m := mapNode("text", textNode(k.Text), "kind", optionalText(string(k.Kind)), "flags", optionalText(k.Flags))
		m.Style = yaml.FlowStyle
		list.Content = append(list.Content, m)
	}
	return list
}

// Groups of fields.

func readInclusion(r *reader, n *yaml.Node, f string, e *Entry) {
	g := &Inclusion{}
	if resolve(n).Kind == yaml.ScalarNode || resolve(n).Kind == yaml.SequenceNode {
		r.expected(n, f, "a mapping with names, override, weight, scoring", "as in inclusion: {names: [weather]}")
		return
	}
	if !r.mapping(n, f, []string{"names", "override", "weight", "scoring"}, func(name, f string, v *yaml.Node) {
		switch name {
		case "names":
			g.Names = r.texts(v, f)
		case "override":
			g.Override, _ = r.boolean(v, f)
		case "weight":
			if w, ok := r.number(v, f, 0, maxCount); ok {
				g.Weight = &w
			}
		case "scoring":
			if b, ok := r.boolean(v, f); ok {
				g.Scoring = &b
			}
		}
	}) {
		return
	}
	e.Inclusion = g
}

func writeInclusion(e *Entry) *yaml.Node {
	g := e.Inclusion
	if g == nil {
		return nil
	}
	return emptyMap(mapNode("names", optionalTexts(g.Names), "override", trueNode(g.Override),
		"weight", optionalNumber(g.Weight), "scoring", pointerBool(g.Scoring)))
}

func readRecursion(r *reader, n *yaml.Node, f string, e *Entry) {
	if v := resolve(n); v.Kind == yaml.ScalarNode && v.Tag == "!!bool" {
		on := strings.EqualFold(v.Value, "true")
		e.Recursion.Override = &on
		return
	}
	r.mapping(n, f, []string{"excluded", "silent", "level", "override"}, func(name, f string, v *yaml.Node) {
		switch name {
		case "excluded":
			e.Recursion.Excluded, _ = r.boolean(v, f)
		case "silent":
			e.Recursion.Silent, _ = r.boolean(v, f)
		case "level":
			e.Recursion.Level, _ = r.count(v, f)
		case "override":
			if b, ok := r.boolean(v, f); ok {
				e.Recursion.Override = &b
			}
		}
	})
}

func writeRecursion(e *Entry) *yaml.Node {
	c := e.Recursion
	return mapNode("excluded", trueNode(c.Excluded), "silent", trueNode(c.Silent),
		"level", positive(c.Level), "override", pointerBool(c.Override))
}
