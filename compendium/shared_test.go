package compendium

import (
	"sync"
	"testing"
)

// TestWorldsAreShared reads one world from many goroutines while others derive
// new ones; the race detector looks on.
func TestWorldsAreShared(t *testing.T) {
	t.Parallel()
	w := saltmere(t)
	r := &Renderer{World: w, Scene: []string{"quay"}, Viewer: w.CharacterViewer("maud")}
	want := r.Render(w.Entry("ines"), Full)
	snap := w.Snapshot(SnapshotOptions{}).Text
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			e, _ := Merge(w.Entry("ines"), mustCoerce(t, Character, `{"name":"Ines Carrow","current_state":{"mood":"calm"}}`),
				Context{Source: Source{By: BySidecar, Turn: 40 + i}, Resolver: w})
			if x := w.With(e); x.Entry("ines").Text("current_state.mood") != "calm" || len(x.Graph().Edges()) != len(w.Graph().Edges()) {
				t.Error("the new world is wrong")
			}
			if r.Render(w.Entry("ines"), Full) != want || w.Snapshot(SnapshotOptions{}).Text != snap {
				t.Error("the world changed")
			}
			w.For(w.CharacterViewer("jory")).Suggest("Ines", 3)
		})
	}
	wg.Wait()
}
