package weaver_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/internal/testenv"
	"github.com/weft-memory/weft/weaver"
)

// fence is a fenced block of a Markdown page.
type fence struct {
	info, text string
	line       int
}

func fences(page string) (out []fence) {
	open := false
	for i, line := range strings.Split(page, "\n") {
		switch info, isFence := strings.CutPrefix(line, "```"); {
		case isFence && !open:
			out = append(out, fence{info: info, line: i + 1})
			open = true
		case isFence:
			open = false
		case open:
			out[len(out)-1].text += line + "\n"
		}
	}
	return out
}

// TestLanguageReference runs the examples of docs/weaver.md: each template is
// followed by what it prints or by its error. The line break at the end of a
// block belongs to the page.
func TestLanguageReference(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(testenv.Root(), "docs", "weaver.md"))
	if err != nil {
		t.Fatal(err)
	}
	shared := make(map[string]string)
	host := func() *weaver.MapHost {
		h := new(weaver.MapHost)
		for name, to := range map[string]any{"vars": &h.Vars, "documents": &h.Documents, "triggers": &h.Triggers} {
			if err := json.Unmarshal([]byte(shared[name]), to); err != nil {
				t.Fatalf("the shared %s: %v", name, err)
			}
		}
		return h
	}
	reg := testRegistry(t)
	blocks := fences(string(data))
	run := 0
	for i, b := range blocks {
		if name, ok := strings.CutPrefix(b.info, "json "); ok {
			shared[name] = b.text
		}
		if b.info != "weaver" {
			continue
		}
		run++
		src := strings.TrimSuffix(b.text, "\n")
		want := strings.TrimSuffix(blocks[i+1].text, "\n")
		tmpl, list := weaver.Parse("example", src)
		if err := list.Err(); err != nil {
			t.Errorf("line %d: %v", b.line, err)
			continue
		}
		if got, _ := weaver.Format("example", src); got != src {
			t.Errorf("line %d is not formatted:\n%s", b.line, cmp.Diff(src, got))
		}
		r, err := tmpl.Render(t.Context(), host(), weaver.Options{Registry: reg})
		switch blocks[i+1].info {
		case "text":
			if err != nil {
				t.Errorf("line %d: %v", b.line, err)
			} else if d := cmp.Diff(want, strings.TrimSuffix(r.Text, "\n")); d != "" {
				t.Errorf("line %d (-page +got):\n%s", b.line, d)
			}
		case "error":
			e, ok := err.(*weaver.Error)
			if !ok {
				t.Errorf("line %d: error %v", b.line, err)
				continue
			}
			if got := strings.TrimSpace(e.Message + "\n" + e.Hint); got != want {
				t.Errorf("line %d: error %q, the page says %q", b.line, got, want)
			}
		default:
			t.Errorf("line %d: no result follows the example", b.line)
		}
	}
	if run < 20 {
		t.Errorf("only %d examples found", run)
	}
}
