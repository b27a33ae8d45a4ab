package resolve

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// parts of random names: few, so that names meet.
var (
	someFirst = []string{"Tom", "Maria", "Lira", "Lyra", "Perrenel", "Perenel", "Kristina", "Kristena", "山田", "Анна", "Пётр", "يوسف", "Golden Lion", "Ravenhall", "Fish", "Redford", "Jörg", "Joerg"}
	someLast  = []string{"", "", " Addy", " Brask", " Ashgrave", " Ashgrove", "太郎", " Орлов", " Inn", " Tavern", " Cellars", " Market", " II", " III", " the Elder", " the Younger", " (north gate)", " (palace)", " of Sund"}
	someTitle = []string{"", "", "", "Captain ", "Lady ", "Lord ", "Old ", "the ", "King "}
	someTypes = []string{"", "character", "location", "organization", "item", "event", "power"}
	someTexts = []string{"", "", "A young guard at the north gate, fond of cards.", "An old guard at the south gate with one eye.", "Guard of the gate, fond of cards and beer.", "She keeps geese.", "Врач из нижнего города, собирает часы."}
)

func drawName(t *rapid.T) string {
	return rapid.SampledFrom(someTitle).Draw(t, "title") + rapid.SampledFrom(someFirst).Draw(t, "first") +
		rapid.SampledFrom(someLast).Draw(t, "last")
}

func drawThing(t *rapid.T, id string) Thing {
	x := Thing{
		ID: id, Name: drawName(t), Type: rapid.SampledFrom(someTypes).Draw(t, "type"),
		Description: rapid.SampledFrom(someTexts).Draw(t, "text"),
	}
	for range rapid.IntRange(0, 2).Draw(t, "aliases") {
		x.Aliases = append(x.Aliases, drawName(t))
	}
	return x
}

// TestIndexIsDecide holds that an index, however it came to be, decides as
// Decide does over the same things.
func TestIndexIsDecide(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		known := map[string]Thing{}
		index := NewIndex(nil)
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			var batch []Thing
			for range rapid.IntRange(1, 4).Draw(t, "batch") {
				batch = append(batch, drawThing(t, fmt.Sprintf("t%d", rapid.IntRange(0, 20).Draw(t, "id"))))
			}
			index = index.With(batch...)
			for _, b := range batch {
				known[b.ID] = b
			}
			if gone := fmt.Sprintf("t%d", rapid.IntRange(0, 20).Draw(t, "gone")); rapid.Bool().Draw(t, "delete") {
				index = index.Without(gone)
				delete(known, gone)
			}
		}
		if index.Len() != len(known) {
			t.Fatalf("Len() = %d, want %d", index.Len(), len(known))
		}
		var list []Thing
		for _, k := range known {
			list = append(list, k)
			if got, ok := index.Thing(k.ID); !ok || !cmp.Equal(got, k) {
				t.Fatalf("Thing(%q) = %v, %v, want %v", k.ID, got, ok, k)
			}
		}
		c := drawThing(t, "")
		want, got := Decide(c, list, Options{}), index.Decide(c, Options{})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Index.Decide(%+v) differs from Decide (-Decide +Index):\n%s", c, diff)
		}
	})
}

func TestIndexIsImmutable(t *testing.T) {
	t.Parallel()
	a := NewIndex([]Thing{{ID: "1", Name: "Tom"}, {ID: "2", Name: "Nell"}})
	b := a.With(Thing{ID: "1", Name: "Thomas"}, Thing{ID: "3", Name: "Marit"})
	c := b.Without("2", "no such id")
	for _, x := range []struct {
		index *Index
		name  string
		want  Verdict
	}{
		{a, "Tom", Same},
		{a, "Thomas", Different},
		{a, "Marit", Different},
		{b, "Tom", Different},
		{b, "Thomas", Same},
		{b, "Nell", Same},
		{c, "Nell", Different},
		{c, "Marit", Same},
	} {
		if got := x.index.Decide(Thing{Name: x.name}, Options{}); got.Verdict != x.want {
			t.Errorf("%d things: %q is %v, want %v", x.index.Len(), x.name, got.Verdict, x.want)
		}
	}
	if c.Without("2") != c || c.With() != c {
		t.Error("no change makes a new index")
	}
	if n := b.Without("1", "2", "3").Len(); n != 0 {
		t.Errorf("%d things left, want none", n)
	}
}

func TestIndexConcurrently(t *testing.T) {
	t.Parallel()
	index := NewIndex(titles(500))
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			mine := index
			for i := range 50 {
				name := fmt.Sprintf("Newcomer %c%c", 'A'+g, 'a'+i%26)
				mine = mine.With(Thing{ID: fmt.Sprintf("new-%d-%d", g, i), Name: name, Description: "Someone new."})
				mine.Decide(titles(500)[i], Options{})
			}
		})
	}
	wg.Wait()
	if index.Len() != 500 {
		t.Errorf("Len() = %d, want 500", index.Len())
	}
}

func TestSimilar(t *testing.T) {
	t.Parallel()
	index := NewIndex([]Thing{
		{ID: "guild", Name: "Shadow Guild"},
		{ID: "guard", Name: "Shadow Guard", Aliases: []string{"Grey Masks"}},
		{ID: "inn", Name: "The Broken Anchor"},
	})
	got := index.Similar("shadow guild", 0.3, 0)
	if len(got) != 2 || got[0].ID != "guild" || got[0].Similarity != 1 || got[1].ID != "guard" {
		t.Errorf("Similar = %v", got)
	}
	if got := index.Similar("grey mask", 0.3, 1); len(got) != 1 || got[0].Name != "Grey Masks" {
		t.Errorf("Similar = %v, want the alias", got)
	}
	if got := index.Similar("", 0, 0); len(got) != 0 {
		t.Errorf("Similar of nothing = %v", got)
	}
}

// titles makes n titles as books have them, always the same.
func titles(n int) []Thing {
	r := rand.New(rand.NewPCG(1, 2))
	syllables := strings.Fields("an bel cor dra el fen gor hal il jor kar lum mar nor os per quil ros sel tar ul ven wyn yr zan the ri no ka mo")
	word := func() string {
		s := ""
		for range 2 + r.IntN(2) {
			s += syllables[r.IntN(len(syllables))]
		}
		return strings.ToUpper(s[:1]) + s[1:]
	}
	templates := []string{"%s %s", "The %s Inn", "Captain %s", "%s the Grey", "Battle of %s", "%s", "Order of the %s", "%s Tower", "Lady %s of %s"}
	kinds := []string{"character", "location", "character", "character", "event", "", "organization", "location", "character"}
	out := make([]Thing, n)
	for i := range out {
		k := r.IntN(len(templates))
		name := templates[k]
		for strings.Contains(name, "%s") {
			name = strings.Replace(name, "%s", word(), 1)
		}
		out[i] = Thing{ID: fmt.Sprintf("t%d", i), Type: kinds[k], Name: name, Description: "Somebody or something in the story."}
	}
	return out
}

func BenchmarkNewIndex(b *testing.B) {
	things := titles(30_000)
	b.ReportAllocs()
	for b.Loop() {
		NewIndex(things)
	}
}

func BenchmarkIndexDecide(b *testing.B) {
	things := titles(30_000)
	index := NewIndex(things)
	for name, queries := range map[string][]Thing{
		"known":   things[:1000],
		"unknown": titles(31_000)[30_000:],
		"noisy":   noisyTitles(things[:1000]),
	} {
		queries = slices.Clone(queries)
		for i := range queries {
			queries[i].ID = ""
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				index.Decide(queries[i%len(queries)], Options{})
			}
		})
	}
}

func noisyTitles(things []Thing) []Thing {
	out := slices.Clone(things)
	for i := range out {
		out[i].Name = strings.ToUpper(out[i].Name) + " (north)"
	}
	return out
}

func BenchmarkIndexWith(b *testing.B) {
	things := titles(30_000)
	index := NewIndex(things)
	b.ReportAllocs()
	x := index
	for i := 0; b.Loop(); i++ {
		x = x.With(Thing{ID: fmt.Sprint("new", i), Type: "character", Name: things[i%30_000].Name + " Newcomer"})
	}
}

func BenchmarkSimilarity(b *testing.B) {
	for b.Loop() {
		Similarity("The Broken Anchor Tavern", "The Broken Anchor")
	}
}

func BenchmarkNormal(b *testing.B) {
	for name, text := range map[string]string{"ascii": "The Broken-Anchor Tavern", "accents": "Señor Đặng Hồng", "han": "山田 太郎"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Normal(text)
			}
		})
	}
}
