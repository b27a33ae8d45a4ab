package app

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/internal/testenv"
)

// runHere runs the program in this process.
func runHere(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = Run(t.Context(), args, strings.NewReader(""), &out, &errs, Options{Version: "test", Getenv: func(string) string { return "" }})
	return status, out.String(), errs.String()
}

// runJSON runs the program and reads what it prints.
func runJSON(t *testing.T, into any, args ...string) {
	t.Helper()
	status, out, errs := runHere(t, args...)
	if status != ExitOK {
		t.Fatalf("weft %s: exit status %d\n%s", strings.Join(args, " "), status, errs)
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		t.Fatalf("weft %s: %v", strings.Join(args, " "), err)
	}
}

// An imported book runs as the file does, and goes back with nothing lost.
func TestImportRunsTheSame(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(testenv.Root(), "format", "*", "testdata", "*"))
	if err != nil {
		t.Fatal(err)
	}
	inner, err := filepath.Glob(filepath.Join(testenv.Root(), "format", "all", "testdata", "books", "*"))
	if err != nil {
		t.Fatal(err)
	}
	books := 0
	for _, file := range slices.Concat(files, inner) {
		switch filepath.Base(file) {
		case "fuzz", "rapid", "books":
			continue
		}
		books += importRunsTheSame(t, file)
	}
	if books < 15 {
		t.Errorf("only %d files hold books", books)
	}
}

// TestConformanceImport does the same with the collected files.
func TestConformanceImport(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"samples", "real"} {
		files, err := filepath.Glob(filepath.Join(testenv.Formats(t, kind), "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if name := filepath.Base(file); name == "odd" || strings.HasSuffix(name, ".md") {
				continue
			}
			importRunsTheSame(t, file)
		}
	}
}

// importRunsTheSame returns 1 if the file holds a book.
func importRunsTheSame(t *testing.T, file string) (books int) {
	t.Run(filepath.Base(file), func(t *testing.T) {
		var what inspection
		status, out, _ := runHere(t, "inspect", file, "--to", "weaver", "--json")
		if status == ExitProblems {
			return // a chat, or a card without a book
		}
		if err := json.Unmarshal([]byte(out), &what); err != nil {
			t.Fatalf("inspect: exit status %d, %v", status, err)
		}
		books = 1
		// A chat that speaks every key.
		var keys []string
		for _, b := range what.Books {
			for _, e := range b.List {
				keys = append(append(keys, e.Keys...), e.Second...)
			}
		}
		chat := filepath.Join(t.TempDir(), "chat.json")
		text, err := json.Marshal([]map[string]string{
			{"role": "user", "content": strings.Join(keys, ", ")},
			{"role": "assistant", "content": "…"},
			{"role": "user", "content": strings.Join(keys[:min(len(keys), 30)], ", ")},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(chat, text, 0o600); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "world")
		var report importReport
		runJSON(t, &report, "import", file, "--into", dir, "--json")
		for _, f := range report.Files {
			for _, b := range f.Books {
				if b.Counts["lost"] > 0 {
					t.Errorf("book %s loses %v", b.ID, b.Items)
				}
			}
		}
		type block struct{ Slot, Entry, Content, Role string }
		type result struct{ Blocks []block }
		var before, after result
		args := []string{"--chat", chat, "--char", "Mira", "--user", "Ann", "--budget", "none", "--json"}
		runJSON(t, &before, append([]string{"assemble", file}, args...)...)
		runJSON(t, &after, append([]string{"assemble", dir}, args...)...)
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("blocks of the file and of the folder (-file +folder):\n%s", diff)
		}
	})
	return books
}
