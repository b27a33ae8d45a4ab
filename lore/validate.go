package lore

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/diag"
)

// Validate reports all problems of a book at once: what a reader would have
// reported of its files, and what only the whole book shows. Each finding names
// the entry and the field, and the file and line where they are known.
//
// Errors: no id, numbers out of range, words that nothing knows (slots with
// "did you mean"), templates and conditions that do not parse, a policy with an
// unknown choice. Warnings: an id used twice, a key without text, a folder that
// is not there, an id that a reference could not name.
func Validate(b *Book) diag.List {
	v := &validator{book: b, list: checkBook(b)}
	v.templates()
	return v.list.Sort()
}

// checkBook is Validate without the templates.
func checkBook(b *Book) diag.List {
	v := &validator{book: b}
	v.settings()
	v.slotDecls()
	seen := make(map[string]*Entry, len(b.Entries))
	folders := make(map[string]bool, len(b.Folders))
	for _, f := range b.Folders {
		folders[f.ID] = true
	}
	for i, e := range b.Entries {
		if e == nil {
			v.whole(diag.Error, codeMissing, fmt.Sprintf("entry %d is nil", i), "")
			continue
		}
		v.entry = e
		if first := seen[e.ID]; first != nil && e.ID != "" {
			v.field(diag.Warning, codeIDTwice, "id", fmt.Sprintf("%q is the id of an earlier entry too; the later one counts", e.ID), "give one of the two another id")
		}
		seen[e.ID] = e
		if e.Folder != "" && !folders[e.Folder] {
			v.field(diag.Warning, codeValue, "folder", fmt.Sprintf("the book has no folder %q", e.Folder), "")
		}
		v.checkEntry()
	}
	return v.list
}

type validator struct {
	book  *Book
	entry *Entry
	slots []string // known slots by name
	list  diag.List
}

// whole reports something about the settings of the book.
func (v *validator) whole(sev diag.Severity, code, message, hint string) {
	v.list = append(v.list, diag.Diagnostic{
		Severity: sev, Code: code, File: v.book.Origin.Path, Line: v.book.Origin.Line, Message: message, Hint: hint,
	})
}

func (v *validator) setting(sev diag.Severity, code, field, message, hint string) {
	d := v.at(v.book.Origin, field, func(text string) (from, end int) { return bomLen(text), len(text) })
	d.Severity, d.Code, d.Message, d.Hint = sev, code, field+": "+message, hint
	v.list = append(v.list, d)
}

// field reports something about a field of the current entry.
func (v *validator) field(sev diag.Severity, code, field, message, hint string) {
	o := v.entry.Origin
	d := v.at(o, field, func(text string) (from, end int) {
		end, _, _ = frontMatter(&problems{src: diag.NewSource(o.Path, text)})
		return bomLen(text), end
	})
	message = field + ": " + message
	if !strings.HasSuffix(o.Path, entryExt) { // a file of its own names the entry
		name := v.entry.ID
		if name == "" {
			name = v.entry.Name
		}
		message = fmt.Sprintf("entry %q: %s", shorten(name), message)
	}
	d.Severity, d.Code, d.Message, d.Hint = sev, code, message, hint
	v.list = append(v.list, d)
}

// at finds the place of a field in the source of its entry or book.
func (v *validator) at(o Origin, field string, yamlPart func(text string) (from, end int)) diag.Diagnostic {
	d := diag.Diagnostic{File: o.Path, Line: o.Line}
	if o.Format != nativeExt || len(o.Raw) == 0 || strings.HasSuffix(o.Path, ".json") {
		return d
	}
	text, _ := decodeText(o.Raw)
	src := diag.NewSource(o.Path, text)
	from, end := yamlPart(text)
	doc := parseYAML(&problems{src: src}, from, end)
	if doc.root == nil {
		return d
	}
	name, _, _ := strings.Cut(field, ".")
	name, index, _ := strings.Cut(name, "[")
	n := lookup(doc.root, name)
	if n == nil {
		return d
	}
	if i, err := strconv.Atoi(strings.TrimSuffix(index, "]")); err == nil {
		if n = resolve(n); n.Kind == yaml.SequenceNode && i < len(n.Content) {
			n = n.Content[i]
		}
	}
	return src.At(diag.Error, "", doc.span(n), "")
}

func (v *validator) settings() {
	b := v.book
	if err := b.Policy.valid(); err != nil {
		v.setting(diag.Error, codeValue, "policy", err.Error(), "")
	}
	v.amount(v.setting, "default_scan_depth", b.ScanDepth, UnitMessages, UnitChars, UnitTokens)
	v.amount(v.setting, "token_budget", b.Budget, UnitTokens, UnitChars, UnitPercent)
	for _, name := range sortedKeys(b.GroupBudgets) {
		if b.GroupBudgets[name] < 0 {
			v.setting(diag.Error, codeValue, "group_budgets."+name, fmt.Sprintf("%d must not be negative", b.GroupBudgets[name]), "")
		}
	}
	for _, name := range sortedKeys(b.Namespaces) {
		v.word(v.setting, "namespaces."+name+".access", string(b.Namespaces[name].Access), names(ReadOnly, ReadWrite))
		if name == "" || strings.ContainsAny(name, ":{}<> \t\n") {
			v.setting(diag.Error, codeValue, "namespaces", fmt.Sprintf("%q cannot be the name of a namespace", name), "use a word without spaces and colons")
		}
	}
	v.similarity(v.setting, b.Similarity)
	for i, f := range b.Folders {
		if f.ID == "" {
			v.setting(diag.Error, codeMissing, fmt.Sprintf("folders[%d]", i), "id is missing", "")
		}
	}
}

// slotDecls checks the slots that the book declares and lists all known ones.
func (v *validator) slotDecls() {
	v.slots = names(slotOrder...)
	for i, s := range v.book.Slots {
		field := fmt.Sprintf("slots[%d]", i)
		near, word := s.After, "after"
		if near == "" {
			near, word = s.Before, "before"
		}
		switch {
		case s.Name == "":
			v.setting(diag.Error, codeMissing, field, "name is missing", "as in {name: rumours, after: backdrop}")
			continue
		case slices.Contains(v.slots, string(s.Name)):
			v.setting(diag.Error, codeTwice, field, fmt.Sprintf("there is a slot %s already", s.Name), "")
		case (s.After == "") == (s.Before == ""):
			v.setting(diag.Error, codeMissing, field, "give one of after and before", "as in {name: rumours, after: backdrop}")
		case !slices.Contains(v.slots, string(near)):
			v.setting(diag.Error, codeSlot, field, fmt.Sprintf("%s: there is no slot %q above it", word, near), didYouMean(string(near), v.slots))
		}
		v.slots = append(v.slots, string(s.Name))
	}
	if v.book.DefaultSlot != "" {
		v.slot(v.setting, "default_slot", v.book.DefaultSlot)
	}
}

// reporter is setting or field.
type reporter func(sev diag.Severity, code, field, message, hint string)

func (v *validator) slot(report reporter, field string, s Slot) {
	if _, ok := s.Depth(); ok || slices.Contains(v.slots, string(s)) {
		return
	}
	hint := didYouMean(string(s), v.slots)
	if hint == "" {
		hint = "the slots are " + strings.Join(v.slots, ", ") + " and at_depth(N); a book may declare others under slots"
	}
	report(diag.Error, codeSlot, field, fmt.Sprintf("there is no slot %q", shorten(string(s))), hint)
}

func (v *validator) word(report reporter, field, got string, words []string) {
	if !slices.Contains(words, got) {
		report(diag.Error, codeValue, field, fmt.Sprintf("%q is none of %s", shorten(got), strings.Join(words, ", ")), didYouMean(got, words))
	}
}

func (v *validator) amount(report reporter, field string, a *Amount, units ...Unit) {
	if a == nil {
		return
	}
	v.word(report, field, string(a.Unit), names(units...))
	if !(a.N >= 0 && a.N <= maxCount) || a.Unit == UnitPercent && a.N > 100 {
		report(diag.Error, codeValue, field, fmt.Sprintf("%g is out of range", a.N), "")
	}
}

func (v *validator) similarity(report reporter, s *Similarity) {
	if s == nil {
		return
	}
	v.within(report, "similarity.threshold", s.Threshold, 0, 1)
	v.within(report, "similarity.margin", s.Margin, 0, 1)
	v.within(report, "similarity.top_k", float64(s.TopK), 0, maxCount)
}

func (v *validator) within(report reporter, field string, f, lo, hi float64) {
	if f >= lo && f <= hi {
		return
	}
	message := fmt.Sprintf("%g is outside %g to %g", f, lo, hi)
	if hi == maxCount && lo == 0 {
		message = fmt.Sprintf("%g must not be negative", f)
	}
	report(diag.Error, codeValue, field, message, "")
}

func (v *validator) checkEntry() {
	e := v.entry
	if strings.TrimSpace(e.ID) == "" {
		v.field(diag.Error, codeMissing, "id", "every entry needs one", "give it a short name such as old_mill")
	} else if strings.ContainsAny(e.ID, "[]\"\n\r") || strings.TrimSpace(e.ID) != e.ID {
		v.field(diag.Warning, codeValue, "id", fmt.Sprintf("%q cannot be named by [[id]] or <trigger>", e.ID), "use letters, digits, _ and -")
	}
	for _, t := range []struct{ field, text string }{{"id", e.ID}, {"name", e.Name}, {"comment", e.Comment}, {"group", e.Group}, {"condition", e.Condition}} {
		v.utf8(t.field, t.text)
	}
	v.keys("keywords", e.Keys)
	for i, c := range e.Clauses {
		v.word(v.field, "secondary_logic", string(c.Logic), clauseLogics)
		if len(e.Clauses) == 1 {
			v.keys("secondary_keys", c.Keys)
		} else {
			v.keys(fmt.Sprintf("clauses[%d]", i), c.Keys)
		}
	}
	if e.Slot != "" {
		v.slot(v.field, "slot", e.Slot)
	}
	for i, s := range e.Fallback {
		v.slot(v.field, fmt.Sprintf("fallback[%d]", i), s)
	}
	if e.Role != "" {
		v.word(v.field, "role", string(e.Role), blockRoles)
	}
	for i, k := range e.Kinds {
		v.word(v.field, fmt.Sprintf("kinds[%d]", i), string(k), names(turnKinds...))
	}
	for i, s := range e.Sources {
		v.word(v.field, fmt.Sprintf("sources[%d]", i), string(s), names(sources...))
	}
	v.amount(v.field, "scan_depth", e.ScanDepth, UnitMessages, UnitChars, UnitTokens)
	v.amount(v.field, "dialect.cap", e.Cap, UnitTokens, UnitChars, UnitPercent)
	v.amount(v.field, "dialect.reserve", e.Reserve, UnitTokens, UnitChars, UnitPercent)
	if e.Probability != nil {
		v.within(v.field, "probability", *e.Probability, 0, 100)
	}
	v.similarity(v.field, e.Similarity)
	for _, n := range []struct {
		field string
		n     int
	}{
		{"sticky_turns", e.Sticky},
		{"cooldown", e.Cooldown},
		{"delay", e.Delay},
		{"max_tokens", e.MaxTokens},
		{"dialect.after", e.After},
		{"dialect.every", e.Every},
		{"recursion.level", e.Recursion.Level},
	} {
		v.within(v.field, n.field, float64(n.n), 0, maxCount)
	}
	for _, n := range []struct {
		field string
		n     int
	}{{"priority", e.Priority}, {"insertion_order", e.InsertionOrder}} {
		v.within(v.field, n.field, float64(n.n), -maxCount, maxCount)
	}
	if g := e.Inclusion; g != nil {
		if len(g.Names) == 0 {
			v.field(diag.Warning, codeEmpty, "inclusion", "it names no group and has no effect", "as in inclusion: {names: [weather]}")
		}
		if g.Weight != nil {
			v.within(v.field, "inclusion.weight", *g.Weight, 0, maxCount)
		}
	}
}

func (v *validator) keys(field string, keys []Key) {
	for i, k := range keys {
		if k.Text != "" && (k.Kind == "" || slices.Contains(keyKinds, string(k.Kind))) && utf8.ValidString(k.Text) {
			continue
		}
		name := field + "[" + strconv.Itoa(i) + "]"
		if field == "keywords" && k.Kind == KeyRE2 {
			name = "regex"
		}
		if k.Text == "" {
			v.field(diag.Warning, codeEmpty, name, "a key without text never matches", "remove it")
		}
		if k.Kind != "" {
			v.word(v.field, name+".kind", string(k.Kind), keyKinds)
		}
		v.utf8(name, k.Text)
	}
}

func (v *validator) utf8(field, text string) {
	if !utf8.ValidString(text) {
		v.field(diag.Error, codeEncoding, field, "the text is not UTF-8", "")
	}
}

// templates parses the bodies and conditions that are weaver's.
func (v *validator) templates() {
	for _, e := range v.book.Entries {
		if e == nil {
			continue
		}
		o := e.Origin
		name := o.Path
		if name == "" {
			name = "entry " + e.ID
		}
		if v.book.Policy.Language == LangWeaver {
			var opts []weaver.ParseOption
			if offset := len(o.Raw) - len(e.Content); o.BodyLine > 0 && offset >= 0 && bytes.HasSuffix(o.Raw, []byte(e.Content)) {
				opts = append(opts, weaver.At(offset, o.BodyLine, 1))
			}
			_, list := weaver.Parse(name, e.Content, opts...)
			v.list = append(v.list, list...)
		}
		if v.book.Policy.Conditions && e.Condition != "" {
			v.entry = e
			_, list := weaver.ParseExpr(name, e.Condition)
			for _, d := range list {
				v.field(d.Severity, d.Code, "condition", d.Message, d.Hint)
			}
		}
	}
}
