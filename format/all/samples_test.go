package all_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/all"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/internal/testenv"
)

// TestFormatsSamples and TestFormatsReal read every file and write it back
// without an edit: the bytes must be the same.
func TestFormatsSamples(t *testing.T) {
	t.Parallel()
	eachFile(t, testenv.Formats(t, "samples"), sameBytes)
}

func TestFormatsReal(t *testing.T) {
	t.Parallel()
	eachFile(t, testenv.Formats(t, "real"), sameBytes)
}

func sameBytes(t *testing.T, path string) {
	doc, report := mustRead(t, path)
	for _, p := range report.Problems {
		t.Log(p)
	}
	out, _, err := format.Write(t.Context(), all.Table(), doc, doc.Format)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("%s: the bytes changed (-want +got):\n%s", doc.Format, cmp.Diff(head(want), head(out.Bytes())))
	}
}

func head(b []byte) string { return string(b[:min(len(b), 4000)]) }

func mustRead(t *testing.T, path string) (*format.Document, *format.Report) {
	t.Helper()
	doc, report, err := format.Read(t.Context(), all.Table(), format.File(path))
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.Books)+len(doc.Characters)+len(doc.Chats)+len(doc.Bindings) == 0 {
		t.Errorf("%s: nothing in it", doc.Format)
	}
	t.Logf("%s: %s", doc.Format, report.Reason)
	return doc, report
}

// folders are samples that are read as a whole.
var folders = []string{"suzune", "contextweaver"}

func eachFile(t *testing.T, dir string, test func(t *testing.T, path string)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			for _, f := range folders {
				if d != nil && d.IsDir() && d.Name() == f {
					return fs.SkipDir
				}
			}
			return err
		}
		if strings.HasSuffix(path, ".md") {
			return nil
		}
		name, _ := filepath.Rel(dir, path)
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			t.Parallel()
			test(t, path)
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestRoundTripPairs converts every book to every format with books and back.
// Where the format between has a place for foreign data, the original comes
// back: the same JSON, and the same bytes.
func TestRoundTripPairs(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"samples", "real"} {
		eachFile(t, testenv.Formats(t, dir), roundTripPairs)
	}
	eachFile(t, "testdata/books", roundTripPairs)
}

// largeBooksTo are the formats that books of many entries are taken to.
var largeBooksTo = []string{"card_png", "risu", "sillytavern", "character_book", "novelai", "weaver", "aidungeon", "janitor"}

func roundTripPairs(t *testing.T, path string) {
	table := all.Table()
	doc, _, err := format.Read(t.Context(), table, format.File(path))
	if err != nil || len(doc.Books) == 0 || len(doc.Characters)+len(doc.Chats) > 0 {
		t.Skip("more or less than a book")
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !table.Codec(doc.Format).Info().Books {
		t.Skip("no book format")
	}
	if _, ok := table.Codec(doc.Format).(format.Shaped); !ok {
		t.Skip("no JSON book")
	}
	for _, c := range table.Codecs() {
		info := c.Info()
		if len(doc.Books[0].Entries) > 100 && !slices.Contains(largeBooksTo, info.Name) {
			continue
		}
		if !info.Books || info.ReadOnly || info.Name == doc.Format {
			continue
		}
		t.Run(info.Name, func(t *testing.T) {
			there, report, err := format.Write(t.Context(), table, doc, info.Name)
			if err != nil {
				t.Fatal(err)
			}
			back, err := readBack(t.Context(), table, "renamed", there, info.Name)
			if err != nil {
				t.Fatalf("%v\n%s", err, head(there.Bytes()))
			}
			if len(back.Books) == 0 || len(back.Books[0].Entries) != len(doc.Books[0].Entries) {
				t.Fatalf("entries: want %d, got %d", len(doc.Books[0].Entries), len(back.Books[0].Entries))
			}
			out, _, err := format.Write(t.Context(), table, back, doc.Format)
			if err != nil {
				t.Fatal(err)
			}
			if !info.Carries {
				if len(report.Filter(format.Lost))+len(report.Filter(format.Approximated)) == 0 && !sameJSON(t, want, out.Bytes()) {
					t.Errorf("something was lost, and the report does not say so (-want +got):\n%s", cmp.Diff(normal(t, want), normal(t, out.Bytes())))
				}
				return
			}
			lost := slices.DeleteFunc(report.Filter(format.Lost), func(i format.Item) bool {
				return i.Field == "chat" || i.Field == "character" || i.Field == "asset"
			})
			if len(lost) > 0 {
				t.Errorf("lost in spite of a place for it: %v", lost)
			}
			if !sameJSON(t, want, out.Bytes()) {
				t.Errorf("not the same JSON (-want +got):\n%s\nbetween: %s",
					cmp.Diff(normal(t, want), normal(t, out.Bytes())), head(there.Bytes()))
			} else if !bytes.Equal(want, out.Bytes()) {
				t.Logf("the bytes differ")
			}
		})
	}
}

func readBack(ctx context.Context, table *format.Table, name string, out *format.Output, as string) (*format.Document, error) {
	src := format.Bytes(name+".json", out.Bytes())
	if out.Folder {
		files := fstest.MapFS{}
		for _, f := range out.Files {
			files[f.Path] = &fstest.MapFile{Data: f.Data}
		}
		src = format.FS(name, files)
	}
	doc, _, err := format.ReadAs(ctx, table, src, as)
	return doc, err
}

func sameJSON(t *testing.T, a, b []byte) bool { return normal(t, a) == normal(t, b) }

// normal writes JSON on one member a line, keeping order and spelling.
func normal(t *testing.T, data []byte) string {
	t.Helper()
	in, err := format.Bytes("x", data).Open()
	if err != nil {
		t.Fatal(err)
	}
	text, _ := in.Text()
	doc, err := jsondoc.Parse(text, jsondoc.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return string(doc.Root().Tree().Bytes(jsondoc.Indented("  ")))
}
