package llm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/llm/dial"
	"github.com/weft-memory/weft/llm/llmtest"
)

var tools = []llm.Tool{
	{
		Name: "search_lorebook", Description: "Search the lorebook.",
		Schema: json.RawMessage(`{"type":"object","required":["query"],"properties":{"query":{"type":"string"},"limit":{"type":"integer"},"kinds":{"type":"array","items":{"type":"string","enum":["Person","Place"]}}}}`),
	},
	{
		Name: "remember_lore", Description: "Write an entry.",
		Schema: json.RawMessage(`{"type":"object","required":["title","text"],"additionalProperties":false,"properties":{"title":{"type":"string"},"text":{"type":"string"},"keys":{"type":"array","items":{"type":"string"}}}}`),
	},
	{
		Name: "forget_lore", Description: "Take an entry out.", Destructive: true,
		Schema: json.RawMessage(`{"type":"object","required":["title"],"properties":{"title":{"type":"string"}}}`),
	},
}

// fast is a profile for tests: it does not wait between attempts.
func fast(url string) llm.Profile {
	return llm.Profile{
		Name: "sidecar", Endpoint: url + "/v1", Model: "test",
		Retry:   llm.Retry{Attempts: 2, Base: 1, Max: 1000},
		Breaker: llm.Breaker{Failures: -1},
	}
}

func open(t *testing.T, p llm.Profile, o llm.Options) *llm.Client {
	t.Helper()
	c, err := dial.Open(p, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func ask(with ...llm.Tool) llm.Request {
	return llm.Request{Messages: []llm.Message{llm.System("Keep the lore."), llm.User("Who owns the mill?")}, Tools: with}
}

// datas makes the pieces of a stream of what its events hold.
func datas(list ...string) (out []llmtest.Chunk) {
	for _, d := range list {
		out = append(out, llmtest.Chunk{Data: d})
	}
	return out
}

// delta makes an event of the delta of a choice.
func delta(d string) string {
	return `{"choices":[{"index":0,"delta":` + d + `,"finish_reason":null}]}`
}

func finish(word string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":` + word + `}]}`
}

func content(s string) string {
	raw, _ := json.Marshal(s)
	return delta(`{"content":` + string(raw) + `}`)
}

func calls(s string) string { return delta(`{"tool_calls":[` + s + `]}`) }

// fragment is a piece of a call.
func fragment(index, id, name, args string) string {
	var m []string
	if index != "" {
		m = append(m, `"index":`+index)
	}
	if id != "" {
		m = append(m, `"id":"`+id+`"`)
	}
	fn := map[string]string{}
	if name != "" {
		fn["name"] = name
	}
	fn["arguments"] = args
	raw, _ := json.Marshal(fn)
	return calls(`{` + strings.Join(append(m, `"type":"function","function":`+string(raw)), ",") + `}`)
}

const done = "[DONE]"

// want is what an answer should be like.
type want struct {
	Content, Reasoning, Refusal string
	Calls                       []string // name{arguments}, with ! in front if it has a problem
	Finish                      llm.Finish
	Executable                  int // of the calls
	Repairs                     []string
}

func show(r *llm.Response) want {
	w := want{Content: r.Content, Reasoning: r.Reasoning, Refusal: r.Refusal, Finish: r.Finish, Executable: len(r.Executable())}
	for _, c := range r.Calls {
		s := c.Name + string(c.Arguments)
		if !c.OK() {
			s = "!" + s
		}
		w.Calls = append(w.Calls, s)
	}
	for kind := range r.Repairs {
		w.Repairs = append(w.Repairs, kind)
	}
	slices.Sort(w.Repairs)
	return w
}

func compare(t *testing.T, want want, r *llm.Response) {
	t.Helper()
	got := show(r)
	if want.Repairs == nil {
		got.Repairs = nil // not looked at
	}
	if diff := cmp.Diff(want, got, cmpopts.SortSlices(strings.Compare), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	ids := map[string]bool{}
	for _, c := range r.Calls {
		if c.ID == "" || ids[c.ID] {
			t.Errorf("the id %q is empty or there twice", c.ID)
		}
		ids[c.ID] = true
		if !json.Valid(c.Arguments) || c.Arguments[0] != '{' {
			t.Errorf("the arguments of %s are no object: %s", c.Name, c.Arguments)
		}
	}
}

const (
	q    = `{"query":"mill"}`
	mill = `search_lorebook{"query":"mill"}`
)

// A case of the wire: what the server sends and what comes of it. Each runs over
// a socket, in every chunking, by Chat and by Stream.
type wireCase struct {
	name   string
	tools  []llm.Tool
	text   bool // allow calls as text
	format llm.Format
	send   llmtest.Respond
	want   want
	kind   llm.Kind // of the error
}

var wireCases = []wireCase{
	{
		name: "01 text and DONE",
		send: llmtest.Respond{Chunks: datas(delta(`{"role":"assistant","content":""}`), content("The miller "), content("does."), finish(`"stop"`), done)},
		want: want{Content: "The miller does.", Finish: llm.FinishStop},
	},
	{
		name: "02 no DONE",
		send: llmtest.Respond{Chunks: datas(content("The miller."), finish(`"stop"`))},
		want: want{Content: "The miller.", Finish: llm.FinishStop},
	},
	{
		name: "03 no end: text",
		send: llmtest.Respond{Chunks: datas(content("The mil"))},
		want: want{Content: "The mil", Finish: llm.FinishCut},
	},
	{
		name: "03 no end: complete calls that destroy nothing", tools: tools,
		send: llmtest.Respond{Chunks: datas(fragment("0", "a", "search_lorebook", q), fragment("1", "b", "remember_lore", `{"title":"Mill","text":"Old."}`))},
		want: want{Calls: []string{mill, `remember_lore{"title":"Mill","text":"Old."}`}, Finish: llm.FinishCut, Executable: 2},
	},
	{
		name: "03 no end: one destroys something", tools: tools,
		send: llmtest.Respond{Chunks: datas(fragment("0", "a", "search_lorebook", q), fragment("1", "b", "forget_lore", `{"title":"Mill"}`))},
		want: want{Calls: []string{mill, `forget_lore{"title":"Mill"}`}, Finish: llm.FinishCut},
	},
	{
		name: "03 no end: one is cut", tools: tools,
		send: llmtest.Respond{Chunks: datas(fragment("0", "a", "search_lorebook", q), fragment("1", "b", "remember_lore", `{"title":"Mill","te`))},
		want: want{Calls: []string{mill, `!remember_lore{"title":"Mill"}`}, Finish: llm.FinishCut},
	},
	{
		name: "03 no end: a call without arguments yet", tools: tools,
		send: llmtest.Respond{Chunks: datas(fragment("0", "a", "forget_lore", ""))},
		want: want{Calls: []string{`!forget_lore{}`}, Finish: llm.FinishCut},
	},
	{
		name: "04 length in arguments", tools: tools,
		send: llmtest.Respond{Chunks: datas(fragment("0", "a", "search_lorebook", q), fragment("1", "b", "remember_lore", `{"title":"Mill","te`), finish(`"length"`), done)},
		want: want{Calls: []string{mill, `!remember_lore{"title":"Mill"}`}, Finish: llm.FinishLength, Executable: 1},
	},
	{
		name: "04 length, and a complete call that destroys", tools: tools,
		send: llmtest.Respond{Chunks: datas(fragment("0", "a", "forget_lore", `{"title":"Mill"}`), finish(`"length"`), done)},
		want: want{Calls: []string{`forget_lore{"title":"Mill"}`}, Finish: llm.FinishLength},
	},
	{name: "05 finish null", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("0", "a", "search_lorebook", q), finish("null"), done)}, want: want{Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "05 finish empty", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("0", "a", "search_lorebook", q), finish(`""`), done)}, want: want{Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "05 finish eos", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("0", "a", "search_lorebook", q), finish(`"eos"`), done)}, want: want{Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "05 finish stop", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("0", "a", "search_lorebook", q), finish(`"stop"`), done)}, want: want{Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}},
	{
		name: "06 finish tool_calls without calls", tools: tools,
		send: llmtest.Respond{Chunks: datas(content("The miller."), finish(`"tool_calls"`), done)},
		want: want{Content: "The miller.", Finish: llm.FinishStop, Repairs: []string{"finish says calls, there are none"}},
	},
	{name: "07 content filter", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("0", "a", "search_lorebook", q), finish(`"content_filter"`), done)}, want: want{Calls: []string{mill}, Finish: llm.FinishFilter}},
	{name: "07 refusal", send: llmtest.Respond{Chunks: datas(delta(`{"refusal":"I will "}`), delta(`{"refusal":"not."}`), finish(`"stop"`), done)}, want: want{Refusal: "I will not.", Finish: llm.FinishFilter}},
	{name: "07 empty", send: llmtest.Respond{Chunks: datas(delta(`{"content":""}`), finish(`"stop"`), done)}, want: want{Finish: llm.FinishStop}},
	{name: "08 usage with choices []", send: llmtest.Respond{Chunks: datas(content("x"), finish(`"stop"`), `{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}`, done)}, want: want{Content: "x", Finish: llm.FinishStop}},
	{name: "08 usage with choices null", send: llmtest.Respond{Chunks: datas(content("x"), finish(`"stop"`), `{"choices":null,"usage":{"prompt_tokens":7,"completion_tokens":3}}`, done)}, want: want{Content: "x", Finish: llm.FinishStop}},
	{name: "08 usage without choices", send: llmtest.Respond{Chunks: datas(content("x"), finish(`"stop"`), `{"usage":{"prompt_tokens":7,"completion_tokens":3}}`, done)}, want: want{Content: "x", Finish: llm.FinishStop}},
	{
		name: "11 roles and nulls",
		send: llmtest.Respond{Chunks: datas(delta(`{"role":"assistant","content":null}`), delta(`{"role":"assistant","content":"The "}`), delta(`{"content":""}`), delta(`{"role":"assistant","content":"miller.","tool_calls":null}`), finish(`"stop"`), done)},
		want: want{Content: "The miller.", Finish: llm.FinishStop},
	},
	{
		name: "12 several choices",
		send: llmtest.Respond{Chunks: datas(`{"choices":[{"index":1,"delta":{"content":"no"}},{"index":0,"delta":{"content":"yes"}}]}`, `{"choices":[{"index":1,"delta":{"content":"no"},"finish_reason":"length"}]}`, finish(`"stop"`), done)},
		want: want{Content: "yes", Finish: llm.FinishStop},
	},
	{name: "13 error in the stream: error", kind: llm.KindServer, send: llmtest.Respond{Chunks: datas(content("The mil"), `{"error":{"message":"upstream failed","code":502}}`)}, want: want{Content: "The mil", Finish: llm.FinishError}},
	{name: "13 error in the stream: object", kind: llm.KindServer, send: llmtest.Respond{Chunks: datas(content("The mil"), `{"object":"error","message":"out of memory","type":"InternalServerError","code":500}`)}, want: want{Content: "The mil", Finish: llm.FinishError}},
	{name: "13 error in the stream: finish", kind: llm.KindServer, send: llmtest.Respond{Chunks: datas(content("The mil"), finish(`"error"`))}, want: want{Content: "The mil", Finish: llm.FinishError}},
	{name: "13 error in the stream: with a choice", kind: llm.KindServer, send: llmtest.Respond{Chunks: datas(content("The mil"), `{"error":{"message":"provider gone","code":502},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}`)}, want: want{Content: "The mil", Finish: llm.FinishError}},
	{name: "13 error in the stream: bare JSON", kind: llm.KindServer, send: llmtest.Respond{Chunks: append(datas(content("The mil")), llmtest.Chunk{Raw: `{"error":{"message":"broken"}}` + "\n\n"})}, want: want{Content: "The mil", Finish: llm.FinishError}},
	{name: "14 error in a whole answer", kind: llm.KindRate, send: llmtest.Respond{Body: `{"error":{"message":"slow down","code":429}}`}},
	{
		name: "15 blank lines before the answer",
		send: llmtest.Respond{Body: "\n\n  \r\n\n" + `{"choices":[{"message":{"role":"assistant","content":"The miller."},"finish_reason":"stop"}]}`},
		want: want{Content: "The miller.", Finish: llm.FinishStop},
	},
	{
		name: "16 one piece to a request for a stream", tools: tools,
		send: llmtest.Respond{Stream: ptr(false), Text: "I look.", Calls: []llmtest.ToolCall{{Name: "search_lorebook", Arguments: q}}},
		want: want{Content: "I look.", Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1},
	},
	{
		name: "16 a stream to a request for one piece", tools: tools,
		send: llmtest.Respond{Stream: ptr(true), Text: "I look.", Calls: []llmtest.ToolCall{{Name: "search_lorebook", Arguments: q}}},
		want: want{Content: "I look.", Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1},
	},
	{
		name: "16 one piece without an end",
		send: llmtest.Respond{Body: `{"choices":[{"message":{"content":"The miller."}}]}`},
		want: want{Content: "The miller.", Finish: llm.FinishStop},
	},
	{
		name: "17 fragments by index", tools: tools,
		send: llmtest.Respond{Chunks: datas(fragment("0", "a", "search_lorebook", ""), fragment("0", "", "", `{"que`), fragment("0", "", "", `ry":"mi`), fragment("0", "", "", `ll"}`), finish(`"tool_calls"`), done)},
		want: want{Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1, Repairs: []string{}},
	},
	{
		name: "17 fragments of two calls, mixed", tools: tools,
		send: llmtest.Respond{Chunks: datas(fragment("0", "a", "search_lorebook", ""), fragment("1", "b", "forget_lore", ""), fragment("1", "", "", `{"title":`), fragment("0", "", "", `{"query":`), fragment("1", "", "", `"Mill"}`), fragment("0", "", "", `"mill"}`), finish(`"tool_calls"`), done)},
		want: want{Calls: []string{mill, `forget_lore{"title":"Mill"}`}, Finish: llm.FinishCalls, Executable: 2},
	},
	{name: "18 a whole call in one chunk", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("0", "a", "search_lorebook", q), finish(`"tool_calls"`), done)}, want: want{Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "19 no index", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("", "a", "search_lorebook", `{"query":`), fragment("", "", "", `"mill"}`), finish(`"tool_calls"`), done)}, want: want{Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "19 no index, two calls", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("", "a", "search_lorebook", q), fragment("", "b", "search_lorebook", `{"query":"inn"}`), finish(`"tool_calls"`), done)}, want: want{Calls: []string{mill, `search_lorebook{"query":"inn"}`}, Finish: llm.FinishCalls, Executable: 2}},
	{name: "19 no index, no id, two calls", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("", "", "search_lorebook", q), fragment("", "", "search_lorebook", `{"query":"inn"}`), finish(`"tool_calls"`), done)}, want: want{Calls: []string{mill, `search_lorebook{"query":"inn"}`}, Finish: llm.FinishCalls, Executable: 2}},
	{name: "19 index always 0, new id", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("0", "a", "search_lorebook", q), fragment("0", "b", "search_lorebook", `{"query":"inn"}`), finish(`"tool_calls"`), done)}, want: want{Calls: []string{mill, `search_lorebook{"query":"inn"}`}, Finish: llm.FinishCalls, Executable: 2}},
	{name: "19 index always 0, new name", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("0", "", "search_lorebook", q), fragment("0", "", "forget_lore", `{"title":"Mill"}`), finish(`"tool_calls"`), done)}, want: want{Calls: []string{mill, `forget_lore{"title":"Mill"}`}, Finish: llm.FinishCalls, Executable: 2}},
	{name: "19 index always 0, names first", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("0", "a", "search_lorebook", ""), fragment("0", "a", "", q), fragment("0", "b", "forget_lore", ""), fragment("0", "b", "", `{"title":"Mill"}`), finish(`"tool_calls"`), done)}, want: want{Calls: []string{mill, `forget_lore{"title":"Mill"}`}, Finish: llm.FinishCalls, Executable: 2}},
	{name: "19 arguments of two calls run together", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("0", "", "search_lorebook", q), fragment("0", "", "", `{"query":"inn"}`), finish(`"tool_calls"`), done)}, want: want{Calls: []string{mill, `search_lorebook{"query":"inn"}`}, Finish: llm.FinishCalls, Executable: 2}},
	{name: "20 no id", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("0", "", "search_lorebook", q), finish(`"tool_calls"`), done)}, want: want{Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "20 the same id for two calls", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("0", "x", "search_lorebook", q), fragment("1", "x", "forget_lore", `{"title":"Mill"}`), finish(`"tool_calls"`), done)}, want: want{Calls: []string{mill, `forget_lore{"title":"Mill"}`}, Finish: llm.FinishCalls, Executable: 2}},
	{name: "20 the id changes with each fragment", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("0", "a", "search_lorebook", ""), fragment("0", "b", "", `{"query":`), fragment("0", "c", "", `"mill"}`), finish(`"tool_calls"`), done)}, want: want{Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "20 id and name change with each fragment", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("0", "a", "search_lorebook", `{"que`), fragment("0", "b", "search_lorebook", `ry":`), fragment("0", "c", "search_lorebook", `"mill"}`), finish(`"tool_calls"`), done)}, want: want{Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "21 name repeated", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("0", "a", "search_lorebook", ""), fragment("0", "a", "search_lorebook", `{"query":`), fragment("0", "a", "search_lorebook", `"mill"}`), finish(`"tool_calls"`), done)}, want: want{Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "21 name in pieces", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("0", "a", "search_", ""), fragment("0", "", "lore", ""), fragment("0", "", "book", ""), fragment("0", "", "", q), finish(`"tool_calls"`), done)}, want: want{Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "22 arguments as an object", tools: tools, send: llmtest.Respond{Chunks: datas(calls(`{"index":0,"function":{"name":"search_lorebook","arguments":{"query":"mill"}}}`), finish(`"tool_calls"`), done)}, want: want{Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "22 arguments null", tools: tools, send: llmtest.Respond{Chunks: datas(calls(`{"index":0,"function":{"name":"search_lorebook","arguments":null}}`), finish(`"tool_calls"`), done)}, want: want{Calls: []string{`!search_lorebook{}`}, Finish: llm.FinishCalls}},
	{name: "22 arguments empty", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("0", "a", "search_lorebook", ""), finish(`"tool_calls"`), done)}, want: want{Calls: []string{`!search_lorebook{}`}, Finish: llm.FinishCalls}},
	{name: "22 arguments encoded twice", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("0", "a", "search_lorebook", `"{\"query\":\"mill\"}"`), finish(`"tool_calls"`), done)}, want: want{Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "23 a call sent twice", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("0", "a", "search_lorebook", q), fragment("1", "b", "search_lorebook", `{ "query": "mill" }`), finish(`"tool_calls"`), done)}, want: want{Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "23 arguments sent twice", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("0", "a", "search_lorebook", q), fragment("0", "a", "", q), finish(`"tool_calls"`), done)}, want: want{Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "24 arguments in the text too", tools: tools, text: true, send: llmtest.Respond{Chunks: datas(content("I look.\n"), content(`{"query":`), content(`"mill"}`), fragment("0", "a", "search_lorebook", q), finish(`"tool_calls"`), done)}, want: want{Content: "I look.\n", Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "24 the call in the text too", tools: tools, send: llmtest.Respond{Chunks: datas(content("```json\n{\"name\":\"search_lorebook\","), content("\"arguments\":{\"query\":\"mill\"}}\n```"), fragment("0", "a", "search_lorebook", q), finish(`"tool_calls"`), done)}, want: want{Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "24 other JSON in the text stays", tools: tools, send: llmtest.Respond{Chunks: datas(content("{\"weather\":\"rain\"} it says."), fragment("0", "a", "search_lorebook", q), finish(`"tool_calls"`), done)}, want: want{Content: "{\"weather\":\"rain\"} it says.", Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "25 unknown tool", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("0", "a", "burn_lorebook", `{"x":1}`), finish(`"tool_calls"`), done)}, want: want{Calls: []string{`!burn_lorebook{"x":1}`}, Finish: llm.FinishCalls}},
	{name: "25 other case", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("0", "a", "SearchLorebook", q), finish(`"tool_calls"`), done)}, want: want{Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "25 prefix", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("0", "a", "functions.search-lorebook", q), finish(`"tool_calls"`), done)}, want: want{Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "25 arguments in the name", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("0", "a", `search_lorebook{"query":"mill"}`, ""), finish(`"tool_calls"`), done)}, want: want{Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "25 arguments in the name, as code", tools: tools, send: llmtest.Respond{Chunks: datas(fragment("0", "a", `search_lorebook(query='mill')`, ""), finish(`"tool_calls"`), done)}, want: want{Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "26 parallel calls", tools: tools, send: llmtest.Respond{Calls: []llmtest.ToolCall{{Name: "search_lorebook", Arguments: q}, {Name: "search_lorebook", Arguments: `{"query":"inn"}`}, {Name: "forget_lore", Arguments: `{"title":"Mill"}`}}}, want: want{Calls: []string{mill, `search_lorebook{"query":"inn"}`, `forget_lore{"title":"Mill"}`}, Finish: llm.FinishCalls, Executable: 3}},
	{name: "28 another tool than the one forced", tools: tools, send: llmtest.Respond{Calls: []llmtest.ToolCall{{Name: "search_lorebook", Arguments: q}}}, want: want{Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "29 not asked for, not taken", tools: nil, text: true, send: llmtest.Respond{Text: `<tool_call>{"name":"search_lorebook","arguments":{"query":"mill"}}</tool_call>`}, want: want{Content: `<tool_call>{"name":"search_lorebook","arguments":{"query":"mill"}}</tool_call>`, Finish: llm.FinishStop}},
	{name: "29 of prose, not taken", tools: tools, text: true, send: llmtest.Respond{Text: "She says: search_lorebook is a strange word.\nname: Isolde\n[She waits.]"}, want: want{Content: "She says: search_lorebook is a strange word.\nname: Isolde\n[She waits.]", Finish: llm.FinishStop}},
	{name: "29 not allowed, not taken", tools: tools, send: llmtest.Respond{Text: "<tool_call>{\"name\":\"search_lorebook\",\"arguments\":{\"query\":\"mill\"}}</tool_call>"}, want: want{Content: "<tool_call>{\"name\":\"search_lorebook\",\"arguments\":{\"query\":\"mill\"}}</tool_call>", Finish: llm.FinishStop}},
	{name: "31 wrapped", tools: tools, send: llmtest.Respond{Calls: []llmtest.ToolCall{{Name: "search_lorebook", Arguments: `{"name":"search_lorebook","arguments":{"query":"mill"}}`}}}, want: want{Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "31 wrapped in a string", tools: tools, send: llmtest.Respond{Calls: []llmtest.ToolCall{{Name: "search_lorebook", Arguments: `{"arguments":"{\"query\":\"mill\"}"}`}}}, want: want{Calls: []string{mill}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "31 wrapped twice is unwrapped once", tools: tools, send: llmtest.Respond{Calls: []llmtest.ToolCall{{Name: "search_lorebook", Arguments: `{"arguments":{"arguments":{"query":"mill"}}}`}}}, want: want{Calls: []string{`!search_lorebook{"arguments":{"query":"mill"}}`}, Finish: llm.FinishCalls}},
	{name: "32 numbers, enumerations, lists", tools: tools, send: llmtest.Respond{Calls: []llmtest.ToolCall{{Name: "search_lorebook", Arguments: `{"query":7,"limit":"3","kinds":"person"}`}}}, want: want{Calls: []string{`search_lorebook{"kinds":["Person"],"limit":3,"query":"7"}`}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "32 a list with commas", tools: tools, send: llmtest.Respond{Calls: []llmtest.ToolCall{{Name: "remember_lore", Arguments: `{"title":"Mill","text":"Old, and empty.","keys":"mill, wheel"}`}}}, want: want{Calls: []string{`remember_lore{"keys":["mill","wheel"],"text":"Old, and empty.","title":"Mill"}`}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "33 odd members", tools: tools, send: llmtest.Respond{Calls: []llmtest.ToolCall{{Name: "remember_lore", Arguments: `{"title":"Mi\u0000ll","text":"\ud800 \u202edlo","__proto__":{"a":1},"constructor":2}`}}}, want: want{Calls: []string{`remember_lore{"text":"` + "\uFFFD \u202edlo" + `","title":"Mill"}`}, Finish: llm.FinishCalls, Executable: 1}},
	{name: "33 far too long", tools: tools, send: llmtest.Respond{Stream: ptr(false), Calls: []llmtest.ToolCall{{Name: "remember_lore", Arguments: `{"title":"Mill","text":"` + strings.Repeat("x", 1<<20) + `"}`}}}, want: want{Calls: []string{`!remember_lore{}`}, Finish: llm.FinishCalls}},
	{name: "35 thoughts, closed", send: llmtest.Respond{Text: "<think>Who owns it?</think>\n\nThe miller."}, want: want{Content: "The miller.", Reasoning: "Who owns it?", Finish: llm.FinishStop}},
	{name: "35 thoughts, not closed", send: llmtest.Respond{Text: "<think>Who owns it? The miller."}, want: want{Reasoning: "Who owns it? The miller.", Finish: llm.FinishStop}},
	{name: "35 thoughts, only closed", send: llmtest.Respond{Text: "Who owns it?\n</think>\nThe miller."}, want: want{Content: "The miller.", Reasoning: "Who owns it?", Finish: llm.FinishStop}},
	{name: "35 thoughts, nested", send: llmtest.Respond{Text: "<think>a <think>b</think> c</think>The miller."}, want: want{Content: "The miller.", Reasoning: "a b c", Finish: llm.FinishStop}},
	{name: "35 thoughts, opened twice, closed once", send: llmtest.Respond{Text: "<think><think>b</think>The miller."}, want: want{Content: "The miller.", Reasoning: "b", Finish: llm.FinishStop}},
	{name: "35 a tag in a string", send: llmtest.Respond{Text: `{"text":"say <think>hm</think> \"</think>\" twice"}`}, want: want{Content: `{"text":"say <think>hm</think> \"</think>\" twice"}`, Finish: llm.FinishStop}},
	{name: "35 a tag in code", send: llmtest.Respond{Text: "Write `</think>` there."}, want: want{Content: "Write `</think>` there.", Finish: llm.FinishStop}},
	{name: "35 other tags", send: llmtest.Respond{Text: "<Reasoning>a</Reasoning> <thinking>b</thinking>[THINK]c[/THINK]The miller."}, want: want{Content: "The miller.", Reasoning: "abc", Finish: llm.FinishStop}},
	{name: "35 channels", send: llmtest.Respond{Text: "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>The miller.<|return|>"}, want: want{Content: "The miller.", Reasoning: "a", Finish: llm.FinishStop}},
	{name: "35 reasoning_content", send: llmtest.Respond{Chunks: datas(delta(`{"reasoning_content":"a "}`), delta(`{"reasoning_content":"b","content":null}`), content("The miller."), finish(`"stop"`), done)}, want: want{Content: "The miller.", Reasoning: "a b", Finish: llm.FinishStop}},
	{name: "35 reasoning, and details of it", send: llmtest.Respond{Chunks: datas(delta(`{"reasoning":"a b","reasoning_details":[{"type":"reasoning.text","text":"a b"}]}`), content("The miller."), finish(`"stop"`), done)}, want: want{Content: "The miller.", Reasoning: "a b", Finish: llm.FinishStop}},
	{name: "35 only details", send: llmtest.Respond{Chunks: datas(delta(`{"reasoning_details":[{"type":"reasoning.summary","summary":"a b"}]}`), content("The miller."), finish(`"stop"`), done)}, want: want{Content: "The miller.", Reasoning: "a b", Finish: llm.FinishStop}},
}

func ptr[T any](v T) *T { return &v }

func TestWireCases(t *testing.T) {
	t.Parallel()
	for _, tc := range wireCases {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			script := &llmtest.Script{}
			ways := llmtest.Chunkings()
			if testing.Short() {
				ways = ways[:4]
			}
			for _, way := range ways {
				send := tc.send
				send.Chunking = way.Name
				if strings.Contains(tc.name, "far too long") && way.Name != "one" {
					continue
				}
				script.Steps = append(script.Steps, llmtest.Step{Name: way.Name, When: llmtest.Match{Model: way.Name}, Times: -1, Respond: send})
			}
			server := llmtest.Play(t, script)
			p := fast(server.URL)
			p.Retry.Attempts = 1
			client := open(t, p, llm.Options{})
			var first *llm.Response
			for _, step := range script.Steps {
				req := ask(tc.tools...)
				req.Model, req.TextCalls, req.Format = step.Name, tc.text, tc.format
				if strings.Contains(tc.name, "request for one piece") {
					req.NoStream = true
				}
				r, err := client.Chat(t.Context(), req)
				checkError(t, step.Name, tc.kind, err)
				if r == nil {
					if tc.want.Finish != "" {
						t.Fatalf("%s: no answer: %v", step.Name, err)
					}
					continue
				}
				if first == nil {
					first = r
					compare(t, tc.want, r)
				}
				if diff := cmp.Diff(show(first), show(r), cmpopts.SortSlices(strings.Compare)); diff != "" {
					t.Errorf("in the chunking %q (-first +here)\n%s", step.Name, diff)
				}
				checkStream(t, client, req, r, tc.kind)
			}
		})
	}
}

func checkError(t *testing.T, name string, want llm.Kind, err error) {
	t.Helper()
	if got := llm.KindOf(err); got != want || (err != nil) != (want != "") {
		t.Errorf("%s: error %v, want kind %q", name, err, want)
	}
}

// checkStream requires that a stream gives what the whole answer says.
func checkStream(t *testing.T, client *llm.Client, req llm.Request, whole *llm.Response, kind llm.Kind) {
	t.Helper()
	var content, reasoning strings.Builder
	var calls []string
	var last *llm.Response
	for e, err := range client.Stream(t.Context(), req) {
		if err != nil {
			checkError(t, req.Model+", streamed", kind, err)
			var failed *llm.Error
			if errors.As(err, &failed) {
				last = failed.Partial
			}
			break
		}
		switch e.Kind {
		case llm.EventText:
			content.WriteString(e.Text)
		case llm.EventReasoning:
			reasoning.WriteString(e.Text)
		case llm.EventRetract:
			content.Reset()
		case llm.EventCall:
			calls = append(calls, e.Call.Name+string(e.Call.Arguments))
		case llm.EventFinish:
			last = e.Response
		}
	}
	if last == nil {
		t.Fatalf("%s: the stream has no last event", req.Model)
	}
	if content.String() != last.Content || content.String() != whole.Content {
		t.Errorf("%s: streamed %q, answer %q, whole %q", req.Model, content.String(), last.Content, whole.Content)
	}
	if strings.TrimSpace(reasoning.String()) != strings.TrimSpace(last.Reasoning) && !strings.Contains(reasoning.String(), last.Reasoning) {
		t.Errorf("%s: streamed thoughts %q, answer %q", req.Model, reasoning.String(), last.Reasoning)
	}
	if fmt.Sprint(calls) != fmt.Sprint(callList(last)) {
		t.Errorf("%s: streamed calls %q, answer %q", req.Model, calls, callList(last))
	}
}

func callList(r *llm.Response) (out []string) {
	for _, c := range r.Calls {
		out = append(out, c.Name+string(c.Arguments))
	}
	return out
}
