package resolve_test

import (
	"fmt"

	"github.com/weft-memory/weft/resolve"
)

func ExampleDecide() {
	known := []resolve.Thing{
		{ID: "alys", Type: "character", Name: "Queen Alys"},
		{ID: "lord", Type: "character", Name: "Lord Thorne"},
		{ID: "lady", Type: "character", Name: "Lady Thorne"},
	}
	for _, name := range []string{"Alys", "Lady Thorne", "Thorne", "Sir Thorne"} {
		d := resolve.Decide(resolve.Thing{Type: "character", Name: name}, known, resolve.Options{})
		fmt.Println(name, "-", d.Verdict, d.Target)
	}
	// Output:
	// Alys - same alys
	// Lady Thorne - same lady
	// Thorne - ambiguous lady
	// Sir Thorne - different
}

func ExampleDecision_Trace() {
	known := []resolve.Thing{{ID: "guard", Type: "organization", Name: "Lantern Guard"}}
	d := resolve.Decide(resolve.Thing{Type: "organization", Name: "The Lantern Guild"}, known, resolve.Options{})
	fmt.Print(d.Trace())
	// Output:
	// trigram: guard: "lantern guild" and "lantern guard": 0.56 alike, but no: both are lantern, but they are of different kinds: guard and guild
	// none: no known thing matches
	// different
}

// Two guards are named Tom; only what is said of them tells which is meant.
func ExampleIndex() {
	index := resolve.NewIndex([]resolve.Thing{
		{ID: "1", Type: "character", Name: "Tom", Description: "A young guard at the north gate, fond of cards."},
	})
	index = index.With(resolve.Thing{
		ID: "2", Type: "character", Name: "Tom", Description: "An old guard of the treasury who breeds pigeons.",
	})
	d := index.Decide(resolve.Thing{
		Type: "character", Name: "tom", Description: "Young guard of the north gate, cheats at cards.",
	}, resolve.Options{})
	fmt.Println(d.Verdict, d.Target)
	d = index.Decide(resolve.Thing{Type: "character", Name: "Tom"}, resolve.Options{})
	fmt.Println(d.Verdict, d.Candidates)
	// Output:
	// same 1
	// ambiguous [1 2]
}

func ExampleOptions_ask() {
	known := []resolve.Thing{
		{ID: "addy", Type: "character", Name: "Tom Addy"},
		{ID: "brask", Type: "character", Name: "Tom Brask"},
	}
	ask := func(candidate resolve.Thing, among []resolve.Thing) resolve.Answer {
		// A program would show both to a model or to a person.
		return resolve.Answer{Verdict: resolve.Same, ID: "brask", Reason: "he holds the fork"}
	}
	d := resolve.Decide(resolve.Thing{Type: "character", Name: "Tom"}, known, resolve.Options{Ask: ask})
	fmt.Println(d.Verdict, d.Target, d.Rule)
	// Output: same brask ask
}

func ExampleNormal() {
	fmt.Println(resolve.Normal("The Brothers-in-Arms"))
	fmt.Println(resolve.Normal("brothers in arms"))
	fmt.Println(resolve.Normal("Ёж"))
	// Output:
	// brothers in arms
	// brothers in arms
	// еж
}

func ExampleSimilarity() {
	fmt.Printf("%.6f\n", resolve.Similarity("Shadow Guild", "Shadow Guard"))
	fmt.Printf("%.6f\n", resolve.Similarity("山田太郎", "山田次郎"))
	// Output:
	// 0.529412
	// 0.250000
}

func ExampleIndex_Similar() {
	index := resolve.NewIndex([]resolve.Thing{
		{ID: "guild", Name: "Shadow Guild"}, {ID: "inn", Name: "The Broken Anchor"},
	})
	for _, m := range index.Similar("the shadow gild", 0.3, 5) {
		fmt.Printf("%s %.2f\n", m.Name, m.Similarity)
	}
	// Output: Shadow Guild 0.67
}
