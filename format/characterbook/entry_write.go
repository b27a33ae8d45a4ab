package characterbook

import (
	"slices"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/format/sillytavern"
	"github.com/weft-memory/weft/lore"
)

// entryTree writes an entry: by SillyTavern's habit if it came from there or
// needs its fields, else by the specification. An entry whose decorators would
// be lost stays with the specification; what that cannot say is reported.
func entryTree(w *format.Writer, e *lore.Entry, v3 bool) (string, *jsondoc.Tree) {
	_, tavern := e.Ext[sillytavern.Name]
	if !tavern {
		c, lines := specEntry(e, v3)
		vals := sillytavern.FieldValues(w.Quiet(), c)
		if onlySpec(e.Content) || !needsTavern(c, vals) {
			return specTree(w, c, lines, v3)
		}
	}
	vals := sillytavern.FieldValues(w, e)
	t := startTree(w, e, v3)
	t.Set("keys", vals["key"])
	t.Set("secondary_keys", vals["keysecondary"])
	setTexts(t, e)
	t.Set("content", vals["content"])
	t.Set("constant", vals["constant"])
	t.Set("selective", vals["selective"])
	t.Set("insertion_order", vals["order"])
	t.Set("enabled", jsondoc.NewBool(!e.Disabled))
	position := "after_char"
	if p := vals["position"]; p.Text == "0" {
		position = "before_char"
	}
	t.Set("position", jsondoc.Str(position))
	t.Set("use_regex", jsondoc.NewBool(true))
	ext := format.ExtTree(e.Ext, "extensions")
	if ext == nil {
		ext = jsondoc.Obj()
	}
	for _, name := range sillytavern.ExtNames() {
		if v := vals[sillytavern.WorldName(name)]; v != nil {
			ext.Set(name, v)
		}
	}
	if f := sillytavern.FilterTree(e.Characters); f != nil {
		ext.Set("character_filter", f)
	}
	t.Set("extensions", ext)
	return idKey(t), t
}

func idKey(t *jsondoc.Tree) string { return t.Get("id").Text }

func startTree(w *format.Writer, e *lore.Entry, v3 bool) *jsondoc.Tree {
	if v3 {
		if n, err := strconv.Atoi(e.ID); err != nil || strconv.Itoa(n) != e.ID {
			return jsondoc.Obj(jsondoc.M("id", jsondoc.Str(e.ID)))
		}
	}
	return jsondoc.Obj(jsondoc.M("id", jsondoc.Int(w.IntID(e))))
}

// setTexts writes the title and the comment. SillyTavern shows the comment as
// the title, so a title without a comment goes there.
func setTexts(t *jsondoc.Tree, e *lore.Entry) {
	if e.Comment != "" {
		t.Set("name", jsondoc.Str(e.Name))
		t.Set("comment", jsondoc.Str(e.Comment))
		return
	}
	t.Set("comment", jsondoc.Str(e.Name))
}

func specTree(w *format.Writer, e *lore.Entry, lines []string, v3 bool) (string, *jsondoc.Tree) {
	t := startTree(w, e, v3)
	t.Set("keys", jsondoc.StrList(w.KeyTexts("keys", e.Keys)))
	if len(e.Clauses) > 0 {
		t.Set("secondary_keys", jsondoc.StrList(w.KeyTexts("clauses", e.Clauses[0].Keys)))
		t.Set("selective", jsondoc.NewBool(!e.Clauses[0].Inactive))
	}
	setTexts(t, e)
	t.Set("content", jsondoc.Str(strings.Join(append(lines, e.Content), "\n")))
	t.Set("enabled", jsondoc.NewBool(!e.Disabled))
	t.Set("insertion_order", jsondoc.Int(e.InsertionOrder))
	if e.Priority != e.InsertionOrder {
		t.Set("priority", jsondoc.Int(e.Priority))
	}
	if e.Constant {
		t.Set("constant", jsondoc.NewBool(true))
	}
	if e.CaseSensitive != nil {
		t.Set("case_sensitive", jsondoc.NewBool(*e.CaseSensitive))
	}
	if e.Where == lore.WhereBeforeChar || e.Where == lore.WhereAfterChar {
		t.Set("position", jsondoc.Str(string(e.Where)))
	}
	regex := slices.ContainsFunc(e.Keys, func(k lore.Key) bool { return k.Kind == lore.KeyJS })
	if regex || v3 {
		t.Set("use_regex", jsondoc.NewBool(regex))
	}
	ext := format.ExtTree(e.Ext, "extensions")
	if ext == nil {
		ext = jsondoc.Obj()
	}
	t.Set("extensions", ext)
	return idKey(t), t
}

// specEntry takes from a copy of the entry what the decorators in its content
// say already, and what further decorators can say; those are returned.
func specEntry(e *lore.Entry, v3 bool) (*lore.Entry, []string) {
	c := *e
	said := lore.Entry{Content: e.Content}
	lore.DecoratorsV3.Apply(&said, false)
	if said.Where != "" && c.Where == said.Where && c.Slot == said.Slot && c.FromStart == said.FromStart {
		c.Where, c.Slot, c.FromStart = "", "", false
	}
	if c.Role == said.Role {
		c.Role = ""
	}
	if said.ScanDepth != nil && c.ScanDepth != nil && *c.ScanDepth == *said.ScanDepth {
		c.ScanDepth = nil
	}
	c.Clauses = slices.Clone(c.Clauses)
	for _, s := range said.Clauses {
		for i, have := range c.Clauses {
			if sameClause(s, have) {
				c.Clauses = slices.Delete(c.Clauses, i, i+1)
				break
			}
		}
	}
	lines := extraDecorators(&c, &said)
	if !v3 {
		return &c, nil
	}
	lines = append(lines, placeDecorators(&c)...)
	return &c, lines
}

// onlySpec reports whether the decorators of a content say what SillyTavern's
// fields cannot: with one of those fields in the entry they would mean nothing.
func onlySpec(content string) bool {
	said := lore.Entry{Content: content}
	lore.DecoratorsV3.Apply(&said, false)
	return said.After != 0 || said.Every != 0 || said.Keep || said.Once || said.Greeting != nil || said.UserIcon != "" ||
		said.DropFirst || said.FromStart || len(said.Clauses) > 0
}

func sameClause(a, b lore.Clause) bool {
	if a.Logic != b.Logic || a.Inactive != b.Inactive || len(a.Keys) != len(b.Keys) {
		return false
	}
	for i, k := range a.Keys {
		// A key of a decorator is an expression if the entry's keys are.
		if k.Text != b.Keys[i].Text && "/"+b.Keys[i].Text+"/"+b.Keys[i].Flags != k.Text {
			return false
		}
	}
	return true
}

// extraDecorators writes what only decorators can say, unless it is said.
func extraDecorators(c, said *lore.Entry) (lines []string) {
	add := func(yes bool, name, value string) {
		if yes {
			lines = append(lines, strings.TrimSpace("@@"+name+" "+value))
		}
	}
	add(c.After != 0 && c.After != said.After, "activate_only_after", strconv.Itoa(c.After))
	add(c.Every != 0 && c.Every != said.Every, "activate_only_every", strconv.Itoa(c.Every))
	add(c.Keep && !said.Keep, "keep_activate_after_match", "")
	add(c.Once && !said.Once, "dont_activate_after_match", "")
	if c.Greeting != nil && (said.Greeting == nil || *said.Greeting != *c.Greeting) {
		add(true, "is_greeting", strconv.Itoa(*c.Greeting))
	}
	add(c.UserIcon != "" && c.UserIcon != said.UserIcon, "is_user_icon", c.UserIcon)
	add(c.DropFirst && !said.DropFirst, "ignore_on_max_context", "")
	add(c.Force == lore.ForceActivate && said.Force != c.Force, "activate", "")
	add(c.Force == lore.ForceSuppress && said.Force != c.Force, "dont_activate", "")
	c.Force = lore.ForceNone
	return lines
}

// placeDecorators moves place, role, scan depth and further keys into
// decorators.
func placeDecorators(c *lore.Entry) (lines []string) {
	if depth, ok := c.Slot.Depth(); ok {
		name := "@@depth "
		if c.FromStart {
			name = "@@reverse_depth "
		}
		lines = append(lines, name+strconv.Itoa(depth))
		c.Where, c.Slot, c.FromStart = "", "", false
		if c.Role != "" {
			lines = append(lines, "@@role "+string(c.Role))
			c.Role = ""
		}
	}
	if c.Where == lore.WherePersonality || c.Where == lore.WhereScenario {
		lines = append(lines, "@@position "+string(c.Where))
		c.Where, c.Slot = "", ""
	}
	if d := c.ScanDepth; d != nil && d.Unit == lore.UnitMessages && d.N == float64(int(d.N)) && d.N >= 0 {
		lines = append(lines, "@@scan_depth "+strconv.Itoa(int(d.N)))
		c.ScanDepth = nil
	}
	kept := c.Clauses[:0]
	for i, cl := range c.Clauses {
		name := map[lore.Logic]string{lore.AnyOf: "@@additional_keys ", lore.NoneOf: "@@exclude_keys "}[cl.Logic]
		if name == "" || i == 0 && cl.Logic == lore.AnyOf || cl.Inactive || !literal(cl.Keys) {
			kept = append(kept, cl)
			continue
		}
		texts := make([]string, len(cl.Keys))
		for j, k := range cl.Keys {
			texts[j] = strings.ReplaceAll(k.Text, ",", `\,`)
		}
		lines = append(lines, name+strings.Join(texts, ","))
	}
	c.Clauses = kept
	return lines
}

func literal(keys []lore.Key) bool {
	return !slices.ContainsFunc(keys, func(k lore.Key) bool {
		return k.Kind != lore.KeyLiteral && k.Kind != "" || strings.ContainsAny(k.Text, "\r\n")
	})
}

// needsTavern reports whether an entry has something to say that only
// SillyTavern's fields can.
func needsTavern(c *lore.Entry, vals sillytavern.Values) bool {
	regex := 0
	for _, k := range c.Keys {
		if k.Kind == lore.KeyJS || k.Kind == lore.KeyRE2 {
			regex++
		}
	}
	if regex > 0 && (regex < len(c.Keys) || len(c.Clauses) > 0 || c.Constant) || c.Characters != nil {
		return true
	}
	if len(c.Clauses) > 0 && !literal(c.Clauses[0].Keys) {
		return true
	}
	for _, f := range sillytavern.Fields() {
		v := vals[f.Name]
		switch {
		case f.Ext == "" || f.Name == "caseSensitive" || v.Same(f.Default):
		case f.Name == "position" && (v.Text == "1" || v.Text == "0"):
		case f.Name == "depth" && vals["position"].Text != "4":
		default:
			return true
		}
	}
	return false
}
