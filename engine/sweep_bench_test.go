package engine_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
)

// tavernBenchBook returns a book of n entries as SillyTavern has them: whole
// words, some with secondary keys, in groups, sticky, with macros or with an
// expression, and one constant in a hundred (ten at most).
func tavernBenchBook(n int) *lore.Book {
	b := &lore.Book{ID: "bench", Policy: lore.PolicySillyTavern(), ScanDepth: lore.Messages(50)}
	for i := range n {
		w := benchWord(7919 * (i + 1))
		e := lore.NewEntry(strconv.Itoa(i), "The "+w+" stands by the river, says {{char}}.")
		e.Keys = lore.LiteralKeys("the "+w, w+"-keeper")
		e.Priority = 100 + i%7
		e.InsertionOrder = e.Priority
		e.Origin.Pointer = "/entries/" + strconv.Itoa(i)
		switch i % 20 {
		case 3:
			e.Clauses = []lore.Clause{{Logic: lore.NoneOf, Keys: lore.LiteralKeys("no " + w)}}
		case 7:
			e.Inclusion = &lore.Inclusion{Names: []string{"g" + strconv.Itoa(i%5)}}
		case 11:
			e.Sticky, e.Cooldown = 3, 2
		case 13:
			e.Keys = append(e.Keys, lore.Key{Text: w + "(s|ed)", Kind: lore.KeyJS, Flags: "i"})
		}
		e.Constant = i%100 == 50 && i < 1000
		b.Entries = append(b.Entries, e)
	}
	return b
}

func BenchmarkAssembleTavern(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		s, list := engine.Build(tavernBenchBook(n), engine.BuildOptions{})
		if list.HasErrors() {
			b.Fatal(list.Err())
		}
		ix := engine.NewIndex(s)
		e := benchEngine(b)
		chat := benchChat(50)
		for _, warm := range []bool{false, true} {
			name := map[bool]string{false: "cold", true: "warm"}[warm]
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				msgs := append([]lore.Message(nil), chat...)
				in := engine.Input{Messages: msgs, Character: engine.Character{Name: "Mio"}}
				if warm {
					in.Cache = engine.NewCache(0)
				}
				fired, turn := 0, 0
				for b.Loop() {
					turn++
					if warm { // one new message, the oldest one goes
						copy(msgs, msgs[1:])
						msgs[len(msgs)-1] = lore.UserMessage(chat[turn%len(chat)].Content + " " + strconv.Itoa(turn))
					}
					r, err := e.Assemble(b.Context(), ix, in)
					if err != nil {
						b.Fatal(err)
					}
					fired = len(r.Blocks)
				}
				b.ReportMetric(float64(fired), "fired")
			})
		}
	}
}
