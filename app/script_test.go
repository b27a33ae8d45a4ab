package app

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
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
//	serve args…           run weft serve until the script ends or says unserve;
//	                      $ADDRESS is where it listens, $TOKEN its first token
//	unserve               end that server in order
//	keep NAME             the first line of the last output becomes $NAME
//
// Each script has a home of its own.
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
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("TZ", "UTC")
			env.Setenv("XDG_DATA_HOME", "")
			env.Setenv("XDG_CONFIG_HOME", "")
			env.Values[servedKey{}] = new(scriptServer)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": scriptStatus,
			"json":   scriptJSON,
			"big":    scriptBig,
			"bin":    scriptBin,
			"png":    scriptPNG,
			"utf16":  scriptUTF16,

			"serve":   scriptServe,
			"unserve": scriptUnserve,
			"keep": func(ts *testscript.TestScript, _ bool, args []string) {
				line, _, _ := strings.Cut(ts.ReadFile("stdout"), "\n")
				ts.Setenv(args[0], strings.TrimSpace(line))
			},
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

// scriptServer is the server of a script.
type scriptServer struct {
	cmd  *exec.Cmd
	done chan error
}

type servedKey struct{}

func scriptServe(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value(servedKey{}).(*scriptServer)
	if neg || s.cmd != nil {
		ts.Fatalf("usage: serve args…, once at a time")
	}
	cmd := exec.Command("weft", append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = os.Environ()
	for _, name := range []string{"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "TZ", "WEFT_TOKEN"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Defer(func() { _ = cmd.Process.Kill() })
	ready := false
	for lines := bufio.NewScanner(out); !ready && lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ":")
		switch name {
		case "address", "token":
			ts.Setenv(strings.ToUpper(name), strings.TrimSpace(value))
		}
		ready = name == "The end"
	}
	s.done = make(chan error, 1)
	go func() {
		_, _ = io.Copy(io.Discard, out)
		s.done <- cmd.Wait()
	}()
	if !ready {
		ts.Fatalf("the server did not start: %v\n%s", <-s.done, errs.String())
	}
	s.cmd = cmd
}

func scriptUnserve(ts *testscript.TestScript, _ bool, _ []string) {
	s := ts.Value(servedKey{}).(*scriptServer)
	ts.Check(s.cmd.Process.Signal(os.Interrupt))
	ts.Check(<-s.done)
	s.cmd = nil
}
