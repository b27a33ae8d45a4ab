package tokens_test

import (
	"fmt"
	"testing"

	"github.com/weft-memory/weft/tokens"
)

func TestEncodingOf(t *testing.T) {
	t.Parallel()
	tests := []struct {
		model string
		want  tokens.Encoding
	}{
		{"gpt-4o", tokens.O200kBase},
		{"gpt-4o-mini-2024-07-18", tokens.O200kBase},
		{"GPT-4o", tokens.O200kBase},
		{" openai/gpt-4o ", tokens.O200kBase},
		{"openrouter/openai/gpt-4.1-nano", tokens.O200kBase},
		{"ft:gpt-4o-mini:harbour::8x", tokens.O200kBase},
		{"gpt-5", tokens.O200kBase},
		{"gpt-5.1-chat", tokens.O200kBase},
		{"o1", tokens.O200kBase},
		{"o3-mini", tokens.O200kBase},
		{"gpt-oss-20b:q4", tokens.O200kBase},
		{"gpt-4", tokens.Cl100kBase},
		{"gpt-4-turbo", tokens.Cl100kBase},
		{"gpt-3.5-turbo-16k", tokens.Cl100kBase},
		{"gpt-35-turbo", tokens.Cl100kBase},
		{"text-embedding-3-small", tokens.Cl100kBase},
		{"text-davinci-003", tokens.P50kBase},
		{"gpt2", tokens.R50kBase},
		{"", ""},
		{"o10", ""},
		{"o365-copilot", ""},
		{"gpt-40", ""},
		{"adara-7b", ""},
		{"claude-sonnet", ""},
		{"mistral-nemo", ""},
	}
	for _, tt := range tests {
		got, ok := tokens.EncodingOf(tt.model)
		if got != tt.want || ok != (tt.want != "") {
			t.Errorf("EncodingOf(%q) = %q, %t, want %q", tt.model, got, ok, tt.want)
		}
	}
}

func TestForModelFallsBackToTheEstimate(t *testing.T) {
	t.Parallel()
	if got := tokens.Describe(tokens.ForModel("some-local-model.gguf")); got != "estimate" {
		t.Errorf("counter %s, want the estimate", got)
	}
	if got := tokens.Describe(tokens.ForModel("gpt-4o")); got != "o200k_base" {
		t.Errorf("counter %s, want o200k_base", got)
	}
}

func ExampleForModel() {
	text := "The lighthouse keeper counts the ships."
	fmt.Println(tokens.ForModel("gpt-4o").Count(text))
	fmt.Println(tokens.ForModel("my-own-model").Count(text))
	// Output:
	// 7
	// 7
}
