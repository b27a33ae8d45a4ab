package weaver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/weft-memory/weft/internal/testenv"
	"github.com/weft-memory/weft/weaver"
)

// benchTemplate is one line of the benchmark data.
type benchTemplate struct {
	Name      string                             `json:"name"`
	Template  string                             `json:"template"`
	Vars      map[string]map[string]weaver.Value `json:"vars"`
	Documents map[string]weaver.Value            `json:"documents"`
}

func benchTemplates(b *testing.B) []benchTemplate {
	b.Helper()
	data, err := os.ReadFile(filepath.Join(testenv.Bench(b, "weaver"), "templates.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	var out []benchTemplate
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		var t benchTemplate
		if err := json.Unmarshal(lines.Bytes(), &t); err != nil {
			b.Fatal(err)
		}
		out = append(out, t)
	}
	return out
}

func BenchmarkParse(b *testing.B) {
	for _, t := range benchTemplates(b) {
		b.Run(t.Name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(t.Template)))
			for b.Loop() {
				if _, list := weaver.Parse(t.Name, t.Template); list != nil {
					b.Fatal(list.Err())
				}
			}
		})
	}
}

func BenchmarkEvaluate(b *testing.B) {
	reg := testRegistry(b)
	ctx := context.Background()
	for _, t := range benchTemplates(b) {
		tmpl := weaver.MustParse(t.Name, t.Template)
		host := &weaver.MapHost{Vars: t.Vars, Documents: t.Documents}
		opts := weaver.Options{Registry: reg}
		b.Run(t.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := tmpl.Render(ctx, host, opts); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkEvaluateExpr evaluates a condition of usual size.
func BenchmarkEvaluateExpr(b *testing.B) {
	e := weaver.MustParseExpr("cond", `(state:location == "forest" || state:location == "swamp") && !state:safe_zone`)
	host := &weaver.MapHost{Vars: map[string]map[string]weaver.Value{
		"state": {"location": weaver.String("swamp"), "safe_zone": weaver.Bool(false)},
	}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := e.Eval(context.Background(), host, weaver.Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
