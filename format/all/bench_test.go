package all_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/all"
	"github.com/weft-memory/weft/format/jsondoc"
	"github.com/weft-memory/weft/format/sillytavern"
)

// bigWorld makes a world file of n entries with all fields, about a kilobyte
// each.
func bigWorld(n int) []byte {
	entries := jsondoc.Obj()
	for i := range n {
		e := jsondoc.Obj(jsondoc.M("uid", jsondoc.Int(i)))
		for _, f := range sillytavern.Fields() {
			e.Set(f.Name, f.Default)
		}
		e.Set("key", jsondoc.StrList([]string{fmt.Sprintf("harbour %d", i), fmt.Sprintf("/lamp(s)? %d/i", i), "quay"}))
		e.Set("comment", jsondoc.Str(fmt.Sprintf("Place %d", i)))
		e.Set("content", jsondoc.Str(fmt.Sprintf("Number %d. The harbour wall is older than the town and nobody knows who built it. ", i)))
		e.Set("displayIndex", jsondoc.Int(i))
		entries.Set(fmt.Sprint(i), e)
	}
	return jsondoc.Obj(jsondoc.M("entries", entries)).Bytes(jsondoc.Indented("    "))
}

func BenchmarkReadBook600(b *testing.B) {
	data := bigWorld(600)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := format.Read(context.Background(), all.Table(), format.Bytes("big.json", data)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkConvertBook600(b *testing.B) {
	data := bigWorld(600)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := format.Convert(context.Background(), all.Table(), format.Bytes("big.json", data), "character_book"); err != nil {
			b.Fatal(err)
		}
	}
}
