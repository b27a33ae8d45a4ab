package sidecar

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/resolve"
)

// Writer turns calls of tools into operations. It is where all rules of writing
// live, whatever the model, the phase and the form in which it was asked. It
// keeps the lore with what was written so far, so that a later call of a batch
// sees the earlier ones. It is for one goroutine.
type Writer struct {
	scene *Scene
	by    By
	known *known

	ops         []memory.Operation
	done        map[string]bool // by name and arguments
	perTool     map[string]int
	destructive int
	// span are the first and the last message that summaries tell over.
	span [2]string
}

// By says on whose behalf operations are written.
type By struct {
	// Phase is write, summary or ingest; Model the name of the model.
	Phase, Model string
	// Node is the message that causes the operations.
	Node string
	// Incomplete says that the answer broke off: nothing is destroyed.
	Incomplete bool
}

// NewWriter returns a writer that writes nothing yet.
func NewWriter(s *Scene, by By) *Writer {
	return &Writer{scene: s, by: by, known: newKnown(s, s.View), done: map[string]bool{}, perTool: map[string]int{}}
}

// Operations returns what was written, in order.
func (w *Writer) Operations() []memory.Operation { return slices.Clone(w.ops) }

// View returns the lore with what was written.
func (w *Writer) View() *memory.View { return w.known.view }

// Do does what a call asks for, as far as the rules allow.
func (w *Writer) Do(c llm.Call) Result {
	before := len(w.ops)
	text, ok := w.do(c)
	r := Result{Call: c, Text: text, OK: ok}
	for _, op := range w.ops[before:] {
		r.Operations = append(r.Operations, op.ID)
	}
	return r
}

func (w *Writer) do(c llm.Call) (text string, ok bool) {
	spec := slices.IndexFunc(toolSpecs, func(t toolSpec) bool { return t.name == c.Name })
	switch {
	case spec < 0:
		return fmt.Sprintf("There is no tool %q here.", clip(c.Name, 40)), false
	case c.Problem != "":
		return c.Problem, false
	case c.Truncated:
		return "The call was cut off: nothing was done.", false
	}
	a := readArgs(c.Arguments)
	key := c.Name + " " + string(c.Arguments)
	if w.done[key] {
		return "That was done already.", true
	}
	w.done[key] = true
	if w.perTool[c.Name] >= w.share() || len(w.ops) >= w.limit() {
		return "That is more than one turn may write: the rest has to wait.", false
	}
	w.perTool[c.Name]++
	if toolSpecs[spec].destructive {
		switch {
		case w.by.Incomplete:
			return "The answer broke off, so nothing is taken away because of it.", false
		case w.destructive >= or(w.scene.Settings.MaxDestructive, 3):
			return "Too much would be taken away in one turn: this has to wait.", false
		}
	}
	switch c.Name {
	case ToolRemember:
		return w.remember(a)
	case ToolUpdate:
		return w.update(a)
	case ToolForget:
		return w.forget(a)
	case ToolSummary:
		return w.summary(a)
	case ToolReorganize:
		return w.reorganize(a)
	}
	return w.mergeSplit(a)
}

// limit is how many operations one batch may have.
func (w *Writer) limit() int { return or(w.scene.Settings.MaxOperations, 24) }

// share is how many calls of one tool are taken, so that no kind of news keeps
// out another.
func (w *Writer) share() int { return max(3, w.limit()*2/3) }

// add commits an operation to the writer, and says what of it waits for a
// person.
func (w *Writer) add(op memory.Operation, a args) (waits string) {
	op.ID = w.scene.NewID()
	op.World, op.Conversation, op.Node = w.scene.World, w.scene.Conversation, w.by.Node
	if op.Layer == "" {
		op.Layer = memory.LayerStory
	}
	op.Author = memory.Author{Kind: memory.BySidecar, Name: w.by.Model}
	op.Phase, op.Model = w.by.Phase, w.by.Model
	if op.Reason == "" {
		op.Reason = clip(a.text("reason"), 400)
	}
	op.Quotes = w.quotes(a.text("quote"))
	op.Seq = w.nextSeq()
	op.Normalize()
	v := w.known.view.With(op)
	w.ops = append(w.ops, op)
	w.known = w.known.with(v, touched(&op)...)
	for _, p := range v.Proposals() {
		if p.Operation == op.ID {
			waits = p.Why
		}
	}
	return waits
}

// nextSeq numbers operations behind those that are there; the store gives them
// their own numbers in the same order.
func (w *Writer) nextSeq() int64 {
	if n := len(w.ops); n > 0 {
		return w.ops[n-1].Seq + 1
	}
	var last int64
	for _, op := range w.known.view.Operations() {
		last = max(last, op.Seq)
	}
	return last + 1
}

// touched are the entries that an operation may change.
func touched(op *memory.Operation) []memory.Ref {
	list := []memory.Ref{op.Ref()}
	for _, r := range append(slices.Clone(op.Change.From), op.Change.Into...) {
		if r.Book == "" {
			r.Book = op.Book
		}
		list = append(list, r)
	}
	for _, e := range op.Change.Parts {
		list = append(list, memory.Ref{Book: op.Book, Entry: e.ID})
	}
	return list
}

// quotes returns the quote with the message that it stands in; a quote that
// stands in none is left out.
func (w *Writer) quotes(text string) []memory.Quote {
	if text = clip(text, 200); text == "" {
		return nil
	}
	want := squeeze(text)
	for i := len(w.scene.Messages) - 1; i >= 0; i-- {
		if m := &w.scene.Messages[i]; want != "" && strings.Contains(squeeze(m.Text), want) {
			return []memory.Quote{{Node: m.ID, Text: text}}
		}
	}
	return nil
}

// squeeze leaves of a text its letters and digits, so that marks and spaces do
// not matter.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

func (w *Writer) remember(a args) (string, bool) {
	name, content := clip(a.text("name"), 120), a.text("content")
	if name == "" || content == "" {
		return "Give a name and the facts.", false
	}
	if strings.EqualFold(squeeze(content), squeeze(name)) {
		return "The content says nothing about " + name + ".", false
	}
	typ := entryType(a.text("type"))
	aliases := a.list("aliases")
	if ref, ok := w.known.byID(name); ok {
		return w.addTo(ref, typ, content, aliases, a)
	}
	d := w.known.index.Decide(
		resolve.Thing{Type: typ, Name: name, Aliases: aliases, Description: content, Keys: a.list("keys")}, resolve.Options{TrustNames: true},
	)
	switch d.Verdict {
	case resolve.Same:
		if d.Rule != resolve.RuleName {
			aliases = append(aliases, name)
		}
		return w.addTo(w.known.refs[d.Target], typ, content, aliases, a)
	case resolve.Ambiguous:
		if d.Agreement != resolve.Unlike && d.Agreement != resolve.Conflict {
			return name + " may be " + w.known.names(d.Candidates, 4) + ". Update that one by its id, or use a fuller name.", false
		}
	}
	book := memory.StoryBook
	if !w.scene.book(book).Write {
		return "No book may be written.", false
	}
	e := lore.NewEntry(w.freeID(book, name), content)
	e.Name, e.Type = name, typ
	e.Keys = lore.LiteralKeys(uniqueTexts(append(append([]string{name}, aliases...), a.list("keys")...))...)
	setAliases(e, uniqueTexts(without(aliases, name)))
	e.Folder = w.category(book, categoryFor(a.text("category"), typ), a)
	w.add(memory.Operation{Book: book, Entry: e.ID, Kind: memory.KindCreate, Change: memory.Change{Entry: e}}, a)
	text := "Saved as " + w.known.label(memory.Ref{Book: book, Entry: e.ID}) + "."
	if d.Verdict == resolve.Ambiguous {
		text += " It is not " + w.known.names(d.Candidates, 3) + "."
	}
	return text, true
}

// addTo adds facts and names to an entry that is known already.
func (w *Writer) addTo(ref memory.Ref, typ, content string, aliases []string, a args) (string, bool) {
	change := memory.Append(content)
	now := w.known.view.Entry(ref.Book, ref.Entry)
	change.Overlay = w.guarded(ref)
	keys := newKeys(now, append(slices.Clone(aliases), a.list("keys")...))
	change.Names = keys
	w.addAliases(&change, ref, "", aliases)
	if typ != "" && now.Type == "" && !change.Overlay {
		setField(&change, "type", nil, typ)
	}
	if fresh := freshSentences(now.Content, content); fresh == 0 && len(keys) == 0 && len(change.Fields) == 0 {
		return w.known.label(ref) + " says that already.", true
	}
	return w.patch(ref, change, a, "Added to")
}

func (w *Writer) update(a args) (string, bool) {
	ref, why := w.known.find(a.text("entry"))
	if why != "" {
		return sentence(why), false
	}
	if !w.mayWrite(ref) {
		return w.known.label(ref) + " may not be changed.", false
	}
	var change memory.Change
	change.Overlay = w.guarded(ref)
	now := w.known.view.Entry(ref.Book, ref.Entry)
	text := now.Content // what hunks speak of
	if change.Overlay {
		o, _ := w.known.view.Overlay(ref.Book, ref.Entry)
		text = o.Facts
	}
	edited := text
	note := ""
	if old, repl := a.text("old"), a.text("new"); old != "" {
		out, ok := replaceSentence(edited, old, repl)
		switch {
		case ok:
			edited = out
		case change.Overlay && repl != "" || repl != "" && !change.Overlay:
			// The sentence is authored, or is not there: what is true now is said
			// all the same, in front of it.
			edited = addSentences(edited, repl)
			note = " The old sentence was not found, so the new one was added."
			if change.Overlay {
				note = " The authored text stays; the new fact stands before it."
			}
		default:
			return "The sentence to take out is not in " + w.known.label(ref) + ".", false
		}
	} else if repl != "" {
		edited = addSentences(edited, repl)
	}
	if add := a.text("add"); add != "" {
		if freshSentences(now.Content, add) > 0 {
			edited = addSentences(edited, add)
		}
	}
	status := clip(strings.TrimSuffix(a.text("status"), "."), 160)
	if status != "" && change.Overlay {
		o, _ := w.known.view.Overlay(ref.Book, ref.Entry)
		if string(o.Fields[fieldStatus]) != quoted(status) {
			setField(&change, fieldStatus, o.Fields[fieldStatus], status)
		}
	} else if status != "" {
		edited = setStatus(edited, status)
	}
	if edited != text {
		was, is := *lore.NewEntry(ref.Entry, text), *lore.NewEntry(ref.Entry, edited)
		change.Content = memory.Diff(&was, &is).Content
	}
	name := clip(a.text("name"), 120)
	aliases := a.list("aliases")
	if old := displayName(w.known.view, ref); name != "" && name != old {
		setField(&change, "name", rawText(old), name)
		aliases = append(aliases, old)
		change.Names = append(change.Names, newKeys(now, []string{name})...)
	}
	w.addAliases(&change, ref, name, aliases)
	change.Names = uniqueTexts(append(change.Names, newKeys(now, append(slices.Clone(aliases), a.list("keys")...))...))
	if len(change.Fields) == 0 && len(change.Content) == 0 && len(change.Names) == 0 {
		return w.known.label(ref) + " says that already.", true
	}
	text, ok := w.patch(ref, change, a, "Updated")
	return text + note, ok
}

// patch commits a change to an entry, and says where it landed.
func (w *Writer) patch(ref memory.Ref, change memory.Change, a args, verb string) (string, bool) {
	if !w.mayWrite(ref) {
		return w.known.label(ref) + " may not be changed.", false
	}
	waits := w.add(memory.Operation{Book: ref.Book, Entry: ref.Entry, Kind: memory.KindPatch, Change: change}, a)
	switch text := verb + " " + w.known.label(ref) + "."; {
	case waits != "":
		return text + " A part of it waits for a person: " + waits + ".", false
	case change.Overlay:
		return verb + " " + w.known.label(ref) + ", beside its authored text.", true
	default:
		return text, true
	}
}

func (w *Writer) forget(a args) (string, bool) {
	ref, why := w.known.find(a.text("entry"))
	if why != "" {
		return sentence(why), false
	}
	label := w.known.label(ref)
	w.destructive++
	if waits := w.add(memory.Operation{Book: ref.Book, Entry: ref.Entry, Kind: memory.KindForget}, a); waits != "" {
		return label + " stays: it waits for a person (" + waits + ").", false
	}
	return "Forgot " + label + ".", true
}

func (w *Writer) mergeSplit(a args) (string, bool) {
	ref, why := w.known.find(a.text("entry"))
	if why != "" {
		return sentence(why), false
	}
	if strings.EqualFold(a.text("action"), "split") {
		return w.split(ref, a)
	}
	other, why := w.known.find(a.text("other"))
	if why != "" {
		return sentence("the other one: " + why), false
	}
	if other == ref {
		return "These are one entry already.", true
	}
	// The authored one stays, whichever was named first.
	if w.guarded(other) {
		if w.guarded(ref) {
			return "Both are authored: only a person may make one of them.", false
		}
		ref, other = other, ref
	}
	keep, gone := w.known.label(ref), w.known.label(other)
	// Two names of which each tells against the other are two things, whatever
	// a model thinks of them.
	t, _ := w.known.thing(ref)
	u, _ := w.known.thing(other)
	if t.Type != "" && u.Type != "" && t.Type != u.Type {
		return fmt.Sprintf("%s is of type %s, %s of type %s: they are not the same.", keep, t.Type, gone, u.Type), false
	}
	w.destructive++
	names := uniqueTexts(append([]string{u.Name}, u.Aliases...))
	op := memory.Operation{Book: ref.Book, Entry: ref.Entry, Kind: memory.KindMerge, Change: memory.Change{From: []memory.Ref{other}, Names: names}}
	if waits := w.add(op, a); waits != "" {
		return "That waits for a person: " + waits + ".", false
	}
	var change memory.Change
	change.Overlay = w.guarded(ref)
	w.addAliases(&change, ref, "", names)
	if len(change.Fields) > 0 {
		w.add(memory.Operation{Book: ref.Book, Entry: ref.Entry, Kind: memory.KindPatch, Change: change}, a)
	}
	return gone + " is part of " + keep + " now.", true
}

func (w *Writer) split(ref memory.Ref, a args) (string, bool) {
	name, moved := clip(a.text("new_name"), 120), a.text("new_content")
	if name == "" || moved == "" {
		return "Give the new name and the sentences that move.", false
	}
	if w.guarded(ref) {
		return w.known.label(ref) + " is authored: only a person may split it.", false
	}
	own := w.known.view.Authored(ref.Book, ref.Entry)
	rest := own.Content
	for _, s := range memory.Sentences(moved) {
		out, ok := replaceSentence(rest, strings.TrimSpace(s), "")
		if !ok {
			return "Not every sentence that moves is in " + w.known.label(ref) + ": copy them.", false
		}
		rest = out
	}
	if strings.TrimSpace(rest) == "" {
		return "Nothing would be left of " + w.known.label(ref) + ": give it a new name instead.", false
	}
	stays, part := own.Clone(), lore.NewEntry(w.freeID(ref.Book, name), moved)
	stays.Content = rest
	part.Name, part.Type, part.Folder = name, own.Type, own.Folder
	part.Keys = lore.LiteralKeys(name)
	w.destructive++
	op := memory.Operation{Book: ref.Book, Entry: ref.Entry, Kind: memory.KindSplit, Change: memory.Change{Parts: []*lore.Entry{stays, part}}}
	if waits := w.add(op, a); waits != "" {
		return "That waits for a person: " + waits + ".", false
	}
	return w.known.label(ref) + " and " + w.known.label(memory.Ref{Book: ref.Book, Entry: part.ID}) + " are two entries now.", true
}

// guarded reports whether an entry may only have things laid over it.
func (w *Writer) guarded(ref memory.Ref) bool {
	return w.known.view.Guarded(ref.Book, ref.Entry) != ""
}

// mayWrite reports whether the sidecar has a right to write about an entry. What
// is laid over an authored entry belongs to the story, so a book that may be
// read may be written about, unless it says otherwise.
func (w *Writer) mayWrite(ref memory.Ref) bool {
	b := w.scene.book(ref.Book)
	return b.Write || b.Read && w.guarded(ref) && !slices.Contains(w.known.view.Locked(ref.Book, ref.Entry), memory.LockAll)
}

// addAliases puts names that are new into the change of an entry that is called
// name after it.
func (w *Writer) addAliases(c *memory.Change, ref memory.Ref, name string, names []string) {
	t, ok := w.known.thing(ref)
	if !ok {
		return
	}
	var old []string
	var raw json.RawMessage
	if c.Overlay {
		o, _ := w.known.view.Overlay(ref.Book, ref.Entry)
		old, raw = aliasesOf(o.Fields), o.Fields[fieldAliases]
	} else {
		old = Aliases(w.known.view.Entry(ref.Book, ref.Entry))
		if old != nil {
			raw = json.RawMessage(jsonOf(old))
		}
	}
	seen := map[string]bool{resolve.Normal(cmp.Or(name, t.Name)): true}
	for _, n := range t.Aliases {
		seen[resolve.Normal(n)] = true
	}
	list := slices.Clone(old)
	for _, n := range names {
		if n = clip(n, 120); n != "" && !seen[resolve.Normal(n)] && len(list) < resolve.MaxAliases {
			seen[resolve.Normal(n)] = true
			list = append(list, n)
		}
	}
	if len(list) > len(old) {
		if c.Fields == nil {
			c.Fields = map[string]memory.Field{}
		}
		c.Fields[fieldAliases] = memory.Field{Old: raw, New: json.RawMessage(jsonOf(list))}
	}
}

const fieldStatus = "status"

func setField(c *memory.Change, name string, old json.RawMessage, value string) {
	if c.Fields == nil {
		c.Fields = map[string]memory.Field{}
	}
	c.Fields[name] = memory.Field{Old: old, New: rawText(value)}
}

func rawText(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(quoted(s))
}

func setAliases(e *lore.Entry, names []string) {
	if len(names) == 0 {
		return
	}
	if e.Ext == nil {
		e.Ext = map[string]json.RawMessage{}
	}
	e.Ext["weaver"] = json.RawMessage(jsonOf(map[string]any{fieldAliases: names}))
}

// freeID makes an id of a name that no entry of the book has.
func (w *Writer) freeID(book, name string) string {
	base := strings.ReplaceAll(resolve.Normal(name), " ", "-")
	if base == "" {
		base = "entry"
	}
	base = clip(base, 60)
	id := base
	for n := 2; w.known.view.Status(book, id) != memory.StatusUnknown; n++ {
		id = base + "-" + itoa(n)
	}
	return id
}

// newKeys returns the texts that are no keys of an entry yet. Keys of one
// letter find everything and are left out, but in scripts where a letter is a
// word.
func newKeys(e *lore.Entry, texts []string) []string {
	var out []string
	for _, t := range uniqueTexts(texts) {
		has := slices.ContainsFunc(e.Keys, func(k lore.Key) bool { return k.Kind == lore.KeyLiteral && strings.EqualFold(k.Text, t) })
		r := []rune(t)
		if !has && len(r) > 0 && len(r) <= 80 && (len(r) > 1 || r[0] >= 0x2e80) {
			out = append(out, t)
		}
	}
	return out
}

func uniqueTexts(texts []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, t := range texts {
		if k := strings.ToLower(t); t != "" && !seen[k] {
			seen[k] = true
			out = append(out, t)
		}
	}
	return out
}

func without(texts []string, t string) []string {
	return slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return strings.EqualFold(s, t) })
}

// entryType reads a type as a model may write it.
func entryType(s string) string {
	s = strings.ToLower(s)
	switch s {
	case "place":
		return "location"
	case "person", "npc", "creature":
		return "character"
	case "faction", "group", "guild":
		return "organization"
	case "object", "artifact", "weapon":
		return "item"
	case "ability", "skill", "spell":
		return "power"
	case "quest", "goal":
		return "plot"
	}
	if slices.Contains(EntryTypes, s) && s != "note" {
		return s
	}
	return ""
}

// sentence makes a sentence of a part of one.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// clip cuts a text to so many bytes, between characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return strings.TrimSpace(s[:n])
}
