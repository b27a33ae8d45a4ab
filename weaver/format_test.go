package weaver_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/weaver"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		{"reference", "{{  world:town }}", "{{world:town}}"},
		{"path", "{{ hero:party[ 0 ].name }}", "{{hero:party[0].name}}"},
		{"expression", "{{1+2*3}}", "{{ 1 + 2 * 3 }}"},
		{"markers", "a {{-world:gold-}} b", "a {{- world:gold -}} b"},
		{"minus", "{{ -4 }} {{- 4 }} {{ - 4 }} {{ - -4 }} {{ -state:hp }}", "{{ -4 }} {{- 4 }} {{ - 4 }} {{ --4 }} {{ -state:hp }}"},
		{"glued minus is a sign", "{{-4}}", "{{ -4 }}"},
		{"tags", "{#if a:b#}x{#elif  c:d  #}y{#-else-#}z{# endif#}", "{# if a:b #}x{# elif c:d #}y{#- else -#}z{# endif #}"},
		{"loop", "{#foreach x in[1,2]#}{{ x }}{#endforeach#}", "{# foreach x in [1, 2] #}{{x}}{# endforeach #}"},
		{"calls", "$[ set_var( \"a:b\",1 ) ] @[text.upper( text:{{ a:b }} )]", "$[set_var(\"a:b\", 1)] @[text.upper(text: {{a:b}})]"},
		{"call markers", "$[-quiet()-] $[- quiet( )  -]", "$[- quiet() -] $[- quiet() -]"},
		{"trailing comma", "{{ [1,2,] }} $[trio(1,)] {{ {a:1,} }}", "{{ [1, 2] }} $[trio(1)] {{ {a: 1} }}"},
		{"nested arrays", "{{ [[1,2],[ [x] ]] }}", "{{ [[1, 2], [ [x] ]] }}"},
		{"objects", "{{{a:1,b:{c:2}}}}", "{{ {a: 1, b: {c: 2}} }}"},
		{"documents", "[[ oath ]] [[ ( \"a\"+\"b\" ) ]]", "[[oath]] [[(\"a\" + \"b\")]]"},
		{"triggers", "<trigger   id = \"storm\" >", "<trigger id=\"storm\">"},
		{"not", "{{ ! a:b }} {{!!a:b}}", "{{ !a:b }} {{ !!a:b }}"},
		{"strings stay", `{{ "a  +  b" + r"x  y" }}`, `{{ "a  +  b" + r"x  y" }}`},
		{"text stays", "a  {  b }}  \t\n", "a  {  b }}  \t\n"},
		{"lines", "  $[trio(\n1,\n      2,\n3\n)]\n", "  $[trio(\n    1,\n    2,\n    3\n  )]\n"},
		{"comments", "{{ [\n1 // one\n// two\n2\n] }}", "{{ [\n  1 // one\n  // two\n  2\n] }}"},
		{
			"lines in literals", "{{ [{# foreach x in a:b #}\nx,\n{# if x #}\n2\n{# endif #}\n{# endforeach #}\n9] }}",
			"{{ [{# foreach x in a:b #}\n  x,\n  {# if x #}\n    2\n  {# endif #}\n{# endforeach #}\n  9] }}",
		},
		{"blocks in literals", "{{ [{#if a:b#}1{#else#}2{#endif#}] }}", "{{ [{# if a:b #} 1 {# else #} 2 {# endif #}] }}"},
		{"return", "{#return 1+1#}{# return #}", "{# return 1 + 1 #}{# return #}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, list := weaver.Format("t", tt.in)
			if list != nil {
				t.Fatal(list.Err())
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("Format(%q) (-want +got):\n%s", tt.in, d)
			}
			again, _ := weaver.Format("t", got)
			if d := cmp.Diff(got, again); d != "" {
				t.Errorf("formatting again (-once +twice):\n%s", d)
			}
		})
	}
}

func TestFormatExpr(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"  1+2 ":               "1 + 2",
		"!a:b&&{{ c:d }}":      "!a:b && {{c:d}}",
		"1 // why\n":           "1 // why",
		"// why\n1":            "// why\n1",
		"[1,2,]":               "[1, 2]",
		"(a:b==\"x\")||- 2<-1": "(a:b == \"x\") || - 2 < -1",
	} {
		got, list := weaver.FormatExpr("t", in)
		if list != nil {
			t.Errorf("FormatExpr(%q): %v", in, list.Err())
		}
		if got != want {
			t.Errorf("FormatExpr(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestFormatKeepsBrokenSources(t *testing.T) {
	t.Parallel()
	const src = "{{1+}} {{a:b}}"
	got, list := weaver.Format("t", src)
	if got != src || !list.HasErrors() {
		t.Errorf("Format(%q) = %q, %v; want the source and errors", src, got, list)
	}
}

// TestConformanceFormat formats every template of the conformance cases and
// checks that it still does the same in every respect but the places.
func TestConformanceFormat(t *testing.T) {
	t.Parallel()
	reg := testRegistry(t)
	for _, cases := range conformanceCases(t) {
		for _, c := range cases {
			t.Run(c.ID, func(t *testing.T) {
				format := weaver.Format
				if c.Mode == "expr" {
					format = weaver.FormatExpr
				}
				src, list := format(c.ID, c.Template)
				if list.HasErrors() {
					if src != c.Template {
						t.Errorf("a broken source was changed to %q", src)
					}
					return
				}
				if again, _ := format(c.ID, src); again != src {
					t.Errorf("formatting again changes\n%q to\n%q", src, again)
				}
				before, errBefore := outcome(&c, c.Template, reg)
				after, errAfter := outcome(&c, src, reg)
				if d := cmp.Diff(before, after); d != "" {
					t.Errorf("formatted as %q (-before +after):\n%s", src, d)
				}
				if errBefore != errAfter {
					t.Errorf("formatted as %q: error %q, before %q", src, errAfter, errBefore)
				}
			})
		}
	}
}

// outcome runs a source as a case and returns everything it did, as text, and
// the kind of its error.
func outcome(c *conformanceCase, src string, reg *weaver.Registry) (did string, kind weaver.ErrorKind) {
	h := newCaseHost(c)
	v, err := runSource(c, src, h, caseOptions(c, reg))
	var e *weaver.Error
	if errors.As(err, &e) {
		kind = e.Kind
	}
	var b strings.Builder
	b.WriteString(v.Kind().String() + " " + v.Text() + "\n")
	for _, scope := range slices.Sorted(maps.Keys(h.Vars)) {
		b.WriteString(scope + " " + string(weaver.Object(h.Vars[scope]).AppendJSON(nil)) + "\n")
	}
	b.WriteString(strings.Join(h.Fired, " "))
	return b.String(), kind
}
