// Package pgtest starts a PostgreSQL server of its own for tests. The server is
// the one that is installed on the machine; nothing is downloaded. It listens
// on a socket in a temporary folder, with no wish to keep anything, and ends
// with the process that started it, however that ends.
package pgtest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// Server is a running server.
type Server struct {
	dir   string
	cmd   *exec.Cmd
	stdin io.Closer
	admin *sql.DB
	log   *bytes.Buffer

	mu        sync.Mutex
	templates map[string]error
}

var (
	start  sync.Once
	server *Server
	failed error
	count  atomic.Int64
)

var errAbsent = errors.New("PostgreSQL is not installed (no folder /usr/lib/postgresql/*/bin, no postgres in PATH)")

// shared returns the server of this process.
func shared(t testing.TB) *Server {
	t.Helper()
	start.Do(func() { server, failed = Start() })
	if errors.Is(failed, errAbsent) && os.Getenv("CI") == "" {
		t.Skip(failed)
	}
	if failed != nil {
		t.Fatal(failed)
	}
	return server
}

// Stop ends the server of this process, if there is one, and waits for its end.
// Call it in TestMain behind m.Run; without it the server ends a moment after
// the process.
func Stop() {
	if server != nil {
		server.Stop()
	}
}

// Database returns the URL of a new, empty database, which is dropped when the
// test ends. Without an installed server the test is skipped, or fails if CI is
// set.
func Database(t testing.TB) string {
	t.Helper()
	return DatabaseFrom(t, "", nil)
}

// DatabaseFrom is Database with the contents that prepare makes: it is called
// once for each name, and its database is copied for every test.
func DatabaseFrom(t testing.TB, name string, prepare func(url string) error) string {
	t.Helper()
	s := shared(t)
	template := "template0"
	if prepare != nil {
		template = "t_" + name
		if err := s.template(template, prepare); err != nil {
			t.Fatalf("the template %s: %v", name, err)
		}
	}
	database := fmt.Sprintf("d%d", count.Add(1))
	if err := s.create(database, template); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := s.admin.Exec("DROP DATABASE " + database + " WITH (FORCE)"); err != nil {
			t.Errorf("drop the database of the test: %v", err)
		}
	})
	return s.URL(database)
}

// URL returns the URL of a database.
func (s *Server) URL(database string) string {
	return "postgres:///" + database + "?host=" + s.dir + "&user=postgres"
}

func (s *Server) create(database, template string) error {
	_, err := s.admin.Exec("CREATE DATABASE " + database + " TEMPLATE " + template)
	if err != nil {
		return fmt.Errorf("create a database: %w", err)
	}
	return nil
}

func (s *Server) template(name string, prepare func(url string) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err, done := s.templates[name]
	if !done {
		if err = s.create(name, "template0"); err == nil {
			err = prepare(s.URL(name))
		}
		s.templates[name] = err
	}
	return err
}

// binaries returns the folder of the newest server.
func binaries() (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	slices.SortFunc(found, func(a, b string) int { // 9 before 15
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return bytes.Compare([]byte(a), []byte(b))
	})
	if len(found) > 0 {
		return filepath.Dir(found[len(found)-1]), nil
	}
	path, err := exec.LookPath("initdb")
	if err != nil {
		return "", errAbsent
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return filepath.Dir(path), nil
}

// watch runs the server and ends it when the input does: that is when the
// process that holds the other end is gone.
const watch = `"$1/postgres" -D "$2/data" -k "$2" -c listen_addresses= -c fsync=off -c synchronous_commit=off -c full_page_writes=off \
	-c max_connections=200 -c shared_buffers=64MB -c autovacuum=off -c logging_collector=off &
pid=$!
cat >/dev/null
kill -INT $pid
wait $pid
rm -rf "$2"`

// Start starts a server.
func Start() (*Server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "weftpg")
	if err != nil {
		return nil, err
	}
	if err := own(dir); err != nil {
		return nil, err
	}
	s := &Server{dir: dir, log: new(bytes.Buffer), templates: map[string]error{}}
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", filepath.Join(dir, "data"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync")
	asServer(initdb)
	initdb.Dir = dir
	if out, err := initdb.CombinedOutput(); err != nil {
		_ = os.RemoveAll(dir)
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	s.cmd = exec.Command("/bin/sh", "-c", watch, "sh", bin, dir)
	asServer(s.cmd)
	s.cmd.Dir = dir
	s.cmd.Stdout, s.cmd.Stderr = s.log, s.log
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		_ = os.RemoveAll(dir)
		return nil, err
	}
	if s.admin, err = sql.Open("pgx", s.URL("postgres")); err != nil {
		s.Stop()
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for {
		if err = s.admin.PingContext(ctx); err == nil {
			return s, nil
		}
		select {
		case <-time.After(20 * time.Millisecond): // nothing tells when it is ready
		case <-ctx.Done():
			s.Stop()
			return nil, fmt.Errorf("PostgreSQL did not start: %w\n%s", err, s.log)
		}
	}
}

// Stop ends the server and waits for its end.
func (s *Server) Stop() {
	if s.admin != nil {
		_ = s.admin.Close()
	}
	_ = s.stdin.Close()
	_ = s.cmd.Wait()
}
