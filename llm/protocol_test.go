package llm_test

import (
	"encoding/json"
	"flag"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/llm/dial"
	"github.com/weft-memory/weft/llm/llmtest"
)

var update = flag.Bool("update", false, "write the golden files")

// forProtocols runs a test for each protocol, with a profile for its form.
func forProtocols(t *testing.T, f func(t *testing.T, protocol string, profile func(server *llmtest.Server) llm.Profile)) {
	t.Helper()
	for _, name := range dial.Protocols() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, name, func(server *llmtest.Server) llm.Profile {
				p := fast(server.URL)
				p.Protocol = name
				switch name {
				case "gemini":
					p.Endpoint = server.URL + "/v1beta"
				case "ollama":
					p.Endpoint = server.URL
				}
				return p
			})
		})
	}
}

// An answer with everything in it comes through every form, whole or streamed,
// however the stream is cut.
func TestProtocolsReadAnswers(t *testing.T) {
	t.Parallel()
	forProtocols(t, func(t *testing.T, protocol string, profile func(*llmtest.Server) llm.Profile) {
		script := &llmtest.Script{}
		send := llmtest.Respond{
			Text: "The miller, 東京の, \"says\" no.", Reasoning: "Who owns it?", Usage: &llmtest.Usage{Input: 100, Output: 20, Cached: 60},
			Calls: []llmtest.ToolCall{{Name: "search_lorebook", Arguments: q}, {Name: "search_lorebook", Arguments: `{"query":"inn \"Zum Löwen\""}`}},
		}
		for _, way := range llmtest.Chunkings() {
			send.Chunking = way.Name
			script.Steps = append(script.Steps, llmtest.Step{Name: way.Name, When: llmtest.Match{Model: strings.ReplaceAll(way.Name, " ", "-")}, Times: -1, Respond: send})
		}
		client := open(t, profile(llmtest.Play(t, script)), llm.Options{})
		wanted := want{
			Content: send.Text, Reasoning: send.Reasoning, Calls: []string{mill, `search_lorebook{"query":"inn \"Zum Löwen\""}`},
			Finish: llm.FinishCalls, Executable: 2,
		}
		for _, step := range script.Steps {
			for _, whole := range []bool{false, true} {
				req := ask(tools...)
				req.Model, req.NoStream = step.When.Model, whole
				if strings.Contains(step.Name, ":") {
					continue // no name for a model
				}
				r, err := client.Chat(t.Context(), req)
				if err != nil {
					t.Fatalf("%s: %v", step.Name, err)
				}
				compare(t, wanted, r)
				usage := llm.Usage{Input: 100, Output: 20, Cached: 60}
				if protocol == "ollama" {
					usage.Cached = 0
				}
				if r.Usage != usage {
					t.Errorf("%s: usage %+v, want %+v", step.Name, r.Usage, usage)
				}
				if !whole {
					checkStream(t, client, req, r, "")
				}
			}
		}
	})
}

// What is sent, in every form, for a chat that has everything in it.
func TestProtocolsSendRequests(t *testing.T) {
	t.Parallel()
	forProtocols(t, func(t *testing.T, protocol string, profile func(*llmtest.Server) llm.Profile) {
		server := llmtest.New(t, `
steps:
  - {name: first, respond: {reasoning: "Who?", text: "I look.", calls: [{name: search_lorebook, arguments: {query: mill}}]}}
  - {name: second, expect: {last: The miller}, respond: {text: The miller.}}
  - {name: json, respond: {json: {name: Isolde}}}
`)
		client := open(t, profile(server), llm.Options{})
		temperature, seed := 0.5, int64(7)
		req := llm.Request{
			Messages: []llm.Message{
				llm.System("Keep the lore."), llm.Assistant("Rain falls."), llm.User("Who owns the mill? Say it in JSON."), llm.System("Be brief."),
			},
			Tools: tools[:2], Choice: llm.Required, OneCall: true, MaxTokens: 300, Temperature: &temperature, Seed: &seed, Stop: []string{"\nUser:"},
			StablePrefix: 1, Extra: map[string]json.RawMessage{"min_p": json.RawMessage(`0.050`), "logit_bias": json.RawMessage(`{"5":1e2}`)},
		}
		r, err := client.Chat(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		req.Messages = append(req.Messages, r.Message(), llm.Result(r.Calls[0], "The miller."))
		req.Choice = llm.Named("remember_lore")
		if _, err := client.Chat(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		req = llm.Request{Messages: []llm.Message{llm.User("Who is it?")}, Format: llm.JSONAnswer("fact", factSchema), NoStream: true, Thinking: llm.ThinkingLow}
		if _, err := client.Chat(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		server.Golden(t, "testdata/request_"+protocol+".golden", *update)
		for _, r := range server.Requests()[:2] {
			if !strings.Contains(string(r.Body), `"min_p":0.050`) || !strings.Contains(string(r.Body), `"logit_bias":{"5":1e2}`) {
				t.Errorf("unknown fields were not sent as they are: %s", r.Body)
			}
		}
	})
}

func TestProtocolsEmbedAndList(t *testing.T) {
	t.Parallel()
	forProtocols(t, func(t *testing.T, protocol string, profile func(*llmtest.Server) llm.Profile) {
		server := llmtest.New(t, `
models: [{id: test, context: 8192}]
steps:
  - {when: {path: /api/tags}, times: -1, respond: {body: '{"models":[{"name":"test","details":{"family":"llama"}}]}'}}
`)
		client := open(t, profile(server), llm.Options{})
		models, err := client.Models(t.Context())
		if err != nil || len(models) != 1 || models[0].ID != "test" {
			t.Errorf("models %v, %v", models, err)
		}
		var texts []string
		for i := range 70 { // two requests
			texts = append(texts, strings.Repeat("word ", i))
		}
		out, err := client.Embed(t.Context(), texts)
		if protocol == "anthropic" {
			checkError(t, "embed", llm.KindUnsupported, err)
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range texts {
			if diff := cmp.Diff(llmtest.Vector(text), out.Vectors[i]); diff != "" {
				t.Fatalf("text %d (-want +got)\n%s", i, diff)
			}
		}
		if n := len(server.Requests()); n != 3 {
			t.Errorf("%d requests, want 3", n)
		}
	})
}

func TestEmbeddingsThatAreWrong(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"too few":         `{"data":[{"index":0,"embedding":[1,0]}]}`,
		"other lengths":   `{"data":[{"index":0,"embedding":[1,0]},{"index":1,"embedding":[1]}]}`,
		"empty":           `{"data":[{"index":0,"embedding":[]},{"index":1,"embedding":[]}]}`,
		"an error in 200": `{"error":{"message":"no"}}`,
		"a page":          `<html><title>Hello</title></html>`,
		"null":            `null`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := llmtest.Play(t, &llmtest.Script{Steps: []llmtest.Step{{When: llmtest.Match{Path: "/embeddings"}, Respond: llmtest.Respond{Body: body}}}})
			p := fast(server.URL)
			p.Retry.Attempts = 1
			if out, err := open(t, p, llm.Options{}).Embed(t.Context(), []string{"a", "b"}); err == nil {
				t.Errorf("no error: %v", out)
			}
		})
	}
	server := llmtest.New(t, `steps: [{when: {path: /embeddings}, respond: {body: '{"data":[{"index":1,"embedding":[2]},{"index":0,"embedding":[1]}]}'}}]`)
	out, err := open(t, fast(server.URL), llm.Options{}).Embed(t.Context(), []string{"a", "b"})
	if err != nil || out.Vectors[0][0] != 1 || out.Vectors[1][0] != 2 {
		t.Errorf("out of order: %v, %v", out, err)
	}
}

// Errors of every form, whole and in the middle of a stream.
func TestProtocolsReadErrors(t *testing.T) {
	t.Parallel()
	forProtocols(t, func(t *testing.T, protocol string, profile func(*llmtest.Server) llm.Profile) {
		inStream := map[string][]llmtest.Chunk{
			"openai":    datas(content("The mil"), `{"error":{"message":"gone"}}`),
			"anthropic": {{Event: "content_block_delta", Data: `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"The mil"}}`}, {Event: "error", Data: `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`}},
			"gemini":    datas(`{"candidates":[{"content":{"parts":[{"text":"The mil"}]}}]}`, `{"error":{"code":503,"message":"gone","status":"UNAVAILABLE"}}`),
			"ollama":    {{Raw: `{"message":{"content":"The mil"},"done":false}` + "\n"}, {Raw: `{"error":"llama runner process has terminated"}` + "\n"}},
		}[protocol]
		server := llmtest.Play(t, &llmtest.Script{Steps: []llmtest.Step{
			{Respond: llmtest.Respond{Status: 529, Error: &llmtest.WireError{Message: "Overloaded", Type: "overloaded_error", Code: "UNAVAILABLE"}}},
			{Respond: llmtest.Respond{Chunks: inStream}},
			{Respond: llmtest.Respond{Status: 401, Error: &llmtest.WireError{Message: "no", Type: "authentication_error", Code: "UNAUTHENTICATED"}}},
		}})
		p := profile(server)
		p.Retry.Attempts = 1
		client := open(t, p, llm.Options{})
		_, err := client.Chat(t.Context(), ask())
		checkError(t, "529", llm.KindServer, err)
		r, err := client.Chat(t.Context(), ask())
		checkError(t, "in the stream", llm.KindServer, err)
		if r == nil || r.Content != "The mil" {
			t.Errorf("what came before is lost: %v", r)
		}
		_, err = client.Chat(t.Context(), ask())
		checkError(t, "401", llm.KindAuth, err)
	})
}
