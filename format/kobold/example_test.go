package kobold_test

import (
	"context"
	"fmt"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/kobold"
)

func Example() {
	table, err := format.NewTable(kobold.Codecs()...)
	if err != nil {
		panic(err)
	}
	src := format.Bytes("valley", []byte(`{"prompt": "You wake.", "actions": [], "worldinfo": [{"key": "mill, race", "content": "It stands."}]}`))
	doc, _, err := format.Read(context.Background(), table, src)
	if err != nil {
		panic(err)
	}
	fmt.Println(doc.Chats[0].Messages[0].Content)
	doc.Books[0].Entries[0].Constant = true
	out, _, err := format.Write(context.Background(), table, doc, doc.Format)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(out.Bytes()))
	// Output:
	// You wake.
	// {"prompt": "You wake.", "actions": [], "worldinfo": [{"key": "mill, race", "content": "It stands.", "constant": true}]}
}
