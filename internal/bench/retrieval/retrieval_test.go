package retrieval

import (
	"path/filepath"
	"testing"

	"github.com/weft-memory/weft/internal/testenv"
	"github.com/weft-memory/weft/search"
	"github.com/weft-memory/weft/search/embed/words"
)

// The figures that the search must reach with its defaults; they stand a little
// below what it reaches, so that a change of the order of equals fails nothing.
func TestFiguresAreReached(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name            string
		path            func(t *testing.T) string
		r10, mrr, hit10 float64
	}{
		{"own conversations", func(*testing.T) string { return "testdata/conversations.json" }, 0.75, 0.58, 0},
		{"own scenes", func(*testing.T) string { return "testdata/scenes.json" }, 0, 0.85, 0.93},
		{"locomo", func(t *testing.T) string { return testenv.Bench(t, "locomo") }, 0.775, 0.645, 0},
		{"crd3", func(t *testing.T) string { return testenv.Bench(t, "crd3") }, 0, 0.45, 0.675},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			files, err := Load(test.path(t))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				r, err := Run(t.Context(), f, Options{Config: search.DefaultConfig(), Embedder: words.Table{}})
				if err != nil {
					t.Fatal(err)
				}
				got := r.Total()
				t.Logf("%s: %+v", filepath.Base(f.Path), got)
				if got.R10 < test.r10 || got.MRR < test.mrr || got.Hit10 < test.hit10 {
					t.Errorf("%s: R@10 %.4f, MRR %.4f, hit@10 %.4f; want at least %.3f, %.3f, %.3f",
						filepath.Base(f.Path), got.R10, got.MRR, got.Hit10, test.r10, test.mrr, test.hit10)
				}
			}
		})
	}
}

func TestFiguresOfKnownLists(t *testing.T) {
	t.Parallel()
	var f Figures
	f.add([]string{"x", "a", "x", "b"}, []string{"a", "b"}) // a at 2, b at 3: the second x is no rank
	f.add([]string{"y"}, []string{"c"})
	got := f.mean()
	want := Figures{Questions: 2, R5: 0.5, R10: 0.5, R20: 0.5, MRR: 0.25, Hit5: 0.5, Hit10: 0.5, Hit20: 0.5}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestFilesThatLie(t *testing.T) {
	t.Parallel()
	f := &File{Format: FormatScenes, Episodes: []Episode{{ID: "e", Turns: [][2]string{{"a", "b"}}}}, Queries: []Scene{{ID: "q", Episode: "e", From: 0, To: 1}}}
	if err := f.check(); err == nil {
		t.Error("a scene beyond the end of its episode is taken")
	}
	f.Queries[0].Episode = "other"
	if err := f.check(); err == nil {
		t.Error("a scene of an episode that is not there is taken")
	}
	if _, err := Load(t.TempDir()); err == nil {
		t.Error("an empty folder gives no error")
	}
}
