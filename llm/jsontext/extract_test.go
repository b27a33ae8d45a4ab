package jsontext_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/llm/jsontext"
)

func ExampleExtract() {
	schema := jsontext.MustCompile(`{"type":"object","required":["names"],"properties":{"names":{"type":"array","items":{"type":"string"}}}}`)
	found, err := jsontext.Extract("A draft: {\"names\": 3}. Better:\n```json\n{\"Names\": \"Isolde, Bram\"}\n```\nDone!", jsontext.Options{Schema: schema})
	fmt.Println(string(found.JSON), err)
	for _, note := range found.Coerced {
		fmt.Println(note)
	}
	// Output:
	// {"names":["Isolde","Bram"]} <nil>
	// /Names: became names
	// /names: a text with commas became a list of 2
}

var fact = jsontext.MustCompile(`{"type":"object","required":["a"],"additionalProperties":false,
	"properties":{"a":{"type":"integer"},"note":{"type":"string"},"list":{"type":"array","items":{"type":"object"}}}}`)

func TestExtract(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, in, want string }{
		{"alone", `{"a":1}`, `{"a":1}`},
		{"prose around", `Here you go: {"a":1} — anything else?`, `{"a":1}`},
		{"a fence", "```json\n{\"a\":1}\n```", `{"a":1}`},
		{"a fence without a language", "text\n```\n{\"a\":1}\n```\ntext", `{"a":1}`},
		{"draft, then final", `{"a":1} no, wait: {"a":2}`, `{"a":2}`},
		{"final, then something else", `{"a":2} (see also {"b":1} and {x})`, `{"a":2}`},
		{"complete before cut off", `{"a":2} and {"a":3, "note":"cu`, `{"a":2}`},
		{"braces in strings", `{"a":1,"note":"}{\"{"}`, `{"a":1,"note":"}{\"{"}`},
		{"macros around", `{{user}} says {"a":1} to {{char}} [OOC: fine]`, `{"a":1}`},
		{"faults", "x {a: 1, // one\n'note': 'y',} z", `{"a":1,"note":"y"}`},
		{"byte order mark", "\uFEFF{\"a\":1}", `{"a":1}`},
		{"in a string", `"{\"a\":1}"`, `{"a":1}`},
		{"thoughts with a draft", `<think>{"a":1}</think>{"a":2}`, `{"a":2}`},
		{"thoughts hold the only one", `<think>{"a":1}</think>I am done.`, `{"a":1}`},
		{"only the end of thoughts", `maybe {"a":1}? </think> {"a":2}`, `{"a":2}`},
		{"thoughts without an end", `<think>so it is {"a":1}`, `{"a":1}`},
		{"a tag in a string", `{"a":1,"note":"</think> x"}`, `{"a":1,"note":"</think> x"}`},
		{"a cut list keeps complete elements", `{"a":1,"list":[{"x":1},{"x":2},{"x":`, `{"a":1,"list":[{"x":1},{"x":2}]}`},
		{"an example of the prompt is no answer", `Like {"a":99}? Then {"a":1}. As in {"a":99}`, `{"a":1}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			found, err := jsontext.Extract(tc.in, jsontext.Options{Schema: fact, Examples: []json.RawMessage{[]byte(`{"a":99}`)}})
			if err != nil {
				t.Fatal(err)
			}
			if string(found.JSON) != tc.want {
				t.Errorf("Extract(%s)\n got %s\nwant %s", tc.in, found.JSON, tc.want)
			}
		})
	}
}

func TestExtractSaysWhyNot(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, in, want string }{
		{"nothing", "I would rather not.", "there is no JSON in the text"},
		{"all that is wrong", `{"note":3,"list":[1]}`, "the JSON does not fit: missing property 'a'; /list/0: got number, want object"},
		{"the schema", string(fact.JSON()), "the answer repeats the schema or the example instead of giving data"},
		{"another schema", `{"type":"object","properties":{"a":{"type":"integer"}}}`, "the answer repeats the schema or the example instead of giving data"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := jsontext.Extract(tc.in, jsontext.Options{Schema: fact})
			var failed *jsontext.Error
			if !errors.As(err, &failed) || err.Error() != tc.want {
				t.Errorf("error\n got %v\nwant %s", err, tc.want)
			}
			if none := len(failed.Problems) == 0 && !failed.Echo; none != errors.Is(err, jsontext.ErrNoJSON) {
				t.Errorf("errors.Is(ErrNoJSON) = %v", !none)
			}
		})
	}
}

func TestCoerce(t *testing.T) {
	t.Parallel()
	schema := jsontext.MustCompile(`{"type":"object","required":["must"],"additionalProperties":false,"$defs":{"kind":{"type":"string","enum":["Person","Place-Name"]}},
		"properties":{"n":{"type":"integer"},"f":{"type":"number"},"b":{"type":"boolean"},"s":{"type":"string"},"must":{"type":["string","null"]},
		"kind":{"$ref":"#/$defs/kind"},"names":{"type":"array","items":{"type":"string"}},"facts":{"type":"array","items":{"type":"object"}},
		"obj":{"type":"object","properties":{"x":{"type":"integer"}}},"entry_name":{"type":"string"}}}`)
	for _, tc := range []struct{ in, want string }{
		{`{"n":"3","f":" .5 ","b":"True","s":7}`, `{"b":true,"f":0.5,"n":3,"s":"7"}`},
		{`{"n":"3.0","b":"no","s":true}`, `{"b":false,"n":3,"s":"true"}`},
		{`{"n":"3 coins","f":"x","b":"perhaps"}`, `{"n":"3 coins","f":"x","b":"perhaps"}`},
		{`{"kind":"person"}`, `{"kind":"Person"}`},
		{`{"kind":"place name"}`, `{"kind":"Place-Name"}`},
		{`{"kind":"ghost"}`, `{"kind":"ghost"}`},
		{`{"names":"Isolde"}`, `{"names":["Isolde"]}`},
		{`{"names":"Isolde, Bram; the Old Mill"}`, `{"names":["Isolde, Bram","the Old Mill"]}`},
		{`{"names":"Isolde met Bram at the mill, and then they left."}`, `{"names":["Isolde met Bram at the mill, and then they left."]}`},
		{`{"names":"[\"Isolde\",\"Bram\"]"}`, `{"names":["Isolde","Bram"]}`},
		{`{"names":""}`, `{"names":[]}`},
		{`{"names":["Isolde",4]}`, `{"names":["Isolde","4"]}`},
		{`{"facts":{"a":1}}`, `{"facts":[{"a":1}]}`},
		{`{"obj":"{\"x\":\"2\"}"}`, `{"obj":{"x":2}}`},
		{`{"obj":[{"x":2}]}`, `{"obj":{"x":2}}`},
		{`{"entryName":"Mill"}`, `{"entry_name":"Mill"}`},
		{`{"s":null,"must":null}`, `{"must":null}`},
		{`{"s":"x","__proto__":{"y":1},"extra":2}`, `{"s":"x"}`},
		{`{"s":"x < y & z","n":12345678901234567890}`, `{"s":"x < y & z","n":12345678901234567890}`},
	} {
		got, notes := schema.Coerce(json.RawMessage(tc.in))
		if string(got) != tc.want {
			t.Errorf("Coerce(%s)\n got %s\nwant %s", tc.in, got, tc.want)
		}
		if changed := tc.in != tc.want; changed != (len(notes) > 0) {
			t.Errorf("Coerce(%s): notes %q", tc.in, notes)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	t.Parallel()
	for _, in := range []string{``, `[]`, `{"type":"banana"}`, `{"$ref":"file:///etc/hostname"}`, `{"$ref":"http://127.0.0.1/x"}`} {
		if _, err := jsontext.Compile(json.RawMessage(in)); err == nil {
			t.Errorf("Compile(%s) succeeded", in)
		}
	}
}

func TestValidateListsEverything(t *testing.T) {
	t.Parallel()
	var got []string
	for _, p := range fact.Validate(json.RawMessage(`{"a":"x","list":[1,{},2],"b":1}`)) {
		got = append(got, p.String())
	}
	want := []string{"additional properties 'b' not allowed", "/a: got string, want integer", "/list/0: got number, want object", "/list/2: got number, want object"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// The time is bounded by the size of the text, whatever stands in it.
func TestExtractOfHostileText(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		strings.Repeat("{", 8_000), strings.Repeat("[[", 5_000), strings.Repeat(`{"a":`, 2_500), strings.Repeat(`{"`, 5_000),
		strings.Repeat(`{a `, 3_000), strings.Repeat(`{"a":"`, 2_500), strings.Repeat(`"`, 8_000), strings.Repeat("{'", 5_000), strings.Repeat("{a:1,", 2_500),
	} {
		_, _ = jsontext.Extract(in, jsontext.Options{Schema: fact})
	}
}

func FuzzExtract(f *testing.F) {
	for _, s := range []string{`x {"a":1} y`, "```json\n{\"a\":1}\n```", `<think>{"a":1}</think>{"a":2}`, `{{user}} {"a":"1"`, `[{"a":1},{`, `"{\"a\":1}"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		found, err := jsontext.Extract(in, jsontext.Options{Schema: fact})
		if err != nil {
			return
		}
		if problems := fact.Validate(found.JSON); problems != nil {
			t.Fatalf("Extract(%q) = %s: %v", in, found.JSON, problems)
		}
		if found.Start < 0 || found.End > len(in) || found.Start > found.End {
			t.Fatalf("Extract(%q): bytes %d to %d", in, found.Start, found.End)
		}
	})
}
