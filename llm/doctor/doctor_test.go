package doctor_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/llm/dial"
	"github.com/weft-memory/weft/llm/doctor"
	"github.com/weft-memory/weft/llm/llmtest"
)

func TestExamine(t *testing.T) {
	t.Setenv("WEFT_TEST_KEY", "key-of-the-test-1")
	call := `{when: {has_tools: [note_weather]}, respond: {calls: [{name: note_weather, arguments: {place: Tamwick, weather: rain}}]}}`
	fact := `{when: {format: json_schema}, respond: {json: {name: Isolde, age: 40}}}`
	for _, tc := range []struct {
		name, script string
		profile      string
		key          bool
		want         []string // check status
		says         string   // in some detail or advice
	}{
		{"all is well", `{models: [{id: test, context: 16384}], fallback: narrate, steps: [` + call + `, ` + fact + `]}`, llm.Sidecar, false, []string{"reachable ok", "key ok", "model ok", "chat ok", "streaming ok", "tools ok", "json ok"}, "context of 16384 tokens"},
		{"a good key", `{key: key-of-the-test-1, fallback: narrate}`, llm.Narrator, true, []string{"reachable ok", "key ok", "model ok", "chat ok", "streaming ok", "tools ok"}, "accepted"},
		{"a wrong key", `{key: another}`, llm.Sidecar, true, []string{"reachable ok", "key fail", "model skip", "chat skip", "streaming skip", "tools skip", "json skip"}, "renew it"},
		{"no key", `{key: another}`, llm.Narrator, false, []string{"reachable ok", "key fail", "model skip", "chat skip", "streaming skip", "tools skip"}, "wants a key"},
		{"another model", `{models: [{id: a}, {id: b}], fallback: narrate}`, llm.Narrator, false, []string{"reachable ok", "key ok", "model warn", "chat ok", "streaming ok", "tools ok"}, "the list begins with a, b"},
		{"a small context", `{models: [{id: test, context: 4096}], fallback: narrate}`, llm.Narrator, false, []string{"reachable ok", "key ok", "model warn", "chat ok", "streaming ok", "tools ok"}, "little room"},
		{"no tools", `{fallback: narrate, steps: [{when: {has_tools: [note_weather]}, respond: {status: 400, error: {message: this model does not support tools}}}, {when: {last: '"calls"'}, respond: {text: '{"calls":[{"name":"note_weather","arguments":{"place":"Tamwick","weather":"rain"}}]}'}}]}`, llm.Narrator, false, []string{"reachable ok", "key ok", "model ok", "chat ok", "streaming ok", "tools warn"}, "takes no tools"},
		{"calls as text", `{fallback: narrate, steps: [{when: {has_tools: [note_weather]}, respond: {text: '<tool_call>{"name":"note_weather","arguments":{"place":"Tamwick","weather":"rain"}}</tool_call>'}}]}`, llm.Narrator, false, []string{"reachable ok", "key ok", "model ok", "chat ok", "streaming ok", "tools warn"}, "writes calls as text"},
		{"never a call", `{steps: [{times: 5, respond: {text: "one two three"}}]}`, llm.Narrator, false, []string{"reachable ok", "key ok", "model ok", "chat ok", "streaming ok", "tools fail"}, "made for tools"},
		{"only thoughts", `{fallback: narrate, steps: [{respond: {reasoning: hm}}]}`, llm.Narrator, false, []string{"reachable ok", "key ok", "model ok", "chat warn", "streaming ok", "tools ok"}, "thinking: off"},
		{"chat is broken", `{steps: [{times: -1, respond: {status: 400, error: {message: broken template}}}]}`, llm.Sidecar, false, []string{"reachable ok", "key ok", "model ok", "chat fail", "streaming skip", "tools skip", "json skip"}, "broken template"},
		{"embeddings", `{models: [{id: test, kind: embedding}]}`, llm.Embedder, false, []string{"reachable ok", "key ok", "model ok", "embeddings ok"}, "64 dimensions"},
		{"no embeddings", `{steps: [{when: {path: /embeddings}, respond: {status: 501, error: {message: start the server with --embeddings}}}]}`, llm.Embedder, false, []string{"reachable ok", "key ok", "model ok", "embeddings fail"}, "--embeddings"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			server := llmtest.New(t, tc.script)
			p := llm.Profile{Name: tc.profile, Endpoint: server.URL + "/v1", Model: "test", Retry: llm.Retry{Attempts: 1}}
			if tc.key {
				p.Key.Env = "WEFT_TEST_KEY"
			}
			check(t, p, tc.want, tc.says)
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		p := llm.Profile{Name: llm.Embedder, Endpoint: llmtest.Refused(t) + "/v1", Model: "test", Retry: llm.Retry{Attempts: 1}}
		check(t, p, []string{"reachable fail", "key skip", "model skip", "embeddings skip"}, "start the model server")
	})
}

func check(t *testing.T, p llm.Profile, want []string, says string) {
	t.Helper()
	client, err := dial.Open(p, llm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var got []string
	var all strings.Builder
	for _, f := range doctor.Examine(t.Context(), client, doctor.For(p.Name)) {
		got = append(got, f.Check+" "+string(f.Status))
		all.WriteString(f.Detail + "\n" + f.Advice + "\n")
		if f.Status != doctor.OK && f.Status != doctor.Skip && f.Advice == "" && !strings.Contains(f.Detail, "template") {
			t.Errorf("%s does not say what to do: %s", f.Check, f.Detail)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s%s", diff, &all)
	}
	if !strings.Contains(all.String(), says) {
		t.Errorf("%q is not in\n%s", says, &all)
	}
	if strings.Contains(all.String(), "key-of-the-test") {
		t.Errorf("the key is in\n%s", &all)
	}
}
