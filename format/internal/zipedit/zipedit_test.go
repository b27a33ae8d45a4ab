package zipedit_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
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

// zip64 gives an archive the end record of zip64, with all sizes in it, and the
// directory's first member an offset of eight bytes.
func zip64(t *testing.T, data []byte) []byte {
	t.Helper()
	end := bytes.LastIndex(data, []byte("PK\x05\x06"))
	le := binary.LittleEndian
	count, start := le.Uint16(data[end+10:]), int(le.Uint32(data[end+16:]))
	rec := bytes.Clone(data[start : start+46])
	name := int(le.Uint16(rec[28:]))
	field := le.AppendUint64([]byte{1, 0, 8, 0}, uint64(le.Uint32(rec[42:])))
	le.PutUint32(rec[42:], 0xffffffff)
	le.PutUint16(rec[30:], uint16(len(field)))
	directory := append(append(rec, data[start+46:start+46+name]...), field...)
	directory = append(directory, data[start+46+name+int(le.Uint16(data[start+30:])):end]...)
	out := append(bytes.Clone(data[:start]), directory...)
	at := len(out)
	z := append([]byte("PK\x06\x06"), le.AppendUint64(nil, 44)...)
	z = append(z, 45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	for _, n := range []uint64{uint64(count), uint64(count), uint64(len(directory)), uint64(start)} {
		z = le.AppendUint64(z, n)
	}
	z = append(z, "PK\x06\x07\x00\x00\x00\x00"...)
	z = le.AppendUint64(z, uint64(at))
	z = append(z, 1, 0, 0, 0)
	tail := bytes.Clone(data[end:])
	copy(tail[8:], "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")
	return append(append(out, z...), tail...)
}

// TestZip64 changes members of archives whose sizes stand in zip64 records.
func TestZip64(t *testing.T) {
	t.Parallel()
	data := zip64(t, archive(t, "a.json", "b.txt"))
	for _, changed := range []string{"a.json", "b.txt"} {
		a, err := zipedit.Open(data, format.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		out, err := a.Replace(map[string][]byte{changed: []byte("changed")})
		if err != nil {
			t.Fatal(err)
		}
		b, err := zipedit.Open(out, format.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a.json", "b.txt"} {
			want := strings.Repeat("text of "+name+"\n", 20)
			if name == changed {
				want = "changed"
			}
			if got, err := b.Read(name); err != nil || string(got) != want {
				t.Errorf("%s changed: %s is %q, %v", changed, name, got, err)
			}
		}
		if again, err := b.Replace(map[string][]byte{"c": []byte("new")}); err != nil || len(again) <= len(out) {
			t.Errorf("the written archive cannot be changed again: %v", err)
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
