package stdlib_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-memory/weft/internal/testenv"
	"github.com/weft-memory/weft/weaver"
)

var exampleContext = context.Background()

// conformanceCase is the part of an engine case that a template alone can
// show: one entry that is always active, and its text.
type conformanceCase struct {
	ID, Quirk string
	Books     []struct{ Entries []string }
	Turns     []struct {
		Set  map[string]map[string]weaver.Value
		Want struct {
			Blocks []struct{ Content string }
			Error  *struct {
				EvalKind weaver.ErrorKind `json:"eval_kind"`
			}
			Persistent map[string]map[string]weaver.Value
		}
	}
}

// TestConformanceStdlib runs the cases of the standard library without an
// engine around them. The engine's own tests run them too.
func TestConformanceStdlib(t *testing.T) {
	t.Parallel()
	dir := testenv.Conformance(t, "engine")
	src, err := os.ReadFile(filepath.Join(dir, "stdlib.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []conformanceCase
	if err := json.Unmarshal(src, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		if len(c.Books) != 1 || len(c.Books[0].Entries) != 1 || len(c.Turns) != 1 {
			continue // needs an engine
		}
		t.Run(c.ID, func(t *testing.T) {
			if problem := runConformance(t, c); problem != "" {
				if c.Quirk != "" {
					t.Logf("differs from the reference (%s): %s", c.Quirk, problem)
					return
				}
				t.Error(problem)
			}
		})
	}
}

func runConformance(t *testing.T, c conformanceCase) (problem string) {
	_, body, found := strings.Cut(strings.TrimPrefix(c.Books[0].Entries[0], "---\n"), "\n---\n")
	if !found {
		return "the entry has no front matter"
	}
	host := &testHost{MapHost: weaver.MapHost{Vars: map[string]map[string]weaver.Value{}}}
	for scope, vars := range c.Turns[0].Set {
		for name, v := range vars {
			if err := host.Set(scope, name, v); err != nil {
				return err.Error()
			}
		}
	}
	want := c.Turns[0].Want
	got, err := render(t, host, body)
	if want.Error != nil {
		var e *weaver.Error
		if !errors.As(err, &e) || e.Kind != want.Error.EvalKind {
			return "error " + errorText(err) + ", want kind " + string(want.Error.EvalKind)
		}
		return ""
	}
	if err != nil {
		return err.Error()
	}
	text := ""
	if len(want.Blocks) > 0 {
		text = want.Blocks[0].Content
	}
	if got != text {
		return "got " + got + ", want " + text
	}
	for scope, vars := range want.Persistent {
		for name, v := range vars {
			if is := host.Vars[scope][name]; !is.Same(v) {
				return scope + ":" + name + " is " + is.Text() + ", want " + v.Text()
			}
		}
	}
	return ""
}

func errorText(err error) string {
	if err == nil {
		return "none"
	}
	return err.Error()
}
