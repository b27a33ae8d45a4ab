package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-memory/weft/internal/testenv"
)

// unit writes the unit with a program that is there in the place of weft.
func unit(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("systemd", "weft.service"))
	if err != nil {
		t.Fatal(err)
	}
	program, err := exec.LookPath("true")
	if err != nil {
		t.Skip("there is no program true")
	}
	if !strings.Contains(string(text), "ExecStart=/usr/local/bin/weft serve\n") {
		t.Error("the unit does not start weft serve")
	}
	path := filepath.Join(t.TempDir(), "weft.service")
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), "/usr/local/bin/weft", program)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func analyze(t *testing.T, args ...string) {
	t.Helper()
	program, err := exec.LookPath("systemd-analyze")
	if err != nil {
		if os.Getenv("WEFT_PACKAGING") != "" {
			t.Fatal("systemd-analyze is missing")
		}
		t.Skip("systemd-analyze is missing")
	}
	if out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput(); err != nil {
		t.Errorf("systemd-analyze %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func TestUnitIsValid(t *testing.T) {
	t.Parallel()
	analyze(t, "verify", "--man=no", unit(t))
}

// The exposure of the service is at most 2.0 of 10; without the hardening it is
// 9.6.
func TestUnitIsHardened(t *testing.T) {
	t.Parallel()
	analyze(t, "security", "--offline=true", "--threshold=20", "--no-pager", unit(t))
}

// What the unit says about places is what the program does.
func TestUnitPlaces(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "go", "run", "./cmd/weft", "config")
	cmd.Dir = testenv.Root()
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME=/etc", "XDG_DATA_HOME=/var/lib", "WEFT_DB=", "WEFT_CONFIG=", "COLUMNS=200")
	out, err := cmd.CombinedOutput()
	for _, want := range []string{"/etc/weft/config.yaml", "/var/lib/weft/weft.db"} {
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("weft config does not name %s: %v\n%s", want, err, out)
		}
	}
}
