package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Request is a request that the server got.
type Request struct {
	Method, Path string
	Header       http.Header
	// Body is the body as it came.
	Body []byte
	// Form is the form of the request: openai, anthropic, gemini, ollama, or "".
	Form string
	// Step is the name of the step that answered; "" for the fallback.
	Step string

	Model      string
	Stream     bool
	Messages   []Message
	Tools      []Tool
	ToolChoice string
	Format     string
	fields     map[string]json.RawMessage
	schema     json.RawMessage
}

// Message is a message of a request, whatever its form.
type Message struct {
	Role    string
	Text    string
	Calls   []MessageCall
	Results []string // ids, or for Gemini names, of the calls that it answers
	null    bool
}

// MessageCall is a call in a message.
type MessageCall struct {
	ID, Name  string
	Arguments json.RawMessage
}

// Tool is a tool that is offered.
type Tool struct {
	Name   string
	Schema json.RawMessage
}

// Text returns the text of all messages.
func (r *Request) Text() string {
	var b strings.Builder
	for _, m := range r.Messages {
		b.WriteString(m.Text)
		b.WriteByte('\n')
	}
	return b.String()
}

// Field returns a member of the body.
func (r *Request) Field(name string) json.RawMessage { return r.fields[name] }

func (r *Request) system() string {
	var b strings.Builder
	for _, m := range r.Messages {
		if m.Role == "system" || m.Role == "developer" {
			b.WriteString(m.Text + "\n")
		}
	}
	return b.String()
}

func (r *Request) toolNames() []string {
	names := make([]string, len(r.Tools))
	for i, t := range r.Tools {
		names[i] = t.Name
	}
	return names
}

// readRequest reads a request of any form, and what is wrong with it.
func readRequest(h *http.Request, body []byte) (*Request, []string) {
	r := &Request{Method: h.Method, Path: h.URL.Path, Header: h.Header.Clone(), Body: body}
	if h.Method != http.MethodPost {
		return r, nil
	}
	if err := json.Unmarshal(body, &r.fields); err != nil {
		return r, []string{"the body is no JSON object: " + err.Error()}
	}
	r.Model = text(r.fields["model"])
	r.Stream = string(r.fields["stream"]) == "true"
	var problems []string
	switch {
	case strings.HasSuffix(r.Path, "/chat/completions"):
		r.Form = "openai"
		problems = r.readOpenAI()
	case strings.HasSuffix(r.Path, "/messages"):
		r.Form = "anthropic"
		problems = r.readAnthropic()
	case strings.Contains(r.Path, ":generateContent"), strings.Contains(r.Path, ":streamGenerateContent"):
		r.Form = "gemini"
		r.Stream = strings.Contains(r.Path, ":streamGenerateContent")
		_, m, _ := strings.Cut(r.Path, "/models/")
		r.Model, _, _ = strings.Cut(m, ":")
		problems = r.readGemini()
	case strings.HasSuffix(r.Path, "/api/chat"):
		r.Form = "ollama"
		r.Stream = string(r.fields["stream"]) != "false"
		problems = r.readOllama()
	}
	return r, problems
}

func text(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s) // anything else is no text
	return s
}

type rawCall struct {
	ID       *string `json:"id"`
	Type     string  `json:"type"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

func (r *Request) readOpenAI() (problems []string) {
	bad := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	var list []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Calls   []rawCall       `json:"tool_calls"`
		CallID  *string         `json:"tool_call_id"`
	}
	if err := json.Unmarshal(r.fields["messages"], &list); err != nil {
		return []string{"messages: " + err.Error()}
	}
	if len(list) == 0 {
		bad("there are no messages")
	}
	if r.Model == "" {
		bad("there is no model")
	}
	for i, in := range list {
		m := Message{Role: in.Role, null: len(in.Content) == 0 || string(in.Content) == "null"}
		switch in.Role {
		case "system", "developer", "user", "assistant", "tool":
		default:
			bad("message %d: the role %q does not exist", i+1, in.Role)
		}
		m.Text = text(in.Content)
		if len(in.Content) > 0 && in.Content[0] == '[' {
			var parts []struct {
				Text string `json:"text"`
			}
			_ = json.Unmarshal(in.Content, &parts) // parts without text have none
			for _, p := range parts {
				m.Text += p.Text
			}
		}
		if m.null && len(in.Calls) == 0 {
			bad("message %d: content is null without tool_calls", i+1)
		}
		for _, c := range in.Calls {
			if in.Role != "assistant" {
				bad("message %d: tool_calls of %s", i+1, in.Role)
			}
			id := ""
			if c.ID != nil {
				id = *c.ID
			}
			args := c.Function.Arguments
			if len(args) == 0 || args[0] != '"' {
				bad("message %d: the arguments of %s are no string", i+1, c.Function.Name)
			} else if !strings.HasPrefix(text(args), "{") || !json.Valid([]byte(text(args))) {
				bad("message %d: the arguments of %s are no JSON object: %s", i+1, c.Function.Name, text(args))
			}
			if c.Type != "function" || c.Function.Name == "" {
				bad("message %d: a call without type or name", i+1)
			}
			m.Calls = append(m.Calls, MessageCall{id, c.Function.Name, json.RawMessage(text(args))})
		}
		if in.Role == "tool" {
			if in.CallID == nil {
				bad("message %d: a result without tool_call_id", i+1)
			} else {
				m.Results = []string{*in.CallID}
			}
		}
		r.Messages = append(r.Messages, m)
	}
	var tools []struct {
		Type     string `json:"type"`
		Function struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"function"`
	}
	if raw := r.fields["tools"]; raw != nil {
		if err := json.Unmarshal(raw, &tools); err != nil || len(tools) == 0 {
			bad("tools: must be a list with something in it")
		}
	}
	for _, t := range tools {
		if t.Type != "function" || t.Function.Name == "" || !bytes.HasPrefix(t.Function.Parameters, []byte("{")) {
			bad("tools: %q is not a function with parameters", t.Function.Name)
		}
		r.Tools = append(r.Tools, Tool{t.Function.Name, t.Function.Parameters})
	}
	r.ToolChoice = "auto"
	if raw := r.fields["tool_choice"]; raw != nil {
		if len(tools) == 0 {
			bad("tool_choice without tools")
		}
		var named struct {
			Function struct {
				Name string `json:"name"`
			} `json:"function"`
		}
		switch raw[0] {
		case '"':
			r.ToolChoice = text(raw)
		default:
			_ = json.Unmarshal(raw, &named) // an empty name is reported below
			r.ToolChoice = named.Function.Name
		}
		if r.ToolChoice != "auto" && r.ToolChoice != "none" && r.ToolChoice != "required" && !slices.Contains(r.toolNames(), r.ToolChoice) {
			bad("tool_choice: there is no tool %q", r.ToolChoice)
		}
	}
	if r.fields["parallel_tool_calls"] != nil && len(tools) == 0 {
		bad("parallel_tool_calls without tools")
	}
	if r.fields["stream_options"] != nil && !r.Stream {
		bad("stream_options without stream")
	}
	r.Format = "text"
	if raw := r.fields["response_format"]; raw != nil {
		var f struct {
			Type   string `json:"type"`
			Schema struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"json_schema"`
		}
		if json.Unmarshal(raw, &f) != nil {
			bad("response_format: cannot be read")
		}
		r.Format, r.schema = f.Type, f.Schema.Schema
		if f.Type == "json_object" && !strings.Contains(strings.ToLower(r.Text()), "json") {
			bad("response_format json_object: the messages must say the word JSON")
		}
	}
	return append(problems, pairProblems(r.Messages, false)...)
}

func (r *Request) readAnthropic() (problems []string) {
	bad := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	if r.fields["max_tokens"] == nil {
		bad("max_tokens: is missing")
	}
	if r.Header.Get("anthropic-version") == "" {
		bad("the header anthropic-version is missing")
	}
	type block struct {
		Type    string          `json:"type"`
		Text    string          `json:"text"`
		ID      string          `json:"id"`
		Name    string          `json:"name"`
		Input   json.RawMessage `json:"input"`
		UseID   string          `json:"tool_use_id"`
		Content json.RawMessage `json:"content"`
	}
	blocks := func(raw json.RawMessage) []block {
		if len(raw) > 0 && raw[0] == '"' {
			return []block{{Type: "text", Text: text(raw)}}
		}
		var list []block
		if json.Unmarshal(raw, &list) != nil {
			bad("a content is neither text nor a list of blocks")
		}
		return list
	}
	if raw := r.fields["system"]; raw != nil {
		m := Message{Role: "system"}
		for _, b := range blocks(raw) {
			m.Text += b.Text
		}
		r.Messages = append(r.Messages, m)
	}
	var list []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(r.fields["messages"], &list); err != nil || len(list) == 0 {
		bad("messages: must be a list with something in it")
	}
	for i, in := range list {
		m := Message{Role: in.Role}
		want := []string{"user", "assistant"}[i%2]
		if in.Role != want {
			bad("message %d: the role is %s, want %s", i+1, in.Role, want)
		}
		text := false
		for _, b := range blocks(in.Content) {
			switch b.Type {
			case "text":
				text = true
				if strings.TrimSpace(b.Text) == "" {
					bad("message %d: text content blocks must be non-empty", i+1)
				}
				m.Text += b.Text
			case "tool_use":
				if !bytes.HasPrefix(b.Input, []byte("{")) {
					bad("message %d: the input of %s is no object", i+1, b.Name)
				}
				m.Calls = append(m.Calls, MessageCall{b.ID, b.Name, b.Input})
			case "tool_result":
				if text {
					bad("message %d: a tool_result behind text", i+1)
				}
				m.Results = append(m.Results, b.UseID)
				m.Text += resultText(b.Content)
			case "thinking", "redacted_thinking":
			default:
				bad("message %d: the block %q does not exist", i+1, b.Type)
			}
		}
		if i == len(list)-1 && in.Role == "assistant" && m.Text != strings.TrimRight(m.Text, " \n\t") {
			bad("final assistant content cannot end with trailing whitespace")
		}
		r.Messages = append(r.Messages, m)
	}
	var tools []struct {
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"input_schema"`
	}
	_ = json.Unmarshal(r.fields["tools"], &tools) // absent without tools
	for _, t := range tools {
		r.Tools = append(r.Tools, Tool{t.Name, t.Schema})
	}
	r.ToolChoice, r.Format = "auto", "text"
	var choice struct{ Type, Name string }
	if json.Unmarshal(r.fields["tool_choice"], &choice) == nil {
		switch choice.Type {
		case "any":
			r.ToolChoice = "required"
		case "tool":
			r.ToolChoice = choice.Name
		case "none":
			r.ToolChoice = "none"
		}
	}
	return append(problems, pairProblems(r.Messages, true)...)
}

func resultText(raw json.RawMessage) string {
	if s := text(raw); s != "" {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &parts) // parts without text have none
	s := ""
	for _, p := range parts {
		s += p.Text
	}
	return s
}

func (r *Request) readGemini() (problems []string) {
	bad := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	type part struct {
		Text    string `json:"text"`
		Thought bool   `json:"thought"`
		Call    *struct {
			Name string
			Args json.RawMessage
		} `json:"functionCall"`
		Response *struct {
			Name     string
			Response json.RawMessage
		} `json:"functionResponse"`
	}
	type content struct {
		Role  string `json:"role"`
		Parts []part `json:"parts"`
	}
	var system content
	if raw := r.fields["systemInstruction"]; raw != nil && json.Unmarshal(raw, &system) == nil {
		m := Message{Role: "system"}
		for _, p := range system.Parts {
			m.Text += p.Text
		}
		r.Messages = append(r.Messages, m)
	}
	var list []content
	if err := json.Unmarshal(r.fields["contents"], &list); err != nil || len(list) == 0 {
		bad("contents: must be a list with something in it")
	}
	for i, c := range list {
		m := Message{Role: c.Role}
		switch c.Role {
		case "model":
			m.Role = "assistant"
		case "user":
		default:
			bad("content %d: the role %q does not exist", i+1, c.Role)
		}
		if i > 0 && list[i-1].Role == c.Role {
			bad("content %d: %s twice in a row", i+1, c.Role)
		}
		if len(c.Parts) == 0 {
			bad("content %d: has no parts", i+1)
		}
		for _, p := range c.Parts {
			m.Text += p.Text
			if p.Call != nil {
				m.Calls = append(m.Calls, MessageCall{p.Call.Name, p.Call.Name, p.Call.Args})
			}
			if p.Response != nil {
				m.Results = append(m.Results, p.Response.Name)
				m.Text += string(p.Response.Response)
				if !bytes.HasPrefix(p.Response.Response, []byte("{")) {
					bad("content %d: a functionResponse is no object", i+1)
				}
			}
		}
		r.Messages = append(r.Messages, m)
	}
	var tools []struct {
		Functions []struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"functionDeclarations"`
	}
	_ = json.Unmarshal(r.fields["tools"], &tools) // absent without tools
	for _, t := range tools {
		for _, f := range t.Functions {
			r.Tools = append(r.Tools, Tool{f.Name, f.Parameters})
			for _, word := range []string{"additionalProperties", "$schema", "$ref", "$defs"} {
				if bytes.Contains(f.Parameters, []byte(`"`+word+`"`)) {
					bad("tool %s: unknown name %q in parameters", f.Name, word)
				}
			}
		}
	}
	var config struct {
		Mode struct {
			Mode  string   `json:"mode"`
			Names []string `json:"allowedFunctionNames"`
		} `json:"functionCallingConfig"`
	}
	r.ToolChoice, r.Format = "auto", "text"
	if json.Unmarshal(r.fields["toolConfig"], &config) == nil {
		switch config.Mode.Mode {
		case "ANY":
			r.ToolChoice = "required"
			if len(config.Mode.Names) == 1 {
				r.ToolChoice = config.Mode.Names[0]
			}
		case "NONE":
			r.ToolChoice = "none"
		}
	}
	var generation struct {
		MIME   string          `json:"responseMimeType"`
		Schema json.RawMessage `json:"responseSchema"`
		JSON   json.RawMessage `json:"responseJsonSchema"`
	}
	if json.Unmarshal(r.fields["generationConfig"], &generation) == nil && generation.MIME == "application/json" {
		r.Format = "json_object"
		if r.schema = generation.JSON; r.schema == nil {
			r.schema = generation.Schema
		}
		if r.schema != nil {
			r.Format = "json_schema"
		}
	}
	return append(problems, pairProblems(r.Messages, true)...)
}

func (r *Request) readOllama() (problems []string) {
	bad := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	var list []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
		Tool    string `json:"tool_name"`
		Calls   []struct {
			Function struct {
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	}
	if err := json.Unmarshal(r.fields["messages"], &list); err != nil {
		return []string{"messages: " + err.Error()}
	}
	for i, in := range list {
		m := Message{Role: in.Role, Text: in.Content}
		for _, c := range in.Calls {
			if !bytes.HasPrefix(c.Function.Arguments, []byte("{")) {
				bad("message %d: the arguments of %s are no object", i+1, c.Function.Name)
			}
			m.Calls = append(m.Calls, MessageCall{c.Function.Name, c.Function.Name, c.Function.Arguments})
		}
		if in.Role == "tool" {
			m.Results = []string{in.Tool}
		}
		r.Messages = append(r.Messages, m)
	}
	var tools []struct {
		Function struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"function"`
	}
	_ = json.Unmarshal(r.fields["tools"], &tools) // absent without tools
	for _, t := range tools {
		r.Tools = append(r.Tools, Tool{t.Function.Name, t.Function.Parameters})
	}
	r.ToolChoice, r.Format = "auto", "text"
	if raw := r.fields["format"]; raw != nil {
		if r.Format = "json_object"; raw[0] == '{' {
			r.Format, r.schema = "json_schema", raw
		}
	}
	return append(problems, pairProblems(r.Messages, true)...)
}

// pairProblems reports calls and results that do not pair. byName is true for
// forms whose calls may share an id.
func pairProblems(list []Message, byName bool) (problems []string) {
	seen := map[string]bool{}
	for i := 0; i < len(list); i++ {
		m := list[i]
		if len(m.Results) > 0 && (i == 0 || len(list[i-1].Calls) == 0 && len(list[i-1].Results) == 0) {
			problems = append(problems, fmt.Sprintf("message %d: a result of %q without its call", i+1, m.Results))
		}
		if len(m.Calls) == 0 {
			continue
		}
		var want, got []string
		for _, c := range m.Calls {
			want = append(want, c.ID)
			if !byName && (seen[c.ID] || c.ID == "") {
				problems = append(problems, fmt.Sprintf("message %d: the id %q is empty or there twice", i+1, c.ID))
			}
			seen[c.ID] = true
		}
		k := i + 1
		for ; k < len(list) && len(list[k].Results) > 0 && len(got) < len(want); k++ {
			got = append(got, list[k].Results...)
		}
		if !slices.Equal(want, got) {
			problems = append(problems, fmt.Sprintf("message %d: calls %q, results %q", i+1, want, got))
		}
		i = k - 1
	}
	return problems
}
