//go:build unix

package jobs_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/jobs"
	"github.com/weft-memory/weft/store"
)

// crashChild is the program that is killed: at a step of its handler, or of the
// transaction that ends the work, it kills itself as kill -9 would.
func crashChild() {
	ctx := context.Background()
	at, armed := os.Getenv(crashEnv), false
	die := func(step string) {
		if armed && step == at {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {} // the signal comes
		}
	}
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	db, err := store.Open(ctx, os.Getenv("WEFT_JOBS_URL"), store.Options{Log: quiet, FailPoint: die})
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	q, err := jobs.Open(db, jobs.Options{Log: quiet})
	if err == nil {
		err = q.Register(jobs.Kind{Name: "write", Handle: func(ctx context.Context, j *jobs.Job) error {
			armed = true
			fmt.Println("running", j.Attempt)
			die("handler")
			return finishing(ctx, j)
		}})
	}
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	q.Start()
	select {}
}

// A process that is killed while it works leaves the work to the next one, which
// does it, once: at once on SQLite, where nobody else can have it.
func TestKilled(t *testing.T) {
	steps := []string{"handler", "before begin", "after begin", "before update work", "after insert settings", "before commit", "after commit"}
	onBoth(t, func(t *testing.T, f *fixture) {
		o := f.quick()
		if !f.b.shared {
			o = f.patient() // no lease runs out
		}
		q := f.queue(o, jobs.Kind{Name: "write", Handle: finishing})
		var want []string
		for _, step := range steps {
			w := f.add(q, jobs.Spec{Kind: "write", Conversation: f.convs[0], Payload: step})
			f.add(q, jobs.Spec{Kind: "write", Conversation: f.convs[0], Payload: "behind " + step})
			want = append(want, step, "behind "+step)
			if err := f.DB.Close(); err != nil {
				t.Fatal(err)
			}
			f.kill(step)
			f.DB = f.open()
			held, err := f.HeldWork(f.ctx, "")
			if err != nil || len(held) != 1 && step != "after commit" {
				t.Fatalf("killed at %s: %d are held (%v)", step, len(held), err)
			}
			began := time.Now()
			q = f.queue(o, jobs.Kind{Name: "write", Handle: finishing})
			q.Start()
			f.until("it goes on", func() bool {
				return !slices.ContainsFunc(f.list(), func(w store.Work) bool { return w.Finished == 0 })
			})
			t.Logf("killed at %s: all was done %v after the start", step, time.Since(began).Round(time.Millisecond))
			if got := f.work(w.ID); got.State != store.WorkDone {
				t.Errorf("killed at %s: it is %s", step, got.State)
			}
			if err := q.Close(f.ctx); err != nil {
				t.Error(err)
			}
		}
		if d := cmp.Diff(want, f.done("did")); d != "" {
			t.Errorf("did (-want +got):\n%s", d)
		}
		if problems, err := f.Check(f.ctx, true); len(problems) > 0 || err != nil {
			t.Errorf("check: %v (%v)", problems, err)
		}
	})
}

// kill runs the program until it has killed itself.
func (f *fixture) kill(step string) {
	f.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		f.t.Fatal(err)
	}
	cmd := exec.CommandContext(f.ctx, exe)
	cmd.Env = append(os.Environ(), crashEnv+"="+step, "WEFT_JOBS_URL="+f.url)
	out, err := cmd.StdoutPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	var lines []string
	for s := bufio.NewScanner(out); s.Scan(); {
		lines = append(lines, s.Text())
	}
	_ = cmd.Wait()
	if !cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled() || !strings.HasPrefix(strings.Join(lines, ""), "running") {
		f.t.Fatalf("the program ended with %v and said %v", cmd.ProcessState, lines)
	}
}
