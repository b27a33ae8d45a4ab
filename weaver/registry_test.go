package weaver_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/weaver"
)

// render renders a source with a registry and fails the test on an error.
func render(t *testing.T, reg *weaver.Registry, src string) string {
	t.Helper()
	r, err := weaver.MustParse("t", src).Render(context.Background(), fuzzHost(), weaver.Options{Registry: reg})
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return r.Text
}

func constant(name, text, owner string, opts ...weaver.CallOption) weaver.Command {
	return weaver.NewCommand(name, "", func(*weaver.Context, noArgs) (string, error) { return text, nil },
		append(opts, weaver.Owner(owner))...)
}

func TestRegistryConflicts(t *testing.T) {
	t.Parallel()
	r := weaver.NewRegistry()
	if err := r.RegisterCommand(constant("greet", "hello", "core")); err != nil {
		t.Fatal(err)
	}
	err := r.RegisterCommand(constant("greet", "hi", "dice"))
	if err == nil || !strings.Contains(err.Error(), `"core"`) || !strings.Contains(err.Error(), `"dice"`) {
		t.Errorf("a name taken twice: %v", err)
	}
	if got := render(t, r, "$[greet()] x"); got != "hello x" {
		t.Errorf("after the clash: %q", got)
	}
	if err := r.RegisterCommand(constant("greet", "hi", "dice", weaver.Override())); err != nil {
		t.Errorf("an override: %v", err)
	}
	if got := render(t, r, "$[greet()] x"); got != "hi x" {
		t.Errorf("after the override: %q", got)
	}
	if sig, ok := r.Command("greet"); !ok || sig.Owner != "dice" {
		t.Errorf("Command(greet) = %+v, %t", sig, ok)
	}

	clone := r.Clone()
	r.Freeze()
	if err := r.RegisterCommand(constant("other", "", "dice")); err == nil || !strings.Contains(err.Error(), "frozen") {
		t.Errorf("registering in a frozen registry: %v", err)
	}
	if err := clone.RegisterCommand(constant("other", "", "dice")); err != nil {
		t.Errorf("registering in a clone: %v", err)
	}
	if _, ok := r.Command("other"); ok {
		t.Error("a clone shares its content")
	}
}

func TestRegistryRejects(t *testing.T) {
	t.Parallel()
	run := func(*weaver.Context, weaver.Args) (weaver.Value, error) { return weaver.None, nil }
	sig := func(name string, params ...string) weaver.Signature {
		s := weaver.Signature{Name: name}
		for _, p := range params {
			s.Params = append(s.Params, weaver.Param{Name: p})
		}
		return s
	}
	r := weaver.NewRegistry()
	for want, c := range map[string]weaver.Command{
		"command name":           {Signature: sig("a.b"), Run: run},
		"has no function":        {Signature: sig("a")},
		"parameter name":         {Signature: sig("a", "x y"), Run: run},
		"declares parameter x":   {Signature: sig("a", "x", "x"), Run: run},
		"at most 64":             {Signature: sig("a", make([]string, 65)...), Run: run},
		"field C: type chan int": weaver.NewCommand("a", "", func(*weaver.Context, struct{ C chan int }) (int, error) { return 0, nil }),
		`field N: default "x"`: weaver.NewCommand("a", "", func(*weaver.Context, struct {
			N int `default:"x"`
		},
		) (int, error) {
			return 0, nil
		}),
		`unknown option "often"`: weaver.NewCommand("a", "", func(*weaver.Context, struct {
			N int `weaver:"n,often"`
		},
		) (int, error) {
			return 0, nil
		}),
		"must be a struct": weaver.NewCommand("a", "", func(*weaver.Context, int) (int, error) { return 0, nil }),
	} {
		if err := r.RegisterCommand(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if err := r.RegisterProcessor(weaver.Processor{Signature: sig("a..b"), Run: run}); err == nil {
		t.Error("a processor named a..b is taken")
	}
}

type everyArgs struct {
	Text     string               `doc:"any text" weaver:"text,required"`
	MaxCount int                  `default:"3"`
	Ratio    float64              `default:"0.5"`
	Loud     bool                 `weaver:"loud"`
	Items    []weaver.Value       `default:"[1]"`
	Any      weaver.Value         `default:"{\"k\": 1}"`
	Maybe    weaver.Optional[int] `weaver:"maybe"`
	Ignored  chan int             `weaver:"-"`
}

func everyCallable(opts ...weaver.CallOption) weaver.Processor {
	return weaver.NewProcessor("test.every", "shows its arguments", func(_ *weaver.Context, a everyArgs) (map[string]any, error) {
		return map[string]any{
			"text": a.Text, "n": a.MaxCount, "ratio": a.Ratio, "loud": a.Loud,
			"items": a.Items, "any": a.Any, "maybe": a.Maybe.Value, "given": a.Maybe.Given,
		}, nil
	}, opts...)
}

func TestTypedCallable(t *testing.T) {
	t.Parallel()
	lenient, strict := weaver.NewRegistry(), weaver.NewRegistry()
	if err := lenient.RegisterProcessor(everyCallable()); err != nil {
		t.Fatal(err)
	}
	if err := strict.RegisterProcessor(everyCallable(weaver.Strict())); err != nil {
		t.Fatal(err)
	}
	const rest = `"given":false,"items":[1],"loud":false,"maybe":0,"n":3,"ratio":0.5,"text":"x"}`
	for src, want := range map[string]string{
		`@[test.every("x")]`:                          `{"any":{"k":1},` + rest,
		`@[test.every("x", "many", true, 1, "", [])]`: `{"any":[],` + rest,
		`@[test.every(text: "x", max_count: -2.9, ratio: 1, loud: true, items: [], any: none, maybe: 1e300)]`: `{"any":null,"given":true,"items":[],"loud":true,"maybe":9223372036854775807,"n":-2,"ratio":1,"text":"x"}`,
	} {
		got := render(t, lenient, src)
		if d := cmp.Diff(strings.ReplaceAll(want, "9223372036854775807", "9223372036854776000"), got); d != "" {
			t.Errorf("%s (-want +got):\n%s", src, d)
		}
	}
	for src, want := range map[string]string{
		`@[test.every()]`:                         "processor test.every needs text",
		`@[test.every("x", "many")]`:              "processor test.every: max_count must be of type number, got string",
		`@[test.every("x", max_cuont: 1, 2)]`:     "a positional argument after a named one",
		`@[test.every("x", 1, 1, 1, 1, 1, 1, 1)]`: "processor test.every takes 7 positional arguments at most",
	} {
		tmpl, _ := weaver.Parse("t", src)
		_, err := tmpl.Render(context.Background(), nil, weaver.Options{Registry: strict})
		var e *weaver.Error
		if !errors.As(err, &e) || e.Message != want {
			t.Errorf("%s: error %v, want %q", src, err, want)
		}
	}
}

func TestSignaturesAsJSON(t *testing.T) {
	t.Parallel()
	r := weaver.NewRegistry()
	if err := r.RegisterProcessor(everyCallable(weaver.Owner("test"), weaver.Returns("object"))); err != nil {
		t.Fatal(err)
	}
	if err := r.RegisterCommand(constant("greet", "hi", "dice")); err != nil {
		t.Fatal(err)
	}
	got, err := json.MarshalIndent(r.Signatures(), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	want := `[
 {
  "name": "greet",
  "kind": "command",
  "params": [],
  "returns": "string",
  "owner": "dice"
 },
 {
  "name": "test.every",
  "kind": "processor",
  "params": [
   {
    "name": "text",
    "type": "string",
    "required": true,
    "doc": "any text"
   },
   {
    "name": "max_count",
    "type": "number",
    "default": 3
   },
   {
    "name": "ratio",
    "type": "number",
    "default": 0.5
   },
   {
    "name": "loud",
    "type": "bool",
    "default": false
   },
   {
    "name": "items",
    "type": "array",
    "default": [
     1
    ]
   },
   {
    "name": "any",
    "type": "any",
    "default": {
     "k": 1
    }
   },
   {
    "name": "maybe",
    "type": "number"
   }
  ],
  "returns": "object",
  "doc": "shows its arguments",
  "owner": "test"
 }
]`
	if d := cmp.Diff(want, string(got)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestArgs(t *testing.T) {
	t.Parallel()
	show := func(_ *weaver.Context, args weaver.Args) (weaver.Value, error) {
		var parts []string
		for name, v := range args.Each {
			parts = append(parts, name+"="+v.Text())
		}
		b, ok := args.Named("b")
		if ok {
			parts = append(parts, "b is "+b.Text())
		}
		if _, ok := args.At(args.Len()); ok {
			parts = append(parts, "a slot too many")
		}
		return weaver.String(strings.Join(parts, " ")), nil
	}
	params := []weaver.Param{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	r := weaver.NewRegistry()
	for _, err := range []error{
		r.RegisterCommand(weaver.Command{Signature: weaver.Signature{Name: "show", Params: params}, Run: show}),
		r.RegisterProcessor(weaver.Processor{Signature: weaver.Signature{Name: "show", Params: params}, Run: show}),
		r.RegisterProcessor(weaver.Processor{Signature: weaver.Signature{Name: "raw"}, Run: show}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for src, want := range map[string]string{
		"$[show()]":                       "",
		"$[show(1, 2, 3)]":                "a=1 b=2 c=3 b is 2",
		"$[show(1, 2, 3, 4, 5)]":          "a=1 b=2 c=3 3=4 4=5 b is 2",
		"$[show(1, c: 3)]":                "a=1 c=3",
		"$[show(c: 3, b: none, a: 1)]":    "a=1 b= c=3 b is ",
		"@[show(1, c: 3, x: 4, b: 2)]":    "a=1 b=2 c=3 x=4 b is 2",
		"@[show(z: 1, a: 2, y: 3)]":       "a=2 z=1 y=3",
		"@[raw(z: 1, b: 2, y: 3)]":        "z=1 b=2 y=3 b is 2",
		"@[show(@[show(1)], $[show(2)])]": "a=a=1 b=a=2 b is a=2",
	} {
		if got := render(t, r, src); got != want {
			t.Errorf("%s = %q, want %q", src, got, want)
		}
	}
}

// TestConcurrentEvaluation evaluates the same templates from many goroutines,
// with two registries in turn and a third that grows meanwhile.
func TestConcurrentEvaluation(t *testing.T) {
	t.Parallel()
	regs := []*weaver.Registry{testRegistry(t), testRegistry(t), testRegistry(t)}
	tmpl := weaver.MustParse("t", `{# foreach x in a:b #}@[text.repeat(count: x, text: "ab")]{{world:town}}$[trio(x, third: x)]{# endforeach #}[[oath]]`)
	const want = "abVell1//1ababVell2//2We keep the light."
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			host := fuzzHost()
			for i := range 200 {
				r, err := tmpl.Render(context.Background(), host, weaver.Options{Registry: regs[(g+i)%3]})
				if err != nil || r.Text != want {
					t.Errorf("gave %q, %v; want %q", r.Text, err, want)
					return
				}
				if g == 0 && i%20 == 0 {
					name := "extra" + strings.Repeat("x", i)
					if err := regs[2].RegisterCommand(constant(name, "", "")); err != nil {
						t.Error(err)
					}
				}
				_ = tmpl.References()
			}
		})
	}
	wg.Wait()
}
