package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-memory/weft/llm/jsontext"
)

// Prompts are the words with which a model is set right. They can be replaced,
// for models of another language.
type Prompts struct {
	// Nudge follows prose where a call was wanted. %s are the tools' names.
	Nudge string
	// Fallback asks for calls as JSON. %s are the tools with their schemas.
	Fallback string
	// Fix follows JSON that does not fit. %s says what is wrong.
	Fix string
	// Echo follows an answer that repeats the schema.
	Echo string
	// Again is the result of a call that was answered before.
	Again string
}

// DefaultPrompts are used where a prompt is empty.
var DefaultPrompts = Prompts{
	Nudge:    "Call one of the tools now: %s. Do not answer in prose.",
	Fallback: "Answer with one JSON object and nothing else, of the form {\"calls\": [{\"name\": \"…\", \"arguments\": {…}}]}. If there is nothing to do, answer {\"calls\": []}. The names, with the JSON Schemas of their arguments:\n%s",
	Fix:      "That JSON does not fit: %s. Answer with the corrected JSON object and nothing else.",
	Echo:     "You repeated the schema. Answer with data that fits it, as one JSON object and nothing else.",
	Again:    "Already returned above; the same call gives the same result.",
}

func (p Prompts) withDefaults() Prompts {
	def := func(s *string, v string) {
		if *s == "" {
			*s = v
		}
	}
	def(&p.Nudge, DefaultPrompts.Nudge)
	def(&p.Fallback, DefaultPrompts.Fallback)
	def(&p.Fix, DefaultPrompts.Fix)
	def(&p.Echo, DefaultPrompts.Echo)
	def(&p.Again, DefaultPrompts.Again)
	return p
}

// Asked is what came of asking for data or for calls, with all its detours.
type Asked struct {
	// JSON is the object; of [Object] only.
	JSON json.RawMessage
	// Truncated is true if the object was cut off and holds what was complete.
	// Nothing may be destroyed because of it.
	Truncated bool
	// Repairs and Coerced say what was done to it.
	Repairs map[string]int
	Coerced []string
	// Calls are the calls; of [Calls] only. Those that may be executed are in
	// Executable.
	Calls, Executable []Call
	// Responses are the answers, in order. The last one counts.
	Responses []*Response
	// Steps says what detours were taken, for the activity feed.
	Steps []string
	// Usage is the sum.
	Usage Usage
}

func (a *Asked) add(r *Response) {
	if r != nil {
		a.Responses = append(a.Responses, r)
		a.Usage = a.Usage.Add(r.Usage)
	}
}

func (a *Asked) step(format string, args ...any) {
	a.Steps = append(a.Steps, fmt.Sprintf(format, args...))
}

// ObjectOptions say what [Object] asks for.
type ObjectOptions struct {
	// Name and Schema describe the object. Schema must be set.
	Name   string
	Schema json.RawMessage
	// Examples are values that the prompt shows; they are no answers.
	Examples []json.RawMessage
	// Tries is how often the model may correct itself. Defaults to 1; negative
	// means never.
	Tries   int
	Prompts Prompts
}

// ErrNoObject is the error for answers without the object that was asked for.
var ErrNoObject = errors.New("the model gave no usable JSON")

// Object asks for a JSON object. It is found in whatever the model writes around
// it, also in its thoughts if there is nothing else; its syntax is repaired, its
// values are fitted to the schema. If it still does not fit, the model is told
// what is wrong and asked once more; a model that only thought is asked without
// thinking.
//
// Beside an error it returns what was learned on the way.
func Object(ctx context.Context, m Model, req Request, o ObjectOptions) (*Asked, error) {
	schema, err := jsontext.Compile(o.Schema)
	if err != nil {
		return &Asked{}, &Error{Kind: KindConfig, Message: err.Error()}
	}
	if o.Tries == 0 {
		o.Tries = 1
	}
	prompts := o.Prompts.withDefaults()
	req.Tools, req.Choice, req.TextCalls = nil, Auto, false
	req.Format = JSONAnswer(o.Name, o.Schema)
	out := &Asked{}
	find := jsontext.Options{Schema: schema, Examples: o.Examples}
	for try := 0; ; try++ {
		r, err := m.Chat(ctx, req)
		out.add(r)
		if err != nil {
			return out, err
		}
		if r.Finish == FinishFilter {
			return out, &Error{Kind: KindFilter, Message: clipText("the model refused: "+r.Refusal, 300)}
		}
		found, ferr := jsontext.Extract(r.Content, find)
		if ferr != nil && strings.TrimSpace(r.Content) == "" && r.Reasoning != "" {
			if found, ferr = jsontext.Extract(r.Reasoning, find); ferr == nil {
				out.step("the answer stood in the thoughts")
			}
		}
		if ferr == nil {
			out.JSON, out.Repairs, out.Coerced = found.JSON, found.Repairs, found.Coerced
			out.Truncated = found.Truncated || r.Finish == FinishCut
			if !found.Truncated || try >= o.Tries {
				return out, nil
			}
		} else if try >= o.Tries {
			return out, fmt.Errorf("%w: %w", ErrNoObject, ferr)
		}
		var failed *jsontext.Error
		switch {
		case ferr == nil, r.Finish == FinishLength:
			// Cut off: more room, if it was the room.
			out.step("the answer was cut off; asked again with more room")
			req.MaxTokens = roomier(req.MaxTokens, r)
		case strings.TrimSpace(r.Content) == "" && r.Reasoning != "":
			out.step("the model only thought; asked again without thinking")
			req.Thinking = ThinkingOff
		case errors.As(ferr, &failed) && failed.Echo:
			out.step("the model repeated the schema; asked again")
			req.Messages = append(slices.Clone(req.Messages), Assistant(clipText(r.Content, 8000)), User(prompts.Echo))
		default:
			out.step("the JSON did not fit; asked again: %s", clipText(ferr.Error(), 300))
			next := slices.Clone(req.Messages)
			if strings.TrimSpace(r.Content) != "" {
				next = append(next, Assistant(clipText(r.Content, 16000)))
			}
			req.Messages = append(next, User(fmt.Sprintf(prompts.Fix, clipText(strings.TrimPrefix(ferr.Error(), "the JSON does not fit: "), 1500))))
		}
	}
}

// roomier is the bound for the second attempt at an answer that was cut off.
func roomier(bound int, r *Response) int {
	return min(max(2*bound, 2*r.Usage.Output, 2048), 32768)
}

// CallsOptions say how [Calls] asks.
type CallsOptions struct {
	// NoFallback keeps it from asking for JSON if the model does not call.
	NoFallback bool
	Prompts    Prompts
}

// Calls asks for calls of tools. A model that answers in prose although a call is
// required is nudged once, then asked for the same as JSON; if it still does not,
// there are no calls, which is no error. A model that takes no tools is asked for
// JSON at once. Calls that were cut off because the answer was too long are asked
// for once more, with more room.
func Calls(ctx context.Context, m Model, req Request, o CallsOptions) (*Asked, error) {
	out := &Asked{}
	prompts := o.Prompts.withDefaults()
	required := req.Choice.Mode == ModeRequired || req.Choice.Mode == ModeNamed
	req.TextCalls = true
	caps := m.Capabilities()
	roomed, nudged := false, false
	for caps.Tools != No {
		r, err := m.Chat(ctx, req)
		out.add(r)
		if KindOf(err) == KindUnsupported {
			out.step("the model takes no tools")
			break
		}
		if err != nil {
			return out, err
		}
		out.Calls, out.Executable = r.Calls, r.Executable()
		cut := r.Finish == FinishLength && slices.ContainsFunc(r.Calls, func(c Call) bool { return c.Truncated })
		switch {
		case cut && !roomed:
			roomed = true
			out.step("a call was cut off; asked again with more room")
			before, executable := out.Calls, out.Executable
			wider := req
			wider.MaxTokens = roomier(req.MaxTokens, r)
			r2, err := m.Chat(ctx, wider)
			out.add(r2)
			if err != nil || len(r2.Executable()) < len(executable) {
				out.Calls, out.Executable = before, executable
				return out, nil
			}
			out.Calls, out.Executable = r2.Calls, r2.Executable()
			return out, nil
		case len(r.Calls) > 0 || !required || r.Finish == FinishFilter:
			return out, nil
		case !nudged:
			nudged = true
			out.step("prose instead of a call; asked again")
			next := slices.Clone(req.Messages)
			if strings.TrimSpace(r.Content) != "" {
				next = append(next, Assistant(clipText(r.Content, 8000)))
			}
			req.Messages = append(next, User(fmt.Sprintf(prompts.Nudge, strings.Join(names(req.Tools), ", "))))
			continue
		}
		break
	}
	if o.NoFallback || !required && caps.Tools != No && !slices.Contains(out.Steps, "the model takes no tools") {
		return out, nil
	}
	return callsAsJSON(ctx, m, req, prompts, out)
}

func names(tools []Tool) []string {
	list := make([]string, len(tools))
	for i, t := range tools {
		list[i] = t.Name
	}
	return list
}

// callsAsJSON asks for calls as a JSON object.
func callsAsJSON(ctx context.Context, m Model, req Request, prompts Prompts, out *Asked) (*Asked, error) {
	out.step("asked for the calls as JSON")
	box, err := NewToolbox(req.Tools)
	if err != nil {
		return out, &Error{Kind: KindConfig, Message: err.Error()}
	}
	var list strings.Builder
	for _, t := range req.Tools {
		if req.Choice.Mode == ModeNamed && t.Name != req.Choice.Name {
			continue
		}
		fmt.Fprintf(&list, "%s: %s %s\n", t.Name, t.Description, t.Schema)
	}
	plain := req
	plain.Tools, plain.Choice, plain.TextCalls = nil, Auto, false
	plain.Messages = append(slices.Clone(withoutCalls(req.Messages)), User(fmt.Sprintf(prompts.Fallback, list.String())))
	plain.Format = Format{}
	if m.Capabilities().JSONObject != No {
		plain.Format = Format{JSON: true}
	}
	r, err := m.Chat(ctx, plain)
	out.add(r)
	if err != nil {
		return out, err
	}
	a := NewAssembler(AssemblerOptions{Tools: box, TextCalls: true})
	text := r.Content
	if strings.TrimSpace(text) == "" {
		text = r.Reasoning
	}
	found, _ := textCalls(text, box)
	var calls []Call
	for _, w := range found {
		calls = append(calls, a.build(&building{name: w.name, args: []byte(w.args), textual: true}))
	}
	calls = a.unique(calls)
	as := Response{Calls: calls, Finish: r.Finish}
	if as.Finish == FinishStop {
		as.Finish = FinishCalls
	}
	out.Calls, out.Executable = calls, as.Executable()
	if len(calls) == 0 {
		out.step("no calls came of it")
	}
	return out, nil
}

// withoutCalls returns messages for a model that takes no tools: calls and
// results become text.
func withoutCalls(messages []Message) []Message {
	out := make([]Message, 0, len(messages))
	for _, m := range messages {
		switch {
		case m.Role == RoleTool:
			out = append(out, User("Result of "+m.Name+": "+m.Content))
			continue
		case len(m.Calls) > 0:
			m = m.Clone()
			for _, c := range m.Calls {
				m.Content += fmt.Sprintf("\n{\"name\":%q,\"arguments\":%s}", c.Name, c.Arguments)
			}
			m.Calls, m.Kept = nil, nil
			m.Content = strings.TrimSpace(m.Content)
		}
		out = append(out, m)
	}
	return Alternate(out)
}
