package memory

import (
	"fmt"
	"testing"

	"github.com/weft-memory/weft/lore"
)

// benchOps makes operations as a long story does: a third creates entries, the
// rest adds to them, and every seventh patches an authored one.
func benchOps(n int) []Operation {
	ops := make([]Operation, n)
	for i := range ops {
		op := Operation{
			ID: fmt.Sprint("o", i), Seq: int64(i + 1), World: "w", Layer: LayerStory, Conversation: "c", Node: fmt.Sprint("n", i/4),
			Author: Author{Kind: BySidecar}, Book: StoryBook, Kind: KindPatch, Entry: fmt.Sprint("e", i/9*3),
		}
		switch {
		case i%3 == 0:
			e := lore.NewEntry(fmt.Sprint("e", i/3), fmt.Sprintf("Person %d keeps an inn by the river. The inn has %d rooms. Guests come in autumn.", i, i%7))
			e.Name, e.Keys = fmt.Sprint("Person ", i), lore.LiteralKeys(fmt.Sprint("Person ", i))
			op.Kind, op.Entry, op.Change = KindCreate, e.ID, Change{Entry: e}
		case i%7 == 0:
			op.Book, op.Entry = "vale", fmt.Sprint("v", i%500)
			op.Change = Change{Fields: map[string]Field{"status": {New: quoted(fmt.Sprint("seen ", i))}}}
		case i%5 == 0:
			op.Change = Change{Fields: map[string]Field{"tags": {New: encodeNames([]string{fmt.Sprint("t", i%11)})}}}
		default:
			op.Change = Append(fmt.Sprintf("On day %d a letter came.", i))
		}
		op.Normalize()
		ops[i] = op
	}
	return ops
}

func benchBooks(n int) []*lore.Book {
	b := &lore.Book{ID: "vale", Policy: lore.PolicyWeaver()}
	for i := range n {
		e := lore.NewEntry(fmt.Sprint("v", i), fmt.Sprintf("House %d stands on the hill. It is old.", i))
		e.Name, e.Keys = fmt.Sprint("House ", i), lore.LiteralKeys(fmt.Sprint("House ", i))
		b.Entries = append(b.Entries, e)
	}
	return []*lore.Book{b, NewBook(WorldBook), NewBook(StoryBook)}
}

func BenchmarkFold(b *testing.B) {
	for _, n := range []int{500, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			books, ops := benchBooks(10_000), benchOps(n)
			b.ReportAllocs()
			for b.Loop() {
				v := Fold(books, ops, Options{})
				if o := v.Overlays(); len(o.Put) == 0 {
					b.Fatal("nothing to show")
				}
			}
		})
	}
}

// BenchmarkSwitch moves the head of a story of 5,000 operations to a swipe with
// as many operations as the name says, overlays included.
func BenchmarkSwitch(b *testing.B) {
	books, ops := benchBooks(10_000), benchOps(5020)
	for _, n := range []int{20} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			v := Fold(books, ops[:5000], Options{})
			v.Overlays()
			b.ReportAllocs()
			for b.Loop() {
				w := v.Switch(ops[5000-n:5000], ops[5000:5000+n])
				if o := w.Overlays(); len(o.Put) == 0 {
					b.Fatal("nothing to show")
				}
			}
		})
	}
}
