package zipedit_test

import (
	"archive/zip"
	"bytes"
	"strings"
	"testing"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/internal/zipedit"
)

func archive(t *testing.T, names ...string) []byte {
	t.Helper()
	contents := map[string][]byte{}
	for _, n := range names {
		contents[n] = []byte(strings.Repeat("text of "+n+"\n", 20))
	}
	b, err := zipedit.New(names, contents)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestReplaceKeepsOtherMembers(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"", "an image in front"} {
		data := append([]byte(prefix), archive(t, "a.json", "b/c.txt", "d.bin")...)
		a, err := zipedit.Open(data, format.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		out, err := a.Replace(map[string][]byte{"b/c.txt": []byte("changed"), "new.json": []byte("{}")})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(out, data[:len(prefix)+40]) {
			t.Errorf("prefix %q: the first member was rewritten", prefix)
		}
		b, err := zipedit.Open(out, format.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(b.Names(), " "); got != "a.json b/c.txt d.bin new.json" {
			t.Errorf("members are %s", got)
		}
		for name, want := range map[string]string{"b/c.txt": "changed", "new.json": "{}", "d.bin": strings.Repeat("text of d.bin\n", 20)} {
			if got, err := b.Read(name); err != nil || string(got) != want {
				t.Errorf("%s: %q, %v", name, got, err)
			}
		}
	}
}

func TestNothingToReplaceIsTheSameBytes(t *testing.T) {
	t.Parallel()
	data := archive(t, "a", "b")
	a, err := zipedit.Open(data, format.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.Replace(nil)
	if err != nil || !bytes.Equal(out, data) {
		t.Errorf("the archive changed, %v", err)
	}
}

func TestUnsafeArchives(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{"../up", "/abs", `win\path`, "ok"} {
		f, _ := w.Create(name)
		_, _ = f.Write([]byte("x"))
	}
	big, _ := w.Create("big")
	_, _ = big.Write(make([]byte, 1<<20))
	_ = w.Close()
	a, err := zipedit.Open(b.Bytes(), format.Limits{FileBytes: 1 << 16})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(a.Names(), " "); got != "ok" {
		t.Errorf("readable members are %q, want ok", got)
	}
	if _, err := a.Read("../up"); err == nil || !strings.Contains(err.Error(), "out of the archive") {
		t.Errorf("reading ../up gave %v", err)
	}
	if _, err := zipedit.Open(b.Bytes(), format.Limits{TotalBytes: 1 << 16}); err == nil {
		t.Error("an archive over the total was opened")
	}
	if _, err := zipedit.Open(b.Bytes(), format.Limits{Files: 2}); err == nil {
		t.Error("an archive with too many members was opened")
	}
	if _, err := zipedit.Open(b.Bytes()[:b.Len()-30], format.Limits{}); err == nil {
		t.Error("a truncated archive was opened")
	}
}
