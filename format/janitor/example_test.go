package janitor_test

import (
	"context"
	"fmt"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/janitor"
)

func Example() {
	table, err := format.NewTable(janitor.Codec())
	if err != nil {
		panic(err)
	}
	src := format.Bytes("valley", []byte(`[{"key": ["mill"], "keysRaw": "mill", "content": "It stands.", "insertion_order": 100}]`))
	doc, _, err := format.Read(context.Background(), table, src)
	if err != nil {
		panic(err)
	}
	e := doc.Books[0].Entries[0]
	e.Keys = append(e.Keys, e.Keys[0])
	e.Keys[1].Text = "weir"
	out, _, err := format.Write(context.Background(), table, doc, doc.Format)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out.Bytes()))
	// Output:
	// [{"key": ["mill", "weir"], "keysRaw": "mill, weir", "content": "It stands.", "insertion_order": 100}]
}
