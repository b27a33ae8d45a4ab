package stdlib

import "github.com/weft-memory/weft/weaver"

type keyArgs struct {
	Key string `weaver:"key,required,strict" doc:"the variable, as \"scope:name\""`
}

type keyValueArgs struct {
	Key   string       `weaver:"key,required,strict" doc:"the variable, as \"scope:name\""`
	Value weaver.Value `weaver:"value" doc:"any value; missing: none"`
}

type keyAmountArgs struct {
	Key    string  `weaver:"key,required,strict" doc:"the variable, as \"scope:name\""`
	Amount float64 `weaver:"amount" default:"1" doc:"how much to add; may be negative"`
}

type idArgs struct {
	ID string `weaver:"id,required,strict" doc:"the id of an entry"`
}

func commands() []weaver.Command {
	return []weaver.Command{
		command("set_var", "Sets a variable. Fails where the scope is not writable.",
			withKey(func(a keyValueArgs) string { return a.Key }, func(ctx *weaver.Context, k key, a keyValueArgs) (weaver.Value, error) {
				return none, k.set(ctx, a.Value)
			}), weaver.Returns("none")),
		command("get_var", "Returns a variable, or none if it is not there. Unlike a reference it never fails for a missing variable.",
			withKey(func(a keyArgs) string { return a.Key }, func(ctx *weaver.Context, k key, _ keyArgs) (weaver.Value, error) {
				v, _, err := k.get(ctx)
				return v, err
			})),
		command("var_exists", "Tells whether a variable is there. One that holds none is.",
			withKey(func(a keyArgs) string { return a.Key }, func(ctx *weaver.Context, k key, _ keyArgs) (weaver.Value, error) {
				_, ok, err := k.get(ctx)
				return weaver.Bool(ok), err
			}), weaver.Returns("bool")),
		command("inc_var", "Adds to a number; a variable that is not there becomes the amount. Fails with type_error if it holds anything but a number.",
			withKey(func(a keyAmountArgs) string { return a.Key }, incVar), weaver.Returns("none")),
		command("push_var", "Appends to an array; a variable that is not there becomes an array of this one value. Fails with type_error if it holds anything but an array.",
			withKey(func(a keyValueArgs) string { return a.Key }, pushVar), weaver.Returns("none")),
		command("default_var", "Sets a variable unless it is there already.",
			withKey(func(a keyValueArgs) string { return a.Key }, func(ctx *weaver.Context, k key, a keyValueArgs) (weaver.Value, error) {
				_, ok, err := k.get(ctx)
				if err != nil || ok {
					return none, err
				}
				return none, k.set(ctx, a.Value)
			}), weaver.Returns("none")),
		command("is_active", "Tells whether an entry of the same book is active: found so far in this assembly, and not merely included as a document.",
			func(ctx *weaver.Context, a idArgs) (weaver.Value, error) {
				host, ok := ctx.Host().(interface{ IsActive(id string) bool })
				return weaver.Bool(ok && host.IsActive(a.ID)), nil
			}, weaver.Returns("bool")),
		command("is_active_global", "Tells whether an entry of any book is active.",
			func(ctx *weaver.Context, a idArgs) (weaver.Value, error) {
				host, ok := ctx.Host().(interface{ IsActiveGlobal(id string) bool })
				return weaver.Bool(ok && host.IsActiveGlobal(a.ID)), nil
			}, weaver.Returns("bool")),
	}
}

// withKey parses the key before it calls run.
func withKey[A any](keyOf func(A) string, run func(*weaver.Context, key, A) (weaver.Value, error)) func(*weaver.Context, A) (weaver.Value, error) {
	return func(ctx *weaver.Context, a A) (weaver.Value, error) {
		k, err := parseKey(keyOf(a))
		if err != nil {
			return none, err
		}
		return run(ctx, k, a)
	}
}

func incVar(ctx *weaver.Context, k key, a keyAmountArgs) (weaver.Value, error) {
	v, ok, err := k.get(ctx)
	if err != nil {
		return none, err
	}
	if !ok {
		return none, k.set(ctx, weaver.Number(a.Amount))
	}
	n, ok := v.AsNumber()
	if !ok {
		return none, weaver.Errorf(weaver.TypeError, "inc_var adds to a number, but %s holds %s", a.Key, article(v.Kind()))
	}
	return none, k.set(ctx, weaver.Number(n+a.Amount))
}

func pushVar(ctx *weaver.Context, k key, a keyValueArgs) (weaver.Value, error) {
	v, ok, err := k.get(ctx)
	if err != nil {
		return none, err
	}
	if !ok {
		return none, k.set(ctx, weaver.Array([]weaver.Value{a.Value}))
	}
	items, ok := v.AsArray()
	if !ok {
		return none, weaver.Errorf(weaver.TypeError, "push_var appends to an array, but %s holds %s", a.Key, article(v.Kind()))
	}
	if err := charge(ctx, len(items)+1, valueBytes); err != nil {
		return none, err
	}
	longer := make([]weaver.Value, len(items), len(items)+1)
	copy(longer, items)
	return none, k.set(ctx, weaver.Array(append(longer, a.Value)))
}

func article(k weaver.Kind) string {
	switch k {
	case weaver.KindNone:
		return "none"
	case weaver.KindArray, weaver.KindObject:
		return "an " + k.String()
	}
	return "a " + k.String()
}
