package aidungeon_test

import (
	"context"
	"fmt"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/aidungeon"
)

func Example() {
	table, err := format.NewTable(aidungeon.Codecs()...)
	if err != nil {
		panic(err)
	}
	src := format.Bytes("valley", []byte(`[{"keys": "mill, race", "value": "It stands.", "house": 1}]`))
	doc, _, err := format.Read(context.Background(), table, src)
	if err != nil {
		panic(err)
	}
	doc.Books[0].Entries[0].Content = "It turns."
	out, _, err := format.Write(context.Background(), table, doc, doc.Format)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out.Bytes()))
	// Output:
	// [{"keys": "mill, race", "value": "It turns.", "house": 1}]
}
