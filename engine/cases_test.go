package engine_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCases runs the cases of testdata/cases: one JSON object a line, in the
// form of the conformance cases and by the same settings, one file a topic.
// Adding one needs no Go.
func TestCases(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("testdata", "cases", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases (%v)", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		topic := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
			var c vector
			if err := json.Unmarshal(line, &c); err != nil {
				t.Fatalf("%s:%d: %v", file, i+1, err)
			}
			t.Run(topic+"/"+c.ID, func(t *testing.T) {
				t.Parallel()
				for _, diff := range runVector(t.Context(), &c) {
					t.Errorf("%s:%d: %s", file, i+1, diff)
				}
			})
		}
	}
}
