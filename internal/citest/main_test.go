package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func succeed(context.Context, io.Writer) (string, error) { return "7 things", nil }

func fail(_ context.Context, out io.Writer) (string, error) {
	fmt.Fprintln(out, "the details")
	return "", errors.New("it broke")
}

func hang(ctx context.Context, _ io.Writer) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

func half(context.Context, io.Writer) (string, error) { return "", partial("the data is not there") }

// absent is a program that no machine has.
var absent = need{"a unicorn", []string{"no-such-program-unicorn"}, nil, "magic is checked"}

func TestRunner(t *testing.T) {
	t.Parallel()
	minute := time.Minute
	tests := []struct {
		name   string
		stages []stage
		core   bool
		status int
		want   []string
		not    []string
	}{
		{
			"all well",
			[]stage{{name: "a", limit: minute, run: succeed}, {name: "b", limit: minute, run: succeed}},
			false, 0,
			[]string{"a            ok", "b            ok", "7 things"},
			[]string{"failed", "FAILED", "not checked"},
		},
		{
			"a failure does not stop the rest",
			[]stage{{name: "a", limit: minute, run: fail}, {name: "b", limit: minute, run: succeed}},
			false, 1,
			[]string{"the details", "it broke", "a            FAILED", "b            ok", "failed stages: 1"},
			nil,
		},
		{
			"a hanging stage ends at its limit",
			[]stage{{name: "a", limit: time.Millisecond, run: hang}},
			false, 1,
			[]string{"took longer than 1ms"},
			nil,
		},
		{
			"a need that is not met",
			[]stage{{name: "a", limit: minute, run: succeed, needs: []need{absent}}},
			false, 1,
			[]string{"a            not run", "not checked: stage a needs a unicorn: magic is checked"},
			[]string{"7 things"},
		},
		{
			"a stage that could not do everything",
			[]stage{{name: "a", limit: minute, run: half}},
			false, 1,
			[]string{"a            ok", "not checked: stage a did not do all of its work: the data is not there"},
			[]string{"failed\n"},
		},
		{
			"the core is enough",
			[]stage{{name: "a", limit: minute, run: succeed, needs: []need{absent}}},
			true, 0,
			[]string{"a            not run", "not checked"},
			nil,
		},
		{
			"a stage that can do with less",
			[]stage{{name: "a", limit: minute, run: fail, without: succeed, needs: []need{absent}}},
			true, 0,
			[]string{"a            ok", "stage a ran without a unicorn"},
			[]string{"it broke"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			r := runner{options: options{core: tt.core}, out: &out}
			r.runAll(t.Context(), tt.stages)
			if status := r.report(); status != tt.status {
				t.Errorf("status %d, want %d\n%s", status, tt.status, &out)
			}
			for _, want := range tt.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%q is missing in:\n%s", want, &out)
				}
			}
			for _, not := range tt.not {
				if strings.Contains(out.String(), not) {
					t.Errorf("%q is not wanted in:\n%s", not, &out)
				}
			}
		})
	}
}

func TestUnknownStageIsAnError(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if status := run(t.Context(), []string{"-only", "vet,vat"}, &out); status != 2 || !strings.Contains(out.String(), `"vat"`) {
		t.Errorf("status %d, output %s", status, &out)
	}
}

func TestListNamesEveryStage(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if status := run(t.Context(), []string{"-list"}, &out); status != 0 {
		t.Fatalf("status %d", status)
	}
	for _, s := range stages(options{}) {
		if !strings.Contains(out.String(), s.name) || s.about == "" || s.limit == 0 {
			t.Errorf("stage %q: about %q, limit %v, listed in:\n%s", s.name, s.about, s.limit, &out)
		}
	}
}

func TestFuzzTargets(t *testing.T) {
	t.Parallel()
	got := fuzzTargets("FuzzParse\nFuzzEval\nok  \texample.org/a\t0.01s\nok  \texample.org/b\t0.02s\n?   \texample.org/c\t[no test files]\nFuzzRead\nok  \texample.org/d\t0.01s\n")
	want := []fuzzTarget{{"example.org/a", "FuzzParse"}, {"example.org/a", "FuzzEval"}, {"example.org/d", "FuzzRead"}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(fuzzTarget{})); diff != "" {
		t.Errorf("targets (-want +got):\n%s", diff)
	}
}

func TestCountCases(t *testing.T) {
	t.Parallel()
	lines := `{"Action":"run","Package":"m/a","Test":"TestConformance"}
{"Action":"output","Package":"m/a","Test":"TestConformance/one","Output":"one says\n"}
{"Action":"pass","Package":"m/a","Test":"TestConformance/one"}
{"Action":"output","Package":"m/a","Test":"TestConformance/two/x","Output":"two is wrong\n"}
{"Action":"fail","Package":"m/a","Test":"TestConformance/two/x"}
{"Action":"fail","Package":"m/a","Test":"TestConformance/two"}
{"Action":"fail","Package":"m/a","Test":"TestConformance"}
{"Action":"skip","Package":"m/b","Test":"TestConformanceB"}
{"Action":"pass","Package":"m/c"}
`
	tally, text := countCases(strings.NewReader(lines))
	if want := (caseTally{passed: 1, failed: 1, skipped: 1, packages: 2}); tally != want {
		t.Errorf("tally %+v, want %+v", tally, want)
	}
	if !strings.Contains(text, "two is wrong") || strings.Contains(text, "one says") {
		t.Errorf("failures:\n%s", text)
	}
}

func TestSift(t *testing.T) {
	t.Parallel()
	packages, rest := sift("ok  \tm/a\t1.0s\n?   \tm/b\t[no test files]\n--- FAIL: TestX\nFAIL\tm/c\nok  \tm/d\t(cached)\n")
	if packages != 2 || rest != "--- FAIL: TestX\nFAIL\tm/c\n" {
		t.Errorf("%d packages, rest %q", packages, rest)
	}
}
