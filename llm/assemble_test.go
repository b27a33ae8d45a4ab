package llm_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/weft-memory/weft/llm"
)

// The pieces of which hard texts are made.
var textPieces = []string{
	"<think>", "</think>", "<thi", "nk>", "<reasoning>", "</reasoning>", "<|channel|>final<|message|>", "<|channel|>", "<|end|>", "[THINK]",
	"The miller ", "東京", "\n", "\n\n", " ", "`", "```json\n", "```", "{", "}", "[", "]", "\"", "\\\"", "{\"query\":\"mill\"}", "{\"a\":",
	"<tool_call>", "</tool_call>", `{"name":"search_lorebook","arguments":{"query":"mill"}}`, "search_lorebook(query='mill')", "search_lore",
	"name: search_lorebook\narguments:\n  query: mill", "[TOOL_CALLS]", "<function=search_lorebook>", "<|python_tag|>", "</s", "x",
}

// assemble feeds a text in pieces and returns the answer and what the events
// showed.
func assemble(t interface{ Fatalf(string, ...any) }, box *llm.Toolbox, textual, cut bool, pieces []string, call string) (want, string) {
	var shown strings.Builder
	n := 0
	a := llm.NewAssembler(llm.AssemblerOptions{
		Tools: box, TextCalls: textual, NewID: func() string { n++; return fmt.Sprint("id", n) },
		Emit: func(e llm.Event) bool {
			switch e.Kind {
			case llm.EventText:
				shown.WriteString(e.Text)
			case llm.EventRetract:
				shown.Reset()
			}
			return true
		},
	})
	for _, p := range pieces {
		a.Text(p)
	}
	if call != "" {
		a.Call(llm.CallPiece{Index: 0, Name: "search_lorebook", Arguments: call})
	}
	if !cut {
		a.Finish("stop")
		a.Done()
	}
	r := a.End(cut)
	for _, c := range r.Calls {
		if !json.Valid(c.Arguments) || c.Arguments[0] != '{' {
			t.Fatalf("arguments %s", c.Arguments)
		}
	}
	return show(r), shown.String()
}

// However a text is cut, the answer is the same, and it is what the events
// showed.
func TestAssemblerIgnoresTheCuts(t *testing.T) {
	t.Parallel()
	box, err := llm.NewToolbox(tools)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(textPieces), 0, 12).Draw(t, "text"), "")
		use := rapid.SampledFrom([]*llm.Toolbox{nil, box}).Draw(t, "tools")
		textual, cut := rapid.Bool().Draw(t, "textual"), rapid.Bool().Draw(t, "cut")
		call := rapid.SampledFrom([]string{"", q}).Draw(t, "call")
		whole, shown := assemble(t, use, textual, cut, []string{text}, call)
		if shown != whole.Content {
			t.Fatalf("%q: shown %q, answer %q", text, shown, whole.Content)
		}
		var runes []string
		for _, r := range text {
			runes = append(runes, string(r))
		}
		k := rapid.IntRange(0, len(runes)).Draw(t, "cut at")
		for name, pieces := range map[string][]string{"letters": runes, "two": {strings.Join(runes[:k], ""), strings.Join(runes[k:], "")}} {
			got, shown := assemble(t, use, textual, cut, pieces, call)
			if diff := cmp.Diff(whole, got); diff != "" || shown != got.Content {
				t.Fatalf("%q in %s: shown %q (-whole +%s)\n%s", text, name, shown, name, diff)
			}
		}
	})
}

// Without tools and tags nothing of a text is lost.
func TestAssemblerLosesNothing(t *testing.T) {
	t.Parallel()
	box, err := llm.NewToolbox(tools)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"{", "}", "[", "]", "\"", "\n", " ", "`", "```", "The mill", "<", "<t", "search_lore", "name", "東", "{{user}}", "{\"a\":1}"}), 0, 20).Draw(t, "text")
		text := strings.Join(pieces, "")
		for _, textual := range []bool{false, true} {
			if got, _ := assemble(t, box, textual, false, pieces, ""); got.Content != text {
				t.Fatalf("%q became %q, calls %q", text, got.Content, got.Calls)
			}
		}
	})
}

// Fragments of calls, however they are numbered and named: nothing hangs, each
// call has an id of its own and an object for arguments.
func FuzzToolArguments(f *testing.F) {
	for _, s := range []string{
		`{"query":"mill"}`, `{"query":`, `"{\"query\":\"mill\"}"`, `{"name":"search_lorebook","arguments":{"query":1}}`, `{"query":"a"}{"query":"b"}`,
		`{query: 'mill',}`, `null`, `[{"query":"x"}]`, `text {"query":"x"}`, `{"title":"\ud800\u0000"}`, "\x00\xff",
	} {
		f.Add(s, "search_lorebook", true)
	}
	f.Add(`{"title":"Mi`, "functions.Forget-Lore", false)
	f.Add(``, `forget_lore(title="x")`, true)
	box, err := llm.NewToolbox(tools)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, args, name string, ended bool) {
		n := 0
		a := llm.NewAssembler(llm.AssemblerOptions{Tools: box, TextCalls: true, NewID: func() string { n++; return fmt.Sprint("id", n) }})
		half := len(args) / 2
		a.Call(llm.CallPiece{Index: 0, Name: name, Arguments: args[:half]})
		a.Call(llm.CallPiece{Index: 0, Arguments: args[half:]})
		a.Text(args)
		a.Text(name)
		if ended {
			a.Finish("tool_calls")
		}
		r := a.End(!ended)
		ids := map[string]bool{}
		for _, c := range r.Calls {
			var object map[string]json.RawMessage
			if err := json.Unmarshal(c.Arguments, &object); err != nil || object == nil {
				t.Fatalf("arguments %q", c.Arguments)
			}
			if c.ID == "" || ids[c.ID] {
				t.Fatalf("the id %q is empty or there twice", c.ID)
			}
			ids[c.ID] = true
			if c.Truncated && c.OK() {
				t.Fatal("a call that was cut off is fine")
			}
		}
		for _, c := range r.Executable() {
			if c.Truncated || c.Problem != "" || !ended && c.Destructive {
				t.Fatalf("%+v may be executed", c)
			}
		}
	})
}

func BenchmarkAssembler(b *testing.B) {
	box, err := llm.NewToolbox(tools)
	if err != nil {
		b.Fatal(err)
	}
	text := strings.Repeat("The miller looks up from the wheel. “No,” she says.\n\n", 400)
	var pieces []string
	for i := 0; i < len(text); i += 5 {
		pieces = append(pieces, text[i:min(i+5, len(text))])
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		a := llm.NewAssembler(llm.AssemblerOptions{Tools: box, TextCalls: true})
		for _, p := range pieces {
			a.Text(p)
		}
		a.End(false)
	}
}

// A bracket in prose that is never closed does not hold a story back for long.
func TestAssemblerDoesNotHoldProseBack(t *testing.T) {
	t.Parallel()
	box, err := llm.NewToolbox(tools)
	if err != nil {
		t.Fatal(err)
	}
	var shown strings.Builder
	a := llm.NewAssembler(llm.AssemblerOptions{Tools: box, Emit: func(e llm.Event) bool {
		shown.WriteString(e.Text)
		return true
	}})
	text := "{\"The mill\n" + strings.Repeat("grinds on and on.\n", 1000)
	for line := range strings.Lines(text) {
		a.Text(line)
	}
	if late := len(text) - shown.Len(); late > 8<<10 {
		t.Errorf("%d bytes are held back", late)
	}
	if r := a.End(false); r.Content != text || shown.String() != text {
		t.Error("the text changed")
	}
}
