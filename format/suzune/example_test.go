package suzune_test

import (
	"context"
	"fmt"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/suzune"
)

func Example() {
	table, err := format.NewTable(suzune.Codecs()...)
	if err != nil {
		panic(err)
	}
	src := format.Bytes("valley", []byte(`[{"keys": ["mill"], "content": "It stands.", "priority": 20, "mood": "calm"}]`))
	doc, _, err := format.Read(context.Background(), table, src)
	if err != nil {
		panic(err)
	}
	e := doc.Books[0].Entries[0]
	fmt.Println(e.Priority, e.InsertionOrder)
	e.Priority = -10 // more important
	out, _, err := format.Write(context.Background(), table, doc, doc.Format)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out.Bytes()))
	// Output:
	// -20 20
	// [{"keys": ["mill"], "content": "It stands.", "priority": 10, "mood": "calm"}]
}
