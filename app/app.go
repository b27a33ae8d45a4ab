package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/internal/suggest"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/stdlib"
)

// Options configure the program. The zero Options are weft itself.
type Options struct {
	// Name is the name of the program in messages. Defaults to "weft".
	Name string
	// Plugins and Hooks take part in every assembly; the commands and
	// processors of the plugins are known to all commands.
	Plugins []engine.Plugin
	Hooks   []engine.Hook
	// Readers read further book formats. They are asked before the built-in
	// ones, in this order.
	Readers []Reader
	// Version is what `weft version` says. Defaults to what the Go tool wrote
	// into the binary.
	Version string
	// Getenv reads the environment. Defaults to os.Getenv.
	Getenv func(string) string
}

// The exit statuses of the program.
const (
	ExitOK          = 0   // all is well
	ExitProblems    = 1   // problems were found in what was looked at
	ExitUsage       = 2   // the command line is wrong
	ExitInput       = 3   // something could not be read
	ExitOutput      = 4   // something could not be written
	ExitRefused     = 5   // the server or the database refused what was asked
	ExitInternal    = 70  // a fault of the program itself
	ExitInterrupted = 130 // Ctrl-C
)

// Main runs the program with the arguments of the process and ends it.
func Main(opts Options) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	var p patience
	go func() {
		<-ctx.Done()
		stop() // a second Ctrl-C ends the process at once
		p.wait()
		os.Exit(ExitInterrupted)
	}()
	os.Exit(runWith(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, opts, &p))
}

// patience is how long the process may live on after it was told to end.
type patience struct{ serves atomic.Bool }

// wait returns when the time is up. Commands look at their context where they
// can, and nothing that they do is worth more than a second; a server has
// promised answers and holds a database, which a slow machine may need long to
// put down.
func (p *patience) wait() {
	if p.serves.Load() {
		time.Sleep(serverGrace)
		return
	}
	time.Sleep(time.Second)
}

// serverGrace bounds the orderly end of a server.
const serverGrace = 30 * time.Second

// Run runs the program once and returns its exit status. args are the
// arguments without the program's name.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, opts Options) (status int) {
	return runWith(ctx, args, stdin, stdout, stderr, opts, new(patience))
}

func runWith(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, opts Options, p *patience) (status int) {
	if opts.Name == "" {
		opts.Name = "weft"
	}
	if opts.Getenv == nil {
		opts.Getenv = os.Getenv
	}
	env := &env{
		ctx: ctx, opts: opts, stdin: stdin, patience: p,
		out: newConsole(stdout, opts.Getenv), err: newConsole(stderr, opts.Getenv),
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case exitStatus:
			status = int(r)
		default:
			panic(r)
		}
	}()
	env.settings = &settings{env: env, origins: map[string]origin{}}
	var commands commands
	parser, err := newParser(&commands, env)
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", opts.Name, err)
		return ExitInternal
	}
	if len(args) == 0 {
		// No command: what can be done here goes to standard error.
		parser.Stdout = stderr
		args = []string{"--help"}
		parser.Exit = func(int) { panic(exitStatus(ExitUsage)) }
	}
	kctx, err := parser.Parse(args)
	if err != nil {
		var f *failure
		if errors.As(err, &f) { // a setting of the environment or of the file
			return env.status(f)
		}
		return env.usage(err)
	}
	env.settings.note(kctx)
	return env.status(kctx.Run(env))
}

// exitStatus is how the parser ends the program, after help.
type exitStatus int

// newParser makes the parser of the command line.
func newParser(commands *commands, env *env) (*kong.Kong, error) {
	k, err := kong.New(commands,
		kong.Name(env.opts.Name),
		kong.Description("Weft gives stories a memory: it decides which lore enters the prompt, and says why."),
		kong.UsageOnError(),
		kong.Writers(env.out.w, env.err.w),
		kong.Exit(func(code int) { panic(exitStatus(code)) }),
		kong.Resolvers(env.settings),
		kong.ExplicitGroups(commandGroups),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: env.out.width}),
		kong.Vars{"name": env.opts.Name},
	)
	if err == nil {
		k.Model.HelpFlag.Help = "Show this help."
	}
	return k, err
}

// env is what a command works with.
type env struct {
	ctx      context.Context
	opts     Options
	stdin    io.Reader
	out, err *console
	patience *patience
	settings *settings

	// stdinText is what standard input held (nil if it was not read), and
	// stdinFor what it was read as.
	stdinText []byte
	stdinFor  string
}

// failure is an error with the exit status that it leads to and what to do
// about it.
type failure struct {
	status int
	err    error
	hint   string
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// fail returns an error that ends the program with status.
func fail(status int, hint, format string, args ...any) error {
	return &failure{status: status, err: fmt.Errorf(format, args...), hint: hint}
}

// found ends the program with ExitProblems after the problems were shown.
var errProblems = errors.New("problems were found")

// status reports an error and returns the exit status for it.
func (e *env) status(err error) int {
	var f *failure
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, errProblems):
		return ExitProblems
	case errors.Is(err, syscall.EPIPE), errors.Is(err, io.ErrClosedPipe):
		return ExitOK // the reader has seen enough
	case e.ctx.Err() != nil && errors.Is(err, e.ctx.Err()):
		fmt.Fprintf(e.err.w, "%s: interrupted\n", e.opts.Name)
		return ExitInterrupted
	case errors.As(err, &f):
		e.complain(f.err, f.hint)
		return f.status
	}
	e.complain(err, "")
	return ExitInternal
}

// usage reports a mistake in the command line.
func (e *env) usage(err error) int {
	command := e.opts.Name
	var perr *kong.ParseError
	if errors.As(err, &perr) && perr.Context != nil {
		if node := perr.Context.Selected(); node != nil {
			command = node.FullPath()
		}
	}
	e.complain(err, fmt.Sprintf("%s --help shows how it is used", command))
	return ExitUsage
}

func (e *env) complain(err error, hint string) {
	var b strings.Builder
	text := strings.TrimRight(visible(err.Error(), true), "\n")
	for i, line := range wrap(e.opts.Name+": "+text, e.err.prose()) {
		if i > 0 {
			line = "  " + line
		} else {
			line = e.err.paint(bad, line)
		}
		b.WriteString(line + "\n")
	}
	if hint != "" {
		b.WriteString(indentLines(wrap(hint, e.err.prose()-2), "  "))
	}
	io.WriteString(e.err.w, b.String())
}

// note tells something beside the result, on standard error.
func (e *env) note(format string, args ...any) {
	for _, line := range wrap(visible(fmt.Sprintf(format, args...), true), e.err.prose()) {
		fmt.Fprintln(e.err.w, line)
	}
}

// print writes the result of a command.
func (e *env) print(s string) error {
	if _, err := io.WriteString(e.out.w, s); err != nil {
		if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
			return err
		}
		return fail(ExitOutput, "", "cannot write the output: %w", err)
	}
	return nil
}

// engine returns the engine of the product with the plugins and hooks of the
// program.
func (e *env) engine(o engine.Options) (*engine.Engine, error) {
	o.Registry = stdlib.NewRegistry()
	o.Plugins, o.Hooks = e.opts.Plugins, e.opts.Hooks
	eng, err := engine.New(o)
	if err != nil {
		return nil, fail(ExitInternal, "", "%w", err)
	}
	return eng, nil
}

// registry returns what templates may call, for the commands that need no
// engine.
func (e *env) registry() (*weaver.Registry, error) {
	r := stdlib.NewRegistry()
	for _, p := range e.opts.Plugins {
		if err := p.Register(r); err != nil {
			return nil, fail(ExitInternal, "", "plugin %s: %w", p.Name(), err)
		}
	}
	return r, nil
}

// parseSlots reads the slots of --slots.
func parseSlots(names []string) ([]lore.Slot, error) {
	var out []lore.Slot
	for _, name := range names {
		s, err := lore.ParseSlot(name)
		if err != nil {
			return nil, fail(ExitUsage, "write --slots backdrop,foreground,coda", "%w", err)
		}
		out = append(out, s)
	}
	return out, nil
}

// noteUnknownSlots tells of slots that no entry can name: they are none of
// Weft's, and no book declares them.
func (e *env) noteUnknownSlots(slots []lore.Slot, books []*lore.Book) {
	known := lore.Slots()
	for _, b := range books {
		for _, d := range b.Slots {
			known = append(known, d.Name)
		}
	}
	names := make([]string, len(known))
	for i, s := range known {
		names[i] = string(s)
	}
	for _, s := range slots {
		if _, at := s.Depth(); at || slices.Contains(known, s) {
			continue
		}
		if guess := suggest.Nearest(string(s), names); guess != "" {
			e.note("%s: --slots %s: no book has such a slot; did you mean %s?", e.opts.Name, s, guess)
		} else {
			e.note("%s: --slots %s: no book has such a slot, so no entry can be there", e.opts.Name, s)
		}
	}
}

// errPrint writes to standard error.
func (e *env) errPrint(s string) error {
	_, err := io.WriteString(e.err.w, s)
	return err
}
