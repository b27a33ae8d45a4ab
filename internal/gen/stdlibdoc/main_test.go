package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/internal/testenv"
	"github.com/weft-memory/weft/weaver/stdlib"
)

func TestPageIsCurrent(t *testing.T) {
	t.Parallel()
	want, err := render()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(testenv.Root(), "docs", "stdlib.md"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("docs/stdlib.md is out of date, run go generate ./weaver/stdlib (-want +got):\n%s", diff)
	}
}

func TestEveryExampleHasItsCallable(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, sig := range stdlib.NewRegistry().Signatures() {
		known[sig.Name] = true
	}
	for name := range examples {
		if !known[name] {
			t.Errorf("there are examples for %s, which the library does not have", name)
		}
	}
}
