package stdlib_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/weft-memory/weft/weaver"
)

// draw renders a template of one expression many times, each with a seed of
// its own, and counts the results.
func draw(t *testing.T, src string, times int) map[string]int {
	t.Helper()
	template, list := weaver.Parse(t.Name(), src)
	if err := list.Err(); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for seed := range times {
		r, err := template.Render(t.Context(), newHost(), weaver.Options{Registry: registry, Seed: uint64(seed)})
		if err != nil {
			t.Fatalf("%s, seed %d: %v", src, seed, err)
		}
		counts[r.Text]++
	}
	return counts
}

// within reports whether n successes of times tries are believable for a
// chance of p: less than five standard deviations away.
func within(n, times int, p float64) bool {
	return math.Abs(float64(n)-float64(times)*p) <= 5*math.Sqrt(float64(times)*p*(1-p))+1
}

func TestDraws(t *testing.T) {
	t.Parallel()
	sixth := func(from, to int) map[string]float64 {
		m := map[string]float64{}
		for i := from; i <= to; i++ {
			m[strconv.Itoa(i)] = 1 / float64(to-from+1)
		}
		return m
	}
	tests := []struct {
		src  string
		want map[string]float64
	}{
		{`@[core.rng(min: 1, max: 6)]`, sixth(1, 6)},
		{`@[core.rng(6, 1)]`, sixth(1, 6)},
		{`@[core.rng(-1, 1)]`, sixth(-1, 1)},
		{`@[core.rng(1.5, 3.9)]`, sixth(2, 3)},
		{`@[core.rng(4, 4)]`, map[string]float64{"4": 1}},
		{`@[core.chance(25)]`, map[string]float64{"true": 0.25, "false": 0.75}},
		{`@[core.chance(0)]`, map[string]float64{"false": 1}},
		{`@[core.chance(-5)]`, map[string]float64{"false": 1}},
		{`@[core.chance(100)]`, map[string]float64{"true": 1}},
		{`@[core.pick({{state:crew}})]`, map[string]float64{"Ansa": 1. / 3, "Bo": 1. / 3, "Teal": 1. / 3}},
		{`[@[core.pick([])]]`, map[string]float64{"[]": 1}},
		{`@[core.weighted(["fog", "rain", "sun"], [6, 3, 1])]`, map[string]float64{"fog": 0.6, "rain": 0.3, "sun": 0.1}},
		{`@[core.weighted(["fog", "rain", "sun"], [0, 2, 0])]`, map[string]float64{"rain": 1}},
		{`[@[core.weighted(["fog"], [0])]]`, map[string]float64{"[]": 1}},
		{`[@[core.weighted([], [])]]`, map[string]float64{"[]": 1}},
		{`@[text.join(@[core.shuffle(["a", "b", "c"])], "")]`, map[string]float64{"abc": 1. / 6, "acb": 1. / 6, "bac": 1. / 6, "bca": 1. / 6, "cab": 1. / 6, "cba": 1. / 6}},
	}
	const times = 6000
	for _, tt := range tests {
		counts := draw(t, tt.src, times)
		for result, n := range counts {
			if p, ok := tt.want[result]; !ok || !within(n, times, p) {
				t.Errorf("%s: %q came %d times of %d, want about %.0f", tt.src, result, n, times, p*times)
			}
		}
		if len(counts) != len(tt.want) {
			t.Errorf("%s: results %v, want %d different ones", tt.src, counts, len(tt.want))
		}
	}
}

// Further draws of one evaluation must not depend on each other.
func TestDrawsOfOneEvaluationDiffer(t *testing.T) {
	t.Parallel()
	counts := draw(t, `@[core.rng(0, 1)]@[core.rng(0, 1)]@[core.rng(0, 1)]`, 4000)
	for _, want := range []string{"000", "001", "010", "011", "100", "101", "110", "111"} {
		if !within(counts[want], 4000, 1./8) {
			t.Errorf("%s came %d times of 4000, want about 500", want, counts[want])
		}
	}
}

func TestTheSameSeedGivesTheSameDraws(t *testing.T) {
	t.Parallel()
	src := `@[core.rng(1, 1000000)] @[core.pick({{state:crew}})] @[core.shuffle(@[array.range(0, 20)])] @[core.chance(50)] @[core.weighted({{state:crew}}, [1, 2, 3])]`
	first, err := render(t, newHost(), src)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if again, err := render(t, newHost(), src); err != nil || again != first {
			t.Fatalf("%q, then %q (error %v)", first, again, err)
		}
	}
}

func TestCoreErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		src  string
		kind weaver.ErrorKind
		text string
	}{
		{`@[core.rng(min: 1)]`, weaver.TypeError, "max"},
		{`@[core.rng("1", 6)]`, weaver.TypeError, "min"},
		{`@[core.rng(0.2, 0.8)]`, weaver.HostError, "between 0.2 and 0.8"},
		{`@[core.chance()]`, weaver.TypeError, "percent"},
		{`@[core.pick("abc")]`, weaver.TypeError, "items"},
		{`@[core.weighted(["a"], [1, 2])]`, weaver.HostError, "1 items, but 2 weights"},
		{`@[core.weighted(["a", "b"], [1, -2])]`, weaver.HostError, "weight 2"},
		{`@[core.weighted(["a"], ["x"])]`, weaver.HostError, "weight 1"},
		{`@[core.weighted(["a", "b"], [@[math.pow(10, 308)], @[math.pow(10, 308)]])]`, weaver.HostError, "too large"},
	}
	for _, tt := range tests {
		_, err := render(t, newHost(), tt.src)
		checkError(t, tt.src, err, tt.kind, tt.text)
	}
}

func TestType(t *testing.T) {
	checkRender(t, []renderCase{
		{`@[core.type(1)] @[core.type("")] @[core.type(true)] @[core.type([])] @[core.type({})] @[core.type(none)] @[core.type()]`, "number string bool array object none none"},
	})
}

func TestRngStaysWithinItsBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		a := rapid.Float64().Draw(rt, "a")
		b := rapid.Float64().Draw(rt, "b")
		host := &weaver.MapHost{Vars: map[string]map[string]weaver.Value{"v": {"a": weaver.Number(a), "b": weaver.Number(b)}}}
		text, err := render(t, host, `@[core.rng({{v:a}}, {{v:b}})]`)
		if err != nil {
			if !strings.Contains(err.Error(), "no whole number") || math.Ceil(math.Min(a, b)) <= math.Floor(math.Max(a, b)) {
				rt.Fatalf("rng(%v, %v): %v", a, b, err)
			}
			return
		}
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || n != math.Trunc(n) {
			rt.Fatalf("rng(%v, %v) = %s, want a whole number", a, b, text)
		}
		if lo, hi := math.Min(a, b), math.Max(a, b); (n < lo || n > hi) && math.Abs(n) != 1<<53 {
			rt.Fatalf("rng(%v, %v) = %s", a, b, text)
		}
	})
}

func ExampleRegister() {
	template := weaver.MustParse("greeting", `{# foreach name in {{state:crew}} #}@[text.capitalize({{name}})]. {# endforeach #}`)
	host := &weaver.MapHost{Vars: map[string]map[string]weaver.Value{
		"state": {"crew": weaver.Array([]weaver.Value{weaver.String("ansa"), weaver.String("bo")})},
	}}
	result, err := template.Render(exampleContext, host, weaver.Options{Registry: registry})
	fmt.Println(result.Text, err)
	// Output: Ansa. Bo.  <nil>
}
