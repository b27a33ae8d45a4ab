package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/llm/llmtest"
)

// Calls written as text, in the dialects that are about.
func TestWire29CallsAsText(t *testing.T) {
	t.Parallel()
	remember := `remember_lore{"keys":["mill","wheel"],"text":"Old.\nEmpty.","title":"Mill"}`
	for _, tc := range []struct {
		name, in string
		calls    []string
		rest     string
	}{
		{"fenced JSON", "I look.\n```json\n{\"name\": \"search_lorebook\", \"arguments\": {\"query\": \"mill\"}}\n```", []string{mill}, "I look.\n"},
		{"bare JSON", `{"name":"search_lorebook","parameters":{"query":"mill"}}`, []string{mill}, ""},
		{"a list of calls", `[{"name":"search_lorebook","arguments":{"query":"mill"}},{"name":"search_lorebook","arguments":{"query":"inn"}}]`, []string{mill, `search_lorebook{"query":"inn"}`}, ""},
		{"tool_calls", `{"tool_calls":[{"type":"function","function":{"name":"search_lorebook","arguments":"{\"query\":\"mill\"}"}}]}`, []string{mill}, ""},
		{"action", `{"action":"search_lorebook","action_input":{"query":"mill"}}`, []string{mill}, ""},
		{"the tool as key", `{"search_lorebook":{"query":"mill"}}`, []string{mill}, ""},
		{"beside the name", `{"tool":"search_lorebook","query":"mill"}`, []string{mill}, ""},
		{"tool_call tags", "Well.\n<tool_call>\n{\"name\": \"search_lorebook\", \"arguments\": {\"query\": \"mill\"}}\n</tool_call>", []string{mill}, "Well.\n"},
		{"two tool_call tags", `<tool_call>{"name":"search_lorebook","arguments":{"query":"mill"}}</tool_call><tool_call>{"name":"search_lorebook","arguments":{"query":"inn"}}</tool_call>`, []string{mill, `search_lorebook{"query":"inn"}`}, ""},
		{"tool_call tag, not closed", `<tool_call>{"name":"search_lorebook","arguments":{"query":"mill"}}`, []string{mill}, ""},
		{"function tag with JSON", `<function=search_lorebook>{"query":"mill"}</function>`, []string{mill}, ""},
		{"function tag with parameters", "<tool_call>\n<function=remember_lore>\n<parameter=title>\nMill\n</parameter>\n<parameter=text>\nOld.\nEmpty.\n</parameter>\n<parameter=keys>\n[\"mill\", \"wheel\"]\n</parameter>\n</function>\n</tool_call>", []string{remember}, ""},
		{"invoke", `<function_calls><invoke name="search_lorebook"><parameter name="query">mill</parameter></invoke></function_calls>`, []string{mill}, ""},
		{"arg_key and arg_value", "<tool_call>search_lorebook\n<arg_key>query</arg_key>\n<arg_value>mill</arg_value>\n</tool_call>", []string{mill}, ""},
		{"the tool as element", `<search_lorebook><query>mill</query></search_lorebook>`, []string{mill}, ""},
		{"[TOOL_CALLS] with a list", `[TOOL_CALLS] [{"name": "search_lorebook", "arguments": {"query": "mill"}}]`, []string{mill}, ""},
		{"[TOOL_CALLS] with a name", `[TOOL_CALLS]search_lorebook{"query": "mill"}`, []string{mill}, ""},
		{"[TOOL_CALLS] with [ARGS]", `[TOOL_CALLS]search_lorebook[ARGS]{"query": "mill"}`, []string{mill}, ""},
		{"python tag", `<|python_tag|>search_lorebook(query="mill")`, []string{mill}, ""},
		{"python", `search_lorebook(query='mill')`, []string{mill}, ""},
		{"a list in python", `[search_lorebook(query='mill'), search_lorebook(query="inn", limit=3)]`, []string{mill, `search_lorebook{"query":"inn","limit":3}`}, ""},
		{"tool_code", "```tool_code\nprint(search_lorebook(query=\"mill\"))\n```", []string{mill}, ""},
		{"python with hard texts", `remember_lore(title="Mill", text='She said: "f(x), [no]"', keys=["mill", "wheel"])`, []string{`remember_lore{"title":"Mill","text":"She said: \"f(x), [no]\"","keys":["mill","wheel"]}`}, ""},
		{"lines", "name: search_lorebook\narguments:\n  query: mill", []string{mill}, ""},
		{"action lines", "Action: search_lorebook\nAction Input: {\"query\": \"mill\"}", []string{mill}, ""},
		{"indented lines", "search_lorebook:\n  query: mill", []string{mill}, ""},
		{"harmony", `<|channel|>commentary to=functions.search_lorebook <|constrain|>json<|message|>{"query":"mill"}<|call|>`, []string{mill}, ""},
		{"deepseek", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>search_lorebook\n```json\n{\"query\":\"mill\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>", []string{mill}, ""},
		{"faults in the JSON", "<tool_call>{name: 'search_lorebook', arguments: {query: 'mill',}}</tool_call>", []string{mill}, ""},
		{"cut off", `<tool_call>{"name":"forget_lore","arguments":{"title":"Mi`, []string{`!forget_lore{}`}, ""},
		{"thoughts before", "<think>I should search.</think>\n<tool_call>{\"name\":\"search_lorebook\",\"arguments\":{\"query\":\"mill\"}}</tool_call>", []string{mill}, ""},
		{"a call in thoughts only", "<think>{\"name\":\"forget_lore\",\"arguments\":{\"title\":\"Mill\"}}</think>Better not.", nil, "Better not."},
		{"prose about a tool", "The search_lorebook tool would help (query: mill), I think.", nil, "The search_lorebook tool would help (query: mill), I think."},
		{"another tool", "<tool_call>{\"name\":\"delete_all\",\"arguments\":{}}</tool_call>", nil, "<tool_call>{\"name\":\"delete_all\",\"arguments\":{}}</tool_call>"},
		{"a story with JSON", "He reads:\n{\"price\": 3}\nand laughs.", nil, "He reads:\n{\"price\": 3}\nand laughs."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			script := &llmtest.Script{}
			for _, way := range []string{"one", "bytes", "sevens"} {
				script.Steps = append(script.Steps, llmtest.Step{Times: 2, Respond: llmtest.Respond{Text: tc.in, Chunking: way}})
			}
			client := open(t, fast(llmtest.Play(t, script).URL), llm.Options{})
			for range script.Steps {
				req := ask(tools...)
				req.TextCalls = true
				r, err := client.Chat(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tc.calls, show(r).Calls); diff != "" {
					t.Errorf("calls (-want +got)\n%s", diff)
				}
				if r.Content != tc.rest {
					t.Errorf("content %q, want %q", r.Content, tc.rest)
				}
				checkStream(t, client, req, r, "")
			}
		})
	}
}

func TestWire27ProseInsteadOfACall(t *testing.T) {
	t.Parallel()
	t.Run("a nudge helps", func(t *testing.T) {
		t.Parallel()
		server := llmtest.New(t, `
steps:
  - {expect: {tool_choice: required}, respond: {text: I would search.}}
  - {expect: {last: Call one of the tools now}, respond: {calls: [{name: search_lorebook, arguments: {query: mill}}]}}
`)
		out := calling(t, server, llm.Required)
		if diff := cmp.Diff([]string{"prose instead of a call; asked again"}, out.Steps); diff != "" || len(out.Executable) != 1 {
			t.Errorf("%s, %v", diff, out.Executable)
		}
	})
	t.Run("JSON helps", func(t *testing.T) {
		t.Parallel()
		server := llmtest.New(t, `
steps:
  - {times: 2, expect: {tool_choice: required}, respond: {text: I would search.}}
  - {expect: {no_tools: true, format: json_object, last: '"calls"'}, respond: {text: 'Here: {"calls":[{"name":"search_lorebook","arguments":{"query":"mill"}}]}'}}
`)
		out := calling(t, server, llm.Required)
		if len(out.Executable) != 1 || len(out.Responses) != 3 {
			t.Errorf("%d calls of %d answers: %q", len(out.Executable), len(out.Responses), out.Steps)
		}
	})
	t.Run("nothing helps", func(t *testing.T) {
		t.Parallel()
		server := llmtest.New(t, `steps: [{times: 3, respond: {text: I would rather not.}}]`)
		out := calling(t, server, llm.Required)
		if len(out.Calls) != 0 || out.Steps[len(out.Steps)-1] != "no calls came of it" {
			t.Errorf("%v, %q", out.Calls, out.Steps)
		}
	})
	t.Run("not required, no detour", func(t *testing.T) {
		t.Parallel()
		server := llmtest.New(t, `steps: [{respond: {text: Nothing to note.}}]`)
		if out := calling(t, server, llm.Auto); len(out.Calls) != 0 || len(out.Steps) != 0 {
			t.Errorf("%v, %q", out.Calls, out.Steps)
		}
	})
	t.Run("a model without tools", func(t *testing.T) {
		t.Parallel()
		server := llmtest.New(t, `
steps:
  - {expect: {has_tools: [search_lorebook]}, respond: {status: 400, error: {message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'}}}
  - {times: 2, expect: {no_tools: true}, respond: {text: '{"calls":[{"name":"search_lorebook","arguments":{"query":"mill"}}]}'}}
`)
		store := &llm.MemoryStore{}
		for range 2 { // the second time it is known
			client := open(t, fast(server.URL), llm.Options{Capabilities: store})
			out, err := llm.Calls(t.Context(), client, ask(tools...), llm.CallsOptions{})
			if err != nil || len(out.Executable) != 1 {
				t.Fatalf("%v, %q, %v", out.Calls, out.Steps, err)
			}
		}
	})
}

func calling(t *testing.T, server *llmtest.Server, choice llm.Choice) *llm.Asked {
	t.Helper()
	req := ask(tools...)
	req.Choice = choice
	out, err := llm.Calls(t.Context(), open(t, fast(server.URL), llm.Options{}), req, llm.CallsOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestWire04MoreRoomOnce(t *testing.T) {
	t.Parallel()
	cut := `{calls: [{name: search_lorebook, arguments: {query: mill}}, {name: remember_lore, arguments: '{"title":"Mill","te'}], finish: length}`
	for name, tc := range map[string]struct {
		second string
		want   int
	}{
		"it helps":     {`{calls: [{name: search_lorebook, arguments: {query: mill}}, {name: remember_lore, arguments: {title: Mill, text: Old.}}]}`, 2},
		"it does not":  {cut, 1},
		"it is lost":   {`{status: 400, error: {message: no}}`, 1},
		"it is weaker": {`{text: I give up.}`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := llmtest.New(t, `
steps:
  - {expect: {fields: {max_tokens: 50}}, respond: `+cut+`}
  - {expect: {fields: {max_tokens: 2048}}, respond: `+tc.second+`}
`)
			req := ask(tools...)
			req.MaxTokens = 50
			out, err := llm.Calls(t.Context(), open(t, fast(server.URL), llm.Options{}), req, llm.CallsOptions{})
			if err != nil || len(out.Executable) != tc.want {
				t.Errorf("%d calls, want %d: %q, %v", len(out.Executable), tc.want, out.Steps, err)
			}
		})
	}
}

func TestWire30EndlessLoop(t *testing.T) {
	t.Parallel()
	looking := func(query string) string {
		return `respond: {calls: [{name: search_lorebook, arguments: {query: ` + query + `}}]}`
	}
	for _, tc := range []struct {
		name, script     string
		rounds, run, rep int
		limited          bool
	}{
		{"it ends", `steps: [{` + looking("mill") + `}, {expect: {last: found mill}, respond: {text: The miller.}}]`, 2, 1, 0, false},
		{"the same call again", `steps: [{` + looking("mill") + `}, {` + looking("mill") + `}, {expect: {tool_choice: none, last: Already returned}, respond: {text: The miller.}}]`, 3, 1, 1, true},
		{"always another call", `steps: [{` + looking("a") + `}, {` + looking("b") + `}, {` + looking("c") + `}, {expect: {tool_choice: none}, respond: {text: The miller.}}]`, 4, 3, 0, true},
		{"calls although tools were withheld", `steps: [{` + looking("a") + `}, {` + looking("b") + `}, {` + looking("c") + `}, {` + looking("d") + `}]`, 4, 3, 0, true},
		{"a wrong call is told so", `steps: [{respond: {calls: [{name: burn, arguments: {}}]}}, {expect: {last: there is no tool "burn"}, respond: {text: The miller.}}]`, 2, 0, 0, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			server := llmtest.New(t, tc.script)
			run, finished := 0, 0
			emit := func(e llm.Event) bool {
				if e.Kind == llm.EventFinish {
					finished++
				}
				return true
			}
			out, err := llm.Loop(t.Context(), open(t, fast(server.URL), llm.Options{}), ask(tools...), llm.LoopOptions{Rounds: 3, Emit: emit, Run: func(_ context.Context, c llm.Call) string {
				run++
				var args struct{ Query string }
				if err := c.Decode(&args); err != nil {
					t.Error(err)
				}
				return "found " + args.Query
			}})
			if err != nil {
				t.Fatal(err)
			}
			if out.Rounds != tc.rounds || finished != tc.rounds || run != tc.run || out.Repeated != tc.rep || out.Limited != tc.limited {
				t.Errorf("%d rounds, %d finished, %d run, %d repeated, limited %v", out.Rounds, finished, run, out.Repeated, out.Limited)
			}
		})
	}
}

var factSchema = json.RawMessage(`{"type":"object","required":["name"],"additionalProperties":false,"properties":{"name":{"type":"string"},"age":{"type":"integer"},"facts":{"type":"array","items":{"type":"string"}}}}`)

func TestWire34To36JSON(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, script, want string
		steps              int
		truncated          bool
		err                string
	}{
		{name: "plain", script: `steps: [{expect: {format: json_schema}, respond: {json: {name: Isolde}}}]`, want: `{"name":"Isolde"}`},
		{name: "34 prose, fence, faults", script: `steps: [{respond: {text: "Sure!\n` + "```json\\n{name: 'Isolde', age: '40',}\\n```" + `\nAnything else?"}}]`, want: `{"age":40,"name":"Isolde"}`},
		{name: "34 draft, then final", script: `steps: [{respond: {text: 'Draft: {"name":"Isold"} Final: {"name":"Isolde"}'}}]`, want: `{"name":"Isolde"}`},
		{name: "34 a list is cut, twice", script: `steps: [{times: 2, respond: {text: '{"name":"Isolde","facts":["smith","debt', finish: length}}]`, want: `{"name":"Isolde","facts":["smith"]}`, steps: 1, truncated: true},
		{name: "34 wrong, then right", script: `steps: [{respond: {json: {age: 40}}}, {expect: {last: "missing property 'name'"}, respond: {json: {name: Isolde, age: 40}}}]`, want: `{"age":40,"name":"Isolde"}`, steps: 1},
		{name: "34 wrong twice", script: `steps: [{times: 2, respond: {json: {age: 40}}}]`, steps: 1, err: "missing property 'name'"},
		{name: "34 no JSON twice", script: `steps: [{times: 2, respond: {text: I cannot.}}]`, steps: 1, err: "no JSON"},
		{name: "35 all in the thoughts, JSON there", script: `steps: [{respond: {reasoning: 'So: {"name":"Isolde"}', text: ""}}]`, want: `{"name":"Isolde"}`, steps: 1},
		{name: "35 all in the thoughts, no JSON", script: `steps: [{respond: {reasoning: "Hm, who is it?"}}, {expect: {fields: {chat_template_kwargs: {enable_thinking: false}}}, respond: {json: {name: Isolde}}}]`, want: `{"name":"Isolde"}`, steps: 1},
		{name: "35 think tags", script: `steps: [{respond: {text: '<think>{"name":"draft"}</think>{"name":"Isolde"}'}}]`, want: `{"name":"Isolde"}`},
		{name: "36 schema echo", script: `steps: [{respond: {text: '` + string(factSchema) + `'}}, {expect: {last: You repeated the schema}, respond: {json: {name: Isolde}}}]`, want: `{"name":"Isolde"}`, steps: 1},
		{name: "36 example echo", script: `steps: [{respond: {json: {name: NAME}}}, {respond: {json: {name: Isolde}}}]`, want: `{"name":"Isolde"}`, steps: 1},
		{name: "07 refusal", script: `steps: [{respond: {text: "", finish: content_filter}}]`, err: "refused"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			server := llmtest.New(t, tc.script)
			out, err := llm.Object(t.Context(), open(t, fast(server.URL), llm.Options{}), ask(), llm.ObjectOptions{Name: "fact", Schema: factSchema, Examples: []json.RawMessage{[]byte(`{"name":"NAME"}`)}})
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("error %v, want %q in it", err, tc.err)
				}
				if tc.name[:2] == "34" && !errors.Is(err, llm.ErrNoObject) {
					t.Errorf("%v is not ErrNoObject", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if string(out.JSON) != tc.want || len(out.Steps) != tc.steps || out.Truncated != tc.truncated {
				t.Errorf("%s, steps %q, truncated %v; want %s", out.JSON, out.Steps, out.Truncated, tc.want)
			}
		})
	}
}
