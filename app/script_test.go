package app

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write golden files and docs/cli.md anew")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"weft": func() { Main(Options{Version: "test"}) },
	})
}

// The scripts in testdata/script run the program as a person would, in a
// folder of their own. Beside the usual commands there are
//
//	status N weft args…   run and want exit status N
//	json FILE             FILE, or stdout, is one JSON value
//	big FILE N TEXT       a file of TEXT repeated until it has N bytes
//	bin FILE              a file of bytes that are no text
//	png FILE              a small PNG image
//	truncate FILE         cut a file off
//	utf16 FILE            write a file of UTF-8 anew as UTF-16
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("COLUMNS", "80")
			env.Setenv("TERM", "xterm")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": scriptStatus,
			"json":   scriptJSON,
			"big":    scriptBig,
			"bin":    scriptBin,
			"png":    scriptPNG,
			"utf16":  scriptUTF16,
			"truncate": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(os.Truncate(ts.MkAbs(args[0]), 200))
			},
		},
	})
}

func scriptStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command args…")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit status %s, want %s\nstdout:\n%s\nstderr:\n%s", got, args[0], ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

func scriptJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: json FILE")
	}
	var v any
	err := json.Unmarshal([]byte(ts.ReadFile(args[0])), &v)
	if (err == nil) == neg {
		ts.Fatalf("%s: JSON: %v", args[0], err)
	}
}

func scriptBig(ts *testscript.TestScript, neg bool, args []string) {
	var n int
	if len(args) != 3 {
		ts.Fatalf("usage: big FILE N TEXT")
	}
	if _, err := fmt.Sscan(args[1], &n); err != nil || neg {
		ts.Fatalf("usage: big FILE N TEXT")
	}
	text := strings.ReplaceAll(args[2], `\n`, "\n")
	old, _ := os.ReadFile(ts.MkAbs(args[0]))
	data := string(old) + strings.Repeat(text, n/len(text)+1)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(data), 0o644))
}

func scriptBin(ts *testscript.TestScript, neg bool, args []string) {
	data := make([]byte, 3000)
	for i := range data {
		data[i] = byte(i * 7)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o644))
}

func scriptUTF16(ts *testscript.TestScript, neg bool, args []string) {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(ts.ReadFile(args[0]))) {
		out = append(out, byte(u), byte(u>>8))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), out, 0o644))
}

// onePixel is a PNG of one grey pixel.
const onePixel = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU\x00\x00\x00\nIDATx\x9cch\x00\x00\x00\x82\x00\x81w\xcdr\xb6\x00\x00\x00\x00IEND\xaeB`\x82"

func scriptPNG(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(onePixel), 0o644))
}
