package server

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/jobs"
	"github.com/weft-memory/weft/world"
)

// Options configure a Server. The zero value serves loopback.
type Options struct {
	// Version is what /version says. Defaults to "dev".
	Version string
	// Auth asks every caller for a token, /healthz, /readyz, /version and the
	// OpenAPI document excepted. Set it as soon as others can reach the server.
	Auth bool
	// Hosts are names by which the server is called, beside loopback ones. With
	// Auth they are checked only if there are any: a page whose name was rebound
	// to the server has no token.
	Hosts []string
	// Origins are pages that may call the server from a browser, such as
	// https://agnai.example; "*" allows all.
	Origins []string
	// BeforeTurn is called before lore of a world is assembled, for example to
	// take up changed files. An error is logged, and the turn goes on.
	BeforeTurn func(ctx context.Context, world string) error
	// Work is the queue that does the work of this server, for /readyz; nil if
	// it does none.
	Work *jobs.Queue
	// MaxBody bounds a request in bytes, MaxFile one that brings a book or a
	// file. Default to 4 MiB and 64 MiB.
	MaxBody, MaxFile int64
	// Ping is how often a stream of events says that it lives. Defaults to 15 s.
	Ping time.Duration
	// Log takes what a caller is not told. Defaults to slog.Default().
	Log *slog.Logger
}

// Server answers requests. It is an http.Handler.
type Server struct {
	worlds  *world.Service
	opts    Options
	api     huma.API
	metrics *metrics
	handler http.Handler
	// signIn bounds how many passwords are checked at a time; byAddress and
	// byName how many wrong ones are taken from an address and for a name.
	signIn            chan struct{}
	byAddress, byName *limiter
	// tickets is the key that signs tickets, once it is known.
	tickets atomic.Pointer[[]byte]
	now     func() time.Time

	closing chan struct{}
	once    sync.Once
}

// New returns a server of worlds. The service stays the caller's.
func New(worlds *world.Service, opts Options) *Server {
	if opts.Version == "" {
		opts.Version = "dev"
	}
	if opts.MaxBody <= 0 {
		opts.MaxBody = 4 << 20
	}
	if opts.MaxFile <= 0 {
		opts.MaxFile = 64 << 20
	}
	if opts.Ping <= 0 {
		opts.Ping = 15 * time.Second
	}
	if opts.Log == nil {
		opts.Log = slog.Default()
	}
	s := &Server{worlds: worlds, opts: opts, signIn: make(chan struct{}, 2), now: time.Now, closing: make(chan struct{})}
	s.byAddress, s.byName = newLimiter(10, 30*time.Second), newLimiter(30, 10*time.Second)
	s.metrics = newMetrics(worlds)
	mux := http.NewServeMux()
	s.api = humago.New(mux, config(opts.Version))
	s.registerAll()
	mux.Handle("GET /metrics", s.metrics.handler())
	mux.HandleFunc("/", s.noRoute)
	s.handler = s.metrics.count(s.recovered(s.guard(s.identify(s.requests(withMethods(mux))))))
	return s
}

func config(version string) huma.Config {
	c := huma.DefaultConfig("Weft", version)
	c.Info.Description = "The native API of Weft: worlds, books, characters, conversations, and what is remembered of them."
	c.DocsPath = ""    // the page would load from another site
	c.SchemasPath = "" // and so no $schema in every answer
	c.CreateHooks = nil
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer"}}
	c.RejectUnknownQueryParameters = true
	return c
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// EndStreams ends the streams of events, which otherwise last as long as their
// readers. Give it to [http.Server.RegisterOnShutdown]. It may be called twice.
func (s *Server) EndStreams() { s.once.Do(func() { close(s.closing) }) }

// OpenAPI returns the OpenAPI document.
func (s *Server) OpenAPI() ([]byte, error) { return json.MarshalIndent(s.api.OpenAPI(), "", "  ") }

func (s *Server) registerAll() {
	s.registerHealth()
	s.registerUsers()
	s.registerWorlds()
	s.registerEvents()
	s.registerTickets()
	s.registerBooks()
	s.registerEntries()
	s.registerCharacters()
	s.registerConversations()
	s.registerNodes()
	s.registerTurns()
	s.registerOperations()
	s.registerWork()
	s.registerImports()
	s.registerBackup()
}

// prefix begins the paths of the API.
const prefix = "/api/v1"

// route describes an operation of the API.
type route struct {
	method, path, id, summary string
	// status is that of success; 0 is 200.
	status int
	tag    string
	// file says that the request brings a file.
	file bool
}

func (s *Server) op(r route) huma.Operation {
	op := huma.Operation{
		OperationID: r.id, Method: r.method, Path: r.path, Summary: r.summary, DefaultStatus: r.status,
		MaxBodyBytes: s.opts.MaxBody + 1, BodyReadTimeout: 30 * time.Second, Tags: []string{r.tag},
		Errors: []int{},
	}
	if r.file {
		op.MaxBodyBytes, op.BodyReadTimeout = s.opts.MaxFile+1, 5*time.Minute
	}
	if len(r.path) > len(prefix) && r.path[:len(prefix)] == prefix {
		op.Security = []map[string][]string{{"token": {}}, {}}
	}
	return op
}

// add registers a handler.
func add[I, O any](s *Server, r route, handler func(ctx context.Context, in *I) (*O, error)) {
	huma.Register(s.api, s.op(r), func(ctx context.Context, in *I) (*O, error) {
		out, err := handler(ctx, in)
		if err != nil {
			return nil, s.fail(ctx, err)
		}
		return out, nil
	})
}

func (s *Server) registerHealth() {
	type health struct {
		Status int
		Body   api.Health
	}
	add(s, route{method: "GET", path: "/healthz", id: "get-health", summary: "Whether the server runs", tag: "server"},
		func(context.Context, *struct{}) (*health, error) {
			return &health{200, api.Health{Status: "ok"}}, nil
		})
	add(s, route{method: "GET", path: "/readyz", id: "get-ready", summary: "Whether the server can serve: 503 if its database cannot be reached, or it is about to end", tag: "server"},
		func(ctx context.Context, _ *struct{}) (*health, error) {
			select {
			case <-s.closing:
				return &health{503, api.Health{Status: "the server is about to end"}}, nil
			default:
			}
			if err := s.worlds.DB().Ping(ctx); err != nil {
				s.opts.Log.Error("the database cannot be reached", "error", err)
				return &health{503, api.Health{Status: "the database cannot be reached"}}, nil
			}
			return &health{200, api.Health{Status: "ok", Work: s.workHealth(ctx)}}, nil
		})
	add(s, route{method: "GET", path: "/version", id: "get-version", summary: "What the server is", tag: "server"},
		func(context.Context, *struct{}) (*struct{ Body api.Version }, error) {
			return &struct{ Body api.Version }{api.Version{Name: "weft", Version: s.opts.Version, API: "v1"}}, nil
		})
}
