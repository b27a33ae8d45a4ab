package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/internal/testenv"
)

func TestFileIsCurrent(t *testing.T) {
	t.Parallel()
	want, err := generate(testenv.Root())
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(testenv.Root(), "THIRD_PARTY"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("THIRD_PARTY is out of date, run go run ./internal/gen/thirdparty (-want +got):\n%s", diff)
	}
	if !strings.Contains(string(got), "go.yaml.in/yaml/v3") {
		t.Error("the YAML module is not listed, so the list is not that of the program")
	}
}

func TestModuleWithoutLicenceIsAnError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if list, err := licences(dir); err == nil {
		t.Errorf("licences = %v, want an error", list)
	}
}
