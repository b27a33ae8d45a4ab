//go:build unix

package endtoend

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/weft-memory/weft/client/api"
)

// weft is a running `weft serve`.
type weft struct {
	t       testing.TB
	cmd     *exec.Cmd
	address string
	token   string
	http    *http.Client

	orders io.WriteCloser
	points chan string // what the process tells of its fail points

	out, errs text
	ended     chan struct{}
	err       error // of the process, once it has ended
}

// text is what a process wrote.
type text struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (t *text) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.Write(p)
}

func (t *text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.b.String()
}

// patience bounds everything that has to happen at some time, however slow the
// machine is.
const patience = 60 * time.Second

// try starts weft serve on a database and a free port, and waits until it
// serves or has ended.
func try(t testing.TB, db string, change func(*exec.Cmd), args ...string) *weft {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	w := &weft{t: t, points: make(chan string, 1000), ended: make(chan struct{})}
	w.http = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}, Timeout: patience}
	w.cmd = exec.Command(exe, append([]string{"serve", "--listen", "127.0.0.1:0", "--db", db}, args...)...)
	home := t.TempDir()
	w.cmd.Env = append(os.Environ(), childEnv+"="+armed, "HOME="+home, "XDG_DATA_HOME="+home)
	w.cmd.Stderr = &w.errs
	orders, give, err := os.Pipe()
	must(t, err)
	tell, points, err := os.Pipe()
	must(t, err)
	w.cmd.ExtraFiles = []*os.File{orders, points}
	w.orders = give
	if change != nil {
		change(w.cmd)
	}
	out, err := w.cmd.StdoutPipe()
	must(t, err)
	must(t, w.cmd.Start())
	_, _ = orders.Close(), points.Close()
	go func() {
		for lines := bufio.NewScanner(tell); lines.Scan(); {
			w.points <- lines.Text()
		}
		_ = tell.Close()
		close(w.points)
	}()
	ready := make(chan struct{})
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			fmt.Fprintln(&w.out, lines.Text())
			if at, ok := strings.CutPrefix(lines.Text(), "address:"); ok {
				w.address = strings.TrimSpace(at)
			}
			if key, ok := strings.CutPrefix(lines.Text(), "token:"); ok {
				w.token = strings.TrimSpace(key)
			}
			// The lines come in one piece; the last one says what database it is.
			if strings.HasPrefix(lines.Text(), "database:") && !contains(args, "--auth") || strings.HasPrefix(lines.Text(), "token:") {
				close(ready)
				break
			}
		}
		_, _ = io.Copy(&w.out, out)
		w.err = w.cmd.Wait()
		close(w.ended)
	}()
	t.Cleanup(func() {
		w.kill()
		_ = give.Close()
		w.http.CloseIdleConnections()
	})
	select {
	case <-ready:
	case <-w.ended:
	case <-time.After(patience):
		t.Fatalf("weft serve neither serves nor ends\n%s%s", &w.out, &w.errs)
	}
	return w
}

func contains(list []string, s string) bool { return strings.Contains(strings.Join(list, " "), s) }

// start is try for a server that has to come up.
func start(t testing.TB, db string, args ...string) *weft {
	t.Helper()
	w := try(t, db, nil, args...)
	if w.address == "" {
		t.Fatalf("weft serve does not start: %v\n%s", w.err, &w.errs)
	}
	return w
}

// kill ends the process as kill -9 does, and waits for its end.
func (w *weft) kill() {
	select {
	case <-w.ended:
	default:
		_ = w.cmd.Process.Kill()
		<-w.ended
	}
}

// stop ends the process as Ctrl-C does; it has to end well.
func (w *weft) stop() {
	w.t.Helper()
	w.http.CloseIdleConnections()
	_ = w.cmd.Process.Signal(os.Interrupt)
	select {
	case <-w.ended:
	case <-time.After(patience):
		w.t.Fatal("weft serve does not end")
	}
	if w.err != nil {
		w.t.Errorf("weft serve ended with %v\n%s", w.err, &w.errs)
	}
}

// killed reports whether the process was killed.
func (w *weft) killed() bool {
	status, ok := w.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled()
}

// order tells the process what to do at its fail points, and waits until it
// knows.
func (w *weft) order(what string) {
	w.t.Helper()
	_, err := fmt.Fprintln(w.orders, what)
	must(w.t, err)
	for p := range w.points {
		if p == "ok" {
			return
		}
	}
	w.t.Fatalf("the process does not hear\n%s", &w.errs)
}

// answer is what came back of a request.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// ask sends a request; an error is one of the connection. Headers are
// "Name: value" lines.
func (w *weft) ask(ctx context.Context, method, path, body string, headers ...string) (answer, error) {
	return w.send(ctx, method, path, strings.NewReader(body), headers...)
}

func (w *weft) send(ctx context.Context, method, path string, body io.Reader, headers ...string) (answer, error) {
	r, err := http.NewRequestWithContext(ctx, method, w.address+path, body)
	if err != nil {
		return answer{}, err
	}
	r.Header.Set("Content-Type", "application/json")
	if w.token != "" {
		r.Header.Set("Authorization", "Bearer "+w.token)
	}
	// Nothing is sent again by itself, as requests with this header would be.
	r.GetBody = nil
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	resp, err := w.http.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, text}, err
}

// do sends a request that has to be answered.
func (w *weft) do(method, path, body string, headers ...string) answer {
	w.t.Helper()
	a, err := w.ask(context.Background(), method, path, body, headers...)
	if err != nil {
		w.t.Fatalf("%s %s: %v\n%s", method, path, err, &w.errs)
	}
	return a
}

// get sends a request that has to succeed, and reads its answer.
func get[T any](w *weft, method, path, body string, headers ...string) T {
	w.t.Helper()
	a := w.do(method, path, body, headers...)
	if a.status >= 300 {
		w.t.Fatalf("%s %s: status %d: %s\n%s", method, path, a.status, a.body, &w.errs)
	}
	var out T
	if len(a.body) > 0 {
		if err := json.Unmarshal(a.body, &out); err != nil {
			w.t.Fatalf("%s %s: %v in %s", method, path, err, a.body)
		}
	}
	return out
}

// problem reads an answer that has to be a problem with a status.
func (w *weft) problem(a answer, status int, kind string) api.Problem {
	w.t.Helper()
	var p api.Problem
	if err := json.Unmarshal(a.body, &p); err != nil || p.Title == "" || p.Detail == "" || p.Status != a.status || a.header.Get("Content-Type") != "application/problem+json" {
		w.t.Errorf("status %d, no problem of type %q: %v %.300s", a.status, a.header.Get("Content-Type"), err, a.body)
	}
	if a.status != status || kind != "" && p.Kind != kind {
		w.t.Errorf("status %d %s, want %d %s: %.300s", a.status, p.Kind, status, kind, a.body)
	}
	return p
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// exit returns the status with which the process ended by itself.
func (w *weft) exit() int {
	w.t.Helper()
	select {
	case <-w.ended:
	case <-time.After(patience):
		w.t.Fatalf("weft serve does not end\n%s", &w.errs)
	}
	var e *exec.ExitError
	if errors.As(w.err, &e) {
		return e.ExitCode()
	}
	return 0
}
