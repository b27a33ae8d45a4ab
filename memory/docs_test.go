package memory

import (
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"
)

// TestDocs reads the operation that docs/memory.md shows, and checks that its
// tables name what there is.
func TestDocs(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("../docs/memory.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(src)
	_, block, _ := strings.Cut(page, "```json\n")
	block, _, _ = strings.Cut(block, "```")
	var op Operation
	if err := json.Unmarshal([]byte(block), &op); err != nil {
		t.Fatal(err)
	}
	if err := op.Validate(); err != nil {
		t.Error(err)
	}
	op.Normalize()
	wantText(t, Fold(testBooks(), []Operation{op}, Options{}), "vale", "alys",
		"Status: in exile.\nShe lost her crown.\nAlys rules the vale. She is just. She is thirty.")
	for kind := range inverseKinds {
		if !strings.Contains(page, "`"+string(kind)+"`") {
			t.Errorf("the page lacks the kind %s", kind)
		}
	}
	for _, kind := range []ConflictKind{ConflictContext, ConflictChanged, ConflictDormant, ConflictGone, ConflictRefused, ConflictSuperseded} {
		if !strings.Contains(page, "| `"+string(kind)+"` |") {
			t.Errorf("the page lacks the conflict %s", kind)
		}
	}
}

// TestViewsAreShared reads and extends one view from many goroutines; the race
// detector looks on.
func TestViewsAreShared(t *testing.T) {
	t.Parallel()
	v := story(t).view()
	want := v.Fingerprint()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			op := Operation{
				ID: "x" + string(rune('a'+i)), Seq: int64(100 + i), World: "w", Layer: LayerStory, Conversation: "c", Node: "n3",
				Author: Author{Kind: BySidecar}, Kind: KindPatch, Entry: "tom", Change: Append("It is late."),
			}
			w := v.With(op)
			if w.Without(op.ID).Fingerprint() != want || v.Fingerprint() != want {
				t.Error("a view was changed")
			}
			for _, r := range w.Live() {
				w.Entry(r.Book, r.Entry)
				w.Provenance(r.Book, r.Entry)
				w.History(r.Book, r.Entry)
			}
			if _, _, err := w.Undo("o3", Author{Kind: ByPerson}); err != nil {
				t.Error(err)
			}
			v.Overlays()
		})
	}
	wg.Wait()
	if v.Fingerprint() != want {
		t.Error("a view was changed")
	}
}
