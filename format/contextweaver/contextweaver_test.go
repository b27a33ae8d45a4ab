package contextweaver_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/agnai"
	"github.com/weft-memory/weft/format/contextweaver"
	"github.com/weft-memory/weft/format/internal/codectest"
	"github.com/weft-memory/weft/format/risu"
	"github.com/weft-memory/weft/internal/testenv"
)

var codecs = append(contextweaver.Codecs(), agnai.Codec(), risu.Codecs()[0])

func files(t *testing.T, doc *format.Document, name string) map[string]string {
	t.Helper()
	out, _, err := format.Write(t.Context(), codectest.Table(t, codecs), doc, name)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range out.Files {
		got[f.Path] = string(f.Data)
	}
	return got
}

func readFS(t *testing.T, m map[string]string) *format.Document {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range m {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	doc, _, err := format.Read(t.Context(), codectest.Table(t, codecs), format.FS("valley", fsys))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

var valley = map[string]string{
	"lorebook.yaml":        "# the valley\nname: Valley\ndefault_scan_depth: 4\nhouse: rules\n",
	"entries/mill.weaver":  "---\nid: mill\nkeywords: [mill]   # the old one\nslot: !at_depth 3\nmood: dusty\n---\nThe mill {{char:name}} knows.",
	"entries/goats.weaver": "---\nid: goats\nkeywords:\n  - goat\n---\nGoats know the path.\n",
}

func TestFormatsSamples(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(testenv.Formats(t, "samples"), "contextweaver")
	doc, report, err := format.Read(t.Context(), codectest.Table(t, codecs), format.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range report.Problems {
		t.Log(p)
	}
	for name, got := range files(t, doc, doc.Format) {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	codectest.SameBytes(t, codecs, filepath.Join(dir, "entries/lighthouse.weaver"), contextweaver.EntryName)
}

func TestEdit(t *testing.T) {
	t.Parallel()
	doc := readFS(t, valley)
	if diff := cmp.Diff(valley, files(t, doc, contextweaver.Name)); diff != "" {
		t.Errorf("without an edit (-want +got):\n%s", diff)
	}
	b := doc.Books[0]
	b.Entry("mill").Content = "The mill turns."
	b.Entry("goats").Disabled = true
	got := files(t, doc, contextweaver.Name)
	if want := strings.Replace(valley["entries/mill.weaver"], "The mill {{char:name}} knows.", "The mill turns.", 1); got["entries/mill.weaver"] != want {
		t.Errorf("mill is %q", got["entries/mill.weaver"])
	}
	if !strings.Contains(got["entries/goats.weaver"], "enabled: false") || got["lorebook.yaml"] != valley["lorebook.yaml"] {
		t.Errorf("files are %v", got)
	}
}

func TestZip(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{"lorebook.yaml", "entries/goats.weaver", "entries/mill.weaver"} {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(valley[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	doc, _, err := format.Read(t.Context(), codectest.Table(t, codecs), format.Bytes("valley.zip", b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if doc.Format != contextweaver.Name || len(doc.Books[0].Entries) != 2 {
		t.Fatalf("read as %s", doc.Format)
	}
	if !bytes.Equal(codectest.Write(t, codecs, doc), b.Bytes()) {
		t.Error("the archive changed")
	}
}

// TestThereAndBack converts books of two formats to a folder and back.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	for path, name := range map[string]string{"../agnai/testdata/book.json": agnai.Name, "../risu/testdata/export.json": risu.Name} {
		doc, _ := codectest.Read(t, codecs, path, name)
		folder := files(t, doc, contextweaver.Name)
		back := readFS(t, folder)
		if back.Format != contextweaver.Name || len(back.Books[0].Entries) != len(doc.Books[0].Entries) {
			t.Fatalf("%s: read as %s, %d entries\n%v", name, back.Format, len(back.Books[0].Entries), folder)
		}
		out, _, err := format.Write(t.Context(), codectest.Table(t, codecs), back, name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := format.ReadAs(t.Context(), codectest.Table(t, codecs), format.Bytes("x", out.Bytes()), name)
		if err != nil {
			t.Fatal(err)
		}
		if len(again.Books[0].Entries) != len(doc.Books[0].Entries) || len(out.Bytes()) < len(want)/2 {
			t.Errorf("%s came back as %s", name, out.Bytes())
		}
		for i, e := range again.Books[0].Entries {
			was := doc.Books[0].Entries[i].Clone()
			now := e.Clone()
			was.Origin = now.Origin
			if diff := cmp.Diff(was, now); diff != "" {
				t.Errorf("%s, entry %s (-want +got):\n%s", name, was.ID, diff)
			}
		}
	}
}

// TestWeaverThroughAnother keeps what the format between cannot say.
func TestWeaverThroughAnother(t *testing.T) {
	t.Parallel()
	doc := readFS(t, valley)
	out, _, err := format.Write(t.Context(), codectest.Table(t, codecs), doc, agnai.Name)
	if err != nil {
		t.Fatal(err)
	}
	back, _, err := format.Read(t.Context(), codectest.Table(t, codecs), format.Bytes("valley.json", out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	again := readFS(t, files(t, back, contextweaver.Name))
	for _, e := range doc.Books[0].Entries {
		was, now := e.Clone(), again.Books[0].Entry(e.ID).Clone()
		was.Origin = now.Origin
		if diff := cmp.Diff(was, now); diff != "" {
			t.Errorf("entry %s (-want +got):\n%s", e.ID, diff)
		}
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"no end": "---\nid: a\n", "no id": "---\nname: a\n---\nx", "bad yaml": "---\nid: [\n---\nx", "empty": "", "tab": "---\nid:\ta\n\t- b\n---\n",
	} {
		doc, report, err := format.Read(t.Context(), codectest.Table(t, codecs), format.Bytes("a.weaver", []byte(text)))
		if err == nil && len(report.Problems) == 0 {
			t.Errorf("%s: read without a word: %+v", name, doc.Books[0])
		}
	}
}

// TestPolicyComesBack: a book that went to another format and back behaves as
// at home, not as books of that format do.
func TestPolicyComesBack(t *testing.T) {
	t.Parallel()
	for _, as := range []string{"agnai", "risu"} {
		out, _, err := format.Write(t.Context(), codectest.Table(t, codecs), readFS(t, valley), as)
		if err != nil {
			t.Fatal(err)
		}
		doc, _, err := format.Read(t.Context(), codectest.Table(t, codecs), format.Bytes("valley.json", out.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if yaml := files(t, doc, contextweaver.Name)["lorebook.yaml"]; strings.Contains(yaml, "policy") {
			t.Errorf("by way of %s:\n%s", as, yaml)
		}
	}
}
