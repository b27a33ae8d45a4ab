// Package openai speaks the form of OpenAI's chat completions, which nearly every
// model server understands: hosted hubs, Ollama, llama.cpp, vLLM, LM Studio,
// KoboldCpp, TabbyAPI and their relatives.
//
// Requests are made in one place, [Protocol.Chat], as far as the capabilities of
// the server allow; answers are read in one place, [Protocol.ReadChat], whatever
// the server makes of the form.
package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/llm/jsontext"
)

// Protocol is the protocol. The zero value is ready.
type Protocol struct{}

var _ llm.Protocol = Protocol{}

// Name returns openai.
func (Protocol) Name() string { return "openai" }

// Authorize sends the key as a bearer token.
func (Protocol) Authorize(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) }

// fields is a JSON object whose members keep their order, so that requests can be
// read and compared.
type fields struct {
	names  []string
	values map[string]any
}

func (f *fields) set(name string, value any) {
	if f.values == nil {
		f.values = map[string]any{}
	}
	if _, have := f.values[name]; !have {
		f.names = append(f.names, name)
	}
	f.values[name] = value
}

func (f fields) MarshalJSON() ([]byte, error) {
	var buf bytes.Buffer
	buf.WriteByte('{')
	for i, name := range f.names {
		if i > 0 {
			buf.WriteByte(',')
		}
		key, err := jsontext.Encode(name)
		if err != nil {
			return nil, err
		}
		value, err := jsontext.Encode(f.values[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		buf.Write(key)
		buf.WriteByte(':')
		buf.Write(value)
	}
	buf.WriteByte('}')
	return buf.Bytes(), nil
}

// Chat returns the request for a chat.
func (Protocol) Chat(req *llm.Request, caps llm.Capabilities) (*llm.Wire, error) {
	var f fields
	f.set("model", req.Model)
	messages, format := chatMessages(req, caps)
	f.set("messages", messages)
	if len(req.Tools) > 0 {
		f.set("tools", chatTools(req.Tools))
		if caps.ToolChoice != llm.No {
			switch req.Choice.Mode {
			case llm.ModeNone, llm.ModeRequired:
				f.set("tool_choice", string(req.Choice.Mode))
			case llm.ModeNamed:
				f.set("tool_choice", map[string]any{"type": "function", "function": map[string]any{"name": req.Choice.Name}})
			}
		}
		if req.OneCall && caps.Parallel != llm.No {
			f.set("parallel_tool_calls", false)
		}
	}
	if format != nil {
		f.set("response_format", format)
	}
	if req.MaxTokens > 0 {
		name := "max_tokens"
		if caps.MaxTokensName != "" {
			name = caps.MaxTokensName
		}
		f.set(name, req.MaxTokens)
	}
	if req.Temperature != nil {
		f.set("temperature", *req.Temperature)
	}
	if req.TopP != nil {
		f.set("top_p", *req.TopP)
	}
	if req.Seed != nil {
		f.set("seed", *req.Seed)
	}
	if len(req.Stop) > 0 {
		f.set("stop", req.Stop)
	}
	if caps.Thinking != llm.No {
		switch req.Thinking {
		case llm.ThinkingOff:
			// Templates of local servers know this switch; hosted models that do
			// not are asked without it once they have refused it.
			f.set("chat_template_kwargs", map[string]any{"enable_thinking": false})
		case llm.ThinkingLow, llm.ThinkingMedium, llm.ThinkingHigh:
			f.set("reasoning_effort", string(req.Thinking))
		}
	}
	if !req.NoStream {
		f.set("stream", true)
		if caps.StreamUsage != llm.No {
			f.set("stream_options", map[string]any{"include_usage": true})
		}
	}
	for _, name := range sorted(req.Extra) {
		switch name {
		case "messages", "tools", "model", "stream":
			continue
		}
		f.set(name, req.Extra[name])
	}
	for _, name := range caps.Dropped {
		if i := slices.Index(f.names, name); i >= 0 {
			f.names = slices.Delete(f.names, i, i+1)
		}
	}
	body, err := f.MarshalJSON()
	if err != nil {
		return nil, llm.Wrapped(llm.KindConfig, "the request cannot be written: "+err.Error(), err)
	}
	return &llm.Wire{Method: http.MethodPost, Path: "/chat/completions", Body: body, Header: accept(req.NoStream)}, nil
}

func accept(noStream bool) http.Header {
	if noStream {
		return http.Header{"Accept": {"application/json"}}
	}
	return http.Header{"Accept": {"text/event-stream, application/json"}}
}

func sorted(m map[string]json.RawMessage) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func chatTools(tools []llm.Tool) []any {
	list := make([]any, len(tools))
	for i, t := range tools {
		var fn fields
		fn.set("name", t.Name)
		if t.Description != "" {
			fn.set("description", t.Description)
		}
		fn.set("parameters", cleanSchema(t.Schema))
		var tool fields
		tool.set("type", "function")
		tool.set("function", fn)
		list[i] = tool
	}
	return list
}

// cleanSchema leaves out $schema: some hubs drop the arguments of tools that
// have it.
func cleanSchema(schema json.RawMessage) any {
	if len(schema) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(schema, &m) != nil || m["$schema"] == nil {
		return schema
	}
	delete(m, "$schema")
	return m
}

// chatMessages returns the messages of a request, and the form of the answer. It
// is the one place where roles are fitted to a server.
func chatMessages(req *llm.Request, caps llm.Capabilities) (messages []any, format any) {
	list := req.Messages
	if req.Format.JSON {
		switch {
		case req.Format.Schema != nil && caps.JSONSchema != llm.No:
			var schema fields
			name := req.Format.Name
			if name == "" {
				name = "answer"
			}
			schema.set("name", name)
			schema.set("schema", cleanSchema(req.Format.Schema))
			var f fields
			f.set("type", "json_schema")
			f.set("json_schema", schema)
			format = f
		default:
			if caps.JSONObject != llm.No {
				format = map[string]any{"type": "json_object"}
			}
			list = llm.AskForJSON(list, req.Format)
		}
	}
	if caps.SystemRole == "user" {
		list = llm.SystemAsUser(list, false)
	} else if caps.SystemPlaces == llm.No {
		list = llm.SystemAsUser(list, true)
	}
	if caps.FreeRoles == llm.No {
		list = llm.Alternate(llm.SystemAsUser(list, true))
	}
	for _, m := range list {
		if caps.ShortIDs == llm.Yes {
			m = withShortIDs(m)
		}
		messages = append(messages, chatMessage(m, caps))
	}
	return messages, format
}

func chatMessage(m llm.Message, caps llm.Capabilities) fields {
	var f fields
	role := string(m.Role)
	if m.Role == llm.RoleSystem && caps.SystemRole != "" && caps.SystemRole != "user" {
		role = caps.SystemRole
	}
	f.set("role", role)
	switch {
	case m.Role == llm.RoleTool:
		f.set("tool_call_id", m.CallID)
	case m.Name != "" && validName(m.Name):
		f.set("name", m.Name)
	}
	if m.Content == "" && len(m.Calls) > 0 {
		f.set("content", nil)
	} else {
		f.set("content", m.Content)
	}
	if m.Role == llm.RoleAssistant && m.Reasoning != "" && caps.ReturnReasoning == llm.Yes {
		f.set("reasoning_content", m.Reasoning)
	}
	if len(m.Calls) > 0 {
		calls := make([]any, len(m.Calls))
		for i, c := range m.Calls {
			var fn, call fields
			fn.set("name", c.Name)
			fn.set("arguments", string(c.Arguments))
			call.set("id", c.ID)
			call.set("type", "function")
			call.set("function", fn)
			calls[i] = call
		}
		f.set("tool_calls", calls)
	}
	if raw := m.Kept["openai"]; raw != nil {
		var kept map[string]json.RawMessage
		if json.Unmarshal(raw, &kept) == nil {
			for _, name := range sorted(kept) {
				f.set(name, kept[name])
			}
		}
	}
	for _, name := range sorted(m.Extra) {
		f.set(name, m.Extra[name])
	}
	return f
}

// withShortIDs returns a message whose ids of calls are nine letters and digits:
// a call and its result get the same one.
func withShortIDs(m llm.Message) llm.Message {
	m = m.Clone()
	m.CallID = shortID(m.CallID)
	for i := range m.Calls {
		m.Calls[i].ID = shortID(m.Calls[i].ID)
	}
	return m
}

func shortID(id string) string {
	plain := strings.IndexFunc(id, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) < 0
	if id == "" || plain && len(id) == 9 {
		return id
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(id)) // never fails
	n := strconv.FormatUint(h.Sum64(), 36)
	return (n + "000000000")[:9]
}

// validName reports whether a server takes a name of a speaker.
func validName(s string) bool {
	return len(s) <= 64 && strings.IndexFunc(s, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) < 0
}

// Embed returns the request for embeddings.
func (Protocol) Embed(model string, texts []string) (*llm.Wire, error) {
	body, err := jsontext.Encode(map[string]any{"model": model, "input": texts})
	if err != nil {
		return nil, err
	}
	return &llm.Wire{Method: http.MethodPost, Path: "/embeddings", Body: body}, nil
}

// ReadEmbed reads embeddings, by their index where the server gives one.
func (Protocol) ReadEmbed(body []byte, n int) (*llm.Embeddings, error) {
	var in struct {
		Model string `json:"model"`
		Data  []struct {
			Index     *int      `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
		Usage json.RawMessage `json:"usage"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, fmt.Errorf("the embeddings cannot be read: %w", err)
	}
	if len(in.Data) != n {
		return nil, fmt.Errorf("%d embeddings for %d texts", len(in.Data), n)
	}
	out := &llm.Embeddings{Model: in.Model, Vectors: make([][]float32, n), Usage: usage(in.Usage)}
	indexed := true
	seen := map[int]bool{}
	for _, d := range in.Data {
		indexed = indexed && d.Index != nil && *d.Index >= 0 && *d.Index < n && !seen[*d.Index]
		if indexed {
			seen[*d.Index] = true
		}
	}
	for i, d := range in.Data {
		if indexed {
			i = *d.Index
		}
		out.Vectors[i] = d.Embedding
	}
	return out, llm.CheckVectors(out.Vectors)
}

// Models returns the request for the list of models.
func (Protocol) Models() *llm.Wire { return &llm.Wire{Method: http.MethodGet, Path: "/models"} }

// ReadModels reads the list, with the sizes of contexts where a server gives
// them.
func (Protocol) ReadModels(body []byte) ([]llm.ModelInfo, error) {
	var in struct {
		Data   []json.RawMessage `json:"data"`
		Models []json.RawMessage `json:"models"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		var list []json.RawMessage // some hubs send the bare list
		if json.Unmarshal(body, &list) != nil {
			return nil, fmt.Errorf("the list of models cannot be read: %w", err)
		}
		in.Data = list
	}
	if in.Data == nil {
		in.Data = in.Models
	}
	var out []llm.ModelInfo
	for _, raw := range in.Data {
		var m struct {
			ID         string          `json:"id"`
			Name       string          `json:"name"`
			Type       json.RawMessage `json:"type"`
			Context    int             `json:"context_length"`
			MaxModel   int             `json:"max_model_len"`
			MaxContext int             `json:"max_context_length"`
			Loaded     int             `json:"loaded_context_length"`
			Meta       struct {
				Train int `json:"n_ctx_train"`
				Ctx   int `json:"n_ctx"`
			} `json:"meta"`
		}
		if json.Unmarshal(raw, &m) != nil {
			continue
		}
		if m.ID == "" {
			m.ID = m.Name
		}
		if m.ID == "" {
			continue
		}
		info := llm.ModelInfo{ID: m.ID}
		for _, n := range []int{m.Loaded, m.Meta.Ctx, m.MaxModel, m.Context, m.MaxContext, m.Meta.Train} {
			if info.ContextSize == 0 && n > 0 {
				info.ContextSize = n
			}
		}
		var kind string
		if json.Unmarshal(m.Type, &kind) == nil {
			switch kind {
			case "llm", "vlm", "chat", "language":
				info.Kind = "chat"
			case "embedding", "embeddings":
				info.Kind = "embedding"
			}
		}
		out = append(out, info)
	}
	return out, nil
}
