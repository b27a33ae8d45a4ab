package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// work does what a stage is for. What it prints is shown if it fails. The note
// is a short figure for the summary.
type work func(ctx context.Context, out io.Writer) (note string, err error)

// partial is the error of a stage that did not fail, but could not do all it is
// for.
type partial string

func (p partial) Error() string { return string(p) }

type stage struct {
	name, about string
	limit       time.Duration
	needs       []need
	run         work
	// without, if not nil, is what to do where a need is not met.
	without work
}

func stages(o options) []stage {
	return []stage{
		{name: "format", about: "gofumpt has nothing to change", limit: 3 * time.Minute, run: formatted},
		{name: "build", about: "all packages compile", limit: 15 * time.Minute, run: command("go", "build", "./...")},
		{name: "vet", about: "go vet", limit: 10 * time.Minute, run: command("go", "vet", "./...")},
		{name: "staticcheck", about: "staticcheck", limit: 10 * time.Minute, run: command("go", "tool", "staticcheck", "./...")},
		{name: "generated", about: "generated files are current", limit: 5 * time.Minute, needs: []need{git}, run: generated},
		{name: "arrows", about: "imports point downwards", limit: 5 * time.Minute, run: goTest("./internal/arch")},
		{
			name: "unit", about: "unit tests with the race detector", limit: 25 * time.Minute, needs: []need{compiler},
			run:     unit("-race"),
			without: unit(),
		},
		{
			name: "services", about: "store, jobs, world, server and client at full length, on SQLite and PostgreSQL; whole servers that are killed", limit: 25 * time.Minute, needs: []need{postgres},
			run: goTestWith(servicesEnv, "-timeout", "20m", "./store/...", "./jobs/...", "./world/...", "./server/...", "./client/...", "./internal/endtoend/..."),
		},
		{name: "databases", about: "a PostgreSQL server of the tests' own starts and stops", limit: 5 * time.Minute, needs: []need{postgres}, run: goTest("-count=1", "./internal/pgtest")},
		{name: "clients", about: "official clients against the proxy", limit: 10 * time.Minute, needs: []need{node, npm}, run: clients},
		{name: "conformance", about: "the collected cases of the language and the engine", limit: 15 * time.Minute, run: conformance},
		{name: "fuzz", about: "every fuzz target for a few seconds", limit: o.fuzzTime + 15*time.Minute, run: fuzz(o.fuzzTime)},
		{name: "bench", about: "every benchmark once", limit: 15 * time.Minute, run: goTest("-run", "^$", "-bench", ".", "-benchtime", "1x", "./...")},
		{name: "readme", about: "the commands of README.md and docs print what they say", limit: 15 * time.Minute, needs: []need{curl, jq}, run: goTest("-count=1", "./internal/readme"), without: goTest("-count=1", "./internal/readme")},
		{name: "packaging", about: "the unit of systemd, and the steps of the Dockerfile", limit: 20 * time.Minute, needs: []need{systemd}, run: packaging},
		{name: "examples", about: "the example programs and books", limit: 10 * time.Minute, run: examples},
	}
}

// services are the parts whose tests work on databases for minutes. They have a
// stage of their own, without the race detector, which slows SQLite down many
// times.
var services = []string{"store", "jobs", "world", "server", "client", "internal/endtoend"}

// servicesEnv asks tests for their length in CI.
var servicesEnv = []string{"WEFT_TEST_SEQUENCES=1000"}

// unit runs the tests of all packages but those of the services.
func unit(args ...string) work {
	return func(ctx context.Context, out io.Writer) (string, error) {
		var list bytes.Buffer
		if err := program(ctx, &list, "go", "list", "./..."); err != nil {
			return "", errors.Join(err, errors.New(list.String()))
		}
		all := append(slices.Clone(args), "-skip", "^TestConformance|^TestCommandsPrint|^TestOpenAIClient", "-timeout", "20m")
		for _, pkg := range strings.Fields(list.String()) {
			_, rest, _ := strings.Cut(pkg, "/weft/")
			part, _, _ := strings.Cut(rest, "/")
			if !slices.Contains(services, part) && !slices.Contains(services, rest) {
				all = append(all, pkg)
			}
		}
		return goTest(all...)(ctx, out)
	}
}

// program runs a program. What it prints goes to out.
func program(ctx context.Context, out io.Writer, name string, args ...string) error {
	return programWith(ctx, nil, out, name, args...)
}

// programWith is program with further variables in the environment.
func programWith(ctx context.Context, env []string, out io.Writer, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Env = append(os.Environ(), env...)
	// On a signal or a timeout everything that the command started has to end.
	ownGroup(cmd)
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return nil
}

func command(name string, args ...string) work {
	return func(ctx context.Context, out io.Writer) (string, error) {
		return "", program(ctx, out, name, args...)
	}
}

// goTest runs go test and prints only what did not pass.
func goTest(args ...string) work { return goTestWith(nil, args...) }

// goTestWith is goTest with further variables in the environment.
func goTestWith(env []string, args ...string) work {
	return func(ctx context.Context, out io.Writer) (string, error) {
		var all bytes.Buffer
		env := env
		if slices.Contains(args, "-race") {
			env = append(slices.Clone(env), "CGO_ENABLED=1")
		}
		err := programWith(ctx, env, &all, "go", append([]string{"test"}, args...)...)
		packages, rest := sift(all.String())
		fmt.Fprint(out, rest)
		return fmt.Sprintf("%d packages", packages), err
	}
}

// sift counts the packages that passed and drops the lines that say so.
func sift(output string) (packages int, rest string) {
	var kept strings.Builder
	for line := range strings.Lines(output) {
		switch {
		case strings.HasPrefix(line, "ok "):
			packages++
		case strings.HasPrefix(line, "?   "), strings.HasPrefix(line, "\t") && strings.Contains(line, "coverage: 0.0%"):
		default:
			kept.WriteString(line)
		}
	}
	return packages, kept.String()
}

func formatted(ctx context.Context, out io.Writer) (string, error) {
	var list bytes.Buffer
	if err := program(ctx, &list, "go", "tool", "gofumpt", "-l", "."); err != nil {
		return "", errors.Join(err, errors.New(list.String()))
	}
	if list.Len() == 0 {
		return "", nil
	}
	fmt.Fprint(out, list.String())
	return "", errors.New("these files are not formatted, go tool gofumpt -w . does it")
}

// generated runs the tests of the generators, which compare their output with
// the committed files, and then the generators, which must change nothing.
func generated(ctx context.Context, out io.Writer) (string, error) {
	if err := program(ctx, out, "go", "test", "./internal/gen/..."); err != nil {
		return "", err
	}
	before, err := changes(ctx)
	if err != nil {
		return "", err
	}
	if err := program(ctx, out, "go", "generate", "./..."); err != nil {
		return "", err
	}
	after, err := changes(ctx)
	if err != nil {
		return "", err
	}
	if before != after {
		fmt.Fprintf(out, "before:\n%safter:\n%s", before, after)
		return "", errors.New("go generate changes files: commit what it makes")
	}
	return "", nil
}

// changes describes how the working tree differs from the last commit.
func changes(ctx context.Context) (string, error) {
	var out bytes.Buffer
	if err := program(ctx, &out, "git", "diff", "--stat", "HEAD"); err != nil {
		return "", errors.Join(err, errors.New(out.String()))
	}
	if err := program(ctx, &out, "git", "status", "--porcelain"); err != nil {
		return "", errors.Join(err, errors.New(out.String()))
	}
	return out.String(), nil
}

// clients installs the clients as their lock file says, and runs the tests that
// drive them.
func clients(ctx context.Context, out io.Writer) (string, error) {
	const dir = "gateway/testdata/clients"
	var output bytes.Buffer
	if err := program(ctx, &output, "npm", "ci", "--prefix", dir, "--ignore-scripts"); err != nil {
		if ctx.Err() != nil {
			return "", err
		}
		// Without a registry, what was installed before will do.
		if _, serr := os.Stat(dir + "/node_modules"); serr != nil {
			fmt.Fprint(out, output.String())
			return "", partial(fmt.Sprintf("the clients could not be installed: %v", err))
		}
	}
	var all bytes.Buffer
	err := programWith(ctx, []string{"CI=true"}, &all, "go", "test", "-count=1", "-run", "^TestOpenAIClient", "./gateway")
	_, rest := sift(all.String())
	fmt.Fprint(out, rest)
	return "openai for Node", err
}

// packaging checks what runs Weft as a service, the long way.
func packaging(ctx context.Context, out io.Writer) (string, error) {
	var all bytes.Buffer
	err := programWith(ctx, []string{"WEFT_PACKAGING=1"}, &all, "go", "test", "-count=1", "-timeout", "18m", "./packaging")
	_, rest := sift(all.String())
	fmt.Fprint(out, rest)
	return "", err
}

func examples(ctx context.Context, out io.Writer) (string, error) {
	if err := program(ctx, out, "go", "test", "-count=1", "./examples/..."); err != nil {
		return "", err
	}
	books := []string{"examples/skerrow", "examples/almanac.json", "examples/regulars.json"}
	check := append([]string{"run", "./cmd/weft", "check", "--strict", "--vars", "examples/vars.yaml"}, books...)
	if err := program(ctx, out, "go", check...); err != nil {
		return "", err
	}
	return "", program(ctx, out, "go", "run", "./cmd/weft", "fmt", "--check", "examples/skerrow")
}
