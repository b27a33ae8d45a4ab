package weaver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/internal/testenv"
	"github.com/weft-memory/weft/weaver"
)

// conformanceCase is one line of a conformance file.
type conformanceCase struct {
	ID                string                             `json:"id"`
	About             string                             `json:"about"`
	Mode              string                             `json:"mode"`
	Template          string                             `json:"template"`
	Vars              map[string]map[string]weaver.Value `json:"vars"`
	Documents         map[string]string                  `json:"documents"`
	DocumentTemplates map[string]string                  `json:"document_templates"`
	Triggers          map[string]string                  `json:"triggers"`
	Options           struct {
		Lenient       bool     `json:"lenient"`
		MaxNodes      *int     `json:"max_nodes"`
		MaxIterations *int     `json:"max_iterations"`
		Cancelled     bool     `json:"cancelled"`
		ReadOnly      []string `json:"read_only"`
	} `json:"options"`
	Want      *string                            `json:"want"`
	WantValue json.RawMessage                    `json:"want_value"`
	WantVars  map[string]map[string]weaver.Value `json:"want_vars"`
	WantFired []string                           `json:"want_fired"`
	WantError *struct {
		Kind string  `json:"kind"`
		Span *[2]int `json:"span"`
	} `json:"want_error"`
	Quirk string `json:"quirk"`
}

// conformanceCases reads every case of the folder, by file.
func conformanceCases(tb testing.TB) map[string][]conformanceCase {
	tb.Helper()
	dir := testenv.Conformance(tb, "weaver")
	files, err := filepath.Glob(filepath.Join(dir, "*.json*"))
	if err != nil {
		tb.Fatal(err)
	}
	out := make(map[string][]conformanceCase)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		d := json.NewDecoder(bytes.NewReader(data))
		for d.More() {
			var c conformanceCase
			if err := d.Decode(&c); err != nil {
				tb.Fatalf("%s: %v", filepath.Base(file), err)
			}
			out[filepath.Base(file)] = append(out[filepath.Base(file)], c)
		}
	}
	if len(out) == 0 {
		tb.Fatalf("no cases in %s", dir)
	}
	return out
}

// caseHost is the host of a case: variables with read-only scopes, documents
// as text or as templates, triggers.
type caseHost struct {
	weaver.MapHost
	sources  map[string]string
	readOnly []string
}

func (h *caseHost) Set(scope, name string, v weaver.Value) error {
	if slices.Contains(h.readOnly, scope) {
		return fmt.Errorf("scope '%s' is read-only", scope)
	}
	return h.MapHost.Set(scope, name, v)
}

func (h *caseHost) Document(ctx *weaver.Context, id string) (weaver.Value, error) {
	src, ok := h.sources[id]
	if !ok {
		return h.MapHost.Document(ctx, id)
	}
	if ctx.Depth() >= 8 {
		return weaver.None, weaver.Errorf(weaver.RecursionLimit, "too deep")
	}
	t, list := weaver.Parse(id, src)
	if err := list.Err(); err != nil {
		return weaver.None, err
	}
	r, err := ctx.Sub(t, weaver.SubOptions{FreshLimits: true})
	return r.Value, err
}

func newCaseHost(c *conformanceCase) *caseHost {
	h := &caseHost{sources: c.DocumentTemplates, readOnly: c.Options.ReadOnly}
	h.Vars = make(map[string]map[string]weaver.Value)
	for scope, vars := range c.Vars {
		for name, v := range vars {
			_ = h.MapHost.Set(scope, name, v)
		}
	}
	h.Documents = make(map[string]weaver.Value)
	for id, text := range c.Documents {
		h.Documents[id] = weaver.String(text)
	}
	h.Triggers = c.Triggers
	return h
}

func caseOptions(c *conformanceCase, reg *weaver.Registry) weaver.Options {
	limit := func(p *int) int {
		switch {
		case p == nil:
			return 0
		case *p == 0:
			return -1
		}
		return *p
	}
	return weaver.Options{
		Registry: reg,
		Lenient:  c.Options.Lenient,
		Limits: weaver.Limits{
			Nodes:      limit(c.Options.MaxNodes),
			Iterations: limit(c.Options.MaxIterations),
		},
	}
}

// runSource evaluates the source of a case with a host.
func runSource(c *conformanceCase, src string, h weaver.Host, opts weaver.Options) (weaver.Value, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if c.Options.Cancelled {
		cancel()
	}
	if c.Mode == "expr" {
		e, _ := weaver.ParseExpr(c.ID, src)
		return e.Eval(ctx, h, opts)
	}
	t, _ := weaver.Parse(c.ID, src)
	r, err := t.Render(ctx, h, opts)
	if err == nil && r.Text != r.Value.Text() {
		return r.Value, fmt.Errorf("Text is %q, the text of Value %q", r.Text, r.Value.Text())
	}
	return r.Value, err
}

// checkCase runs a case and describes every difference.
func checkCase(c *conformanceCase, reg *weaver.Registry) []string {
	var bad []string
	fail := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }

	h := newCaseHost(c)
	v, err := runSource(c, c.Template, h, caseOptions(c, reg))

	var e *weaver.Error
	switch {
	case c.WantError == nil && err != nil:
		if errors.As(err, &e) {
			fail("error: %s", e.Detail())
		} else {
			fail("error: %v", err)
		}
	case c.WantError != nil && err == nil:
		fail("gave %q, want error %s", v.Text(), c.WantError.Kind)
	case c.WantError != nil:
		if !errors.As(err, &e) {
			fail("error is a %T, want *weaver.Error", err)
			break
		}
		if string(e.Kind) != c.WantError.Kind {
			fail("error kind %s (%v), want %s", e.Kind, err, c.WantError.Kind)
		}
		if sp := c.WantError.Span; sp != nil && (e.Span.Start != sp[0] || e.Span.End != sp[1]) {
			fail("error span %v (%v), want %v", e.Span, err, *sp)
		}
		if c.WantError.Span == nil && c.WantError.Kind == "resource_limit" && !e.Span.IsZero() {
			fail("error span %v, want none", e.Span)
		}
	default:
		if c.Want != nil && v.Text() != *c.Want {
			fail("text (-want +got):\n%s", cmp.Diff(*c.Want, v.Text()))
		}
		if c.WantValue != nil {
			var want weaver.Value
			if err := json.Unmarshal(c.WantValue, &want); err != nil {
				fail("want_value: %v", err)
			}
			if !v.Same(want) {
				fail("value %s, want %s", v.AppendJSON(nil), c.WantValue)
			}
		}
	}
	if c.WantVars != nil {
		if d := cmp.Diff(c.WantVars, h.Vars, cmp.Comparer(weaver.Value.Same)); d != "" {
			fail("variables (-want +got):\n%s", d)
		}
	}
	if c.WantFired != nil && !slices.Equal(c.WantFired, h.Fired) {
		fail("fired %q, want %q", h.Fired, c.WantFired)
	}
	return bad
}

func TestConformanceWeaver(t *testing.T) {
	t.Parallel()
	reg := testRegistry(t)
	for file, cases := range conformanceCases(t) {
		t.Run(strings.TrimSuffix(file, filepath.Ext(file)), func(t *testing.T) {
			t.Parallel()
			for _, c := range cases {
				t.Run(c.ID, func(t *testing.T) {
					bad := checkCase(&c, reg)
					for _, msg := range bad {
						if c.Quirk != "" {
							t.Logf("quirk (%s): %s", c.Quirk, msg)
						} else {
							t.Errorf("%s\ntemplate: %q\n%s", c.About, c.Template, msg)
						}
					}
				})
			}
		})
	}
}
