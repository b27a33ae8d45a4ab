package app

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/weft-memory/weft/client"
	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/server"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

// databaseFlag says which database is meant.
type databaseFlag struct {
	DB string `name:"db" setting:"shared" placeholder:"URL" help:"The database: a path, or postgres://user:password@host/name. Default: weft.db in your data directory."`
}

// tokenFlag signs in.
type tokenFlag struct {
	Token string `setting:"secret" placeholder:"TOKEN" help:"Sign in with this token. Others on the machine can see command lines: rather set WEFT_TOKEN."`
}

// serverFlags say what a command works with: a server, or a database.
type serverFlags struct {
	Server string `setting:"shared" placeholder:"URL" help:"The server to work with, such as http://127.0.0.1:8720. Default: the one that holds the database, or the database itself."`
	tokenFlag
	databaseFlag
}

// worldFlags say which world is meant.
type worldFlags struct {
	World string `short:"w" setting:"shared" placeholder:"ID" help:"The world. Default: the only one there is."`
	serverFlags
}

// placeFlags say at which point of which story.
type placeFlags struct {
	Conversation string `short:"c" placeholder:"ID" help:"The conversation; external:ID for one of another program, last for the one that was changed last. Default: none, that is the world by itself."`
	At           string `placeholder:"MESSAGE" help:"The message, by its id. Default: the newest one."`
	AsOf         int64  `placeholder:"N" help:"As it was at this number of the world. Default: now."`
	worldFlags
}

// link is a way to a server: to one that runs, or to one in this process that
// ends with the command.
type link struct {
	*client.Client
	env *env
	// address is that of the server; "" for a database in this process.
	address string
	// database is the database, without its password, where it is known.
	database string
	closers  []func()
}

// close ends what belongs to the link, the newest first.
func (l *link) close() {
	for i := len(l.closers) - 1; i >= 0; i-- {
		l.closers[i]()
	}
	l.closers = nil
}

// connect returns a link: to the server that is named, or to the one that holds
// the database, or else to the database itself.
func (f serverFlags) connect(e *env) (*link, error) {
	given, db := e.settings.origin("server"), e.settings.origin("db")
	if f.Server != "" && f.DB != "" {
		switch {
		case given.rank() == db.rank() && given.kind == fromFlag:
			return nil, fail(ExitUsage, "", "--server and --db both say where the worlds are: give one of them")
		case db.rank() > given.rank():
			f.Server = ""
		}
	}
	if f.Server != "" {
		return f.dial(e, f.Server, "")
	}
	path, err := e.database(f.DB)
	if err != nil {
		return nil, err
	}
	if holder, held := store.HolderOf(path); held && !isPostgres(path) {
		if holder.Address == "" {
			return nil, fail(ExitRefused, "try again when it has ended", "%w", &store.LockedError{Path: path, Holder: holder})
		}
		return f.dial(e, holder.Address, redacted(path))
	}
	if !isPostgres(path) {
		if _, err := os.Stat(sqliteFile(path)); errors.Is(err, fs.ErrNotExist) {
			return nil, fail(ExitInput, e.opts.Name+" serve makes one, and --server or WEFT_SERVER names a server elsewhere", "there is no database %s yet", path)
		}
	}
	return f.embed(e, path)
}

// dial returns a link to a server.
func (f serverFlags) dial(e *env, address, database string) (*link, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fail(ExitUsage, "write it as http://127.0.0.1:8720", "--server %s is not an address", redacted(address))
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	l := &link{
		env: e, address: address, database: database,
		Client: client.New(address, client.Options{Token: f.Token, HTTP: &http.Client{Transport: transport}}),
	}
	l.closers = append(l.closers, l.Close)
	return l, nil
}

// embed returns a link to a server in this process, which only this process can
// reach.
func (f serverFlags) embed(e *env, database string) (*link, error) {
	logger := slog.New(slog.NewTextHandler(e.err.w, &slog.HandlerOptions{Level: slog.LevelWarn}))
	db, err := openDatabase(e, database, storeOptions(logger))
	if err != nil {
		return nil, err
	}
	l := &link{env: e, database: redacted(database)}
	l.closers = append(l.closers, func() {
		if err := db.Close(); err != nil {
			e.note("%s: the database did not close well: %v", e.opts.Name, err)
		}
	})
	worlds, err := world.Open(db, world.Options{Plugins: e.opts.Plugins, Hooks: e.opts.Hooks, Log: logger})
	if err != nil {
		l.close()
		return nil, fail(ExitInternal, "", "%w", err)
	}
	l.closers = append(l.closers, func() { _ = worlds.Close() })
	handler := server.New(worlds, server.Options{Version: version(e.opts), Log: logger})
	pipes := newPipes()
	web := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = web.Serve(pipes) // until it is shut down
	}()
	l.Client = client.New("http://localhost", client.Options{HTTP: &http.Client{Transport: &http.Transport{DialContext: pipes.dial}}})
	l.closers = append(l.closers, func() {
		l.Close()
		handler.EndStreams()
		_ = web.Close()
		<-done
	})
	return l, nil
}

// openDatabase opens a database and says what is wrong in the terms of the
// command line.
func openDatabase(e *env, database string, o store.Options) (*store.DB, error) {
	db, err := store.Open(e.ctx, database, o)
	if err != nil {
		return nil, databaseError(e, err)
	}
	return db, nil
}

// databaseError gives an error of the store its exit status and a hint.
func databaseError(e *env, err error) error {
	if e.ctx.Err() != nil {
		return e.ctx.Err()
	}
	switch store.KindOf(err) {
	case store.Locked:
		return fail(ExitInput, "another database can be chosen with --db", "%w", err)
	case store.Invalid:
		return fail(ExitUsage, "write --db as a path, or as postgres://user:password@host/name", "%w", err)
	case store.TooNew:
		return fail(ExitInput, "install the newest version of "+e.opts.Name, "cannot open the database: %w", err)
	case store.Corrupt:
		return fail(ExitInput, e.opts.Name+" restore makes a database of a backup", "cannot open the database: %w", err)
	case store.Full, store.ReadOnly:
		return fail(ExitOutput, "", "cannot open the database: %w", err)
	}
	return fail(ExitInput, "", "cannot open the database: %w", err)
}

// refused turns an error of the client into one of the command line.
func (l *link) refused(err error) error {
	if err == nil || l.env.ctx.Err() != nil && errors.Is(err, l.env.ctx.Err()) {
		return err
	}
	var f *failure
	if errors.As(err, &f) {
		return err
	}
	var p *api.Problem
	if !errors.As(err, &p) {
		where := l.address
		if where == "" {
			where = l.database
		}
		var op *url.Error
		if errors.As(err, &op) {
			err = op.Err
		}
		return fail(ExitInput, "does it run? "+l.env.opts.Name+" serve starts one", "cannot reach the server at %s: %w", where, err)
	}
	switch {
	case p.Kind == api.Unauthorized:
		return fail(ExitRefused, "set the environment variable WEFT_TOKEN to a token of a user; the first start of the server printed one", "the server at %s wants to know who you are: %w", l.address, err)
	case p.Kind == api.Internal && p.Status >= 500:
		return fail(ExitRefused, "its log says more", "the server failed: %w", err)
	}
	return fail(ExitRefused, "", "%w", err)
}

// world returns the world that is meant.
func (f worldFlags) world(l *link) (*client.World, error) {
	if f.World != "" {
		return l.World(f.World), nil
	}
	page, err := l.Worlds(l.env.ctx, client.Page{Limit: 20})
	if err != nil {
		return nil, l.refused(err)
	}
	switch len(page.Items) {
	case 0:
		return nil, fail(ExitRefused, l.env.opts.Name+" world create NAME makes one", "there is no world yet")
	case 1:
		return l.World(page.Items[0].ID), nil
	}
	ids := make([]string, len(page.Items))
	for i, w := range page.Items {
		ids[i] = w.ID
	}
	if page.Next != "" {
		ids = append(ids, "…")
	}
	return nil, fail(ExitUsage, "the worlds are "+strings.Join(ids, ", "), "there are several worlds: say which with --world")
}

// open returns a link and the world that is meant.
func (f worldFlags) open(e *env) (*link, *client.World, error) {
	l, err := f.connect(e)
	if err != nil {
		return nil, nil, err
	}
	w, err := f.world(l)
	if err != nil {
		l.close()
		return nil, nil, err
	}
	return l, w, nil
}

// conversation returns the id of a conversation as the command line names it:
// "last" is the one that was changed last.
func (l *link) conversation(w *client.World, named string) (string, error) {
	if named != "last" {
		return named, nil
	}
	page, err := w.Conversations(l.env.ctx, client.Page{Limit: 1})
	if err != nil {
		return "", l.refused(err)
	}
	if len(page.Items) == 0 {
		return "", fail(ExitRefused, l.env.opts.Name+" conversation create makes one", "there is no conversation in the world %s yet", w.ID())
	}
	return page.Items[0].ID, nil
}

// place returns a link, the world, and the point that is meant.
func (f placeFlags) place(e *env) (*link, *client.World, client.Place, error) {
	l, w, err := f.open(e)
	if err != nil {
		return nil, nil, client.Place{}, err
	}
	at := client.Place{Node: f.At, AsOf: f.AsOf}
	if at.Conversation, err = l.conversation(w, f.Conversation); err != nil {
		l.close()
		return nil, nil, at, err
	}
	return l, w, at, nil
}

// pipes is a listener for connections within the process.
type pipes struct {
	conns chan net.Conn
	once  sync.Once
	ended chan struct{}
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), ended: make(chan struct{})} }

// Accept is part of net.Listener.
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.ended:
		return nil, net.ErrClosed
	}
}

// Close is part of net.Listener.
func (p *pipes) Close() error {
	p.once.Do(func() { close(p.ended) })
	return nil
}

// Addr is part of net.Listener.
func (p *pipes) Addr() net.Addr { return pipeAddr{} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-p.ended:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }
