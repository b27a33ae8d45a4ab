package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/turn"
)

// Options configure a [Proxy].
type Options struct {
	// Upstream is the address of the model server, with or without /v1 at its
	// end.
	Upstream *url.URL
	// Engine and Index are the lore. Both must be set.
	Engine *engine.Engine
	Index  *engine.Index
	// Input is what every assembly gets beside the messages: names, variables,
	// bindings, budget, context.
	Input engine.Input
	// World names the books and settings, see [turn.Replayer]. It has to change
	// with them.
	World string
	// Report hears of every request that lore was looked for in. It may be
	// called by several goroutines at once. Nil means nobody.
	Report func(Report)
	// MaxBody bounds the body of a chat request, in bytes. Defaults to 64 MiB.
	MaxBody int64
	// Deadline bounds the work on the lore of one request; then it passes
	// without. Defaults to 2 s.
	Deadline time.Duration
	// Now is the clock that macros such as {{time}} show. Defaults to time.Now.
	Now func() time.Time
	// Transport carries requests to the upstream. Defaults to a transport of
	// its own without a limit on the time to the first byte.
	Transport http.RoundTripper
}

// Report is what was done with one request.
type Report struct {
	// Messages is the number of messages that the client sent.
	Messages int
	// Result is the assembly; nil if Err ended it.
	Result *engine.Result
	// Inserted are the texts that went into the request.
	Inserted []turn.Insertion
	// Unplaced are blocks that have no place in a chat.
	Unplaced []engine.Block
	// Err says why the request passed without lore.
	Err error
	// Took is the time that the lore needed.
	Took time.Duration
}

// Proxy is the handler. It is safe for concurrent use.
type Proxy struct {
	opts     Options
	replayer *turn.Replayer
	forward  *httputil.ReverseProxy
}

// New returns a proxy.
func New(opts Options) (*Proxy, error) {
	switch {
	case opts.Upstream == nil || opts.Upstream.Host == "" || opts.Upstream.Scheme != "http" && opts.Upstream.Scheme != "https":
		return nil, errors.New("the upstream must be an address such as http://127.0.0.1:5001/v1")
	case opts.Engine == nil || opts.Index == nil:
		return nil, errors.New("a proxy needs an engine and an index")
	}
	if opts.MaxBody <= 0 {
		opts.MaxBody = 64 << 20
	}
	if opts.Deadline <= 0 {
		opts.Deadline = 2 * time.Second
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Transport == nil {
		t := http.DefaultTransport.(*http.Transport).Clone()
		t.ResponseHeaderTimeout = 0
		t.DisableCompression = true // the client's own wishes go upstream
		t.MaxIdleConnsPerHost = 64
		opts.Transport = t
	}
	if opts.Input.Cache == nil {
		opts.Input.Cache = engine.NewCache(0)
	}
	p := &Proxy{opts: opts, replayer: turn.NewReplayer(opts.Engine, turn.ReplayLimits{})}
	base := strings.TrimSuffix(strings.TrimSuffix(opts.Upstream.Path, "/"), "/v1")
	p.forward = &httputil.ReverseProxy{
		Transport:     opts.Transport,
		FlushInterval: -1, // every chunk goes on at once
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: opts.Upstream.Scheme, Host: opts.Upstream.Host, User: opts.Upstream.User})
			r.Out.URL.Path = base + "/v1" + apiPath(r.In.URL.Path)
			r.Out.URL.RawPath = ""
			r.Out.Host = opts.Upstream.Host
			if _, ok := r.In.Header["User-Agent"]; !ok {
				r.Out.Header["User-Agent"] = nil
			}
		},
		ModifyResponse: func(r *http.Response) error {
			if r.Request.Header.Get("Origin") != "" {
				// The guard has answered for pages; two answers are none.
				for name := range r.Header {
					if strings.HasPrefix(name, "Access-Control-") {
						r.Header.Del(name)
					}
				}
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			if r.Context().Err() != nil {
				return // the client has gone
			}
			writeError(w, http.StatusBadGateway, "upstream_error", fmt.Sprintf("the model server at %s does not answer: %v", opts.Upstream.Host, plainError(err)))
		},
	}
	return p, nil
}

// plainError takes the address, which may hold a key, out of an error.
func plainError(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// apiPath is a path without the version in front.
func apiPath(path string) string {
	path = "/" + strings.TrimLeft(path, "/")
	if rest, ok := strings.CutPrefix(path, "/v1/"); ok {
		return "/" + rest
	}
	return path
}

// ServeHTTP handles one request.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := apiPath(r.URL.Path)
	if path == "/" || path == "/v1" {
		writeError(w, http.StatusNotFound, "not_found", "this is Weft's proxy: point your front end's OpenAI-compatible address to /v1 here")
		return
	}
	if r.Method == http.MethodPost && path == "/chat/completions" {
		body, ok := p.chatBody(w, r)
		if !ok {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		r.ContentLength = int64(len(body))
		r.TransferEncoding = nil
		r.Header.Set("Content-Length", fmt.Sprint(len(body)))
	}
	p.forward.ServeHTTP(w, r)
}

// chatBody reads a chat request and puts lore into it. ok is false if the
// request was answered.
func (p *Proxy) chatBody(w http.ResponseWriter, r *http.Request) (body []byte, ok bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, p.opts.MaxBody))
	if err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			writeError(w, http.StatusRequestEntityTooLarge, "invalid_request_error",
				fmt.Sprintf("the request is larger than %d bytes", p.opts.MaxBody))
			return nil, false
		}
		writeError(w, http.StatusBadRequest, "invalid_request_error", "the request broke off: "+err.Error())
		return nil, false
	}
	if r.Header.Get("Content-Encoding") != "" {
		p.report(Report{Err: errors.New("the request is compressed, so no lore was put in")})
		return body, true
	}
	start := time.Now()
	ctx, cancel := context.WithTimeout(r.Context(), p.opts.Deadline)
	defer cancel()
	out, report := p.withLore(ctx, body)
	report.Took = time.Since(start)
	p.report(report)
	return out, true
}

func (p *Proxy) report(r Report) {
	if p.opts.Report != nil {
		p.opts.Report(r)
	}
}

// withLore returns a request with the lore that it calls for. Whatever goes
// wrong, it returns a request.
func (p *Proxy) withLore(ctx context.Context, body []byte) (out []byte, report Report) {
	defer func() {
		if v := recover(); v != nil {
			out, report.Err = body, fmt.Errorf("a fault in the assembly: %v", v)
		}
	}()
	req, err := parseChat(body, p.opts.MaxBody)
	if err != nil {
		return body, Report{Err: err}
	}
	report.Messages = len(req.messages)
	in := p.opts.Input
	in.Messages, in.Now = req.messages, p.opts.Now()
	if in, err = p.replayer.Prepare(ctx, p.opts.Index, p.opts.World, in); err == nil {
		report.Result, err = p.opts.Engine.Assemble(ctx, p.opts.Index, in)
	}
	if err != nil {
		report.Err = err
		return body, report
	}
	report.Inserted, report.Unplaced = turn.Layout(req.messages, report.Result.Blocks, p.opts.Index.Slots())
	if len(report.Inserted) == 0 {
		return body, report
	}
	return req.insert(report.Inserted), report
}

// writeError answers with an error in the form of the protocol.
func writeError(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "type": kind, "code": nil, "param": nil}})
}
