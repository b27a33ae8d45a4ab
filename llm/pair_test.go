package llm_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/llm/dial"
	"github.com/weft-memory/weft/llm/llmtest"
)

// anyChat draws messages such as remain after edits, swipes and deletions.
func anyChat(t *rapid.T) []llm.Message {
	ids := rapid.SampledFrom([]string{"", "a", "b", "c", "äö", "call 1"})
	call := rapid.Custom(func(t *rapid.T) llm.Call {
		return llm.Call{
			ID: ids.Draw(t, "id"), Name: rapid.SampledFrom([]string{"search_lorebook", "remember_lore", ""}).Draw(t, "name"),
			Arguments: json.RawMessage(rapid.SampledFrom([]string{`{"query":"mill"}`, `{}`, `null`, ``, `[1]`, `{"a":`, `"x"`}).Draw(t, "arguments")),
		}
	})
	message := rapid.Custom(func(t *rapid.T) llm.Message {
		m := llm.Message{
			Role:    rapid.SampledFrom([]llm.Role{llm.RoleSystem, llm.RoleUser, llm.RoleAssistant, llm.RoleTool, llm.RoleTool, llm.RoleAssistant}).Draw(t, "role"),
			Content: rapid.SampledFrom([]string{"", "  ", "Who?", "The miller. ", "a\x00b", "\xff", "JSON"}).Draw(t, "content"),
		}
		switch m.Role {
		case llm.RoleTool:
			m.CallID, m.Name = ids.Draw(t, "call id"), "search_lorebook"
		case llm.RoleAssistant:
			m.Calls = rapid.SliceOfN(call, 0, 3).Draw(t, "calls")
			if len(m.Calls) == 0 {
				m.Calls = nil
			}
		}
		return m
	})
	return rapid.SliceOfN(message, 1, 10).Draw(t, "messages")
}

// Whatever the messages, what is sent obeys the protocol, in every form.
func TestRequestsAlwaysPair(t *testing.T) {
	t.Parallel()
	for _, name := range dial.Protocols() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := llmtest.Play(llmtest.Lenient(t), &llmtest.Script{Fallback: "narrate"})
			p := fast(server.URL)
			p.Protocol = name
			if name == "ollama" {
				p.Endpoint = server.URL
			}
			rapid.Check(t, func(t *rapid.T) {
				client, err := dial.Open(p, llm.Options{Transport: server.Client.Transport})
				if err != nil {
					t.Fatal(err)
				}
				before := len(server.Problems())
				req := llm.Request{Messages: anyChat(t), Tools: tools}
				if _, err := client.Chat(testContext, req); err != nil && !strings.Contains(err.Error(), "no messages") {
					// A chat without a single message left is the caller's.
					if kept, _ := llm.Pair(req.Messages); len(kept) > 0 {
						t.Fatal(err)
					}
				}
				if kept, _ := llm.Pair(req.Messages); len(kept) == 0 {
					return
				}
				if p := server.Problems(); len(p) > before && !t.Failed() {
					t.Fatalf("%q", p[before:])
				}
			})
		})
	}
}

// Repaired messages need no repair, and repair tells what it does.
func TestPairIsStable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := anyChat(t)
		once, notes := llm.Pair(in)
		twice, again := llm.Pair(once)
		if diff := cmp.Diff(once, twice); diff != "" || len(again) > 0 {
			t.Fatalf("not stable: %q\n%s", again, diff)
		}
		if diff := cmp.Diff(in, once); diff != "" && len(notes) == 0 {
			t.Fatalf("changed without a note\n%s", diff)
		}
	})
}

func TestPair(t *testing.T) {
	t.Parallel()
	a := llm.Call{ID: "a", Name: "search_lorebook", Arguments: json.RawMessage(`{"query":"mill"}`)}
	b := llm.Call{ID: "b", Name: "search_lorebook", Arguments: json.RawMessage(`{"query":`)}
	in := []llm.Message{
		llm.User("Who?"),
		{Role: llm.RoleAssistant, Calls: []llm.Call{a, b}},
		llm.User("Well?"),
		llm.Result(a, "The miller."),
		llm.Result(llm.Call{ID: "z"}, "Nobody asked."),
	}
	got, notes := llm.Pair(in)
	fixed := b
	fixed.Arguments = json.RawMessage(`{}`)
	want := []llm.Message{
		llm.User("Who?"),
		{Role: llm.RoleAssistant, Calls: []llm.Call{a, fixed}},
		llm.Result(a, "The miller."),
		llm.Result(b, "The arguments of this call could not be read; it was not executed."),
		llm.User("Well?"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	wantNotes := []string{
		`message 2: the call "b" of search_lorebook had no result`,
		`message 2: the arguments of the call b are no JSON object`,
		`message 5: the result of the call "z" has no call and was left out`,
	}
	if diff := cmp.Diff(wantNotes, notes); diff != "" {
		t.Errorf("notes (-want +got)\n%s", diff)
	}
	if string(in[1].Calls[1].Arguments) != `{"query":` {
		t.Error("the caller's messages were changed")
	}
}
