package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-memory/weft/client"
	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/internal/servetest"
)

const ebb = "---\nid: ebb\nkeywords: [water]\n---\nThe moon is @[moon.phase(day: 15)], the water is out."

// The program is built and run as a user would: its commands and its server
// know the plugin and the hook.
func TestOwnWeft(t *testing.T) {
	t.Parallel()
	program := servetest.Build(t, "./examples/own-weft")
	dir := t.TempDir()
	for name, text := range map[string]string{"tide/ebb.weaver": ebb, "chat.txt": "Sam: Look at the water.\n"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string {
		t.Helper()
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	const want = "The moon is full, the water is out. [1 of 1]"
	if out := run("signatures", "moon"); !strings.Contains(out, "moon.phase") {
		t.Errorf("the signatures are\n%s", out)
	}
	if out := run("check", "tide"); strings.Contains(out, "error") {
		t.Errorf("the check says\n%s", out)
	}
	if out := run("assemble", "tide", "--chat", "chat.txt"); !strings.Contains(out, want) {
		t.Errorf("the prompt is\n%s", out)
	}

	s := servetest.Start(t, program, "--no-sample")
	run("world", "create", "Coast", "--id", "coast", "--server", s.Address)
	run("book", "import", "tide", "--server", s.Address)
	c := client.New(s.Address, client.Options{})
	defer c.Close()
	got, err := c.World("coast").AssembleMessages(t.Context(), api.AssembleMessages{Messages: []api.Message{{Content: "Look at the water."}}})
	if err != nil || len(got.Blocks) != 1 || got.Blocks[0].Content != want {
		t.Errorf("the server gives %+v, %v", got.Blocks, err)
	}
}

func TestPhase(t *testing.T) {
	t.Parallel()
	for day, want := range map[int]string{0: "new", 7: "waxing", 14: "full", 27: "waning", 28: "new", -1: "waning"} {
		if got, err := phase(nil, phaseArgs{day}); got != want || err != nil {
			t.Errorf("on day %d the moon is %q (%v), want %q", day, got, err, want)
		}
	}
}
