package llm_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/llm/dial"
	"github.com/weft-memory/weft/llm/llmtest"
)

func TestParseProfiles(t *testing.T) {
	t.Parallel()
	list, err := llm.ParseProfiles([]byte(`
narrator: {endpoint: "http://127.0.0.1:5001/v1", model: tale}
sidecar:
  endpoint: https://api.example.com/v1
  model: small
  key: {env: SIDECAR_KEY}
  timeouts: {total: 20s, idle: 5s}
  retry: {attempts: 2, max: 3s}
  prices: {currency: USD, input: 0.15, output: 0.6, cached: 0.075}
  extra: {provider: {sort: price}}
historian: {like: sidecar, model: large, timeouts: {total: 5m}}
elsewhere: {like: sidecar, endpoint: "https://other.example.com/v1"}
`))
	if err != nil {
		t.Fatal(err)
	}
	h := list["historian"]
	if h.Name != "historian" || h.Model != "large" || h.Key.Env != "SIDECAR_KEY" || time.Duration(h.Timeouts.Total) != 5*time.Minute || time.Duration(h.Timeouts.Idle) != 5*time.Second || h.Retry.Attempts != 2 {
		t.Errorf("historian %+v", h)
	}
	if k := list["elsewhere"].Key; k != (llm.KeySource{}) {
		t.Errorf("a key went to another endpoint: %+v", k)
	}
	// It comes back from JSON as it was.
	raw, err := json.Marshal(list["sidecar"])
	if err != nil {
		t.Fatal(err)
	}
	var again llm.Profile
	if err := json.Unmarshal(raw, &again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(list["sidecar"], again); diff != "" {
		t.Errorf("(-profile +from JSON)\n%s", diff)
	}
	delete(list, "historian")
	if p, ok := list.For(llm.Historian); !ok || p.Model != "small" || p.Name != "historian" {
		t.Errorf("without a historian of its own: %+v", p)
	}
	if _, ok := list.For(llm.Embedder); ok {
		t.Error("an embedder that nobody configured")
	}
}

func TestParseProfilesRefuses(t *testing.T) {
	t.Parallel()
	for in, says := range map[string]string{
		`a: {endpoint: ""}`:                                          "endpoint: is missing",
		`a: {endpoint: "localhost:80"}`:                              "must be an address",
		`a: {endpoint: "https://user:pass@h/v1"}`:                    "no user, no password",
		`a: {endpoint: "https://h/v1?key=abc"}`:                      "no query",
		`a: {endpoint: "https://h/v1", keys: x}`:                     "keys",
		`a: {endpoint: "https://h/v1", key: sk-123}`:                 "line 1",
		`a: {endpoint: "https://h/v1", key: {env: A, file: b}}`:      "not both",
		`a: {endpoint: "https://h/v1", headers: {authorization: x}}`: "holds a key",
		`a: {endpoint: "https://h/v1", timeouts: {idle: fast}}`:      "no time such as",
		`a: {like: b}`: `no profile "b"`,
		"a: {like: b, endpoint: 'https://h/v1'}\nb: {like: a, endpoint: 'https://h/v1'}": "circle",
		`- 1`: "cannot be read",
	} {
		_, err := llm.ParseProfiles([]byte(in))
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want %q in it", in, err, says)
		}
		if err != nil && (strings.Contains(err.Error(), "pass@") || strings.Contains(err.Error(), "abc")) {
			t.Errorf("a secret is in %v", err)
		}
	}
	_, err := dial.Open(llm.Profile{Endpoint: "http://h/v1", Protocol: "antropic"}, llm.Options{})
	if err == nil || !strings.Contains(err.Error(), "did you mean anthropic?") {
		t.Errorf("error %v", err)
	}
}

func TestCost(t *testing.T) {
	t.Parallel()
	cached := 0.3
	p := llm.Prices{Input: 3, Output: 15, Cached: &cached}
	if got := p.Cost(llm.Usage{Input: 1_000_000, Output: 100_000, Cached: 500_000}); fmt.Sprintf("%.4f", got) != "3.1500" {
		t.Errorf("cost %v, want 3.15", got)
	}
}

func TestKeySource(t *testing.T) {
	const key = "sk-test-0123456789"
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Setenv("WEFT_TEST_KEY", key)
	t.Setenv("WEFT_TEST_EMPTY", " ")
	t.Setenv("WEFT_TEST_TWO", key+"\nX-Evil: 1")
	for _, src := range []llm.KeySource{{Env: "WEFT_TEST_KEY"}, {File: write("good", key+"\n", 0o600)}, {File: write("read", key, 0o400)}} {
		if s, err := src.Load(); err != nil || s.Reveal() != key {
			t.Errorf("%+v: %v", src, err)
		}
	}
	bad := map[string]llm.KeySource{
		"is not set": {Env: "WEFT_TEST_NONE"}, "is not set ": {Env: "WEFT_TEST_EMPTY"}, "more than a key": {Env: "WEFT_TEST_TWO"},
		"cannot be read": {File: filepath.Join(dir, "none")}, "is empty": {File: write("empty", "\n", 0o600)}, "is no file": {File: dir},
		"too large": {File: write("large", strings.Repeat("x", 20<<10), 0o600)},
	}
	if runtime.GOOS != "windows" {
		bad["chmod 600"] = llm.KeySource{File: write("open", key, 0o644)}
		bad["chmod 600 "] = llm.KeySource{File: write("group", key, 0o640)}
	}
	for says, src := range bad {
		_, err := src.Load()
		if err == nil || !strings.Contains(err.Error(), strings.TrimSpace(says)) {
			t.Errorf("%+v: error %v, want %q in it", src, err, says)
		}
		if err != nil && strings.Contains(err.Error(), key) {
			t.Errorf("the key is in %v", err)
		}
	}
}

func TestSecretsStaySecret(t *testing.T) {
	const key = "sk-live-abcdef0123456789"
	t.Setenv("WEFT_TEST_KEY", key)
	secret := llm.NewSecret(key)
	var log bytes.Buffer
	logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	logger.Info("x", "key", secret, "all", struct{ K llm.Secret }{secret})
	raw, err := json.Marshal(map[string]any{"k": secret, "p": &secret})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{fmt.Sprint(secret), fmt.Sprintf("%v %+v %#v %s %q %x %d", secret, secret, secret, secret, secret, secret, secret), fmt.Sprintf("%+v", struct{ K *llm.Secret }{&secret}), string(raw), log.String()} {
		if strings.Contains(s, "abcdef") || strings.Contains(s, fmt.Sprintf("%x", key)) {
			t.Errorf("the key is in %s", s)
		}
	}
	// A server that repeats it, whole and in part, in every way of failing.
	server := llmtest.New(t, `
key: `+key+`
steps:
  - {respond: {status: 400, error: {message: "bad request with `+key+`"}}}
  - {respond: {status: 401, error: {message: "Incorrect API key provided: sk-live-abc*****6789. You can find yours at the site."}}}
  - {respond: {status: 502, body: "<html><title>`+key+`</title></html>"}}
  - {respond: {chunks: [{data: '{"error":{"message":"Bearer `+key+` failed"}}'}]}}
  - {respond: {text: ok}}
`)
	p := fast(server.URL)
	p.Key.Env = "WEFT_TEST_KEY"
	p.Retry.Attempts = 1
	store := &llm.MemoryStore{}
	client := open(t, p, llm.Options{Logger: logger, Capabilities: store, Tap: func(e llm.Exchange) { fmt.Fprintf(&log, "%+v\n", e) }, Observe: func(a llm.Attempt) { fmt.Fprintf(&log, "%+v\n", a) }})
	for range 4 {
		_, err := client.Chat(t.Context(), ask())
		if err == nil {
			t.Fatal("no error")
		}
		for _, s := range []string{err.Error(), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err)} {
			if strings.Contains(s, key) || strings.Contains(s, "abc**") || strings.Contains(s, "abcdef") {
				t.Errorf("the key is in %s", s)
			}
		}
	}
	if _, err := client.Chat(t.Context(), ask()); err != nil {
		t.Fatal(err)
	}
	shown, err := json.Marshal([]any{client.Profile(), client.Capabilities(), store.All()})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "Who owns the mill?") || !strings.Contains(log.String(), "bad request with [hidden]") {
		t.Errorf("the tap did not get the exchange: %s", &log)
	}
	if s := log.String() + string(shown) + fmt.Sprintf("%+v", client.Profile()); strings.Contains(s, "abcdef") {
		t.Errorf("the key is in %s", s)
	}
}

func TestKeysDoNotTravelReadable(t *testing.T) {
	t.Setenv("WEFT_TEST_KEY", "sk-test-0123456789")
	key := llm.KeySource{Env: "WEFT_TEST_KEY"}
	for endpoint, ok := range map[string]bool{
		"https://api.example.com/v1": true, "http://127.0.0.1:1/v1": true, "http://box.lan/v1": true, "http://192.168.1.4/v1": true,
		"http://api.example.com/v1": false, "http://93.184.216.34/v1": false,
	} {
		_, err := dial.Open(llm.Profile{Endpoint: endpoint, Key: key}, llm.Options{})
		if (err == nil) != ok {
			t.Errorf("%s: %v", endpoint, err)
		}
	}
}

func TestGuard(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		endpoint string
		private  bool
		allowed  []string
		refused  []string
	}{
		{"https://api.example.com/v1", false, []string{"93.184.216.34", "2606:2800::1"}, []string{"127.0.0.1", "::1", "10.0.0.1", "192.168.1.1", "172.16.0.1", "100.64.0.1", "fd00::1", "0.0.0.0", "::ffff:127.0.0.1", "64:ff9b::7f00:1"}},
		{"http://localhost:5001/v1", false, []string{"127.0.0.1", "::1"}, nil},
		{"http://192.168.1.9:5001/v1", false, []string{"192.168.1.9"}, nil},
		{"http://[::1]:5001/v1", false, []string{"::1"}, nil},
		{"http://ollama:11434/v1", false, []string{"172.18.0.2"}, nil},
		{"http://box.local/v1", false, []string{"192.168.1.9"}, nil},
		{"https://model.example.com/v1", true, []string{"10.0.0.1", "93.184.216.34"}, nil},
	} {
		u, err := url.Parse(tc.endpoint)
		if err != nil {
			t.Fatal(err)
		}
		g := llm.GuardFor(u, tc.private)
		for _, a := range tc.allowed {
			if err := g.Check(netip.MustParseAddr(a)); err != nil {
				t.Errorf("%s at %s: %v", tc.endpoint, a, err)
			}
		}
		never := []string{"169.254.169.254", "169.254.0.1", "fe80::1%eth0", "fd00:ec2::254", "100.100.100.200", "224.0.0.1", "255.255.255.255", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "ff02::1"}
		for _, a := range append(never, tc.refused...) {
			if err := g.Check(netip.MustParseAddr(a)); err == nil {
				t.Errorf("%s at %s is allowed", tc.endpoint, a)
			}
		}
	}
}

// The guard stands behind the resolution of names: an endpoint with an address
// of a cloud's service is refused when it is called.
func TestGuardRefusesTheConnection(t *testing.T) {
	t.Parallel()
	p := fast("http://169.254.169.254")
	p.AllowPrivate = true
	_, err := open(t, p, llm.Options{}).Chat(t.Context(), ask())
	checkError(t, "metadata", llm.KindUnsafe, err)
}

func TestCapabilitiesAreSharedAndStored(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, `fallback: narrate`)
	store := &llm.MemoryStore{}
	client := open(t, fast(server.URL), llm.Options{Capabilities: store})
	req := ask(tools...)
	req.Choice = llm.Required
	if _, err := client.Chat(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	caps := client.Capabilities()
	if caps.Tools != llm.Yes || caps.ToolChoice != llm.Yes || caps.Protocol != "openai" || caps.Answers != 1 {
		t.Errorf("learned %+v", caps)
	}
	caps.Dropped = append(caps.Dropped, "x") // a value of our own
	raw, err := json.Marshal(store.All())
	if err != nil {
		t.Fatal(err)
	}
	var list []llm.Capabilities
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	again := &llm.MemoryStore{}
	again.Load(list)
	if diff := cmp.Diff(store.All(), again.All()); diff != "" || len(list) != 1 || len(list[0].Dropped) != 0 {
		t.Errorf("(-stored +loaded)\n%s", diff)
	}
}
