package contextweaver_test

import (
	"context"
	"fmt"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/contextweaver"
)

func Example() {
	table, err := format.NewTable(contextweaver.Codecs()...)
	if err != nil {
		panic(err)
	}
	src := format.Bytes("valley", []byte(`---
id: mill
keywords: [mill]   # the old one
---
It stands.`))
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
	// ---
	// id: mill
	// keywords: [mill]   # the old one
	// ---
	// It turns.
}
