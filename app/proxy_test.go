package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// proxyCard is a card of our own making.
const proxyCard = `{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"Tove Aas","nickname":"Tovi","description":"Keeps the ferry.",
"first_mes":"Mind the step.","character_book":{"extensions":{},"entries":[
{"id":1,"keys":["bell"],"content":"The ferry bell is rung by {{char}} and heard by {{user}}.","extensions":{},"enabled":true,"insertion_order":10,"use_regex":false},
{"id":2,"keys":["fog"],"content":"In fog the ferry waits.","extensions":{},"enabled":true,"insertion_order":20,"use_regex":false}]}}}`

// process is a running weft proxy.
type process struct {
	cmd     *exec.Cmd
	address string // http://127.0.0.1:port
	done    chan error

	wrote  chan struct{} // has something after each write to standard error
	mu     sync.Mutex
	stderr bytes.Buffer
}

func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case p.wrote <- struct{}{}:
	default:
	}
	return p.stderr.Write(b)
}

func (p *process) errors() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stderr.String()
}

// startProxy runs weft proxy as a process of its own, on a free port.
func startProxy(t *testing.T, upstream string, args ...string) *process {
	t.Helper()
	card := filepath.Join(t.TempDir(), "tove.json")
	if err := os.WriteFile(card, []byte(proxyCard), 0o600); err != nil {
		t.Fatal(err)
	}
	p := &process{done: make(chan error, 1), wrote: make(chan struct{}, 1)}
	p.cmd = exec.Command("weft", append([]string{"proxy", card, "--upstream", upstream, "--listen", "127.0.0.1:0"}, args...)...)
	p.cmd.Stderr = p
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if at, ok := strings.CutPrefix(lines.Text(), "front end: "); ok {
			p.address = strings.TrimSuffix(at, "/v1")
			break
		}
	}
	go func() {
		_, _ = io.Copy(io.Discard, out)
		p.done <- p.cmd.Wait()
	}()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	if p.address == "" {
		t.Fatalf("the proxy did not start: %v\n%s", <-p.done, p.errors())
	}
	return p
}

func (p *process) post(t *testing.T, body string, change func(*http.Request)) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.address+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(req)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(got)
}

// waitFor waits until the process has said something on standard error.
func (p *process) waitFor(t *testing.T, text string) {
	t.Helper()
	late := time.After(20 * time.Second)
	for !strings.Contains(p.errors(), text) {
		select {
		case <-p.wrote:
		case <-late:
			t.Fatalf("standard error has no %q:\n%s", text, p.errors())
		}
	}
}

func TestProxyProcess(t *testing.T) {
	t.Parallel()
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }))
	defer up.Close()
	p := startProxy(t, up.URL+"/v1", "--trace", "--user", "Ann")
	status, got := p.post(t, `{"model":"m","odd":1.50,"messages":[{"role":"user","content":"Was that a bell?"}]}`, nil)
	want := `{"model":"m","odd":1.50,"messages":[{"role":"system","content":"The ferry bell is rung by Tovi and heard by Ann."},{"role":"user","content":"Was that a bell?"}]}`
	if status != http.StatusOK || got != want {
		t.Errorf("got %d %s\nwant %s", status, got, want)
	}
	p.waitFor(t, "request 1: turn 1, 1 message, 1 block")
	p.waitFor(t, "keyword[bell]")
	if _, got := p.post(t, `{"messages":[`, nil); got != `{"messages":[` {
		t.Errorf("a broken request became %s", got)
	}
	p.waitFor(t, "request 2 passed without lore")

	// Pages of other sites, and names that were rebound to this machine.
	status, got = p.post(t, `{}`, func(r *http.Request) { r.Host = "evil.example" })
	if status != http.StatusForbidden || !strings.Contains(got, "--allow-host evil.example") {
		t.Errorf("another host: got %d %s", status, got)
	}
	status, got = p.post(t, `{}`, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") })
	if status != http.StatusForbidden || !strings.Contains(got, "--allow-origin https://evil.example") {
		t.Errorf("another page: got %d %s", status, got)
	}
}

// TestProxyProcessAllows: a name and a page that are allowed get through.
func TestProxyProcessAllows(t *testing.T) {
	t.Parallel()
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }))
	defer up.Close()
	p := startProxy(t, up.URL, "--allow-host", "weft.lan", "--allow-origin", "https://front.example")
	status, got := p.post(t, `{"messages":[]}`, func(r *http.Request) {
		r.Host = "weft.lan"
		r.Header.Set("Origin", "https://front.example")
	})
	if status != http.StatusOK || got != `{"messages":[]}` {
		t.Errorf("got %d %s", status, got)
	}
}

// TestProxyProcessInterrupt: Ctrl-C ends the program promptly, with a stream
// open.
func TestProxyProcessInterrupt(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("processes cannot be interrupted there")
	}
	gone := make(chan struct{})
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(gone)
	}))
	defer up.Close()
	p := startProxy(t, up.URL)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.address+"/v1/chat/completions", strings.NewReader(`{"stream":true,"messages":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if line, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil || line != "data: {}\n" {
		t.Fatalf("the stream began with %q, %v", line, err)
	}
	start := time.Now()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-p.done:
		// On a busy machine the program's own patience may end first.
		var exit *exec.ExitError
		if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != ExitInterrupted) {
			t.Errorf("it ended with %v\n%s", err, p.errors())
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("it took %v", took)
		}
		t.Logf("it ended after %v", time.Since(start))
	case <-time.After(20 * time.Second):
		t.Fatal("it goes on")
	}
	select {
	case <-gone:
	case <-time.After(20 * time.Second):
		t.Fatal("the upstream was not told")
	}
}

func TestProxyProcessWithoutUpstream(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := l.Addr().String()
	l.Close()
	p := startProxy(t, "http://user:secret@"+dead+"/v1")
	status, got := p.post(t, `{"messages":[]}`, nil)
	var e struct{ Error struct{ Message string } }
	if err := json.Unmarshal([]byte(got), &e); err != nil || status != http.StatusBadGateway || !strings.Contains(e.Error.Message, dead+" does not answer") {
		t.Errorf("got %d %s (%v)", status, got, err)
	}
	if strings.Contains(got+p.errors(), "secret") {
		t.Errorf("the password shows: %s\n%s", got, p.errors())
	}
}

// TestProxyProcessFails: what is wrong with the command line ends the program
// before it listens.
func TestProxyProcessFails(t *testing.T) {
	t.Parallel()
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	card := filepath.Join(t.TempDir(), "tove.json")
	if err := os.WriteFile(card, []byte(proxyCard), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args   []string
		status int
		say    string
	}{
		{[]string{card, "--upstream", "http://127.0.0.1:1", "--listen", busy.Addr().String()}, ExitInput, "--listen 127.0.0.1:8788"},
		{[]string{card, "--upstream", "nonsense"}, ExitUsage, "http://127.0.0.1:5001/v1"},
		{[]string{card, "--upstream", "ftp://x"}, ExitUsage, "must be an address"},
		{[]string{card}, ExitUsage, "--upstream"},
		{[]string{card + "x", "--upstream", "http://127.0.0.1:1"}, ExitInput, "is not there"},
		{[]string{card, "--upstream", "http://127.0.0.1:1", "--budget", "lots"}, ExitUsage, "is not a budget"},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		out, err := exec.CommandContext(ctx, "weft", append([]string{"proxy"}, tt.args...)...).CombinedOutput()
		cancel()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != tt.status || !strings.Contains(strings.Join(strings.Fields(string(out)), " "), tt.say) {
			t.Errorf("%s: %v, want exit status %d\n%s", fmt.Sprint(tt.args), err, tt.status, out)
		}
	}
}
