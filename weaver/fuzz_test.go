package weaver_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/diag"
)

// fuzzSeeds are sources that together touch every part of the grammar.
var fuzzSeeds = []string{
	"plain text } #} ]] >",
	"{{world:town}} and {{ hero:party[0].name + \"!\" }}",
	"{{- world:gold -}} {{-4}} {{ --2 }} {{ !!true }}",
	"one\n{# if a:b > 1 && !c:d #}\n  yes\n{# elif a:b == none #}\n  no\n{# else #}\n  so\n{# endif #}\ntwo",
	"{#- foreach x in [1, 2, 3] -#}\n{{x}}{# if x == 2 #}{# break #}{# endif #}\n{#- endforeach -#}",
	"{# foreach x in [[1, 2], [3]] #}{# foreach y in x #}{{y}}{{local:x}}{# continue #}{# endforeach #}{# endforeach #}",
	"$[set_var(\"a:b\", {k: [1, 2], \"two words\": none})]\n{{a:b.k[1]}} {{a:b[\"two words\"]}}",
	"@[text.upper(text: \"\\u0041\\n\")] @[text.repeat(\"ab\", count: 2)] $[- trio(1, third: 3) -]",
	"[[oath]] [[(\"oa\" + \"th\")]] {{ [[a:b]] }} {{ [ [x] ] }} {{ [[{{a:b}}, 2]] }}",
	"<trigger id=\"storm\"> <trigger id=(a:b)> <triggerfish>",
	"{{ [1 // one\n 2,\n{# foreach n in a:b #} n, {# if n > 1 #} n * n {# endif #}\n{# endforeach #}] }}",
	"{{ {a: 1, {# if true #} b: 2 {# else #} c: 3 {# endif #}} }} {{ Poison(3) }} {{ Unit() }} {{ P(1, 2).P[0] }}",
	"{{ r#\"say \"aye\"\"# }} {{ 1e3 / 2.5E-1 % 7 }}",
	"{# return [1, \"two\"] #}{# stop #}",
	"{{ {{# foreach n in [1, 2] #} k: n {# endforeach #}} }}",
	"{{ 1 + }} {{ ( }} {# if #} {# endif #} $[x $[] @[a.] [[a-b]] <trigger> {{ \"open",
	"{{char}} greets {{user}} in {{town}}",
}

// fuzzRegistry is the registry of all fuzz runs.
func fuzzRegistry(t *testing.T) *weaver.Registry {
	fuzzOnce.Do(func() { fuzzReg = testRegistry(t) })
	return fuzzReg
}

var (
	fuzzOnce sync.Once
	fuzzReg  *weaver.Registry
)

func fuzzHost() *weaver.MapHost {
	num, str := weaver.Number, weaver.String
	return &weaver.MapHost{
		Vars: map[string]map[string]weaver.Value{
			"world": {"town": str("Vell"), "gold": num(120), "tail": str("end\n")},
			"a":     {"b": weaver.Array([]weaver.Value{num(1), num(2)}), "s": str("oath"), "n": weaver.None},
			"hero":  {"party": weaver.Array([]weaver.Value{weaver.Object(map[string]weaver.Value{"name": str("Ilse")})})},
			"char":  {"name": str("Ilse")},
			"user":  {"name": str("Tam")},
		},
		Documents: map[string]weaver.Value{"oath": str("We keep the light."), "n": num(6)},
		Triggers:  map[string]string{"storm": "thunder"},
	}
}

var fuzzLimits = weaver.Limits{
	Nodes: 2000, Iterations: 200, OutputBytes: 1 << 16, ValueBytes: 1 << 18, Steps: 50_000,
}

func checkList(t *testing.T, src string, list diag.List) {
	t.Helper()
	s := diag.NewSource("fuzz", src)
	if len(list) > 100 {
		t.Errorf("%d diagnostics", len(list))
	}
	for _, d := range list {
		if d.Span.Start < 0 || d.Span.End < d.Span.Start || d.Span.End > len(src) || d.Line < 1 || d.Column < 1 || d.Message == "" || d.Code == "" {
			t.Errorf("incomplete diagnostic %+v", d)
		}
		if out := (diag.Renderer{}).Render(d, s); utf8.ValidString(src) && !utf8.ValidString(out) {
			t.Errorf("drawn as invalid text: %q", out)
		}
	}
}

func checkError(t *testing.T, src string, err error) {
	t.Helper()
	var e *weaver.Error
	if !errors.As(err, &e) {
		t.Fatalf("error is a %T: %v", err, err)
	}
	if e.Kind == "" || e.Message == "" || e.Span.Start < 0 || e.Span.End < e.Span.Start || e.Span.End > len(src) {
		t.Errorf("incomplete error %#v", e)
	}
	_ = e.Detail()
}

func FuzzParse(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		tmpl, list := weaver.Parse("fuzz", src)
		checkList(t, src, list)
		if list.HasErrors() != (tmpl.Err() != nil) {
			t.Errorf("Err is %v, the list %v", tmpl.Err(), list)
		}
		for _, r := range tmpl.References() {
			if r.Name == "" || r.Span.End > len(src) || r.Span.Len() <= 0 {
				t.Errorf("reference %+v", r)
			}
		}
		_, _, _ = tmpl.Documents(), tmpl.Triggers(), tmpl.Calls()
	})
}

func FuzzParseExpr(f *testing.F) {
	for _, s := range []string{
		"a:b > 1 && !c:d", "", "1 +", "[[oath]] == \"x\"", "{a: [1, 2]}.a[0]", "x y", "$[get_var(\"a:b\")] // why", "(((1)))",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		e, list := weaver.ParseExpr("fuzz", src)
		checkList(t, src, list)
		opts := weaver.Options{Registry: fuzzRegistry(t), Limits: fuzzLimits, UndefinedAsNone: true}
		v, err := e.Eval(context.Background(), fuzzHost(), opts)
		if err != nil {
			checkError(t, src, err)
			return
		}
		if list.HasErrors() {
			t.Errorf("evaluates to %v in spite of %v", v.Text(), list)
		}
	})
}

func FuzzEvaluate(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, src string, lenient bool) {
		tmpl, _ := weaver.Parse("fuzz", src)
		opts := weaver.Options{Registry: fuzzRegistry(t), Limits: fuzzLimits, Lenient: lenient}
		r, err := tmpl.Render(context.Background(), fuzzHost(), opts)
		again, errAgain := tmpl.Render(context.Background(), fuzzHost(), opts)
		if (err == nil) != (errAgain == nil) || r.Text != again.Text || !r.Value.Same(again.Value) {
			t.Errorf("two runs differ: %q, %v and %q, %v", r.Text, err, again.Text, errAgain)
		}
		if err != nil {
			checkError(t, src, err)
			return
		}
		if r.Text != r.Value.Text() {
			t.Errorf("Text is %q, Value prints %q", r.Text, r.Value.Text())
		}
		if len(r.Text) > fuzzLimits.OutputBytes {
			t.Errorf("%d bytes of output", len(r.Text))
		}
	})
}

func FuzzFormat(f *testing.F) {
	for _, s := range fuzzSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		got, list := weaver.Format("fuzz", src)
		if list.HasErrors() {
			if got != src {
				t.Errorf("a broken source was changed to %q", got)
			}
			return
		}
		if again, _ := weaver.Format("fuzz", got); again != got {
			t.Errorf("formatting again changes\n%q to\n%q", got, again)
		}
		for _, lenient := range []bool{false, true} {
			opts := weaver.Options{Registry: fuzzRegistry(t), Limits: fuzzLimits, Lenient: lenient}
			before, err := weaver.MustParse("fuzz", src).Render(context.Background(), fuzzHost(), opts)
			after, errAfter := weaver.MustParse("fuzz", got).Render(context.Background(), fuzzHost(), opts)
			if before.Text != after.Text || !before.Value.Same(after.Value) || (err == nil) != (errAfter == nil) {
				t.Errorf("%q formatted as %q gives %q, %v instead of %q, %v", src, got, after.Text, errAfter, before.Text, err)
			}
		}
	})
}
