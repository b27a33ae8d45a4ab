package gateway_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/gateway"
	"github.com/weft-memory/weft/lore"
)

// townIndex is a book of n entries, each with three keys; every tenth one stays
// for some turns, so that the state has to be replayed.
func townIndex(tb testing.TB, n int) *engine.Index {
	tb.Helper()
	book := &lore.Book{ID: "town", Policy: lore.PolicyWeaver()}
	for i := range n {
		e := lore.NewEntry(fmt.Sprintf("house%d", i), fmt.Sprintf("House %d on the quay has %d windows, and nobody looks out of them after dark.", i, i%9+1))
		e.Keys = lore.LiteralKeys(fmt.Sprintf("house %d", i), fmt.Sprintf("keeper %d", i), fmt.Sprintf("lamp of %d", i))
		if i%10 == 0 {
			e.Sticky = 2
		}
		book.Entries = append(book.Entries, e)
	}
	s, list := engine.Build(book, engine.BuildOptions{})
	if err := list.Err(); err != nil {
		tb.Fatal(err)
	}
	return engine.NewIndex(s)
}

// eveningChat is a request of n messages that ends in last.
func eveningChat(n int, last string) string {
	var b strings.Builder
	b.WriteString(`{"model":"m","stream":true,"messages":[{"role":"system","content":"You tell the story of a town on a cliff."}`)
	for i := range n - 1 {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		fmt.Fprintf(&b, `,{"role":%q,"content":"%s Then we passed house %d, and the lamp of %d was lit, and keeper %d waved at us."}`,
			role, strings.Repeat("The rain came down the street as it does in autumn. ", 8), i*7, i*11, i*13)
	}
	fmt.Fprintf(&b, `,{"role":"user","content":%q}]}`, last)
	return b.String()
}

// BenchmarkProxy compares the time to the first token directly and through the
// proxy, side by side: 1,000 entries, a chat of 20 messages whose last one is
// new each time, with a warm cache. The figures are the medians in
// microseconds.
func BenchmarkProxy(b *testing.B) {
	upstream := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"The\"}}]}\n\n")
		w.(http.Flusher).Flush()
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	})
	direct := httptest.NewServer(upstream)
	b.Cleanup(direct.Close)
	var placed, failed int
	proxied := newProxy(b, upstream, func(o *gateway.Options) {
		o.Index, o.World = townIndex(b, 1000), "bench"
		o.Input.Budget = &lore.Amount{N: 25, Unit: lore.UnitPercent}
		o.Report = func(r gateway.Report) {
			placed += len(r.Inserted)
			if r.Err != nil {
				failed++
			}
		}
	})
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	b.Cleanup(client.CloseIdleConnections)
	firstToken := func(address, body string) time.Duration {
		start := time.Now()
		resp, err := client.Post(address+"/v1/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		var first [1]byte
		if _, err := io.ReadFull(resp.Body, first[:]); err != nil {
			b.Fatal(err)
		}
		took := time.Since(start)
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		return took
	}
	for range 3 {
		firstToken(direct.URL, eveningChat(20, "warm"))
		firstToken(proxied, eveningChat(20, "warm"))
	}
	placed = 0
	var without, with []time.Duration
	for i := 0; b.Loop(); i++ {
		body := eveningChat(20, fmt.Sprintf("We stop at house %d.", i%1000))
		without = append(without, firstToken(direct.URL, body))
		with = append(with, firstToken(proxied, body))
	}
	if placed == 0 || failed > 0 {
		b.Fatalf("%d texts were inserted, %d requests passed without lore", placed, failed)
	}
	p50 := func(list []time.Duration) float64 {
		slices.Sort(list)
		return float64(list[len(list)/2].Nanoseconds()) / 1000
	}
	x, y := p50(without), p50(with)
	b.ReportMetric(x, "direct-p50-µs")
	b.ReportMetric(y, "proxy-p50-µs")
	b.ReportMetric(y-x, "added-p50-µs")
}
