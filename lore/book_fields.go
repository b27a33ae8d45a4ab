package lore

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// The fields of a lorebook.yaml and of the head of a JSON book, in the order
// in which they are written. The entries are not among them.
var bookFields = []fieldSpec[Book]{
	{"format_version", func(r *reader, n *yaml.Node, f string, b *Book) {
		v, ok := r.integer(n, f, 1, maxCount)
		if ok {
			b.FormatVersion = v
		}
		if v > FormatVersion {
			r.warn(n, codeVersion, "update Weft", "format_version %d is newer than %d, the newest known here: fields may be misread", v, FormatVersion)
		}
	}, func(b *Book) *yaml.Node { return positive(b.FormatVersion) }},
	textField("id", func(b *Book) *string { return &b.ID }),
	textField("name", func(b *Book) *string { return &b.Name }),
	textField("description", func(b *Book) *string { return &b.Description }),
	textField("version", func(b *Book) *string { return &b.Version }),
	{"policy", readPolicy, func(b *Book) *yaml.Node { return policyNode(b.Policy) }},
	{"namespaces", readNamespaces, writeNamespaces},
	{"default_scan_depth", readScanDepth, func(b *Book) *yaml.Node { return amountNode(b.ScanDepth, UnitMessages) }},
	// scan_depth is another spelling of default_scan_depth.
	{"scan_depth", readScanDepth, func(*Book) *yaml.Node { return nil }},
	{"token_budget", func(r *reader, n *yaml.Node, f string, b *Book) {
		if a, ok := r.amount(n, f, UnitTokens, UnitTokens, UnitChars, UnitPercent); ok {
			b.Budget = a
		}
	}, func(b *Book) *yaml.Node { return amountNode(b.Budget, UnitTokens) }},
	{"group_budgets", func(r *reader, n *yaml.Node, f string, b *Book) {
		v := resolve(n)
		if v.Kind != yaml.MappingNode {
			r.expected(n, f, "a mapping from group to tokens", "as in group_budgets: {weather: 120}")
			return
		}
		for i := 0; i+1 < len(v.Content); i += 2 {
			name := resolve(v.Content[i]).Value
			if tokens, ok := r.count(v.Content[i+1], f+"."+name); ok {
				if b.GroupBudgets == nil {
					b.GroupBudgets = map[string]int{}
				}
				b.GroupBudgets[name] = tokens
			}
		}
	}, func(b *Book) *yaml.Node {
		var pairs []any
		for _, name := range sortedKeys(b.GroupBudgets) {
			pairs = append(pairs, name, intNode(b.GroupBudgets[name]))
		}
		return mapNode(pairs...)
	}},
	optionalBool("case_sensitive_keywords", func(b *Book) **bool { return &b.CaseSensitive }),
	optionalBool("whole_words", func(b *Book) **bool { return &b.WholeWords }),
	optionalBool("accent_blind", func(b *Book) **bool { return &b.AccentBlind }),
	optionalBool("recursive", func(b *Book) **bool { return &b.Recursive }),
	{"default_priority", func(r *reader, n *yaml.Node, f string, b *Book) {
		if i, ok := r.integer(n, f, -maxCount, maxCount); ok {
			b.DefaultPriority = &i
		}
	}, func(b *Book) *yaml.Node {
		if b.DefaultPriority == nil {
			return nil
		}
		return intNode(*b.DefaultPriority)
	}},
	{"default_slot", func(r *reader, n *yaml.Node, f string, b *Book) {
		if s, ok := r.slot(n, f); ok {
			b.DefaultSlot = s
		}
	}, func(b *Book) *yaml.Node { return slotNode(b.DefaultSlot) }},
	{"slots", readSlots, writeSlots},
	similarityField(func(b *Book) **Similarity { return &b.Similarity }),
	boolField("reroll_on_swipe", func(b *Book) *bool { return &b.RerollOnSwipe }),
	{"folders", readFolders, writeFolders},
	{"extensions", func(r *reader, n *yaml.Node, _ string, b *Book) { readExtensions(n, &b.Ext) }, func(b *Book) *yaml.Node {
		return extensionsNode(b.Ext)
	}},
}

var bookFieldNames = fieldNames(bookFields)

var bookMeant = map[string]string{
	"budget": "the field is token_budget", "case_sensitive": "the field is case_sensitive_keywords",
	"title": "the field is name", "group_budget": "the field is group_budgets",
	"namespace": "the field is namespaces", "slot": "the field is default_slot", "priority": "the field is default_priority",
	"recursive_scanning": "the field is recursive",
}

func readScanDepth(r *reader, n *yaml.Node, f string, b *Book) {
	a, ok := r.amount(n, f, UnitMessages, UnitMessages, UnitChars, UnitTokens)
	if !ok {
		return
	}
	if b.ScanDepth != nil && *b.ScanDepth != *a {
		r.warn(n, codeClash, "keep one of the two", "scan_depth and default_scan_depth are one setting; scan_depth counts")
	}
	b.ScanDepth = a
}

// readBook reads the settings of a book. ok is false if any was wrong.
func readBook(r *reader, root *yaml.Node, b *Book, skip ...string) (found fieldsRead, ok bool) {
	before := r.errors()
	found = readFields(r, bookFields, root, b, bookMeant, skip...)
	if len(found.unknown) > 0 {
		setExt(&b.Ext, nativeExt, nodeJSON(&yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: found.unknown}))
	}
	return found, r.errors() == before
}

// bookPairs returns the settings of a book that differ from their defaults.
func bookPairs(b *Book) []pair {
	var pairs []pair
	for _, f := range bookFields {
		if n := f.write(b); n != nil {
			pairs = append(pairs, pair{f.name, n})
		}
	}
	return appendUnknown(pairs, b.Ext)
}

// Namespaces.

func readNamespaces(r *reader, n *yaml.Node, f string, b *Book) {
	v := resolve(n)
	if v.Kind != yaml.MappingNode {
		r.expected(n, f, "a mapping from name to {access, description}", "as in namespaces: {quest: {access: readwrite}}")
		return
	}
	for i := 0; i+1 < len(v.Content); i += 2 {
		name := resolve(v.Content[i]).Value
		field := f + "." + name
		ns := Namespace{Access: ReadOnly}
		given := false
		if !r.mapping(v.Content[i+1], field, []string{"access", "description"}, func(key, field string, v *yaml.Node) {
			if key == "description" {
				setText(r, v, field, &ns.Description)
				return
			}
			given = true
			if w, ok := r.word(v, field, string(ReadOnly), string(ReadWrite)); ok {
				ns.Access = Access(w)
			}
		}) {
			continue
		}
		if !given {
			r.fail(v.Content[i], codeMissing, "add access: readonly or access: readwrite", "%s: access is missing", field)
		}
		if b.Namespaces == nil {
			b.Namespaces = map[string]Namespace{}
		}
		b.Namespaces[name] = ns
	}
}

func writeNamespaces(b *Book) *yaml.Node {
	var pairs []any
	for _, name := range sortedKeys(b.Namespaces) {
		ns := b.Namespaces[name]
		pairs = append(pairs, name, mapNode("access", textNode(string(ns.Access)), "description", optionalText(ns.Description)))
	}
	return mapNode(pairs...)
}

// Slots.

func readSlots(r *reader, n *yaml.Node, f string, b *Book) {
	items, _ := r.items(n, f, "{name, after} or {name, before}")
	for i, item := range items {
		field := fmt.Sprintf("%s[%d]", f, i)
		var s SlotDecl
		if !r.mapping(item, field, []string{"name", "after", "before"}, func(name, field string, v *yaml.Node) {
			slot, ok := r.slot(v, field)
			if _, depth := slot.Depth(); ok && depth {
				r.fail(v, codeValue, "", "%s: a slot in the chat cannot stand here", field)
				return
			}
			switch name {
			case "name":
				s.Name = slot
			case "after":
				s.After = slot
			case "before":
				s.Before = slot
			}
		}) {
			continue
		}
		b.Slots = append(b.Slots, s)
	}
}

func writeSlots(b *Book) *yaml.Node {
	if len(b.Slots) == 0 {
		return nil
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, s := range b.Slots {
		m := emptyMap(mapNode("name", optionalText(string(s.Name)), "after", optionalText(string(s.After)), "before", optionalText(string(s.Before))))
		m.Style = yaml.FlowStyle
		list.Content = append(list.Content, m)
	}
	return list
}

// Folders.

func readFolders(r *reader, n *yaml.Node, f string, b *Book) {
	items, _ := r.items(n, f, "{id, name, parent}")
	for i, item := range items {
		var d Folder
		if r.mapping(item, fmt.Sprintf("%s[%d]", f, i), []string{"id", "name", "parent", "disabled", "extensions"}, func(name, f string, v *yaml.Node) {
			switch name {
			case "id":
				setText(r, v, f, &d.ID)
			case "name":
				setText(r, v, f, &d.Name)
			case "parent":
				setText(r, v, f, &d.Parent)
			case "disabled":
				d.Disabled, _ = r.boolean(v, f)
			case "extensions":
				readExtensions(v, &d.Ext)
			}
		}) {
			b.Folders = append(b.Folders, d)
		}
	}
}

func writeFolders(b *Book) *yaml.Node {
	if len(b.Folders) == 0 {
		return nil
	}
	list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, d := range b.Folders {
		var ext []any
		for _, name := range sortedKeys(d.Ext) {
			ext = append(ext, name, rawNode(d.Ext[name]))
		}
		list.Content = append(list.Content, emptyMap(mapNode("id", optionalText(d.ID), "name", optionalText(d.Name),
			"parent", optionalText(d.Parent), "disabled", trueNode(d.Disabled), "extensions", mapNode(ext...))))
	}
	return list
}

// Policies.

// readPolicy reads the name of a policy, or {base: NAME} with the choices in
// which the book differs from it.
func readPolicy(r *reader, n *yaml.Node, f string, b *Book) {
	v := resolve(n)
	base := v
	if v.Kind == yaml.MappingNode {
		if base = lookup(v, "base"); base == nil {
			r.fail(n, codeMissing, "as in policy: {base: weaver, max_active: 50}", "policy: base is missing")
			return
		}
	}
	name, ok := r.word(base, f, policyNames()...)
	if !ok {
		return
	}
	p, _ := PolicyByName(name)
	if v.Kind == yaml.MappingNode {
		choices := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for i := 0; i+1 < len(v.Content); i += 2 {
			if resolve(v.Content[i]).Value != "base" {
				choices.Content = append(choices.Content, v.Content[i], v.Content[i+1])
			}
		}
		if err := changePolicy(&p, nodeJSON(choices)); err != nil {
			r.fail(n, codeValue, "", "policy: %v", err)
			return
		}
	}
	b.Policy = p
}

func policyNode(p Policy) *yaml.Node {
	base, ok := PolicyByName(p.Name)
	if !ok {
		base = PolicyWeaver()
	}
	changes := policyChanges(base, p)
	if len(changes) == 0 {
		if p.Name == PolicyWeaver().Name {
			return nil
		}
		return textNode(p.Name)
	}
	pairs := []any{"base", textNode(base.Name)}
	for _, name := range sortedKeys(changes) {
		pairs = append(pairs, name, rawNode(changes[name]))
	}
	return mapNode(pairs...)
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
