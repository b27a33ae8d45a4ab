package charx_test

import (
	"path/filepath"
	"testing"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/charx"
	"github.com/weft-memory/weft/format/internal/codectest"
)

var codecs = []format.Codec{charx.Codec()}

func TestSameBytes(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/osk.*")
	if err != nil || len(paths) == 0 {
		t.Fatal("no fixtures", err)
	}
	for _, path := range paths {
		codectest.SameBytes(t, codecs, path, charx.Name)
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/osk.*")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		codectest.BadInput(t, codecs, path)
	}
}

func FuzzRead(f *testing.F) { codectest.Fuzz(f, codecs, "testdata/osk.*") }
