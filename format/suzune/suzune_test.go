package suzune_test

import (
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/codectest"
	"github.com/weft-memory/weft/format/suzune"
	"github.com/weft-memory/weft/internal/testenv"
	"github.com/weft-memory/weft/lore"
)

var codecs = suzune.Codecs()

func readDir(t *testing.T, dir string) (*format.Document, *format.Report) {
	t.Helper()
	doc, report, err := format.Read(t.Context(), codectest.Table(t, codecs), format.Dir(dir))
	if err != nil {
		t.Fatal(err)
	}
	return doc, report
}

// unchanged writes a folder and compares every file of it.
func unchanged(t *testing.T, doc *format.Document, dir string, edits map[string][2]string) {
	t.Helper()
	out, _, err := format.Write(t.Context(), codectest.Table(t, codecs), doc, doc.Format)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Files) == 0 || !out.Folder {
		t.Fatal("no folder was written")
	}
	for _, f := range out.Files {
		want, err := os.ReadFile(filepath.Join(dir, f.Path))
		if err != nil {
			t.Error(err)
			continue
		}
		if e, ok := edits[f.Path]; ok {
			if !bytes.Contains(want, []byte(e[0])) {
				t.Errorf("%s has no %q", f.Path, e[0])
			}
			want = bytes.Replace(want, []byte(e[0]), []byte(e[1]), 1)
		}
		if diff := cmp.Diff(string(want), string(f.Data)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", f.Path, diff)
		}
	}
}

func TestFormatsSamples(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(testenv.Formats(t, "samples"), "suzune")
	doc, report := readDir(t, dir)
	if len(doc.Books) != 5 || len(doc.Bindings) != 1 || len(doc.Bindings[0].Books) != 5 || len(report.Problems) > 0 {
		t.Errorf("%d books, bindings %v, problems %v", len(doc.Books), doc.Bindings, report.Problems)
	}
	unchanged(t, doc, dir, nil)
	files, err := filepath.Glob(filepath.Join(dir, "lorebooks/*/*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, f := range files {
		codectest.SameBytes(t, codecs, f, suzune.Name)
	}
}

func TestFolder(t *testing.T) {
	t.Parallel()
	doc, report := readDir(t, "testdata/valley")
	var said []string
	for _, p := range report.Problems {
		said = append(said, p.Code)
	}
	slices.Sort(said)
	if diff := cmp.Diff([]string{"book-ambiguous", "book-ambiguous", "book-missing"}, said); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"house_rules", "odile_past", "valley", "worlds/weather"}, doc.Bindings[0].Books); diff != "" {
		t.Errorf("bindings (-want +got):\n%s", diff)
	}
	if c := doc.Characters[0]; c.Name != "odile" || c.CharName() != "Odile Marsh" {
		t.Errorf("character %+v", c)
	}
	unchanged(t, doc, "testdata/valley", nil)
}

func TestFolderEdit(t *testing.T) {
	t.Parallel()
	doc, _ := readDir(t, "testdata/valley")
	doc.Book("valley").Entries[0].Priority = -44
	doc.Characters[0].Books = slices.Insert(doc.Characters[0].Books, 3, "timeline")
	doc.Characters[0].DisplayName = "Odile M."
	doc.Characters[1].Books = []string{"valley"}
	out, _, err := format.Write(t.Context(), codectest.Table(t, codecs), doc, doc.Format)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, f := range out.Files {
		got[f.Path] = string(f.Data)
	}
	if s := got["lorebooks/worlds/valley.json"]; !strings.Contains(s, `"priority":44}`) || strings.Contains(s, "45") {
		t.Errorf("the ladder was not turned back: %s", s)
	}
	want := `# Odile bakes before dawn.
name: odile
display_name: Odile M.
lorebooks:   # order matters: the first named book is scanned first
  - house_rules
  - odile_past   # hers alone
  - "valley"
  - timeline
  - weather
mood: brisk
`
	if diff := cmp.Diff(want, got["characters/odile.yaml"]); diff != "" {
		t.Errorf("the character file (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("name: pim\nlorebooks: [valley]\n", got["characters/pim.yaml"]); diff != "" {
		t.Errorf("the other one (-want +got):\n%s", diff)
	}
}

func TestZippedFolder(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	if err := w.AddFS(os.DirFS("testdata/valley")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	doc, _, err := format.Read(t.Context(), codectest.Table(t, codecs), format.Bytes("valley.zip", b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if doc.Format != suzune.FolderName || len(doc.Books) != 6 {
		t.Fatalf("read as %s with %d books", doc.Format, len(doc.Books))
	}
	if !bytes.Equal(codectest.Write(t, codecs, doc), b.Bytes()) {
		t.Error("the archive changed")
	}
}

// TestOutsideIsOutOfReach names books by paths and through links.
func TestOutsideIsOutOfReach(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.json")
	inside := filepath.Join(dir, "world")
	for _, d := range []string{"lorebooks/shared", "characters"} {
		if err := os.MkdirAll(filepath.Join(inside, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{
		secret: `[{"keys":["x"],"content":"secret"}]`,
		filepath.Join(inside, "lorebooks/shared/open.json"): `[{"keys":["x"],"content":"open"}]`,
		filepath.Join(inside, "characters/a.yaml"):          "name: a\nlorebooks: [open, ../../secret, secret, linked, '..', shared/open]\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(secret, filepath.Join(inside, "lorebooks/shared/linked.json")); err != nil {
		t.Skip(err)
	}
	doc, report := readDir(t, inside)
	if len(doc.Books) != 1 || len(doc.Bindings[0].Books) != 1 {
		t.Errorf("books %d, bindings %v", len(doc.Books), doc.Bindings)
	}
	if len(report.Problems) != 6 {
		t.Errorf("problems: %v", report.Problems)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	doc := codectest.SameBytes(t, codecs, "testdata/odd.json", suzune.Name)
	e := doc.Books[0].Entries
	if len(e) != 4 {
		t.Fatalf("%d entries, want 4", len(e))
	}
	if len(e[0].Keys) != 2 || e[0].Priority != -40 || e[0].InsertionOrder != 40 {
		t.Errorf("read %+v", e[0])
	}
	if e[3].Clauses[0].Logic != lore.Never || *e[3].Probability != 50 {
		t.Errorf("read %+v", e[3])
	}
}

func TestLadderIsTurnedRound(t *testing.T) {
	t.Parallel()
	codectest.Edited(t, codecs, "testdata/valley/lorebooks/worlds/valley.json", suzune.Name, func(doc *format.Document) {
		e := doc.Books[0].Entries
		if e[0].Priority <= e[1].Priority || e[0].InsertionOrder >= e[1].InsertionOrder {
			t.Errorf("45 is more important than 60: %d, %d", e[0].Priority, e[1].Priority)
		}
		e[0].InsertionOrder = 50
		e[1].Priority = -70
	}, `"priority":45`, `"priority":50`, `"priority":60`, `"priority":70`)
}

func TestSingleEntryFile(t *testing.T) {
	t.Parallel()
	path := "testdata/valley/lorebooks/shared/house_rules.json"
	codectest.Edited(t, codecs, path, suzune.Name, func(doc *format.Document) {
		if e := doc.Books[0].Entries[0]; !e.Constant || e.Where != lore.WherePromptEnd {
			t.Errorf("read %+v", e)
		}
		doc.Books[0].Entries[0].Content = "{{char}} listens."
	}, "{{char}} never answers for {{user}}.", "{{char}} listens.")
}

func TestCharacterFile(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]string{
		"tab": "name:\tx\n\t- y", "list": "- a\n", "cut": "name: \"od", "bomb": strings.Repeat("&a [*a,", 10),
	} {
		if _, _, err := suzune.ParseCharacter([]byte(src)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	c, problems, err := suzune.ParseCharacter([]byte("name: [x]\nlorebooks: valley\n"))
	if err != nil || len(problems) != 1 || len(c.Lorebooks) != 1 {
		t.Errorf("%+v, %v, %v", c, problems, err)
	}
	out, err := c.Edit("x y", "", nil)
	if err == nil {
		t.Errorf("a list for a name was edited: %s", out)
	}
}

func TestBadInput(t *testing.T) {
	t.Parallel()
	codectest.BadInput(t, codecs, "testdata/valley/lorebooks/worlds/valley.json")
}

func TestBadFolder(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{
		"lorebooks/worlds/good.json": {Data: []byte(`[{"keys":["a"],"content":"b"}]`)},
		"lorebooks/worlds/cut.json":  {Data: []byte(`[{"keys":["a"`)},
		"lorebooks/worlds/word.json": {Data: []byte(`"hello"`)},
		"characters/bad.yaml":        {Data: []byte("name: \"cut")},
	}
	doc, report, err := format.Read(t.Context(), codectest.Table(t, codecs), format.FS("world", fsys))
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.Books) != 1 || len(report.Problems) != 3 {
		t.Errorf("%d books, problems %v", len(doc.Books), report.Problems)
	}
	out, _, err := format.Write(t.Context(), codectest.Table(t, codecs), doc, doc.Format)
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Files) != 4 {
		t.Errorf("%d files, want all 4", len(out.Files))
	}
}

func FuzzRead(f *testing.F) {
	codectest.Fuzz(f, codecs, "testdata/*.json", "testdata/valley/lorebooks/*/*.json")
}

func FuzzCharacter(f *testing.F) {
	for _, p := range []string{"testdata/valley/characters/odile.yaml", "testdata/valley/characters/pim.yaml"} {
		b, err := os.ReadFile(p)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		c, _, err := suzune.ParseCharacter(src)
		if err != nil {
			return
		}
		if out, err := c.Edit(c.Name, c.DisplayName, c.Lorebooks); err != nil || !bytes.Equal(out, src) {
			t.Errorf("no edit changed %q to %q, %v", src, out, err)
		}
		out, err := c.Edit(c.Name, c.DisplayName, append(slices.Clone(c.Lorebooks), "one more"))
		if err != nil {
			return
		}
		again, _, err := suzune.ParseCharacter(out)
		if err != nil || len(again.Lorebooks) != len(c.Lorebooks)+1 {
			t.Errorf("adding a book to %q gave %q, %v", src, out, err)
		}
	})
}
