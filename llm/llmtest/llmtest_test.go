package llmtest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/internal/sse"
	"github.com/weft-memory/weft/llm/llmtest"
)

// As a handler, without a test: this is how a program can offer a model that
// always answers the same.
func ExampleHandler() {
	script, err := llmtest.ParseScript(`
steps:
  - when: {last: mill}
    respond: {text: The miller owns it.}
fallback: echo
`)
	if err != nil {
		fmt.Println(err)
		return
	}
	handler, err := llmtest.Handler(script, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	for _, said := range []string{"Who owns the mill?", "And the inn?"} {
		body := fmt.Sprintf(`{"model":"test","messages":[{"role":"user","content":%q}]}`, said)
		resp, err := http.Post(server.URL+"/v1/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			fmt.Println(err)
			return
		}
		var answer struct {
			Choices []struct{ Message struct{ Content string } }
		}
		err = json.NewDecoder(resp.Body).Decode(&answer)
		resp.Body.Close()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(answer.Choices[0].Message.Content)
	}
	// Output:
	// The miller owns it.
	// And the inn?
}

// recorder is a test that fails without failing this one.
type recorder struct {
	*testing.T
	failures []string
	cleanups []func()
}

func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}

func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

func (r *recorder) end() {
	for i := len(r.cleanups) - 1; i >= 0; i-- {
		r.cleanups[i]()
	}
}

func post(t *testing.T, s *llmtest.Server, path, body string) string {
	t.Helper()
	resp, err := s.Client.Post(s.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

const (
	plain   = `{"model":"test","messages":[{"role":"user","content":"Who?"}]}`
	toolDef = `{"type":"function","function":{"name":"look","parameters":{"type":"object"}}}`
)

func TestServerIsStrict(t *testing.T) {
	t.Parallel()
	answer := `{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"look","arguments":"{}"}}]}`
	chat := func(messages string) string { return `{"model":"test","messages":[` + messages + `]}` }
	for _, tc := range []struct {
		name, script, body, want string
	}{
		{"all is well", `steps: [{respond: {text: ok}}]`, plain, ""},
		{"all is well with calls", `steps: [{respond: {text: ok}}]`, chat(answer + `,{"role":"tool","tool_call_id":"a","content":"x"}`), ""},
		{"no step is for it", `steps: [{when: {model: other}, times: -1, respond: {text: ok}}]`, plain, "no step is for this request"},
		{"used up", `models: [{id: x}]`, plain, "no step is for this request"},
		{"not asked for", `steps: [{respond: {text: ok}}, {name: second, when: {stream: true}, respond: {text: ok}}]`, plain, "nobody asked for second"},
		{"asked for too little", `steps: [{name: thrice, times: 3, respond: {text: ok}}]`, plain, "nobody asked for thrice"},
		{"expected text", `steps: [{expect: {contains: [mill]}, respond: {text: ok}}]`, plain, `lack "mill"`},
		{"unwanted text", `steps: [{expect: {lacks: [Who]}, respond: {text: ok}}]`, plain, `hold "Who"`},
		{"expected stream", `steps: [{expect: {stream: true}, respond: {text: ok}}]`, plain, "stream is false"},
		{"expected tools", `steps: [{expect: {tools: [look]}, respond: {text: ok}}]`, plain, "the tools are"},
		{"expected choice", `steps: [{expect: {tool_choice: required}, respond: {text: ok}}]`, plain, "tool_choice"},
		{"expected format", `steps: [{expect: {format: json_schema}, respond: {text: ok}}]`, plain, "format"},
		{"expected roles", `steps: [{expect: {roles: [system, user]}, respond: {text: ok}}]`, plain, "the roles are"},
		{"expected field", `steps: [{expect: {fields: {min_p: 0.05}}, respond: {text: ok}}]`, plain, "the field min_p is absent"},
		{"unwanted field", `steps: [{expect: {absent: [model]}, respond: {text: ok}}]`, plain, "want it absent"},
		{"expected instructions", `steps: [{expect: {system: Keep}, respond: {text: ok}}]`, plain, "the instructions lack"},
		{"too long", `steps: [{expect: {max_prompt_tokens: 10}, respond: {text: ok}}]`, chat(`{"role":"user","content":"` + strings.Repeat("word ", 100) + `"}`), "at most 10"},
		{"a secret", `{secrets: [sk-1], steps: [{respond: {text: ok}}]}`, chat(`{"role":"user","content":"sk-1"}`), "a secret"},
		{"an odd role", `steps: [{respond: {text: ok}}]`, chat(`{"role":"narrator","content":"x"}`), "does not exist"},
		{"null without calls", `steps: [{respond: {text: ok}}]`, chat(`{"role":"assistant","content":null}`), "content is null"},
		{"a result without a call", `steps: [{respond: {text: ok}}]`, chat(`{"role":"user","content":"x"},{"role":"tool","tool_call_id":"a","content":"x"}`), "without its call"},
		{"a call without a result", `steps: [{respond: {text: ok}}]`, chat(answer + `,{"role":"user","content":"x"}`), `calls ["a"], results []`},
		{"something between", `steps: [{respond: {text: ok}}]`, chat(answer + `,{"role":"user","content":"x"},{"role":"tool","tool_call_id":"a","content":"x"}`), `calls ["a"], results []`},
		{"another id", `steps: [{respond: {text: ok}}]`, chat(answer + `,{"role":"tool","tool_call_id":"b","content":"x"}`), `results ["b"]`},
		{"an id twice", `steps: [{respond: {text: ok}}]`, chat(answer + `,{"role":"tool","tool_call_id":"a","content":"x"},` + answer + `,{"role":"tool","tool_call_id":"a","content":"x"}`), "there twice"},
		{"arguments as an object", `steps: [{respond: {text: ok}}]`, chat(strings.Replace(answer, `"{}"`, `{}`, 1) + `,{"role":"tool","tool_call_id":"a","content":"x"}`), "no string"},
		{"broken arguments", `steps: [{respond: {text: ok}}]`, chat(strings.Replace(answer, `"{}"`, `"{"`, 1) + `,{"role":"tool","tool_call_id":"a","content":"x"}`), "no JSON object"},
		{"a choice without tools", `steps: [{respond: {text: ok}}]`, `{"model":"test","tool_choice":"auto","messages":[{"role":"user","content":"x"}]}`, "tool_choice without tools"},
		{"an unknown choice", `steps: [{respond: {text: ok}}]`, `{"model":"test","tools":[` + toolDef + `],"tool_choice":{"type":"function","function":{"name":"x"}},"messages":[{"role":"user","content":"x"}]}`, `no tool "x"`},
		{"JSON without the word", `steps: [{respond: {text: ok}}]`, `{"model":"test","response_format":{"type":"json_object"},"messages":[{"role":"user","content":"x"}]}`, "must say the word JSON"},
		{"no JSON", `steps: [{when: {path: /chat/completions}, respond: {text: ok}}]`, `{"model`, "no JSON object"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := &recorder{T: t}
			post(t, llmtest.New(r, tc.script), "/v1/chat/completions", tc.body)
			r.end()
			all := strings.Join(r.failures, "\n")
			if tc.want == "" && all != "" || !strings.Contains(all, tc.want) {
				t.Errorf("failures %q, want %q", all, tc.want)
			}
		})
	}
}

func TestServerChecksOtherForms(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ path, body, want string }{
		{"/v1/messages", `{"model":"test","messages":[{"role":"user","content":"x"}]}`, "max_tokens"},
		{"/v1/messages", `{"model":"test","max_tokens":1,"messages":[{"role":"assistant","content":"x"}]}`, "want user"},
		{"/v1/messages", `{"model":"test","max_tokens":1,"messages":[{"role":"user","content":[{"type":"text","text":" "}]}]}`, "non-empty"},
		{"/v1/messages", `{"model":"test","max_tokens":1,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"look","input":{}}]},{"role":"user","content":"x"}]}`, "results []"},
		{"/v1beta/models/test:generateContent", `{"contents":[{"role":"user","parts":[{"text":"x"}]},{"role":"user","parts":[{"text":"y"}]}]}`, "twice in a row"},
		{"/v1beta/models/test:generateContent", `{"contents":[{"role":"user","parts":[{"text":"x"}]}],"tools":[{"functionDeclarations":[{"name":"f","parameters":{"additionalProperties":false}}]}]}`, "additionalProperties"},
	} {
		r := &recorder{T: t}
		post(t, llmtest.New(r, `fallback: echo`), tc.path, tc.body)
		r.end()
		if all := strings.Join(r.failures, "\n"); !strings.Contains(all, tc.want) {
			t.Errorf("%s: failures %q, want %q", tc.path, all, tc.want)
		}
	}
}

// Steps go by what a request is, not by when it comes.
func TestStepsAreKeyed(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, `
steps:
  - {name: write, when: {has_tools: [look]}, respond: {text: written}}
  - {name: first, when: {no_tools: true}, respond: {text: one}}
  - {name: second, when: {no_tools: true}, respond: {text: two}}
`)
	withTools := `{"model":"test","tools":[` + toolDef + `],"messages":[{"role":"user","content":"x"}]}`
	for _, step := range []struct{ body, want string }{{plain, "one"}, {withTools, "written"}, {plain, "two"}} {
		if got := post(t, s, "/v1/chat/completions", step.body); !strings.Contains(got, `"content":"`+step.want+`"`) {
			t.Errorf("got %s, want %s", got, step.want)
		}
	}
	if got := s.Requests()[1].Step; got != "write" {
		t.Errorf("the second request went to %q", got)
	}
}

// The fallback answers whatever comes, always in the same way.
func TestFallback(t *testing.T) {
	t.Parallel()
	s := llmtest.New(t, `fallback: narrate`)
	ask := func(extra, said string) string {
		raw, err := json.Marshal(said)
		if err != nil {
			t.Fatal(err)
		}
		return post(t, s, "/v1/chat/completions", `{"model":"test",`+extra+`"messages":[{"role":"user","content":`+string(raw)+`}]}`)
	}
	one, two := ask("", "I knock at the mill."), ask("", "I knock at the mill.")
	if one != two || !strings.Contains(one, "I knock at the mill") {
		t.Errorf("%s\n%s", one, two)
	}
	if one == ask("", "I knock at the inn.") {
		t.Error("the same answer to something else")
	}
	schema := `{"type":"object","required":["name","kind","list","n"],"properties":{"name":{"type":"string"},"kind":{"enum":["a","b"]},"list":{"type":"array","minItems":1,"items":{"type":"boolean"}},"n":{"type":"integer","minimum":3},"other":{"type":"string"}}}`
	if got := ask(`"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":`+schema+`}},`, "Isolde"); !strings.Contains(got, `"content":"{\"kind\":\"a\",\"list\":[false],\"n\":3,\"name\":\"Isolde\"}"`) {
		t.Errorf("JSON: %s", got)
	}
	if got := ask(`"tool_choice":"required","tools":[{"type":"function","function":{"name":"look","parameters":{"type":"object","required":["q"],"properties":{"q":{"type":"string"}}}}}],`, "Isolde"); !strings.Contains(got, `"arguments":"{\"q\":\"Isolde\"}"`) {
		t.Errorf("tools: %s", got)
	}
}

func TestVector(t *testing.T) {
	t.Parallel()
	dot := func(a, b []float32) (sum float32) {
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	mill, near, far := llmtest.Vector("The old mill by the river"), llmtest.Vector("An old mill near the river"), llmtest.Vector("Taxes rise every spring")
	if n := dot(mill, mill); n < 0.999 || n > 1.001 {
		t.Errorf("length %v, want 1", n)
	}
	if dot(mill, near) <= dot(mill, far) {
		t.Errorf("near %v, far %v", dot(mill, near), dot(mill, far))
	}
}

// All chunkings mean the same: a reader finds the same JSON in them.
func TestChunkingsMeanTheSame(t *testing.T) {
	t.Parallel()
	stream := []byte("data: {\"a\":\"東京\\n\\\"x\\\"\",\"b\":[1,2],\"c\":{\"d\":null}}\n\ndata: {\"e\":\"a, b: {\"}\n\ndata: [DONE]\n\n")
	read := func(b []byte) (out []string) {
		r := sse.NewReader(bytes.NewReader(b), sse.Limits{})
		for {
			e, err := r.Next()
			if err != nil {
				return out
			}
			var buf bytes.Buffer
			if json.Compact(&buf, e.Data) != nil {
				buf.Reset()
				buf.Write(e.Data)
			}
			out = append(out, buf.String())
		}
	}
	want := read(stream)
	if len(want) != 3 {
		t.Fatalf("the stream itself: %q", want)
	}
	for _, c := range llmtest.Chunkings() {
		framed := stream
		if c.Frame != nil {
			framed = c.Frame(stream)
			if bytes.Equal(framed, stream) {
				t.Errorf("%s changes nothing", c.Name)
			}
		}
		if got := read(bytes.Join(c.Split(framed), nil)); !cmp.Equal(want, got) {
			t.Errorf("%s (-want +got)\n%s", c.Name, cmp.Diff(want, got))
		}
		if c.Frame == nil && c.Name != "one" && len(c.Split(framed)) < 2 {
			t.Errorf("%s cuts nothing", c.Name)
		}
	}
}

func TestParseScriptRefuses(t *testing.T) {
	t.Parallel()
	for in, says := range map[string]string{
		`steps: [{respnd: {}}]`:                        "respnd",
		`steps: [{name: a, respond: {fault: hiccup}}]`: `a: there is no fault "hiccup"`,
		`steps: [{respond: {chunking: crumbs}}]`:       `step 1: there is no chunking "crumbs"`,
		`steps: [{respond: {delay: soon}}]`:            "soon",
		`fallback: sing`:                               "neither echo nor narrate",
	} {
		if _, err := llmtest.ParseScript(in); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want %q in it", in, err, says)
		}
	}
	if _, err := llmtest.LoadScript(filepath.Join(t.TempDir(), "none.yaml")); err == nil {
		t.Error("a file that is not there")
	}
}

// A golden file does not change with ids and times, and does with anything else.
func TestGolden(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "requests.golden")
	run := func(id, when, text string, update bool) []string {
		r := &recorder{T: t}
		s := llmtest.New(r, `steps: [{name: write, respond: {text: ok}}]`)
		post(t, s, "/v1/chat/completions", `{"model":"test","messages":[{"role":"user","content":"`+text+` `+when+`"},
			{"role":"assistant","content":null,"tool_calls":[{"id":"`+id+`","type":"function","function":{"name":"look","arguments":"{}"}}]},{"role":"tool","tool_call_id":"`+id+`","content":"x"}]}`)
		s.Golden(r, path, update)
		r.end()
		return r.failures
	}
	if f := run("abc", "2026-01-02T03:04:05Z", "Who?", true); len(f) > 0 {
		t.Error(f)
	}
	if f := run("xyz", "2030-11-12T13:14:15.5+01:00", "Who?", false); len(f) > 0 {
		t.Errorf("other ids and times: %q", f)
	}
	if f := run("abc", "2026-01-02T03:04:05Z", "Where?", false); len(f) != 1 || !strings.Contains(f[0], "Where?") {
		t.Errorf("another text: %q", f)
	}
}
