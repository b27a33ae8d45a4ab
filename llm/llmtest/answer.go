package llmtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// render makes the pieces of an answer and returns their type.
func render(r *Request, a Respond, stream bool) (kind string, out []piece) {
	form := ""
	if r != nil {
		form = r.Form
	}
	switch {
	case a.Error != nil:
		return "application/json", []piece{{bytes: errorBody(form, a)}}
	case len(a.Chunks) > 0:
		for _, c := range a.Chunks {
			out = append(out, piece{c.bytes(), c.Delay, c.Repeat})
		}
		if form == "ollama" {
			return "application/x-ndjson", out
		}
		return "text/event-stream", out
	case a.Body != "" || a.Status == 204 || form == "" || a.Status >= 300:
		kind = "application/json"
		if strings.HasPrefix(strings.TrimSpace(a.Body), "<") {
			kind = "text/html"
		}
		if a.Body == "" {
			return kind, nil
		}
		return kind, []piece{{bytes: []byte(a.Body)}}
	}
	if a.JSON != nil {
		a.Text = string(mustJSON(a.JSON))
	}
	if a.Usage == nil {
		a.Usage = &Usage{Input: len(r.Text()) / 4, Output: (len(a.Text)+len(a.Reasoning))/4 + 8*len(a.Calls)}
	}
	switch form {
	case "anthropic":
		return anthropicAnswer(r, a, stream)
	case "gemini":
		return geminiAnswer(r, a, stream)
	case "ollama":
		return ollamaAnswer(r, a, stream)
	}
	return openAIAnswer(r, a, stream)
}

func errorBody(form string, a Respond) []byte {
	switch form {
	case "anthropic":
		return mustJSON(map[string]any{"type": "error", "error": map[string]any{"type": a.Error.Type, "message": a.Error.Message}})
	case "gemini":
		return mustJSON(map[string]any{"error": map[string]any{"code": a.Status, "message": a.Error.Message, "status": a.Error.Code}})
	case "ollama":
		return mustJSON(map[string]any{"error": a.Error.Message})
	}
	return mustJSON(map[string]any{"error": a.Error})
}

// words cuts a text behind its spaces, as streams do.
func words(s string) (out []string) {
	start := 0
	for i, r := range s {
		if r == ' ' || r == '\n' {
			out = append(out, s[start:i+utf8.RuneLen(r)])
			start = i + utf8.RuneLen(r)
		}
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

func event(name string, v any) piece {
	s := ""
	if name != "" {
		s = "event: " + name + "\n"
	}
	return piece{bytes: []byte(s + "data: " + string(mustJSON(v)) + "\n\n")}
}

func body(v any) []piece { return []piece{{bytes: mustJSON(v)}} }

func callID(c ToolCall, i int) string {
	if c.ID != "" {
		return c.ID
	}
	return fmt.Sprintf("call_%d_%s", i+1, c.Name)
}

func openAIAnswer(r *Request, a Respond, stream bool) (string, []piece) {
	finish := a.Finish
	if finish == "" {
		if finish = "stop"; len(a.Calls) > 0 {
			finish = "tool_calls"
		}
	}
	usage := map[string]any{
		"prompt_tokens": a.Usage.Input, "completion_tokens": a.Usage.Output, "total_tokens": a.Usage.Input + a.Usage.Output,
		"prompt_tokens_details": map[string]int{"cached_tokens": a.Usage.Cached},
	}
	head := func(object string) map[string]any {
		return map[string]any{"id": "chatcmpl-1", "object": object, "created": 0, "model": r.Model}
	}
	if !stream {
		m := map[string]any{"role": "assistant", "content": a.Text}
		if a.Reasoning != "" {
			m["reasoning_content"] = a.Reasoning
		}
		if len(a.Calls) > 0 {
			var calls []any
			for i, c := range a.Calls {
				calls = append(calls, map[string]any{"id": callID(c, i), "type": "function", "function": map[string]any{"name": c.Name, "arguments": c.arguments()}})
			}
			m["tool_calls"] = calls
			if a.Text == "" {
				m["content"] = nil
			}
		}
		out := head("chat.completion")
		out["choices"] = []any{map[string]any{"index": 0, "message": m, "finish_reason": finish}}
		out["usage"] = usage
		return "application/json", body(out)
	}
	var list []piece
	chunk := func(delta map[string]any, finish any) {
		c := head("chat.completion.chunk")
		c["choices"] = []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}
		list = append(list, event("", c))
	}
	chunk(map[string]any{"role": "assistant", "content": ""}, nil)
	for _, w := range words(a.Reasoning) {
		chunk(map[string]any{"reasoning_content": w}, nil)
	}
	for _, w := range words(a.Text) {
		chunk(map[string]any{"content": w}, nil)
	}
	for i, c := range a.Calls {
		chunk(map[string]any{"tool_calls": []any{map[string]any{"index": i, "id": callID(c, i), "type": "function", "function": map[string]any{"name": c.Name, "arguments": ""}}}}, nil)
		for _, part := range fragments(c.arguments(), 12) {
			chunk(map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{"arguments": part}}}}, nil)
		}
	}
	chunk(map[string]any{}, finish)
	if strings.Contains(string(r.fields["stream_options"]), "true") {
		c := head("chat.completion.chunk")
		c["choices"] = []any{}
		c["usage"] = usage
		list = append(list, event("", c))
	}
	return "text/event-stream", append(list, piece{bytes: []byte("data: [DONE]\n\n")})
}

// fragments cuts a text into pieces of n letters.
func fragments(s string, n int) (out []string) {
	r := []rune(s)
	for len(r) > n {
		out = append(out, string(r[:n]))
		r = r[n:]
	}
	return append(out, string(r))
}

func anthropicAnswer(r *Request, a Respond, stream bool) (string, []piece) {
	finish := a.Finish
	if finish == "" {
		if finish = "end_turn"; len(a.Calls) > 0 {
			finish = "tool_use"
		}
	}
	usage := map[string]any{"input_tokens": a.Usage.Input - a.Usage.Cached, "output_tokens": a.Usage.Output, "cache_read_input_tokens": a.Usage.Cached}
	var blocks []map[string]any
	if a.Reasoning != "" {
		blocks = append(blocks, map[string]any{"type": "thinking", "thinking": a.Reasoning, "signature": "c2lnbmVk"})
	}
	if a.Text != "" {
		blocks = append(blocks, map[string]any{"type": "text", "text": a.Text})
	}
	for i, c := range a.Calls {
		blocks = append(blocks, map[string]any{"type": "tool_use", "id": callID(c, i), "name": c.Name, "input": json.RawMessage(c.arguments())})
	}
	message := map[string]any{"id": "msg_1", "type": "message", "role": "assistant", "model": r.Model, "content": blocks, "stop_reason": finish, "usage": usage}
	if !stream {
		return "application/json", body(message)
	}
	message["content"], message["stop_reason"] = []any{}, nil
	list := []piece{event("message_start", map[string]any{"type": "message_start", "message": message}), event("ping", map[string]any{"type": "ping"})}
	for i, b := range blocks {
		start := map[string]any{"type": b["type"]}
		var deltas []map[string]any
		switch b["type"] {
		case "thinking":
			start["thinking"] = ""
			for _, w := range words(a.Reasoning) {
				deltas = append(deltas, map[string]any{"type": "thinking_delta", "thinking": w})
			}
			deltas = append(deltas, map[string]any{"type": "signature_delta", "signature": b["signature"]})
		case "text":
			start["text"] = ""
			for _, w := range words(a.Text) {
				deltas = append(deltas, map[string]any{"type": "text_delta", "text": w})
			}
		default:
			start["id"], start["name"], start["input"] = b["id"], b["name"], map[string]any{}
			for _, w := range words(string(b["input"].(json.RawMessage))) {
				deltas = append(deltas, map[string]any{"type": "input_json_delta", "partial_json": w})
			}
		}
		list = append(list, event("content_block_start", map[string]any{"type": "content_block_start", "index": i, "content_block": start}))
		for _, d := range deltas {
			list = append(list, event("content_block_delta", map[string]any{"type": "content_block_delta", "index": i, "delta": d}))
		}
		list = append(list, event("content_block_stop", map[string]any{"type": "content_block_stop", "index": i}))
	}
	return "text/event-stream", append(list,
		event("message_delta", map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": finish}, "usage": map[string]any{"output_tokens": a.Usage.Output}}),
		event("message_stop", map[string]any{"type": "message_stop"}))
}

func geminiAnswer(r *Request, a Respond, stream bool) (string, []piece) {
	finish := a.Finish
	if finish == "" {
		finish = "STOP"
	}
	usage := map[string]any{"promptTokenCount": a.Usage.Input, "candidatesTokenCount": a.Usage.Output, "cachedContentTokenCount": a.Usage.Cached}
	answer := func(parts []any, finish string) map[string]any {
		c := map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}}
		if finish != "" {
			c["finishReason"] = finish
		}
		return map[string]any{"candidates": []any{c}, "modelVersion": r.Model, "responseId": "resp-1", "usageMetadata": usage}
	}
	var calls []any
	for _, c := range a.Calls {
		calls = append(calls, map[string]any{"functionCall": map[string]any{"name": c.Name, "args": json.RawMessage(c.arguments())}, "thoughtSignature": "c2lnbmVk"})
	}
	if !stream {
		var parts []any
		if a.Reasoning != "" {
			parts = append(parts, map[string]any{"text": a.Reasoning, "thought": true})
		}
		if a.Text != "" {
			parts = append(parts, map[string]any{"text": a.Text})
		}
		return "application/json", body(answer(append(parts, calls...), finish))
	}
	var list []piece
	for _, w := range words(a.Reasoning) {
		list = append(list, event("", answer([]any{map[string]any{"text": w, "thought": true}}, "")))
	}
	for _, w := range words(a.Text) {
		list = append(list, event("", answer([]any{map[string]any{"text": w}}, "")))
	}
	for _, c := range calls {
		list = append(list, event("", answer([]any{c}, "")))
	}
	return "text/event-stream", append(list, event("", answer([]any{map[string]any{"text": ""}}, finish)))
}

func ollamaAnswer(r *Request, a Respond, stream bool) (string, []piece) {
	finish := a.Finish
	if finish == "" {
		finish = "stop"
	}
	line := func(m map[string]any, done bool) map[string]any {
		m["role"] = "assistant"
		out := map[string]any{"model": r.Model, "created_at": "2000-01-01T00:00:00Z", "message": m, "done": done}
		if done {
			out["done_reason"], out["prompt_eval_count"], out["eval_count"] = finish, a.Usage.Input, a.Usage.Output
		}
		return out
	}
	var calls []any
	for _, c := range a.Calls {
		calls = append(calls, map[string]any{"function": map[string]any{"name": c.Name, "arguments": json.RawMessage(c.arguments())}})
	}
	if !stream {
		m := map[string]any{"content": a.Text}
		if a.Reasoning != "" {
			m["thinking"] = a.Reasoning
		}
		if calls != nil {
			m["tool_calls"] = calls
		}
		return "application/json", body(line(m, true))
	}
	var list []piece
	add := func(m map[string]any, done bool) {
		list = append(list, piece{bytes: append(mustJSON(line(m, done)), '\n')})
	}
	for _, w := range words(a.Reasoning) {
		add(map[string]any{"content": "", "thinking": w}, false)
	}
	for _, w := range words(a.Text) {
		add(map[string]any{"content": w}, false)
	}
	if calls != nil {
		add(map[string]any{"content": "", "tool_calls": calls}, false)
	}
	add(map[string]any{"content": ""}, true)
	return "application/x-ndjson", list
}
