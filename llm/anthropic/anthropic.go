// Package anthropic speaks the messages of Anthropic.
//
// What its form demands is done in one place, [Protocol.Chat]: instructions at
// the start stand apart, those at some depth become words of the user so that
// they keep their place; the user begins and roles alternate; results of tools
// come first in the message behind their calls; texts are never empty; a bound
// on tokens is always there. Signed thoughts go back with the calls they led to.
package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/llm/jsontext"
)

// Protocol is the protocol. The zero value is ready.
type Protocol struct{}

var _ llm.Protocol = Protocol{}

// defaultMaxTokens bounds answers whose request has no bound: the form demands
// one.
const defaultMaxTokens = 4096

// Name returns anthropic.
func (Protocol) Name() string { return "anthropic" }

// Authorize sends the key in its header.
func (Protocol) Authorize(h http.Header, key string) { h.Set("X-Api-Key", key) }

func header() http.Header { return http.Header{"Anthropic-Version": {"2023-06-01"}} }

type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   string          `json:"content,omitempty"`
	Cache     *cache          `json:"cache_control,omitempty"`
	raw       json.RawMessage
}

func (b block) MarshalJSON() ([]byte, error) {
	if b.raw != nil {
		return b.raw, nil
	}
	type plain block
	return jsontext.Encode(plain(b))
}

type cache struct {
	Type string `json:"type"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type choice struct {
	Type     string `json:"type"`
	Name     string `json:"name,omitempty"`
	Parallel *bool  `json:"disable_parallel_tool_use,omitempty"`
}

type thinking struct {
	Type   string `json:"type"`
	Budget int    `json:"budget_tokens,omitempty"`
}

type request struct {
	Model       string    `json:"model"`
	MaxTokens   int       `json:"max_tokens"`
	System      []block   `json:"system,omitempty"`
	Messages    []message `json:"messages"`
	Tools       []tool    `json:"tools,omitempty"`
	ToolChoice  *choice   `json:"tool_choice,omitempty"`
	Temperature *float64  `json:"temperature,omitempty"`
	TopP        *float64  `json:"top_p,omitempty"`
	Stop        []string  `json:"stop_sequences,omitempty"`
	Thinking    *thinking `json:"thinking,omitempty"`
	Stream      bool      `json:"stream,omitempty"`
}

// Chat returns the request for a chat.
func (Protocol) Chat(req *llm.Request, caps llm.Capabilities) (*llm.Wire, error) {
	r := request{Model: req.Model, MaxTokens: req.MaxTokens, Temperature: req.Temperature, TopP: req.TopP, Stop: stops(req.Stop), Stream: !req.NoStream}
	if r.MaxTokens <= 0 {
		r.MaxTokens = defaultMaxTokens
	}
	if r.Temperature != nil && *r.Temperature > 1 {
		one := 1.0
		r.Temperature = &one
	}
	if caps.Thinking != llm.No {
		budget := map[llm.Thinking]int{llm.ThinkingLow: 1024, llm.ThinkingMedium: 4096, llm.ThinkingHigh: 16384}[req.Thinking]
		switch {
		case req.Thinking == llm.ThinkingOff:
			r.Thinking = &thinking{Type: "disabled"}
		case budget > 0 && req.Choice.Mode != llm.ModeRequired && req.Choice.Mode != llm.ModeNamed:
			// Thoughts count as output, and allow neither forced tools nor a
			// temperature.
			r.Thinking = &thinking{Type: "enabled", Budget: budget}
			r.MaxTokens += budget
			r.Temperature, r.TopP = nil, nil
		}
	}
	list := req.Messages
	if req.Format.JSON {
		list = llm.AskForJSON(list, req.Format)
	}
	r.System, r.Messages = convert(list, req.StablePrefix)
	for _, t := range req.Tools {
		schema := t.Schema
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		r.Tools = append(r.Tools, tool{t.Name, t.Description, schema})
	}
	if len(req.Tools) > 0 && caps.ToolChoice != llm.No {
		c := choice{Type: map[llm.Mode]string{llm.ModeAuto: "auto", llm.ModeNone: "none", llm.ModeRequired: "any", llm.ModeNamed: "tool"}[req.Choice.Mode], Name: req.Choice.Name}
		if req.OneCall && req.Choice.Mode != llm.ModeNone && caps.Parallel != llm.No {
			yes := true
			c.Parallel = &yes
		}
		if req.Choice.Mode != llm.ModeAuto || c.Parallel != nil {
			r.ToolChoice = &c
		}
	}
	body, err := jsontext.Encode(r)
	if err != nil {
		return nil, llm.Wrapped(llm.KindConfig, "the request cannot be written: "+err.Error(), err)
	}
	if body, err = llm.WithFields(body, req.Extra, caps.Dropped, "messages", "model", "stream", "tools", "system"); err != nil {
		return nil, err
	}
	return &llm.Wire{Method: http.MethodPost, Path: "/messages", Body: body, Header: header()}, nil
}

// stops leaves out texts of white space only, which are refused.
func stops(list []string) (out []string) {
	for _, s := range list {
		if strings.TrimSpace(s) != "" {
			out = append(out, s)
		}
	}
	return out
}

var notInID = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// convert is the one place where messages are fitted to the form. The first
// stable messages do not change from request to request: a mark behind them lets
// the server keep them.
func convert(list []llm.Message, stable int) (system []block, messages []message) {
	add := func(role string, blocks ...block) {
		if n := len(messages); n > 0 && messages[n-1].Role == role {
			messages[n-1].Content = append(messages[n-1].Content, blocks...)
			return
		}
		if len(messages) == 0 && role == "assistant" {
			messages = append(messages, message{"user", []block{{Type: "text", Text: llm.Opening}}})
		}
		messages = append(messages, message{role, blocks})
	}
	leading := true
	for i, m := range list {
		var blocks []block
		if strings.TrimSpace(m.Content) != "" && m.Role != llm.RoleTool {
			blocks = []block{{Type: "text", Text: m.Content}}
		}
		switch m.Role {
		case llm.RoleSystem:
			if leading {
				system = append(system, blocks...)
			} else {
				add("user", blocks...)
			}
		case llm.RoleTool:
			leading = false
			add("user", block{Type: "tool_result", ToolUseID: notInID.ReplaceAllString(m.CallID, "_"), Content: m.Content})
		case llm.RoleAssistant:
			leading = false
			var thoughts []json.RawMessage
			if len(m.Calls) > 0 && json.Unmarshal(m.Kept["anthropic"], &thoughts) == nil {
				for k := len(thoughts) - 1; k >= 0; k-- {
					blocks = slices.Insert(blocks, 0, block{raw: thoughts[k]})
				}
			}
			for _, c := range m.Calls {
				blocks = append(blocks, block{Type: "tool_use", ID: notInID.ReplaceAllString(c.ID, "_"), Name: c.Name, Input: c.Arguments})
			}
			if len(blocks) > 0 {
				add("assistant", blocks...)
			}
		default:
			leading = false
			if len(blocks) > 0 {
				add("user", blocks...)
			}
		}
		if i == stable-1 {
			mark(system, messages)
		}
	}
	if len(messages) == 0 {
		add("user", block{Type: "text", Text: llm.Opening})
	}
	// A text that the answer goes on from must not end in white space.
	last := &messages[len(messages)-1]
	if k := len(last.Content) - 1; last.Role == "assistant" && last.Content[k].Type == "text" {
		last.Content[k].Text = strings.TrimRight(last.Content[k].Text, " \t\r\n")
	}
	return system, messages
}

// mark marks the last block so far.
func mark(system []block, messages []message) {
	if n := len(messages); n > 0 {
		if k := len(messages[n-1].Content) - 1; messages[n-1].Content[k].raw == nil {
			messages[n-1].Content[k].Cache = &cache{"ephemeral"}
		}
	} else if n := len(system); n > 0 {
		system[n-1].Cache = &cache{"ephemeral"}
	}
}

// counts are the counts of tokens. Input stands for what no cache had.
type counts struct {
	Input  int `json:"input_tokens"`
	Output int `json:"output_tokens"`
	Read   int `json:"cache_read_input_tokens"`
	Write  int `json:"cache_creation_input_tokens"`
}

func (c counts) usage() llm.Usage {
	u := llm.Usage{Output: c.Output, Cached: c.Read, CacheWrite: c.Write}
	if c.Input > 0 || c.Read > 0 || c.Write > 0 {
		u.Input = c.Input + c.Read + c.Write
	}
	return u
}

// ReadChat reads an answer.
func (Protocol) ReadChat(body io.Reader, a *llm.Assembler) error {
	var thoughts []json.RawMessage
	var thought struct{ text, signature strings.Builder }
	kinds := map[int]string{}
	keep := func() {
		if thought.signature.Len() > 0 {
			raw, err := jsontext.Encode(map[string]string{"type": "thinking", "thinking": thought.text.String(), "signature": thought.signature.String()})
			if err == nil {
				thoughts = append(thoughts, raw)
			}
		}
		thought.text.Reset()
		thought.signature.Reset()
	}
	finished := false
	err := llm.ReadPieces(body, a, func(p llm.Piece) error {
		if string(bytes.TrimSpace(p.Data)) == "[DONE]" {
			a.Done()
			return io.EOF
		}
		var e struct {
			Type    string          `json:"type"`
			Index   int             `json:"index"`
			Message json.RawMessage `json:"message"`
			Block   json.RawMessage `json:"content_block"`
			Delta   struct {
				Type      string `json:"type"`
				Text      string `json:"text"`
				Thinking  string `json:"thinking"`
				Signature string `json:"signature"`
				Partial   string `json:"partial_json"`
				Stop      string `json:"stop_reason"`
			} `json:"delta"`
			Usage counts `json:"usage"`
		}
		if json.Unmarshal(p.Data, &e) != nil {
			return llm.ErrNotAPiece
		}
		if e.Type == "" {
			e.Type = p.Name
		}
		switch e.Type {
		case "message":
			finished = true
			thoughts = append(thoughts, whole(p.Data, a)...)
			a.Done()
			return nil
		case "message_start":
			var m struct {
				ID    string `json:"id"`
				Model string `json:"model"`
				Usage counts `json:"usage"`
			}
			if json.Unmarshal(e.Message, &m) == nil {
				a.Identify(m.ID, m.Model)
				a.Usage(m.Usage.usage())
			}
		case "content_block_start":
			var b struct {
				Type  string          `json:"type"`
				Text  string          `json:"text"`
				ID    string          `json:"id"`
				Name  string          `json:"name"`
				Input json.RawMessage `json:"input"`
			}
			if json.Unmarshal(e.Block, &b) != nil {
				return llm.ErrNotAPiece
			}
			kinds[e.Index] = b.Type
			switch b.Type {
			case "tool_use", "server_tool_use":
				piece := llm.CallPiece{Index: e.Index, ID: b.ID, Name: b.Name}
				if in := strings.TrimSpace(string(b.Input)); in != "{}" && in != "" { // some send it whole
					piece.Object = b.Input
				}
				a.Call(piece)
			case "redacted_thinking":
				thoughts = append(thoughts, e.Block)
			default:
				a.Text(b.Text)
			}
		case "content_block_delta":
			switch e.Delta.Type {
			case "input_json_delta":
				a.Call(llm.CallPiece{Index: e.Index, Arguments: e.Delta.Partial})
			case "thinking_delta":
				thought.text.WriteString(e.Delta.Thinking)
				a.Reasoning(e.Delta.Thinking)
			case "signature_delta":
				thought.signature.WriteString(e.Delta.Signature)
			default:
				a.Text(e.Delta.Text)
			}
		case "content_block_stop":
			if kinds[e.Index] == "thinking" {
				keep()
			}
		case "message_delta":
			a.Finish(e.Delta.Stop)
			a.Usage(e.Usage.usage())
			finished = finished || e.Delta.Stop != ""
		case "message_stop":
			a.Done()
			return io.EOF
		case "ping":
		default:
			if failed := llm.ErrorIn(p.Data); failed != nil {
				a.Fail(failed)
				return failed
			}
		}
		return nil
	})
	keep()
	if len(thoughts) > 0 {
		if raw, merr := jsontext.Encode(thoughts); merr == nil {
			a.Keep("anthropic", raw)
		}
	}
	if finished && (err == nil || errors.Is(err, io.ErrUnexpectedEOF)) {
		a.Done()
		return nil
	}
	return err
}

// whole reads an answer in one piece and returns its thoughts.
func whole(raw []byte, a *llm.Assembler) (thoughts []json.RawMessage) {
	var m struct {
		ID      string            `json:"id"`
		Model   string            `json:"model"`
		Content []json.RawMessage `json:"content"`
		Stop    string            `json:"stop_reason"`
		Usage   counts            `json:"usage"`
	}
	if json.Unmarshal(raw, &m) != nil {
		a.Note("answer that cannot be read")
		return nil
	}
	a.Identify(m.ID, m.Model)
	for i, rb := range m.Content {
		var b struct {
			Type     string          `json:"type"`
			Text     string          `json:"text"`
			Thinking string          `json:"thinking"`
			ID       string          `json:"id"`
			Name     string          `json:"name"`
			Input    json.RawMessage `json:"input"`
		}
		if json.Unmarshal(rb, &b) != nil {
			a.Note("block that cannot be read")
			continue
		}
		switch b.Type {
		case "tool_use", "server_tool_use":
			a.Call(llm.CallPiece{Index: i, ID: b.ID, Name: b.Name, Object: b.Input})
		case "thinking", "redacted_thinking":
			thoughts = append(thoughts, rb)
			a.Reasoning(b.Thinking)
		default:
			a.Text(b.Text)
		}
	}
	a.Finish(m.Stop)
	a.Usage(m.Usage.usage())
	return thoughts
}

// Embed returns an error: there are no embeddings.
func (Protocol) Embed(string, []string) (*llm.Wire, error) {
	return nil, &llm.Error{Kind: llm.KindUnsupported, Param: "embeddings", Message: "Anthropic has no embeddings", Hint: "give the embedder another endpoint"}
}

// ReadEmbed is never reached.
func (Protocol) ReadEmbed([]byte, int) (*llm.Embeddings, error) {
	return nil, errors.New("there are no embeddings")
}

// Models returns the request for the list of models.
func (Protocol) Models() *llm.Wire {
	return &llm.Wire{Method: http.MethodGet, Path: "/models", Header: header()}
}

// ReadModels reads the list.
func (Protocol) ReadModels(body []byte) ([]llm.ModelInfo, error) {
	var in struct {
		Data []struct {
			ID      string `json:"id"`
			Context int    `json:"max_input_tokens"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, fmt.Errorf("the list of models cannot be read: %w", err)
	}
	out := make([]llm.ModelInfo, 0, len(in.Data))
	for _, m := range in.Data {
		out = append(out, llm.ModelInfo{ID: m.ID, ContextSize: m.Context, Kind: "chat"})
	}
	return out, nil
}
