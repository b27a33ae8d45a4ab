package sidecar

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
)

// ids makes ids in order.
func ids() func() string {
	n := 0
	return func() string {
		n++
		return fmt.Sprintf("op%03d", n)
	}
}

func entry(id, name, content string, keys ...string) *lore.Entry {
	e := lore.NewEntry(id, content)
	e.Name, e.Keys = name, lore.LiteralKeys(keys...)
	return e
}

func canon(entries ...*lore.Entry) *lore.Book {
	return &lore.Book{ID: "vale", Name: "The Vale", Policy: lore.PolicyWeaver(), Entries: entries}
}

func chat(texts ...string) []Message {
	var list []Message
	for i, t := range texts {
		role := lore.RoleAssistant
		if i%2 == 0 {
			role = lore.RoleUser
		}
		list = append(list, Message{ID: fmt.Sprintf("m%d", i+1), Role: role, Text: t})
	}
	return list
}

// scene is a scene over authored entries and what was written before.
func scene(books []*lore.Book, ops []memory.Operation, messages ...string) *Scene {
	books = append(books, memory.NewBook(memory.WorldBook), memory.NewBook(memory.StoryBook))
	return &Scene{
		World: "w", Conversation: "c", Messages: chat(messages...), View: memory.Fold(books, ops, memory.Options{}),
		User: "Ren", Character: "Narrator", NewID: ids(),
	}
}

func call(tool string, pairs ...any) llm.Call {
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	raw, err := json.Marshal(m)
	if err != nil {
		panic(err)
	}
	return llm.Call{ID: "call-" + tool, Name: tool, Arguments: raw}
}

func writer(s *Scene) *Writer {
	node := "m0"
	if l := s.last(); l != nil {
		node = l.ID
	}
	return NewWriter(s, By{Phase: "write", Model: "test-model", Node: node})
}

// do makes calls of which each must do what it says.
func do(t *testing.T, w *Writer, calls ...llm.Call) []Result {
	t.Helper()
	var out []Result
	for _, c := range calls {
		r := w.Do(c)
		if !r.OK {
			t.Fatalf("%s %s: %s", c.Name, c.Arguments, r.Text)
		}
		out = append(out, r)
	}
	return out
}

// live returns the names of live entries of the story, categories aside.
func live(v *memory.View) []string {
	var out []string
	for _, ref := range v.Live() {
		if !ref.IsCategory() && ref.Book == memory.StoryBook {
			out = append(out, displayName(v, ref))
		}
	}
	return out
}

// scripted is a model that gives answers in order and keeps the requests.
type scripted struct {
	answers  []llm.Response
	requests []llm.Request
	err      error
}

func (m *scripted) Chat(_ context.Context, r llm.Request) (*llm.Response, error) {
	m.requests = append(m.requests, r)
	if len(m.answers) == 0 {
		if m.err != nil {
			return nil, m.err
		}
		return &llm.Response{Content: "nothing", Finish: llm.FinishStop, Model: "test-model"}, nil
	}
	a := m.answers[0]
	m.answers = m.answers[1:]
	if a.Model == "" {
		a.Model = "test-model"
	}
	if a.Finish == "" {
		a.Finish = llm.FinishStop
	}
	return &a, nil
}

// prompt is everything that a request says.
func promptOf(r llm.Request) string {
	var b strings.Builder
	for _, m := range r.Messages {
		b.WriteString(string(m.Role) + "\n" + m.Content + "\n")
	}
	return b.String()
}
