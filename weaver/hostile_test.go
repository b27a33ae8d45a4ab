package weaver_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/weft-memory/weft/weaver"
)

// wantKind fails the test unless err is a *weaver.Error of a kind.
func wantKind(t *testing.T, err error, kind weaver.ErrorKind) *weaver.Error {
	t.Helper()
	var e *weaver.Error
	if !errors.As(err, &e) {
		t.Fatalf("error is %v, want one of kind %s", err, kind)
	}
	if e.Kind != kind {
		t.Fatalf("error %q has kind %s, want %s", e.Message, e.Kind, kind)
	}
	return e
}

func TestHostileSources(t *testing.T) {
	t.Parallel()
	const n = 100_000
	for name, src := range map[string]string{
		"parentheses":     "{{ " + strings.Repeat("(", n) + "1" + strings.Repeat(")", n) + " }}",
		"open parens":     "{{ " + strings.Repeat("(", n),
		"braces":          strings.Repeat("{{", n),
		"many braces":     strings.Repeat("{", n),
		"brackets":        "{{ " + strings.Repeat("[", n),
		"spaced brackets": "{{ " + strings.Repeat("[ ", n),
		"mixed brackets":  "{{ " + strings.Repeat("[[(", n),
		"subscripts":      "{{ a:b" + strings.Repeat("[a:b", n),
		"objects":         "{{ " + strings.Repeat("{a: ", n),
		"variants":        "{{ " + strings.Repeat("A(", n),
		"commands":        strings.Repeat("$[echo(", n),
		"processors":      strings.Repeat("@[a.b(x: ", n),
		"documents":       strings.Repeat("[[(", n),
		"document heads":  strings.Repeat("[[$[a([[", n),
		"triggers":        strings.Repeat("<trigger id=(", n),
		"ifs":             strings.Repeat("{# if true #}", n),
		"loops":           strings.Repeat("{# foreach x in a:b #}", n),
		"item blocks":     "{{ [" + strings.Repeat("{# if true #}", n),
		"minuses":         "{{ " + strings.Repeat("-", n) + "1 }}",
		"spaced minuses":  "{{ " + strings.Repeat("- ", n) + "1 }}",
		"quotes":          "{{ " + strings.Repeat("\"", n+1),
		"raw quotes":      "{{ r" + strings.Repeat("#", n) + "\"x",
		"raw starts":      strings.Repeat("{{ r#\"", n),
		"string starts":   strings.Repeat("{{ \"\\\"", n),
		"end tags":        strings.Repeat("{# endif #}", n),
		"else tags":       "{# if true #}" + strings.Repeat("{# else #}", n),
		"openers":         strings.Repeat("{# ", n),
		"bad tags":        strings.Repeat("{# iffy #}", n),
		"odd names":       strings.Repeat("{{ a b }}", n),
		"long name":       "{{ " + strings.Repeat("a", n) + " b }}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tmpl, list := weaver.Parse("hostile", src)
			if !list.HasErrors() {
				t.Fatal("it parses")
			}
			if len(list) > 100 {
				t.Errorf("%d diagnostics, want at most 100", len(list))
			}
			for _, d := range list {
				if d.Message == "" || d.Line == 0 || d.Column == 0 || d.Span.End > len(src) {
					t.Errorf("incomplete diagnostic %#v", d)
				}
			}
			_, err := tmpl.Render(context.Background(), nil, weaver.Options{})
			wantKind(t, err, weaver.ParseError)
		})
	}
}

// TestLongChains checks that what is long but not nested parses and runs.
func TestLongChains(t *testing.T) {
	t.Parallel()
	const n = 100_000
	host := &weaver.MapHost{Vars: map[string]map[string]weaver.Value{"s": {"v": weaver.Bool(true), "one": weaver.Number(1)}}}
	for _, tt := range []struct{ name, src, want string }{
		{"sum", "{{ 1" + strings.Repeat("+1", n) + " }}", fmt.Sprint(n + 1)},
		{"mixed", "{{ 1" + strings.Repeat("+1*1-1+s:one", n) + " }}", fmt.Sprint(n + 1)},
		{"text", "{{ \"\"" + strings.Repeat("+\"x\"", n) + " }}", strings.Repeat("x", n)},
		{"and", "{{ true" + strings.Repeat("&& s:v", n) + " }}", "true"},
		{"or", "{{ false" + strings.Repeat("|| false", n) + " }}", "false"},
		{"equal", "{{ true" + strings.Repeat("== s:v", n) + " }}", "true"},
		{"nots", "{{ " + strings.Repeat("!", n) + "s:v }}", "true"},
		{"nots of minus", "{{ " + strings.Repeat("!", n+1) + "-s:one }}", "false"},
		{"elifs", "{# if false #}" + strings.Repeat("{# elif false #}", n) + "{# else #}x{# endif #}", "x"},
		{"text nodes", strings.Repeat("a{{ 1 }}", n/10), strings.Repeat("a1", n/10)},
		{"comments", "{{ 1 " + strings.Repeat("// x\n", n) + " }}", "1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tmpl, list := weaver.Parse(tt.name, tt.src)
			if err := list.Err(); err != nil {
				t.Fatal(err)
			}
			r, err := tmpl.Render(context.Background(), host, weaver.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Text != tt.want {
				t.Errorf("gave %.40q…, want %.40q…", r.Text, tt.want)
			}
		})
	}
}

// TestHostileEvaluations runs templates that try to use up memory, time or
// stack within the default limits.
func TestHostileEvaluations(t *testing.T) {
	t.Parallel()
	reg := testRegistry(t)
	range9 := "@[array.range(start: 0, end: 9000)]"
	for _, tt := range []struct {
		name, src string
		want      weaver.ErrorKind
	}{
		{"doubling strings", `$[set_var("a:s", "x")]{# foreach i in ` + range9 + ` #}$[set_var("a:s", {{a:s}} + {{a:s}})] {# endforeach #}`, weaver.ResourceLimit},
		{"doubling joins", `$[set_var("a:s", 1)]{# foreach i in ` + range9 + ` #}$[set_var("a:s", [{{a:s}}, {{a:s}}] + "")] {# endforeach #}`, weaver.ResourceLimit},
		{"doubling arrays", `$[set_var("a:s", [])]{# foreach i in ` + range9 + ` #}$[set_var("a:s", [{{a:s}}, {{a:s}}])] {# endforeach #}`, weaver.ResourceLimit},
		{"doubling objects", `$[set_var("a:s", 1)]{# foreach i in ` + range9 + ` #}$[set_var("a:s", {x: {{a:s}}, y: {{a:s}}})] {# endforeach #}`, weaver.ResourceLimit},
		{"deep arrays", `$[set_var("a:s", [])]{# foreach i in ` + range9 + ` #}$[set_var("a:s", [{{a:s}}])] {# endforeach #}{{a:s}}`, weaver.ResourceLimit},
		{"deep objects", `$[set_var("a:s", 0)]{# foreach i in ` + range9 + ` #}$[set_var("a:s", {k: {{a:s}}})] {# endforeach #}{{a:s}}`, weaver.ResourceLimit},
		{"repeat", `@[text.repeat("x", 1e12)]`, weaver.ResourceLimit},
		{"repeat of repeats", `@[text.repeat(@[text.repeat("x", 1e6)], 1e6)]`, weaver.ResourceLimit},
		{"range", `@[array.range(0, 1e12)]`, weaver.ResourceLimit},
		{"output", `$[set_var("a:s", @[text.repeat("x", 1e6)])]{# foreach i in ` + range9 + ` #}{{a:s}}{# endforeach #}`, weaver.ResourceLimit},
		{"blank output", `$[set_var("a:s", @[text.repeat(" ", 1e6)])]{# foreach i in ` + range9 + ` #}
{{a:s}}
{# endforeach #}`, weaver.ResourceLimit},
		{"shared strings", `$[set_var("a:s", @[text.repeat("x", 1e6)])]{{ [{# foreach i in ` + range9 + ` #}a:s, a:s, a:s{# endforeach #}] }}`, weaver.ResourceLimit},
		{"rounds", `{# foreach a in ` + range9 + ` #}{# foreach b in ` + range9 + ` #}{# endforeach #}{# endforeach #}`, weaver.ResourceLimit},
		{"item rounds", `{{ [{# foreach a in ` + range9 + ` #}{# foreach b in ` + range9 + ` #}{# endforeach #}{# endforeach #}] }}`, weaver.ResourceLimit},
		{"nodes", `{# foreach a in ` + range9 + ` #}` + strings.Repeat("a{{a}}", 10) + `{# endforeach #}`, weaver.ResourceLimit},
		{"operators", `{# foreach a in ` + range9 + ` #}{# if 1` + strings.Repeat("+1", 10_000) + ` #}{# endif #}{# endforeach #}`, weaver.ResourceLimit},
		{"comparisons", `$[set_var("a:s", @[text.repeat("x", 1e6)])]$[set_var("a:t", @[text.repeat("x", 1e6)])]{# foreach a in ` + range9 + ` #}{# if a:s == a:t #}{# endif #}{# endforeach #}`, weaver.ResourceLimit},
		{"big numbers", `{{ [{# foreach a in ` + range9 + ` #}` + strings.Repeat("-1e308, ", 3) + `{# endforeach #}] + "" + [{# foreach a in ` + range9 + ` #} 1 {# endforeach #}] }}`, weaver.ResourceLimit},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tmpl, list := weaver.Parse(tt.name, tt.src)
			if err := list.Err(); err != nil {
				t.Fatal(err)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := tmpl.Render(context.Background(), new(weaver.MapHost), weaver.Options{Registry: reg})
			runtime.ReadMemStats(&after)
			e := wantKind(t, err, tt.want)
			if !strings.Contains(e.Message, "exceeded maximum of") || !e.Span.IsZero() {
				t.Errorf("error is %v at %v, want a limit without a place", e, e.Span)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 600<<20 {
				t.Errorf("allocated %d MB", used>>20)
			}
		})
	}
}

func TestCancellation(t *testing.T) {
	t.Parallel()
	reg := testRegistry(t)
	endless := weaver.MustParse("endless",
		`{# foreach a in @[array.range(0, 1000000)] #}{# if 1 + 1 == 3 #}x{# endif #}{# endforeach #}`)
	opts := weaver.Options{Registry: reg, Limits: weaver.Limits{
		Nodes: weaver.Unlimited, Iterations: weaver.Unlimited, Steps: weaver.Unlimited,
	}}

	t.Run("during", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		// The command cancels; the evaluation notices within a chunk of work.
		r := reg.Clone()
		if err := r.RegisterCommand(weaver.NewCommand("cancel", "", func(*weaver.Context, noArgs) (weaver.Value, error) {
			cancel()
			return weaver.None, nil
		})); err != nil {
			t.Fatal(err)
		}
		tmpl := weaver.MustParse("cancel", `$[cancel()]`+endless.Source())
		o := opts
		o.Registry = r
		_, err := tmpl.Render(ctx, nil, o)
		e := wantKind(t, err, weaver.Cancelled)
		if !errors.Is(e, context.Canceled) {
			t.Errorf("error %v does not wrap context.Canceled", e)
		}
	})
	t.Run("deadline", func(t *testing.T) {
		ctx, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
		defer cancel()
		_, err := endless.Render(ctx, nil, opts)
		e := wantKind(t, err, weaver.Cancelled)
		if !errors.Is(e, context.DeadlineExceeded) {
			t.Errorf("error %v does not wrap context.DeadlineExceeded", e)
		}
	})
	t.Run("lenient", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		o := opts
		o.Lenient = true
		_, err := endless.Render(ctx, nil, o)
		wantKind(t, err, weaver.Cancelled)
	})
}

// panicHost panics on everything.
type panicHost struct{}

func (panicHost) Get(string, string) (weaver.Value, bool, error) { panic("get") }
func (panicHost) Set(string, string, weaver.Value) error         { panic("set") }
func (panicHost) Fire(*weaver.Context, string) (string, error)   { panic("fire") }
func (panicHost) Document(*weaver.Context, string) (weaver.Value, error) {
	panic("document")
}

func TestPanicsBecomeErrors(t *testing.T) {
	t.Parallel()
	reg := testRegistry(t)
	if err := reg.RegisterProcessor(weaver.NewProcessor("test.panic", "", func(*weaver.Context, noArgs) (string, error) {
		panic("no such die")
	})); err != nil {
		t.Fatal(err)
	}
	for src, want := range map[string]string{
		"{{a:b}}":               "the host panicked: get",
		`$[set_var("a:b", 1)]`:  "command set_var panicked: set",
		`<trigger id="x">`:      `trigger "x" panicked: fire`,
		"[[x]]":                 `document "x" panicked: document`,
		"a @[test.panic()] b":   "processor test.panic panicked: no such die",
		"{{ @[test.panic()] }}": "processor test.panic panicked: no such die",
	} {
		_, err := weaver.MustParse("p", src).Render(context.Background(), panicHost{}, weaver.Options{Registry: reg})
		e := wantKind(t, err, weaver.HostError)
		if e.Message != want {
			t.Errorf("%s: message %q, want %q", src, e.Message, want)
		}
		if strings.Contains(e.Error(), "goroutine") || strings.Contains(e.Detail(), "goroutine") {
			t.Errorf("%s: the message shows a stack trace:\n%v", src, e)
		}
	}
	r, err := weaver.MustParse("p", "a @[test.panic()] b").
		Render(context.Background(), panicHost{}, weaver.Options{Registry: reg, Lenient: true})
	if err != nil || r.Text != "a @[test.panic()] b" {
		t.Errorf("lenient: %q, %v", r.Text, err)
	}
}

// treeHost serves documents that are templates.
type treeHost struct {
	weaver.MapHost
	docs  map[string]*weaver.Template
	fresh bool
}

func (h *treeHost) Document(ctx *weaver.Context, id string) (weaver.Value, error) {
	t, ok := h.docs[id]
	if !ok {
		return weaver.None, weaver.Errorf(weaver.DocumentNotFound, "unknown document: %s", id)
	}
	r, err := ctx.Sub(t, weaver.SubOptions{FreshLimits: h.fresh})
	return r.Value, err
}

func TestNestedDocuments(t *testing.T) {
	t.Parallel()
	reg := testRegistry(t)
	render := func(h *treeHost, src string, o weaver.Options) (string, error) {
		o.Registry = reg
		r, err := weaver.MustParse("outer", src).Render(context.Background(), h, o)
		return r.Text, err
	}
	host := &treeHost{docs: map[string]*weaver.Template{
		"self":  weaver.MustParse("self.weaver", "[[self]]"),
		"wide":  weaver.MustParse("wide.weaver", "{# foreach x in @[array.range(0, 100)] #}[[wide]]{# endforeach #}"),
		"inner": weaver.MustParse("inner.weaver", "line one\n{{a:missing}}"),
		"mid":   weaver.MustParse("mid.weaver", "[[inner]]"),
		"two":   weaver.MustParse("two.weaver", "{{ 1 }}{{ 2 }}"),
	}}
	_, err := render(host, "[[self]]", weaver.Options{})
	wantKind(t, err, weaver.RecursionLimit)

	_, err = render(host, "[[wide]]", weaver.Options{Limits: weaver.Limits{Depth: 3}})
	wantKind(t, err, weaver.RecursionLimit)

	// A tree of documents shares its limits.
	loop := &treeHost{docs: map[string]*weaver.Template{
		"leaf": weaver.MustParse("leaf.weaver", "{# foreach x in @[array.range(0, 1000)] #}{# endforeach #}"),
	}}
	_, err = render(loop, "{# foreach x in @[array.range(0, 1000)] #}[[leaf]]{# endforeach #}", weaver.Options{})
	wantKind(t, err, weaver.ResourceLimit)

	_, err = render(host, "x [[mid]]", weaver.Options{})
	e := wantKind(t, err, weaver.UndefinedVariable)
	if e.Template != "outer" || e.Span != (weaver.Span{Start: 2, End: 9}) {
		t.Errorf("the error is at %s %v, want outer [2,9)", e.Template, e.Span)
	}
	if in := e.Innermost(); in.Template != "inner.weaver" || in.Span != (weaver.Span{Start: 9, End: 22}) {
		t.Errorf("the innermost error is at %s %v, want inner.weaver [9,22)", in.Template, in.Span)
	}
	if want := "outer:1:3: undefined variable: a:missing (in inner.weaver:2:1)"; e.Error() != want {
		t.Errorf("Error() = %q, want %q", e.Error(), want)
	}
	for _, name := range []string{"outer:1:3", "mid.weaver:1:1", "inner.weaver:2:1"} {
		if !strings.Contains(e.Detail(), name) {
			t.Errorf("Detail does not show %s:\n%s", name, e.Detail())
		}
	}

	host.docs["broken"], _ = weaver.Parse("broken.weaver", "{{ 1 + }}")
	_, err = render(host, "[[broken]]", weaver.Options{})
	e = wantKind(t, err, weaver.HostError)
	if in := e.Innermost(); in.Kind != weaver.ParseError || in.Template != "broken.weaver" {
		t.Errorf("a document that does not parse: %v, innermost %v", e, in)
	}

	for fresh, want := range map[bool]weaver.ErrorKind{true: "", false: weaver.ResourceLimit} {
		host.fresh = fresh
		text, err := render(host, "[[two]][[two]]", weaver.Options{Limits: weaver.Limits{Nodes: 3}})
		if want != "" {
			wantKind(t, err, want)
		} else if err != nil || text != "1212" {
			t.Errorf("fresh limits: %q, %v", text, err)
		}
	}
}
