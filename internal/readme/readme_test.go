// Package readme holds the test that runs the commands in the project's pages
// and compares what they print with what the pages say.
//
// It looks at blocks marked console. A line that begins with "$ " is a command,
// run in the root of the repository; the lines up to the next one are its
// output. A line that is only "…" stands for any number of lines, and "…" in a
// line for any text.
//
// Commands in blocks marked sh are instructions: those that begin with "go run"
// are run and have to succeed. "go run ./cmd/weft serve" is started, has to say
// that it is ready, and is ended.
//
// A page that says <!-- with a server --> has a weft serve of its own, at the
// address that the page writes http://127.0.0.1:8720, and its commands share
// their variables.
//
//	go test ./internal/readme -update
//
// writes the real output into the pages.
package readme

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/internal/servetest"
	"github.com/weft-memory/weft/internal/testenv"
)

var (
	update = flag.Bool("update", false, "write the real output into the pages")
	only   = flag.String("page", "", "look at the page of this name alone")
)

// pages returns the files to look at, relative to the root.
func pages(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, pattern := range []string{"*.md", "docs/*.md", "examples/*.md", "examples/*/*.md"} {
		files, err := filepath.Glob(filepath.Join(testenv.Root(), pattern))
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, files...)
	}
	return found
}

func TestCommandsPrintWhatThePagesSay(t *testing.T) {
	commands := 0
	for _, file := range pages(t) {
		if *only != "" && filepath.Base(file) != *only {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		page := parse(string(src))
		if strings.Contains(string(src), serverPage) && !haveTools(t) {
			continue
		}
		session := newSession(t, string(src))
		for i := range page {
			if page[i].command == "" {
				continue
			}
			commands++
			got, err := session.run(t, page[i].command)
			if page[i].instruction {
				if err != nil {
					t.Errorf("%s: %s: %v\n%s", filepath.Base(file), page[i].command, err, strings.Join(got, "\n"))
				}
				continue
			}
			if matches(page[i].output, got) {
				continue
			}
			if *update {
				page[i].output = elide(page[i].output, got)
				continue
			}
			t.Errorf("%s: $ %s\n(-page +printed):\n%s", filepath.Base(file), page[i].command, cmp.Diff(page[i].output, got))
		}
		if text := join(page); *update && text != string(src) {
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if commands == 0 {
		t.Error("no page has a command: mark its block console and begin it with $")
	}
}

var link = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)

// A link to a file of the project leads to one that is there.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	for _, file := range pages(t) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(src), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), m[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", filepath.Base(file), m[1])
			}
		}
	}
}

// pageAddress is how pages write the address of a server.
const pageAddress = "http://127.0.0.1:8720"

// serverPage marks a page whose commands speak to a server.
const serverPage = "<!-- with a server -->"

// haveTools reports whether the programs are there that such pages use.
func haveTools(t *testing.T) bool {
	t.Helper()
	for _, tool := range []string{"curl", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("%s is missing", tool)
			}
			t.Logf("%s is missing: pages that speak to a server are left out", tool)
			return false
		}
	}
	return true
}

// session is what the commands of a page share.
type session struct {
	home string
	// server is that of a page that has one, else "".
	server string
}

// program builds weft once for all pages.
var program string

func newSession(t *testing.T, src string) *session {
	t.Helper()
	s := &session{home: t.TempDir()}
	if strings.Contains(src, serverPage) {
		if program == "" {
			program = servetest.Build(t, "./cmd/weft")
		}
		s.server = servetest.Start(t, program).Address
	}
	return s
}

// run runs a command and returns what it prints. Pages may show commands that
// fail.
func (s *session) run(t *testing.T, command string) ([]string, error) {
	t.Helper()
	if strings.HasPrefix(command, "go run ./cmd/weft serve") {
		return nil, s.serve(t, command)
	}
	script, state := command, filepath.Join(s.home, "variables")
	if s.server != "" {
		script = strings.ReplaceAll(script, pageAddress, s.server)
		script = fmt.Sprintf("set -a\ntest -f %[1]s && . %[1]s\n%[2]s\nstatus=$?\nexport -p | grep -v ' status=' > %[1]s\nexit $status", state, script)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.Dir = testenv.Root()
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "COLUMNS=100", "LC_ALL=C.UTF-8", "TZ=UTC", "WEFT_SERVER="+s.server)
	out, err := cmd.CombinedOutput()
	text := string(out)
	if s.server != "" {
		text = strings.ReplaceAll(text, s.server, pageAddress)
	}
	// go run adds a line of its own when the program fails.
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if n := len(lines); n > 0 && strings.HasPrefix(lines[n-1], "exit status ") {
		lines = lines[:n-1]
	}
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \r")
	}
	if len(lines) == 1 && lines[0] == "" {
		return nil, err
	}
	return lines, err
}

// serve starts a server as a page says, at a free port and with a home of its
// own, and ends it when it is ready.
func (s *session) serve(t *testing.T, command string) error {
	t.Helper()
	if program == "" {
		program = servetest.Build(t, "./cmd/weft")
	}
	args := strings.Fields(strings.TrimPrefix(command, "go run ./cmd/weft serve"))
	servetest.Start(t, program, args...).Stop()
	return nil
}

// piece is a part of a page: text, or a command with its output.
type piece struct {
	text    string // as it stands; for a command its lines with the $
	command string
	output  []string
	// instruction marks a command of an sh block, whose output does not stand
	// in the page.
	instruction bool
}

func parse(src string) []piece {
	var out []piece
	inside := "" // the kind of block
	lines := strings.SplitAfter(src, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		bare := strings.TrimRight(line, "\n")
		begins := false
		switch {
		case inside == "" && (bare == "```console" || bare == "```sh"):
			inside = strings.TrimPrefix(bare, "```")
		case bare == "```":
			inside = ""
		case inside == "console":
			begins = strings.HasPrefix(bare, "$ ")
		case inside == "sh":
			begins = strings.HasPrefix(bare, "go run ")
		}
		if !begins {
			out = append(out, piece{text: line})
			continue
		}
		p := piece{text: line, command: strings.TrimPrefix(bare, "$ "), instruction: inside == "sh"}
		for strings.HasSuffix(p.command, "\\") && i+1 < len(lines) {
			i++
			p.text += lines[i]
			p.command += "\n" + strings.TrimRight(lines[i], "\n")
		}
		for !p.instruction && i+1 < len(lines) && !strings.HasPrefix(lines[i+1], "$ ") && strings.TrimRight(lines[i+1], "\n") != "```" {
			i++
			p.output = append(p.output, strings.TrimRight(lines[i], " \n"))
		}
		// An empty line before the next command is not output.
		for len(p.output) > 0 && p.output[len(p.output)-1] == "" {
			p.output = p.output[:len(p.output)-1]
		}
		out = append(out, p)
	}
	return out
}

func join(page []piece) string {
	var out bytes.Buffer
	for i, p := range page {
		out.WriteString(p.text)
		for _, line := range p.output {
			out.WriteString(line + "\n")
		}
		if p.command != "" && !p.instruction && i+1 < len(page) && page[i+1].command != "" {
			out.WriteString("\n")
		}
	}
	return out.String()
}

// matches compares output with a page, in which "…" stands for any lines.
func matches(page, got []string) bool {
	at := slices.Index(page, "…")
	if at < 0 {
		return slices.EqualFunc(page, got, sameLine)
	}
	if len(got) < at || !slices.EqualFunc(page[:at], got[:at], sameLine) {
		return false
	}
	for skip := at; skip <= len(got); skip++ {
		if matches(page[at+1:], got[skip:]) {
			return true
		}
	}
	return false
}

// sameLine compares a line with one of a page, in which "…" stands for any text.
func sameLine(page, got string) bool {
	parts := strings.Split(page, "…")
	if len(parts) == 1 {
		return page == got
	}
	first, last := parts[0], parts[len(parts)-1]
	if !strings.HasPrefix(got, first) || len(got) < len(first)+len(last) || !strings.HasSuffix(got, last) {
		return false
	}
	got = got[len(first) : len(got)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		at := strings.Index(got, part)
		if at < 0 {
			return false
		}
		got = got[at+len(part):]
	}
	return true
}

// elide leaves out of new output what the page left out of the old one: the
// lines around each "…" show where. Where they are gone all of it is taken.
func elide(page, got []string) []string {
	var out []string
	rest := got
	for first := true; ; first = false {
		at := slices.Index(page, "…")
		segment := page
		if at >= 0 {
			segment = page[:at]
		}
		from := 0
		if !first && len(segment) > 0 {
			from = slices.Index(rest, segment[0])
		}
		to := len(rest)
		if at >= 0 && len(segment) > 0 && from >= 0 {
			to = slices.Index(rest[from:], segment[len(segment)-1]) + 1 + from
		}
		switch {
		case from < 0 || to <= from && len(segment) > 0:
			return got
		case len(segment) == 0 && at < 0: // the page ends with "…"
			return out
		case len(segment) > 0:
			out = append(out, rest[from:to]...)
			rest = rest[to:]
		}
		if at < 0 {
			return out
		}
		out = append(out, "…")
		page = page[at+1:]
	}
}

func TestElide(t *testing.T) {
	t.Parallel()
	tests := []struct{ page, got, want string }{
		{"a b c", "a x c", "a x c"},
		{"a … c d", "a b c e", "a … c e"},
		{"a b … d", "a x b c d", "a x b … d"},
		{"a …", "a b c", "a …"},
		{"a … c …", "a b c d e", "a … c …"},
		{"… c", "a b c d", "… c d"},
		{"a … z", "a b c", "a b c"},
		{"x … c", "a b c", "a b c"},
	}
	for _, tt := range tests {
		got := strings.Join(elide(strings.Fields(tt.page), strings.Fields(tt.got)), " ")
		if got != tt.want {
			t.Errorf("elide(%q, %q) = %q, want %q", tt.page, tt.got, got, tt.want)
		}
	}
}

func TestParseAndJoin(t *testing.T) {
	t.Parallel()
	src := "# Title\n```console\n$ one \\\n  two\nout\n\n$ three\n```\ntext\n```sh\ngo run ./four\nmake five\n```\n"
	page := parse(src)
	if got := join(page); got != src {
		t.Errorf("joined:\n%s\nwant:\n%s", got, src)
	}
	var commands []string
	for _, p := range page {
		if p.command != "" {
			commands = append(commands, p.command)
		}
	}
	if diff := cmp.Diff([]string{"one \\\n  two", "three", "go run ./four"}, commands); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

func TestMatches(t *testing.T) {
	t.Parallel()
	tests := []struct {
		page, got string
		want      bool
	}{
		{"a b", "a b", true},
		{"a b", "a c", false},
		{"a …", "a b c", true},
		{"a …", "a", true},
		{"a … d", "a b c d", true},
		{"a … d", "a b c", false},
		{"… c …", "a b c d", true},
		{"… x …", "a b c d", false},
		{"a b…d", "a bcd", true},
		{"a b…d", "a bd", true},
		{"a b…d…f", "a bcdef", true},
		{"a b…d…f", "a bcf", false},
		{"a b…d", "a bc", false},
		{"a bc…cd", "a bcd", false},
	}
	for _, tt := range tests {
		if got := matches(strings.Fields(tt.page), strings.Fields(tt.got)); got != tt.want {
			t.Errorf("matches(%q, %q) = %t, want %t", tt.page, tt.got, got, tt.want)
		}
	}
}
