// Package ollama speaks the own form of Ollama, which differs from the
// OpenAI-compatible one that it has too in what matters here: the size of the
// context can be set, where the other cuts long prompts off without a word, and
// thinking can be switched. Its stream is one JSON value a line; calls have
// objects for arguments and no ids.
//
// The endpoint is the address of the server, such as http://127.0.0.1:11434.
package ollama

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/llm/jsontext"
)

// Protocol is the protocol. The zero value is ready.
type Protocol struct{}

var _ llm.Protocol = Protocol{}

// Name returns ollama.
func (Protocol) Name() string { return "ollama" }

// Authorize sends the key as a bearer token, for servers behind a proxy.
func (Protocol) Authorize(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) }

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Arguments   json.RawMessage `json:"arguments,omitempty"`
}

type call struct {
	Function function `json:"function"`
}

type message struct {
	Role     string `json:"role"`
	Content  string `json:"content"`
	Calls    []call `json:"tool_calls,omitempty"`
	ToolName string `json:"tool_name,omitempty"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type options struct {
	Context     int      `json:"num_ctx,omitempty"`
	MaxTokens   int      `json:"num_predict,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"`
	TopP        *float64 `json:"top_p,omitempty"`
	Seed        *int64   `json:"seed,omitempty"`
	Stop        []string `json:"stop,omitempty"`
}

type request struct {
	Model    string          `json:"model"`
	Messages []message       `json:"messages"`
	Tools    []tool          `json:"tools,omitempty"`
	Format   json.RawMessage `json:"format,omitempty"`
	Think    any             `json:"think,omitempty"`
	Options  *options        `json:"options,omitempty"`
	Stream   bool            `json:"stream"`
}

// Chat returns the request for a chat. Ollama cannot be made to call a tool: of a
// choice it gets only the tools that may be called.
func (Protocol) Chat(req *llm.Request, caps llm.Capabilities) (*llm.Wire, error) {
	r := request{Model: req.Model, Stream: !req.NoStream}
	o := options{Context: caps.ContextSize, MaxTokens: req.MaxTokens, Temperature: req.Temperature, TopP: req.TopP, Seed: req.Seed, Stop: req.Stop}
	if raw, err := json.Marshal(o); err == nil && string(raw) != "{}" {
		r.Options = &o
	}
	if caps.Thinking != llm.No {
		switch req.Thinking {
		case llm.ThinkingOff:
			r.Think = false
		case llm.ThinkingLow, llm.ThinkingMedium, llm.ThinkingHigh:
			r.Think = true
		}
	}
	list := req.Messages
	if req.Format.JSON {
		list = llm.AskForJSON(list, req.Format)
		if len(req.Tools) == 0 {
			r.Format = json.RawMessage(`"json"`)
			if len(req.Format.Schema) > 0 && caps.JSONSchema != llm.No {
				r.Format = req.Format.Schema
			}
		}
	}
	if caps.SystemRole == "user" {
		list = llm.SystemAsUser(list, false)
	}
	for _, m := range list {
		out := message{Role: string(m.Role), Content: m.Content}
		if m.Role == llm.RoleTool {
			out.ToolName = m.Name
		}
		for _, c := range m.Calls {
			out.Calls = append(out.Calls, call{function{Name: c.Name, Arguments: c.Arguments}})
		}
		r.Messages = append(r.Messages, out)
	}
	for _, t := range req.Tools {
		if req.Choice.Mode == llm.ModeNone || req.Choice.Mode == llm.ModeNamed && t.Name != req.Choice.Name {
			continue
		}
		schema := t.Schema
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		r.Tools = append(r.Tools, tool{"function", function{Name: t.Name, Description: t.Description, Parameters: schema}})
	}
	body, err := jsontext.Encode(r)
	if err != nil {
		return nil, llm.Wrapped(llm.KindConfig, "the request cannot be written: "+err.Error(), err)
	}
	body, err = llm.WithFields(body, req.Extra, caps.Dropped, "messages", "model", "stream", "tools")
	if err != nil {
		return nil, err
	}
	return &llm.Wire{Method: http.MethodPost, Path: "/api/chat", Body: body}, nil
}

// ReadChat reads an answer.
func (Protocol) ReadChat(body io.Reader, a *llm.Assembler) error {
	calls, finished := 0, false
	err := llm.ReadPieces(body, a, func(p llm.Piece) error {
		var c struct {
			Model   string `json:"model"`
			Message struct {
				Content  string `json:"content"`
				Thinking string `json:"thinking"`
				Calls    []struct {
					ID       string `json:"id"`
					Function struct {
						Name      string          `json:"name"`
						Arguments json.RawMessage `json:"arguments"`
					} `json:"function"`
				} `json:"tool_calls"`
			} `json:"message"`
			Done   bool   `json:"done"`
			Reason string `json:"done_reason"`
			Prompt int    `json:"prompt_eval_count"`
			Output int    `json:"eval_count"`
		}
		if failed := llm.ErrorIn(p.Data); failed != nil {
			a.Fail(failed)
			return failed
		}
		if json.Unmarshal(p.Data, &c) != nil {
			return llm.ErrNotAPiece
		}
		a.Identify("", c.Model)
		a.Usage(llm.Usage{Input: c.Prompt, Output: c.Output})
		a.Reasoning(c.Message.Thinking)
		a.Text(c.Message.Content)
		for _, tc := range c.Message.Calls {
			piece := llm.CallPiece{Index: calls, ID: tc.ID, Name: tc.Function.Name, Object: tc.Function.Arguments}
			if len(piece.Object) > 0 && piece.Object[0] == '"' {
				var s string
				if json.Unmarshal(piece.Object, &s) == nil {
					piece.Arguments, piece.Object = s, nil
				}
			}
			a.Call(piece)
			calls++
		}
		if c.Done {
			finished = true
			a.Finish(c.Reason)
			a.Done()
			return io.EOF
		}
		return nil
	})
	if finished && (err == nil || errors.Is(err, io.ErrUnexpectedEOF)) {
		return nil
	}
	return err
}

// Embed returns the request for embeddings.
func (Protocol) Embed(model string, texts []string) (*llm.Wire, error) {
	body, err := json.Marshal(map[string]any{"model": model, "input": texts})
	if err != nil {
		return nil, err
	}
	return &llm.Wire{Method: http.MethodPost, Path: "/api/embed", Body: body}, nil
}

// ReadEmbed reads embeddings.
func (Protocol) ReadEmbed(body []byte, n int) (*llm.Embeddings, error) {
	var in struct {
		Model      string      `json:"model"`
		Embeddings [][]float32 `json:"embeddings"`
		Tokens     int         `json:"prompt_eval_count"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, fmt.Errorf("the embeddings cannot be read: %w", err)
	}
	if len(in.Embeddings) != n {
		return nil, fmt.Errorf("%d embeddings for %d texts", len(in.Embeddings), n)
	}
	return &llm.Embeddings{Model: in.Model, Vectors: in.Embeddings, Usage: llm.Usage{Input: in.Tokens}}, llm.CheckVectors(in.Embeddings)
}

// Models returns the request for the list of models.
func (Protocol) Models() *llm.Wire { return &llm.Wire{Method: http.MethodGet, Path: "/api/tags"} }

// ReadModels reads the list.
func (Protocol) ReadModels(body []byte) ([]llm.ModelInfo, error) {
	var in struct {
		Models []struct {
			Name    string `json:"name"`
			Details struct {
				Family string `json:"family"`
			} `json:"details"`
		} `json:"models"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, fmt.Errorf("the list of models cannot be read: %w", err)
	}
	var out []llm.ModelInfo
	for _, m := range in.Models {
		info := llm.ModelInfo{ID: m.Name}
		switch m.Details.Family {
		case "bert", "nomic-bert", "xlm-roberta":
			info.Kind = "embedding"
		}
		out = append(out, info)
	}
	return out, nil
}
