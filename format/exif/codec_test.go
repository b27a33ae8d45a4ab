package exif_test

import (
	"path/filepath"
	"testing"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/card"
	"github.com/weft-memory/weft/format/exif"
	"github.com/weft-memory/weft/format/internal/codectest"
)

var codecs = []format.Codec{exif.Codec(card.Codec())}

func TestSameBytes(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.jpg")
	if err != nil || len(paths) == 0 {
		t.Fatal("no fixtures", err)
	}
	for _, path := range paths {
		codectest.SameBytes(t, codecs, path, exif.Name)
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.jpg")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		codectest.BadInput(t, codecs, path)
	}
}

func FuzzRead(f *testing.F) { codectest.Fuzz(f, codecs, "testdata/*.jpg") }
