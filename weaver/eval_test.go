package weaver_test

import (
	"strings"
	"testing"

	"github.com/weft-memory/weft/weaver"
)

// TestEvaluate holds cases beyond those of the conformance folder, most of
// them found while writing the package.
func TestEvaluate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, src, want string }{
		{"steps into an interpolation", `{{ {{hero:party[0]}}.name }}`, "Ilse"},
		{"steps into a group", `{{ (hero:party[0]).name + ({{hero:party}})[0].name }}`, "IlseIlse"},
		{"group of a loop binding", `{# foreach p in hero:party #}{{ (p).name }}{{ {{p}}.name }}{# endforeach #}`, "IlseIlse"},
		{"reused slot", `{# foreach x in [1] #}{# foreach y in [2] #}{{y}}{# endforeach #}{# foreach z in [3] #}{{z}}{{x}}{# endforeach #}{# endforeach #}`, "231"},
		{"source sees the outer binding", `{# foreach x in [[1, 2], [3]] #}{# foreach x in x #}{{x}}{# endforeach #};{# endforeach #}`, "12;3;"},
		{"binding in a literal", `{{ [{# foreach x in [1, 2] #}{# foreach y in [10, 20] #} x * y {# endforeach #}{# endforeach #}] }}`, "10, 20, 20, 40"},
		{"local in a literal", `{{ [{# foreach x in [1] #} local:x {# endforeach #}] }}`, "1"},
		{"short-circuit and", `{{ false && 1 / 0 }}`, "false"},
		{"short-circuit or", `{{ true || world:nobody }}`, "true"},
		{"double not is a boolean", `{{ !!"x" }} {{ !!!0 }} {{ !-1 }}`, "true true false"},
		{"chain turns into text", `{{ 1 + 2 + "a" + 3 + 4 }}`, "3a34"},
		{"text in a mixed chain", `{{ "a" + 1 * 2 + [1, 2] }}`, "a21, 2"},
		{"remainders", `{{ -7 % 3 }} {{ 7 % -3 }} {{ 5.5 % 2 }} {{ -6 % 3 }} {{ 1e300 % 7 }}`, "-1 1 1.5 0 1"},
		{"not equal with nan", `{{ 1e308 * 10 - 1e308 * 10 != 1 }}`, "true"},
		{"trigger word in prose", `<triggerfish> <trigger-happy> <trigger`[:29], "<triggerfish> <trigger-happy>"},
		{"scratch does not leak", `a{{ "x" + 1 }}b{# if "y" + 2 == "y2" #}c{# endif #}`, "ax1bc"},
		{"command alone in a body", "{# if true #}\n$[echo(\"v\")]\n{# endif #}\n", ""},
		{"stop after a blank block", "kept\n{# if true #}\n{# stop #}\n{# endif #}\ngone", "kept\n"},
		{"return of a text", `x{# return "y" + 1 #}`, "y1"},
		{"empty arms", "a\n{# if false #}{# else #}{# endif #}\nb", "a\nb"},
		{"nested blocks last in their body", "a\n{# if true #}\n{# if false #}\nx\n{# endif #}\n{# endif #}\n", "a\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := render(t, testRegistry(t), tt.src); got != tt.want {
				t.Errorf("%q gives %q, want %q", tt.src, got, tt.want)
			}
		})
	}
}

// TestErrorPlaces checks what an error of an evaluation points at.
func TestErrorPlaces(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		src, at string
		kind    weaver.ErrorKind
	}{
		{`{{ 1 + none + 2 }}`, `1 + none`, weaver.TypeError},
		{`{{ 1 + 2 + none }}`, `{{ 1 + 2 + none }}`, weaver.TypeError},
		{`{{ [1 - 2 - none] }}`, `1 - 2 - none`, weaver.TypeError},
		{`{{ [-"x"] }}`, `-"x"`, weaver.TypeError},
		{`{{ [world:town.x] }}`, `world:town.x`, weaver.TypeError},
		{`{{ [(1 / 0)] }}`, `1 / 0`, weaver.ArithmeticError},
		{`{# if true #}{{ [[lost]] }}{# endif #}`, `{{ [[lost]] }}`, weaver.DocumentNotFound},
		{`{{ "" + [[lost]] }}`, `[[lost]]`, weaver.DocumentNotFound},
		{`{{ [<trigger id="lost">] }}`, `<trigger id="lost">`, weaver.TriggerNotFound},
		{`{{ [[(a:b)]] }}`, `a:b`, weaver.TypeError},
		{`{# foreach x in ("a" + "b") #}{# endforeach #}`, `"a" + "b"`, weaver.NotIterable},
		{`{{ [@[test.fail("x")], 1] }}`, `@[test.fail("x")]`, weaver.HostError},
	} {
		_, err := weaver.MustParse("t", tt.src).Render(t.Context(), fuzzHost(), weaver.Options{Registry: testRegistry(t)})
		e := wantKind(t, err, tt.kind)
		if got := tt.src[e.Span.Start:e.Span.End]; got != tt.at {
			t.Errorf("%s: %s points at %q, want %q", tt.src, e.Message, got, tt.at)
		}
	}
}

func TestTinyLimits(t *testing.T) {
	t.Parallel()
	const src = `{# foreach x in [1, 2] #}{{ "abc" + x }}{# endforeach #}`
	enough := weaver.Limits{Nodes: 5, Iterations: 2, OutputBytes: 8, ValueBytes: 100, Steps: 20}
	tmpl := weaver.MustParse("t", src)
	r, err := tmpl.Render(t.Context(), nil, weaver.Options{Limits: enough})
	if err != nil || r.Text != "abc1abc2" {
		t.Fatalf("with enough: %q, %v", r.Text, err)
	}
	if want := (weaver.Usage{Nodes: 5, Iterations: 2}); r.Usage != want {
		t.Errorf("usage %+v, want %+v", r.Usage, want)
	}
	for name, less := range map[string]func(*weaver.Limits){
		"node evaluations": func(l *weaver.Limits) { l.Nodes-- },
		"loop iterations":  func(l *weaver.Limits) { l.Iterations-- },
		"bytes of output":  func(l *weaver.Limits) { l.OutputBytes-- },
		"bytes of values":  func(l *weaver.Limits) { l.ValueBytes = 50 },
		"steps of work":    func(l *weaver.Limits) { l.Steps = 5 },
	} {
		l := enough
		less(&l)
		_, err := tmpl.Render(t.Context(), nil, weaver.Options{Limits: l})
		if e := wantKind(t, err, weaver.ResourceLimit); !strings.Contains(e.Message, name) {
			t.Errorf("less %s: %v", name, e)
		}
	}
	text := weaver.MustParse("t", strings.Repeat("x", 100))
	for _, l := range []weaver.Limits{{OutputBytes: 99}, {Nodes: -1}} {
		_, err := text.Render(t.Context(), nil, weaver.Options{Limits: l})
		wantKind(t, err, weaver.ResourceLimit)
	}
}

// scopeHost keeps one scope in a map that it gives out.
type scopeHost struct {
	weaver.Host
	vars  map[string]weaver.Value
	asked int
}

func (h *scopeHost) ScopeVars(scope string) map[string]weaver.Value {
	h.asked++
	if scope == "fast" {
		return h.vars
	}
	return nil
}

func TestScopeHost(t *testing.T) {
	t.Parallel()
	h := &scopeHost{Host: fuzzHost(), vars: map[string]weaver.Value{"x": num(1)}}
	r, err := weaver.MustParse("t", "{{fast:x}}{{fast:x}}{{world:town}}").Render(t.Context(), h, weaver.Options{})
	if err != nil || r.Text != "11Vell" {
		t.Errorf("gave %q, %v", r.Text, err)
	}
	if h.asked != 2 {
		t.Errorf("asked %d times for two scopes", h.asked)
	}
	_, err = weaver.MustParse("t", "{{fast:y}}").Render(t.Context(), h, weaver.Options{})
	wantKind(t, err, weaver.UndefinedVariable)
}
