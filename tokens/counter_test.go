package tokens_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/weft-memory/weft/tokens"
)

func TestByBytes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		n    int
		text string
		want int
	}{
		{4, "", 0}, {4, "a", 1}, {4, "abcd", 1}, {4, "abcde", 2}, {4, "é", 1}, {4, "ééé", 2}, {1, "abc", 3}, {3, "港口", 2},
	}
	for _, tt := range tests {
		if got := tokens.ByBytes(tt.n).Count(tt.text); got != tt.want {
			t.Errorf("ByBytes(%d).Count(%q) = %d, want %d", tt.n, tt.text, got, tt.want)
		}
	}
}

func TestByBytesRefusesANonPositiveDivisor(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, -4} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("ByBytes(%d) did not panic", n)
				}
			}()
			tokens.ByBytes(n)
		}()
	}
}

func TestScaled(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a", 40) // ten tokens at four bytes each
	tests := []struct {
		factor float64
		want   int
	}{
		{1, 10},
		{1.1, 11},
		{1.11, 12},
		{0.5, 5},
		{0.05, 1},
		{2, 20},
		{0, 10},
		{-3, 10},
		{math.NaN(), 10},
		{math.Inf(1), 10},
		{1e300, math.MaxInt32},
	}
	for _, tt := range tests {
		if got := tokens.Scaled(tokens.ByBytes(4), tt.factor).Count(text); got != tt.want {
			t.Errorf("Scaled(%v) = %d, want %d", tt.factor, got, tt.want)
		}
	}
	if got := tokens.Scaled(tokens.ByBytes(4), 3).Count(""); got != 0 {
		t.Errorf("the empty text counts %d", got)
	}
}

func TestDescribe(t *testing.T) {
	t.Parallel()
	exact, err := tokens.ForEncoding(tokens.Cl100kBase)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		counter tokens.Counter
		want    string
	}{
		{tokens.ByBytes(4), "bytes/4"},
		{tokens.Estimate(), "estimate"},
		{exact, "cl100k_base"},
		{tokens.Scaled(exact, 1.25), "cl100k_base × 1.25"},
		{words{}, "tokens_test.words"},
	}
	for _, tt := range tests {
		if got := tokens.Describe(tt.counter); got != tt.want {
			t.Errorf("Describe = %q, want %q", got, tt.want)
		}
	}
}

// words shows that a host can bring a counter of its own.
type words struct{}

func (words) Count(text string) int { return len(strings.Fields(text)) }

func ExampleScaled() {
	// A server reported 130 tokens for a prompt that we took for 100.
	counter := tokens.Scaled(tokens.Estimate(), 130.0/100)
	fmt.Println(tokens.Estimate().Count("The ferry is late again."), counter.Count("The ferry is late again."))
	// Output: 6 8
}
