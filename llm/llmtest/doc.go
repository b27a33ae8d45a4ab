// Package llmtest is a model server that plays a script: for tests, and for
// trying things without a model.
//
// It speaks the wire: chat completions, models and embeddings of the OpenAI form,
// the messages of Anthropic, the contents of Gemini and the chat of Ollama,
// streamed or not, whole or broken in all the ways that servers and networks
// break. A script says which requests come and what is answered:
//
//	models: [{id: small, context: 8192}]
//	steps:
//	  - name: retrieve
//	    when: {tools: [pick_entries]}
//	    expect:
//	      tool_choice: required
//	      contains: [the mill]
//	    respond:
//	      calls: [{name: pick_entries, arguments: {names: [Isolde]}}]
//	  - name: narrate
//	    when: {no_tools: true}
//	    respond: {text: "Isolde looks up from the anvil."}
//
// A request goes to the first step that has not been used up and whose when fits
// it: phases are told apart by their tools or their instructions, never by the
// order in which they happen to arrive. Steps with the same when are used one
// after the other.
//
// In a test the server is strict: a request that no step is for, one that breaks
// an expectation or the protocol, and a step that was never asked for are
// failures.
//
//	server := llmtest.New(t, script)
//	client, err := dial.Open(llm.Profile{Endpoint: server.URL + "/v1", Model: "small"}, llm.Options{})
//
// Time: inside of a testing/synctest bubble use [Pipe], a network in memory; then
// the server's delays and the client's timeouts, retries and cooldowns all run
// on the bubble's clock, and an hour takes no time.
//
// As a plain handler, [Handler] plays a script, or with fallback: narrate answers
// whatever comes, always in the same way.
package llmtest
