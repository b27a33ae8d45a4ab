// Package discover finds the model servers of this machine.
//
//	for _, server := range discover.Local(ctx, discover.Options{}) {
//		fmt.Println(server.Name, server.Endpoint, server.Models)
//	}
//
// It asks the usual ports, all at once and with little patience, and tells the
// programs apart by what only they answer, not by their ports: a port is only a
// habit. Nothing is sent but requests for lists and versions.
package discover

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/llm/ollama"
	"github.com/weft-memory/weft/llm/openai"
)

// The programs that are told apart.
const (
	Ollama    = "Ollama"
	LlamaCpp  = "llama.cpp"
	LMStudio  = "LM Studio"
	KoboldCpp = "KoboldCpp"
	VLLM      = "vLLM"
	TabbyAPI  = "TabbyAPI"
	// Compatible is any other server that speaks OpenAI's form.
	Compatible = "OpenAI-compatible server"
)

// Ports are the usual ports of the programs.
var Ports = []int{11434, 8080, 1234, 5001, 8000, 5000}

// Options say where to look.
type Options struct {
	// Ports defaults to [Ports].
	Ports []int
	// Host defaults to 127.0.0.1.
	Host string
	// Timeout bounds the search for each port. Defaults to 800 ms.
	Timeout time.Duration
	// Transport carries the requests. Defaults to one of its own.
	Transport http.RoundTripper
}

// Server is a server that was found.
type Server struct {
	// Name is the program, Version what it says of itself.
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	// Endpoint and Protocol are for a profile.
	Endpoint string `json:"endpoint"`
	Protocol string `json:"protocol"`
	// Models are what it offers.
	Models []llm.ModelInfo `json:"models"`
	// NeedsKey is true if it wants a key before it tells its models.
	NeedsKey bool `json:"needs_key,omitempty"`
	// Note says what to know about this program.
	Note string `json:"note,omitempty"`
}

// Profile returns a profile for one of the server's models.
func (s Server) Profile(name, model string) llm.Profile {
	p := llm.Profile{Name: name, Protocol: s.Protocol, Endpoint: s.Endpoint, Model: model}
	for _, m := range s.Models {
		if m.ID == model {
			p.ContextSize = m.ContextSize
		}
	}
	return p
}

var notes = map[string]string{
	Ollama:    "long prompts are cut to the server's context without a word: set OLLAMA_CONTEXT_LENGTH, or use protocol ollama with context_size",
	LlamaCpp:  "calls of tools need the server's option --jinja",
	LMStudio:  "a prompt beyond the context gives nonsense instead of an error: set context_size",
	KoboldCpp: "a required tool works better than a free choice",
	VLLM:      "calls of tools need --enable-auto-tool-choice and --tool-call-parser",
	TabbyAPI:  "calls of tools need a template that knows them",
}

// Local looks for servers. It returns what it found, in the order of the ports.
func Local(ctx context.Context, o Options) []Server {
	if o.Ports == nil {
		o.Ports = Ports
	}
	if o.Host == "" {
		o.Host = "127.0.0.1"
	}
	if o.Timeout <= 0 {
		o.Timeout = 800 * time.Millisecond
	}
	if o.Transport == nil {
		t := &http.Transport{DisableKeepAlives: true}
		defer t.CloseIdleConnections()
		o.Transport = t
	}
	found := make([]*Server, len(o.Ports))
	var wg sync.WaitGroup
	for i, port := range o.Ports {
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, o.Timeout)
			defer cancel()
			p := &probe{
				base:   "http://" + net.JoinHostPort(o.Host, fmt.Sprint(port)),
				client: &http.Client{Transport: o.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
			}
			found[i] = p.identify(ctx)
		})
	}
	wg.Wait()
	var out []Server
	for _, s := range found {
		if s != nil {
			out = append(out, *s)
		}
	}
	return out
}

// probe asks one address.
type probe struct {
	base   string
	client *http.Client
}

type reply struct {
	status int
	header http.Header
	body   []byte
}

func (p *probe) get(ctx context.Context, path string) (reply, bool) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base+path, nil)
	if err != nil {
		return reply{}, false
	}
	resp, err := p.client.Do(req)
	if err != nil {
		return reply{}, false
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 4<<20))
	return reply{resp.StatusCode, resp.Header, body}, err == nil
}

// object reads a JSON object of a good reply.
func (r reply) object() map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if r.status != http.StatusOK || json.Unmarshal(r.body, &m) != nil {
		return nil
	}
	return m
}

func text(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s) // anything else is no text
	return s
}

// identify finds out what listens. The list of models comes first: it is what
// all of them have, and without an answer to it there is nothing to find.
func (p *probe) identify(ctx context.Context) *Server {
	list, ok := p.get(ctx, "/v1/models")
	if !ok {
		return nil
	}
	s := &Server{Name: Compatible, Endpoint: p.base + "/v1", Protocol: "openai"}
	models, err := openai.Protocol{}.ReadModels(list.body)
	switch {
	case list.status == http.StatusOK && err == nil:
		s.Models = models
	case list.status == http.StatusUnauthorized || list.status == http.StatusForbidden:
		s.NeedsKey = true
	}
	for _, know := range []func(context.Context, *Server, reply) bool{p.ollama, p.koboldCpp, p.lmStudio, p.llamaCpp, p.tabbyAPI, p.vLLM} {
		if know(ctx, s, list) {
			s.Note = notes[s.Name]
			return s
		}
	}
	if s.Models == nil && !s.NeedsKey {
		return nil // a web server of another kind
	}
	if s.NeedsKey && list.object() == nil && !json.Valid(list.body) {
		return nil
	}
	return s
}

func (p *probe) ollama(ctx context.Context, s *Server, _ reply) bool {
	root, ok := p.get(ctx, "/")
	if !ok || !strings.Contains(string(root.body[:min(len(root.body), 200)]), "Ollama is running") {
		return false
	}
	s.Name = Ollama
	if v, ok := p.get(ctx, "/api/version"); ok {
		s.Version = text(v.object()["version"])
	}
	if tags, ok := p.get(ctx, "/api/tags"); ok && tags.status == http.StatusOK {
		if models, err := (ollama.Protocol{}).ReadModels(tags.body); err == nil {
			s.Models = models
		}
	}
	return true
}

func (p *probe) koboldCpp(ctx context.Context, s *Server, _ reply) bool {
	v, ok := p.get(ctx, "/api/extra/version")
	if !ok || !strings.EqualFold(text(v.object()["result"]), "KoboldCpp") {
		return false
	}
	s.Name, s.Version = KoboldCpp, text(v.object()["version"])
	if c, ok := p.get(ctx, "/api/extra/true_max_context_length"); ok {
		var n int
		if json.Unmarshal(c.object()["value"], &n) == nil {
			setContext(s, n)
		}
	}
	return true
}

func setContext(s *Server, n int) {
	for i := range s.Models {
		if n > 0 {
			s.Models[i].ContextSize = n
		}
	}
}

func (p *probe) lmStudio(ctx context.Context, s *Server, _ reply) bool {
	list, ok := p.get(ctx, "/api/v0/models")
	if !ok {
		return false
	}
	var data []map[string]json.RawMessage
	if json.Unmarshal(list.object()["data"], &data) != nil || len(data) > 0 && data[0]["compatibility_type"] == nil && data[0]["publisher"] == nil {
		return false
	}
	s.Name = LMStudio
	if models, err := (openai.Protocol{}).ReadModels(list.body); err == nil {
		s.Models = models
	}
	return true
}

func (p *probe) llamaCpp(ctx context.Context, s *Server, list reply) bool {
	props, ok := p.get(ctx, "/props")
	m := props.object()
	named := strings.EqualFold(list.header.Get("Server"), "llama.cpp") || strings.Contains(string(list.body), `"owned_by":"llamacpp"`)
	if !named && (!ok || m["default_generation_settings"] == nil) {
		return false
	}
	s.Name, s.Version = LlamaCpp, text(m["build_info"])
	var settings struct {
		Context int `json:"n_ctx"`
	}
	if json.Unmarshal(m["default_generation_settings"], &settings) == nil {
		setContext(s, settings.Context)
	}
	return true
}

func (p *probe) tabbyAPI(ctx context.Context, s *Server, list reply) bool {
	if strings.Contains(string(list.body), `"tabbyAPI"`) {
		s.Name = TabbyAPI
		return true
	}
	health, ok := p.get(ctx, "/health")
	m := health.object()
	if !ok || text(m["status"]) != "healthy" || m["issues"] == nil {
		return false
	}
	s.Name = TabbyAPI
	return true
}

func (p *probe) vLLM(ctx context.Context, s *Server, list reply) bool {
	owned := slices.ContainsFunc([]string{`"owned_by":"vllm"`, `"owned_by": "vllm"`}, func(w string) bool { return strings.Contains(string(list.body), w) })
	v, ok := p.get(ctx, "/version")
	if !owned && (!ok || text(v.object()["version"]) == "" || len(v.object()) != 1 || !s.NeedsKey) {
		return false
	}
	s.Name, s.Version = VLLM, text(v.object()["version"])
	return true
}
