package llmtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// TB is what the package needs of testing.TB. It does not import testing, since
// programs that are no tests use it too.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Cleanup(func())
	Name() string
}

// New starts a server on a free port of this machine that plays a script, in YAML
// or JSON, until the test ends. The test fails if a request was not foreseen or
// wrong, or a step was not used.
func New(t TB, script string) *Server {
	t.Helper()
	return Play(t, parse(t, script))
}

func parse(t TB, src string) *Script {
	t.Helper()
	script, err := ParseScript(src)
	if err != nil {
		t.Fatalf("llmtest: %v", err)
	}
	return script
}

// Play is [New] with a script that is made by the test.
func Play(t TB, script *Script) *Server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("llmtest: %v", err)
	}
	s := start(t, script, l)
	s.Client = &http.Client{Transport: &http.Transport{}}
	return s
}

// Pipe is like [New] on a network in memory: for tests inside of a
// testing/synctest bubble. Give the client Network.Dial.
func Pipe(t TB, script string) (*Server, *Network) {
	t.Helper()
	n := &Network{conns: make(chan net.Conn), done: make(chan struct{})}
	s := start(t, parse(t, script), n)
	s.URL = "http://127.0.0.1:80"
	s.Client = &http.Client{Transport: &http.Transport{DialContext: n.Dial}}
	return s, n
}

// Lenient returns a TB whose failures of expectations are not failures of the
// test: for tests that look at [Server.Problems] and [Server.Unused] themselves.
func Lenient(t TB) TB { return lenient{t} }

type lenient struct{ TB }

func (lenient) Errorf(string, ...any) {}

func start(t TB, script *Script, l net.Listener) *Server {
	t.Helper()
	s, err := Handler(script, func(problem string) { t.Errorf("llmtest: %s", problem) })
	if err != nil {
		t.Fatalf("llmtest: %v", err)
	}
	s.URL = "http://" + l.Addr().String()
	server := &http.Server{Handler: s, ReadHeaderTimeout: time.Minute, ErrorLog: discard()}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(l); err != nil && !errors.Is(err, http.ErrServerClosed) {
			s.problem("the server ended: %v", err)
		}
	}()
	t.Cleanup(func() {
		s.Close()
		_ = server.Close()
		<-done
		s.Client.CloseIdleConnections()
		for _, name := range s.Unused() {
			t.Errorf("llmtest: nobody asked for %s", name)
		}
	})
	return s
}

// Refused returns an address at which nobody listens.
func Refused(t TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("llmtest: %v", err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

// Network is a network in memory with one server on it.
type Network struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

var _ net.Listener = (*Network)(nil)

// Dial connects to the server, whatever the address.
func (n *Network) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case n.conns <- server:
		return client, nil
	case <-n.done:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept waits for a connection.
func (n *Network) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.done:
		return nil, net.ErrClosed
	}
}

// Close refuses further connections.
func (n *Network) Close() error {
	n.once.Do(func() { close(n.done) })
	return nil
}

// Addr returns an address for show.
func (n *Network) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// Golden compares the requests so far with a file, or writes it if update is
// true. See [Server.Record].
func (s *Server) Golden(t TB, path string, update bool) {
	t.Helper()
	got := s.Record()
	if update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatalf("llmtest: %v", err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("llmtest: %v (write it with -update)", err)
	}
	if line := firstDifference(string(want), got); line != "" {
		t.Errorf("llmtest: the requests differ from %s: %s", path, line)
	}
}

func firstDifference(want, got string) string {
	if want == got {
		return ""
	}
	w, g := lines(want), lines(got)
	for i := 0; ; i++ {
		a, b := "(end)", "(end)"
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if a != b {
			return fmt.Sprintf("line %d\nwant %s\n got %s", i+1, a, b)
		}
	}
}
