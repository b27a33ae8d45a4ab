package engine

import (
	"context"
	"strings"

	"github.com/weft-memory/weft/weaver"
)

// RegistryView is a registry for looking only. A hook may also run a processor
// of it over a text of its own.
type RegistryView struct{ r *weaver.Registry }

// Command returns the signature of a command.
func (v RegistryView) Command(name string) (weaver.Signature, bool) { return v.r.Command(name) }

// Processor returns the signature of a processor.
func (v RegistryView) Processor(name string) (weaver.Signature, bool) { return v.r.Processor(name) }

// Signatures lists everything that templates may call, sorted.
func (v RegistryView) Signatures() []weaver.Signature { return v.r.Signatures() }

// Process runs a processor, such as "text.upper", with named arguments. Limits
// are those of an entry; random draws come from seed. An unknown processor or
// argument is an error.
func (v RegistryView) Process(ctx context.Context, name string, args map[string]weaver.Value, seed uint64) (weaver.Value, error) {
	if _, ok := v.r.Processor(name); !ok {
		return weaver.None, weaver.Errorf(weaver.UndefinedCallable, "there is no processor %s", name)
	}
	var call strings.Builder
	call.WriteString("@[" + name + "(")
	for i, arg := range sortedKeys(args) {
		if i > 0 {
			call.WriteString(", ")
		}
		call.WriteString(arg + ": {{arg:" + arg + "}}")
	}
	call.WriteString(")]")
	x, list := weaver.ParseExpr(name, call.String())
	if err := list.Err(); err != nil {
		return weaver.None, err
	}
	host := &weaver.MapHost{Vars: map[string]map[string]weaver.Value{"arg": args}}
	return x.Eval(ctx, host, weaver.Options{Registry: v.r, Seed: seed})
}
