package endtoend

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/weft-memory/weft/internal/testenv"
)

// TestInvariantsPage makes sure that the tests that docs/invariants.md names are
// there.
func TestInvariantsPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(testenv.Root(), "docs", "invariants.md"))
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]string{"endtoend": "internal/endtoend"}
	sources := map[string]string{}
	source := func(folder string) string {
		if text, ok := sources[folder]; ok {
			return text
		}
		files, _ := filepath.Glob(filepath.Join(testenv.Root(), folder, "*_test.go"))
		var all strings.Builder
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(text)
		}
		sources[folder] = all.String()
		return sources[folder]
	}
	named := regexp.MustCompile("`([a-z/]+)\\.(Test\\w+)`").FindAllStringSubmatch(string(page), -1)
	if len(named) < 80 {
		t.Fatalf("the page names %d tests only", len(named))
	}
	for _, m := range named {
		folder := m[1]
		if other := folders[folder]; other != "" {
			folder = other
		}
		if !strings.Contains(source(folder), "\nfunc "+m[2]+"(t *testing.T)") {
			t.Errorf("there is no test %s in %s", m[2], folder)
		}
	}
}
