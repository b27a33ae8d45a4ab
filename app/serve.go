package app

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/jobs"
	"github.com/weft-memory/weft/server"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/tokens"
	"github.com/weft-memory/weft/world"
)

type serveCmd struct {
	databaseFlag
	Token       string   `setting:"secret" placeholder:"TOKEN" help:"A token that signs in as admin, where tokens are asked for. Others on the machine can see command lines: rather set WEFT_TOKEN."`
	Listen      string   `setting:"own" default:"127.0.0.1:8720" placeholder:"ADDRESS" help:"Where to listen. Elsewhere than on loopback every caller needs a token. Default: ${default}."`
	Books       string   `setting:"own" placeholder:"DIR" help:"Follow a folder of books: a world of its name is made of it, and a saved file takes effect with the next turn."`
	Sample      bool     `setting:"own" default:"true" negatable:"" help:"Put the sample world into a database without worlds. Default: yes, unless --books is given."`
	Auth        bool     `setting:"own" help:"Ask for tokens on loopback too, for example behind a proxy."`
	AllowHost   []string `setting:"own" placeholder:"NAME" help:"Another name by which this server is called; may be given several times."`
	AllowOrigin []string `setting:"own" placeholder:"ORIGIN" help:"A page that may call this server from a browser, such as https://agnai.example; * allows all. May be given several times."`
	Tokenizer   string   `setting:"own" placeholder:"MODEL" help:"Count tokens as this model does. Default: an estimate by script."`

	KeepEvents    keep `setting:"own" default:"7d" placeholder:"TIME" help:"How long events are kept for readers that come back: 7d, 36h, or forever. Default: ${default}."`
	KeepResponses keep `setting:"own" default:"24h" placeholder:"TIME" help:"How long the answers to requests with an idempotency key are kept. Default: ${default}."`
	KeepWork      keep `setting:"own" default:"7d" placeholder:"TIME" help:"How long work in the background is listed when it is over. Default: ${default}."`
	KeepDeleted   keep `setting:"own" default:"30d" placeholder:"TIME" help:"How long deleted conversations and messages can be brought back before they are erased for good. Default: ${default}."`

	FullCheck bool   `setting:"own" help:"Check the whole database before serving. Otherwise that is done only if it was not closed well. SQLite only."`
	LogLevel  string `setting:"own" default:"info" enum:"debug,info,warn,error" placeholder:"LEVEL" help:"How much is logged on standard error: debug, info, warn or error. Default: ${default}."`
}

// Help is shown by --help.
func (serveCmd) Help() string {
	return `Serves worlds, books, characters and conversations over HTTP; docs/server.md shows how to use it, and /openapi.json describes all of it. The database is made if there is none, with a sample world.

On loopback nobody needs to sign in; pages of other sites, and names that were rebound to this machine, are refused. Elsewhere every caller needs a token: the first start makes an admin and prints the token once, or takes the one in WEFT_TOKEN.

A file of settings saves typing flags: weft config shows where it is read from, and docs/configuration.md what it may say.

Examples:

    weft serve
    weft serve --books my_world
    weft serve --listen 0.0.0.0:8720 --db postgres://weft@db/weft`
}

// Run serves until it is told to stop.
func (c *serveCmd) Run(e *env) error {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		return fail(ExitUsage, "", "--log-level: %w", err)
	}
	logger := slog.New(slog.NewTextHandler(e.err.w, &slog.HandlerOptions{Level: level}))
	db, err := c.open(e, logger)
	if err != nil {
		return err
	}
	defer func() {
		if err := db.Close(); err != nil {
			e.note("%s: the database did not close well: %v", e.opts.Name, err)
		}
	}()
	eo := engine.Options{}
	if c.Tokenizer != "" {
		eo.Tokenizer = tokens.ForModel(c.Tokenizer)
	}
	worlds, err := world.Open(db, world.Options{Engine: eo, Plugins: e.opts.Plugins, Hooks: e.opts.Hooks, Log: logger})
	if err != nil {
		return fail(ExitInternal, "", "%w", err)
	}
	defer worlds.Close()
	work, err := jobs.Open(db, jobs.Options{Log: logger})
	if err != nil {
		return fail(ExitInternal, "", "%w", err)
	}
	defer endWork(e, work)
	if err := c.retain(e, worlds); err != nil {
		return fail(ExitOutput, "", "cannot say at the database how long things are kept: %w", err)
	}

	listener, err := new(net.ListenConfig).Listen(e.ctx, "tcp", c.Listen)
	if err != nil {
		return fail(ExitInput, "another address can be chosen with --listen 127.0.0.1:8721", "cannot listen on %s: %w", c.Listen, err)
	}
	defer listener.Close() // a second time, unless the start fails
	address := addressOf(listener.Addr())
	if err := db.SetAddress(address); err != nil {
		return fail(ExitOutput, "", "cannot say at the database where this server is: %w", err)
	}
	auth := c.Auth || !loopback(listener.Addr())
	var token string
	if auth {
		if token, err = c.firstToken(e, db); err != nil {
			return fail(ExitInput, "", "cannot make the first user: %w", err)
		}
	}
	follow, err := c.prepare(e, worlds)
	if err != nil {
		return err
	}
	api := server.New(worlds, server.Options{
		Version: version(e.opts), Auth: auth, Hosts: c.AllowHost, Origins: c.AllowOrigin, BeforeTurn: follow, Work: work, Log: logger,
	})
	web := &http.Server{
		Handler:           api,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          log.New(e.err.w, e.opts.Name+": ", 0),
	}
	web.RegisterOnShutdown(api.EndStreams)
	if err := e.print(c.greeting(e, worlds, address, auth, token)); err != nil {
		return err
	}
	work.Start()
	stop := prune(e.ctx, worlds, logger)
	defer stop()
	defer api.EndStreams()
	return serve(e, web, listener, requestGrace)
}

// addressOf is where a listener can be reached from this machine.
func addressOf(a net.Addr) string {
	if tcp, ok := a.(*net.TCPAddr); ok && (tcp.IP == nil || tcp.IP.IsUnspecified()) {
		return "http://" + net.JoinHostPort("127.0.0.1", strconv.Itoa(tcp.Port))
	}
	return "http://" + a.String()
}

// greeting is what a server prints when it is ready.
func (c *serveCmd) greeting(e *env, worlds *world.Service, address string, auth bool, token string) string {
	var b strings.Builder
	line := func(name, value string) { fmt.Fprintf(&b, "%-10s%s\n", name+":", value) }
	line("address", address)
	line("database", redacted(c.DB))
	if list, next, err := worlds.Worlds(e.ctx, store.AnyOwner, store.Page{Limit: 5}); err == nil && len(list) > 0 {
		ids := make([]string, len(list))
		for i, w := range list {
			ids[i] = w.ID
		}
		if next != "" {
			ids = append(ids, "…")
		}
		line("worlds", strings.Join(ids, ", "))
	}
	header := ""
	if auth {
		header = ` -H "Authorization: Bearer $WEFT_TOKEN"`
	}
	switch {
	case token != "":
		line("token", token)
		fmt.Fprintf(&b, "%10s(of the user admin; it is shown this once)\n", "")
	case auth:
		line("sign in", "every caller needs a token")
	}
	fmt.Fprintf(&b, "\nTry:      %s status\n          curl%s %s/api/v1/worlds\nThe end:  Ctrl-C\n", e.opts.Name, header, address)
	return b.String()
}

// keep is how long something is kept. Negative is for ever.
type keep time.Duration

// UnmarshalText reads 7d, 36h, 90m, or forever.
func (k *keep) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	if s == "forever" {
		*k = -1
		return nil
	}
	var d time.Duration
	var err error
	if days, ok := strings.CutSuffix(s, "d"); ok {
		var n float64
		n, err = strconv.ParseFloat(days, 64)
		d = time.Duration(n * 24 * float64(time.Hour))
		if n > 100_000 {
			err = errors.New("too long")
		}
	} else {
		d, err = time.ParseDuration(s)
	}
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is no time: write 7d, 36h, 90m, or forever", s)
	}
	*k = keep(d)
	return nil
}

// String writes it as it is read.
func (k keep) String() string {
	d := time.Duration(k)
	switch {
	case d < 0:
		return "forever"
	case d > 24*time.Hour && d%(24*time.Hour) == 0:
		return strconv.Itoa(int(d/(24*time.Hour))) + "d"
	case d%time.Hour == 0:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	}
	return d.String()
}

// retain says at the database how long things are kept.
func (c *serveCmd) retain(e *env, worlds *world.Service) error {
	want := store.Retention{Events: time.Duration(c.KeepEvents), Responses: time.Duration(c.KeepResponses), Deleted: time.Duration(c.KeepDeleted), Work: time.Duration(c.KeepWork)}
	is, err := worlds.Retention(e.ctx)
	if err != nil || is == want {
		return err
	}
	return worlds.SetRetention(e.ctx, want)
}

// endWork waits a little for work that runs; what is not over by then is done by
// the next server.
func endWork(e *env, work *jobs.Queue) {
	ctx, cancel := context.WithTimeout(context.Background(), requestGrace)
	defer cancel()
	if err := work.Close(ctx); err != nil {
		e.note("%s: %v", e.opts.Name, err)
	}
}

// requestGrace is how long requests under way may go on when the server ends.
const requestGrace = 10 * time.Second

// open opens the database, in the user's data directory unless told otherwise.
func (c *serveCmd) open(e *env, logger *slog.Logger) (*store.DB, error) {
	given := c.DB
	var err error
	if c.DB, err = e.database(given); err != nil {
		return nil, err
	}
	if given == "" {
		if err := os.MkdirAll(filepath.Dir(c.DB), 0o700); err != nil {
			return nil, fail(ExitOutput, "another place can be chosen with --db", "cannot make the data directory: %w", err)
		}
	}
	o := storeOptions(logger)
	o.FullCheck = c.FullCheck
	if at, err := net.ResolveTCPAddr("tcp", c.Listen); err == nil && at.Port != 0 {
		o.Address = addressOf(at)
	}
	return openDatabase(e, c.DB, o)
}

// storeOptions are those of every command that opens a database: all know the
// same tables.
func storeOptions(logger *slog.Logger) store.Options {
	return store.Options{Log: logger}
}

// firstToken makes sure that there is an admin who can sign in: with the key in
// WEFT_TOKEN, or, if there are no users yet, with a new one, which it returns.
func (c *serveCmd) firstToken(e *env, db *store.DB) (made string, err error) {
	given := c.Token
	err = db.Update(e.ctx, func(tx *store.Tx) error {
		made = ""
		users, _, err := tx.Users(store.Page{Limit: 1})
		if err != nil || len(users) > 0 && given == "" {
			return err
		}
		if given != "" {
			if _, _, err := tx.UserByToken(given); store.KindOf(err) != store.NotFound {
				return err
			}
		}
		admin, err := tx.UserByName("admin")
		if store.KindOf(err) == store.NotFound {
			admin, err = tx.CreateUser(store.User{Name: "admin", Admin: true})
		}
		if err != nil {
			return err
		}
		if given != "" {
			_, err = tx.CreateTokenWithKey(admin.ID, "WEFT_TOKEN", given, 0)
			return err
		}
		_, made, err = tx.CreateToken(admin.ID, "first", 0)
		return err
	})
	return made, err
}

// prepare makes the world that a folder is followed in, or, in a new database,
// the sample world. It returns what is to be done before a turn.
func (c *serveCmd) prepare(e *env, worlds *world.Service) (func(context.Context, string) error, error) {
	if c.Books == "" {
		if !c.Sample {
			return nil, nil
		}
		list, _, err := worlds.Worlds(e.ctx, store.AnyOwner, store.Page{Limit: 1})
		if err == nil && len(list) == 0 {
			err = sampleWorld(e.ctx, worlds)
		}
		if err != nil {
			return nil, fail(ExitInput, "", "cannot load the sample world: %w", err)
		}
		return nil, nil
	}
	dir, err := filepath.Abs(c.Books)
	if err != nil {
		return nil, fail(ExitUsage, "", "%w", err)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fail(ExitInput, "--books names a book folder, or a folder of books", "%s is not a folder", c.Books)
	}
	id := filepath.Base(dir)
	_, err = worlds.World(e.ctx, id)
	if store.KindOf(err) == store.NotFound {
		_, err = worlds.CreateWorld(e.ctx, world.NewWorld{ID: id, Name: id})
	}
	if err != nil {
		return nil, fail(ExitInput, "", "cannot make the world %s: %w", id, err)
	}
	f := &follower{env: e, worlds: worlds, world: id, dir: dir}
	if err := f.sync(e.ctx); err != nil {
		return nil, fail(ExitInput, "", "cannot follow %s: %w", c.Books, err)
	}
	return func(ctx context.Context, of string) error {
		if of != id {
			return nil
		}
		return f.sync(ctx)
	}, nil
}

// follower brings a world up to a folder, and tells of what is broken once.
type follower struct {
	env        *env
	worlds     *world.Service
	world, dir string

	mu   sync.Mutex
	said string
}

func (f *follower) sync(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	// The folder is the server's, whoever asks for the turn.
	ctx = world.As(ctx, world.Caller{Name: f.env.opts.Name, Admin: true})
	r, err := f.worlds.SyncDir(ctx, f.world, f.dir)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, d := range r.Findings {
		text.WriteString(d.Error() + "\n")
	}
	for _, id := range r.Kept {
		text.WriteString("the book " + id + " keeps its last good version\n")
	}
	if text.String() != f.said {
		if f.said = text.String(); f.said != "" {
			f.env.note("%s", strings.TrimSuffix(f.said, "\n"))
		}
	}
	return nil
}

// prune deletes what is kept no longer, now and then, until it is stopped.
func prune(ctx context.Context, worlds *world.Service, logger *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Hour)
		defer tick.Stop()
		for {
			if _, err := worlds.Prune(ctx); err != nil && ctx.Err() == nil {
				logger.Error("what is kept no longer could not be deleted", "error", err)
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}
