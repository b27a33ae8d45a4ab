package jsontext_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-memory/weft/llm/jsontext"
)

func ExampleRepair() {
	v, err := jsontext.Repair([]byte(`{name: 'Isolde', tags: ["smith", "debtor",], // from chapter 2
"met": True, "deb`))
	fmt.Println(string(v.JSON), v.Truncated, err)
	// Output: {"name":"Isolde","tags":["smith","debtor"],"met":true} true <nil>
}

func TestRepair(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, in, want string }{
		{"valid", ` {"a": 1} `, `{"a": 1}`},
		{"byte order mark", "\uFEFF{\"a\":1}", `{"a":1}`},
		{"trailing commas", `{"a":[1,2,],}`, `{"a":[1,2]}`},
		{"leading and double commas", `[,1,,2]`, `[1,2]`},
		{"missing commas", "{\"a\":1\n\"b\":[1 2]}", `{"a":1,"b":[1,2]}`},
		{"comments", "{/* x */\"a\":1, // one\n# two\n\"b\":2}", `{"a":1,"b":2}`},
		{"single quotes", `{'a':'it\'s','b':'it's'}`, `{"a":"it's","b":"it's"}`},
		{"smart quotes", `{“a”: “b”, ‘c’: ‘d’}`, `{"a":"b","c":"d"}`},
		{"smart quotes closed by plain ones", `{“a": “b"}`, `{"a":"b"}`},
		{"smart quotes in a string stay", `{"a":"she said “no”"}`, `{"a":"she said “no”"}`},
		{"keys without quotes", `{a_b: 1, $c: 2, д: 3}`, `{"a_b":1,"$c":2,"д":3}`},
		{"values without quotes", `{a: red, b: dark green }`, `{"a":"red","b":"dark green"}`},
		{"keywords of Python", `{"a":True,"b":False,"c":None}`, `{"a":true,"b":false,"c":null}`},
		{"no numbers", `[NaN, Infinity, -Infinity, undefined]`, `[null,null,null,null]`},
		{"odd numbers", `[.5, 5., +3, 007, 1_000, 0x1F, -.5]`, `[0.5,5.0,3,7,1000,31,-0.5]`},
		{"a date", `{a: 2024-05-01, b: 1}`, `{"a":"2024-05-01","b":1}`},
		{"newlines in strings", "{\"a\":\"x\ny\tz\"}", `{"a":"x\ny\tz"}`},
		{"quotes in a string", `{"a":"he said "no" and left","b":1}`, `{"a":"he said \"no\" and left","b":1}`},
		{"quotes before a comma in a string", `{"a":"he said "no", and left","b":1}`, `{"a":"he said \"no\", and left","b":1}`},
		{"bad escapes", `{"a":"\d \* \_ \x"}`, `{"a":"\\d * _ \\x"}`},
		{"an escape without digits", `{"a":"\u12zz"}`, `{"a":"\\u12zz"}`},
		{"good escapes", `{"a":"\u6771\n",}`, `{"a":"\u6771\n"}`},
		{"joined strings", `{"a":"x" + "y" +"z"}`, `{"a":"xyz"}`},
		{"three quotes", `{"a":"""x "y" z"""}`, `{"a":"x \"y\" z"}`},
		{"equals signs", `{a = 1, "b" => 2}`, `{"a":1,"b":2}`},
		{"a missing colon", `{"a" {"b":1}}`, `{"a":{"b":1}}`},
		{"a key without a value", `{"a":, "b":1}`, `{"a":null,"b":1}`},
		{"wrong brackets", `{"a":[1,2}`, `{"a":[1,2]}`},
		{"brackets too many", `{"a":1}}]`, `{"a":1}`},
		{"invalid UTF-8", "{\"a\":\"\xff\"}", "{\"a\":\"\uFFFD\"}"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			v, err := jsontext.Repair([]byte(tc.in))
			if err != nil {
				t.Fatal(err)
			}
			if string(v.JSON) != tc.want {
				t.Errorf("Repair(%s)\n got %s\nwant %s", tc.in, v.JSON, tc.want)
			}
			if v.Truncated {
				t.Error("truncated, want complete")
			}
			if changed := strings.TrimSpace(tc.in) != tc.want; changed != (v.Repairs != nil) {
				t.Errorf("repairs %v", v.Repairs)
			}
		})
	}
}

func TestRepairKeepsWhatIsComplete(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ in, want string }{
		{`{"a":1,"b":"cu`, `{"a":1}`},
		{`{"a":1,"b":`, `{"a":1}`},
		{`{"a":1,"b`, `{"a":1}`},
		{`{"a":1,`, `{"a":1}`},
		{`{"a":12`, `{}`}, // it may have been going to be 123
		{`[{"a":1},{"a":2},{"a":3`, `[{"a":1},{"a":2}]`},
		{`{"ops":[{"op":"x"},{"op":"y","t":"cu`, `{"ops":[{"op":"x"}]}`},
		{`{"a":{"b":1,"c":"cu`, `{"a":{"b":1}}`},
		{`{"a":{"b":"cu`, `{}`},
		{`{"a":"x\`, `{}`},
		{`{"a":"x\u67`, `{}`},
		{`{"a":tru`, `{}`},
		{`{`, `{}`},
	} {
		v, err := jsontext.Repair([]byte(tc.in))
		if err != nil || string(v.JSON) != tc.want || !v.Truncated {
			t.Errorf("Repair(%s) = %s, truncated %v, %v; want %s, truncated", tc.in, v.JSON, v.Truncated, err, tc.want)
		}
	}
}

func TestRepairRefusesWhatIsNoJSON(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"", "  ", "hello", "hello world {}", `{"a":1} and more`, strings.Repeat("[", 500)} {
		if v, err := jsontext.Repair([]byte(in)); err == nil {
			t.Errorf("Repair(%.40q) = %s, want an error", in, v.JSON)
		}
	}
}

// anyJSON draws a value.
func anyJSON(t *rapid.T, depth int) any {
	kinds := 6
	if depth <= 0 {
		kinds = 4
	}
	switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
	case 0:
		return rapid.String().Draw(t, "string")
	case 1:
		return rapid.SampledFrom([]string{`say "no", then`, "a\\b", "line\nline", "{\"a\":1}", "it's", "“x”", "// y", "</think>", "東京", "\u0000", "a,b", "}"}).Draw(t, "hard")
	case 2:
		return rapid.Float64Range(-1e9, 1e9).Draw(t, "number")
	case 3:
		return rapid.SampledFrom([]any{nil, true, false, 0, -1}).Draw(t, "word")
	case 4:
		list := make([]any, rapid.IntRange(0, 4).Draw(t, "n"))
		for i := range list {
			list[i] = anyJSON(t, depth-1)
		}
		return list
	}
	m := map[string]any{}
	for range rapid.IntRange(0, 4).Draw(t, "n") {
		m[rapid.SampledFrom([]string{"a", "b", "c d", "é", "", "__proto__", "name"}).Draw(t, "key")] = anyJSON(t, depth-1)
	}
	return m
}

// Of valid text, repair and strict reading agree.
func TestRepairAgreesWithStrictReading(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		src, err := json.MarshalIndent(anyJSON(t, 4), "", rapid.SampledFrom([]string{"", " ", "\t"}).Draw(t, "indent"))
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsontext.Repair(src)
		if err != nil || v.Repairs != nil || v.Truncated || string(v.JSON) != string(src) {
			t.Fatalf("Repair(%s) = %s, %v, %v", src, v.JSON, v.Repairs, err)
		}
		// The tolerant reader itself, which valid text does not reach: a comma
		// too many sends the same text through it.
		broken := append(append([]byte{'['}, src...), ",]"...)
		v, err = jsontext.Repair(broken)
		if want := append(append([]byte{'['}, src...), ']'); err != nil || !jsontext.Equal(v.JSON, want) {
			t.Fatalf("Repair(%s)\n got %s\nwant %s\n%v", broken, v.JSON, want, err)
		}
	})
}

// What is kept of a text that was cut off is part of the whole.
func TestRepairOfACutTextInventsNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		whole := map[string]any{"x": anyJSON(t, 3), "y": anyJSON(t, 2)}
		src, err := json.Marshal(whole)
		if err != nil {
			t.Fatal(err)
		}
		n := rapid.IntRange(1, len(src)-1).Draw(t, "cut")
		v, err := jsontext.Repair(src[:n])
		if err != nil {
			t.Fatalf("Repair(%s): %v", src[:n], err)
		}
		if !v.Truncated {
			t.Fatalf("Repair(%s) = %s is not marked as cut off", src[:n], v.JSON)
		}
		var full, part any
		if err := json.Unmarshal(src, &full); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(v.JSON, &part); err != nil {
			t.Fatal(err)
		}
		if !within(part, full) {
			t.Fatalf("Repair(%s) = %s is not part of %s", src[:n], v.JSON, src)
		}
	})
}

func within(part, whole any) bool {
	switch p := part.(type) {
	case map[string]any:
		w, ok := whole.(map[string]any)
		for k, v := range p {
			if wv, has := w[k]; !has || !within(v, wv) {
				return false
			}
		}
		return ok
	case []any:
		w, ok := whole.([]any)
		if !ok || len(p) > len(w) {
			return false
		}
		for i := range p {
			if !within(p[i], w[i]) {
				return false
			}
		}
		return true
	}
	return cmp.Equal(part, whole)
}

func FuzzRepair(f *testing.F) {
	for _, s := range []string{`{"a":1}`, `{a:'b',}`, `[1,2`, "{\"a\":\"x\ny\"}", `“a”`, `{"a":"b"c"}`, `{"a" + "b"`, `"""`, "\uFEFF[.5]", `{'a':"b\`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		v, err := jsontext.Repair(in)
		if err != nil {
			return
		}
		if !json.Valid(v.JSON) {
			t.Fatalf("Repair(%q) = %q is not JSON", in, v.JSON)
		}
		if json.Valid(in) && bytes.Equal(in, bytes.ToValidUTF8(in, nil)) && !jsontext.Equal(in, v.JSON) {
			t.Fatalf("Repair(%q) = %q changes what is valid", in, v.JSON)
		}
		again, err := jsontext.Repair(v.JSON)
		if err != nil || again.Repairs != nil || !bytes.Equal(again.JSON, v.JSON) {
			t.Fatalf("Repair is not stable: %q, then %q, %v", v.JSON, again.JSON, err)
		}
	})
}
