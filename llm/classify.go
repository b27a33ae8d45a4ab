package llm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// wireError is what servers say about an error, in all shapes.
type wireError struct {
	Message, Type, Code, Param, Metadata string
}

// ReadError reads an error object of any shape; ok is false if there is none.
// The shapes: {"error": {…}}, {"error": "text"}, {"object": "error", …},
// {"type": "error", "error": {…}}, {"detail": …}, {"message": …, "code": …}.
func readError(raw json.RawMessage) (e wireError, ok bool) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil && len(list) > 0 {
		return readError(list[0]) // Gemini puts it in a list
	}
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return e, false
	}
	if inner, has := m["error"]; has && string(inner) != "null" && string(inner) != "false" && string(inner) != `""` {
		var s string
		if json.Unmarshal(inner, &s) == nil {
			return wireError{Message: s, Code: textOf(m["code"]), Type: textOf(m["error_type"])}, true
		}
		var im map[string]json.RawMessage
		if json.Unmarshal(inner, &im) == nil {
			return objectError(im), true
		}
		return wireError{Message: string(inner)}, true
	}
	if textOf(m["object"]) == "error" || textOf(m["type"]) == "error" {
		return objectError(m), true
	}
	if d, has := m["detail"]; has && m["choices"] == nil {
		if s := textOf(d); s != "" {
			return wireError{Message: s}, true
		}
		return wireError{Message: string(d)}, true
	}
	return e, false
}

func objectError(m map[string]json.RawMessage) wireError {
	e := wireError{Message: textOf(m["message"]), Type: textOf(m["type"]), Code: textOf(m["code"]), Param: textOf(m["param"])}
	if e.Code == "" {
		e.Code = textOf(m["status"])
	}
	var meta struct {
		Raw      json.RawMessage `json:"raw"`
		Provider string          `json:"provider_name"`
	}
	if json.Unmarshal(m["metadata"], &meta) == nil && len(meta.Raw) > 0 {
		e.Metadata = textOf(meta.Raw)
		if e.Metadata == "" {
			e.Metadata = string(meta.Raw)
		}
	}
	if e.Message == "" {
		raw, _ := json.Marshal(m)
		e.Message = string(raw)
	}
	return e
}

// textOf returns a string, or the text of a number.
func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var n json.Number
	if json.Unmarshal(raw, &n) == nil {
		return n.String()
	}
	return ""
}

// ErrorIn returns the error that a piece of an answer carries instead of, or
// beside, its content; nil if it carries none. Protocols call it for each piece.
func ErrorIn(raw json.RawMessage) *Error {
	w, ok := readError(raw)
	if !ok {
		return nil
	}
	status := 0
	if n, err := strconv.Atoi(w.Code); err == nil && n >= 400 && n < 600 {
		status = n
	}
	return classify(status, w)
}

// errorOf makes an error of an answer with a status that is not 2xx.
func errorOf(status int, h http.Header, body []byte, now time.Time) *Error {
	w, ok := readError(body)
	if !ok {
		text := strings.TrimSpace(string(body))
		switch {
		case strings.HasPrefix(text, "<"):
			w.Message = "a page instead of an answer: " + titleOf(text)
		case text != "":
			w.Message = text
		default:
			w.Message = http.StatusText(status)
		}
	}
	e := classify(status, w)
	e.RetryAfter = retryAfter(h, now)
	return e
}

var htmlTitle = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

func titleOf(page string) string {
	if m := htmlTitle.FindStringSubmatch(page); m != nil {
		return clipText(strings.TrimSpace(m[1]), 120)
	}
	return "it has no title"
}

// The words of servers for a request that is too long.
var tooLongWords = regexp.MustCompile(`(?i)context.?(length|size|window)|maximum context|prompt is too long|too many tokens|exceeds? (the )?(model'?s? )?(max|available|context)|input (is )?too long|context_length_exceeded|exceed_context_size|reduce the length|n_ctx|token limit|input token count`)

// keyWords are the words for a key that is refused with another status.
var keyWords = regexp.MustCompile(`(?i)api.?key (is )?(not valid|invalid|expired|missing)|(invalid|incorrect|missing|no) api.?key`)

var (
	numbers = regexp.MustCompile(`\d[\d,]{2,}`)
	quoted  = regexp.MustCompile("[`'\"]([A-Za-z_][A-Za-z_0-9.]*)[`'\"]")
	// The words for a parameter that is not taken.
	unsupportedWords = regexp.MustCompile(`(?i)unsupported|not support|unrecognized|unknown (parameter|field|argument|name)|unexpected (keyword|field|parameter)|not (permitted|allowed|available|enabled)|extra (inputs|fields)|does ?n[o']t support|does not (accept|take|allow)|cannot be used|cannot both be|is deprecated|invalid (parameter|field)|requires? .*--|only the default|no such (parameter|field)|must be .*default|additional properties`)
	// What stands in messages instead of the parameter's own name.
	paramWords = []struct {
		re    *regexp.Regexp
		param string
	}{
		{regexp.MustCompile(`(?i)max_completion_tokens.*instead|use .?max_completion_tokens`), "max_tokens"},
		{regexp.MustCompile(`(?i)use .?max_tokens`), "max_completion_tokens"},
		{regexp.MustCompile(`(?i)call.?id.*length of 9`), "call_ids"},
		{regexp.MustCompile(`(?i)roles? must alternate|alternating|consecutive (user|assistant)|after the optional system message`), "roles"},
		{regexp.MustCompile(`(?i)system (message|role)s?.*(first|beginning|start)|only .*system message.*(beginning|start|first)`), "system_place"},
		{regexp.MustCompile(`(?i)(system|developer) (role|message|instruction|prompt)s?( is| are)? not (supported|allowed|enabled|available)|(does not|doesn't) support.*(system|developer) |(system|developer).? role.*not (supported|allowed)`), "system"},
		{regexp.MustCompile(`(?i)reasoning_content.*(must|passed back|missing)|must be passed back.*reasoning`), "reasoning_content"},
		{regexp.MustCompile(`(?i)auto.*tool choice.*requires|enable-auto-tool-choice|tools? (use|calling|calls?)? ?.*not support|not support.* (tools|tool use|function calling)|functions? .*not support|failed to parse grammar|Unsupported param: tools`), "tools"},
		{regexp.MustCompile(`(?i)tool_choice`), "tool_choice"},
		{regexp.MustCompile(`(?i)parallel.tool.calls`), "parallel_tool_calls"},
		{regexp.MustCompile(`(?i)stream_options`), "stream_options"},
		{regexp.MustCompile(`(?i)json_schema|structured output`), "json_schema"},
		{regexp.MustCompile(`(?i)response_format|json_object|json mode`), "response_format"},
		{regexp.MustCompile(`(?i)reasoning_effort|enable_thinking|thinking|chat_template_kwargs`), "thinking"},
		{regexp.MustCompile(`(?i)streaming`), "stream"},
		{regexp.MustCompile(`(?i)max_completion_tokens`), "max_completion_tokens"},
		{regexp.MustCompile(`(?i)max_tokens`), "max_tokens"},
		{regexp.MustCompile(`(?i)temperature`), "temperature"},
		{regexp.MustCompile(`(?i)top_p`), "top_p"},
		{regexp.MustCompile(`(?i)\bseed\b`), "seed"},
		{regexp.MustCompile(`(?i)\bstop\b`), "stop"},
	}
)

// classify decides what kind of failure an answer is.
func classify(status int, w wireError) *Error {
	e := &Error{Status: status, Message: clipText(strings.Join(strings.Fields(w.Message), " "), 500)}
	if w.Metadata != "" {
		e.Message = clipText(e.Message+": "+strings.Join(strings.Fields(w.Metadata), " "), 600)
	}
	code := strings.ToLower(w.Code + " " + w.Type)
	all := w.Message + " " + w.Metadata + " " + w.Code + " " + w.Type
	switch {
	case status == 401 || status == 403 || strings.Contains(code, "authentication") || strings.Contains(code, "permission") || strings.Contains(code, "invalid_api_key") || keyWords.MatchString(all):
		e.Kind, e.Hint = KindAuth, "check the key of this profile"
	case status == 402 || strings.Contains(code, "insufficient_quota") || strings.Contains(code, "billing"):
		e.Kind, e.Hint = KindPayment, "the account has no credit"
	case status == 413:
		e.Kind = KindTooLong
	case (status == 0 || status == 400 || status == 422 || status == 500) && tooLongWords.MatchString(all) && !strings.Contains(all, "max_completion_tokens"):
		e.Kind = KindTooLong
	case status == 404 || strings.Contains(code, "model_not_found") || strings.Contains(code, "not_found_error"):
		e.Kind, e.Hint = KindNotFound, "check the model's name and the endpoint"
	case status == 429 || strings.Contains(code, "rate_limit") || strings.Contains(code, "resource_exhausted"):
		e.Kind = KindRate
	case status == 400 || status == 422 || status == 501 || status == 500 && unsupported(w, all) != "" || status == 0 && strings.Contains(code, "invalid_request"):
		e.Kind = KindRefused
		if param := unsupported(w, all); param != "" {
			e.Kind, e.Param = KindUnsupported, param
		} else if strings.Contains(code, "content_filter") || strings.Contains(code, "content_policy") {
			e.Kind = KindFilter
		}
	case status == 408 || status == 409 || status == 425 || status >= 500 || strings.Contains(code, "overloaded") || strings.Contains(code, "server_error") || strings.Contains(code, "timeout"):
		e.Kind = KindServer
	case status == 0:
		e.Kind = KindServer // an error inside of an answer: the server's own
	default:
		e.Kind = KindRefused
	}
	if e.Kind == KindTooLong {
		e.TooLong = tooLong(e.Message)
		e.Hint = "the messages are longer than the model's context"
	}
	return e
}

// unsupported returns the parameter that an error is about.
func unsupported(w wireError, all string) string {
	named := strings.Contains(strings.ToLower(w.Code), "unsupported") || strings.Contains(strings.ToLower(w.Code), "unknown_parameter") || unsupportedWords.MatchString(all)
	for _, p := range paramWords[:8] { // those that need no further words
		if p.re.MatchString(all) {
			return p.param
		}
	}
	if !named {
		return ""
	}
	param := w.Param
	if i := strings.IndexAny(param, ".["); i > 0 {
		param = param[:i]
	}
	switch param {
	case "messages", "":
	case "reasoning_effort", "reasoning", "enable_thinking", "thinking", "chat_template_kwargs", "think":
		return "thinking"
	case "response_format":
		if strings.Contains(all, "json_schema") {
			return "json_schema"
		}
		return param
	default:
		return param
	}
	for _, p := range paramWords {
		if p.re.MatchString(all) {
			return p.param
		}
	}
	if m := quoted.FindStringSubmatch(w.Message); m != nil && m[1] != "messages" && m[1] != "model" {
		return m[1]
	}
	return ""
}

// tooLong reads the numbers of a message: the smaller one is the limit.
func tooLong(message string) TooLong {
	t := TooLong{Message: message}
	for _, m := range numbers.FindAllString(message, 8) {
		n, err := strconv.Atoi(strings.ReplaceAll(m, ",", ""))
		if err != nil || n > 100_000_000 {
			continue
		}
		if t.Limit == 0 || n < t.Limit {
			t.Limit = n
		}
		t.Asked = max(t.Asked, n)
	}
	if t.Asked == t.Limit {
		t.Asked = 0
	}
	return t
}

// retryAfter reads how long a server wants to be left alone.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms := h.Get("Retry-After-Ms"); ms != "" {
		if n, err := strconv.ParseFloat(strings.TrimSpace(ms), 64); err == nil && n > 0 && n < 1e9 {
			return time.Duration(n * float64(time.Millisecond))
		}
	}
	v := strings.TrimSpace(h.Get("Retry-After"))
	if v == "" {
		return 0
	}
	if n, err := strconv.ParseFloat(v, 64); err == nil {
		if n > 0 && n < 1e6 {
			return time.Duration(n * float64(time.Second))
		}
		return 0
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(0, t.Sub(now))
	}
	return 0
}

// pageError is the error for a body that is a page of HTML or empty.
func pageError(body []byte) error {
	text := strings.TrimSpace(string(body))
	if text == "" {
		return Wrapped(KindAnswer, "the answer is empty", nil)
	}
	if strings.HasPrefix(text, "<") {
		return &Error{Kind: KindAnswer, Message: "a page instead of an answer: " + titleOf(text), Hint: "a proxy may stand between, or the endpoint lacks /v1"}
	}
	return &Error{Kind: KindAnswer, Message: fmt.Sprintf("the answer cannot be read: %s", clipText(text, 120))}
}
