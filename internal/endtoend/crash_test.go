//go:build unix

package endtoend

import (
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/weft-memory/weft/internal/pgtest"
	"github.com/weft-memory/weft/store"
)

// A server that is killed in the middle of a request, at whatever point, comes
// back with the requests that it answered, and of the one that it did not answer
// everything or nothing. Sent again, with its key, the request happens once; and
// the story ends as if nothing had been.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a hundred servers")
	}
	t.Parallel()
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		testKilled(t, filepath.Join(t.TempDir(), "weft.db"), 1)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		testKilled(t, pgtest.Database(t), 3)
	})
}

// target is a fail point of the story: the n-th from its beginning.
type target struct {
	n    int
	step string // of the story
	name string
}

func testKilled(t *testing.T, url string, every int) {
	w := start(t, url)
	targets, dumps := points(t, w)
	w.stop()
	// Steps with more than one transaction: the erased is purged from the file.
	several, commits := map[string]bool{}, map[string]int{}
	for _, at := range targets {
		if at.name == "after commit" {
			commits[at.step]++
			several[at.step] = commits[at.step] > 1
		}
	}
	if len(targets) < 200 {
		t.Fatalf("the story meets %d fail points only", len(targets))
	}
	all := len(targets)
	if !full() {
		targets = sample(targets, every)
	}
	killed := 0
	w = start(t, url)
	for i, at := range targets {
		story := tell(fmt.Sprintf("k%d", i))
		w.order(fmt.Sprint("kill ", at.n))
		done, dead := play(w, story, 0)
		if !dead {
			// What the server does beside the story may come earlier or later.
			t.Logf("fail point %d (%s, %s) was not met", at.n, at.step, at.name)
			w.order("quiet")
			continue
		}
		killed++
		<-w.ended
		point := reached(w)
		if !w.killed() {
			t.Fatalf("%s: the server ended by itself: %v\n%s", point, w.err, &w.errs)
		}
		check(t, url, point)
		w = start(t, url)
		got := story.dump(w)
		before, after := dumps[done], dumps[done+1]
		where := fmt.Sprintf("killed at %q in the step %q", point, steps(done))
		switch {
		case got == before && got == after: // the step leaves no trace
		case several[steps(done)] && (got == before || got == after):
		case got == before && point != "after commit":
		case got == after && point == "after commit":
		case got == before, got == after:
			t.Errorf("%s: what was committed is lost, or what was not is there", where)
		default:
			t.Errorf("%s: the world is neither as before\n%s\nnor as after\n%s", where, differ(before, got), differ(after, got))
		}
		if _, dead := play(w, story, done); dead {
			t.Fatalf("%s: the server did not survive the rest\n%s", where, &w.errs)
		}
		if d := differ(dumps[len(dumps)-1], story.dump(w)); d != "" {
			t.Errorf("%s: the story ended otherwise (-never killed +killed)\n%s", where, d)
		}
	}
	w.stop()
	check(t, url, "the end")
	t.Logf("killed at %d of %d fail points", killed, all)
	if killed < len(targets)*3/4 {
		t.Errorf("only %d of %d fail points were met", killed, len(targets))
	}
}

// play sends the steps of a story from one on. It returns how many of all were
// answered, and whether the server died of the next one.
func play(w *weft, t *telling, from int) (done int, dead bool) {
	for i, s := range story[from:] {
		if _, err := t.send(w, s); err != nil {
			return from + i, true
		}
	}
	return len(story), false
}

func steps(i int) string {
	if i < len(story) {
		return story[i].name
	}
	return "the end"
}

// reached returns the fail point at which a server was killed.
func reached(w *weft) string {
	point := "none"
	for p := range w.points {
		if name, ok := strings.CutPrefix(p, "killed "); ok {
			point = name
		}
	}
	return point
}

// points plays the story once, and returns the fail points that it meets, and
// what the world is like before and after each step.
func points(t *testing.T, w *weft) (targets []target, dumps []string) {
	t.Helper()
	first := tell("kfirst")
	dumps = append(dumps, first.dump(w))
	for _, s := range story {
		w.order("list")
		_, err := first.send(w, s)
		must(t, err)
		var met []string
		_, err = fmt.Fprintln(w.orders, "quiet")
		must(t, err)
		for p := range w.points {
			if p == "ok" {
				break
			}
			met = append(met, p)
		}
		for _, p := range met {
			targets = append(targets, target{len(targets) + 1, s.name, p})
		}
		dumps = append(dumps, first.dump(w))
	}
	return targets, dumps
}

// sample takes every kind of fail point once, here and there in the story, and of
// those every so many.
func sample(all []target, every int) (some []target) {
	kinds := map[string][]target{}
	var names []string
	for _, at := range all {
		if kinds[at.name] == nil {
			names = append(names, at.name)
		}
		kinds[at.name] = append(kinds[at.name], at)
	}
	slices.Sort(names)
	for i, name := range names {
		if i%every == 0 {
			list := kinds[name]
			some = append(some, list[(i*7)%len(list)])
		}
	}
	return some
}

// check looks through a database that nobody has open.
func check(t *testing.T, url, point string) {
	t.Helper()
	db, err := store.Open(t.Context(), url, store.Options{Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatalf("killed at %q: the database does not open: %v", point, err)
	}
	defer db.Close()
	if problems, err := db.Check(t.Context(), true); err != nil || len(problems) > 0 {
		t.Errorf("killed at %q: the check finds %v (%v)", point, problems, err)
	}
}
