package tokens_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-memory/weft/tokens"
)

// The bounds that the doc comment of Estimate states, by the name of the
// sample before its last underscore. Samples "_c" were written after the
// prices were fixed.
var estimateBounds = map[string]float64{
	"english": 0.15, "german": 0.15, "french": 0.15, "spanish": 0.15,
	"russian": 0.15, "chinese": 0.15, "japanese": 0.15, "korean": 0.15,
	"arabic": 0.15, "code": 0.15, "json": 0.15, "template": 0.15, "roleplay": 0.15,
	"polish": 0.25, "vietnamese": 0.25, "ukrainian": 0.25, "greek": 0.25,
	"hebrew": 0.25, "thai": 0.25, "hindi": 0.25, "emoji": 0.25, "mixed": 0.25,
}

func TestEstimateStaysNearTheExactCount(t *testing.T) {
	t.Parallel()
	exact, err := tokens.ForEncoding(tokens.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/scripts/*.txt")
	if err != nil || len(files) < 2*len(estimateBounds) {
		t.Fatalf("found %d samples (error %v), want at least two for each of %d scripts", len(files), err, len(estimateBounds))
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			bound, ok := estimateBounds[name[:strings.LastIndexByte(name, '_')]]
			if !ok {
				t.Fatalf("no bound is stated for %s", name)
			}
			want := exact.Count(string(text))
			got := tokens.Estimate().Count(string(text))
			if off := float64(got)/float64(want) - 1; math.Abs(off) > bound {
				t.Errorf("estimate %d, exact %d: off by %+.0f %%, stated are ±%.0f %%", got, want, 100*off, 100*bound)
			}
		})
	}
}

// One long pass over all samples of a script together is steadier than each
// sample alone.
func TestEstimateOfLongMixedText(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("testdata/scripts/*.txt")
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
		all.WriteByte('\n')
	}
	want := tokens.ForModel("gpt-4o").Count(all.String())
	got := tokens.Estimate().Count(all.String())
	// English words among many accented ones are taken for foreign.
	if off := float64(got)/float64(want) - 1; math.Abs(off) > 0.2 {
		t.Errorf("estimate %d, exact %d: off by %+.0f %%", got, want, 100*off)
	}
}

func TestEstimateOfSmallTexts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text     string
		min, max int
	}{
		{"", 0, 0},
		{" ", 0, 1},
		{"\n\n\n", 1, 1},
		{"a", 1, 1},
		{"The tide turns.", 4, 4},
		{"ABSOLUTELY NOT", 3, 6},
		{"camelCaseIdentifierName", 4, 5},
		{"1234567890", 4, 4},
		{"in 1871", 3, 4},
		{"----------", 1, 3},
		{"🙂🙂🙂", 3, 6},
		{"👨‍👩‍👧", 5, 9},
		{"古い灯台", 3, 5},
		{"ทะเลสาบ", 2, 5},
		{"\xff\xfe", 2, 6},
		{strings.Repeat("a", 20_000), 2_500, 10_000},
		{strings.Repeat(" ", 20_000), 10, 500},
		{strings.Repeat("\n", 20_000), 500, 2000},
	}
	for _, tt := range tests {
		if got := tokens.Estimate().Count(tt.text); got < tt.min || got > tt.max {
			t.Errorf("Estimate(%.30q) = %d, want %d to %d", tt.text, got, tt.min, tt.max)
		}
	}
}

func ExampleEstimate() {
	// Four characters a token would say 7 and 2.
	fmt.Println(tokens.Estimate().Count("The harbour is quiet today."))
	fmt.Println(tokens.Estimate().Count("今天港口很安静。"))
	// Output:
	// 6
	// 7
}
