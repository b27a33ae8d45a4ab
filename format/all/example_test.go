package all_test

import (
	"context"
	"fmt"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/all"
)

const harbour = `{"entries": {"0": {"uid": 0, "key": ["lamp"], "content": "It burns oil.", "order": 1e2, "mine": true}}}`

// A file is read, edited and written back: only the edit differs.
func Example() {
	ctx, table := context.Background(), all.Table()
	doc, _, err := format.Read(ctx, table, format.Bytes("harbour.json", []byte(harbour)))
	if err != nil {
		fmt.Println(err)
		return
	}
	doc.Books[0].Entries[0].Content = "It is out."
	out, _, err := format.Write(ctx, table, doc, doc.Format)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(doc.Format)
	fmt.Println(string(out.Bytes()))
	// Output:
	// sillytavern
	// {"entries": {"0": {"uid": 0, "key": ["lamp"], "content": "It is out.", "order": 1e2, "mine": true}}}
}

// A conversion says what it could not keep.
func Example_convert() {
	src := format.Bytes("harbour.json", []byte(harbour))
	_, report, err := format.Convert(context.Background(), all.Table(), src, "aidungeon")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, i := range report.Filter(format.Lost) {
		fmt.Println(i)
	}
	// Output:
	// lost: entry 0: mine (the format has no word for it)
	// lost: entry 0: (members) (which fields are absent, and their order)
}
