package discover_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/llm/discover"
	"github.com/weft-memory/weft/llm/llmtest"
)

// fake serves fixed answers on a free port.
func fake(t *testing.T, server string, paths map[string]string) int {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if server != "" {
			w.Header().Set("Server", server)
		}
		body, ok := paths[r.URL.Path]
		switch {
		case !ok:
			http.Error(w, `{"detail":"Not Found"}`, http.StatusNotFound)
		case body == "401":
			http.Error(w, `{"error":"Unauthorized"}`, http.StatusUnauthorized)
		default:
			_, _ = w.Write([]byte(body))
		}
	}))
	t.Cleanup(s.Close)
	return port(t, s.URL)
}

func port(t *testing.T, address string) int {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(u.Port())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestLocal(t *testing.T) {
	t.Parallel()
	ports := []int{
		fake(t, "", map[string]string{
			"/": "Ollama is running", "/api/version": `{"version":"0.12.3"}`, "/v1/models": `{"object":"list","data":[{"id":"qwen3:8b","owned_by":"library"}]}`,
			"/api/tags": `{"models":[{"name":"qwen3:8b","details":{"family":"qwen3"}},{"name":"nomic-embed-text","details":{"family":"nomic-bert"}}]}`,
		}),
		fake(t, "llama.cpp", map[string]string{
			"/v1/models": `{"object":"list","data":[{"id":"gemma.gguf","owned_by":"llamacpp","meta":{"n_ctx_train":131072}}]}`,
			"/props":     `{"default_generation_settings":{"n_ctx":16384},"build_info":"b6800"}`, "/health": `{"status":"ok"}`,
		}),
		fake(t, "", map[string]string{
			"/v1/models":     `{"data":[{"id":"mistral-small"}],"object":"list"}`,
			"/api/v0/models": `{"object":"list","data":[{"id":"mistral-small","type":"llm","publisher":"someone","compatibility_type":"gguf","max_context_length":32768},{"id":"embed","type":"embeddings","publisher":"someone"}]}`,
		}),
		fake(t, "", map[string]string{
			"/v1/models": `{"object":"list","data":[{"id":"koboldcpp/tale","owned_by":"koboldcpp"}]}`, "/api/extra/version": `{"result":"KoboldCpp","version":"1.99"}`,
			"/api/extra/true_max_context_length": `{"value":8192}`,
		}),
		fake(t, "uvicorn", map[string]string{"/v1/models": `{"object":"list","data":[{"id":"org/large","owned_by":"vllm","max_model_len":65536}]}`, "/version": `{"version":"0.11.2"}`}),
		fake(t, "uvicorn", map[string]string{"/v1/models": "401", "/health": `{"status":"healthy","issues":[]}`}),
		fake(t, "", map[string]string{"/v1/models": `{"data":[{"id":"anything","context_length":4096}]}`}),
		fake(t, "", map[string]string{"/": "<html>a web page</html>"}),
		port(t, llmtest.Refused(t)),
	}
	got := discover.Local(t.Context(), discover.Options{Ports: ports, Timeout: 30 * time.Second})
	endpoint := func(i int) string { return "http://127.0.0.1:" + strconv.Itoa(ports[i]) + "/v1" }
	want := []discover.Server{
		{Name: "Ollama", Version: "0.12.3", Endpoint: endpoint(0), Models: []llm.ModelInfo{{ID: "qwen3:8b"}, {ID: "nomic-embed-text", Kind: "embedding"}}},
		{Name: "llama.cpp", Version: "b6800", Endpoint: endpoint(1), Models: []llm.ModelInfo{{ID: "gemma.gguf", ContextSize: 16384}}},
		{Name: "LM Studio", Endpoint: endpoint(2), Models: []llm.ModelInfo{{ID: "mistral-small", ContextSize: 32768, Kind: "chat"}, {ID: "embed", Kind: "embedding"}}},
		{Name: "KoboldCpp", Version: "1.99", Endpoint: endpoint(3), Models: []llm.ModelInfo{{ID: "koboldcpp/tale", ContextSize: 8192}}},
		{Name: "vLLM", Version: "0.11.2", Endpoint: endpoint(4), Models: []llm.ModelInfo{{ID: "org/large", ContextSize: 65536}}},
		{Name: "TabbyAPI", Endpoint: endpoint(5), NeedsKey: true},
		{Name: "OpenAI-compatible server", Endpoint: endpoint(6), Models: []llm.ModelInfo{{ID: "anything", ContextSize: 4096}}},
	}
	for i := range want {
		want[i].Protocol = "openai"
		if i < len(got) {
			if (got[i].Note == "") != (want[i].Name == discover.Compatible) {
				t.Errorf("%s: note %q", got[i].Name, got[i].Note)
			}
			want[i].Note = got[i].Note
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
	p := got[1].Profile(llm.Narrator, "gemma.gguf")
	if err := p.Validate(); err != nil || p.ContextSize != 16384 {
		t.Errorf("profile %+v, %v", p, err)
	}
}

// A server that says nothing costs the timeout, once.
func TestLocalHasLittlePatience(t *testing.T) {
	t.Parallel()
	stop := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-stop:
		}
	}))
	t.Cleanup(func() { close(stop); s.Close() })
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if got := discover.Local(ctx, discover.Options{Ports: []int{port(t, s.URL)}, Timeout: 50 * time.Millisecond}); len(got) != 0 {
		t.Errorf("found %v", got)
	}
	if ctx.Err() != nil {
		t.Error("it waited for ever")
	}
}
