package chub_test

import (
	"context"
	"fmt"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/chub"
)

func Example() {
	table, err := format.NewTable(chub.Codec())
	if err != nil {
		panic(err)
	}
	src := format.Bytes("valley", []byte(`{"extensions": {"chub": {"id": 1}}, "entries": [{"keys": ["mill"], "content": "It stands.", "enabled": true, "insertion_order": 1, "extensions": {}}]}`))
	doc, _, err := format.Read(context.Background(), table, src)
	if err != nil {
		panic(err)
	}
	doc.Books[0].Entries[0].Disabled = true
	out, _, err := format.Write(context.Background(), table, doc, doc.Format)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out.Bytes()))
	// Output:
	// {"extensions": {"chub": {"id": 1}}, "entries": [{"keys": ["mill"], "content": "It stands.", "enabled": false, "insertion_order": 1, "extensions": {}}]}
}
