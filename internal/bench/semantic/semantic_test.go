package semantic

import (
	"testing"

	"github.com/weft-memory/weft/search/embed/words"
)

func TestX(t *testing.T) {
	for _, o := range []Options{{Embedder: words.Table{}}, {}, {Embedder: words.Table{}, Book: true}, {Embedder: words.Table{}, Turns: 1}} {
		r, err := Run(t.Context(), Pairs(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v", r.Default)
		t.Logf("best %+v first %.3f", r.Best, r.First)
		t.Logf("%+v", r.ByLanguage)
		for _, p := range r.Curve {
			t.Logf("   %.2f P %.3f R %.3f", p.Threshold, p.Precision, p.Recall)
		}
	}
}
