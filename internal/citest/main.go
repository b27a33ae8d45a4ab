// Citest is the project's test command: everything that has to hold before a
// change goes in, in stages, each with its time.
//
//	go run ./internal/citest            # all stages
//	go run ./internal/citest -core      # what needs nothing but Go
//	go run ./internal/citest -only vet,unit
//	go run ./internal/citest -list
//
// With apt and root it installs the programs that stages need, and says so.
// Elsewhere it runs the stages it can and lists the others; the exit status is
// then 1, unless -core (or CORE=1) said that the core is enough.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout))
}

// options are the flags.
type options struct {
	core     bool
	only     []string
	fuzzTime time.Duration
	verbose  bool
}

func run(ctx context.Context, args []string, out io.Writer) (status int) {
	var o options
	flags := flag.NewFlagSet("citest", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.BoolVar(&o.core, "core", os.Getenv("CORE") != "", "run only what needs nothing but Go; do not fail for the rest")
	only := flags.String("only", "", "run only these stages, separated by commas")
	flags.DurationVar(&o.fuzzTime, "fuzztime", 6*time.Minute, "time for all fuzz targets together")
	flags.BoolVar(&o.verbose, "v", false, "print the output of stages that succeed, too")
	listOnly := flags.Bool("list", false, "list the stages")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	all := stages(o)
	if *listOnly {
		for _, s := range all {
			fmt.Fprintf(out, "%-12s %s\n", s.name, s.about)
		}
		return 0
	}
	if *only != "" {
		o.only = strings.Split(*only, ",")
		for _, name := range o.only {
			if !slices.ContainsFunc(all, func(s stage) bool { return s.name == name }) {
				fmt.Fprintf(out, "citest: there is no stage %q; -list shows them\n", name)
				return 2
			}
		}
	}
	r := runner{options: o, out: out}
	r.runAll(ctx, all)
	return r.report()
}

// outcome is how a stage ended.
type outcome string

const (
	passed outcome = "ok"
	failed outcome = "FAILED"
	notRun outcome = "not run"
)

type result struct {
	stage   string
	outcome outcome
	took    time.Duration
	note    string
}

type runner struct {
	options
	out     io.Writer
	results []result
	missing []string // what could not be run, and why
	started time.Time
}

func (r *runner) runAll(ctx context.Context, all []stage) {
	r.started = time.Now()
	have := r.provide(ctx, all)
	for _, s := range all {
		if len(r.only) > 0 && !slices.Contains(r.only, s.name) {
			continue
		}
		if ctx.Err() != nil {
			r.results = append(r.results, result{s.name, notRun, 0, "interrupted"})
			continue
		}
		r.runStage(ctx, s, have)
	}
}

func (r *runner) runStage(ctx context.Context, s stage, have map[string]bool) {
	for _, need := range s.needs {
		if have[need.name] {
			continue
		}
		if s.without == nil {
			r.results = append(r.results, result{s.name, notRun, 0, need.name + " is missing"})
			r.missing = append(r.missing, fmt.Sprintf("stage %s needs %s: %s", s.name, need.name, need.advice()))
			return
		}
		r.missing = append(r.missing, fmt.Sprintf("stage %s ran without %s: %s", s.name, need.name, need.advice()))
		s.run = s.without
	}
	fmt.Fprintf(r.out, "=== %s: %s\n", s.name, s.about)
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	start := time.Now()
	var output strings.Builder
	note, err := s.run(ctx, &output)
	took := time.Since(start)
	var less partial
	if errors.As(err, &less) {
		r.missing = append(r.missing, fmt.Sprintf("stage %s did not do all of its work: %v", s.name, less))
		err = nil
	}
	if err != nil || r.verbose {
		fmt.Fprint(r.out, indent(output.String()))
	}
	res := result{s.name, passed, took, note}
	if err != nil {
		res.outcome = failed
		if ctx.Err() == context.DeadlineExceeded {
			err = fmt.Errorf("took longer than %v", s.limit)
		}
		fmt.Fprintf(r.out, "    %v\n", err)
	}
	r.results = append(r.results, res)
	fmt.Fprintf(r.out, "--- %s: %s in %s%s\n", s.name, res.outcome, seconds(took), bracket(note))
}

// report prints the summary and returns the exit status.
func (r *runner) report() int {
	bad, skipped := 0, len(r.missing)
	fmt.Fprintf(r.out, "\n%-12s %-8s %9s\n", "stage", "", "time")
	for _, s := range r.results {
		fmt.Fprintf(r.out, "%-12s %-8s %9s  %s\n", s.stage, s.outcome, seconds(s.took), s.note)
		if s.outcome == failed || s.outcome == notRun && s.note == "interrupted" {
			bad++
		}
	}
	fmt.Fprintf(r.out, "%-12s %-8s %9s\n", "all", "", seconds(time.Since(r.started)))
	for _, m := range r.missing {
		fmt.Fprintln(r.out, "not checked:", m)
	}
	switch {
	case bad > 0:
		fmt.Fprintf(r.out, "failed stages: %d\n", bad)
		return 1
	case skipped > 0 && !r.core:
		fmt.Fprintln(r.out, "not everything could be run; with -core (or CORE=1) that is no failure")
		return 1
	}
	return 0
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

func bracket(note string) string {
	if note == "" {
		return ""
	}
	return " (" + note + ")"
}

func indent(s string) string {
	if s == "" {
		return ""
	}
	return "    " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n    ") + "\n"
}
