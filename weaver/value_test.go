package weaver_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/weft-memory/weft/weaver"
)

func num(f float64) weaver.Value             { return weaver.Number(f) }
func str(s string) weaver.Value              { return weaver.String(s) }
func arr(items ...weaver.Value) weaver.Value { return weaver.Array(items) }

func TestValueIsSmall(t *testing.T) {
	t.Parallel()
	if n := unsafe.Sizeof(weaver.Value{}); n > 32 {
		t.Errorf("a Value takes %d bytes, want at most 32", n)
	}
	if !(weaver.Value{}).IsNone() {
		t.Error("the zero Value is not none")
	}
}

func TestValueText(t *testing.T) {
	t.Parallel()
	obj := weaver.Object(map[string]weaver.Value{
		"b": weaver.None, "a": arr(num(1), str("x\"\\\n\u0001é")), "inf": num(math.Inf(1)),
	})
	for _, tt := range []struct {
		v          weaver.Value
		text, json string
	}{
		{weaver.None, "", "null"},
		{weaver.Bool(true), "true", "true"},
		{num(3), "3", "3"},
		{num(math.Copysign(0, -1)), "0", "0"},
		{num(-2.5), "-2.5", "-2.5"},
		{num(1 << 53), "9007199254740992", "9007199254740992"},
		{num(1e21), "1000000000000000000000", "1000000000000000000000"},
		{num(1e-7), "0.0000001", "0.0000001"},
		{num(-1 << 63), "-9223372036854776000", "-9223372036854776000"},
		{num(math.Inf(-1)), "-inf", "null"},
		{num(math.NaN()), "NaN", "null"},
		{str("a\nb"), "a\nb", `"a\nb"`},
		{str("\xff"), "\xff", `"` + "\uFFFD" + `"`},
		{arr(num(1), weaver.None, arr(str("x"), arr())), "1, , x, ", `[1,null,["x",[]]]`},
		{obj, `{"a":[1,"x\"\\\n\u0001é"],"b":null,"inf":null}`, `{"a":[1,"x\"\\\n\u0001é"],"b":null,"inf":null}`},
	} {
		if got := tt.v.Text(); got != tt.text {
			t.Errorf("Text() = %q, want %q", got, tt.text)
		}
		if got := string(tt.v.AppendJSON(nil)); got != tt.json {
			t.Errorf("JSON of %q = %s, want %s", tt.text, got, tt.json)
		}
	}
}

func TestValueEqualAndSame(t *testing.T) {
	t.Parallel()
	nan, a, o := num(math.NaN()), arr(num(1)), weaver.Object(map[string]weaver.Value{"k": num(1)})
	for _, tt := range []struct {
		v, w        weaver.Value
		equal, same bool
	}{
		{weaver.None, weaver.None, true, true},
		{num(0.1 + 0.2), num(0.3), true, 0.1+0.2 == 0.3},
		{num(1), num(1 + 1e-15), false, false},
		{num(1e-17), num(0), true, false},
		{nan, nan, false, true},
		{num(math.Inf(1)), num(math.Inf(1)), false, true},
		{str("a"), str("a"), true, true},
		{num(1), str("1"), false, false},
		{weaver.Bool(true), num(1), false, false},
		{a, a, false, true},
		{a, arr(num(1)), false, true},
		{a, arr(num(2)), false, false},
		{arr(), arr(), false, true},
		{o, weaver.Object(map[string]weaver.Value{"k": num(1)}), false, true},
		{o, weaver.Object(map[string]weaver.Value{"j": num(1)}), false, false},
	} {
		if got := tt.v.Equal(tt.w); got != tt.equal {
			t.Errorf("%s.Equal(%s) = %t", tt.v.AppendJSON(nil), tt.w.AppendJSON(nil), got)
		}
		if got := tt.v.Same(tt.w); got != tt.same {
			t.Errorf("%s.Same(%s) = %t", tt.v.AppendJSON(nil), tt.w.AppendJSON(nil), got)
		}
	}
}

func TestValueTruthy(t *testing.T) {
	t.Parallel()
	for _, v := range []weaver.Value{weaver.None, str(""), num(0), num(math.Copysign(0, -1)), weaver.Bool(false), arr(), weaver.Object(nil)} {
		if v.Truthy() {
			t.Errorf("%s %q is true", v.Kind(), v.Text())
		}
	}
	for _, v := range []weaver.Value{str("0"), str("false"), num(math.NaN()), num(0.1), arr(num(0)), weaver.Object(map[string]weaver.Value{"": weaver.None})} {
		if !v.Truthy() {
			t.Errorf("%s %q is false", v.Kind(), v.Text())
		}
	}
}

func TestObjectBuilder(t *testing.T) {
	t.Parallel()
	var b weaver.ObjectBuilder
	for i := 40; i > 0; i-- { // more than a builder searches one by one, in falling order
		if !b.Set(strings.Repeat("k", i), num(float64(i))) {
			t.Fatalf("key %d is not new", i)
		}
	}
	if b.Set("kk", num(-2)) {
		t.Error("a key set again is new")
	}
	v := b.Value()
	if v.Len() != 40 || len(v.Keys()) != 40 || v.Keys()[0] != "k" {
		t.Errorf("%d entries, keys %q", v.Len(), v.Keys())
	}
	if got, ok := v.Get("kk"); !ok || !got.Same(num(-2)) {
		t.Errorf("Get(kk) = %s, %t", got.Text(), ok)
	}
	if _, ok := v.Get("absent"); ok {
		t.Error("Get finds an absent key")
	}
	if b.Len() != 0 || b.Value().Len() != 0 {
		t.Error("the builder is not empty afterwards")
	}
}

func TestFromGo(t *testing.T) {
	t.Parallel()
	type named string
	p := 7
	for _, tt := range []struct {
		in   any
		want string
	}{
		{nil, "null"},
		{true, "true"},
		{int8(-3), "-3"},
		{uint64(9), "9"},
		{float32(0.5), "0.5"},
		{named("x"), `"x"`},
		{&p, "7"},
		{(*int)(nil), "null"},
		{[]string{"a", "b"}, `["a","b"]`},
		{[2]int{1, 2}, "[1,2]"},
		{map[string]any{"b": []any{1, nil}, "a": map[named]bool{"z": true}}, `{"a":{"z":true},"b":[1,null]}`},
		{json.Number("12.5"), "12.5"},
		{str("v"), `"v"`},
		{json.RawMessage(`{"k": [1]}`), `{"k":[1]}`},
	} {
		v, err := weaver.FromGo(tt.in)
		if err != nil {
			t.Errorf("FromGo(%v): %v", tt.in, err)
			continue
		}
		if got := string(v.AppendJSON(nil)); got != tt.want {
			t.Errorf("FromGo(%v) = %s, want %s", tt.in, got, tt.want)
		}
	}
	for _, tt := range []struct {
		in   any
		want string
	}{
		{make(chan int), "chan int"},
		{map[string]any{"a": []any{1, func() {}}}, "a: 1: a Go value of type func()"},
		{map[int]int{1: 1}, "map[int]int"},
	} {
		if _, err := weaver.FromGo(tt.in); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("FromGo(%T): error %v, want one with %q", tt.in, err, tt.want)
		}
	}
	var deep any
	for range 2000 {
		deep = []any{deep}
	}
	if _, err := weaver.FromGo(deep); err == nil {
		t.Error("FromGo takes data nested 2,000 deep")
	}
}

// drawValue draws any finite value.
func drawValue(t *rapid.T, depth int) weaver.Value {
	most := 5
	if depth == 0 {
		most = 3
	}
	switch rapid.IntRange(0, most).Draw(t, "kind") {
	case 0:
		return weaver.None
	case 1:
		return weaver.Bool(rapid.Bool().Draw(t, "bool"))
	case 2:
		return num(rapid.Float64().Filter(func(f float64) bool { return !math.IsInf(f, 0) && f == f }).Draw(t, "number"))
	case 3:
		return str(rapid.String().Draw(t, "string"))
	case 4:
		var items []weaver.Value
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			items = append(items, drawValue(t, depth-1))
		}
		return weaver.Array(items)
	}
	m := make(map[string]weaver.Value)
	for range rapid.IntRange(0, 3).Draw(t, "entries") {
		m[rapid.String().Draw(t, "key")] = drawValue(t, depth-1)
	}
	return weaver.Object(m)
}

func TestValueJSONRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := drawValue(t, 3)
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var back weaver.Value
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatal(err)
		}
		if !back.Same(v) {
			t.Fatalf("%s reads back as %s", b, back.AppendJSON(nil))
		}
		again, err := weaver.FromGo(v.Go())
		if err != nil || !again.Same(v) {
			t.Fatalf("%s goes through Go as %s, %v", b, again.AppendJSON(nil), err)
		}
		if back.Size() != v.Size() || back.Depth() != v.Depth() {
			t.Fatalf("size %d and depth %d become %d and %d", v.Size(), v.Depth(), back.Size(), back.Depth())
		}
	})
}

func TestValueJSONRejects(t *testing.T) {
	t.Parallel()
	if _, err := json.Marshal(arr(num(1), num(math.NaN()))); err == nil || !strings.Contains(err.Error(), "1: the number NaN") {
		t.Errorf("marshalling NaN: %v", err)
	}
	var v weaver.Value
	for _, s := range []string{"", "1 2", "{", strings.Repeat("[", 2000) + strings.Repeat("]", 2000)} {
		if err := v.UnmarshalJSON([]byte(s)); err == nil {
			t.Errorf("UnmarshalJSON(%.20q) = %s", s, v.Text())
		}
	}
}

func TestValueSize(t *testing.T) {
	t.Parallel()
	s := str(strings.Repeat("x", 1000))
	if n := s.Size(); n < 1000 || n > 1100 {
		t.Errorf("a text of 1,000 bytes has size %d", n)
	}
	// What is shared counts as often as it occurs, and the size is known
	// without a walk: this value has 2^60 leaves.
	v := s
	for range 60 {
		v = arr(v, v)
	}
	if v.Size() < 1<<34 {
		t.Errorf("size %d of a value with 2^60 leaves", v.Size())
	}
	if v.Depth() != 60 {
		t.Errorf("depth %d, want 60", v.Depth())
	}
}
