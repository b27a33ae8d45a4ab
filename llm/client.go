package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Model is what the rest of the program uses of a [Client].
type Model interface {
	// Chat returns an answer. Beside an error it may return what came before.
	Chat(ctx context.Context, req Request) (*Response, error)
	// Stream returns an answer piece by piece.
	Stream(ctx context.Context, req Request) iter.Seq2[Event, error]
	// Embed returns a vector for each text.
	Embed(ctx context.Context, texts []string) (*Embeddings, error)
	// Models lists the models of the endpoint.
	Models(ctx context.Context) ([]ModelInfo, error)
	// Capabilities returns what is known about the model.
	Capabilities() Capabilities
}

// Options are what a client gets from the program around it.
type Options struct {
	// Capabilities keeps what is learned. Defaults to a store of the client's
	// own.
	Capabilities CapabilityStore
	// Transport carries requests. Defaults to one with a [Guard]; one that is
	// given has to look after that itself.
	Transport http.RoundTripper
	// Dial makes connections for the default transport, past the guard: for
	// tests with a network of their own.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Logger gets what a person who looks for a fault wants to know: never
	// texts, never keys. Defaults to none.
	Logger *slog.Logger
	// Random returns a number from 0 to 1, for the jitter of retries. Defaults
	// to the system's.
	Random func() float64
	// NewID makes ids for calls that come without.
	NewID func() string
	// Observe hears of each request that was made. It may be called by several
	// goroutines at once.
	Observe func(Attempt)
	// Tap gets what was sent and what came, as text and without keys: to look
	// into a failure, or to keep real answers. It may be called by several
	// goroutines at once. Stories stand in it.
	Tap func(Exchange)
}

// Exchange is a request and its answer as they went over the wire.
type Exchange struct {
	Profile, Model string
	// What is chat, stream, embed or models.
	What   string
	Path   string
	Status int
	// Request and Response are the bodies, the first MiB of each. An answer that
	// broke off is there as far as it came.
	Request, Response string
}

// Attempt is one request that was made.
type Attempt struct {
	Profile, Model string
	// What is chat, stream, embed or models.
	What string
	// Number counts from 1.
	Number int
	// Took is the time to the end of the answer, FirstByte that to its first.
	Took, FirstByte time.Duration
	// Err is how it ended; nil if well.
	Err error
	// Usage is what the server counted.
	Usage Usage
}

// Client talks to the model of a profile. It is safe for concurrent use.
type Client struct {
	profile  Profile
	protocol Protocol
	base     *url.URL
	key      Secret
	opts     Options
	http     *http.Client
	breaker  *breaker
	slots    chan struct{}
	toolbox  sync.Map // of the list's JSON, its Toolbox
	boxes    int
	boxMu    sync.Mutex
}

var _ Model = (*Client)(nil)

// NewClient returns a client of a profile. The key is read now. Package dial
// chooses the protocol.
func NewClient(p Profile, protocol Protocol, o Options) (*Client, error) {
	p = p.withDefaults()
	if err := p.Validate(); err != nil {
		return nil, err
	}
	key, err := p.Key.Load()
	if err != nil {
		return nil, &Error{Kind: KindConfig, Profile: p.Name, Message: "key: " + err.Error()}
	}
	base, err := url.Parse(strings.TrimRight(p.Endpoint, "/"))
	if err != nil {
		return nil, &Error{Kind: KindConfig, Profile: p.Name, Message: "endpoint: is no address"}
	}
	if key.value != "" && base.Scheme == "http" && !GuardFor(base, p.AllowPrivate).Private {
		return nil, &Error{Kind: KindConfig, Profile: p.Name, Message: "endpoint: a key would travel readable over http: use https, or allow_private for a network that you trust"}
	}
	if o.Capabilities == nil {
		o.Capabilities = &MemoryStore{}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Random == nil {
		o.Random = rand.Float64
	}
	if o.NewID == nil {
		o.NewID = randomID
	}
	c := &Client{
		profile: p, protocol: protocol, base: base, key: key, opts: o,
		breaker: &breaker{limit: p.Breaker.Failures, cooldown: time.Duration(p.Breaker.Cooldown)},
		slots:   make(chan struct{}, p.Concurrency),
	}
	c.http = &http.Client{Transport: c.transport(), CheckRedirect: c.redirect}
	return c, nil
}

// Profile returns the profile, with defaults filled in.
func (c *Client) Profile() Profile { return c.profile }

// Breaker returns what the breaker does just now.
func (c *Client) Breaker() BreakerState { return c.breaker.state() }

// Capabilities returns what is known about the model.
func (c *Client) Capabilities() Capabilities { return c.capabilities(c.profile.Model) }

func (c *Client) capabilities(model string) Capabilities {
	caps := c.opts.Capabilities.Get(c.base.String(), model)
	caps.Protocol = c.protocol.Name()
	if c.profile.ContextSize > 0 {
		caps.ContextSize = c.profile.ContextSize
	}
	return caps
}

func (c *Client) learn(model string, change func(*Capabilities) bool) bool {
	changed := false
	c.opts.Capabilities.Update(c.base.String(), model, func(caps Capabilities) Capabilities {
		caps.Protocol = c.protocol.Name()
		changed = change(&caps)
		return caps
	})
	return changed
}

// Close closes connections that are not in use.
func (c *Client) Close() { c.http.CloseIdleConnections() }

func (c *Client) transport() http.RoundTripper {
	if c.opts.Transport != nil {
		return c.opts.Transport
	}
	t := &http.Transport{
		DialContext:           c.opts.Dial,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   c.profile.Concurrency,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   time.Duration(c.profile.Timeouts.Connect),
		ExpectContinueTimeout: time.Second,
	}
	if t.DialContext == nil {
		d := &net.Dialer{Timeout: time.Duration(c.profile.Timeouts.Connect), KeepAlive: 30 * time.Second, Control: GuardFor(c.base, c.profile.AllowPrivate).control}
		t.DialContext = d.DialContext
	}
	return t
}

var errRedirect = errors.New("redirect")

// redirect follows redirects within the same host only: a request carries a key
// and a story, and both were meant for that host.
func (c *Client) redirect(req *http.Request, via []*http.Request) error {
	first := via[0].URL
	same := req.URL.Hostname() == first.Hostname() && (req.URL.Scheme == first.Scheme && req.URL.Port() == first.Port() || req.URL.Scheme == "https" && first.Scheme == "http")
	if len(via) > 3 || !same || req.Method != via[0].Method {
		return &unsafeError{fmt.Errorf("%w to %s://%s: it is not followed; if that address is right, make it the endpoint", errRedirect, req.URL.Scheme, req.URL.Host)}
	}
	return nil
}

// box returns the toolbox of a request's tools. The same tools are compiled
// once.
func (c *Client) box(tools []Tool) (*Toolbox, error) {
	if len(tools) == 0 {
		return nil, nil
	}
	raw, err := json.Marshal(tools)
	if err != nil {
		return nil, &Error{Kind: KindConfig, Profile: c.profile.Name, Message: "tools: " + err.Error()}
	}
	if b, ok := c.toolbox.Load(string(raw)); ok {
		return b.(*Toolbox), nil
	}
	b, err := NewToolbox(tools)
	if err != nil {
		return nil, &Error{Kind: KindConfig, Profile: c.profile.Name, Message: err.Error()}
	}
	c.boxMu.Lock()
	defer c.boxMu.Unlock()
	if c.boxes++; c.boxes > 64 { // callers that change their tools all the time
		c.toolbox.Clear()
		c.boxes = 1
	}
	c.toolbox.Store(string(raw), b)
	return b, nil
}

// prepare fills a request from the profile.
func (c *Client) prepare(req Request) (Request, []string) {
	if req.Model == "" {
		req.Model = c.profile.Model
	}
	if req.MaxTokens == 0 {
		req.MaxTokens = c.profile.MaxTokens
	}
	if req.Temperature == nil {
		req.Temperature = c.profile.Temperature
	}
	if req.Thinking == "" {
		req.Thinking = c.profile.Thinking
	}
	if len(c.profile.Extra) > 0 {
		extra := map[string]json.RawMessage{}
		for k, v := range c.profile.Extra {
			if raw, err := json.Marshal(v); err == nil {
				extra[k] = raw
			}
		}
		for k, v := range req.Extra {
			extra[k] = v
		}
		req.Extra = extra
	}
	var notes []string
	req.Messages, notes = Pair(req.Messages)
	return req, notes
}

// Chat returns an answer. Nothing of it is seen before it is whole, so a request
// that breaks off is made again like any other. Beside an error it returns what
// had come, if anything; so does an answer that was cut off, without an error:
// see [Response.Finish].
func (c *Client) Chat(ctx context.Context, req Request) (*Response, error) {
	return c.chat(ctx, req, "chat", nil)
}

// Stream returns an answer piece by piece, as it comes. The last event is
// [EventFinish] with the whole answer. An error ends the stream instead; what
// came before stands, and is in [Error.Partial]. Once a piece was delivered the
// request is not made again. To leave the loop cancels the request.
func (c *Client) Stream(ctx context.Context, req Request) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		stopped := false
		emit := func(e Event) bool {
			if !stopped && !yield(e, nil) {
				stopped = true
				cancel()
			}
			return !stopped
		}
		r, err := c.chat(ctx, req, "stream", emit)
		switch {
		case stopped:
		case err != nil:
			yield(Event{}, err)
		default:
			yield(Event{Kind: EventFinish, Response: r}, nil)
		}
	}
}

func (c *Client) chat(ctx context.Context, req Request, what string, emit func(Event) bool) (*Response, error) {
	req, notes := c.prepare(req)
	box, err := c.box(req.Tools)
	if err != nil {
		return nil, err
	}
	var answer *Response
	var asm *Assembler
	plain := req.NoStream || c.profile.NoStream
	job := &job{
		what: what, model: req.Model,
		build: func() (*Wire, error) {
			caps := c.capabilities(req.Model)
			r := req
			r.NoStream = plain || caps.Streaming == No || len(r.Tools) > 0 && caps.StreamTools == No
			if len(r.Tools) > 0 && caps.Tools == No {
				return nil, &Error{Kind: KindUnsupported, Param: "tools", Message: "this model takes no tools", Hint: "ask it for JSON instead"}
			}
			return c.protocol.Chat(&r, caps)
		},
		read: func(body io.Reader) error {
			asm = NewAssembler(AssemblerOptions{Tools: box, TextCalls: req.TextCalls, NewID: c.opts.NewID, Emit: emit})
			err := c.protocol.ReadChat(body, asm)
			if asm.Stopped() {
				err = context.Canceled
			}
			answer = asm.End(err != nil)
			switch {
			case asm.Err() != nil:
				return asm.Err()
			case errors.Is(err, io.ErrUnexpectedEOF) && (answer.Content != "" || answer.Reasoning != "" || len(answer.Calls) > 0):
				// The connection ended well, the answer did not: it is delivered
				// as cut off.
				return nil
			}
			return err
		},
		begun: func() bool { return emit != nil && asm != nil && asm.Begun() },
		usage: func() Usage {
			if answer == nil {
				return Usage{}
			}
			return answer.Usage
		},
		shrink: func(t TooLong) bool {
			if req.Shrink == nil {
				return false
			}
			shorter, ok := req.Shrink(t)
			if ok {
				req.Messages, _ = Pair(shorter)
				req.Shrink = nil
			}
			return ok
		},
		again: func() bool {
			// Some servers lose calls when they stream: an answer with nothing in
			// it is asked for once more, in one piece.
			if emit != nil || plain || answer == nil || len(req.Tools) == 0 || !empty(answer) {
				return false
			}
			plain = true
			return true
		},
	}
	err = c.run(ctx, job)
	if answer != nil {
		answer.RequestRepairs = notes
		answer.Attempts = job.attempts
	}
	if err != nil {
		var e *Error
		if errors.As(err, &e) && answer != nil && (answer.Content != "" || answer.Reasoning != "" || len(answer.Calls) > 0) {
			e.Partial = answer
			return answer, err
		}
		return nil, err
	}
	c.observe(req, plain && !req.NoStream && !c.profile.NoStream, answer)
	return answer, nil
}

func empty(r *Response) bool {
	return r.Content == "" && len(r.Calls) == 0 && r.Refusal == "" && r.Reasoning == "" && r.Finish == FinishStop
}

// observe learns from an answer.
func (c *Client) observe(req Request, lostStream bool, r *Response) {
	c.learn(req.Model, func(caps *Capabilities) bool {
		caps.Answers++
		for kind, n := range r.Repairs {
			if caps.Repairs == nil {
				caps.Repairs = map[string]int{}
			}
			if len(caps.Repairs) < 100 || caps.Repairs[kind] > 0 {
				caps.Repairs[kind] += n
			}
		}
		if lostStream && len(r.Calls) > 0 {
			caps.StreamTools = No
			caps.lesson("calls are lost in streams", "an empty stream, then calls without one")
		}
		if len(req.Tools) > 0 && len(r.Calls) > 0 {
			if r.Repairs["call written as text"] > 0 {
				caps.TextCalls = Yes
				caps.lesson("calls come as text", "an answer had one")
			} else {
				caps.Tools = Yes
			}
			if len(r.Calls) > 1 {
				caps.Parallel = Yes
			}
		}
		switch req.Choice.Mode {
		case ModeRequired, ModeNamed:
			obeyed := len(r.Calls) > 0 && (req.Choice.Mode == ModeRequired || r.Calls[0].Name == req.Choice.Name)
			if obeyed && caps.ToolChoice == Unknown {
				caps.ToolChoice = Yes
			}
			if !obeyed && !r.Incomplete() && r.Finish != FinishFilter {
				caps.lesson("tool_choice is not obeyed", "prose, or another tool, came instead")
			}
		}
		if r.Reasoning != "" && caps.ReasoningField == "" && r.Repairs["thoughts in the text"] > 0 {
			caps.ReasoningField = "text"
		} else if r.Reasoning != "" && caps.ReasoningField == "" {
			caps.ReasoningField = "own field"
		}
		if req.Format.JSON && json.Valid([]byte(strings.TrimSpace(r.Content))) && r.Content != "" {
			if req.Format.Schema != nil && caps.JSONSchema == Unknown {
				caps.JSONSchema = Yes
			} else if req.Format.Schema == nil && caps.JSONObject == Unknown {
				caps.JSONObject = Yes
			}
		}
		return true
	})
}

// maxEmbedBatch is the number of texts that every server takes at once.
const maxEmbedBatch = 64

// Embed returns a vector for each text, in their order. Long lists are asked for
// in several requests.
func (c *Client) Embed(ctx context.Context, texts []string) (*Embeddings, error) {
	out := &Embeddings{}
	for len(texts) > 0 {
		part := texts[:min(len(texts), maxEmbedBatch)]
		texts = texts[len(part):]
		var got *Embeddings
		err := c.run(ctx, &job{
			what: "embed", model: c.profile.Model,
			build: func() (*Wire, error) { return c.protocol.Embed(c.profile.Model, part) },
			read: func(body io.Reader) error {
				raw, err := io.ReadAll(body)
				if err != nil {
					return err
				}
				if e := ErrorIn(raw); e != nil {
					return e
				}
				if got, err = c.protocol.ReadEmbed(raw, len(part)); err != nil {
					if !json.Valid(raw) {
						return pageError(raw)
					}
					return Wrapped(KindAnswer, err.Error(), err)
				}
				return nil
			},
			usage: func() Usage {
				if got == nil {
					return Usage{}
				}
				return got.Usage
			},
		})
		if err != nil {
			return nil, err
		}
		if len(out.Vectors) > 0 && len(got.Vectors[0]) != len(out.Vectors[0]) {
			return nil, &Error{Kind: KindAnswer, Profile: c.profile.Name, Endpoint: c.base.Host, Message: "the vectors differ in length from request to request"}
		}
		out.Model = got.Model
		out.Vectors = append(out.Vectors, got.Vectors...)
		out.Usage = out.Usage.Add(got.Usage)
	}
	c.learn(c.profile.Model, func(caps *Capabilities) bool { caps.Embeddings = Yes; return true })
	return out, nil
}

// Models lists the models of the endpoint.
func (c *Client) Models(ctx context.Context) ([]ModelInfo, error) {
	var list []ModelInfo
	err := c.run(ctx, &job{
		what: "models", model: c.profile.Model,
		build: func() (*Wire, error) { return c.protocol.Models(), nil },
		read: func(body io.Reader) error {
			raw, err := io.ReadAll(body)
			if err != nil {
				return err
			}
			if e := ErrorIn(raw); e != nil {
				return e
			}
			if list, err = c.protocol.ReadModels(raw); err != nil {
				if !json.Valid(raw) {
					return pageError(raw)
				}
				return Wrapped(KindAnswer, err.Error(), err)
			}
			return nil
		},
		usage: func() Usage { return Usage{} },
	})
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		if m.ID == c.profile.Model && m.ContextSize > 0 {
			c.learn(m.ID, func(caps *Capabilities) bool { caps.ContextSize = m.ContextSize; return true })
		}
	}
	return list, nil
}
