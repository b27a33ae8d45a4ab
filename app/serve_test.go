package app

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// served is a running weft serve.
type served struct {
	process
	lines []string
	token string
}

// startServe runs weft serve as a process of its own, on a free port.
func startServe(t *testing.T, env []string, args ...string) *served {
	t.Helper()
	p := &served{process: process{done: make(chan error, 1), wrote: make(chan struct{}, 1)}}
	p.cmd = exec.Command("weft", append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stderr = &p.process
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		p.lines = append(p.lines, lines.Text())
		if at, ok := strings.CutPrefix(lines.Text(), "address:  "); ok {
			p.address = at
		}
		if key, ok := strings.CutPrefix(lines.Text(), "token:    "); ok {
			p.token = key
		}
		if strings.HasPrefix(lines.Text(), "The end: ") {
			break
		}
	}
	go func() {
		_, _ = io.Copy(io.Discard, out)
		p.done <- p.cmd.Wait()
	}()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	if p.address == "" {
		t.Fatalf("the server did not start: %v\n%s", <-p.done, p.errors())
	}
	return p
}

func (p *served) do(t *testing.T, method, path, body string) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, p.address+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if p.token != "" {
		r.Header.Set("Authorization", "Bearer "+p.token)
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// end interrupts the server and waits for its end.
func (p *served) end(t *testing.T) {
	t.Helper()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-p.done:
		if err != nil {
			t.Errorf("the server ended with %v\n%s", err, p.errors())
		}
	case <-time.After(20 * time.Second):
		t.Error("the server does not end")
	}
}

func TestServeFirstStart(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no interrupt to send")
	}
	home := t.TempDir()
	env := []string{"HOME=" + home, "XDG_DATA_HOME=" + filepath.Join(home, "data")}
	p := startServe(t, env)
	if runtime.GOOS == "linux" {
		if _, err := os.Stat(filepath.Join(home, "data", "weft", "weft.db")); err != nil {
			t.Error(err)
		}
	}
	status, text := p.do(t, "GET", "/api/v1/worlds/skerrow/conversations", "")
	var page struct {
		Items []struct{ ID string }
	}
	if err := json.Unmarshal([]byte(text), &page); err != nil || status != 200 || len(page.Items) != 2 {
		t.Fatalf("the sample world has the conversations %d %s", status, text)
	}
	if _, text := p.do(t, "GET", "/api/v1/worlds/skerrow/conversations/"+page.Items[0].ID+"/nodes", ""); !strings.Contains(text, "says Ilka Brandt") || !strings.Contains(text, "your hands, Sam.") {
		t.Errorf("the greeting is %s", text)
	}
	if _, text := p.do(t, "GET", "/api/v1/worlds/skerrow/characters", ""); !strings.Contains(text, "says {{char}}") {
		t.Errorf("the cards do not keep their texts: %s", text)
	}
	if status, text := p.do(t, "POST", "/api/v1/worlds/skerrow/conversations/"+page.Items[0].ID+"/assemble", `{}`); status != 200 || !strings.Contains(text, "Skerrow is a town") {
		t.Errorf("assemble: %d %s", status, text)
	}

	// A second server names the first one.
	second := exec.Command("weft", "serve", "--listen", "127.0.0.1:0")
	second.Env = append(os.Environ(), env...)
	out, err := second.CombinedOutput()
	if second.ProcessState.ExitCode() != ExitInput || !strings.Contains(strings.Join(strings.Fields(string(out)), " "), p.address) {
		t.Errorf("a second server on the file: %v\n%s", err, out)
	}

	// A reader of events does not keep the server from its end.
	r, err := http.NewRequestWithContext(t.Context(), "GET", p.address+"/api/v1/worlds/skerrow/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Body.Close()
	p.end(t)
	if _, err := io.ReadAll(stream.Body); err != nil {
		t.Errorf("the stream did not end well: %v", err)
	}

	// What was there is there again, and the sample world is not made twice.
	p = startServe(t, env)
	if _, text := p.do(t, "GET", "/api/v1/worlds", ""); strings.Count(text, `"id":"skerrow"`) != 1 {
		t.Errorf("after a new start the worlds are %s", text)
	}
	p.end(t)
}

func TestServeFollowsAFolder(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no interrupt to send")
	}
	dir := filepath.Join(t.TempDir(), "dunes")
	entry := filepath.Join(dir, "entries", "well.weaver")
	write := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(entry), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(entry, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("---\nid: well\nkeywords: [well]\n---\nThe well is dry.\n")
	p := startServe(t, nil, "--db", filepath.Join(t.TempDir(), "weft.db"), "--books", dir)
	ask := func() string {
		t.Helper()
		status, text := p.do(t, "POST", "/api/v1/worlds/dunes/assemble", `{"messages":[{"content":"To the well."}]}`)
		if status != 200 {
			t.Fatalf("status %d: %s", status, text)
		}
		return text
	}
	if text := ask(); !strings.Contains(text, "The well is dry.") {
		t.Errorf("the lore is %s", text)
	}
	write("---\nid: well\nkeywords: [well]\n---\nThe well is full again, to the brim.\n")
	if text := ask(); !strings.Contains(text, "full again") {
		t.Errorf("after the file was saved, the lore is %s", text)
	}
	write("---\nid: well\nkeywords: [well\n---\nBroken.\n")
	if text := ask(); !strings.Contains(text, "full again") {
		t.Errorf("of a broken file, the lore is %s", text)
	}
	p.waitFor(t, "well.weaver")
	p.end(t)
}

func TestServeAsksForTokens(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no interrupt to send")
	}
	db := filepath.Join(t.TempDir(), "weft.db")
	p := startServe(t, nil, "--db", db, "--auth")
	key := p.token
	if status, _ := p.do(t, "GET", "/api/v1/worlds", ""); key == "" || status != 200 {
		t.Errorf("with the first token %q: status %d", key, status)
	}
	p.token = ""
	if status, _ := p.do(t, "GET", "/api/v1/worlds", ""); status != 401 {
		t.Errorf("without a token: status %d", status)
	}
	p.end(t)
	q := exec.Command("weft", "serve", "--db", "ftp://x", "--listen", "127.0.0.1:0")
	if out, err := q.CombinedOutput(); q.ProcessState.ExitCode() != ExitUsage {
		t.Errorf("of a URL that is none: %v\n%s", err, out)
	}
}

// A server that is told to end answers what it is asked at the time, even if
// that takes longer than the second that other commands have.
func TestServeEndsInOrder(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no interrupt to send")
	}
	p := startServe(t, nil, "--db", filepath.Join(t.TempDir(), "weft.db"))
	body, more := io.Pipe()
	r, err := http.NewRequestWithContext(t.Context(), "POST", p.address+"/api/v1/worlds", body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer := make(chan error, 1)
	go func() {
		resp, err := http.DefaultClient.Do(r)
		if err == nil {
			resp.Body.Close()
			if resp.StatusCode/100 != 2 {
				err = errors.New(resp.Status)
			}
		}
		answer <- err
	}()
	if _, err := io.WriteString(more, `{"id":"late",`); err != nil {
		t.Fatal(err)
	}
	p.do(t, "GET", "/healthz", "") // so the server has read what came before
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-p.done:
		t.Fatalf("the server did not wait for the request: %v", err)
	case <-time.After(1500 * time.Millisecond):
	}
	if _, err := io.WriteString(more, `"name":"Late"}`); err != nil {
		t.Fatal(err)
	}
	more.Close()
	if err := <-answer; err != nil {
		t.Errorf("the request under way: %v", err)
	}
	select {
	case err := <-p.done:
		if err != nil {
			t.Errorf("the server ended with %v\n%s", err, p.errors())
		}
	case <-time.After(20 * time.Second):
		t.Error("the server does not end")
	}
}

// Elsewhere than on loopback callers need a token, which the environment may
// give; the address that is told can be called from this machine.
func TestServeElsewhere(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no interrupt to send")
	}
	const token = "weft_chosen-by-the-owner-of-this-server"
	db := filepath.Join(t.TempDir(), "weft.db")
	p := startServe(t, []string{"WEFT_TOKEN=" + token}, "--db", db, "--listen", "0.0.0.0:0", "--no-sample")
	if p.token != "" || strings.Contains(strings.Join(p.lines, "\n"), token) {
		t.Errorf("it prints a token that was given: %q", p.lines)
	}
	if !strings.HasPrefix(p.address, "http://127.0.0.1:") {
		t.Errorf("the address is %s", p.address)
	}
	if status, _ := p.do(t, "GET", "/api/v1/worlds", ""); status != 401 {
		t.Errorf("without a token: status %d", status)
	}
	p.token = token
	if status, text := p.do(t, "GET", "/api/v1/worlds", ""); status != 200 || !strings.Contains(text, `"items":[]`) {
		t.Errorf("with the token that was given: status %d %s", status, text)
	}
	// The commands find it through the file, and sign in by the environment.
	cmd := exec.Command("weft", "status", "--db", db)
	cmd.Env = append(os.Environ(), "WEFT_TOKEN="+token)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), p.address) {
		t.Errorf("weft status: %v\n%s", err, out)
	}
	p.end(t)
	if strings.Contains(p.errors(), token) {
		t.Error("the log holds the token")
	}
}

// A page that may not call is told by which flag it may, and with the flag it
// may.
func TestServeNamesTheFlags(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no interrupt to send")
	}
	p := startServe(t, nil, "--db", filepath.Join(t.TempDir(), "weft.db"), "--no-sample",
		"--allow-origin", "https://agnai.example", "--allow-host", "weft.example", "--keep-events", "forever", "--keep-deleted", "36h")
	ask := func(header, value string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "GET", p.address+"/api/v1/worlds", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set(header, value)
		if header == "Host" {
			r.Host = value
		}
		resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(text)
	}
	for _, tt := range []struct {
		header, value string
		status        int
		has           string
	}{
		{"Origin", "https://agnai.example", 200, "items"},
		{"Origin", "https://other.example", 403, "--allow-origin https://other.example"},
		{"Host", "weft.example", 200, "items"},
		{"Host", "rebound.example", 403, "--allow-host rebound.example"},
	} {
		if status, text := ask(tt.header, tt.value); status != tt.status || !strings.Contains(text, tt.has) {
			t.Errorf("%s: %s: status %d %s", tt.header, tt.value, status, text)
		}
	}
	p.end(t)
	cmd := exec.Command("weft", "serve", "--listen", "127.0.0.1:0", "--keep-events", "soon")
	if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != ExitUsage || !strings.Contains(string(out), "is no time") {
		t.Errorf("of a time that is none: %v\n%s", err, out)
	}
}
