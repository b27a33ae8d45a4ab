package jobs_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/weft-memory/weft/jobs"
	"github.com/weft-memory/weft/store"
)

// latencies has work begun one piece at a time and reports how long it took from
// the commit to the handler, and from the call of Enqueue to the end.
func latencies(b *testing.B, f *fixture, q *jobs.Queue, begun chan time.Time) {
	var waits []time.Duration
	for b.Loop() {
		f.add(q, jobs.Spec{Kind: "write", Payload: "x"})
		committed := time.Now()
		waits = append(waits, max((<-begun).Sub(committed), 0))
	}
	slices.Sort(waits)
	b.ReportMetric(float64(waits[len(waits)/2].Microseconds()), "µs-median-to-begin")
	b.ReportMetric(float64(waits[len(waits)*99/100].Microseconds()), "µs-p99-to-begin")
}

// BenchmarkBegin measures how soon work begins when nothing else is to do, and
// when a conversation has 10,000 pieces of work behind one that runs.
func BenchmarkBegin(b *testing.B) {
	for name, be := range backends {
		for _, backlog := range []int{0, 10_000} {
			b.Run(fmt.Sprintf("%s/backlog=%d", name, backlog), func(b *testing.B) {
				f := setup(b, be)
				f.log = slog.New(slog.NewTextHandler(io.Discard, nil))
				begun := make(chan time.Time, 1)
				handle := func(ctx context.Context, j *jobs.Job) error {
					begun <- time.Now()
					return j.Finish(ctx, nil)
				}
				q := f.queue(jobs.Options{Log: f.log}, jobs.Kind{Name: "write", Handle: handle}, jobs.Kind{Name: "hang", Handle: func(ctx context.Context, _ *jobs.Job) error {
					<-ctx.Done()
					return ctx.Err()
				}})
				if backlog > 0 {
					f.write(func(tx *store.Tx) error {
						for range backlog {
							if _, _, err := q.Enqueue(tx, jobs.Spec{Kind: "hang", World: f.world, Conversation: f.convs[0]}); err != nil {
								return err
							}
						}
						return nil
					})
				}
				q.Start()
				latencies(b, f, q, begun)
				over, cancel := context.WithCancel(context.Background())
				cancel()
				_ = q.Close(over)
			})
		}
	}
}

// BenchmarkDone measures how much is done a second: 16 at a time, each with an
// effect in its own transaction.
func BenchmarkDone(b *testing.B) {
	for name, be := range backends {
		b.Run(name, func(b *testing.B) {
			f := setup(b, be)
			f.log = slog.New(slog.NewTextHandler(io.Discard, nil))
			done := make(chan struct{}, 1000)
			q := f.queue(jobs.Options{Log: f.log}, jobs.Kind{Name: "write", Handle: func(ctx context.Context, j *jobs.Job) error {
				defer func() { done <- struct{}{} }()
				return j.Finish(ctx, func(tx *store.Tx) error { return tx.Touch(j.World) })
			}})
			q.Start()
			const batch = 50
			for b.Loop() {
				f.write(func(tx *store.Tx) error {
					for range batch {
						if _, _, err := q.Enqueue(tx, jobs.Spec{Kind: "write", World: f.world}); err != nil {
							return err
						}
					}
					return nil
				})
				for range batch {
					<-done
				}
			}
			b.ReportMetric(float64(b.N*batch)/b.Elapsed().Seconds(), "done/s")
		})
	}
}
