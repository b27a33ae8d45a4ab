package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/gateway"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/tokens"
)

type proxyCmd struct {
	Books []string `arg:"" name:"book" help:"Books and cards of any format; the folders of other programs too."`

	Upstream    string   `setting:"own" required:"" placeholder:"URL" help:"The model server: http://127.0.0.1:5001/v1, https://api.deepseek.com, ….  Keys come from the front end and are passed on."`
	Listen      string   `setting:"own" default:"127.0.0.1:8787" placeholder:"ADDRESS" help:"Where to listen. Default: ${default}."`
	Char        string   `setting:"own" placeholder:"NAME" help:"The character that speaks, for {{char}} and for the books bound to it. Default: the only card given."`
	User        string   `setting:"own" placeholder:"NAME" help:"Name of the user, for {{user}}. Default: user:name of --vars, else User."`
	Vars        string   `setting:"own" placeholder:"FILE" help:"Variables of the host, JSON or YAML."`
	Budget      string   `setting:"own" default:"25%" placeholder:"N" help:"The most that all lore may take: tokens (800), percent of the context (25%), characters (4000chars), or none. Default: ${default}."`
	Context     int      `setting:"own" default:"8192" placeholder:"N" help:"The context window of the model in tokens. Default: ${default}."`
	Tokenizer   string   `setting:"own" placeholder:"MODEL" help:"Count tokens as this model does. Default: an estimate by script."`
	AllowHost   []string `setting:"own" placeholder:"NAME" help:"Another name by which this server is called."`
	AllowOrigin []string `setting:"own" placeholder:"ORIGIN" help:"A page that may call this server from a browser, such as https://agnai.example; * allows all."`
	Trace       bool     `setting:"own" help:"Print what fired for each request."`
}

// Help is shown by --help.
func (proxyCmd) Help() string {
	return `Stands between a front end and a model server. Set the front end's OpenAI-compatible address to http://127.0.0.1:8787/v1; each chat request then gets the lore that its messages call for, and everything else passes through untouched.

The proxy keeps nothing: timers and variables are worked out anew from the messages of each request.

Examples:

    weft proxy --upstream http://127.0.0.1:5001/v1 my_world
    weft proxy --upstream https://openrouter.ai/api/v1 card.png world_info.json --trace
    weft proxy --upstream http://127.0.0.1:11434/v1 suzune/ --char mira`
}

// Run serves until it is told to stop.
func (c *proxyCmd) Run(e *env) error {
	opts, title, err := c.options(e)
	if err != nil {
		return err
	}
	p, err := gateway.New(opts)
	if err != nil {
		return fail(ExitUsage, "", "%w", err)
	}
	listener, err := new(net.ListenConfig).Listen(e.ctx, "tcp", c.Listen)
	if err != nil {
		return fail(ExitInput, "another address can be chosen with --listen 127.0.0.1:8788", "cannot listen on %s: %w", c.Listen, err)
	}
	if !loopback(listener.Addr()) {
		e.note("%s: listening on %s, which other machines can reach; anybody there can use your model server through it", e.opts.Name, listener.Addr())
	}
	server := &http.Server{
		Handler:           &gateway.Guard{Next: p, Hosts: c.AllowHost, Origins: c.AllowOrigin},
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          log.New(e.err.w, e.opts.Name+": ", 0),
	}
	if err := e.print(fmt.Sprintf("%s\nfront end: http://%s/v1\nmodel:     %s\n", title, listener.Addr(), opts.Upstream.Redacted())); err != nil {
		return err
	}
	return serve(e, server, listener, 250*time.Millisecond)
}

// serve serves until the program is told to end; requests under way then have
// the time grace to end.
func serve(e *env, server *http.Server, l net.Listener, grace time.Duration) error {
	ctx := e.ctx
	e.patience.serves.Store(true)
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if server.Shutdown(end) != nil {
		server.Close()
	}
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func loopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// options reads the books and puts the proxy's options together.
func (c *proxyCmd) options(e *env) (opts gateway.Options, title string, err error) {
	if opts.Upstream, err = url.Parse(c.Upstream); err != nil || opts.Upstream.Host == "" {
		return opts, "", fail(ExitUsage, "write it as http://127.0.0.1:5001/v1", "--upstream %q is not an address", c.Upstream)
	}
	budget, err := parseBudget(c.Budget)
	if err != nil {
		return opts, "", err
	}
	if c.Context <= 0 {
		return opts, "", fail(ExitUsage, "", "--context %d: want the size of the context window in tokens", c.Context)
	}
	vars, err := e.readVars(c.Vars)
	if err != nil {
		return opts, "", err
	}
	all, err := e.load(c.Books)
	if err != nil {
		return opts, "", err
	}
	scene, err := e.scene(all, casting{char: c.Char, user: c.User, vars: vars})
	if err != nil {
		return opts, "", err
	}
	if len(scene.findings) > 0 {
		if err := e.errPrint(e.err.findings(scene.findings, e.sources(scene.books...)) + "\n"); err != nil {
			return opts, "", err
		}
	}
	eo := engine.Options{}
	if c.Tokenizer != "" {
		eo.Tokenizer = tokens.ForModel(c.Tokenizer)
	}
	if opts.Engine, err = e.engine(eo); err != nil {
		return opts, "", err
	}
	opts.Index, opts.Input = scene.index, scene.input
	opts.Input.Budget, opts.Input.Context = budget, c.Context
	opts.World = fingerprint(c, scene.books)
	report := &proxyReport{env: e, trace: c.Trace}
	opts.Report = report.print
	return opts, fmt.Sprintf("%s in %s", plural(scene.entries, "entry"), plural(len(scene.books), "book")), nil
}

// fingerprint names the books and settings of a proxy.
func fingerprint(c *proxyCmd, books []*lore.Book) string {
	h := sha256.New()
	_ = json.NewEncoder(h).Encode(c)
	for _, b := range books {
		_ = json.NewEncoder(h).Encode(b)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// proxyReport prints what happened to requests, one at a time.
type proxyReport struct {
	env   *env
	trace bool

	mu sync.Mutex
	n  int
	// said are the problems that were told already.
	said map[string]bool
}

func (p *proxyReport) print(r gateway.Report) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++
	switch {
	case r.Err != nil:
		p.env.note("request %d passed without lore: %v", p.n, r.Err)
		return
	case r.Result == nil:
		return
	}
	for _, x := range r.Result.Problems {
		line := strings.TrimSpace(engine.EntryRef{Book: x.Book, Entry: x.Entry}.String() + ": " + x.Message)
		if p.said[line] {
			continue
		}
		if p.said == nil {
			p.said = map[string]bool{}
		}
		if len(p.said) < 10_000 {
			p.said[line] = true
		}
		p.env.note("%s", line)
	}
	for _, b := range r.Unplaced {
		if p.trace {
			p.env.note("%s has no place in a chat: it is for the outlet %q", b.Entry, b.Outlet)
		}
	}
	if !p.trace {
		return
	}
	used := 0
	for _, b := range r.Result.Blocks {
		used += b.Tokens
	}
	p.env.note("request %d: turn %d, %s, %s, %s in %.1f ms", p.n, r.Result.Trace.Turn, plural(r.Messages, "message"),
		plural(len(r.Result.Blocks), "block"), plural(used, "token"), float64(r.Took.Microseconds())/1000)
	for _, f := range r.Result.Trace.Fired {
		p.env.note("  %-24s %-14s %s", f.Entry, f.Slot+outcomeNote(f.Outcome), f.Reason)
	}
}

func outcomeNote(o engine.Outcome) string {
	if o == engine.OutcomeBlock {
		return ""
	}
	return "(" + strings.ReplaceAll(string(o), "_", " ") + ")"
}
