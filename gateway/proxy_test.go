package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/gateway"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/match"
	"github.com/weft-memory/weft/weaver/stdlib"
)

func TestMain(m *testing.M) {
	match.StopClock()
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("github.com/dlclark/regexp2/v2.runClock"))
}

func testIndex(t testing.TB) *engine.Index {
	t.Helper()
	deep := lore.NewEntry("bell", "The bell has a crack.")
	deep.Keys, deep.Slot = lore.LiteralKeys("bell"), lore.AtDepth(1)
	mill := lore.NewEntry("mill", "The mill grinds \"bone\" & <rye>.")
	mill.Keys = lore.LiteralKeys("mill")
	end := lore.NewEntry("end", "Stay in the present tense.")
	end.Constant, end.Slot = true, lore.SlotAftermath
	s, list := engine.Build(&lore.Book{ID: "town", Policy: lore.PolicyWeaver(), Entries: []*lore.Entry{deep, mill, end}}, engine.BuildOptions{})
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	return engine.NewIndex(s)
}

// newProxy starts a proxy in front of an upstream. Both listen on real sockets.
func newProxy(t testing.TB, upstream http.Handler, change func(*gateway.Options)) (address string) {
	t.Helper()
	up := httptest.NewServer(upstream)
	t.Cleanup(up.Close)
	u, err := url.Parse(up.URL + "/v1")
	if err != nil {
		t.Fatal(err)
	}
	eng, err := engine.New(engine.Options{Registry: stdlib.NewRegistry()})
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	opts := gateway.Options{Upstream: u, Engine: eng, Index: testIndex(t), World: "test", Transport: transport}
	if change != nil {
		change(&opts)
	}
	p, err := gateway.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(&gateway.Guard{Next: p})
	t.Cleanup(server.Close)
	return server.URL
}

// echo answers with the request that it got.
var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("X-Path", r.URL.RequestURI())
	w.Header().Set("X-Auth", r.Header.Get("Authorization"))
	_, _ = w.Write(body)
})

func post(t testing.TB, address, body string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer key")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DisableCompression: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(got)
}

func TestProxyInsertsLore(t *testing.T) {
	t.Parallel()
	address := newProxy(t, echo, nil)
	tests := []struct{ name, body, want string }{
		{
			"by slot and depth, all other bytes stay",
			`{"model":"m","x_unknown":{"a":1.50,"b":[1e2]},"messages":[{"role":"system","content":"S"},{"role":"user","content":"To the mill, says the bell."},{"role":"assistant","content":"\u0041b\/c","name":"Tom"},{"role":"user","content":"On."}],"stream":false}`,
			`{"model":"m","x_unknown":{"a":1.50,"b":[1e2]},"messages":[{"role":"system","content":"S"},{"role":"system","content":"The mill grinds \"bone\" & <rye>."},{"role":"user","content":"To the mill, says the bell."},{"role":"assistant","content":"\u0041b\/c","name":"Tom"},{"role":"system","content":"The bell has a crack."},{"role":"user","content":"On."},{"role":"system","content":"Stay in the present tense."}],"stream":false}`,
		},
		{
			"content in parts",
			`{"messages":[{"role":"user","content":[{"type":"text","text":"the mill"},{"type":"image_url","image_url":{"url":"data:x"}}]}]}`,
			`{"messages":[{"role":"system","content":"The mill grinds \"bone\" & <rye>."},{"role":"user","content":[{"type":"text","text":"the mill"},{"type":"image_url","image_url":{"url":"data:x"}}]},{"role":"system","content":"Stay in the present tense."}]}`,
		},
		{
			"the beginning of a reply stays last",
			`{"messages":[{"role":"user","content":"hm"},{"role":"assistant","content":"Well"}]}`,
			`{"messages":[{"role":"user","content":"hm"},{"role":"system","content":"Stay in the present tense."},{"role":"assistant","content":"Well"}]}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			resp, got := post(t, address+"/v1/chat/completions?a=1", tt.body)
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if got := resp.Header.Get("X-Path"); got != "/v1/chat/completions?a=1" {
				t.Errorf("the upstream saw %q", got)
			}
			if got := resp.Header.Get("X-Auth"); got != "Bearer key" {
				t.Errorf("the key became %q", got)
			}
		})
	}
}

// TestProxyPassesThrough: what is no chat request, or none that can be read,
// goes on byte for byte.
func TestProxyPassesThrough(t *testing.T) {
	t.Parallel()
	address := newProxy(t, echo, nil)
	deep := strings.Repeat("[", 100_000)
	for _, tt := range []struct{ path, upstream, body string }{
		{"/v1/embeddings", "/v1/embeddings", `{"input":"the mill"}`},
		{"/v1/completions", "/v1/completions", `{"prompt":"the mill"}`},
		{"/models", "/v1/models", ""},
		{"/v1/chat/completions", "/v1/chat/completions", `no json`},
		{"/v1/chat/completions", "/v1/chat/completions", `{"messages":"the mill"}`},
		{"/v1/chat/completions", "/v1/chat/completions", `{"messages":[{"role":"user","content":"the mill"`},
		{"/v1/chat/completions", "/v1/chat/completions", `{"messages":` + deep},
		{"/v1/chat/completions", "/v1/chat/completions", ""},
		{"//v1/chat/completions", "/v1/chat/completions", "[]"},
	} {
		resp, got := post(t, address+tt.path, tt.body)
		if got != tt.body {
			t.Errorf("%s: %q became %q", tt.path, clip(tt.body), clip(got))
		}
		if got := resp.Header.Get("X-Path"); got != tt.upstream {
			t.Errorf("%s went to %q, want %q", tt.path, got, tt.upstream)
		}
	}
}

func clip(s string) string { return s[:min(len(s), 80)] }

func TestProxyKeepsStatusAndErrors(t *testing.T) {
	t.Parallel()
	address := newProxy(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
		_, _ = io.WriteString(w, `{"error":{"message":"slow down","odd":1}}`)
	}), nil)
	resp, got := post(t, address+"/v1/chat/completions", `{"messages":[]}`)
	if resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") != "7" || got != `{"error":{"message":"slow down","odd":1}}` {
		t.Errorf("got %d %v %s", resp.StatusCode, resp.Header, got)
	}
}

// TestProxyStreamsAtOnce: each chunk arrives before the upstream sends the next
// one.
func TestProxyStreamsAtOnce(t *testing.T) {
	t.Parallel()
	next := make(chan struct{})
	address := newProxy(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range 3 {
			fmt.Fprintf(w, "data: {\"n\":%d}\n\n", i)
			w.(http.Flusher).Flush()
			select {
			case <-next:
			case <-r.Context().Done():
				return
			}
		}
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}), nil)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/v1/chat/completions", strings.NewReader(`{"stream":true,"messages":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for i := range 3 {
		if !lines.Scan() || lines.Text() != fmt.Sprintf(`data: {"n":%d}`, i) {
			t.Fatalf("chunk %d is %q (%v)", i, lines.Text(), lines.Err())
		}
		lines.Scan() // the blank line
		next <- struct{}{}
	}
	if !lines.Scan() || lines.Text() != "data: [DONE]" {
		t.Fatalf("the end is %q", lines.Text())
	}
}

// TestProxyCancelsUpstream: when the client goes, the upstream hears of it.
func TestProxyCancelsUpstream(t *testing.T) {
	t.Parallel()
	started, gone := make(chan struct{}), make(chan struct{})
	address := newProxy(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		close(started)
		<-r.Context().Done()
		close(gone)
	}), nil)
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/v1/chat/completions", strings.NewReader(`{"messages":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	<-started
	cancel()
	resp.Body.Close()
	select {
	case <-gone:
	case <-time.After(20 * time.Second):
		t.Fatal("the upstream was not told")
	}
}

func TestProxyWithoutUpstream(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := l.Addr().String()
	l.Close()
	address := newProxy(t, echo, func(o *gateway.Options) { o.Upstream = &url.URL{Scheme: "http", Host: dead, Path: "/secret-path/v1"} })
	resp, got := post(t, address+"/v1/chat/completions", `{"messages":[]}`)
	var e struct {
		Error struct{ Message, Type string }
	}
	if err := json.Unmarshal([]byte(got), &e); err != nil || resp.StatusCode != http.StatusBadGateway || e.Error.Type != "upstream_error" || !strings.Contains(e.Error.Message, dead) {
		t.Errorf("got %d %s (%v)", resp.StatusCode, got, err)
	}
}

func TestProxyBoundsBodies(t *testing.T) {
	t.Parallel()
	address := newProxy(t, echo, func(o *gateway.Options) { o.MaxBody = 100 })
	resp, got := post(t, address+"/v1/chat/completions", `{"messages":[{"role":"user","content":"`+strings.Repeat("x", 100)+`"}]}`)
	if resp.StatusCode != http.StatusRequestEntityTooLarge || !strings.Contains(got, "larger than 100 bytes") {
		t.Errorf("got %d %s", resp.StatusCode, got)
	}
}

// TestProxyGoesOnWithoutLore: a hook that fails, and one that hangs, cost the
// request its lore and nothing else.
func TestProxyGoesOnWithoutLore(t *testing.T) {
	t.Parallel()
	for name, hook := range map[string]func(ctx context.Context) error{
		"fails":  func(context.Context) error { return fmt.Errorf("the hook is broken") },
		"hangs":  func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"panics": func(context.Context) error { panic("oh") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reports := make(chan gateway.Report, 1)
			address := newProxy(t, echo, func(o *gateway.Options) {
				eng, err := engine.New(engine.Options{Hooks: []engine.Hook{engine.NewHook("bad", engine.HookFuncs{
					PreActivation: func(ctx context.Context, _ *engine.PreActivation) error { return hook(ctx) },
				})}})
				if err != nil {
					t.Fatal(err)
				}
				o.Engine, o.Deadline = eng, 50*time.Millisecond
				o.Report = func(r gateway.Report) { reports <- r }
			})
			body := `{"messages":[{"role":"user","content":"the mill"}]}`
			if _, got := post(t, address+"/v1/chat/completions", body); got != body {
				t.Errorf("the request became %s", got)
			}
			if r := <-reports; r.Err == nil {
				t.Error("the report has no error")
			}
		})
	}
}

func TestGuard(t *testing.T) {
	t.Parallel()
	ok := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	g := &gateway.Guard{Next: ok, Hosts: []string{"weft.lan"}, Origins: []string{"https://front.example"}}
	tests := []struct {
		host, origin, method string
		want                 int
		say                  string
	}{
		{"localhost:8787", "", "POST", 200, ""},
		{"127.0.0.1:8787", "", "POST", 200, ""},
		{"127.8.0.1", "", "POST", 200, ""},
		{"[::1]:8787", "", "POST", 200, ""},
		{"weft.lan:1", "", "POST", 200, ""},
		{"evil.example", "", "POST", 403, "--allow-host evil.example"},
		{"192.168.1.4:8787", "", "POST", 403, "--allow-host 192.168.1.4"},
		{"", "", "POST", 403, "--allow-host"},
		{"localhost:8787", "http://localhost:8787", "POST", 200, ""},
		{"localhost:8787", "https://front.example", "POST", 200, ""},
		{"localhost:8787", "https://front.example", "OPTIONS", 204, ""},
		{"localhost:8787", "https://evil.example", "POST", 403, "--allow-origin https://evil.example"},
		{"localhost:8787", "https://evil.example", "OPTIONS", 403, ""},
		{"localhost:8787", "null", "POST", 403, ""},
	}
	for _, tt := range tests {
		r := httptest.NewRequest(tt.method, "http://x/v1/models", http.NoBody)
		r.Host = tt.host
		if tt.origin != "" {
			r.Header.Set("Origin", tt.origin)
		}
		if tt.method == "OPTIONS" {
			r.Header.Set("Access-Control-Request-Method", "POST")
			r.Header.Set("Access-Control-Request-Headers", "authorization")
		}
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		if w.Code != tt.want || !strings.Contains(w.Body.String(), tt.say) {
			t.Errorf("host %q, origin %q, %s: got %d %s, want %d", tt.host, tt.origin, tt.method, w.Code, w.Body, tt.want)
		}
		if tt.want != 403 && tt.origin == "https://front.example" && w.Header().Get("Access-Control-Allow-Origin") != tt.origin {
			t.Errorf("%s: the page of %s is not told that it may", tt.method, tt.origin)
		}
	}
}

func TestNewRefusesBadOptions(t *testing.T) {
	t.Parallel()
	for _, o := range []gateway.Options{{}, {Upstream: &url.URL{Scheme: "ftp", Host: "x"}}, {Upstream: &url.URL{Scheme: "http", Host: "x"}}} {
		if _, err := gateway.New(o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}

// FuzzChatRequest: whatever comes, the upstream gets a request whose messages
// are the client's with others among them, or the very bytes of the client.
func FuzzChatRequest(f *testing.F) {
	f.Add([]byte(`{"messages":[{"role":"user","content":"the mill"}]}`))
	f.Add([]byte(`{"messages":[{"role":"assistant"},3,null,{"content":[{"text":1}]}],"messages":[]}`))
	f.Add([]byte("\xef\xbb\xbf{\"messages\":[{\"role\":\"user\",\"content\":\"\\ud800 bell\"}]}"))
	f.Add([]byte(`{"messages":[`))
	var seen []byte
	up := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { seen, _ = io.ReadAll(r.Body) })
	address := newProxy(f, up, nil)
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	f.Cleanup(client.CloseIdleConnections)
	f.Fuzz(func(t *testing.T, body []byte) {
		resp, err := client.Post(address+"/v1/chat/completions", "application/json", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if bytes.Equal(seen, body) {
			return
		}
		if !bytes.Contains(seen, []byte(`Stay in the present tense.`)) {
			t.Fatalf("changed without lore: %q to %q", body, seen)
		}
		var in, out struct {
			Messages []json.RawMessage `json:"messages"`
		}
		if json.Unmarshal(body, &in) != nil || json.Unmarshal(seen, &out) != nil {
			return // more tolerant than the standard library
		}
		n := 0
		for _, m := range out.Messages {
			if n < len(in.Messages) && bytes.Equal(m, in.Messages[n]) {
				n++
			}
		}
		if n != len(in.Messages) {
			t.Fatalf("a message of the client is lost or changed: %q to %q", body, seen)
		}
	})
}
