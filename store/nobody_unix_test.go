//go:build unix

package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/weft-memory/weft/store"
)

// asNobody opens a database in a process without rights to it and checks the
// error. The error that it returns says why it could not be tried.
func asNobody(t *testing.T, url string) error {
	t.Helper()
	const nobody = 65534
	// The folder may be written, so that only the file stands in the way.
	for dir := filepath.Dir(url); dir != "/" && strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o777); err != nil {
			return err
		}
	}
	if err := os.Chmod(url+".lock", 0o666); err != nil {
		return err
	}
	exe, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return fmt.Errorf("the test program cannot be read: %w", err)
	}
	copied := filepath.Join(filepath.Dir(url), "test")
	if err := os.WriteFile(copied, exe, 0o755); err != nil {
		return err
	}
	cmd := exec.CommandContext(t.Context(), copied)
	cmd.Env = []string{crashEnv + "=open", "WEFT_STORE_URL=" + url}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, os.ErrPermission) {
		return fmt.Errorf("no process of another user can be started: %w", err)
	}
	if want := string(store.ReadOnly) + ": "; !strings.HasPrefix(string(out), want) || !strings.Contains(string(out), "rights") {
		t.Errorf("opened by somebody else it says %q (%v), want %q and the rights", out, err, want)
	}
	return nil
}

// openChild is the other process: it prints the kind and the words of the
// error.
func openChild() {
	db, err := store.Open(context.Background(), os.Getenv("WEFT_STORE_URL"), store.Options{})
	if err == nil {
		_ = db.Close()
	}
	fmt.Printf("%s: %v\n", store.KindOf(err), err)
}
