package stdlib_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/stdlib"
)

var registry = stdlib.NewRegistry()

// newHost returns a host with a few variables. Its scope "world" is read-only.
func newHost() *testHost {
	v := func(x any) weaver.Value {
		value, err := weaver.FromGo(x)
		if err != nil {
			panic(err)
		}
		return value
	}
	return &testHost{
		MapHost: weaver.MapHost{Vars: map[string]map[string]weaver.Value{
			"state": {
				"port": v("Kelmouth"),
				"tide": v(3),
				"crew": v([]any{"Ansa", "Bo", "Teal"}),
				"gone": weaver.None,
				"ship": v(map[string]any{"name": "Heron", "masts": 2}),
			},
			"world": {"year": v(412)},
		}},
		active: map[string]bool{"storm": true}, global: map[string]bool{"storm": true, "plague": true},
	}
}

type testHost struct {
	weaver.MapHost
	active, global map[string]bool
}

func (h *testHost) IsActive(id string) bool       { return h.active[id] }
func (h *testHost) IsActiveGlobal(id string) bool { return h.global[id] }

func (h *testHost) Set(scope, name string, v weaver.Value) error {
	if scope == "world" {
		return errors.New("the scope world is read-only")
	}
	return h.MapHost.Set(scope, name, v)
}

func render(t testing.TB, host weaver.Host, src string) (string, error) {
	t.Helper()
	template, list := weaver.Parse(t.Name(), src)
	if err := list.Err(); err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	result, err := template.Render(t.Context(), host, weaver.Options{Registry: registry, Seed: 11})
	return result.Text, err
}

// checkError fails the test unless err is of the kind and contains the text.
func checkError(t *testing.T, src string, err error, kind weaver.ErrorKind, text string) {
	t.Helper()
	var e *weaver.Error
	if !errors.As(err, &e) || e.Kind != kind || !strings.Contains(e.Error(), text) {
		t.Errorf("%s: error %v, want kind %s and %q", src, err, kind, text)
	}
}

type renderCase struct{ src, want string }

func checkRender(t *testing.T, tests []renderCase) {
	t.Helper()
	t.Parallel()
	for _, tt := range tests {
		got, err := render(t, newHost(), tt.src)
		if err != nil {
			t.Errorf("%s: %v", tt.src, err)
		} else if got != tt.want {
			t.Errorf("%s\n got %q\nwant %q", tt.src, got, tt.want)
		}
	}
}

func TestCommands(t *testing.T) {
	checkRender(t, []renderCase{
		{`$[set_var("state:tide", 9)]{{state:tide}}`, "9"},
		{`$[set_var("new:x", ["a"])]{{new:x[0]}}`, "a"},
		{`$[set_var(key: "state:port", value: {at: 1})]{{state:port.at}}`, "1"},
		{`$[set_var("state:x")]$[var_exists("state:x")] [{{state:x}}]`, "true []"},
		{`$[get_var("state:port")]`, "Kelmouth"},
		{`[$[get_var("state:nowhere")]]`, "[]"},
		{`$[get_var("nowhere:nothing")]`, ""},
		{`$[var_exists("state:gone")] $[var_exists("state:nowhere")]`, "true false"},
		{`$[inc_var("state:tide")]{{state:tide}}`, "4"},
		{`$[inc_var("state:tide", -0.5)]{{state:tide}}`, "2.5"},
		{`$[inc_var("state:tide", "many")]{{state:tide}}`, "4"},
		{`$[inc_var("state:fresh", 7)]{{state:fresh}}`, "7"},
		{`$[push_var("state:crew", "Wren")]{{state:crew}}`, "Ansa, Bo, Teal, Wren"},
		{`$[push_var("state:fresh", 1)]$[push_var("state:fresh", [2])]@[json.print(value: {{state:fresh}})]`, "[1,[2]]"},
		{`$[default_var("state:port", "Dunmoor")]$[default_var("state:lamp", "lit")]{{state:port}} {{state:lamp}}`, "Kelmouth lit"},
		{`$[default_var("state:gone", "back")][{{state:gone}}]`, "[]"},
		{`$[is_active("storm")] $[is_active("plague")] $[is_active_global("plague")] $[is_active_global("peace")]`, "true false true false"},
		{`$[set_var("state:ship.captain", "Ansa")]$[get_var("state:ship.captain")].`, "Ansa."},
	})
}

func TestCommandErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		src  string
		kind weaver.ErrorKind
		text string
	}{
		{`$[set_var("tide", 1)]`, weaver.HostError, `"state:tide"`},
		{`$[set_var("state:a:b", 1)]`, weaver.HostError, "second colon"},
		{`$[set_var("{{state:tide}}", 1)]`, weaver.HostError, "not allowed"},
		{`$[set_var("state:<b>", 1)]`, weaver.HostError, "not allowed"},
		{`$[set_var("state:", 1)]`, weaver.HostError, "lacks a name"},
		{`$[set_var(":tide", 1)]`, weaver.HostError, "lacks a name"},
		{`$[set_var(5, 1)]`, weaver.TypeError, "key"},
		{`$[set_var()]`, weaver.TypeError, "key"},
		{`$[get_var(none)]`, weaver.TypeError, "key"},
		{`$[set_var("world:year", 1)]`, weaver.HostError, "read-only"},
		{`$[inc_var("world:year")]`, weaver.HostError, "read-only"},
		{`$[inc_var("state:port")]`, weaver.TypeError, "state:port holds a string"},
		{`$[inc_var("state:gone")]`, weaver.TypeError, "state:gone holds none"},
		{`$[push_var("state:port", 1)]`, weaver.TypeError, "state:port holds a string"},
		{`$[push_var("state:ship", 1)]`, weaver.TypeError, "state:ship holds an object"},
		{`$[is_active(5)]`, weaver.TypeError, "id"},
	}
	for _, tt := range tests {
		_, err := render(t, newHost(), tt.src)
		checkError(t, tt.src, err, tt.kind, tt.text)
	}
}

// A host that knows nothing of entries answers that none is active.
func TestIsActiveWithoutEntries(t *testing.T) {
	t.Parallel()
	got, err := render(t, &weaver.MapHost{}, `$[is_active("storm")] $[is_active_global("storm")]`)
	if got != "false false" || err != nil {
		t.Errorf("got %q, error %v", got, err)
	}
}

func TestText(t *testing.T) {
	checkRender(t, []renderCase{
		{`@[text.upper(text: "straße éa ﬁn")]`, "STRASSE ÉA FIN"},
		{`@[text.lower(text: "KÜSTE ΟΔΟΣ İ")]`, "küste οδος i̇"},
		{`@[text.title(text: "the LAST ferry, éva's")]`, "The Last Ferry, Éva's"},
		{`@[text.capitalize(text: "old ROAD")]|@[text.capitalize(text: "ébène")]|@[text.capitalize(text: "ßen")]|@[text.capitalize(text: "")]|@[text.capitalize(text: " a")]`, "Old ROAD|Ébène|SSen|| a"},
		{`@[text.length(text: "é🌊字")]|@[text.length(text: "")]|@[text.length()]|@[text.length(text: 12345)]`, "3|0|0|0"},
		{"[@[text.trim(text: \"\u3000\u00a0 x y\t\\n\")]]", "[x y]"},
		{`@[text.contains(text: "low tide", substring: "w t")] @[text.contains(text: "low", substring: "L")] @[text.contains(text: "x")]`, "true false true"},
		{`@[text.starts_with(text: "quay", prefix: "qu")] @[text.starts_with(text: "quay", prefix: "Qu")] @[text.starts_with()]`, "true false true"},
		{`@[text.ends_with(text: "quay", suffix: "ay")] @[text.ends_with(text: "quay", suffix: "quayside")]`, "true false"},
		{`@[text.replace(text: "tide in tide", from: "tide", to: "fog")]|@[text.replace(text: "ab", from: "", to: "-")]|@[text.replace(text: "aaa", from: "a")]|`, "fog in fog|-a-b-||"},
		{`@[text.substr(text: "harbour", start: 3)]|@[text.substr(text: "é🌊字x", start: 1, length: 2)]|@[text.substr(text: "abc", start: -4, length: 2)]|@[text.substr(text: "abc", start: 1.9, length: 1.9)]|@[text.substr(text: "abc", length: -1)]|@[text.substr(text: "abc", start: 99)]|@[text.substr(text: "abc", length: "2")]`, "bour|🌊字|ab|b|||abc"},
		{`@[text.join(items: [1, "a", true, none, 2.50, [3, 4]], separator: "/")]|@[text.join(items: ["x", "y"])]|@[text.join(items: "x")]|@[text.join(items: [1, 2], separator: "")]`, "1/a/true//2.5/3, 4|x, y||12"},
		{`@[text.repeat(text: "ho ", count: 3)]|@[text.repeat(text: "x")]|@[text.repeat(text: "x", count: 0)]|@[text.repeat(text: "x", count: -2)]|@[text.repeat(text: "x", count: 2.9)]`, "ho ho ho |x|||xx"},
		{`@[json.print(@[text.split("a,b,,c")])] @[json.print(@[text.split("a, b", ", ")])] @[json.print(@[text.split("é字", "")])] @[json.print(@[text.split("")])]`, `["a","b","","c"] ["a","b"] ["é","字"] []`},
		{`@[json.print(@[text.lines("one\r\ntwo\n\nthree\n")])] @[json.print(@[text.lines("")])]`, `["one","two","","three"] []`},
		{`@[json.print(@[text.words(" the  low\ttide\n")])] @[json.print(@[text.words("  ")])]`, `["the","low","tide"] []`},
	})
}

func TestMath(t *testing.T) {
	checkRender(t, []renderCase{
		{`@[math.add(1, 2.5)] @[math.sub(1, 2)] @[math.mul(3, -2)] @[math.div(7, 2)] @[math.mod(-7, 3)] @[math.mod(5.5, 2)]`, "3.5 -1 -6 3.5 -1 1.5"},
		{`@[math.add()] @[math.sub(b: 3)] @[math.div(a: 9)] @[math.mod(a: 9)] @[math.mul(a: "4", b: 5)]`, "0 -3 9 0 0"},
		{`@[math.min(3, 7)] @[math.max(3, 7)] @[math.min(-1)] @[math.abs(-4)] @[math.abs(4)]`, "3 7 -1 4 4"},
		{`@[math.floor(-1.5)] @[math.ceil(-1.5)] @[math.round(2.5)] @[math.round(-2.5)] @[math.round(0.49)] @[math.round(0.5)]`, "-2 -1 3 -3 0 1"},
		{`@[math.clamp(150, 0, 100)] @[math.clamp(-5, 0, 100)] @[math.clamp(0.5)] @[math.clamp(7)] @[math.clamp(5, 10, 1)]`, "100 0 0.5 1 1"},
		{`@[math.pow(2, 10)] @[math.pow(5)] @[math.pow(9, 0.5)]`, "1024 5 3"},
		{`@[math.parse(" -2.5 ")] @[math.parse("3e2")] [@[math.parse("many")]] @[math.parse("many", 7)] [@[math.parse("0x1f")]] [@[math.parse("inf")]] [@[math.parse("1e999")]] [@[math.parse("1_0")]] [@[math.parse(5)]]`, "-2.5 300 [] 7 [] [] [] [] []"},
	})
}

func TestMathErrors(t *testing.T) {
	t.Parallel()
	for _, src := range []string{`@[math.div(1, 0)]`, `@[math.div(a: 1, b: -0)]`, `@[math.mod(1, 0)]`} {
		_, err := render(t, newHost(), src)
		checkError(t, src, err, weaver.HostError, "by zero")
	}
}

func TestArray(t *testing.T) {
	checkRender(t, []renderCase{
		{`@[array.length({{state:crew}})] @[array.length([])] @[array.length()] @[array.length("crew")]`, "3 0 0 0"},
		{`@[array.contains({{state:crew}}, "Bo")] @[array.contains({{state:crew}}, "bo")] @[array.contains([1, "2"], 2)] @[array.contains([ [1, {a: 2}] ], [1, {a: 2}])] @[array.contains([none])] @[array.contains([])]`, "true false false true true false"},
		{`@[array.index_of(["a", "b", "b"], "b")] @[array.index_of([1], 2)]`, "1 -1"},
		{`@[array.first([4, 5])] @[array.last([4, 5])] [@[array.first([])]] [@[array.last([])]]`, "4 5 [] []"},
		{`@[array.reverse([1, 2, 3])] {{state:crew}} @[array.reverse({{state:crew}})] {{state:crew}}`, "3, 2, 1 Ansa, Bo, Teal Teal, Bo, Ansa Ansa, Bo, Teal"},
		{`@[array.slice([1, 2, 3, 4], 1, 3)]|@[array.slice([1, 2, 3], 1)]|@[array.slice([1, 2], -3, 9)]|@[array.slice([1, 2, 3], 2, 1)]|@[array.slice([1, 2], 9)]|@[array.slice([1, 2, 3], 0, -1)]`, "2, 3|2, 3|1, 2|||"},
		{`@[array.range(1, 4)]|@[array.range(end: 3)]|@[array.range(3, 1)]|@[array.range(-1.9, 1.9)]|@[array.range()]`, "1, 2, 3|0, 1, 2||-1, 0|"},
		{`@[array.concat([1], [2, 3])]|@[array.concat([1])]|@[array.concat(a: "x", b: [2])]`, "1, 2, 3|1|2"},
		{`@[json.print(@[array.sort(["b", 10, "a", none, 2, true, false, "B", -1])])]`, `[null,false,true,-1,2,10,"B","a","b"]`},
		{`@[array.sort([3, 1, 2], descending: true)]|@[array.pluck(@[array.sort([{n: 2, k: "b"}, {n: 1, k: "a"}, {k: "z"}], by: "n")], "k")]`, "3, 2, 1|z, a, b"},
		{`@[json.print(@[array.unique([1, "1", 1, [2], [2], {a: 1}, {a: 1}, none, none, true])])]`, `[1,"1",[2],{"a":1},null,true]`},
		{`@[array.sum([1, 2.5, "3", none])] @[array.sum([])]`, "3.5 0"},
		{`@[json.print(@[array.pluck([{a: 1}, {b: 2}, 3], "a")])]`, "[1,null,null]"},
	})
}

func TestObject(t *testing.T) {
	checkRender(t, []renderCase{
		{`@[object.keys({{state:ship}})] @[object.values({{state:ship}})] [@[object.keys([1])]]`, "masts, name 2, Heron []"},
		{`@[object.has({{state:ship}}, "name")] @[object.has({{state:ship}}, "crew")] @[object.has("x", "x")]`, "true false false"},
		{`@[object.get({{state:ship}}, "name")] [@[object.get({{state:ship}}, "crew")]] @[object.get({{state:ship}}, "crew", "none yet")]`, "Heron [] none yet"},
		{`@[object.set({{state:ship}}, "masts", 3)] {{state:ship}} @[object.set(none, "a", 1)]`, `{"masts":3,"name":"Heron"} {"masts":2,"name":"Heron"} {"a":1}`},
		{`@[object.remove({{state:ship}}, "masts")] @[object.remove({{state:ship}}, "crew")]`, `{"name":"Heron"} {"masts":2,"name":"Heron"}`},
		{`@[object.merge({a: 1, c: {x: 1}}, {b: 2, c: {y: 2}, d: 4})] @[object.merge({}, {})] @[object.merge({z: 1}, "x")]`, `{"a":1,"b":2,"c":{"y":2},"d":4} {} {"z":1}`},
	})
}

func TestJSON(t *testing.T) {
	checkRender(t, []renderCase{
		{`@[object.get(@[json.parse("{\"a\": [1, 2]}")], "a")] @[json.parse("3")] [@[json.parse("null")]]`, "1, 2 3 []"},
		{`@[json.print({b: [1, "x"], a: none})] @[json.print("q\"")] @[json.print([])] @[json.print()]`, `{"a":null,"b":[1,"x"]} "q\"" [] null`},
		{`@[json.print([1, {a: 2}], 2)]`, "[\n  1,\n  {\n    \"a\": 2\n  }\n]"},
		{`@[json.print([1], 900)]`, "[\n        1\n]"},
	})
}

func TestJSONErrors(t *testing.T) {
	t.Parallel()
	for _, src := range []string{`@[json.parse("{")]`, `@[json.parse("")]`, `@[json.parse("1 2")]`, `@[json.parse("[1,]")]`} {
		_, err := render(t, newHost(), src)
		checkError(t, src, err, weaver.HostError, "json.parse")
	}
}

// What would be huge ends in a limit before it is made.
func TestHugeResultsEndInALimit(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		`@[text.repeat("abc", 1000000000000)]`,
		`@[text.repeat("abc", 9e99)]`,
		`@[text.repeat(@[text.repeat("abcdefgh", 1000000)], 1000000)]`,
		`@[array.range(0, 1000000000000)]`,
		`@[array.range(-9e99, 9e99)]`,
		`@[text.replace(@[text.repeat("a", 1000000)], "a", @[text.repeat("b", 1000000)])]`,
		`@[text.replace(@[text.repeat("a", 1000000)], "", @[text.repeat("b", 1000000)])]`,
		`@[text.join(@[array.range(0, 1000000)], @[text.repeat("-", 1000000)])]`,
		`@[json.parse(@[text.repeat("[", 40000000)])]`,
		`{# foreach i in @[array.range(0, 9000)] #}$[push_var("state:big", @[array.range(0, 2000)])]{# endforeach #}`,
	} {
		start := time.Now()
		_, err := render(t, newHost(), src)
		checkError(t, src, err, weaver.ResourceLimit, "")
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%s: took %v", src, took)
		}
	}
}

func TestSignatures(t *testing.T) {
	t.Parallel()
	for _, sig := range registry.Signatures() {
		if sig.Owner != stdlib.Name || sig.Doc == "" || sig.Returns == "" {
			t.Errorf("%s: owner %q, doc %q, returns %q: want all three", sig.Name, sig.Owner, sig.Doc, sig.Returns)
		}
		for _, p := range sig.Params {
			if p.Doc == "" || p.Type == "" {
				t.Errorf("%s: parameter %s has type %q and doc %q: want both", sig.Name, p.Name, p.Type, p.Doc)
			}
		}
	}
	upper, ok := registry.Processor("text.upper")
	want := weaver.Signature{
		Name: "text.upper", Kind: weaver.ProcessorKind, Returns: "string", Owner: "stdlib", Doc: upper.Doc,
		Params: []weaver.Param{{Name: "text", Type: "string", Default: weaver.String(""), Doc: "the text"}},
	}
	if diff := cmp.Diff(want, upper, cmp.Comparer(weaver.Value.Same)); !ok || diff != "" {
		t.Errorf("signature of text.upper (-want +got):\n%s", diff)
	}
}

func TestRegisterReportsAConflict(t *testing.T) {
	t.Parallel()
	r := weaver.NewRegistry()
	mine := weaver.NewProcessor("text.upper", "shouts", func(_ *weaver.Context, a struct{ Text string }) (string, error) {
		return a.Text + "!", nil
	}, weaver.Owner("megaphone"))
	if err := r.RegisterProcessor(mine); err != nil {
		t.Fatal(err)
	}
	err := stdlib.Plugin{}.Register(r)
	if err == nil || !strings.Contains(err.Error(), "megaphone") || !strings.Contains(err.Error(), "stdlib") {
		t.Errorf("error %v, want one that names both owners", err)
	}
}
