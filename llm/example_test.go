package llm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"

	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/llm/dial"
	"github.com/weft-memory/weft/llm/llmtest"
)

// model starts a server that plays a script and opens a profile for it.
func model(script string) (client *llm.Client, stop func()) {
	parsed, err := llmtest.ParseScript(script)
	if err != nil {
		panic(err)
	}
	handler, err := llmtest.Handler(parsed, nil)
	if err != nil {
		panic(err)
	}
	server := httptest.NewServer(handler)
	client, err = dial.Open(llm.Profile{Name: llm.Sidecar, Endpoint: server.URL + "/v1", Model: "test"}, llm.Options{})
	if err != nil {
		panic(err)
	}
	return client, func() {
		client.Close()
		server.Close()
	}
}

// A stream, piece by piece.
func ExampleClient_Stream() {
	client, stop := model(`steps: [{respond: {reasoning: "Who?", text: "The miller does.", usage: {input: 9, output: 5}}}]`)
	defer stop()
	for event, err := range client.Stream(context.Background(), llm.Request{Messages: []llm.Message{llm.User("Who owns the mill?")}}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(event)
	}
	// Output:
	// reasoning "Who?"
	// text "The "
	// text "miller "
	// text "does."
	// usage 9 in, 5 out
	// finish stop
}

// Data instead of prose, from a model that gets it almost right.
func ExampleObject() {
	client, stop := model(`
steps:
  - respond: {text: "Sure:\n{name: 'Isolde', age: 'forty'}"}
  - respond: {text: '{"name": "Isolde", "age": "40"}'}
`)
	defer stop()
	asked, err := llm.Object(context.Background(), client, llm.Request{Messages: []llm.Message{llm.User("Who is the smith?")}}, llm.ObjectOptions{
		Name:   "person",
		Schema: json.RawMessage(`{"type":"object","required":["name","age"],"properties":{"name":{"type":"string"},"age":{"type":"integer"}}}`),
	})
	fmt.Println(string(asked.JSON), err)
	for _, step := range asked.Steps {
		fmt.Println(step)
	}
	// Output:
	// {"age":40,"name":"Isolde"} <nil>
	// the JSON did not fit; asked again: the JSON does not fit: /age: got string, want integer
}

// A model that searches before it answers.
func ExampleLoop() {
	client, stop := model(`
steps:
  - respond: {calls: [{name: search, arguments: {query: mill}}]}
  - respond: {text: The mill is Isolde's.}
`)
	defer stop()
	search := llm.Tool{Name: "search", Description: "Search the lore.", Schema: json.RawMessage(`{"type":"object","required":["query"],"properties":{"query":{"type":"string"}}}`)}
	out, err := llm.Loop(context.Background(), client, llm.Request{
		Messages: []llm.Message{llm.User("Whose is the mill?")},
		Tools:    []llm.Tool{search},
	}, llm.LoopOptions{
		Run: func(_ context.Context, c llm.Call) string {
			fmt.Println(c.Name, string(c.Arguments))
			return "The mill: Isolde owns it."
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out.Response.Content)
	// Output:
	// search {"query":"mill"}
	// The mill is Isolde's.
}
