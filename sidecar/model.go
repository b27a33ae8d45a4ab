package sidecar

import (
	"context"

	"github.com/weft-memory/weft/llm"
)

// Model answers requests. An [llm.Client] is one.
type Model interface {
	Chat(ctx context.Context, r llm.Request) (*llm.Response, error)
}

// Form is how a model is asked to say what it wants done.
type Form string

// The forms, for strong models first.
const (
	// FormTools offers each tool by itself.
	FormTools Form = "tools"
	// FormOneTool offers one tool with an action.
	FormOneTool Form = "one_tool"
	// FormJSON asks for one JSON object with a list of actions.
	FormJSON Form = "json"
)

// FormFor returns the form for what is known of a model.
func FormFor(c llm.Capabilities) Form {
	switch {
	case c.Tools == llm.No:
		return FormJSON
	case c.Parallel == llm.No:
		return FormOneTool
	}
	return FormTools
}

// Result is what came of a call: one line for the model, and for people.
type Result struct {
	Call llm.Call `json:"call"`
	Text string   `json:"text"`
	// OK is false if the call did nothing, or not all that it asked for.
	OK bool `json:"ok"`
	// Operations are the ids of the operations that it made.
	Operations []string `json:"operations,omitempty"`
}
