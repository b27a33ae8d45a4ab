package lore

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func BenchmarkParseEntry(b *testing.B) {
	src := []byte(everything)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if f, _ := ParseEntry("mill.weaver", src); f.Entry() == nil {
			b.Fatal("no entry")
		}
	}
}

func BenchmarkSetEntry(b *testing.B) {
	f, _ := ParseEntry("mill.weaver", []byte(everything))
	e := f.Entry().Clone()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		e.Placement.Priority = 1 + i%2
		if err := f.SetEntry(e); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoadDir(b *testing.B) {
	dir := b.TempDir()
	for i := range 1000 {
		src := fmt.Sprintf("---\nid: e%d\nkeywords: [key%d, \"other %d\", third]\npriority: %d\nslot: setting\n---\n%s\n", i, i, i, i%50, strings.Repeat("Some lore of the town. ", 20))
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("e%04d.weaver", i)), []byte(src), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		d, list, err := LoadDir(b.Context(), dir)
		if err != nil || len(list) > 0 || len(d.Book().Entries) != 1000 {
			b.Fatal(err, list)
		}
	}
}

func BenchmarkParseBook(b *testing.B) {
	book := NewBook("b")
	for i := range 1000 {
		book.Entry(fmt.Sprintf("e%d", i), strings.Repeat("Some lore of the town. ", 20), Keywords(fmt.Sprint("key", i), "third"))
	}
	made, err := book.Build()
	if err != nil {
		b.Fatal(err)
	}
	src, err := MarshalBook(made)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if got, _ := ParseBook("b.json", src); len(got.Entries) != 1000 {
			b.Fatal("entries are lost")
		}
	}
}
