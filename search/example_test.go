package search_test

import (
	"fmt"
	"strings"

	"github.com/weft-memory/weft/search"
)

func Example() {
	x := search.NewIndex()
	err := x.Put(
		search.Document{ID: "m1", Kind: search.Message, Author: "Ines", Text: "I buried the key under the mill."},
		search.Document{ID: "m2", Kind: search.Message, Author: "Jorun", Text: "Then nobody will find it."},
		search.Document{ID: "e1", Kind: search.Entry, Name: "The mill", Text: "A ruin by the river."},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	result := x.Search(x.All(), search.Query{Text: "Where did Ines bury the key?"}, search.DefaultConfig())
	for _, hit := range result.Hits {
		fmt.Printf("%s: here %q, near %q\n", hit.ID, strings.Join(hit.Why.Matched, " "), strings.Join(hit.Why.Nearby, " "))
	}
	// Output:
	// m1: here "Ines bury key", near ""
	// m2: here "", near "Ines bury key"
}

func ExampleActivate() {
	for _, a := range search.Activate([]search.Candidate{
		{Book: "harbour", Entry: "tidebell", Score: 0.71},
		{Book: "harbour", Entry: "fishwife", Score: 0.38},
	}) {
		fmt.Printf("%s %v %q\n", a.Entry, a.Active, a.Reason)
	}
	// Output:
	// tidebell true ""
	// fishwife false "threshold"
}
