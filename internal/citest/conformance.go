package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
)

// event is a line of go test -json.
type event struct {
	Action, Package, Test, Output string
}

// conformance runs the tests named TestConformance… and counts their cases.
func conformance(ctx context.Context, out io.Writer) (string, error) {
	var lines bytes.Buffer
	err := program(ctx, &lines, "go", "test", "-json", "-count=1", "-run", "^TestConformance", "./...")
	tally, text := countCases(&lines)
	fmt.Fprint(out, text)
	if err != nil {
		return tally.String(), err
	}
	switch {
	case tally.passed == 0 && os.Getenv("CI") != "":
		return tally.String(), errors.New("no case was run: the folder with the cases is missing")
	case tally.passed == 0:
		return tally.String(), partial("the folder with the cases is not there: set WEFT_CONFORMANCE")
	}
	return tally.String(), nil
}

type caseTally struct{ passed, skipped, failed, packages int }

func (t caseTally) String() string {
	s := fmt.Sprintf("%d cases in %d packages", t.passed+t.failed, t.packages)
	if t.failed > 0 {
		s += fmt.Sprintf(", %d failed", t.failed)
	}
	if t.skipped > 0 {
		s += fmt.Sprintf(", %d tests skipped", t.skipped)
	}
	return s
}

// countCases counts the innermost subtests and returns the output of those
// that failed.
func countCases(lines io.Reader) (t caseTally, failures string) {
	output := map[string]*strings.Builder{}
	ended := map[string]string{}
	parents := map[string]bool{}
	packages := map[string]bool{}
	var other strings.Builder
	dec := json.NewDecoder(lines)
	for {
		var e event
		if err := dec.Decode(&e); err != nil {
			if !errors.Is(err, io.EOF) {
				// Not JSON: what the build printed.
				rest, _ := io.ReadAll(io.MultiReader(dec.Buffered(), lines))
				other.Write(rest)
			}
			break
		}
		id := e.Package + "\x00" + e.Test
		switch e.Action {
		case "output", "build-output":
			if e.Test == "" {
				if e.Action == "build-output" || strings.HasPrefix(e.Output, "panic:") {
					other.WriteString(e.Output)
				}
				continue
			}
			if output[id] == nil {
				output[id] = &strings.Builder{}
			}
			output[id].WriteString(e.Output)
		case "pass", "fail", "skip":
			if e.Test == "" {
				continue
			}
			ended[id] = e.Action
			packages[e.Package] = true
			for p := e.Test; strings.Contains(p, "/"); {
				p = p[:strings.LastIndex(p, "/")]
				parents[e.Package+"\x00"+p] = true
			}
		}
	}
	ids := make([]string, 0, len(ended))
	for id := range ended {
		if !parents[id] {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		switch ended[id] {
		case "pass":
			t.passed++
		case "skip":
			t.skipped++
		case "fail":
			t.failed++
			pkg, _, _ := strings.Cut(id, "\x00")
			fmt.Fprintf(&other, "%s:\n", path.Base(pkg))
			if b := output[id]; b != nil {
				other.WriteString(b.String())
			}
		}
	}
	t.packages = len(packages)
	return t, other.String()
}
