package gateway_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/internal/testenv"
)

// TestOpenAIClient runs the official client for Node against the program, in
// front of a scripted upstream, with a card in a picture.
func TestOpenAIClient(t *testing.T) {
	t.Parallel()
	node := clients(t)
	up := &scripted{gone: make(chan struct{})}
	server := httptest.NewServer(up)
	defer server.Close()
	address := startWeft(t, server.URL+"/v1")

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, "openai.mjs", address)
	cmd.Dir = filepath.Join("testdata", "clients")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the client failed: %v\n%s", err, stderr.String())
	}
	type failure = map[string]any
	want := map[string]any{
		"plain": map[string]any{
			"content": "You are Tovi.|The ferry bell is rung by Tovi.", "reasoning": "hm",
			"usage": map[string]any{"prompt_tokens": 1.0, "completion_tokens": 2.0, "total_tokens": 3.0, "odd": true},
		},
		"stream": map[string]any{"parts": []any{"You are Tovi.", "The ferry bell is rung by Tovi."}, "finish": "stop", "usage": 3.0},
		"tools":  map[string]any{"times": 3.0},
		"abort":  1.0,
		"models": []any{"plain", "tools"},
		"errors": map[string]any{
			"busy":      failure{"name": "RateLimitError", "status": 429.0, "type": "slow", "after": "7"},
			"broken":    failure{"name": "InternalServerError", "status": 502.0, "type": "upstream_error", "after": nil},
			"forbidden": failure{"name": "AuthenticationError", "status": 401.0, "type": "key", "after": nil},
		},
	}
	var got map[string]any
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("the client printed %q: %v", out, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("what the client saw (-want +got):\n%s", diff)
	}
	select {
	case <-up.gone:
	case <-time.After(20 * time.Second):
		t.Error("the upstream was not told that the client went")
	}
}

// clients finds Node and what the clients need. Where CI is set their absence
// is a failure.
func clients(t *testing.T) (node string) {
	t.Helper()
	missing := t.Skipf
	if os.Getenv("CI") != "" {
		missing = t.Fatalf
	}
	node, err := exec.LookPath("node")
	if err != nil {
		missing("node is not installed")
	}
	if _, err := os.Stat(filepath.Join("testdata", "clients", "node_modules", "openai")); err != nil {
		missing("the clients are not installed: run npm ci in gateway/testdata/clients")
	}
	return node
}

// startWeft builds the program and runs its proxy with a card; it returns the
// address for front ends.
func startWeft(t *testing.T, upstream string) string {
	t.Helper()
	dir := t.TempDir()
	weft := filepath.Join(dir, "weft.exe")
	run := func(name string, args ...string) {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = testenv.Root()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
	}
	run("go", "build", "-o", weft, "./cmd/weft")
	card := filepath.Join(dir, "tove.json")
	text := `{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"Tove","nickname":"Tovi","first_mes":"Mind the step.","character_book":{"extensions":{},
"entries":[{"keys":["bell"],"content":"The ferry bell is rung by {{char}}.","extensions":{},"enabled":true,"insertion_order":1,"use_regex":false}]}}}`
	if err := os.WriteFile(card, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	picture := filepath.Join(dir, "tove.png")
	run(weft, "convert", card, picture)

	cmd := exec.Command(weft, "proxy", picture, "--upstream", upstream, "--listen", "127.0.0.1:0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if at, ok := strings.CutPrefix(lines.Text(), "front end: "); ok {
			return at
		}
	}
	t.Fatal("the proxy did not start")
	return ""
}

// scripted is the upstream: the model of a request says what it does.
type scripted struct {
	gone chan struct{} // closed when the client of an endless answer went
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/v1/models" {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"plain","object":"model"},{"id":"tools","object":"model"}]}`)
		return
	}
	var in struct {
		Model    string
		Stream   bool
		Messages []struct{ Role, Content string }
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.Header.Get("Authorization") != "Bearer sk-test" {
		http.Error(w, "unexpected request", http.StatusTeapot)
		return
	}
	_, _ = io.Copy(io.Discard, r.Body)
	var system []string
	for _, m := range in.Messages {
		if m.Role == "system" {
			system = append(system, m.Content)
		}
	}
	chunk := func(body string) {
		fmt.Fprintf(w, "data: {\"id\":\"1\",\"object\":\"chat.completion.chunk\",%s}\n\n", body)
		w.(http.Flusher).Flush()
	}
	delta := func(d string) { chunk(`"choices":[{"index":0,"delta":` + d + `}]`) }
	const usage = `"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3,"odd":true}`
	if in.Stream {
		w.Header().Set("Content-Type", "text/event-stream")
	} else {
		w.Header().Set("Content-Type", "application/json")
	}
	switch in.Model {
	case "busy":
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"error":{"message":"slow down","type":"slow"}}`)
	case "forbidden":
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"error":{"message":"no such key","type":"key"}}`)
	case "broken":
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			conn.Close()
		}
	case "endless":
		delta(`{"content":"…"}`)
		<-r.Context().Done()
		close(s.gone)
	case "tools":
		delta(`{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"ring","arguments":"{\"tim"}}]}`)
		delta(`{"tool_calls":[{"index":0,"function":{"arguments":"es\":3}"}}]}`)
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	default:
		if !in.Stream {
			text, _ := json.Marshal(strings.Join(system, "|"))
			fmt.Fprintf(w, `{"id":"1","object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%s,"reasoning_content":"hm"}}],%s}`, text, usage)
			return
		}
		_, _ = io.WriteString(w, ": still here\n\n")
		for _, s := range system {
			text, _ := json.Marshal(s)
			delta(`{"content":` + string(text) + `}`)
		}
		chunk(`"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]`)
		chunk(`"choices":[],` + usage)
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}
}
