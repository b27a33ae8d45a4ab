package app

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-memory/weft/format"
)

// No path of a codec leads out of the folder, whatever an archive said.
func TestWriteFolderStaysInside(t *testing.T) {
	t.Parallel()
	for _, path := range []string{
		"../out.txt", "a/../../out.txt", "/out.txt", "..", ".", "", "a//b", "a/./b", `..\out.txt`, `a\..\..\out.txt`, "a\x00b",
	} {
		dir := filepath.Join(t.TempDir(), "in")
		err := writeFolder(t.Context(), dir, []format.OutFile{{Path: "fine.txt"}, {Path: path, Data: []byte("x")}}, true, nil)
		if err == nil {
			t.Errorf("%q was written", path)
		}
		if found, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*")); len(found) > 0 {
			t.Errorf("%q left %v behind", path, found)
		}
	}
}

func TestWriteFolderRefusesTwins(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "in")
	err := writeFolder(t.Context(), dir, []format.OutFile{{Path: "a/Bell.weaver"}, {Path: "a/bell.weaver"}}, false, nil)
	if err == nil || !strings.Contains(err.Error(), "would be one file") {
		t.Errorf("got %v", err)
	}
}

// A link in the folder does not lead a file out of it.
func TestWriteFolderFollowsNoLinks(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	top := t.TempDir()
	outside, dir := filepath.Join(top, "outside"), filepath.Join(top, "in")
	for _, d := range []string{outside, dir} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "entries")); err != nil {
		t.Fatal(err)
	}
	if err := writeFolder(t.Context(), dir, []format.OutFile{{Path: "entries/a.weaver", Data: []byte("x")}}, true, nil); err == nil {
		t.Error("the link was followed")
	}
	if found, _ := os.ReadDir(outside); len(found) > 0 {
		t.Errorf("%v was written outside", found)
	}
}

func TestWriteFolderReplaces(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "in")
	files := func(names ...string) (out []format.OutFile) {
		for _, n := range names {
			out = append(out, format.OutFile{Path: n, Data: []byte(n)})
		}
		return out
	}
	if err := writeFolder(t.Context(), dir, files("entries/a.weaver", "entries/b.weaver"), false, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.md"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeFolder(t.Context(), dir, files("entries/b.weaver"), false, nil); err == nil {
		t.Error("replaced without force")
	}
	replaces := func(name string) bool { return strings.HasSuffix(name, ".weaver") }
	if err := writeFolder(t.Context(), dir, files("entries/b.weaver", "entries/c.weaver"), true, replaces); err != nil {
		t.Fatal(err)
	}
	var got []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			got = append(got, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"entries/b.weaver", "entries/c.weaver", "notes.md"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestWriteNew(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a.json")
	for i, want := range []struct {
		force bool
		fails bool
		text  string
	}{{false, false, "0"}, {false, true, "0"}, {true, false, "2"}} {
		err := writeNew(file, []byte{byte('0' + i)}, want.force)
		if (err != nil) != want.fails {
			t.Errorf("%d: got %v", i, err)
		}
		if got, _ := os.ReadFile(file); string(got) != want.text {
			t.Errorf("%d: the file has %q, want %q", i, got, want.text)
		}
	}
	var f *failure
	if err := writeNew(file, nil, false); !errors.As(err, &f) || f.status != ExitOutput || !strings.Contains(f.hint, "--force") {
		t.Errorf("got %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".weft-*")); len(left) > 0 {
		t.Errorf("%v was left behind", left)
	}
}

// Whatever an id is, its file name is one: not empty, not special, not long.
func TestFileName(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"harbour": "harbour", "a/b": "a_b", "..": "book", "": "book", "con": "book_con", "CON.x": "book_CON.x",
		"cards": "book_cards", "x.": "x", "灯台": "灯台",
	} {
		if got := fileName(id); got != want {
			t.Errorf("fileName(%q) = %q, want %q", id, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.String().Draw(t, "id")
		name := fileName(id)
		if name == "" || len(name) > 130 || strings.ContainsAny(name, "/\\:*?\"<>|\x00") || !filepath.IsLocal(name) || name == "." {
			t.Fatalf("fileName(%q) = %q", id, name)
		}
		if again := fileName(name); again != name {
			t.Fatalf("fileName(%q) = %q, and of that %q", id, name, again)
		}
	})
}

func TestFreeName(t *testing.T) {
	t.Parallel()
	taken := map[string]bool{}
	var got []string
	for _, n := range []string{"a", "A", "b", "a", "a-2"} {
		got = append(got, freeName(n, taken))
	}
	if diff := cmp.Diff([]string{"a", "A-2", "b", "a-3", "a-2-2"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	e := &env{err: &console{w: &out, width: 60, terminal: true}}
	p := e.progress("reading", 3)
	for _, name := range []string{"a.json", "b\x1b[2J.json", strings.Repeat("long", 40)} {
		p.step(name)
	}
	p.end()
	lines := strings.Split(out.String(), "\r\x1b[K")
	if len(lines) != 5 || lines[4] != "" || !strings.HasSuffix(lines[1], "1/3 a.json") {
		t.Errorf("drew %q", lines)
	}
	for _, l := range lines {
		if textWidth(l) >= 60 || strings.Contains(l, "\x1b") {
			t.Errorf("the line %q is too wide or not clean", l)
		}
	}
	for _, quiet := range []*env{{err: &console{w: &out, width: 60}}, e} {
		out.Reset()
		n := 5
		if quiet == e {
			n = 1
		}
		p := quiet.progress("reading", n)
		p.step("x")
		p.end()
		if out.Len() > 0 {
			t.Errorf("drew %q", out.String())
		}
	}
}
