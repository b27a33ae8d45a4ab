package backyard_test

import (
	"context"
	"fmt"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/backyard"
)

func Example() {
	table, err := format.NewTable(backyard.Codecs()...)
	if err != nil {
		panic(err)
	}
	src := format.Bytes("valley", []byte(`key,value
mill,"{character} knows it."`))
	doc, _, err := format.Read(context.Background(), table, src)
	if err != nil {
		panic(err)
	}
	e := doc.Books[0].Entries[0]
	fmt.Println(e.Content)
	e.Content = "{{char}} owns it."
	out, _, err := format.Write(context.Background(), table, doc, doc.Format)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out.Bytes()))
	// Output:
	// {{char}} knows it.
	// key,value
	// mill,"{character} owns it."
}
