package characterbook_test

import (
	"path/filepath"
	"testing"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/characterbook"
	"github.com/weft-memory/weft/format/internal/codectest"
)

var codecs = []format.Codec{characterbook.CodecV3(), characterbook.Codec()}

func TestSameBytes(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no fixtures", err)
	}
	for _, path := range paths {
		codectest.SameBytes(t, codecs, path, map[string]string{"v2.json": characterbook.Name, "v3.json": characterbook.NameV3}[filepath.Base(path)])
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		codectest.BadInput(t, codecs, path)
	}
}

func FuzzRead(f *testing.F) { codectest.Fuzz(f, codecs, "testdata/*.json") }
