package openai

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/llm"
)

// ReadChat reads an answer.
func (Protocol) ReadChat(body io.Reader, a *llm.Assembler) error {
	finished := false
	var details detailList
	defer details.keep(a)
	err := llm.ReadPieces(body, a, func(p llm.Piece) error {
		if string(bytes.TrimSpace(p.Data)) == "[DONE]" {
			a.Done()
			return io.EOF
		}
		end, err := chunk(p.Data, a, &details)
		finished = finished || end
		if p.Whole && !end && err == nil {
			// An answer in one piece that says nothing of its end is all there is.
			a.Done()
			finished = true
		}
		return err
	})
	if finished && (err == nil || err == io.ErrUnexpectedEOF) {
		a.Done()
		return nil
	}
	return err
}

// chunk reads one piece of an answer and reports whether it says how the answer
// ended. Nothing in it can be relied on.
func chunk(raw json.RawMessage, a *llm.Assembler, details *detailList) (finished bool, err error) {
	var c struct {
		ID      json.RawMessage `json:"id"`
		Model   json.RawMessage `json:"model"`
		Choices json.RawMessage `json:"choices"`
		Usage   json.RawMessage `json:"usage"`
		// Some hubs put this beside the choices.
		XGroq struct {
			Usage json.RawMessage `json:"usage"`
		} `json:"x_groq"`
	}
	if json.Unmarshal(raw, &c) != nil {
		return false, llm.ErrNotAPiece
	}
	a.Identify(str(c.ID), str(c.Model))
	a.Usage(usage(c.Usage))
	a.Usage(usage(c.XGroq.Usage))
	if choice, ok := firstChoice(c.Choices); ok {
		finished = readChoice(choice, a, details)
	}
	if e := llm.ErrorIn(raw); e != nil {
		a.Fail(e)
		return false, e
	}
	return finished, nil
}

// firstChoice returns the choice with the number 0; of answers without numbers,
// the first.
func firstChoice(raw json.RawMessage) (map[string]json.RawMessage, bool) {
	var list []map[string]json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil, false
	}
	for _, c := range list {
		if n, err := strconv.Atoi(string(c["index"])); err != nil || n == 0 {
			return c, c != nil
		}
	}
	return nil, false
}

func readChoice(c map[string]json.RawMessage, a *llm.Assembler, details *detailList) (finished bool) {
	for _, key := range []string{"delta", "message"} {
		var m map[string]json.RawMessage
		if json.Unmarshal(c[key], &m) == nil && m != nil {
			readMessage(m, a)
			details.add(m["reasoning_details"])
			break
		}
	}
	if t := str(c["text"]); t != "" { // the older form of completions
		a.Text(t)
	}
	reason := str(c["finish_reason"])
	if reason == "" {
		return false
	}
	a.Finish(reason)
	if reason == "error" {
		message := str(c["error"])
		if message == "" {
			message = "the server says that the answer ended in an error"
		}
		a.Fail(llm.Wrapped(llm.KindServer, message, nil))
	}
	return true
}

func readMessage(m map[string]json.RawMessage, a *llm.Assembler) {
	// The same thoughts often come under two names; one is enough.
	for _, key := range []string{"reasoning_content", "reasoning", "thinking", "reasoning_text"} {
		if t := contentText(m[key], a); t != "" {
			a.Reasoning(t)
			break
		}
	}
	if len(m["reasoning_details"]) > 0 && str(m["reasoning"]) == "" && str(m["reasoning_content"]) == "" {
		var details []map[string]json.RawMessage
		if json.Unmarshal(m["reasoning_details"], &details) == nil {
			for _, d := range details {
				a.Reasoning(str(d["text"]) + str(d["summary"]))
			}
		}
	}
	a.Text(contentText(m["content"], a))
	a.Refusal(str(m["refusal"]))
	readCalls(m["tool_calls"], a)
	if fn := m["function_call"]; len(fn) > 0 && string(fn) != "null" { // the form before tools
		readCalls(json.RawMessage(`[{"index":0,"function":`+string(fn)+`}]`), a)
	}
}

// contentText returns the text of a content: a string, or parts with text. Parts
// with thoughts go where they belong.
func contentText(raw json.RawMessage, a *llm.Assembler) string {
	if len(raw) == 0 {
		return ""
	}
	if raw[0] != '[' && raw[0] != '{' {
		return str(raw)
	}
	var parts []map[string]json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		var one map[string]json.RawMessage
		if json.Unmarshal(raw, &one) != nil {
			return ""
		}
		parts = append(parts, one)
	}
	var b strings.Builder
	for _, p := range parts {
		switch str(p["type"]) {
		case "thinking", "reasoning":
			a.Reasoning(contentText(p["thinking"], a) + str(p["text"]))
		case "refusal":
			a.Refusal(str(p["refusal"]))
		default:
			b.WriteString(str(p["text"]))
		}
	}
	return b.String()
}

func readCalls(raw json.RawMessage, a *llm.Assembler) {
	if len(raw) == 0 || string(raw) == "null" {
		return
	}
	var list []map[string]json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		var one map[string]json.RawMessage
		if json.Unmarshal(raw, &one) != nil {
			a.Note("calls that cannot be read")
			return
		}
		list = append(list, one)
	}
	for _, c := range list {
		p := llm.CallPiece{Index: -1, ID: str(c["id"])}
		if n, err := strconv.Atoi(strings.Trim(string(c["index"]), `"`)); err == nil && n >= 0 {
			p.Index = n
		}
		fn := c
		var inner map[string]json.RawMessage
		if json.Unmarshal(c["function"], &inner) == nil && inner != nil {
			fn = inner
		}
		p.Name = str(fn["name"])
		args := fn["arguments"]
		if args == nil {
			args = fn["parameters"]
		}
		switch {
		case len(args) == 0 || string(args) == "null":
		case args[0] == '"':
			p.Arguments = str(args)
		default:
			p.Object = args
		}
		if p.ID == "" && p.Name == "" && p.Arguments == "" && len(p.Object) == 0 {
			continue
		}
		a.Call(p)
	}
}

// str returns a string, or the digits of a number.
func str(raw json.RawMessage) string {
	var s string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return s
	}
	if len(raw) > 0 && (raw[0] >= '0' && raw[0] <= '9' || raw[0] == '-') {
		return string(raw)
	}
	return ""
}

// usage reads counts under all their names.
func usage(raw json.RawMessage) llm.Usage {
	var m map[string]json.RawMessage
	if len(raw) == 0 || json.Unmarshal(raw, &m) != nil {
		return llm.Usage{}
	}
	sub := func(key string) map[string]json.RawMessage {
		var s map[string]json.RawMessage
		_ = json.Unmarshal(m[key], &s) // absent in most answers
		return s
	}
	first := func(list ...json.RawMessage) int {
		for _, raw := range list {
			if f, err := strconv.ParseFloat(str(raw), 64); err == nil && f > 0 && f < math.MaxInt32 {
				return int(f)
			}
		}
		return 0
	}
	in, out := sub("prompt_tokens_details"), sub("completion_tokens_details")
	return llm.Usage{
		Input:      first(m["prompt_tokens"], m["input_tokens"]),
		Output:     first(m["completion_tokens"], m["output_tokens"]),
		Cached:     first(in["cached_tokens"], m["prompt_cache_hit_tokens"], m["cached_tokens"]),
		CacheWrite: first(in["cache_write_tokens"], m["cache_creation_input_tokens"]),
		Reasoning:  first(out["reasoning_tokens"], m["reasoning_tokens"]),
	}
}
