package engine_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/stdlib"
)

// plugin registers one processor that returns its own name.
type plugin struct {
	name, processor string
	after, requires []string
	override        bool
	order           *[]string
}

func (p plugin) Name() string       { return p.name }
func (p plugin) After() []string    { return p.after }
func (p plugin) Requires() []string { return p.requires }
func (p plugin) Register(r *weaver.Registry) error {
	if p.order != nil {
		*p.order = append(*p.order, p.name)
	}
	return r.RegisterProcessor(weaver.Processor{
		Signature: weaver.Signature{Name: p.processor},
		Override:  p.override,
		Run:       func(*weaver.Context, weaver.Args) (weaver.Value, error) { return weaver.String(p.name), nil },
	})
}

func TestPluginsAreOrderedAndChecked(t *testing.T) {
	t.Parallel()
	var order []string
	_, err := engine.New(engine.Options{Plugins: []engine.Plugin{
		plugin{name: "c", processor: "x.c", after: []string{"a", "absent"}, order: &order},
		plugin{name: "b", processor: "x.b", requires: []string{"c"}, order: &order},
		plugin{name: "a", processor: "x.a", order: &order},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a", "c", "b"}, order); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	cases := []struct {
		name    string
		plugins []engine.Plugin
		words   []string
	}{
		{"two of a name", []engine.Plugin{plugin{name: "a", processor: "x.a"}, plugin{name: "a", processor: "x.b"}}, []string{"plugin a", "two plugins"}},
		{"a name taken twice", []engine.Plugin{plugin{name: "a", processor: "x.a"}, plugin{name: "b", processor: "x.a"}}, []string{"plugin b", `"a"`, "x.a"}},
		{"a name of the host", []engine.Plugin{plugin{name: "b", processor: "text.upper"}}, []string{"plugin b", "text.upper"}},
		{"something missing", []engine.Plugin{plugin{name: "a", processor: "x.a", requires: []string{"z"}}}, []string{"plugin a", `"z"`}},
		{"a circle", []engine.Plugin{
			plugin{name: "a", processor: "x.a", after: []string{"b"}}, plugin{name: "b", processor: "x.b", after: []string{"a"}},
		}, []string{"a → b → a"}},
	}
	for _, c := range cases {
		_, err := engine.New(engine.Options{Registry: stdlib.NewRegistry(), Plugins: c.plugins})
		var pe *engine.PluginError
		if !errors.As(err, &pe) {
			t.Errorf("%s: error = %v, want a PluginError", c.name, err)
			continue
		}
		for _, w := range c.words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %q does not say %q", c.name, err, w)
			}
		}
	}
}

func TestAPluginMayOverride(t *testing.T) {
	t.Parallel()
	registry := stdlib.NewRegistry()
	e, err := engine.New(engine.Options{Registry: registry, Plugins: []engine.Plugin{
		plugin{name: "loud", processor: "text.upper", override: true},
	}})
	if err != nil {
		t.Fatal(err)
	}
	r := assemble(t, e, readIndex(t, "id: a\nconstant: true\n---\n@[text.upper(text: \"x\")]"), engine.Input{})
	if diff := cmp.Diff("backdrop a: loud\n", summary(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// The host's registry is its own: another engine has the old one.
	other := newEngine(t, engine.Options{Registry: registry})
	r = assemble(t, other, readIndex(t, "id: a\nconstant: true\n---\n@[text.upper(text: \"x\")]"), engine.Input{})
	if diff := cmp.Diff("backdrop a: X\n", summary(r)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, ok := e.Registry().Processor("text.upper"); !ok {
		t.Error("the view of the registry lacks text.upper")
	}
}

func TestAHookMayRunAProcessor(t *testing.T) {
	t.Parallel()
	e := newEngine(t, engine.Options{})
	cases := []struct {
		name string
		args map[string]weaver.Value
		want string
	}{
		{"text.upper", map[string]weaver.Value{"text": weaver.String("{{ quiet }}")}, "{{ QUIET }}"},
		{"text.replace", map[string]weaver.Value{"text": weaver.String("aba"), "from": weaver.String("a"), "to": weaver.String("o")}, "obo"},
		{"text.shout", nil, "error"},
		{"text.upper", map[string]weaver.Value{"text) ]": weaver.None}, "error"},
	}
	for _, c := range cases {
		got := "error"
		if v, err := e.Registry().Process(t.Context(), c.name, c.args, 1); err == nil {
			got = v.Text()
		}
		if got != c.want {
			t.Errorf("%s(%v) = %q, want %q", c.name, c.args, got, c.want)
		}
	}
}
