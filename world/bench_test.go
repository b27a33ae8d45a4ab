package world

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/weft-memory/weft/lore"
)

// large is a book of n entries, each with keys of its own.
func large(n int) *lore.Book {
	b := &lore.Book{ID: "atlas", Policy: lore.PolicyWeaver()}
	for i := range n {
		e := lore.NewEntry(fmt.Sprintf("place-%d", i), fmt.Sprintf("Place %d lies %d miles from the river. Its people trade in wool and salt, and speak of the old road.", i, i%97))
		e.Keys = lore.LiteralKeys(fmt.Sprintf("place%d", i), fmt.Sprintf("region %d", i))
		b.Entries = append(b.Entries, e)
	}
	return b
}

// longChat is a conversation with n messages.
func (f *fixture) longChat(n int) string {
	f.t.Helper()
	c := f.chat()
	var messages []Message
	for i := range n {
		m := Message{Content: fmt.Sprintf("We ride on, past place%d, and talk of the weather, of wool, and of what became of the old road.", i%5000)}
		if i%2 == 1 {
			m.Role = lore.RoleAssistant
		}
		messages = append(messages, m)
	}
	_, err := f.Append(f.ctx, f.world, c, Append{Messages: messages})
	f.ok(err)
	return c
}

// BenchmarkTurn appends a message, assembles, and stores the reply with state
// and record, at 10,000 entries and 1,000 messages.
func BenchmarkTurn(b *testing.B) {
	for _, db := range []string{"SQLite", "PostgreSQL"} {
		b.Run(db, func(b *testing.B) {
			url := filepath.Join(b.TempDir(), "weft.db")
			if db == "PostgreSQL" {
				url = postgres(b)
			}
			f := newFixture(b, url, Options{})
			_, err := f.SaveBook(f.ctx, f.world, large(10_000), SaveBook{})
			f.ok(err)
			c := f.longChat(1_000)
			f.turn(c, user("Where is place7?"), "Far.")
			b.ReportAllocs()
			b.ResetTimer()
			defer cpuTimer(b)()
			for i := range b.N {
				f.turn(c, user(fmt.Sprintf("Where is place%d?", i%10_000)), "Beyond the river.")
			}
		})
	}
}

// BenchmarkSwitchSwipe goes to and fro between two replies with 20 operations
// each, and reads the lore each time.
func BenchmarkSwitchSwipe(b *testing.B) {
	f := newFixture(b, filepath.Join(b.TempDir(), "weft.db"), Options{})
	_, err := f.SaveBook(f.ctx, f.world, large(10_000), SaveBook{})
	f.ok(err)
	c := f.longChat(1_000)
	var nodes []string
	for i := range 2 {
		r := user("Where are we?")
		if i > 0 {
			r = TurnRequest{Assemble: Assemble{Kind: lore.KindSwipe}}
		}
		_, n := f.turn(c, r, fmt.Sprintf("Reply %d.", i))
		nodes = append(nodes, n.ID)
		var ops []Operation
		for k := range 20 {
			if k%2 == 0 {
				ops = append(ops, remember(c, n.ID, fmt.Sprintf("fact-%d-%d", i, k), "So it is."))
			} else {
				ops = append(ops, addTo(c, n.ID, "atlas", fmt.Sprintf("place-%d", k), fmt.Sprintf("Seen in %d.", i)))
			}
		}
		f.apply(ops...)
	}
	b.ReportAllocs()
	b.ResetTimer()
	defer cpuTimer(b)()
	for i := range b.N {
		_, err := f.SwitchSwipe(f.ctx, f.world, nodes[i%2])
		f.ok(err)
		_, err = f.Lore(f.ctx, f.world, Place{Conversation: c})
		f.ok(err)
	}
}

// BenchmarkOpen opens a conversation of 10,000 nodes: its structure and its
// last 50 messages.
func BenchmarkOpen(b *testing.B) {
	f := newFixture(b, filepath.Join(b.TempDir(), "weft.db"), Options{})
	c := f.longChat(10_000)
	b.ReportAllocs()
	b.ResetTimer()
	defer cpuTimer(b)()
	for range b.N {
		_, err := f.Tree(f.ctx, f.world, c)
		f.ok(err)
		_, err = f.Path(f.ctx, f.world, c, PathOptions{Last: 50})
		f.ok(err)
	}
}

// BenchmarkApply commits one operation of a sidecar and reads the lore.
func BenchmarkApply(b *testing.B) {
	f := newFixture(b, filepath.Join(b.TempDir(), "weft.db"), Options{})
	_, err := f.SaveBook(f.ctx, f.world, large(10_000), SaveBook{})
	f.ok(err)
	c := f.longChat(1_000)
	_, n := f.turn(c, user("Where?"), "Here.")
	for i := range 1_000 {
		f.apply(remember(c, n.ID, fmt.Sprintf("fact-%d", i), "So it is."))
	}
	b.ReportAllocs()
	b.ResetTimer()
	defer cpuTimer(b)()
	for i := range b.N {
		f.apply(addTo(c, n.ID, "~story", fmt.Sprintf("fact-%d", i%1_000), fmt.Sprintf("Again, %d.", i)))
		_, err := f.Assemble(f.ctx, f.world, c, "", Assemble{})
		f.ok(err)
	}
}

// BenchmarkAfterEdit assembles after an authored entry of a book of 10,000 was
// changed: what the change costs the next turn.
func BenchmarkAfterEdit(b *testing.B) {
	f := newFixture(b, filepath.Join(b.TempDir(), "weft.db"), Options{})
	_, err := f.SaveBook(f.ctx, f.world, large(10_000), SaveBook{})
	f.ok(err)
	c := f.longChat(100)
	_, err = f.Assemble(f.ctx, f.world, c, "", Assemble{})
	f.ok(err)
	b.ResetTimer()
	for i := range b.N {
		b.StopTimer()
		_, err := f.PatchBookEntry(f.ctx, f.world, "atlas", fmt.Sprintf("place-%d", i%10_000), fmt.Appendf(nil, `{"content": "Changed %d."}`, i), SaveBook{})
		f.ok(err)
		b.StartTimer()
		_, err = f.Assemble(f.ctx, f.world, c, "", Assemble{})
		f.ok(err)
	}
}

// Two hundred conversations over one book of 10,000 entries share it.
func TestConversationsShareABook(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	f := newFixture(t, filepath.Join(t.TempDir(), "weft.db"), Options{})
	_, err := f.SaveBook(f.ctx, f.world, large(10_000), SaveBook{})
	f.ok(err)
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for i := range 200 {
		c := f.longChat(100)
		_, n := f.turn(c, user(fmt.Sprintf("Where is place%d?", i)), "Far.")
		f.apply(remember(c, n.ID, "Ilka", "Ilka rides along."), addTo(c, n.ID, "atlas", fmt.Sprintf("place-%d", i), "They saw it."))
		f.turn(c, user("And Ilka?"), "Near.")
	}
	used := int64(heap()) - int64(before)
	stats := f.Stats()
	t.Logf("%d MB for %d conversations, %d segments", used>>20, stats.Views, stats.Segments)
	if stats.Views != 200 || stats.Segments != 1 || stats.Compiled != 1 {
		t.Errorf("stats: %+v", stats)
	}
	if used > 150<<20 {
		t.Errorf("%d MB, want less than 150", used>>20)
	}
	runtime.KeepAlive(f)
}

// BenchmarkSaveEntry saves one authored entry of a book of 10,000.
func BenchmarkSaveEntry(b *testing.B) {
	f := newFixture(b, filepath.Join(b.TempDir(), "weft.db"), Options{})
	_, err := f.SaveBook(f.ctx, f.world, large(10_000), SaveBook{})
	f.ok(err)
	b.ResetTimer()
	defer cpuTimer(b)()
	for i := range b.N {
		_, err := f.PatchBookEntry(f.ctx, f.world, "atlas", fmt.Sprintf("place-%d", i%10_000), fmt.Appendf(nil, `{"content": "Changed %d."}`, i), SaveBook{})
		f.ok(err)
	}
}

// remembered is a conversation of which n operations are remembered.
func (f *fixture) remembered(n int) string {
	f.t.Helper()
	c := f.longChat(100)
	_, node := f.turn(c, user("Where?"), "Here.")
	for i := range n / 100 {
		var ops []Operation
		for k := range 100 {
			if k%2 == 0 {
				ops = append(ops, remember(c, node.ID, fmt.Sprintf("fact-%d-%d", i, k), "So it is."))
			} else {
				ops = append(ops, addTo(c, node.ID, "~story", fmt.Sprintf("fact-%d-%d", i, k-1), fmt.Sprintf("Seen in %d.", i)))
			}
		}
		f.apply(ops...)
	}
	return c
}

// BenchmarkRebuild reads 5,000 operations from the log and folds them: with
// nothing in memory but the books, and as the first request after a start.
func BenchmarkRebuild(b *testing.B) {
	f := newFixture(b, filepath.Join(b.TempDir(), "weft.db"), Options{})
	f.book()
	c := f.remembered(5_000)
	lore := func() {
		_, err := f.Lore(f.ctx, f.world, Place{Conversation: c})
		f.ok(err)
	}
	b.Run("warm", func(b *testing.B) {
		defer cpuTimer(b)()
		for range b.N {
			f.forgetConversation(c)
			lore()
		}
	})
	b.Run("cold", func(b *testing.B) {
		var cpu time.Duration
		for range b.N {
			b.StopTimer()
			f.reopen()
			start := cpuTime()
			b.StartTimer()
			lore()
			cpu += cpuTime() - start
		}
		b.ReportMetric(float64(cpu)/float64(b.N)/1e6, "cpu-ms/op")
	})
}
