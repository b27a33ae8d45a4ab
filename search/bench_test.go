package search

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weft-memory/weft/search/embed"
	"github.com/weft-memory/weft/search/embed/words"
)

// world makes the documents of a large world: entries of 60 words and messages
// of 100, of 20,000 made-up words as frequent as words are, and common ones.
func world(entries, messages int) (docs []Document, path, others []string) {
	r := rand.New(rand.NewPCG(7, 7))
	syllables := strings.Fields("ka lo mi ren sha tor vel ish und ar bek dun fo gra hol jin kel mor nus pra")
	vocabulary := make([]string, 20_000)
	for i := range vocabulary {
		var b strings.Builder
		for n := i + 400; n > 0; n /= len(syllables) {
			b.WriteString(syllables[n%len(syllables)])
		}
		vocabulary[i] = b.String()
	}
	zipf := rand.NewZipf(r, 1.07, 8, uint64(len(vocabulary)-1))
	little := strings.Fields("the a of and to in he she was with his her that it on at as for")
	text := func(n int) string {
		var b strings.Builder
		for range n {
			if r.IntN(5) < 2 {
				b.WriteString(little[r.IntN(len(little))])
			} else {
				b.WriteString(vocabulary[zipf.Uint64()])
			}
			b.WriteByte(' ')
		}
		return b.String()
	}
	for i := range entries {
		id := fmt.Sprintf("book/entry-%05d@1", i)
		docs = append(docs, Document{ID: id, Kind: Entry, Name: vocabulary[r.IntN(len(vocabulary))], Keys: []string{vocabulary[r.IntN(len(vocabulary))]}, Text: text(60)})
		others = append(others, id)
	}
	for i := range messages {
		id := fmt.Sprintf("0198f2a0-0000-7000-8000-%012d", i)
		docs = append(docs, Document{ID: id, Kind: Message, Author: []string{"Mira", "Narrator"}[i%2], Text: text(100)})
		path = append(path, id)
	}
	return docs, path, others
}

func loaded(tb testing.TB, docs []Document) *Index {
	tb.Helper()
	x := NewIndex()
	if err := x.Put(docs...); err != nil {
		tb.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 5))
	for _, d := range docs {
		v := make(embed.Vector, 100)
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
		v.Normalize()
		if err := x.SetVector(words.Model, d.ID, v); err != nil {
			tb.Fatal(err)
		}
	}
	return x
}

func questions(docs []Document, n int) []Query {
	r := rand.New(rand.NewPCG(3, 3))
	var list []Query
	for range n {
		fields := strings.Fields(docs[r.IntN(len(docs))].Text)
		at := r.IntN(len(fields) - 8)
		text := "What did Mira say of " + strings.Join(fields[at:at+8], " ") + "?"
		list = append(list, Query{Text: text, Vector: words.Table{}.EmbedText("a blade and a crown"), Model: words.Model, Clear: 12})
	}
	return list
}

func BenchmarkSearch(b *testing.B) {
	docs, path, others := world(10_000, 6_000)
	x := loaded(b, docs)
	v := x.View(path, others)
	queries := questions(docs, 500)
	scene := Query{Model: words.Model, Clear: 12, Vector: queries[0].Vector, Exclude: path[len(path)-4:]}
	for _, d := range docs[len(docs)-4:] {
		scene.Scene = append(scene.Scene, Turn{d.Author, d.Text})
	}
	c := DefaultConfig()
	b.Run("question", func(b *testing.B) {
		var times []time.Duration
		for i := 0; b.Loop(); i++ {
			start := time.Now()
			x.Search(v, queries[i%len(queries)], c)
			times = append(times, time.Since(start))
		}
		slices.Sort(times)
		b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
		b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
	})
	b.Run("scene", func(b *testing.B) {
		for b.Loop() {
			x.Search(v, scene, c)
		}
	})
	b.Run("words-only", func(b *testing.B) {
		c := c
		c.Dense = 0
		for i := 0; b.Loop(); i++ {
			x.Search(v, queries[i%len(queries)], c)
		}
	})
}

func BenchmarkPut(b *testing.B) {
	docs, _, _ := world(10_000, 6_000)
	x := loaded(b, docs)
	b.ResetTimer()
	for i := 0; b.Loop(); i++ {
		d := docs[len(docs)-1-i%5_000]
		d.ID = fmt.Sprintf("new-%d", i)
		if err := x.Put(d); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkView(b *testing.B) {
	docs, path, others := world(10_000, 6_000)
	x := loaded(b, docs)
	base := x.View(path[:len(path)-1], others)
	b.Run("new", func(b *testing.B) {
		for b.Loop() {
			x.View(path, others)
		}
	})
	b.Run("with", func(b *testing.B) {
		for b.Loop() {
			base.With(path[len(path)-1])
		}
	})
}

func BenchmarkBuild(b *testing.B) {
	docs, _, _ := world(10_000, 6_000)
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		x := NewIndex()
		if err := x.Put(docs...); err != nil {
			b.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "heap-MB")
		b.ReportMetric(float64(x.Size())/1e6, "size-MB")
		runtime.KeepAlive(x)
	}
}
