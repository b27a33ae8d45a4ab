package app

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/diag"
)

// run runs the program in the folder of the test.
func run(t *testing.T, opts Options, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	if opts.Getenv == nil {
		opts.Getenv = func(string) string { return "" }
	}
	status = Run(t.Context(), args, strings.NewReader(stdin), &out, &errs, opts)
	return status, out.String(), errs.String()
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const lamp = "---\nid: lamp\nkeywords: [lamp]\n---\nThe lamp burns @[test.word()].\n"

// A program of its own brings plugins, hooks and readers of further formats.
func TestParts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	chat := write(t, dir, "chat.txt", "Toma: Is the lamp lit?\n")
	book := write(t, dir, "book.lamp", "LAMP")
	opts := Options{
		Name: "inn",
		Plugins: []engine.Plugin{engine.PluginFunc("words", func(r *weaver.Registry) error {
			return r.RegisterProcessor(weaver.NewProcessor("test.word", "A word.", func(*weaver.Context, struct{}) (string, error) { return "low", nil }))
		})},
		Hooks: []engine.Hook{engine.NewHook("shout", engine.HookFuncs{
			PostEvaluate: func(_ context.Context, c *engine.PostEvaluate) error {
				c.Content = strings.ToUpper(c.Content)
				return nil
			},
		})},
		Readers: []Reader{lampReader{}},
	}
	status, out, errs := run(t, opts, "", "assemble", book, "--chat", chat)
	if status != ExitOK || !strings.Contains(out, "THE LAMP BURNS LOW.") {
		t.Errorf("status %d, stdout:\n%s\nstderr:\n%s", status, out, errs)
	}
	// The linter knows the plugin's processor, the help the program's name.
	if status, out, _ := run(t, opts, "", "check", book); status != ExitOK || strings.Contains(out, "call-unknown") {
		t.Errorf("check: status %d\n%s", status, out)
	}
	if status, out, _ := run(t, opts, "", "signatures", "test"); status != ExitOK || !strings.Contains(out, "@[test.word()]") {
		t.Errorf("signatures: status %d\n%s", status, out)
	}
	if status, out, _ := run(t, opts, "", "--help"); status != ExitOK || !strings.Contains(out, "Usage: inn <command>") {
		t.Errorf("help: status %d\n%s", status, out)
	}
}

type lampReader struct{}

func (lampReader) Name() string                      { return "lamp" }
func (lampReader) Detect(_ string, head []byte) bool { return string(head) == "LAMP" }
func (lampReader) Read(_ context.Context, path string, _ []byte) ([]*lore.Book, diag.List, error) {
	f, list := lore.ParseEntry(path, []byte(lamp))
	return []*lore.Book{{ID: "lamps", Policy: lore.PolicyWeaver(), Entries: []*lore.Entry{f.Entry()}}}, list, nil
}

// A hook that fails is named.
func TestFailingHook(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	book := write(t, dir, "lamp.weaver", "---\nid: lamp\nconstant: true\n---\nThe lamp.\n")
	opts := Options{Hooks: []engine.Hook{engine.NewHook("moody", engine.HookFuncs{
		PreActivation: func(context.Context, *engine.PreActivation) error { return errors.New("not today") },
	})}}
	status, _, errs := run(t, opts, "Toma: Hello\n", "assemble", book, "--chat", "-")
	if status != ExitProblems || !strings.Contains(errs, "moody") || !strings.Contains(errs, "not today") {
		t.Errorf("status %d, stderr %q", status, errs)
	}
}

// Ctrl-C ends a program that waits for its input.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	defer w.Close()
	var errs bytes.Buffer
	go func() {
		// Something was read, the rest never comes.
		_, _ = w.Write([]byte("---\n"))
		cancel()
	}()
	status := Run(ctx, []string{"check", "-"}, r, io.Discard, &errs, Options{})
	if status != ExitInterrupted || !strings.Contains(errs.String(), "interrupted") {
		t.Errorf("status %d, stderr %q; want %d", status, errs.String(), ExitInterrupted)
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestBrokenOutput(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		err  error
		want int
		say  bool
	}{
		{syscall.EPIPE, ExitOK, false},
		{errors.New("disk full"), ExitOutput, true},
	} {
		var errs bytes.Buffer
		status := Run(t.Context(), []string{"version"}, nil, brokenWriter{tc.err}, &errs, Options{})
		if status != tc.want || (errs.Len() > 0) != tc.say {
			t.Errorf("%v: status %d, stderr %q; want status %d", tc.err, status, errs.String(), tc.want)
		}
	}
}

func TestConsole(t *testing.T) {
	t.Parallel()
	env := func(pairs ...string) func(string) string {
		return func(name string) string {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == name {
					return pairs[i+1]
				}
			}
			return ""
		}
	}
	for _, tc := range []struct {
		name  string
		env   func(string) string
		width int
	}{
		{"nothing known", env(), 80},
		{"COLUMNS", env("COLUMNS", "132"), 132},
		{"too narrow", env("COLUMNS", "7"), minWidth},
		{"nonsense", env("COLUMNS", "wide"), 80},
	} {
		c := newConsole(io.Discard, tc.env)
		if c.width != tc.width || c.color {
			t.Errorf("%s: width %d, color %v; want %d and none", tc.name, c.width, c.color, tc.width)
		}
		if got := c.paint(bad, "x"); got != "x" {
			t.Errorf("%s: paint without colours gives %q", tc.name, got)
		}
	}
	if got := (&console{color: true}).paint(bad, "x"); got != "\x1b[31mx\x1b[0m" {
		t.Errorf("paint = %q", got)
	}
}

func TestParseBudget(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]*lore.Amount{
		"800": lore.Tokens(800), "800 tokens": lore.Tokens(800), "25%": lore.Percent(25), "12.5 %": lore.Percent(12.5),
		"4000chars": lore.Chars(4000), "none": nil, "0": lore.Tokens(0),
	} {
		got, err := parseBudget(in)
		if err != nil || (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("parseBudget(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "lots", "-5", "120%", "1.5", "NaN", "inf", "25%%", "99999999999999999999"} {
		if got, err := parseBudget(in); err == nil {
			t.Errorf("parseBudget(%q) = %v, want an error", in, got)
		}
	}
}

// Writing replaces a file whole, keeps its permissions, and follows links.
func TestWriteFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := write(t, dir, "a.txt", "old")
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.txt")
	if err := os.Symlink("a.txt", link); err != nil {
		t.Skipf("no links here: %v", err)
	}
	if err := writeFile(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	info, _ := os.Stat(path)
	at, _ := os.Lstat(link)
	if err != nil || string(got) != "new" || info.Mode().Perm() != 0o600 || at.Mode()&os.ModeSymlink == 0 {
		t.Errorf("content %q, mode %v, link %v, error %v", got, info.Mode(), at.Mode(), err)
	}
	files, _ := os.ReadDir(dir)
	if len(files) != 2 {
		t.Errorf("%d files are left, want 2", len(files))
	}
}
