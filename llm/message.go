package llm

import (
	"encoding/json"
	"maps"
	"slices"
)

// Role says who speaks.
type Role string

// The roles of messages.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	// RoleTool is the result of one call of a tool.
	RoleTool Role = "tool"
)

// Message is one message of a chat.
type Message struct {
	Role Role `json:"role"`
	// Name is the name of the speaker, where a server can be told.
	Name string `json:"name,omitempty"`
	// Content is the text.
	Content string `json:"content,omitempty"`
	// Reasoning is what the model thought, if it said so. It goes back only to
	// servers that want it.
	Reasoning string `json:"reasoning,omitempty"`
	// Calls are the tools that the assistant called.
	Calls []Call `json:"calls,omitempty"`
	// CallID names the call that a message of the role tool answers.
	CallID string `json:"call_id,omitempty"`
	// Kept is what a protocol wants to see again with this message, such as
	// signed thoughts, by the name of the protocol. Others leave it alone.
	Kept map[string]json.RawMessage `json:"kept,omitempty"`
	// Extra are further fields of the message. They are sent as they are to
	// servers of the OpenAI form.
	Extra map[string]json.RawMessage `json:"extra,omitempty"`
}

// System returns a message with instructions.
func System(text string) Message { return Message{Role: RoleSystem, Content: text} }

// User returns a message of the user.
func User(text string) Message { return Message{Role: RoleUser, Content: text} }

// Assistant returns a message of the model.
func Assistant(text string) Message { return Message{Role: RoleAssistant, Content: text} }

// Result returns the result of a call.
func Result(call Call, text string) Message {
	return Message{Role: RoleTool, CallID: call.ID, Name: call.Name, Content: text}
}

// Clone returns a copy that shares nothing that can change.
func (m Message) Clone() Message {
	m.Calls = slices.Clone(m.Calls)
	m.Kept = maps.Clone(m.Kept)
	m.Extra = maps.Clone(m.Extra)
	return m
}

// Call is a call of a tool, ready to be used: whatever a server sent, its
// arguments are a JSON object.
type Call struct {
	// ID names the call in its conversation. It is never empty and, in one
	// answer, never there twice.
	ID string `json:"id"`
	// Name is the tool's name as it was offered, or what the model wrote if no
	// tool of that name was.
	Name string `json:"name"`
	// Arguments is a JSON object that fits the tool's schema, unless Problem
	// says otherwise.
	Arguments json.RawMessage `json:"arguments"`
	// Raw is what the model wrote, if it differs from Arguments.
	Raw string `json:"raw,omitempty"`
	// Problem says, in words for the model, why the call must not be executed:
	// there is no such tool, the arguments cannot be read or do not fit. Empty
	// if nothing is wrong.
	Problem string `json:"problem,omitempty"`
	// Truncated is true if the arguments were cut off; Arguments hold what was
	// complete. Such a call has a Problem too.
	Truncated bool `json:"truncated,omitempty"`
	// Repairs lists what was done to the call.
	Repairs []string `json:"repairs,omitempty"`
	// Destructive is that of the tool.
	Destructive bool `json:"destructive,omitempty"`
}

// OK reports whether the call can be executed as far as it goes itself; see
// [Response.Executable] for the answer as a whole.
func (c Call) OK() bool { return c.Problem == "" && !c.Truncated }

// Decode reads the arguments into a struct.
func (c Call) Decode(into any) error { return json.Unmarshal(c.Arguments, into) }
