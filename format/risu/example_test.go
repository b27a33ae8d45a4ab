package risu_test

import (
	"context"
	"fmt"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/risu"
)

func Example() {
	table, err := format.NewTable(risu.Codecs()...)
	if err != nil {
		panic(err)
	}
	src := format.Bytes("valley", []byte(`[{"key": "mill, race", "insertorder": 100, "comment": "Mill", "content": "@@depth 2\nIt stands.", "mode": "normal"}]`))
	doc, _, err := format.Read(context.Background(), table, src)
	if err != nil {
		panic(err)
	}
	e := doc.Books[0].Entries[0]
	fmt.Println(e.Slot, len(e.Keys))
	e.Disabled = true
	out, _, err := format.Write(context.Background(), table, doc, doc.Format)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out.Bytes()))
	// Output:
	// at_depth(2) 2
	// [{"key": "mill, race", "insertorder": 100, "comment": "Mill", "content": "@@dont_activate\n@@depth 2\nIt stands.", "mode": "normal"}]
}
