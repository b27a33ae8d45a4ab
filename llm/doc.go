// Package llm talks to language models: chat with tools, answers in JSON,
// streams, embeddings, lists of models, on any server.
//
// Servers differ, and most of them break their own rules now and then. The
// package has one form for requests and answers, [Request] and [Response]; one
// conversion for each kind of server, the [Protocol]s of the packages openai,
// anthropic, gemini and ollama; and one tolerant decoder for what comes back, the
// [Assembler]. Around them a [Client] keeps the promises of a [Profile]: its
// timeouts, retries, breaker, number of requests at once, and its key to itself.
//
// A profile is one use of a model: the narrator, the sidecar that remembers, the
// historian, the embedder. Package dial opens it:
//
//	profile := llm.Profile{
//		Name:     "sidecar",
//		Endpoint: "http://127.0.0.1:11434/v1",
//		Model:    "qwen3",
//		Key:      llm.KeySource{Env: "SIDECAR_KEY"},
//	}
//	client, err := dial.Open(profile, llm.Options{})
//	…
//	answer, err := client.Chat(ctx, llm.Request{
//		Messages: []llm.Message{llm.User("Who owns the mill?")},
//		Tools:    []llm.Tool{search},
//	})
//	for _, call := range answer.Executable() {
//		…
//	}
//
// [Client.Stream] gives the same answer piece by piece:
//
//	for event, err := range client.Stream(ctx, request) {
//		if err != nil {
//			break // what came before stands
//		}
//		fmt.Print(event.Text)
//	}
//
// What a server can and cannot do is learned while it is used and kept as
// [Capabilities], by endpoint and model: a parameter that it refuses is left out
// from then on. [Object], [Calls] and [Loop] ask for data and for tools with the
// detours that weak models need.
//
// An answer that was cut off or repaired says so. Operations that destroy
// something are never executed from a part of an answer: [Response.Executable]
// decides it, for everybody, in one place.
package llm
