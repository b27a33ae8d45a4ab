package app

import (
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/examples"
	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/server"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/tokens"
	"github.com/weft-memory/weft/world"
)

type serveCmd struct {
	DB          string   `name:"db" placeholder:"URL" help:"The database: a path, or postgres://user:password@host/name. Default: weft.db in your data directory."`
	Listen      string   `default:"127.0.0.1:8720" placeholder:"ADDRESS" help:"Where to listen. Elsewhere than on loopback every caller needs a token. Default: ${default}."`
	Books       string   `placeholder:"DIR" help:"Follow a folder of books: a world of its name is made of it, and a saved file takes effect with the next turn."`
	Auth        bool     `help:"Ask for tokens on loopback too, for example behind a proxy."`
	AllowHost   []string `placeholder:"NAME" help:"Another name by which this server is called."`
	AllowOrigin []string `placeholder:"ORIGIN" help:"A page that may call this server from a browser, such as https://agnai.example; * allows all."`
	Tokenizer   string   `placeholder:"MODEL" help:"Count tokens as this model does. Default: an estimate by script."`
}

// Help is shown by --help.
func (serveCmd) Help() string {
	return `Serves worlds, books, characters and conversations over HTTP: what they are is at /openapi.json. The database is made if there is none, with a sample world.

On loopback nobody needs to sign in; pages of other sites, and names that were rebound to this machine, are refused. Elsewhere every caller needs a token: the first start makes an admin and prints the token once, or takes the one in the variable WEFT_TOKEN.

Examples:

    weft serve
    weft serve --books my_world
    weft serve --listen 0.0.0.0:8720 --db postgres://weft@db/weft`
}

// Run serves until it is told to stop.
func (c *serveCmd) Run(e *env) error {
	logger := slog.New(slog.NewTextHandler(e.err.w, &slog.HandlerOptions{Level: slog.LevelInfo}))
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

	listener, err := new(net.ListenConfig).Listen(e.ctx, "tcp", c.Listen)
	if err != nil {
		return fail(ExitInput, "another address can be chosen with --listen 127.0.0.1:8721", "cannot listen on %s: %w", c.Listen, err)
	}
	defer listener.Close() // a second time, unless the start fails
	address := "http://" + listener.Addr().String()
	if err := db.SetAddress(address); err != nil {
		return fail(ExitOutput, "", "cannot say at the database where this server is: %w", err)
	}
	auth := c.Auth || !loopback(listener.Addr())
	var token string
	if auth {
		if token, err = firstToken(e, db); err != nil {
			return fail(ExitInput, "", "cannot make the first user: %w", err)
		}
	}
	follow, err := c.prepare(e, worlds)
	if err != nil {
		return err
	}
	api := server.New(worlds, server.Options{
		Version: version(e.opts), Auth: auth, Hosts: c.AllowHost, Origins: c.AllowOrigin, BeforeTurn: follow, Log: logger,
	})
	web := &http.Server{
		Handler:           api,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          log.New(e.err.w, e.opts.Name+": ", 0),
	}
	web.RegisterOnShutdown(api.EndStreams)
	text := fmt.Sprintf("address:  %s\ndatabase: %s\n", address, redacted(c.DB))
	if token != "" {
		text += fmt.Sprintf("token:    %s\n          (of the user admin; it is shown this once)\n", token)
	}
	if err := e.print(text); err != nil {
		return err
	}
	stop := prune(e.ctx, worlds, logger)
	defer stop()
	defer api.EndStreams()
	return serve(e, web, listener, requestGrace)
}

// requestGrace is how long requests under way may go on when the server ends.
const requestGrace = 10 * time.Second

// open opens the database, in the user's data directory unless told otherwise.
func (c *serveCmd) open(e *env, logger *slog.Logger) (*store.DB, error) {
	if c.DB == "" {
		dir, err := dataDir(e.opts.Getenv)
		if err != nil {
			return nil, fail(ExitUsage, "say where with --db", "there is no data directory: %w", err)
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fail(ExitOutput, "another place can be chosen with --db", "cannot make the data directory: %w", err)
		}
		c.DB = filepath.Join(dir, "weft.db")
	}
	o := store.Options{Log: logger}
	if _, port, err := net.SplitHostPort(c.Listen); err == nil && port != "0" {
		o.Address = "http://" + c.Listen
	}
	db, err := store.Open(e.ctx, c.DB, o)
	switch store.KindOf(err) {
	case "":
		if err != nil {
			return nil, err
		}
		return db, nil
	case store.Locked:
		return nil, fail(ExitInput, "another database can be chosen with --db", "%w", err)
	case store.Invalid:
		return nil, fail(ExitUsage, "write --db as a path, or as postgres://user:password@host/name", "%w", err)
	}
	return nil, fail(ExitInput, "", "cannot open the database: %w", err)
}

// dataDir is where programs keep what belongs to a user.
func dataDir(getenv func(string) string) (string, error) {
	home := func(elem ...string) (string, error) {
		dir := getenv("HOME")
		if runtime.GOOS == "windows" {
			dir = getenv("USERPROFILE")
		}
		if dir == "" {
			return "", errors.New("the environment names no home directory")
		}
		return filepath.Join(append([]string{dir}, elem...)...), nil
	}
	switch runtime.GOOS {
	case "windows":
		if dir := getenv("LOCALAPPDATA"); dir != "" {
			return filepath.Join(dir, "weft"), nil
		}
		return home("AppData", "Local", "weft")
	case "darwin":
		return home("Library", "Application Support", "weft")
	}
	if dir := getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "weft"), nil
	}
	return home(".local", "share", "weft")
}

// redacted is a URL of a database without its password.
func redacted(db string) string {
	if u, err := url.Parse(db); err == nil && u.User != nil {
		return u.Redacted()
	}
	return db
}

// firstToken makes sure that there is an admin who can sign in: with the key in
// WEFT_TOKEN, or, if there are no users yet, with a new one, which it returns.
func firstToken(e *env, db *store.DB) (made string, err error) {
	given := e.opts.Getenv("WEFT_TOKEN")
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

// sampleWorld makes the example world, with a conversation to go on with.
func sampleWorld(ctx context.Context, worlds *world.Service) error {
	dir, findings, err := lore.LoadFS(ctx, examples.Skerrow(), "skerrow")
	if err != nil {
		return err
	}
	if findings.HasErrors() {
		return fmt.Errorf("the book cannot be read: %w", findings.Err())
	}
	w, err := worlds.CreateWorld(ctx, world.NewWorld{ID: "skerrow", Name: "Skerrow"})
	if err != nil {
		return err
	}
	if _, err := worlds.SaveBook(ctx, w.ID, dir.Book(), world.SaveBook{Note: "the sample world"}); err != nil {
		return err
	}
	got, err := worlds.Import(ctx, w.ID, format.Bytes("maddis.json", examples.Maddis()), world.Import{})
	if err != nil {
		return err
	}
	n := world.NewConversation{Title: "A first evening"}
	for _, c := range got.Characters {
		n.Settings.Characters = append(n.Settings.Characters, c.ID)
	}
	_, err = worlds.CreateConversation(ctx, w.ID, n)
	return err
}

// prune deletes what is kept no longer, now and then, until it is stopped.
func prune(ctx context.Context, worlds *world.Service, logger *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for tick := time.NewTicker(time.Hour); ; {
			select {
			case <-ctx.Done():
				tick.Stop()
				return
			case <-tick.C:
			}
			if _, err := worlds.Prune(ctx); err != nil && ctx.Err() == nil {
				logger.Error("what is kept no longer could not be deleted", "error", err)
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}
