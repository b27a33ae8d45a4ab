// Package gemini speaks the generateContent of Google's Gemini.
//
// Its form knows two roles that alternate, calls without ids that are answered by
// name, and schemas that are a part of JSON Schema: [Protocol.Chat] is the one
// place where requests are fitted to that. Signed thoughts go back with the calls
// they led to.
package gemini

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/llm/jsontext"
)

// Protocol is the protocol. The zero value is ready.
type Protocol struct{}

var _ llm.Protocol = Protocol{}

// Name returns gemini.
func (Protocol) Name() string { return "gemini" }

// Authorize sends the key in its header, never in the address.
func (Protocol) Authorize(h http.Header, key string) { h.Set("X-Goog-Api-Key", key) }

type part struct {
	Text      string    `json:"text,omitempty"`
	Call      *call     `json:"functionCall,omitempty"`
	Response  *response `json:"functionResponse,omitempty"`
	Signature string    `json:"thoughtSignature,omitempty"`
}

type call struct {
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type response struct {
	Name     string `json:"name"`
	Response any    `json:"response"`
}

type contents struct {
	Role  string `json:"role,omitempty"`
	Parts []part `json:"parts"`
}

type function struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Parameters  any    `json:"parameters,omitempty"`
}

type functions struct {
	Declarations []function `json:"functionDeclarations"`
}

type calling struct {
	Mode  string   `json:"mode"`
	Names []string `json:"allowedFunctionNames,omitempty"`
}

type toolConfig struct {
	Calling calling `json:"functionCallingConfig"`
}

type thinking struct {
	Budget *int `json:"thinkingBudget,omitempty"`
}

type generation struct {
	MaxTokens   int       `json:"maxOutputTokens,omitempty"`
	Temperature *float64  `json:"temperature,omitempty"`
	TopP        *float64  `json:"topP,omitempty"`
	Seed        *int64    `json:"seed,omitempty"`
	Stop        []string  `json:"stopSequences,omitempty"`
	MIME        string    `json:"responseMimeType,omitempty"`
	Schema      any       `json:"responseSchema,omitempty"`
	Thinking    *thinking `json:"thinkingConfig,omitempty"`
}

type request struct {
	System     *contents   `json:"systemInstruction,omitempty"`
	Contents   []contents  `json:"contents"`
	Tools      []functions `json:"tools,omitempty"`
	ToolConfig *toolConfig `json:"toolConfig,omitempty"`
	Generation *generation `json:"generationConfig,omitempty"`
}

// Chat returns the request for a chat.
func (Protocol) Chat(req *llm.Request, caps llm.Capabilities) (*llm.Wire, error) {
	g := generation{MaxTokens: req.MaxTokens, Temperature: req.Temperature, TopP: req.TopP, Seed: req.Seed, Stop: req.Stop}
	if caps.Thinking != llm.No && req.Thinking != llm.ThinkingDefault {
		budget := map[llm.Thinking]int{llm.ThinkingOff: 0, llm.ThinkingLow: 1024, llm.ThinkingMedium: 4096, llm.ThinkingHigh: 16384}[req.Thinking]
		g.Thinking = &thinking{&budget}
	}
	list := req.Messages
	if req.Format.JSON {
		switch {
		case len(req.Tools) > 0: // both at once are refused
			list = llm.AskForJSON(list, req.Format)
		case len(req.Format.Schema) > 0 && caps.JSONSchema != llm.No:
			g.MIME, g.Schema = "application/json", schema(req.Format.Schema)
		default:
			list = llm.AskForJSON(list, req.Format)
			if caps.JSONObject != llm.No {
				g.MIME = "application/json"
			}
		}
	}
	var r request
	r.System, r.Contents = convert(list)
	if len(req.Tools) > 0 {
		var fs functions
		for _, t := range req.Tools {
			f := function{Name: t.Name, Description: t.Description}
			if s := schema(t.Schema); s != nil {
				f.Parameters = s
			}
			fs.Declarations = append(fs.Declarations, f)
		}
		r.Tools = []functions{fs}
		if caps.ToolChoice != llm.No {
			switch req.Choice.Mode {
			case llm.ModeNone:
				r.ToolConfig = &toolConfig{calling{Mode: "NONE"}}
			case llm.ModeRequired:
				r.ToolConfig = &toolConfig{calling{Mode: "ANY"}}
			case llm.ModeNamed:
				r.ToolConfig = &toolConfig{calling{"ANY", []string{req.Choice.Name}}}
			}
		}
	}
	if raw, err := jsontext.Encode(g); err == nil && string(raw) != "{}" {
		r.Generation = &g
	}
	body, err := jsontext.Encode(r)
	if err != nil {
		return nil, llm.Wrapped(llm.KindConfig, "the request cannot be written: "+err.Error(), err)
	}
	if body, err = llm.WithFields(body, req.Extra, caps.Dropped, "contents", "tools", "systemInstruction"); err != nil {
		return nil, err
	}
	path := "/models/" + url.PathEscape(strings.TrimPrefix(req.Model, "models/"))
	if req.NoStream {
		path += ":generateContent"
	} else {
		path += ":streamGenerateContent?alt=sse"
	}
	return &llm.Wire{Method: http.MethodPost, Path: path, Body: body}, nil
}

// convert is the one place where messages are fitted to the form.
func convert(list []llm.Message) (system *contents, out []contents) {
	add := func(role string, parts ...part) {
		if n := len(out); n > 0 && out[n-1].Role == role {
			out[n-1].Parts = append(out[n-1].Parts, parts...)
			return
		}
		if len(out) == 0 && role == "model" {
			out = append(out, contents{"user", []part{{Text: llm.Opening}}})
		}
		out = append(out, contents{role, parts})
	}
	leading := true
	for _, m := range list {
		var parts []part
		if m.Content != "" && m.Role != llm.RoleTool {
			parts = []part{{Text: m.Content}}
		}
		switch m.Role {
		case llm.RoleSystem:
			if leading {
				if system == nil {
					system = &contents{}
				}
				system.Parts = append(system.Parts, parts...)
				continue
			}
			if len(parts) > 0 {
				add("user", parts...)
			}
		case llm.RoleTool:
			var v any = map[string]any{"result": m.Content}
			var object map[string]any
			if json.Unmarshal([]byte(m.Content), &object) == nil && object != nil {
				v = object
			}
			add("user", part{Response: &response{m.Name, v}})
		case llm.RoleAssistant:
			var signatures []string
			_ = json.Unmarshal(m.Kept["gemini"], &signatures) // absent in most messages
			for i, c := range m.Calls {
				p := part{Call: &call{c.Name, c.Arguments}}
				if i < len(signatures) {
					p.Signature = signatures[i]
				}
				parts = append(parts, p)
			}
			if len(parts) > 0 {
				add("model", parts...)
			}
		default:
			if len(parts) > 0 {
				add("user", parts...)
			}
		}
		leading = false
	}
	if len(out) == 0 {
		add("user", part{Text: llm.Opening})
	}
	return system, out
}

// The words of JSON Schema that the form knows.
var words = map[string]bool{
	"type": true, "format": true, "title": true, "description": true, "nullable": true, "enum": true, "items": true,
	"maxItems": true, "minItems": true, "properties": true, "required": true, "minimum": true, "maximum": true,
	"minLength": true, "maxLength": true, "pattern": true, "anyOf": true,
}

// schema returns the part of a schema that the form knows; nil for an object
// without members, which it refuses.
func schema(raw json.RawMessage) any {
	var tree map[string]any
	if json.Unmarshal(raw, &tree) != nil {
		return nil
	}
	s := clean(tree, tree, 0)
	if p, ok := s["properties"].(map[string]any); s["type"] == "object" && (!ok || len(p) == 0) {
		return nil
	}
	return s
}

func clean(s, root map[string]any, depth int) map[string]any {
	if ref, ok := s["$ref"].(string); ok && depth < 16 {
		var at any = root
		for step := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
			m, _ := at.(map[string]any)
			at = m[step]
		}
		if m, ok := at.(map[string]any); ok {
			return clean(m, root, depth+1)
		}
	}
	out := map[string]any{}
	if depth > 32 {
		return map[string]any{"type": "object"}
	}
	for k, v := range s {
		switch {
		case k == "const":
			out["enum"] = []any{v}
		case k == "oneOf":
			k = "anyOf"
		case !words[k]:
			continue
		}
		switch x := v.(type) {
		case map[string]any:
			if k == "properties" {
				inner := map[string]any{}
				for name, p := range x {
					if m, ok := p.(map[string]any); ok {
						inner[name] = clean(m, root, depth+1)
					}
				}
				out[k] = inner
			} else {
				out[k] = clean(x, root, depth+1)
			}
		case []any:
			switch k {
			case "type": // ["string", "null"]
				for _, t := range x {
					if t == "null" {
						out["nullable"] = true
					} else {
						out["type"] = t
					}
				}
			case "anyOf":
				var list []any
				for _, e := range x {
					if m, ok := e.(map[string]any); ok {
						list = append(list, clean(m, root, depth+1))
					}
				}
				out[k] = list
			default:
				out[k] = x
			}
		default:
			if k != "const" {
				out[k] = v
			}
		}
	}
	return out
}

// ReadChat reads an answer.
func (Protocol) ReadChat(body io.Reader, a *llm.Assembler) error {
	finished, calls := false, 0
	var signatures []string
	err := llm.ReadPieces(body, a, func(p llm.Piece) error {
		if string(bytes.TrimSpace(p.Data)) == "[DONE]" {
			return io.EOF
		}
		list := []json.RawMessage{p.Data}
		if len(p.Data) > 0 && p.Data[0] == '[' { // a stream that is not SSE is a list
			if json.Unmarshal(p.Data, &list) != nil {
				return llm.ErrNotAPiece
			}
		}
		for _, raw := range list {
			var c answer
			if json.Unmarshal(raw, &c) != nil {
				return llm.ErrNotAPiece
			}
			if failed := llm.ErrorIn(raw); failed != nil {
				a.Fail(failed)
				return failed
			}
			finished = c.read(a, &calls, &signatures) || finished
		}
		return nil
	})
	for _, s := range signatures {
		if s != "" {
			if raw, merr := jsontext.Encode(signatures); merr == nil {
				a.Keep("gemini", raw)
			}
			break
		}
	}
	if finished && (err == nil || errors.Is(err, io.ErrUnexpectedEOF)) {
		a.Done()
		return nil
	}
	return err
}

type answer struct {
	ID         string `json:"responseId"`
	Model      string `json:"modelVersion"`
	Candidates []struct {
		Index   int `json:"index"`
		Content struct {
			Parts []struct {
				Text      string          `json:"text"`
				Thought   bool            `json:"thought"`
				Signature string          `json:"thoughtSignature"`
				Call      json.RawMessage `json:"functionCall"`
			} `json:"parts"`
		} `json:"content"`
		Finish  string `json:"finishReason"`
		Message string `json:"finishMessage"`
	} `json:"candidates"`
	Feedback struct {
		Block string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage struct {
		Prompt   int `json:"promptTokenCount"`
		Output   int `json:"candidatesTokenCount"`
		Thoughts int `json:"thoughtsTokenCount"`
		Cached   int `json:"cachedContentTokenCount"`
	} `json:"usageMetadata"`
}

// read reads one piece and reports whether it is the last one.
func (c *answer) read(a *llm.Assembler, calls *int, signatures *[]string) (finished bool) {
	a.Identify(c.ID, c.Model)
	a.Usage(llm.Usage{Input: c.Usage.Prompt, Output: c.Usage.Output + c.Usage.Thoughts, Cached: c.Usage.Cached, Reasoning: c.Usage.Thoughts})
	if c.Feedback.Block != "" {
		a.Refusal("the prompt was blocked: " + c.Feedback.Block)
		a.Finish("content_filter")
		return true
	}
	for _, cand := range c.Candidates {
		if cand.Index != 0 {
			continue
		}
		for _, p := range cand.Content.Parts {
			if p.Thought {
				a.Reasoning(p.Text)
			} else {
				a.Text(p.Text)
			}
			if len(p.Call) == 0 || string(p.Call) == "null" {
				continue
			}
			var fc struct {
				ID   string          `json:"id"`
				Name string          `json:"name"`
				Args json.RawMessage `json:"args"`
			}
			if json.Unmarshal(p.Call, &fc) != nil {
				a.Note("calls that cannot be read")
				continue
			}
			if len(fc.Args) == 0 {
				fc.Args = json.RawMessage(`{}`)
			}
			a.Call(llm.CallPiece{Index: *calls, ID: fc.ID, Name: fc.Name, Object: fc.Args})
			*calls++
			*signatures = append(*signatures, p.Signature)
		}
		if cand.Finish != "" && cand.Finish != "FINISH_REASON_UNSPECIFIED" {
			a.Finish(cand.Finish)
			if cand.Message != "" && cand.Finish != "STOP" {
				a.Refusal(cand.Message)
			}
			finished = true
		}
	}
	return finished
}

// Embed returns the request for embeddings.
func (Protocol) Embed(model string, texts []string) (*llm.Wire, error) {
	model = "models/" + strings.TrimPrefix(model, "models/")
	var list []any
	for _, t := range texts {
		list = append(list, map[string]any{"model": model, "content": map[string]any{"parts": []any{map[string]any{"text": t}}}})
	}
	body, err := jsontext.Encode(map[string]any{"requests": list})
	if err != nil {
		return nil, err
	}
	return &llm.Wire{Method: http.MethodPost, Path: "/" + model + ":batchEmbedContents", Body: body}, nil
}

// ReadEmbed reads embeddings.
func (Protocol) ReadEmbed(body []byte, n int) (*llm.Embeddings, error) {
	var in struct {
		Embeddings []struct {
			Values []float32 `json:"values"`
		} `json:"embeddings"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, fmt.Errorf("the embeddings cannot be read: %w", err)
	}
	if len(in.Embeddings) != n {
		return nil, fmt.Errorf("%d embeddings for %d texts", len(in.Embeddings), n)
	}
	out := &llm.Embeddings{}
	for _, e := range in.Embeddings {
		out.Vectors = append(out.Vectors, e.Values)
	}
	return out, llm.CheckVectors(out.Vectors)
}

// Models returns the request for the list of models.
func (Protocol) Models() *llm.Wire {
	return &llm.Wire{Method: http.MethodGet, Path: "/models?pageSize=200"}
}

// ReadModels reads the list.
func (Protocol) ReadModels(body []byte) ([]llm.ModelInfo, error) {
	var in struct {
		Models []struct {
			Name    string   `json:"name"`
			Context int      `json:"inputTokenLimit"`
			Methods []string `json:"supportedGenerationMethods"`
		} `json:"models"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, fmt.Errorf("the list of models cannot be read: %w", err)
	}
	var out []llm.ModelInfo
	for _, m := range in.Models {
		info := llm.ModelInfo{ID: strings.TrimPrefix(m.Name, "models/"), ContextSize: m.Context}
		for _, method := range m.Methods {
			switch method {
			case "generateContent":
				info.Kind = "chat"
			case "embedContent":
				info.Kind = "embedding"
			}
		}
		out = append(out, info)
	}
	return out, nil
}
