package agnai_test

import (
	"context"
	"fmt"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/agnai"
)

func Example() {
	table, err := format.NewTable(agnai.Codec())
	if err != nil {
		panic(err)
	}
	src := format.Bytes("valley", []byte(`{"kind": "memory", "entries": [{"name": "Mill", "entry": "It stands.", "keywords": ["m?ll"], "priority": 5, "weight": 1, "enabled": true}]}`))
	doc, _, err := format.Read(context.Background(), table, src)
	if err != nil {
		panic(err)
	}
	doc.Books[0].Entries[0].Priority = 6
	out, _, err := format.Write(context.Background(), table, doc, doc.Format)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out.Bytes()))
	// Output:
	// {"kind": "memory", "entries": [{"name": "Mill", "entry": "It stands.", "keywords": ["m?ll"], "priority": 6, "weight": 1, "enabled": true}]}
}
