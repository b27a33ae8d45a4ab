package novelai_test

import (
	"context"
	"fmt"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/novelai"
)

func Example() {
	table, err := format.NewTable(novelai.Codecs()...)
	if err != nil {
		panic(err)
	}
	src := format.Bytes("valley", []byte(`{"lorebookVersion": 4, "entries": [{"text": "It stands.", "keys": ["mill"], "searchRange": 800, "contextConfig": {"budgetPriority": 400}}]}`))
	doc, _, err := format.Read(context.Background(), table, src)
	if err != nil {
		panic(err)
	}
	e := doc.Books[0].Entries[0]
	fmt.Println(e.ScanDepth.N, e.ScanDepth.Unit)
	e.Priority = 410
	out, _, err := format.Write(context.Background(), table, doc, doc.Format)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out.Bytes()))
	// Output:
	// 800 chars
	// {"lorebookVersion": 4, "entries": [{"text": "It stands.", "keys": ["mill"], "searchRange": 800, "contextConfig": {"budgetPriority": 410}}]}
}
