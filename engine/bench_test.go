package engine_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/stdlib"
)

// benchWord returns the i-th word of a made-up language: three syllables.
func benchWord(i int) string {
	const c, v = "bdfgklmnprstvz", "aeiou"
	var b strings.Builder
	for range 4 {
		b.WriteByte(c[i%len(c)])
		i /= len(c)
		b.WriteByte(v[i%len(v)])
		i /= len(v)
	}
	return b.String()
}

// benchBook returns a book of n entries with three keys and a small body with
// one if. The keys of the first hundred entries are the same for every n.
func benchBook(n int) *lore.Book {
	b := &lore.Book{ID: "bench", Policy: lore.PolicyWeaver(), ScanDepth: lore.Messages(50)}
	for i := range n {
		w := benchWord(7919 * (i + 1))
		e := lore.NewEntry("e"+strconv.Itoa(i),
			"The "+w+" stands by the river.\n{# if {{state:level}} > 5 #}\nIt greets an old friend.\n{# else #}\nIts gate is shut.\n{# endif #}\n")
		e.Keys = lore.LiteralKeys(w+" gate", w+"-keeper", "the "+w)
		e.Priority = 100 + i%7
		b.Entries = append(b.Entries, e)
	}
	return b
}

// benchChat returns messages of 80 words, each with two planted keys of the
// first hundred entries.
func benchChat(n int) []lore.Message {
	rng := rand.New(rand.NewPCG(1, 2))
	out := make([]lore.Message, n)
	for i := range out {
		words := make([]string, 80)
		for j := range words {
			words[j] = benchWord(104729 * (1 + rng.IntN(3000)))
		}
		for k := range 2 {
			e := (2*i + k) % 100
			words[10+40*k] = "the " + benchWord(7919*(e+1))
		}
		out[i] = lore.UserMessage(strings.Join(words, " "))
	}
	return out
}

func benchEngine(b testing.TB) *engine.Engine {
	e, err := engine.New(engine.Options{Registry: stdlib.NewRegistry()})
	if err != nil {
		b.Fatal(err)
	}
	return e
}

func BenchmarkAssemble(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		s, list := engine.Build(benchBook(n), engine.BuildOptions{})
		if list.HasErrors() {
			b.Fatal(list.Err())
		}
		ix := engine.NewIndex(s)
		e := benchEngine(b)
		chat := benchChat(50)
		vars := map[string]map[string]weaver.Value{"state": {"level": weaver.Number(7)}}
		in := engine.Input{Messages: chat, Vars: vars}
		b.Run(fmt.Sprintf("cold/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			fired := 0
			for b.Loop() {
				r, err := e.Assemble(b.Context(), ix, in)
				if err != nil {
					b.Fatal(err)
				}
				fired = len(r.Blocks)
			}
			b.ReportMetric(float64(fired), "fired")
		})
		b.Run(fmt.Sprintf("warm/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			cache := engine.NewCache(0)
			msgs := append([]lore.Message(nil), chat...)
			in := engine.Input{Messages: msgs, Cache: cache, Vars: vars}
			fired, turn := 0, 0
			for b.Loop() {
				// One new message, the oldest one goes.
				turn++
				copy(msgs, msgs[1:])
				msgs[len(msgs)-1] = lore.UserMessage(chat[turn%len(chat)].Content + " " + strconv.Itoa(turn))
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

func BenchmarkBuild(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			book := benchBook(n)
			var s *engine.Segment
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			for b.Loop() {
				s, _ = engine.Build(book, engine.BuildOptions{})
			}
			b.StopTimer()
			runtime.GC()
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/(1<<20), "MB-kept")
			runtime.KeepAlive(s)
			runtime.KeepAlive(book)
		})
	}
}

func BenchmarkOverlay(b *testing.B) {
	s, _ := engine.Build(benchBook(10000), engine.BuildOptions{})
	ix := engine.NewIndex(s)
	changed := benchBook(10000).Entries[500]
	changed.Content += "\nIts keeper has left."
	for b.Loop() {
		ix.Overlay(engine.Overlay{Put: map[string][]*lore.Entry{"bench": {changed}}})
	}
}

// BenchmarkDialects is the warm assembly of 10,000 entries in other dialects.
func BenchmarkDialects(b *testing.B) {
	for _, p := range []lore.Policy{lore.PolicySuzune(), lore.PolicySillyTavern()} {
		b.Run(p.Name, func(b *testing.B) {
			book := benchBook(10000)
			book.Policy = p
			for _, e := range book.Entries {
				e.Content = "The gate is shut, says {{char}}."
			}
			s, _ := engine.Build(book, engine.BuildOptions{})
			ix := engine.NewIndex(s)
			e := benchEngine(b)
			msgs := benchChat(50)
			in := engine.Input{Messages: msgs, Cache: engine.NewCache(0)}
			turn := 0
			b.ReportAllocs()
			for b.Loop() {
				turn++
				first := msgs[0]
				copy(msgs, msgs[1:])
				msgs[len(msgs)-1] = first
				msgs[len(msgs)-1].Content += " " + strconv.Itoa(turn%10)
				if _, err := e.Assemble(b.Context(), ix, in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
