package llm

import (
	"context"
	"fmt"
	"slices"

	"github.com/weft-memory/weft/llm/jsontext"
)

// LoopOptions bound a conversation of a model with its tools.
type LoopOptions struct {
	// Rounds is how many answers may hold calls. Defaults to 4. The answer after
	// the last one is asked for without tools, so that prose comes.
	Rounds int
	// Run executes a call and returns its result, in words for the model. It is
	// called once for each different call that may be executed. Must be set.
	Run func(context.Context, Call) string
	// Emit gets the events of the answers, if it is set, each answer with its own
	// [EventFinish]. It returns false to stop.
	Emit    func(Event) bool
	Prompts Prompts
}

// Looped is what came of a loop.
type Looped struct {
	// Response is the last answer.
	Response *Response
	// Messages are those that the loop added: answers with calls, and results.
	Messages []Message
	// Calls are those that were executed.
	Calls []Call
	// Repeated counts calls that were not executed since they had been.
	Repeated int
	// Rounds is the number of answers.
	Rounds int
	// Limited is true if tools were withheld in the end.
	Limited bool
	Usage   Usage
}

// Loop lets a model call tools until it answers in prose. A call that was
// executed before is not executed again: its result says so. A round in which
// all calls are such ends the tools.
func Loop(ctx context.Context, m Model, req Request, o LoopOptions) (*Looped, error) {
	if o.Rounds <= 0 {
		o.Rounds = 4
	}
	prompts := o.Prompts.withDefaults()
	out := &Looped{}
	req.Messages = slices.Clone(req.Messages)
	for {
		last := out.Rounds >= o.Rounds || out.Limited
		if last {
			out.Limited = true
			if m.Capabilities().ToolChoice != No {
				req.Choice = None
			} else {
				req.Tools, req.Choice = nil, Auto
				req.Messages = withoutCalls(req.Messages)
			}
		}
		r, err := one(ctx, m, req, o.Emit)
		out.Rounds++
		if r != nil {
			out.Response = r
			out.Usage = out.Usage.Add(r.Usage)
		}
		if err != nil {
			return out, err
		}
		if last || len(r.Calls) == 0 || ctx.Err() != nil {
			return out, ctx.Err()
		}
		answer := r.Message()
		added := []Message{answer}
		executable := r.Executable()
		fresh := 0
		for _, c := range r.Calls {
			result := ""
			switch {
			case slices.ContainsFunc(out.Calls, func(d Call) bool { return d.Name == c.Name && jsontext.Equal(d.Arguments, c.Arguments) }):
				out.Repeated++
				result = prompts.Again
			case slices.ContainsFunc(executable, func(d Call) bool { return d.ID == c.ID }):
				fresh++
				out.Calls = append(out.Calls, c)
				result = o.Run(ctx, c)
			case c.Problem != "":
				result = fmt.Sprintf("Not executed: %s.", c.Problem)
			default:
				result = "Not executed: the answer was cut off."
			}
			added = append(added, Result(c, result))
		}
		req.Messages = append(req.Messages, added...)
		out.Messages = append(out.Messages, added...)
		if fresh == 0 && out.Repeated > 0 {
			out.Limited = true
		}
		if req.Choice.Mode == ModeRequired || req.Choice.Mode == ModeNamed {
			req.Choice = Auto // it did
		}
	}
}

// one gets one answer, with its events if somebody wants them.
func one(ctx context.Context, m Model, req Request, emit func(Event) bool) (*Response, error) {
	if emit == nil {
		return m.Chat(ctx, req)
	}
	var r *Response
	for e, err := range m.Stream(ctx, req) {
		if err != nil {
			return r, err
		}
		if e.Kind == EventFinish {
			r = e.Response
		}
		if !emit(e) {
			return r, context.Canceled
		}
	}
	return r, nil
}
