package llm

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Finish says how an answer ended.
type Finish string

// The ends of answers.
const (
	FinishStop   Finish = "stop"
	FinishCalls  Finish = "calls"  // the model waits for the results of its calls
	FinishLength Finish = "length" // the bound on tokens was reached
	FinishFilter Finish = "filter" // the server or the model refused
	FinishError  Finish = "error"  // the server reported an error
	FinishCut    Finish = "cut"    // the stream ended without an end
)

// Response is an answer.
type Response struct {
	// ID and Model are what the server says.
	ID    string `json:"id,omitempty"`
	Model string `json:"model,omitempty"`
	// Content is the text, Reasoning what the model thought before.
	Content   string `json:"content"`
	Reasoning string `json:"reasoning,omitempty"`
	// Refusal is the model's reason not to answer, where a server tells it apart.
	Refusal string `json:"refusal,omitempty"`
	Calls   []Call `json:"calls,omitempty"`
	Finish  Finish `json:"finish"`
	// RawFinish is the server's word for it.
	RawFinish string `json:"raw_finish,omitempty"`
	Usage     Usage  `json:"usage"`
	// Repairs counts what the decoder had to put right, by kind.
	Repairs map[string]int `json:"repairs,omitempty"`
	// RequestRepairs says what was put right in the messages of the request.
	RequestRepairs []string `json:"request_repairs,omitempty"`
	// Kept goes into [Message.Kept] of the answer.
	Kept map[string]json.RawMessage `json:"kept,omitempty"`
	// Attempts is how many requests it took.
	Attempts int `json:"attempts,omitempty"`
}

// Usage counts tokens as the server does. Fields are 0 if it does not say.
type Usage struct {
	Input  int `json:"input"`  // with Cached
	Output int `json:"output"` // with Reasoning
	// Cached is the part of Input that was read from a cache, CacheWrite what
	// was written to one.
	Cached     int `json:"cached,omitempty"`
	CacheWrite int `json:"cache_write,omitempty"`
	Reasoning  int `json:"reasoning,omitempty"`
}

// Add returns the sum.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Input + v.Input, u.Output + v.Output, u.Cached + v.Cached, u.CacheWrite + v.CacheWrite, u.Reasoning + v.Reasoning}
}

// Incomplete reports whether there would have been more of the answer.
func (r *Response) Incomplete() bool {
	return r.Finish == FinishLength || r.Finish == FinishCut || r.Finish == FinishError
}

// Executable returns the calls that may be executed:
//
//   - a call with a problem, never;
//   - of an answer that ended well, all others;
//   - of an answer that ended at its bound on tokens or in an error, those that
//     are complete, unless they destroy something;
//   - of a stream that just stopped, nobody knows what is missing: all of its
//     calls if each is complete and none destroys anything, or none.
func (r *Response) Executable() []Call {
	var list []Call
	for _, c := range r.Calls {
		if r.Finish == FinishCut && (!c.OK() || c.Destructive) {
			return nil
		}
		if c.OK() && !(c.Destructive && r.Incomplete()) && r.Finish != FinishFilter {
			list = append(list, c)
		}
	}
	return list
}

// Message returns the answer as a message to go on with.
func (r *Response) Message() Message {
	return Message{Role: RoleAssistant, Content: r.Content, Reasoning: r.Reasoning, Calls: slices.Clone(r.Calls), Kept: r.Kept}
}

// EventKind says what an [Event] is.
type EventKind string

// The kinds of events.
const (
	// EventText and EventReasoning carry the next piece in Text.
	EventText      EventKind = "text"
	EventReasoning EventKind = "reasoning"
	// EventRetract says that the text so far was not the answer but thoughts,
	// which follow as one piece of reasoning.
	EventRetract EventKind = "retract"
	// EventCall carries a complete call. Calls come at the end of an answer.
	EventCall EventKind = "call"
	// EventUsage carries the counts.
	EventUsage EventKind = "usage"
	// EventFinish is the last event and carries the whole answer.
	EventFinish EventKind = "finish"
)

// Event is one piece of an answer.
type Event struct {
	Kind     EventKind
	Text     string
	Call     *Call
	Usage    *Usage
	Response *Response
}

func (e Event) String() string {
	switch {
	case e.Call != nil:
		return fmt.Sprintf("call %s%s", e.Call.Name, e.Call.Arguments)
	case e.Usage != nil:
		return fmt.Sprintf("usage %d in, %d out", e.Usage.Input, e.Usage.Output)
	case e.Response != nil:
		return fmt.Sprintf("finish %s", e.Response.Finish)
	}
	return fmt.Sprintf("%s %q", e.Kind, e.Text)
}
