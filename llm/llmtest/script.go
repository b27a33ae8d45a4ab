package llmtest

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Script says what a server answers.
type Script struct {
	// Models are listed by /models. Defaults to one called test.
	Models []Model `yaml:"models"`
	// Key is what requests must bring; others get 401. Empty means that any will
	// do.
	Key string `yaml:"key"`
	// Secrets must not stand in the body or the address of any request.
	Secrets []string `yaml:"secrets"`
	// Fallback answers what no step is for: narrate (prose, tool calls or JSON,
	// whatever was asked for), echo (the last message), or nothing, which is an
	// error.
	Fallback string `yaml:"fallback"`
	// Pace is the pause between the words of a stream that the fallback writes.
	Pace Duration `yaml:"pace"`
	// Steps are the requests to come.
	Steps []Step `yaml:"steps"`
}

// Model is a model in the list.
type Model struct {
	ID      string `yaml:"id"`
	Context int    `yaml:"context"`
	Kind    string `yaml:"kind"`
}

// Step is one request and its answer.
type Step struct {
	Name string `yaml:"name"`
	// When says which requests the step is for, Expect what they must be like.
	When   Match `yaml:"when"`
	Expect Match `yaml:"expect"`
	// Times is how often the step is used. Defaults to once; -1 means as often as
	// it is asked for, which may be never.
	Times   int     `yaml:"times"`
	Respond Respond `yaml:"respond"`
}

// Match is what a request is like. What is not set does not matter.
type Match struct {
	// Path is the end of the path, such as /chat/completions.
	Path  string `yaml:"path"`
	Model string `yaml:"model"`
	// Stream says whether a stream is asked for.
	Stream *bool `yaml:"stream"`
	// Tools are the names of the tools, all of them; HasTools some of them.
	Tools    []string `yaml:"tools"`
	HasTools []string `yaml:"has_tools"`
	NoTools  bool     `yaml:"no_tools"`
	// ToolChoice is auto, none, required, or the name of a tool.
	ToolChoice string `yaml:"tool_choice"`
	// Format is text, json_object or json_schema.
	Format string `yaml:"format"`
	// Roles are the roles of the messages, in order.
	Roles []string `yaml:"roles"`
	// System stands in the instructions; Contains and Lacks are about the text of
	// all messages.
	System   string   `yaml:"system"`
	Contains []string `yaml:"contains"`
	Lacks    []string `yaml:"lacks"`
	// Last stands in the last message.
	Last string `yaml:"last"`
	// MaxPromptTokens bounds the text, at four bytes a token.
	MaxPromptTokens int `yaml:"max_prompt_tokens"`
	// Fields are members of the body with their values, Absent members that must
	// not be there.
	Fields map[string]any `yaml:"fields"`
	Absent []string       `yaml:"absent"`
	// Headers are headers with their values.
	Headers map[string]string `yaml:"headers"`
}

// Respond is an answer. Either it is described, by Text, Reasoning, Calls and so
// on, and sent in the form that was asked for, or given as it goes over the wire,
// by Body or Chunks.
type Respond struct {
	// Status defaults to 200.
	Status  int               `yaml:"status"`
	Headers map[string]string `yaml:"headers"`
	// Delay passes before the headers, Pace between two pieces of a stream.
	Delay Duration `yaml:"delay"`
	Pace  Duration `yaml:"pace"`

	Text      string `yaml:"text"`
	Reasoning string `yaml:"reasoning"`
	// JSON is sent as the text.
	JSON  any        `yaml:"json"`
	Calls []ToolCall `yaml:"calls"`
	// Finish defaults to stop, or to tool_calls.
	Finish string `yaml:"finish"`
	Usage  *Usage `yaml:"usage"`
	// Error is sent as an error object; Status should be set.
	Error *WireError `yaml:"error"`

	// Body is the whole body, Chunks the pieces of a stream.
	Body   string  `yaml:"body"`
	Chunks []Chunk `yaml:"chunks"`
	// Stream overrides what the request asked for.
	Stream *bool `yaml:"stream"`

	// Chunking names one of [Chunkings].
	Chunking string `yaml:"chunking"`
	// Fault breaks the answer after After bytes of its body; see [Faults].
	Fault string `yaml:"fault"`
	After int    `yaml:"after"`
	// Gzip compresses the body, asked for or not.
	Gzip bool `yaml:"gzip"`
}

// ToolCall is a call in an answer. Arguments that are a text are sent as they
// are, all others as JSON.
type ToolCall struct {
	ID        string `yaml:"id"`
	Name      string `yaml:"name"`
	Arguments any    `yaml:"arguments"`
}

func (c ToolCall) arguments() string {
	if s, ok := c.Arguments.(string); ok {
		return s
	}
	if c.Arguments == nil {
		return "{}"
	}
	return string(mustJSON(c.Arguments))
}

// Usage is what the server counts.
type Usage struct {
	Input  int `yaml:"input"`
	Output int `yaml:"output"`
	Cached int `yaml:"cached"`
}

// WireError is an error as OpenAI writes it.
type WireError struct {
	Message string `yaml:"message" json:"message"`
	Type    string `yaml:"type" json:"type"`
	Code    string `yaml:"code" json:"code,omitempty"`
	Param   string `yaml:"param" json:"param,omitempty"`
}

// Chunk is a piece of a stream: exactly one of its fields beside Delay and Event.
type Chunk struct {
	// Delay passes before.
	Delay Duration `yaml:"delay"`
	// Data is sent as the data of an event, Event as its name.
	Data  string `yaml:"data"`
	Event string `yaml:"event"`
	// Comment is sent as a comment.
	Comment string `yaml:"comment"`
	// Raw is sent as it is.
	Raw string `yaml:"raw"`
	// Repeat sends the piece so many times more; -1 for ever.
	Repeat int `yaml:"repeat"`
}

func (c Chunk) bytes() []byte {
	switch {
	case c.Raw != "":
		return []byte(c.Raw)
	case c.Comment != "":
		return []byte(": " + c.Comment + "\n\n")
	}
	s := ""
	if c.Event != "" {
		s = "event: " + c.Event + "\n"
	}
	return []byte(s + "data: " + c.Data + "\n\n")
}

// Duration is a time.Duration that is written 30s.
type Duration time.Duration

// UnmarshalText reads 30s.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is no time such as 30s", text)
	}
	*d = Duration(v)
	return nil
}

// ParseScript reads a script in YAML or JSON. Unknown fields are errors.
func ParseScript(src string) (*Script, error) {
	var s Script
	dec := yaml.NewDecoder(strings.NewReader(src))
	dec.KnownFields(true)
	if err := dec.Decode(&s); err != nil {
		return nil, fmt.Errorf("the model script cannot be read: %w", err)
	}
	return &s, s.validate()
}

// LoadScript reads a script from a file.
func LoadScript(path string) (*Script, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the model script cannot be read: %w", err)
	}
	s, err := ParseScript(string(src))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

func (s *Script) validate() error {
	switch s.Fallback {
	case "", "echo", "narrate":
	default:
		return fmt.Errorf("fallback: %q is neither echo nor narrate", s.Fallback)
	}
	for i := range s.Steps {
		st := &s.Steps[i]
		if st.Name == "" {
			st.Name = fmt.Sprintf("step %d", i+1)
		}
		if c := st.Respond.Chunking; c != "" {
			if _, ok := chunkingOf(c); !ok {
				return fmt.Errorf("%s: there is no chunking %q", st.Name, c)
			}
		}
		if f := st.Respond.Fault; f != "" {
			if _, ok := Faults[f]; !ok {
				return fmt.Errorf("%s: there is no fault %q", st.Name, f)
			}
		}
	}
	if len(s.Models) == 0 {
		s.Models = []Model{{ID: "test"}}
	}
	return nil
}

func mustJSON(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		raw, _ = json.Marshal(fmt.Sprint(v))
	}
	return raw
}
