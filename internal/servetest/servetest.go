// Package servetest builds the program weft and runs its server as a process of
// its own, for tests of what stands around it: pages, example programs, clients.
package servetest

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/weft-memory/weft/internal/testenv"
)

// Server is a weft serve that runs.
type Server struct {
	// Address is where it listens: http://127.0.0.1:port.
	Address string
	// Token is what its first start printed; "" where none is asked for.
	Token string
	// DB is the path of its database.
	DB string

	t    testing.TB
	cmd  *exec.Cmd
	errs bytes.Buffer // to be read when the process has ended
	done chan error
	once sync.Once
}

// Build builds one of the project's programs, such as ./cmd/weft, into the
// folder of the test, and returns its path.
func Build(t testing.TB, pkg string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.Base(pkg))
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	cmd := exec.Command("go", "build", "-o", path, pkg)
	cmd.Dir = testenv.Root()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", pkg, err, out)
	}
	return path
}

// Start runs program serve with a database of its own on a free port, and ends
// it with the test. args are further arguments.
func Start(t testing.TB, program string, args ...string) *Server {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("there is no interrupt to send")
	}
	home := t.TempDir()
	s := &Server{t: t, DB: filepath.Join(home, "weft.db"), done: make(chan error, 1)}
	s.cmd = exec.Command(program, append([]string{"serve", "--listen", "127.0.0.1:0", "--db", s.DB}, args...)...)
	s.cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "WEFT_CONFIG=", "WEFT_TOKEN=")
	s.cmd.Stderr = &s.errs
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready := false
	for lines := bufio.NewScanner(out); !ready && lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ":")
		switch value = strings.TrimSpace(value); name {
		case "address":
			s.Address = value
		case "token":
			s.Token = value
		case "The end":
			ready = true
		}
	}
	go func() {
		_, _ = io.Copy(io.Discard, out)
		s.done <- s.cmd.Wait()
	}()
	t.Cleanup(s.Stop)
	if !ready {
		t.Fatalf("the server did not start: %v\n%s", <-s.done, s.errs.String())
	}
	return s
}

// Stop ends the server in order. It may be called twice.
func (s *Server) Stop() {
	s.once.Do(func() {
		_ = s.cmd.Process.Signal(os.Interrupt)
		select {
		case err := <-s.done:
			if err != nil {
				s.t.Errorf("the server ended with %v\n%s", err, s.errs.String())
			}
		case <-time.After(time.Minute):
			_ = s.cmd.Process.Kill()
			s.t.Errorf("the server did not end: %v", <-s.done)
		}
	})
}
