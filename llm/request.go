package llm

import (
	"encoding/json"
	"fmt"

	"github.com/weft-memory/weft/llm/jsontext"
)

// Request asks for an answer.
type Request struct {
	// Model overrides the model of the profile.
	Model string
	// Messages are the chat so far. They need not obey a server's rules: calls
	// and results are paired, roles are made to alternate where they must.
	Messages []Message
	// Tools are offered to the model.
	Tools []Tool
	// Choice says whether a tool must be called. Defaults to [Auto].
	Choice Choice
	// OneCall asks for at most one call. Servers may send more, and all are
	// returned.
	OneCall bool
	// TextCalls allows calls that the model writes into its text, for want of
	// the proper form. They are taken out of the text.
	TextCalls bool
	// Format is the form of the answer. Defaults to text.
	Format Format
	// MaxTokens bounds the answer. 0 means the profile's bound, or the server's.
	MaxTokens int
	// Temperature, TopP and Seed are left to the server if nil.
	Temperature, TopP *float64
	Seed              *int64
	// Stop are texts that end the answer.
	Stop []string
	// Thinking says how much the model should think first. Defaults to the
	// server's own way.
	Thinking Thinking
	// StablePrefix is the number of messages at the start that stay the same
	// from request to request; servers that cache by marks are told.
	StablePrefix int
	// Extra are further fields of the request. They are sent as they are, and
	// win over the fields above.
	Extra map[string]json.RawMessage
	// NoStream asks for the answer in one piece.
	NoStream bool
	// Shrink returns shorter messages after the server has refused the request
	// as too long; false if nothing can go. Nil means that nothing can. It is
	// called at most once.
	Shrink func(TooLong) ([]Message, bool)
}

// TooLong says by how much a request is too long, as far as the server tells.
type TooLong struct {
	// Limit is the size of the context, Asked that of the request, in the
	// server's tokens; 0 if it does not say.
	Limit, Asked int
	// Message is what the server says.
	Message string
}

// Tool is something that a model can call.
type Tool struct {
	// Name is letters, digits and underscores, at most 64.
	Name        string
	Description string
	// Schema is the JSON Schema of the arguments, an object. Keep it small and
	// flat: servers make grammars of it.
	Schema json.RawMessage
	// Destructive marks tools that take something away: they are not executed
	// from an answer that is only partly there.
	Destructive bool
}

// Mode says whether tools may, must or must not be called.
type Mode string

// The modes of a choice.
const (
	ModeAuto     Mode = ""
	ModeNone     Mode = "none"
	ModeRequired Mode = "required"
	ModeNamed    Mode = "named"
)

// Choice says whether a tool must be called, and which.
type Choice struct {
	Mode Mode
	Name string
}

// The choices: the model may call tools, may not, has to call some tool, has to
// call a certain one.
var (
	Auto     = Choice{}
	None     = Choice{Mode: ModeNone}
	Required = Choice{Mode: ModeRequired}
)

// Named returns the choice of a certain tool.
func Named(tool string) Choice { return Choice{Mode: ModeNamed, Name: tool} }

// Format is the form of an answer.
type Format struct {
	// JSON asks for a JSON object.
	JSON bool
	// Name and Schema describe it, if Schema is not nil.
	Name   string
	Schema json.RawMessage
}

// JSONAnswer asks for an object of a schema.
func JSONAnswer(name string, schema json.RawMessage) Format {
	return Format{JSON: true, Name: name, Schema: schema}
}

// Thinking says how much a model should think before it answers.
type Thinking string

// The degrees of thinking.
const (
	ThinkingDefault Thinking = ""
	ThinkingOff     Thinking = "off"
	ThinkingLow     Thinking = "low"
	ThinkingMedium  Thinking = "medium"
	ThinkingHigh    Thinking = "high"
)

// Toolbox is a list of tools with their schemas compiled, to check calls with.
// It is immutable.
type Toolbox struct {
	tools   []Tool
	schemas map[string]*jsontext.Schema
}

// NewToolbox compiles the schemas of tools.
func NewToolbox(tools []Tool) (*Toolbox, error) {
	b := &Toolbox{tools: tools, schemas: map[string]*jsontext.Schema{}}
	for _, t := range tools {
		if t.Name == "" {
			return nil, fmt.Errorf("a tool has no name")
		}
		if _, twice := b.schemas[t.Name]; twice {
			return nil, fmt.Errorf("two tools are called %s", t.Name)
		}
		raw := t.Schema
		if len(raw) == 0 {
			raw = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		s, err := jsontext.Compile(raw)
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", t.Name, err)
		}
		b.schemas[t.Name] = s
	}
	return b, nil
}

// Names returns the names of the tools.
func (b *Toolbox) Names() []string {
	if b == nil {
		return nil
	}
	names := make([]string, len(b.tools))
	for i, t := range b.tools {
		names[i] = t.Name
	}
	return names
}

func (b *Toolbox) tool(name string) (Tool, bool) {
	if b != nil {
		for _, t := range b.tools {
			if t.Name == name {
				return t, true
			}
		}
	}
	return Tool{}, false
}
