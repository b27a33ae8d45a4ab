package llmtest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Server is the handler that plays a script. It is safe for concurrent use.
type Server struct {
	// URL is the address of a server that [New] started, without /v1.
	URL string
	// Client reaches the server, also if it is not on a socket.
	Client *http.Client

	script   Script
	used     []int
	mu       sync.Mutex
	requests []*Request
	problems []string
	report   func(string)
	stop     chan struct{}
	stopOnce sync.Once
	canceled int
}

// Handler returns a server for a script that is not part of a test: report, which
// may be nil, hears of each request that the script does not foresee. Such
// requests are answered by the script's fallback, or with an error.
func Handler(s *Script, report func(string)) (*Server, error) {
	if err := s.validate(); err != nil {
		return nil, err
	}
	if report == nil {
		report = func(string) {}
	}
	script := *s
	script.Steps = slices.Clone(s.Steps)
	return &Server{script: script, used: make([]int, len(s.Steps)), report: report, stop: make(chan struct{})}, nil
}

// Close ends answers that are being held back.
func (s *Server) Close() { s.stopOnce.Do(func() { close(s.stop) }) }

// Add appends a step.
func (s *Server) Add(step Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if step.Name == "" {
		step.Name = fmt.Sprintf("step %d", len(s.script.Steps)+1)
	}
	s.script.Steps = append(s.script.Steps, step)
	s.used = append(s.used, 0)
}

// Requests returns the requests so far, in the order of their arrival.
func (s *Server) Requests() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Canceled returns how many answers the client did not wait for.
func (s *Server) Canceled() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.canceled
}

// Unused returns the names of the steps that were never asked for.
func (s *Server) Unused() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for i, st := range s.script.Steps {
		if s.used[i] == 0 && st.Times >= 0 || s.used[i] < st.Times {
			names = append(names, st.Name)
		}
	}
	return names
}

// Problems returns what was wrong with requests so far.
func (s *Server) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

func (s *Server) problem(format string, args ...any) {
	p := fmt.Sprintf(format, args...)
	s.mu.Lock()
	s.problems = append(s.problems, p)
	s.mu.Unlock()
	s.report(p)
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, h *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, h.Body, 64<<20))
	if err != nil {
		http.Error(w, "the request broke off", http.StatusBadRequest)
		return
	}
	for _, secret := range s.script.Secrets {
		if bytes.Contains(body, []byte(secret)) || strings.Contains(h.URL.String(), secret) {
			s.problem("%s: a secret stands in the request", h.URL.Path)
		}
	}
	if s.script.Key != "" && !authorized(h, s.script.Key) {
		s.send(w, h, nil, Respond{Status: http.StatusUnauthorized, Error: &WireError{Message: "Incorrect API key provided", Type: "invalid_request_error", Code: "invalid_api_key"}})
		return
	}
	r, problems := readRequest(h, body)
	for _, p := range problems {
		s.problem("%s: the protocol: %s", r.Path, p)
	}
	step := s.take(r)
	switch {
	case step != nil:
		for _, d := range step.Expect.differences(r) {
			s.problem("%s: %s", step.Name, d)
		}
		s.send(w, h, r, step.Respond)
	case h.Method == http.MethodGet && strings.HasSuffix(r.Path, "/models"):
		s.models(w, r)
	case strings.HasSuffix(r.Path, "/embeddings"), strings.Contains(r.Path, ":batchEmbedContents"), strings.HasSuffix(r.Path, "/api/embed"):
		s.embeddings(w, r)
	case s.script.Fallback != "" && r.Form != "":
		s.send(w, h, r, s.fallback(r))
	default:
		s.problem("no step is for this request: %s %s", h.Method, describe(r))
		s.send(w, h, r, Respond{Status: http.StatusNotImplemented, Error: &WireError{Message: "the script has no step for this request", Type: "llmtest"}})
	}
}

func describe(r *Request) string {
	s := r.Path
	if r.Form == "" {
		return s
	}
	last := ""
	if n := len(r.Messages); n > 0 {
		last = r.Messages[n-1].Text
		if len(last) > 100 {
			last = last[len(last)-100:]
		}
	}
	return fmt.Sprintf("%s, model %s, tools %q, tool_choice %s, %d messages, the last ends in %q", s, r.Model, r.toolNames(), r.ToolChoice, len(r.Messages), last)
}

func authorized(h *http.Request, key string) bool {
	return h.Header.Get("Authorization") == "Bearer "+key || h.Header.Get("x-api-key") == key || h.Header.Get("x-goog-api-key") == key
}

// take finds the step for a request and uses it.
func (s *Server) take(r *Request) *Step {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	for i := range s.script.Steps {
		st := &s.script.Steps[i]
		if st.Times >= 0 && s.used[i] >= max(1, st.Times) {
			continue
		}
		if st.When.Path == "" && r.Form == "" || len(st.When.differences(r)) > 0 {
			continue
		}
		s.used[i]++
		r.Step = st.Name
		return st
	}
	return nil
}

// send sends an answer, in the form and with the faults that are asked for.
func (s *Server) send(w http.ResponseWriter, h *http.Request, r *Request, a Respond) {
	if !s.wait(h.Context(), a.Delay) {
		return
	}
	if a.Fault == "reset early" {
		hangUp(w, true)
		return
	}
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	stream := r != nil && r.Stream
	if a.Stream != nil {
		stream = *a.Stream
	}
	kind, pieces := render(r, a, stream)
	header := w.Header()
	header.Set("Content-Type", kind)
	for k, v := range a.Headers {
		header.Set(k, v)
	}
	events := strings.HasPrefix(kind, "text/event-stream")
	if c, ok := chunkingOf(a.Chunking); ok {
		pieces = rechunk(pieces, c, events)
	}
	if a.Gzip {
		header.Set("Content-Encoding", "gzip")
		pieces = zipped(pieces)
	}
	if a.Fault == "wrong length" {
		n := 100
		for _, p := range pieces {
			n += len(p.bytes)
		}
		header.Set("Content-Length", fmt.Sprint(n))
	}
	w.WriteHeader(a.Status)
	out := &faulty{w: w, fault: a.Fault, left: a.After}
	for _, p := range pieces {
		for n := 0; p.repeat < 0 || n <= p.repeat; n++ {
			if !s.wait(h.Context(), p.delay+a.Pace) {
				return
			}
			if !out.write(p.bytes) {
				s.breakOff(w, h, a.Fault)
				return
			}
			if len(pieces) > 1 || p.repeat != 0 {
				_ = http.NewResponseController(w).Flush() // a client that has gone is seen by its context
			}
		}
	}
	if out.fault == "wrong length" {
		panic(http.ErrAbortHandler)
	}
}

// wait waits, and reports false if the client went away meanwhile.
func (s *Server) wait(ctx context.Context, d Duration) bool {
	if d > 0 {
		t := time.NewTimer(time.Duration(d))
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
		case <-s.stop:
			return false
		}
	}
	if ctx.Err() != nil {
		s.mu.Lock()
		s.canceled++
		s.mu.Unlock()
		return false
	}
	return true
}

// piece is a part of an answer.
type piece struct {
	bytes  []byte
	delay  Duration
	repeat int
}

func rechunk(pieces []piece, c Chunking, events bool) []piece {
	var all []byte
	for _, p := range pieces {
		all = append(all, p.bytes...)
	}
	var out []piece
	for _, b := range c.apply(all, events) {
		out = append(out, piece{bytes: b})
	}
	return out
}

func zipped(pieces []piece) []piece {
	var buf bytes.Buffer
	zip := gzip.NewWriter(&buf)
	for _, p := range pieces {
		_, _ = zip.Write(p.bytes) // into memory
	}
	_ = zip.Close()
	return []piece{{bytes: buf.Bytes()}}
}

func (s *Server) models(w http.ResponseWriter, r *Request) {
	var data []any
	key := "data"
	gemini := strings.Contains(r.Path, "/v1beta/")
	for _, m := range s.script.Models {
		switch {
		case gemini:
			key = "models"
			data = append(data, map[string]any{"name": "models/" + m.ID, "inputTokenLimit": m.Context, "supportedGenerationMethods": []string{"generateContent"}})
		default:
			e := map[string]any{"id": m.ID, "object": "model", "owned_by": "llmtest"}
			if m.Context > 0 {
				e["context_length"] = m.Context
			}
			if m.Kind != "" {
				e["type"] = m.Kind
			}
			data = append(data, e)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(mustJSON(map[string]any{"object": "list", key: data})) // a client that has gone needs no list
}

// embeddings answers with vectors that depend on the words of a text: texts that
// share words are near each other.
func (s *Server) embeddings(w http.ResponseWriter, r *Request) {
	var texts []string
	raw := r.fields["input"]
	if raw == nil {
		var list []struct {
			Content struct {
				Parts []struct{ Text string } `json:"parts"`
			} `json:"content"`
		}
		_ = json.Unmarshal(r.fields["requests"], &list) // reported below, if there is none
		for _, e := range list {
			for _, p := range e.Content.Parts {
				texts = append(texts, p.Text)
			}
		}
	} else if json.Unmarshal(raw, &texts) != nil {
		texts = []string{text(raw)}
	}
	if len(texts) == 0 {
		s.problem("%s: there is no text", r.Path)
	}
	var data, gemini []any
	var plain [][]float32
	tokens := 0
	for i, t := range texts {
		v := Vector(t)
		tokens += len(t) / 4
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": v})
		gemini = append(gemini, map[string]any{"values": v})
		plain = append(plain, v)
	}
	var out any = map[string]any{"object": "list", "model": r.Model, "data": data, "usage": map[string]int{"prompt_tokens": tokens, "total_tokens": tokens}}
	switch {
	case strings.Contains(r.Path, ":batchEmbedContents"):
		out = map[string]any{"embeddings": gemini}
	case strings.HasSuffix(r.Path, "/api/embed"):
		out = map[string]any{"model": r.Model, "embeddings": plain, "prompt_eval_count": tokens}
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(mustJSON(out)) // a client that has gone needs no vectors
}
