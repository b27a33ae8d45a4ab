package llm_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/llm/llmtest"
)

func TestFaultyNetwork(t *testing.T) {
	t.Parallel()
	page := "<!doctype html><html><head><title>Welcome to the proxy</title></head></html>"
	long := strings.Repeat("word ", 200)
	for _, tc := range []struct {
		name string
		send llmtest.Respond
		kind llm.Kind
		says string
	}{
		{"reset before the headers", llmtest.Respond{Fault: "reset early"}, llm.KindNetwork, ""},
		{"reset in the body", llmtest.Respond{Fault: "reset", After: 3000, Text: long}, llm.KindNetwork, ""},
		{"closed in the body", llmtest.Respond{Fault: "drop", After: 3000, Text: long}, llm.KindNetwork, "ended before the answer"},
		{"wrong length", llmtest.Respond{Fault: "wrong length", Stream: ptr(false), Body: `{"choices":[{"message":{"content":"x"}`}, llm.KindNetwork, ""},
		{"a page", llmtest.Respond{Body: page}, llm.KindAnswer, "Welcome to the proxy"},
		{"a page with 502", llmtest.Respond{Status: 502, Body: page}, llm.KindServer, "Welcome to the proxy"},
		{"nothing", llmtest.Respond{Status: 204}, llm.KindAnswer, "empty"},
		{"an empty body", llmtest.Respond{Fault: "end", Text: "x"}, llm.KindAnswer, "empty"},
		{"plain words", llmtest.Respond{Body: "OK"}, llm.KindAnswer, ""},
		{"broken JSON", llmtest.Respond{Body: `{"choices": oops}`}, llm.KindAnswer, "not JSON"},
		{"redirect to another host", llmtest.Respond{Status: 307, Headers: map[string]string{"Location": "http://192.0.2.1/v1/chat/completions"}}, llm.KindUnsafe, "not followed"},
		{"redirect that would lose the request", llmtest.Respond{Status: 302, Headers: map[string]string{"Location": "/elsewhere"}}, llm.KindUnsafe, "redirect"},
		{"far too large", llmtest.Respond{Fault: "endless", After: 5, Text: "x"}, llm.KindAnswer, "too large"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			server := llmtest.Play(t, &llmtest.Script{Steps: []llmtest.Step{{Times: -1, Respond: tc.send}}})
			p := fast(server.URL)
			p.Retry.Attempts = 1
			_, err := open(t, p, llm.Options{}).Chat(t.Context(), ask())
			checkError(t, "chat", tc.kind, err)
			if err != nil && !strings.Contains(err.Error(), tc.says) {
				t.Errorf("error %v, want %q in it", err, tc.says)
			}
		})
	}
	t.Run("refused", func(t *testing.T) {
		t.Parallel()
		_, err := open(t, fast(llmtest.Refused(t)), llm.Options{}).Chat(t.Context(), ask())
		checkError(t, "chat", llm.KindNetwork, err)
		if !strings.Contains(err.Error(), "is the model server running") || !strings.Contains(err.Error(), "2 attempts") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("an unknown name", func(t *testing.T) {
		t.Parallel()
		p := fast("http://no-such-host.invalid")
		p.Retry.Attempts = 1
		_, err := open(t, p, llm.Options{}).Chat(t.Context(), ask())
		checkError(t, "chat", llm.KindNetwork, err)
	})
	t.Run("compressed", func(t *testing.T) {
		t.Parallel()
		server := llmtest.New(t, `steps: [{times: 2, respond: {gzip: true, text: The miller.}}]`)
		for _, asked := range []bool{true, false} {
			r, err := open(t, fast(server.URL), llm.Options{Transport: &http.Transport{DisableCompression: !asked}}).Chat(t.Context(), ask())
			if err != nil || r.Content != "The miller." {
				t.Errorf("%v, %v", r, err)
			}
		}
	})
	t.Run("redirect within the host", func(t *testing.T) {
		t.Parallel()
		server := llmtest.New(t, `
steps:
  - {when: {path: /v1/chat/completions}, respond: {status: 307, headers: {Location: /v2/chat/completions}}}
  - {when: {path: /v2/chat/completions}, respond: {text: ok}}
`)
		r, err := open(t, fast(server.URL), llm.Options{}).Chat(t.Context(), ask())
		if err != nil || r.Content != "ok" {
			t.Errorf("%v, %v", r, err)
		}
	})
	t.Run("HTTP/2", func(t *testing.T) {
		t.Parallel()
		script, err := llmtest.ParseScript(`steps: [{respond: {text: The miller.}}, {respond: {fault: reset, after: 300, text: "` + long + `"}}]`)
		if err != nil {
			t.Fatal(err)
		}
		handler, err := llmtest.Handler(script, func(p string) { t.Error(p) })
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewUnstartedServer(handler)
		server.EnableHTTP2 = true
		server.StartTLS()
		t.Cleanup(server.Close)
		p := fast(server.URL)
		p.Retry.Attempts = 1
		client := open(t, p, llm.Options{Transport: server.Client().Transport})
		r, err := client.Chat(t.Context(), ask())
		if err != nil || r.Content != "The miller." {
			t.Errorf("%v, %v", r, err)
		}
		_, err = client.Chat(t.Context(), ask())
		checkError(t, "a stream that is reset", llm.KindNetwork, err)
	})
}

// A stream of which something was delivered is not begun anew.
func TestStreamIsNotRepeated(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, `steps: [{respond: {fault: drop, after: 700, text: one two three four five six}}]`)
	client := open(t, fast(server.URL), llm.Options{})
	var text strings.Builder
	var last error
	for e, err := range client.Stream(t.Context(), ask()) {
		text.WriteString(e.Text)
		last = err
	}
	checkError(t, "stream", llm.KindNetwork, last)
	var e *llm.Error
	if text.String() == "" || !errors.As(last, &e) || e.Partial == nil || e.Partial.Content != text.String() {
		t.Errorf("delivered %q, error %v", text.String(), last)
	}
}

// Nothing was delivered yet, so it is.
func TestStreamIsRepeatedBeforeItBegins(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, `steps: [{respond: {status: 503, error: {message: busy}}}, {respond: {text: ok}}]`)
	for e, err := range open(t, fast(server.URL), llm.Options{}).Stream(t.Context(), ask()) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == llm.EventFinish && e.Response.Content != "ok" {
			t.Errorf("answer %v", e.Response)
		}
	}
}
