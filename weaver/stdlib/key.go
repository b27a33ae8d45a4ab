package stdlib

import (
	"strings"

	"github.com/weft-memory/weft/weaver"
)

// key is the name of a variable as commands take it.
type key struct{ scope, name string }

// parseKey splits "scope:name". The name may be a path ("state:quest.stage");
// it goes to the host as it is, and the host decides what that means.
func parseKey(text string) (key, error) {
	scope, name, found := strings.Cut(text, ":")
	switch {
	case !found:
		return key{}, weaver.Errorf(weaver.HostError, "%q is no variable key: write it as \"scope:name\", for example \"state:%s\"", text, text)
	case strings.ContainsAny(text, "{}<>") || strings.Contains(name, ":"):
		return key{}, weaver.Errorf(weaver.HostError, "the variable key %q holds a character that is not allowed in one: { } < > or a second colon", text).
			WithHint("to use the value of a variable in a key, join texts: \"state:\" + {{local:name}}")
	case scope == "" || name == "":
		return key{}, weaver.Errorf(weaver.HostError, "the variable key %q lacks a name: write it as \"scope:name\"", text)
	}
	return key{scope, name}, nil
}

func (k key) get(ctx *weaver.Context) (weaver.Value, bool, error) {
	return ctx.Host().Get(k.scope, k.name)
}

func (k key) set(ctx *weaver.Context, v weaver.Value) error {
	return ctx.Host().Set(k.scope, k.name, v)
}
