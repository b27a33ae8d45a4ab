package stdlib

import "github.com/weft-memory/weft/weaver"

// Name is the owner that the library's callables carry in their signatures
// and in messages about conflicts.
const Name = "stdlib"

// Plugin is the library as a plugin.
type Plugin struct{}

// Name returns [Name].
func (Plugin) Name() string { return Name }

// Register adds the library to a registry.
func (Plugin) Register(r *weaver.Registry) error { return Register(r) }

// Register adds all commands and processors of the library to r. A name that
// is taken already is an error that names its owner; what was registered
// before it stays registered.
func Register(r *weaver.Registry) error {
	for _, c := range commands() {
		if err := r.RegisterCommand(c); err != nil {
			return err
		}
	}
	for _, group := range [][]weaver.Processor{
		textProcessors(), mathProcessors(), arrayProcessors(), objectProcessors(), jsonProcessors(), coreProcessors(),
	} {
		for _, p := range group {
			if err := r.RegisterProcessor(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// NewRegistry returns a registry that holds the library and nothing else.
func NewRegistry() *weaver.Registry {
	r := weaver.NewRegistry()
	if err := Register(r); err != nil {
		panic("stdlib: " + err.Error()) // an empty registry has no conflicts
	}
	return r
}

// none is the result of a command that has none.
var none = weaver.None

func command[A any](name, doc string, run func(*weaver.Context, A) (weaver.Value, error), opts ...weaver.CallOption) weaver.Command {
	return weaver.NewCommand(name, doc, run, append(opts, weaver.Owner(Name))...)
}

// processor makes a processor of a function that cannot fail.
func processor[A, R any](name, doc string, run func(A) R) weaver.Processor {
	return fallible(name, doc, func(_ *weaver.Context, a A) (R, error) { return run(a), nil })
}

// fallible makes a processor of a function that charges what it makes, draws
// random numbers, or can fail.
func fallible[A, R any](name, doc string, run func(*weaver.Context, A) (R, error), opts ...weaver.CallOption) weaver.Processor {
	return weaver.NewProcessor(name, doc, run, append(opts, weaver.Owner(Name))...)
}

// Sizes for Context.Charge, in bytes.
const (
	valueBytes = 24
	mostBytes  = 1 << 40 // beyond every limit, and far from an overflow
)

// charge counts n pieces of size bytes each before they are made.
func charge(ctx *weaver.Context, n, size int) error {
	if n <= 0 || size <= 0 {
		return nil
	}
	if n > mostBytes/size {
		return ctx.Charge(mostBytes)
	}
	return ctx.Charge(n * size)
}

var _ interface {
	Name() string
	Register(*weaver.Registry) error
} = Plugin{}
