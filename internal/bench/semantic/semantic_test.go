package semantic

import (
	"testing"

	"github.com/weft-memory/weft/search/embed/words"
)

func TestActivationIsPreciseOnPairs(t *testing.T) {
	t.Parallel()
	r, err := Run(t.Context(), Pairs(), Options{Embedder: words.Table{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("default %+v, best %+v, first %.3f", r.Default, r.Best, r.First)
	if r.Pairs != 200 {
		t.Errorf("%d pairs, want 200", r.Pairs)
	}
	if r.Default.Precision < 0.9 || r.Default.Recall < 0.4 {
		t.Errorf("precision %.3f at recall %.3f, want at least 0.9 at 0.4", r.Default.Precision, r.Default.Recall)
	}
	one, err := Run(t.Context(), Pairs(), Options{Embedder: words.Table{}, Book: true})
	if err != nil {
		t.Fatal(err)
	}
	if one.Default.Precision < 0.85 || one.Default.Recall < 0.4 {
		t.Errorf("all entries in one book: precision %.3f at recall %.3f, want at least 0.85 at 0.4", one.Default.Precision, one.Default.Recall)
	}
}

func TestReadNamesTheLine(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"{", `{"entry":{"text":""},"paraphrase":["x"]}`, `{"entry":{"text":"x"}}`} {
		if _, err := Read([]byte(data)); err == nil {
			t.Errorf("Read(%q) gives no error", data)
		}
	}
}
