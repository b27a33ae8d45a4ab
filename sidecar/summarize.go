package sidecar

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
)

// Span is a stretch of messages, by their places in the scene: from the first
// one that is new to the one behind the last.
type Span struct{ From, To int }

// DueSpan returns the next stretch that a summary is due for. told is how many
// messages have been told over already; ok is false as long as too few are new.
// The newest two messages are left out: they may still be swiped away.
func DueSpan(s *Scene, told int) (span Span, ok bool) {
	every := or(s.Settings.Every, 20)
	settled := len(s.Messages) - memory.SettledAfter
	if settled-told < every {
		return Span{}, false
	}
	return Span{told, min(told+every, settled)}, true
}

// Summarize tells over a stretch of the story. The operations belong to the last
// message of it, so that they go with it.
func Summarize(ctx context.Context, m Model, s *Scene, span Span, form Form) (*Batch, error) {
	if span.From < 0 || span.To > len(s.Messages) || span.From >= span.To {
		return nil, fmt.Errorf("the messages %d to %d are not all there: the scene has %d", span.From, span.To, len(s.Messages))
	}
	fresh := s.transcript(s.Messages[span.From:span.To])
	if fresh == "" {
		return &Batch{Skipped: "nothing in these messages is a part of the story"}, nil
	}
	var b strings.Builder
	if text := Summaries(s); text != "" {
		b.WriteString("What was told over already:\n" + inside("lore", text) + "\n\n")
	}
	if from := max(0, span.From-or(s.Settings.Lookback, 8)); from < span.From {
		b.WriteString("The messages before, told over already:\n" + inside("story", s.transcript(s.Messages[from:span.From])) + "\n\n")
	}
	b.WriteString("New:\n" + inside("story", fresh))
	t := &task{
		phase: "summary", node: s.Messages[span.To-1].ID, form: form, tools: []string{ToolSummary, ToolReorganize},
		messages: []llm.Message{llm.System(s.system("summary")), llm.User(s.loreSection()), llm.User(b.String())},
		stable:   2, maxText: 3000,
	}
	w := NewWriter(s, By{Phase: "summary", Node: t.node})
	w.span = [2]string{s.Messages[span.From].ID, s.Messages[span.To-1].ID}
	t.writer = w
	return t.run(ctx, m, s)
}

// Summaries writes the summaries that are in force, by arc, the newest last.
func Summaries(s *Scene) string {
	var b strings.Builder
	for _, ref := range s.View.Live() {
		e := s.View.Entry(ref.Book, ref.Entry)
		if e == nil || e.Type != TypeSummary {
			continue
		}
		about := readSummary(e)
		head := e.Name
		if about.Arc != "" {
			head += " (" + about.Level + ", arc " + about.Arc + ")"
		} else if about.Level != "" {
			head += " (" + about.Level + ")"
		}
		b.WriteString(head + "\n" + strings.TrimSpace(e.Content) + "\n\n")
	}
	return clip(b.String(), 12000)
}

// summaryFields are the free fields of a summary.
type summaryFields struct {
	Level string `json:"level,omitempty"`
	Arc   string `json:"arc,omitempty"`
	From  string `json:"from,omitempty"`
	To    string `json:"to,omitempty"`
}

func readSummary(e *lore.Entry) summaryFields {
	var f summaryFields
	_ = json.Unmarshal(e.Ext["weaver"], &f) // an entry without them has none
	return f
}

// summary writes a summary and retires those that it replaces.
func (w *Writer) summary(a args) (string, bool) {
	title, content := clip(a.text("title"), 120), a.text("content")
	if title == "" || content == "" {
		return "Give a title and what happened.", false
	}
	level := strings.ToLower(a.text("level"))
	if level != "arc" && level != "story" {
		level = "scene"
	}
	arc := clip(a.text("arc"), 80)
	book := memory.StoryBook
	if !w.scene.book(book).Write {
		return "No book may be written.", false
	}
	for _, ref := range w.known.view.Live() {
		if e := w.known.view.Entry(ref.Book, ref.Entry); e != nil && e.Type == TypeSummary && squeeze(e.Content) == squeeze(content) {
			return "That was told over already.", true
		}
	}
	e := lore.NewEntry(w.freeID(book, "summary "+title), content)
	e.Name, e.Type = title, TypeSummary
	// A summary of an arc or of the whole stands for what is out of sight, so it
	// is always there; scenes are found.
	e.Constant = level != "scene"
	e.Slot = lore.SlotBackdrop
	if level == "scene" {
		e.Keys = lore.LiteralKeys(w.namesIn(content, 8)...)
	}
	e.Ext = map[string]json.RawMessage{"weaver": json.RawMessage(jsonOf(summaryFields{Level: level, Arc: arc, From: w.span[0], To: w.span[1]}))}
	path := []string{"Summaries"}
	if arc != "" {
		path = append(path, arc)
	}
	e.Folder = w.category(book, path, a)
	w.add(memory.Operation{Book: book, Entry: e.ID, Kind: memory.KindCreate, Change: memory.Change{Entry: e}}, a)
	text := "Saved as " + w.known.label(memory.Ref{Book: book, Entry: e.ID}) + "."
	for _, name := range a.list("replaces") {
		ref, ok := w.summaryNamed(name)
		if !ok {
			text += " There is no summary called " + name + "."
			continue
		}
		if ref.Entry == e.ID {
			continue
		}
		if w.destructive >= or(w.scene.Settings.MaxDestructive, 3) || w.by.Incomplete {
			text += " " + name + " stays for now."
			continue
		}
		w.destructive++
		op := memory.Operation{Book: ref.Book, Entry: ref.Entry, Kind: memory.KindRetire, Reason: "told over in " + title}
		if waits := w.add(op, args{}); waits != "" {
			text += " " + name + " stays: it waits for a person."
			continue
		}
		text += " " + name + " is retired."
	}
	return text, true
}

// summaryNamed finds a live summary by its title or id.
func (w *Writer) summaryNamed(name string) (memory.Ref, bool) {
	name = strings.Trim(name, "[] ")
	for _, ref := range w.known.view.Live() {
		e := w.known.view.Entry(ref.Book, ref.Entry)
		if e != nil && e.Type == TypeSummary && (ref.Entry == name || squeeze(e.Name) == squeeze(name)) {
			return ref, true
		}
	}
	return memory.Ref{}, false
}

// namesIn returns the names of known things that a text says.
func (w *Writer) namesIn(text string, most int) []string {
	said := newSaid(text)
	var out []string
	for _, ref := range w.known.view.Live() {
		e := w.known.view.Entry(ref.Book, ref.Entry)
		if ref.IsCategory() || !w.scene.book(ref.Book).Read || !isThing(e) || len(out) == most {
			continue
		}
		if name := displayName(w.known.view, ref); said.says(name) {
			out = append(out, name)
		}
	}
	return uniqueTexts(out)
}

// ToldTo returns the last messages that summaries tell of, by their ids,
// retired ones included: what was told over once is not told again.
func ToldTo(v *memory.View) []string {
	var out []string
	for _, op := range v.Operations() {
		if op.Kind != memory.KindCreate || op.Change.Entry == nil || op.Change.Entry.Type != TypeSummary || !v.Counts(op.ID) {
			continue
		}
		if to := readSummary(op.Change.Entry).To; to != "" {
			out = append(out, to)
		}
	}
	return out
}
