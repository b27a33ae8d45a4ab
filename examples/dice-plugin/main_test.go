package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/weft-memory/weft/weaver"
)

// The word of the night never reaches the scan, so only the crane is found.
func Example() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// hook: 1 blocks on turn 0
	// [backdrop] The crane called Heron lifts 16 crates before it jams.
}

func TestRoll(t *testing.T) {
	t.Parallel()
	registry := weaver.NewRegistry()
	if err := (dicePlugin{}).Register(registry); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		dice   string
		lo, hi float64
	}{{"1d6", 1, 6}, {"3d4 + 2", 5, 14}, {"2d1-5", -3, -3}, {"0d6", 0, 0}}
	for _, tt := range tests {
		expr := weaver.MustParseExpr("roll", fmt.Sprintf("@[dice.roll(%q)]", tt.dice))
		for seed := range uint64(200) {
			v, err := expr.Eval(t.Context(), &weaver.MapHost{}, weaver.Options{Registry: registry, Seed: seed})
			if n, ok := v.AsNumber(); err != nil || !ok || n < tt.lo || n > tt.hi {
				t.Fatalf("%s, seed %d: %v, error %v, want %v to %v", tt.dice, seed, v.Text(), err, tt.lo, tt.hi)
			}
		}
	}
	for _, dice := range []string{"", "six", "d6", "1d6+", "999d6"} {
		expr := weaver.MustParseExpr("roll", fmt.Sprintf("@[dice.roll(%q)]", dice))
		_, err := expr.Eval(t.Context(), &weaver.MapHost{}, weaver.Options{Registry: registry})
		if !errors.Is(err, &weaver.Error{Kind: weaver.HostError}) {
			t.Errorf("%q: error %v, want a host error", dice, err)
		}
	}
}
