package weaver_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/weaver"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestDiagnostics parses the sources of testdata/diagnostics.txt. A case is a
// source, then what is reported about it, one finding a line:
//
//	{{ 1 + }}
//	### 1:8 unexpected: expected an expression, found `}}`
//
// and "---" between cases. "\n" at the end of a source belongs to the file.
func TestDiagnostics(t *testing.T) {
	t.Parallel()
	file := filepath.Join("testdata", "diagnostics.txt")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for c := range strings.SplitSeq(strings.TrimSuffix(string(data), "\n"), "\n---\n") {
		src, _, _ := strings.Cut(c, "\n### ")
		_, list := weaver.Parse("t", src)
		got := src
		for _, d := range list {
			got += fmt.Sprintf("\n### %d:%d %s: %s", d.Line, d.Column, d.Code, d.Message)
			if d.Hint != "" {
				got += " (" + d.Hint + ")"
			}
		}
		if got != c && !*update {
			t.Errorf("(-want +got):\n%s", cmp.Diff(c, got))
		}
		if !list.HasErrors() && !strings.Contains(got, "### ") {
			t.Errorf("nothing is reported about %q", src)
		}
		out = append(out, got)
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(out, "\n---\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestParseInsideAFile(t *testing.T) {
	t.Parallel()
	const front = "---\nid: gate\n---\n"
	body := "Hail.\n{{world:town world:gold}}"
	file := front + body
	_, list := weaver.Parse("gate.weaver", body, weaver.At(len(front), 4, 1))
	if len(list) != 1 {
		t.Fatalf("%d findings, want 1: %v", len(list), list)
	}
	d := list[0]
	if d.File != "gate.weaver" || d.Line != 5 || d.Column != 14 || file[d.Span.Start:d.Span.End] != "world" {
		t.Errorf("%+v does not point at the place in the file", d)
	}

	tmpl := weaver.MustParse("gate.weaver", "{{a:b}}", weaver.At(100, 7, 5))
	_, err := tmpl.Render(t.Context(), nil, weaver.Options{})
	if want := "gate.weaver:7:5: undefined variable: a:b"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestFacts(t *testing.T) {
	t.Parallel()
	src := `{{char}} {{world:town}} {{ hero:party[0].name + ghost.x }}
{# foreach p in hero:party #}{{p.name}}{{local:p}}{{local:q}}{# endforeach #}
[[oath]] [[({{a:id}})]] <trigger id="storm"> <trigger id=(a:id)>
$[set_var("state:seen", true)] @[text.upper(text: world:town)]`
	tmpl := weaver.MustParse("t", src)
	var got []string
	at := func(sp weaver.Span) string { return src[sp.Start:sp.End] }
	for _, r := range tmpl.References() {
		got = append(got, fmt.Sprintf("ref %s|%s|%s|%s", r.Scope, r.Name, r.Path, at(r.Span)))
	}
	for _, d := range tmpl.Documents() {
		got = append(got, fmt.Sprintf("doc %q %t %s", d.ID, d.Dynamic, at(d.Span)))
	}
	for _, d := range tmpl.Triggers() {
		got = append(got, fmt.Sprintf("trigger %q %t %s", d.ID, d.Dynamic, at(d.Span)))
	}
	for _, c := range tmpl.Calls() {
		lit, ok := c.Literal()
		got = append(got, fmt.Sprintf("%s %s %q %t %d %s", c.Kind, c.Name, lit, ok, len(c.Args), at(c.Span)))
	}
	want := []string{
		"ref char|name|char:name|char",
		"ref world|town|world:town|world:town",
		"ref hero|party|hero:party[0].name|hero:party[0].name",
		"ref |ghost|ghost.x|ghost.x",
		"ref hero|party|hero:party|hero:party",
		"ref local|q|local:q|local:q",
		"ref a|id|a:id|a:id",
		"ref a|id|a:id|a:id",
		"ref world|town|world:town|world:town",
		`doc "oath" false [[oath]]`,
		`doc "" true [[({{a:id}})]]`,
		`trigger "storm" false <trigger id="storm">`,
		`trigger "" true <trigger id=(a:id)>`,
		`command set_var "state:seen" true 2 $[set_var("state:seen", true)]`,
		`processor text.upper "" false 1 @[text.upper(text: world:town)]`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestCharAndUser(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		src  string
		opts []weaver.ParseOption
		want string
	}{
		{"{{char}} greets {{user}}.", nil, "Ilse greets Tam."},
		{"{# foreach char in [1] #}{{char}}{# endforeach #}{{char}}", nil, "1Ilse"},
		{"{{ char + \"!\" }}", nil, "Ilse!"},
		{"{{char}}", []weaver.ParseOption{weaver.NoCharUser()}, "error: undefined loop variable: char"},
		{"{{char.name}}", nil, "error: undefined loop variable: char.name"},
	} {
		r, err := weaver.MustParse("", tt.src, tt.opts...).Render(t.Context(), fuzzHost(), weaver.Options{})
		got := r.Text
		if err != nil {
			got = "error: " + err.(*weaver.Error).Message
		}
		if got != tt.want {
			t.Errorf("%s gives %q, want %q", tt.src, got, tt.want)
		}
	}
}

func TestHints(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"{{world:twon}}":        "did you mean world:town?",
		"{{hero:party[0].nme}}": "did you mean .name?",
		"$[set_vra(1)]":         "did you mean set_var?",
		"@[text.uper()]":        "did you mean text.upper?",
		"$[bare()]":             "there is @[bare(…)]",
		"@[quiet()]":            "there is $[quiet(…)]",
		"$[trio(frist: 1)]":     "did you mean first?",
		"$[trio(zzz: 1)]":       "it takes first, second, third",
		"@[test.given(1)]":      "write it as name: value",
		"{{mood}}":              "a variable needs its scope, as in state:mood",
		"{{char.class}}":        "write char: with a colon",
		"{# foreach item in [1] #}{{itme}}{# endforeach #}": "did you mean item?",
		"{# foreach c in world:town #}{# endforeach #}":     "wrap a single value as [value]",
	} {
		_, err := weaver.MustParse("t", src).Render(t.Context(), fuzzHost(), weaver.Options{Registry: testRegistry(t)})
		e, ok := err.(*weaver.Error)
		if !ok {
			t.Errorf("%s: error %v", src, err)
			continue
		}
		if e.Hint != want {
			t.Errorf("%s: %s: hint %q, want %q", src, e.Message, e.Hint, want)
		}
		if !strings.Contains(e.Detail(), "= hint: "+want) || !strings.Contains(e.Detail(), "^") {
			t.Errorf("Detail shows neither hint nor place:\n%s", e.Detail())
		}
	}
}

func TestUndefinedAsNone(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		`state:level == none`:       "true",
		`state:level > 5`:           "error: expected number, got none",
		`!state:safe`:               "true",
		`state:a.b.c == none`:       "true",
		`hero:party[0].pet == none`: "true",
		`hero:party[7] == none`:     "true",
		`hero:party[7 + 1] == none`: "true",
		`world:town.x`:              "error: cannot index into string with 'x'",
		`level`:                     "error: undefined loop variable: level",
	} {
		v, err := weaver.MustParseExpr("t", src).Eval(t.Context(), fuzzHost(), weaver.Options{UndefinedAsNone: true})
		got := v.Text()
		if err != nil {
			got = "error: " + err.(*weaver.Error).Message
		}
		if got != want {
			t.Errorf("%s gives %q, want %q", src, got, want)
		}
	}
}

func TestRandomNumbers(t *testing.T) {
	t.Parallel()
	reg := weaver.NewRegistry()
	if err := reg.RegisterProcessor(weaver.NewProcessor("roll", "", func(c *weaver.Context, a struct{ Min, Max int }) (int, error) {
		return int(c.IntRange(int64(a.Min), int64(a.Max))), nil
	})); err != nil {
		t.Fatal(err)
	}
	tmpl := weaver.MustParse("t", strings.Repeat("@[roll(1, 6)] ", 200))
	roll := func(o weaver.Options) string {
		o.Registry = reg
		r, err := tmpl.Render(t.Context(), nil, o)
		if err != nil {
			t.Fatal(err)
		}
		return r.Text
	}
	a := roll(weaver.Options{Seed: 1})
	if b := roll(weaver.Options{Seed: 1}); a != b {
		t.Errorf("the same seed rolls\n%s and\n%s", a, b)
	}
	if b := roll(weaver.Options{Seed: 2}); a == b {
		t.Error("another seed rolls the same")
	}
	if b := roll(weaver.Options{Seed: 2, Rand: weaver.NewSource(1)}); a != b {
		t.Error("Rand does not replace Seed")
	}
	for _, n := range []string{"1", "2", "3", "4", "5", "6"} {
		if !strings.Contains(a, n) {
			t.Errorf("200 rolls of a die hold no %s: %s", n, a)
		}
	}
	if strings.ContainsAny(a, "0789-") {
		t.Errorf("a die rolls outside 1 to 6: %s", a)
	}
	src := weaver.NewSource(3)
	for _, r := range [][2]int64{{5, 5}, {-1 << 63, 1<<63 - 1}, {9, -9}, {0, 1<<62 + 1}} {
		lo, hi := min(r[0], r[1]), max(r[0], r[1])
		for range 100 {
			if n := weaver.IntRange(src, r[0], r[1]); n < lo || n > hi {
				t.Fatalf("IntRange(%d, %d) = %d", r[0], r[1], n)
			}
		}
	}
}
