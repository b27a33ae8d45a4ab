package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/llm/dial"
	"github.com/weft-memory/weft/llm/llmtest"
)

// Whether a stream is asked for, or one piece, and whatever is sent instead.
func TestWire16StreamAndPiece(t *testing.T) {
	t.Parallel()
	for _, asked := range []bool{false, true} {
		for _, sent := range []bool{false, true} {
			server := llmtest.Play(t, &llmtest.Script{Steps: []llmtest.Step{{
				Expect:  llmtest.Match{Stream: &asked},
				Respond: llmtest.Respond{Stream: &sent, Text: "The miller.", Reasoning: "Who?", Calls: []llmtest.ToolCall{{Name: "search_lorebook", Arguments: q}}},
			}}})
			client := open(t, fast(server.URL), llm.Options{})
			req := ask(tools...)
			req.NoStream = !asked
			r, err := client.Chat(t.Context(), req)
			if err != nil {
				t.Fatalf("asked %v, sent %v: %v", asked, sent, err)
			}
			compare(t, want{Content: "The miller.", Reasoning: "Who?", Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}, r)
		}
	}
}

func TestWire08UsageIsCounted(t *testing.T) {
	t.Parallel()
	for _, choices := range []string{`"choices":[],`, `"choices":null,`, ``} {
		server := llmtest.Play(t, &llmtest.Script{Steps: []llmtest.Step{{Respond: llmtest.Respond{Chunks: datas(
			content("x"), finish(`"stop"`), `{`+choices+`"usage":{"prompt_tokens":70,"completion_tokens":30,"prompt_tokens_details":{"cached_tokens":50},"completion_tokens_details":{"reasoning_tokens":20}}}`, done)}}}})
		r, err := open(t, fast(server.URL), llm.Options{}).Chat(t.Context(), ask())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(llm.Usage{Input: 70, Output: 30, Cached: 50, Reasoning: 20}, r.Usage); diff != "" {
			t.Errorf("%s (-want +got)\n%s", choices, diff)
		}
	}
}

// inBubble runs a test on a network and a clock in memory.
func inBubble(t *testing.T, script string, p llm.Profile, f func(t *testing.T, server *llmtest.Server, client *llm.Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server, network := llmtest.Pipe(t, script)
		p.Endpoint, p.Name = server.URL+"/v1", "sidecar"
		if p.Model == "" {
			p.Model = "test"
		}
		client, err := dial.Open(p, llm.Options{Dial: network.Dial, Random: func() float64 { return 0 }})
		if err != nil {
			t.Fatal(err)
		}
		f(t, server, client)
		client.Close()
	})
}

func seconds(n int) llm.Duration { return llm.Duration(time.Duration(n) * time.Second) }

// Over a socket, with real time: keep-alives hold the connection until the text
// comes.
func TestWire09FirstTokenAfterKeepAlives(t *testing.T) {
	t.Parallel()
	const stream = `
steps:
  - respond:
      chunks:
        - {comment: alive, delay: %[1]s, repeat: 20}
        - {data: '{"choices":[{"delta":{"content":"The miller."},"finish_reason":"stop"}]}'}
`
	t.Run("socket", func(t *testing.T) {
		t.Parallel()
		server := llmtest.New(t, fmt.Sprintf(stream, "2ms"))
		r, err := open(t, fast(server.URL), llm.Options{}).Chat(t.Context(), ask())
		if err != nil || r.Content != "The miller." {
			t.Errorf("%v, %v", r, err)
		}
	})
	// Twenty-one signs of life, fifteen seconds apart: five minutes in all.
	inBubble(t, fmt.Sprintf(stream, "15s"), llm.Profile{Timeouts: llm.Timeouts{FirstByte: seconds(20), Idle: seconds(20), Total: seconds(600)}}, func(t *testing.T, _ *llmtest.Server, client *llm.Client) {
		start := time.Now()
		r, err := client.Chat(t.Context(), ask())
		if err != nil || r.Content != "The miller." {
			t.Errorf("%v, %v", r, err)
		}
		if took := time.Since(start); took != 315*time.Second {
			t.Errorf("it took %v, want 5m15s", took)
		}
	})
}

func TestWire10KeepAlivesForEver(t *testing.T) {
	t.Parallel()
	const stream = `
steps:
  - respond: {chunks: [{data: '{"choices":[{"delta":{"content":"The "}}]}'}, {comment: alive, delay: %s, repeat: -1}]}
`
	check := func(t *testing.T, r *llm.Response, err error) {
		t.Helper()
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != llm.KindTimeout || e.Timeout != "total" || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want the total timeout", err)
		}
		if r == nil || r.Content != "The " {
			t.Errorf("what came before is lost: %v", r)
		}
	}
	t.Run("socket", func(t *testing.T) {
		t.Parallel()
		server := llmtest.New(t, fmt.Sprintf(stream, "5ms"))
		p := fast(server.URL)
		p.Timeouts.Total = llm.Duration(300 * time.Millisecond)
		r, err := open(t, p, llm.Options{}).Chat(t.Context(), ask())
		check(t, r, err)
	})
	inBubble(t, fmt.Sprintf(stream, "15s"), llm.Profile{Timeouts: llm.Timeouts{Idle: seconds(20), Total: seconds(600)}}, func(t *testing.T, _ *llmtest.Server, client *llm.Client) {
		start := time.Now()
		r, err := client.Chat(t.Context(), ask())
		check(t, r, err)
		if took := time.Since(start); took != 10*time.Minute {
			t.Errorf("it took %v, want 10m", took)
		}
	})
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, script, timeout string
		took                  time.Duration
	}{
		{"first byte", `steps: [{respond: {delay: 100s, text: late}}]`, "first byte", 20 * time.Second},
		{"headers, then nothing", `steps: [{respond: {fault: silence, text: x}}]`, "first byte", 20 * time.Second},
		{"idle", `steps: [{respond: {fault: silence, after: 250, text: one two three four five six}}]`, "idle", 5 * time.Second},
		{"total", `steps: [{respond: {pace: 3s, text: "` + strings.Repeat("word ", 100) + `"}}]`, "total", 60 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := llm.Profile{Retry: llm.Retry{Attempts: 1}, Timeouts: llm.Timeouts{FirstByte: seconds(20), Idle: seconds(5), Total: seconds(60)}}
			inBubble(t, tc.script, p, func(t *testing.T, _ *llmtest.Server, client *llm.Client) {
				start := time.Now()
				_, err := client.Chat(t.Context(), ask())
				var e *llm.Error
				if !errors.As(err, &e) || e.Timeout != tc.timeout {
					t.Errorf("error %v, want the timeout %s", err, tc.timeout)
				}
				if took := time.Since(start); took != tc.took {
					t.Errorf("it took %v, want %v", took, tc.took)
				}
			})
		})
	}
}

// What the reader does with the text is not the server's time.
func TestIdleTimeoutIsTheServersAlone(t *testing.T) {
	t.Parallel()
	inBubble(t, `steps: [{respond: {text: one two three}}]`, llm.Profile{Timeouts: llm.Timeouts{Idle: seconds(5)}}, func(t *testing.T, _ *llmtest.Server, client *llm.Client) {
		var text strings.Builder
		for e, err := range client.Stream(t.Context(), ask()) {
			if err != nil {
				t.Fatal(err)
			}
			text.WriteString(e.Text)
			time.Sleep(time.Minute)
		}
		if text.String() != "one two three" {
			t.Errorf("text %q", text.String())
		}
	})
}

// Each refused parameter is left out, or goes by its other name, from then on.
func TestWire37UnsupportedParameters(t *testing.T) {
	t.Parallel()
	temperature := 0.7
	full := func() llm.Request {
		req := ask(tools...)
		req.MaxTokens, req.Temperature, req.OneCall, req.Choice = 100, &temperature, true, llm.Required
		req.Extra = map[string]jsonRaw{"min_p": jsonRaw("0.050"), "dry_multiplier": jsonRaw(`0.8`)}
		return req
	}
	for _, tc := range []struct {
		name, status, message, code, param string
		req                                func() llm.Request
		absent                             []string
		fields                             map[string]any
		roles                              []string
	}{
		{name: "max_tokens", message: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", code: "unsupported_parameter", param: "max_tokens", absent: []string{"max_tokens"}, fields: map[string]any{"max_completion_tokens": 100}},
		{name: "temperature", message: "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.", code: "unsupported_value", param: "temperature", absent: []string{"temperature"}},
		{name: "an extra", message: "Unrecognized request argument supplied: min_p", param: "min_p", absent: []string{"min_p"}, fields: map[string]any{"dry_multiplier": 0.8}},
		{name: "an extra, by pydantic", message: "[{'type': 'extra_forbidden', 'loc': ('body', 'dry_multiplier'), 'msg': 'Extra inputs are not permitted'}]", param: "dry_multiplier", absent: []string{"dry_multiplier"}},
		{name: "tool_choice", message: "tool_choice is not supported by this model", absent: []string{"tool_choice"}},
		{name: "parallel_tool_calls", message: "parallel_tool_calls is not supported with this model", param: "parallel_tool_calls", absent: []string{"parallel_tool_calls"}},
		{name: "stream_options", message: "Unknown parameter: 'stream_options'", code: "unknown_parameter", param: "stream_options", absent: []string{"stream_options"}},
		{name: "system role", message: "System role not supported", roles: []string{"user"}},
		{name: "system places", message: "System message must be at the beginning.", req: func() llm.Request {
			req := full()
			req.Messages = append(req.Messages, llm.Assistant("Hm."), llm.System("Be brief."))
			return req
		}, roles: []string{"system", "user", "assistant", "user"}},
		{name: "roles", status: "500", message: "Conversation roles must alternate user/assistant/user/assistant/...", req: func() llm.Request {
			req := full()
			req.Messages = []llm.Message{llm.System("Keep the lore."), llm.Assistant("Hm."), llm.User("Who?"), llm.User("Where?")}
			return req
		}, roles: []string{"system", "user", "assistant", "user"}},
		{name: "json_schema", message: "response_format type json_schema is not supported", param: "response_format", req: func() llm.Request {
			req := ask()
			req.Format = llm.JSONAnswer("fact", jsonRaw(`{"type":"object"}`))
			return req
		}, fields: map[string]any{"response_format": map[string]any{"type": "json_object"}}},
		{name: "json_object", message: "'response_format.type' must be 'json_schema' or 'text', json_object is not supported", param: "response_format", req: func() llm.Request {
			req := ask()
			req.Format = llm.Format{JSON: true}
			return req
		}, fields: map[string]any{}},
		{name: "thinking", message: "Unrecognized request argument supplied: chat_template_kwargs", req: func() llm.Request {
			req := ask()
			req.Thinking = llm.ThinkingOff
			return req
		}, absent: []string{"chat_template_kwargs"}},
		{name: "streaming", message: "Streaming is not supported for this model", absent: []string{"stream", "stream_options"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			status := 400
			if tc.status == "500" {
				status = 500
			}
			expect := llmtest.Match{Absent: tc.absent, Fields: tc.fields, Roles: tc.roles}
			server := llmtest.Play(t, &llmtest.Script{Steps: []llmtest.Step{
				{Name: "refused", Respond: llmtest.Respond{Status: status, Error: &llmtest.WireError{Message: tc.message, Type: "invalid_request_error", Code: tc.code, Param: tc.param}}},
				{Name: "without it", Expect: expect, Respond: llmtest.Respond{Text: "ok", Calls: callsIf(tc.req == nil)}},
				{Name: "remembered", Expect: expect, Respond: llmtest.Respond{Text: "ok", Calls: callsIf(tc.req == nil)}},
			}})
			store := &llm.MemoryStore{}
			for range 2 {
				client := open(t, fast(server.URL), llm.Options{Capabilities: store})
				req := full()
				if tc.req != nil {
					req = tc.req()
				}
				r, err := client.Chat(t.Context(), req)
				if err != nil || r.Content != "ok" {
					t.Fatalf("%v, %v", r, err)
				}
			}
			caps := store.Get(server.URL+"/v1", "test")
			if len(caps.Lessons) == 0 {
				t.Error("no lesson says what was learned")
			}
		})
	}
}

type jsonRaw = json.RawMessage

func callsIf(yes bool) []llmtest.ToolCall {
	if !yes {
		return nil
	}
	return []llmtest.ToolCall{{Name: "search_lorebook", Arguments: q}}
}

func TestWire37ARefusalThatRepeatsIsAnError(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, `
steps:
  - times: 2
    respond: {status: 400, error: {message: "Unsupported parameter: 'temperature'", code: unsupported_parameter, param: temperature}}
`)
	one := 1.0
	req := ask()
	req.Temperature = &one
	_, err := open(t, fast(server.URL), llm.Options{}).Chat(t.Context(), req)
	checkError(t, "temperature", llm.KindUnsupported, err)
}

// Demands that hosted models make on earlier messages.
func TestWire37DemandsOnMessages(t *testing.T) {
	t.Parallel()
	call := llm.Call{ID: "call_0123456789abcdef", Name: "search_lorebook", Arguments: json.RawMessage(q)}
	req := llm.Request{Tools: tools, Messages: []llm.Message{
		llm.User("Who?"), {Role: llm.RoleAssistant, Reasoning: "I must look.", Calls: []llm.Call{call}}, llm.Result(call, "The miller."),
	}}
	for _, tc := range []struct{ message, before, after string }{
		{"The reasoning_content in the thinking mode must be passed back to the API.", `"content":null,"tool_calls"`, `"reasoning_content":"I must look."`},
		{"Tool call id was call_0123456789abcdef but must be a-z, A-Z, 0-9, with a length of 9.", call.ID, `"tool_call_id":"`},
	} {
		server := llmtest.Play(t, &llmtest.Script{Steps: []llmtest.Step{
			{Respond: llmtest.Respond{Status: 400, Error: &llmtest.WireError{Message: tc.message}}}, {Respond: llmtest.Respond{Text: "ok"}},
		}})
		if _, err := open(t, fast(server.URL), llm.Options{}).Chat(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		first, second := string(server.Requests()[0].Body), string(server.Requests()[1].Body)
		if !strings.Contains(first, tc.before) || strings.Contains(second, tc.before) || !strings.Contains(second, tc.after) {
			t.Errorf("%s\nfirst  %s\nsecond %s", tc.message, first, second)
		}
		if id := server.Requests()[1].Messages[1].Calls[0].ID; strings.Contains(tc.message, "length of 9") && len(id) != 9 {
			t.Errorf("the id is %q", id)
		}
	}
}

func TestWire38ContextExceeded(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]llmtest.Respond{
		"400": {Status: 400, Error: &llmtest.WireError{Message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.", Code: "context_length_exceeded"}},
		"500": {Status: 500, Error: &llmtest.WireError{Message: "the request exceeds the available context size"}},
		"413": {Status: 413, Body: "Request Entity Too Large"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := llmtest.Play(t, &llmtest.Script{Steps: []llmtest.Step{
				{Name: "too long", Respond: answer},
				{Name: "shorter", Expect: llmtest.Match{Roles: []string{"user"}}, Respond: llmtest.Respond{Text: "ok"}},
			}})
			client := open(t, fast(server.URL), llm.Options{})
			req := ask()
			var said llm.TooLong
			req.Shrink = func(l llm.TooLong) ([]llm.Message, bool) {
				said = l
				return []llm.Message{llm.User("Who?")}, true
			}
			r, err := client.Chat(t.Context(), req)
			if err != nil || r.Content != "ok" {
				t.Fatalf("%v, %v", r, err)
			}
			if name == "400" && (said.Limit != 8192 || said.Asked != 9001 || client.Capabilities().ContextSize != 8192) {
				t.Errorf("limit %d, asked %d, learned %d", said.Limit, said.Asked, client.Capabilities().ContextSize)
			}
		})
	}
	t.Run("no plan", func(t *testing.T) {
		t.Parallel()
		server := llmtest.New(t, `steps: [{respond: {status: 400, error: {message: prompt is too long}}}]`)
		_, err := open(t, fast(server.URL), llm.Options{}).Chat(t.Context(), ask())
		checkError(t, "no plan", llm.KindTooLong, err)
	})
}

func TestWire39Statuses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		status int
		kind   llm.Kind // "" if the request is made again
	}{
		{401, llm.KindAuth},
		{403, llm.KindAuth},
		{402, llm.KindPayment},
		{404, llm.KindNotFound},
		{400, llm.KindRefused},
		{418, llm.KindRefused},
		{408, ""},
		{409, ""},
		{425, ""},
		{429, ""},
		{500, ""},
		{502, ""},
		{503, ""},
		{504, ""},
		{529, ""},
	} {
		t.Run(fmt.Sprint(tc.status), func(t *testing.T) {
			t.Parallel()
			script := &llmtest.Script{Steps: []llmtest.Step{{Respond: llmtest.Respond{Status: tc.status, Error: &llmtest.WireError{Message: "no"}}}}}
			if tc.kind == "" {
				script.Steps = append(script.Steps, llmtest.Step{Respond: llmtest.Respond{Text: "ok"}})
			}
			server := llmtest.Play(t, script)
			r, err := open(t, fast(server.URL), llm.Options{}).Chat(t.Context(), ask())
			checkError(t, "chat", tc.kind, err)
			if tc.kind == "" && (r == nil || r.Content != "ok" || r.Attempts != 2) {
				t.Errorf("answer %v", r)
			}
			if tc.kind != "" && tc.status < 405 && !strings.Contains(err.Error(), "; ") && tc.status != 400 {
				t.Errorf("%v does not say what to do", err)
			}
		})
	}
}

// A key may be refused with any status.
func TestWire39KeyRefusedWith400(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, `steps: [{respond: {status: 400, error: {message: "API key not valid. Please pass a valid API key.", code: INVALID_ARGUMENT}}}]`)
	_, err := open(t, fast(server.URL), llm.Options{}).Chat(t.Context(), ask())
	checkError(t, "400", llm.KindAuth, err)
}

func TestWire39RetryAfter(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, header, value string
		took                time.Duration
	}{
		{"nothing", "X", "x", time.Second},
		{"seconds", "Retry-After", "7", 7 * time.Second},
		{"fractions", "Retry-After", "2.5", 2500 * time.Millisecond},
		{"milliseconds", "retry-after-ms", "1500", 1500 * time.Millisecond},
		{"a date", "Retry-After", "Sat, 01 Jan 2000 00:00:09 GMT", 9 * time.Second}, // a bubble begins at midnight
		{"capped", "Retry-After", "3600", 20 * time.Second},
		{"nonsense", "Retry-After", "soon", time.Second},
		{"less than our own wait", "Retry-After", "0.01", time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			script := fmt.Sprintf(`
steps:
  - respond: {status: 429, headers: {%s: %q}, error: {message: slow down}}
  - respond: {text: ok}
`, tc.header, tc.value)
			inBubble(t, script, llm.Profile{Retry: llm.Retry{Base: seconds(1), Max: seconds(20)}}, func(t *testing.T, _ *llmtest.Server, client *llm.Client) {
				start := time.Now()
				if _, err := client.Chat(t.Context(), ask()); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); took != tc.took {
					t.Errorf("it waited %v, want %v", took, tc.took)
				}
			})
		})
	}
}

// A breaker keeps one profile from its endpoint, and lets one request find out
// when it is well again.
func TestWire40Breaker(t *testing.T) {
	t.Parallel()
	script := `
steps:
  - {name: bad, when: {model: bad}, times: 6, respond: {status: 429, error: {message: slow down}}}
  - {name: well again, when: {model: bad}, times: 2, respond: {text: ok, delay: 1s}}
  - {name: good, when: {model: good}, times: 2, respond: {text: ok}}
`
	p := llm.Profile{Model: "bad", Retry: llm.Retry{Attempts: 1}, Breaker: llm.Breaker{Failures: 5, Cooldown: seconds(30)}}
	inBubble(t, script, p, func(t *testing.T, server *llmtest.Server, client *llm.Client) {
		other := client.Profile()
		other.Name, other.Model = "narrator", "good"
		dialer := server.Client.Transport
		narrator, err := dial.Open(other, llm.Options{Transport: dialer})
		if err != nil {
			t.Fatal(err)
		}
		requests := func() int { return len(server.Requests()) }
		for range 5 {
			_, err := client.Chat(t.Context(), ask())
			checkError(t, "bad", llm.KindRate, err)
		}
		if s := client.Breaker(); s != llm.BreakerOpen {
			t.Fatalf("the breaker is %s", s)
		}
		_, err = client.Chat(t.Context(), ask())
		checkError(t, "open", llm.KindBreaker, err)
		if n := requests(); n != 5 {
			t.Errorf("%d requests, want 5", n)
		}
		if r, err := narrator.Chat(t.Context(), ask()); err != nil || r.Content != "ok" {
			t.Errorf("the other profile: %v, %v", r, err)
		}
		// The first one after the cooldown fails: open for twice as long.
		time.Sleep(30 * time.Second)
		if s := client.Breaker(); s != llm.BreakerHalfOpen {
			t.Errorf("the breaker is %s", s)
		}
		_, err = client.Chat(t.Context(), ask())
		checkError(t, "first probe", llm.KindRate, err)
		time.Sleep(59 * time.Second)
		_, err = client.Chat(t.Context(), ask())
		checkError(t, "still open", llm.KindBreaker, err)
		time.Sleep(time.Second)
		// While one request tries, others are kept away.
		var wg sync.WaitGroup
		wg.Go(func() {
			if _, err := client.Chat(t.Context(), ask()); err != nil {
				t.Errorf("second probe: %v", err)
			}
		})
		synctest.Wait()
		_, err = client.Chat(t.Context(), ask())
		checkError(t, "beside a probe", llm.KindBreaker, err)
		wg.Wait()
		if s := client.Breaker(); s != llm.BreakerClosed {
			t.Errorf("the breaker is %s", s)
		}
		if _, err := client.Chat(t.Context(), ask()); err != nil {
			t.Error(err)
		}
		if r, err := narrator.Chat(t.Context(), ask()); err != nil || r.Content != "ok" {
			t.Errorf("the other profile: %v, %v", r, err)
		}
		narrator.Close()
		dialer.(*http.Transport).CloseIdleConnections()
	})
}

// When the reader leaves, the server is told, and the breaker does not mind.
func TestWire41And42GivingUp(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, `
steps:
  - {name: stream, respond: {pace: 1ms, text: "`+strings.Repeat("word ", 2000)+`"}}
  - {name: silent, respond: {fault: silence, after: 1, text: x}}
  - {name: late, respond: {delay: 1h, text: x}}
`)
	p := fast(server.URL)
	p.Breaker = llm.Breaker{Failures: 1}
	client := open(t, p, llm.Options{})
	n := 0
	for e, err := range client.Stream(t.Context(), ask()) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == llm.EventText {
			n++
		}
		if n == 3 {
			break
		}
	}
	for i := range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for len(server.Requests()) < i+2 && ctx.Err() == nil {
				time.Sleep(time.Millisecond)
			}
			cancel()
		}()
		_, err := client.Chat(ctx, ask())
		checkError(t, "canceled", llm.KindCanceled, err)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v is not context.Canceled", err)
		}
		cancel()
	}
	if s := client.Breaker(); s != llm.BreakerClosed {
		t.Errorf("the breaker is %s", s)
	}
	// The server hears of it; how soon is up to the machine.
	for deadline := time.Now().Add(20 * time.Second); server.Canceled() < 2 && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
	if server.Canceled() < 2 {
		t.Errorf("the server saw %d of its answers given up", server.Canceled())
	}
}

// Two chats at once on one model do not mix.
func TestWire43TwoChats(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, `fallback: echo`)
	p := fast(server.URL)
	p.Concurrency = 2
	client := open(t, p, llm.Options{})
	var wg sync.WaitGroup
	for _, name := range []string{"Isolde", "Bram", "Maud"} {
		wg.Go(func() {
			for i := range 20 {
				said := fmt.Sprintf("%s says %d", name, i)
				r, err := client.Chat(t.Context(), llm.Request{Messages: []llm.Message{llm.User(said)}})
				if err != nil || r.Content != said {
					t.Errorf("%q: %v, %v", said, r, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestConcurrencyIsBounded(t *testing.T) {
	t.Parallel()
	inBubble(t, `steps: [{times: 6, respond: {delay: 10s, text: ok}}]`, llm.Profile{Concurrency: 2}, func(t *testing.T, _ *llmtest.Server, client *llm.Client) {
		start := time.Now()
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				if _, err := client.Chat(t.Context(), ask()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if took := time.Since(start); took != 30*time.Second {
			t.Errorf("six requests of 10 s, two at once, took %v", took)
		}
	})
}
