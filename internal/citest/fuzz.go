package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Bounds of the time for one target, beside about two seconds to build it.
const (
	mostFuzzing  = 5 * time.Second
	leastFuzzing = time.Second
	fuzzOverhead = 2 * time.Second
)

type fuzzTarget struct{ pkg, name string }

// fuzz runs every fuzz target that go test knows, for a share of the time.
func fuzz(total time.Duration) work {
	return func(ctx context.Context, out io.Writer) (string, error) {
		var list bytes.Buffer
		if err := program(ctx, &list, "go", "test", "-list", "^Fuzz", "./..."); err != nil {
			fmt.Fprint(out, list.String())
			return "", err
		}
		targets := fuzzTargets(list.String())
		if len(targets) == 0 {
			return "", errors.New("there are no fuzz targets, though parsers have them")
		}
		each := min(max(total/time.Duration(len(targets))-fuzzOverhead, leastFuzzing), mostFuzzing)
		var errs []error
		for _, t := range targets {
			var text bytes.Buffer
			err := program(ctx, &text, "go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", each.String(), "-parallel", "2", t.pkg)
			// At the very end of its time a worker may be stopped in the middle
			// of an input, which go test reports as this error.
			if err != nil && ctx.Err() == nil && strings.Contains(text.String(), "context deadline exceeded") && !strings.Contains(text.String(), "Failing input") {
				err = nil
			}
			if err != nil {
				fmt.Fprint(out, text.String())
				errs = append(errs, err)
			}
		}
		return fmt.Sprintf("%d targets, %v each", len(targets), each.Round(100*time.Millisecond)), errors.Join(errs...)
	}
}

// fuzzTargets reads the output of go test -list: names, and after them the
// package that has them.
func fuzzTargets(list string) []fuzzTarget {
	var out []fuzzTarget
	var names []string
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "Fuzz"):
			names = append(names, line)
		case strings.HasPrefix(line, "ok "):
			fields := strings.Fields(line)
			for _, name := range names {
				out = append(out, fuzzTarget{fields[1], name})
			}
			names = nil
		}
	}
	return out
}
