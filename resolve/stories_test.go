package resolve

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/weft-memory/weft/internal/testenv"
)

// TestConformanceStories takes the things that the stories hold at their
// checkpoints, and holds that each is found by its names, and none by those of
// another.
func TestConformanceStories(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testenv.Stories(t), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var story struct {
			Checkpoints []struct {
				ID   string
				Gold struct {
					Entities []struct {
						Name, Type string
						Aliases    []string
						Named      *bool
					}
				}
			}
		}
		if err := json.Unmarshal(data, &story); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, c := range story.Checkpoints {
			var known []Thing
			for _, e := range c.Gold.Entities {
				if e.Named == nil || *e.Named {
					known = append(known, Thing{ID: e.Name, Type: e.Type, Name: e.Name, Aliases: e.Aliases})
				}
			}
			index := NewIndex(known)
			for _, k := range known {
				for _, name := range append([]string{k.Name}, k.Aliases...) {
					d := index.Decide(Thing{Type: k.Type, Name: name}, Options{})
					ok := d.Verdict == Same && d.Target == k.ID ||
						d.Verdict == Ambiguous && name != k.Name && slices.Contains(d.Candidates, k.ID)
					if !ok {
						t.Errorf("%s, %s: %q of %q:\n%s", filepath.Base(file), c.ID, name, k.Name, d.Trace())
					}
				}
			}
		}
	}
}
