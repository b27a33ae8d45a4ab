package compendium

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares a text with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// saltmere returns the world of the golden files.
func saltmere(t testing.TB) *World {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", "saltmere.json"))
	if err != nil {
		t.Fatal(err)
	}
	var entries []*Entry
	if err := json.Unmarshal(src, &entries); err != nil {
		t.Fatal(err)
	}
	return NewWorld(entries, Options{Turn: 30, Now: At("Day 20, dawn", 20*1440+360)})
}

func TestRenderGolden(t *testing.T) {
	t.Parallel()
	w := saltmere(t)
	for _, lang := range Languages() {
		for _, v := range []Viewer{{Kind: Narrator}, w.CharacterViewer("maud"), w.CharacterViewer("jory")} {
			name := string(v.Kind)
			if v.ID != "" {
				name = v.ID
			}
			if lang != "en" && v.Kind == AsCharacter {
				continue
			}
			r := &Renderer{World: w, Lang: LanguageFor(lang), Viewer: v, Scene: []string{"quay", "ines", "jory"}}
			var b strings.Builder
			for _, e := range w.Entries() {
				fmt.Fprintf(&b, "## %s\n", e.ID)
				for _, size := range []Size{OneLine, Brief, Full} {
					text := r.Render(e, size)
					fmt.Fprintf(&b, "%s: %s\n", size, text)
					if n := EstimateTokens(text); n > size.Limit() {
						t.Errorf("%s %s: %d tokens, at most %d", e.ID, size, n, size.Limit())
					}
				}
				b.WriteByte('\n')
			}
			golden(t, "render_"+lang+"_"+name+".golden", b.String())
		}
	}
}
