package sidecar

import (
	"context"
	"errors"
	"strings"

	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/llm/jsontext"
	"github.com/weft-memory/weft/memory"
)

// Batch is what a phase wants to have written.
type Batch struct {
	Operations []memory.Operation `json:"operations"`
	// Results say what came of each call, in order.
	Results []Result `json:"results"`
	// Text is what the model said beside its calls.
	Text  string    `json:"text,omitempty"`
	Model string    `json:"model,omitempty"`
	Usage llm.Usage `json:"usage"`
	// Asked is how often the model was asked.
	Asked int `json:"asked"`
	// Skipped says why the model was not asked at all.
	Skipped string `json:"skipped,omitempty"`
	// Incomplete says that the last answer broke off.
	Incomplete bool `json:"incomplete,omitempty"`
	// Repairs counts what had to be put right in the answers.
	Repairs map[string]int `json:"repairs,omitempty"`
}

// Write reads the newest reply and returns what of it is to be remembered. The
// last message of the scene is that reply. form says how the model is asked, see
// [FormFor].
//
// A model that makes no call remembers nothing, which is no error. One whose
// calls were refused is asked again, as often as the settings allow; what it did
// right stays done.
func Write(ctx context.Context, m Model, s *Scene, form Form) (*Batch, error) {
	reply := s.last()
	if reply == nil {
		return &Batch{Skipped: "there is no reply"}, nil
	}
	if s.line(reply) == "" {
		return &Batch{Skipped: "nothing in the reply is a part of the story"}, nil
	}
	system := "write"
	t := &task{
		phase: "write", node: reply.ID, form: form,
		messages: []llm.Message{llm.System(s.system(system)), llm.User(s.loreSection()), llm.User(s.writeTask())},
		stable:   2,
	}
	return t.run(ctx, m, s)
}

func (s *Scene) writeTask() string {
	recent := window(s.Messages, or(s.Settings.Window, 6))
	earlier, reply := recent[:len(recent)-1], recent[len(recent)-1:]
	var b strings.Builder
	if len(earlier) > 0 {
		b.WriteString("What went before:\n" + inside("story", s.transcript(earlier)) + "\n\n")
	}
	b.WriteString("The newest reply:\n" + inside("story", s.transcript(reply)))
	if news := News(s.Anchor, s.View); news != "" {
		b.WriteString("\n\nNew since the overview was made:\n" + inside("lore", news))
	}
	if text := s.entriesInPlay(); text != "" {
		b.WriteString("\n\nThe entries in play, in full:\n" + inside("lore", text))
	}
	b.WriteString("\n\nWrite down what is worth remembering of the newest reply.")
	return b.String()
}

// maxInPlay bounds the texts of entries that a prompt of the write phase holds,
// in characters.
const maxInPlay = 8000

// entriesInPlay writes the entries that the narrator had before it, and those
// that the reply names, so that what is known is not written again and what
// changed can be replaced word for word.
func (s *Scene) entriesInPlay() string { return s.inFull(append(Mentioned(s, 2), s.Retrieved...)) }

// inFull writes entries in full, each once, as far as there is room.
func (s *Scene) inFull(list []memory.Ref) string {
	var b strings.Builder
	seen := map[memory.Ref]bool{}
	dropped := 0
	for _, ref := range list {
		ref = s.View.Redirect(ref.Book, ref.Entry)
		e := s.View.Entry(ref.Book, ref.Entry)
		if seen[ref] || e == nil || !s.book(ref.Book).Read || e.Type == TypeSummary {
			continue
		}
		seen[ref] = true
		text := "[" + ref.Entry + "] " + displayName(s.View, ref) + "\n" + strings.TrimSpace(e.Content) + "\n\n"
		if b.Len()+len(text) > maxInPlay {
			dropped++
			continue
		}
		b.WriteString(text)
	}
	if dropped > 0 {
		b.WriteString("(" + itoa(dropped) + " more are not shown)\n")
	}
	return b.String()
}

// task is one exchange with a model that may call tools.
type task struct {
	phase    string
	node     string
	form     Form
	tools    []string // none means those that write
	messages []llm.Message
	stable   int
	search   *Searcher
	writer   *Writer
	maxText  int
}

// run asks the model, does what it asks for, and tells it what came of it, until
// nothing is left to be said.
func (t *task) run(ctx context.Context, m Model, s *Scene) (*Batch, error) {
	b := &Batch{}
	if t.writer == nil {
		t.writer = NewWriter(s, By{Phase: t.phase, Node: t.node})
	}
	rounds := or(s.Settings.Rounds, 2)
	messages := t.messages
	if t.form == FormJSON {
		messages = append(messages[:len(messages):len(messages)], llm.User(s.prompt("write_json", "{actions}", strings.Join(actionNames(t.tools), ", "), "{fields}", actionFields(t.tools))))
	}
	for range rounds {
		r := llm.Request{Messages: messages, MaxTokens: or(t.maxText, 2500), StablePrefix: t.stable, TextCalls: true}
		if t.form == FormJSON {
			r.Format = llm.JSONAnswer("actions", ActionsSchema(t.tools...))
		} else {
			r.Tools, r.OneCall = Tools(t.form, t.tools...), false
		}
		answer, err := m.Chat(ctx, r)
		b.Asked++
		if err != nil {
			if b.Asked > 1 && ctx.Err() == nil {
				break // what was done before stands
			}
			return b, err
		}
		b.Usage, b.Model, b.Incomplete = b.Usage.Add(answer.Usage), answer.Model, answer.Incomplete()
		for kind, n := range answer.Repairs {
			if b.Repairs == nil {
				b.Repairs = map[string]int{}
			}
			b.Repairs[kind] += n
		}
		t.writer.by.Model, t.writer.by.Incomplete = answer.Model, answer.Incomplete()
		calls, text := t.callsOf(answer)
		if text != "" {
			b.Text = text
		}
		if len(calls) == 0 {
			break
		}
		results, again := t.do(calls)
		b.Results = append(b.Results, results...)
		if !again {
			break
		}
		messages = append(messages[:len(messages):len(messages)], t.reply(answer, calls, results)...)
	}
	b.Operations = t.writer.Operations()
	return b, nil
}

// callsOf returns the calls of an answer in the form of the tools themselves.
// What must not be executed stays a call with a problem, so that the model hears
// of it.
func (t *task) callsOf(answer *llm.Response) (calls []llm.Call, text string) {
	if t.form != FormJSON || len(answer.Calls) > 0 {
		ok := map[string]bool{}
		for _, c := range answer.Executable() {
			ok[c.ID] = true
		}
		for _, c := range Normalize(answer.Calls) {
			if !ok[c.ID] && c.Problem == "" {
				c.Problem = "The answer broke off: this was not done."
			}
			calls = append(calls, c)
		}
		return calls, strings.TrimSpace(answer.Content)
	}
	found, err := jsontext.Extract(answer.Content, jsontext.Options{Schema: actionsCompiled})
	if err != nil {
		var e *jsontext.Error
		if !errors.As(err, &e) || len(e.Problems) == 0 {
			return nil, strings.TrimSpace(answer.Content)
		}
		found = &jsontext.Found{Value: jsontext.Value{JSON: e.Best, Truncated: true}}
	}
	return Actions(found.JSON, found.Truncated || answer.Incomplete()), ""
}

var actionsCompiled = jsontext.MustCompile(`{"type":"object","properties":{"actions":{"type":"array","items":{"type":"object"}}},"required":["actions"]}`)

// do executes calls; again is true if the model should hear what came of them:
// something was refused that can be said better, or was looked up.
func (t *task) do(calls []llm.Call) (results []Result, again bool) {
	for _, c := range calls {
		if c.Name == ToolSearch && t.search != nil {
			results = append(results, Result{Call: c, Text: t.search.Run(c.Arguments), OK: true})
			again = true
			continue
		}
		r := t.writer.Do(c)
		again = again || !r.OK
		results = append(results, r)
	}
	return results, again
}

// reply are the messages that tell the model what came of its calls.
func (t *task) reply(answer *llm.Response, calls []llm.Call, results []Result) []llm.Message {
	if t.form == FormJSON || len(answer.Calls) == 0 {
		var b strings.Builder
		for i, r := range results {
			b.WriteString(itoa(i+1) + ". " + r.Text + "\n")
		}
		b.WriteString("Say again, in the same form, only what was refused and can be done another way. Else answer {\"actions\": []}.")
		return []llm.Message{llm.Assistant(answer.Content), llm.User(b.String())}
	}
	out := []llm.Message{answer.Message()}
	for i, c := range answer.Calls {
		text := "Nothing was done."
		if i < len(results) && results[i].Call.ID == c.ID {
			text = results[i].Text
		}
		out = append(out, llm.Result(c, text))
	}
	return out
}

func actionNames(tools []string) []string {
	var list []string
	for _, t := range pickSpecs(tools) {
		list = append(list, t.action)
	}
	return list
}

// actionFields describes the fields of actions for models that get no schema.
func actionFields(tools []string) string {
	var b strings.Builder
	for _, t := range pickSpecs(tools) {
		b.WriteString("- " + t.action + ": " + t.text + " Fields:")
		for i, p := range t.params {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(" " + p.name)
			switch {
			case p.enum != nil:
				b.WriteString(" (" + strings.Join(p.enum, "|") + ")")
			case p.kind == kindList:
				b.WriteString(" (list)")
			}
			if p.required {
				b.WriteString(" (needed)")
			}
		}
		b.WriteString(".\n")
	}
	return strings.TrimSpace(b.String())
}
