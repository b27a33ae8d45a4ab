package world

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// BenchmarkLoad runs 200 conversations over one book of 10,000 entries, each with
// one turn every two seconds, and reports how long turns take: p50-ms, p99-ms
// and worst-ms of the time from when a turn was due until its reply is stored.
// Turns come at their time, whether or not those before are done. One iteration
// is a turn: -benchtime 2000x is twenty seconds.
func BenchmarkLoad(b *testing.B) {
	const conversations, every = 200, 2 * time.Second
	for _, db := range []string{"SQLite", "PostgreSQL"} {
		b.Run(db, func(b *testing.B) {
			url := filepath.Join(b.TempDir(), "weft.db")
			if db == "PostgreSQL" {
				url = postgres(b)
			}
			f := newFixture(b, url, Options{})
			_, err := f.SaveBook(f.ctx, f.world, large(10_000), SaveBook{})
			f.ok(err)
			var chats []string
			for range conversations {
				c := f.longChat(100)
				f.turn(c, user("Where are we?"), "Here.") // what comes first after a start is in BenchmarkStart
				chats = append(chats, c)
			}
			took := make([]time.Duration, b.N)
			var running sync.WaitGroup
			b.ResetTimer()
			cpu := cpuTimer(b)
			start := time.Now()
			for i := range b.N {
				due := start.Add(time.Duration(i) * every / conversations)
				time.Sleep(time.Until(due))
				running.Go(func() {
					c := chats[i%conversations]
					t, err := f.BeginTurn(f.ctx, f.world, c, user(fmt.Sprintf("Where is place%d?", i*7%10_000)))
					if err == nil {
						_, err = f.FinishTurn(f.ctx, f.world, t.ID, Reply{Content: "Beyond the river."})
					}
					if err != nil {
						b.Error(err)
					}
					took[i] = time.Since(due)
				})
			}
			running.Wait()
			b.StopTimer()
			cpu()
			slices.Sort(took)
			for name, at := range map[string]int{"p50-ms": b.N / 2, "p99-ms": b.N * 99 / 100, "worst-ms": b.N - 1} {
				b.ReportMetric(float64(took[at])/1e6, name)
			}
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.HeapAlloc>>20), "heap-MB")
		})
	}
}

// BenchmarkStart opens an existing database with a book of 10,000 entries: "open"
// is until requests are taken, "first" the first assembly after that, for which
// the book is read and compiled.
func BenchmarkStart(b *testing.B) {
	f := newFixture(b, filepath.Join(b.TempDir(), "weft.db"), Options{})
	_, err := f.SaveBook(f.ctx, f.world, large(10_000), SaveBook{})
	f.ok(err)
	c := f.longChat(1_000)
	f.turn(c, user("Where is place7?"), "Far.")
	b.Run("open", func(b *testing.B) {
		var cpu time.Duration
		for range b.N {
			b.StopTimer()
			f.close()
			start := cpuTime()
			b.StartTimer()
			f.open()
			cpu += cpuTime() - start
		}
		b.ReportMetric(float64(cpu)/float64(b.N)/1e6, "cpu-ms/op")
	})
	b.Run("first", func(b *testing.B) {
		var cpu time.Duration
		for range b.N {
			b.StopTimer()
			f.reopen()
			start := cpuTime()
			b.StartTimer()
			_, err := f.Assemble(f.ctx, f.world, c, "", Assemble{})
			f.ok(err)
			cpu += cpuTime() - start
		}
		b.ReportMetric(float64(cpu)/float64(b.N)/1e6, "cpu-ms/op")
	})
}
