package stdlib

import "github.com/weft-memory/weft/weaver"

type objectArgs struct {
	Object weaver.Value `weaver:"object" doc:"the object"`
}

type objectKeyArgs struct {
	Object weaver.Value `weaver:"object" doc:"the object"`
	Key    string       `weaver:"key" doc:"the key"`
}

type objectGetArgs struct {
	Object  weaver.Value `weaver:"object" doc:"the object"`
	Key     string       `weaver:"key" doc:"the key"`
	Default weaver.Value `weaver:"default" doc:"the result where the key is not there; missing: none"`
}

type objectSetArgs struct {
	Object weaver.Value `weaver:"object" doc:"the object"`
	Key    string       `weaver:"key" doc:"the key"`
	Value  weaver.Value `weaver:"value" doc:"its new value"`
}

type mergeArgs struct {
	A weaver.Value `weaver:"a" doc:"the first object"`
	B weaver.Value `weaver:"b" doc:"the second object; its entries win"`
}

// objectProcessors works on objects. Anything else given as an object counts
// as the empty object.
func objectProcessors() []weaver.Processor {
	list := []weaver.Processor{
		fallible("object.keys", "Returns the keys, sorted.", func(ctx *weaver.Context, a objectArgs) ([]weaver.Value, error) {
			if err := charge(ctx, a.Object.Len(), valueBytes); err != nil {
				return nil, err
			}
			return stringValues(a.Object.Keys()), nil
		}),
		fallible("object.values", "Returns the values, in the order of their keys.", func(ctx *weaver.Context, a objectArgs) ([]weaver.Value, error) {
			keys := a.Object.Keys()
			if err := charge(ctx, len(keys), valueBytes); err != nil {
				return nil, err
			}
			out := make([]weaver.Value, 0, len(keys))
			for _, v := range a.Object.Entries {
				out = append(out, v)
			}
			return out, nil
		}),
		processor("object.has", "Tells whether a key is there.", func(a objectKeyArgs) bool {
			_, ok := a.Object.Get(a.Key)
			return ok
		}),
		processor("object.get", "Returns the value of a key, or a default. Unlike {{object.key}} it never fails for a missing key, and the key may be computed.",
			func(a objectGetArgs) weaver.Value {
				if v, ok := a.Object.Get(a.Key); ok {
					return v
				}
				return a.Default
			}),
		fallible("object.set", "Returns the object with one key set. The object that was given stays as it was.",
			func(ctx *weaver.Context, a objectSetArgs) (weaver.Value, error) {
				b, err := builder(ctx, a.Object)
				if err != nil {
					return none, err
				}
				b.Set(a.Key, a.Value)
				return b.Value(), nil
			}),
		fallible("object.remove", "Returns the object without one key.",
			func(ctx *weaver.Context, a objectKeyArgs) (weaver.Value, error) {
				if err := charge(ctx, a.Object.Len(), 2*valueBytes); err != nil {
					return none, err
				}
				var b weaver.ObjectBuilder
				for k, v := range a.Object.Entries {
					if k != a.Key {
						b.Set(k, v)
					}
				}
				return b.Value(), nil
			}),
		fallible("object.merge", "Returns an object with the entries of both. Objects inside are not merged: the second one's stands.",
			func(ctx *weaver.Context, a mergeArgs) (weaver.Value, error) { return merge(ctx, a.A, a.B) }),
	}
	for i := range list {
		for j := range list[i].Params {
			switch list[i].Params[j].Name {
			case "object", "a", "b":
				list[i].Params[j].Type = "object"
			}
		}
		switch list[i].Name {
		case "object.set", "object.remove", "object.merge":
			list[i].Returns = "object"
		}
	}
	return list
}

// builder returns a builder that holds the entries of v.
func builder(ctx *weaver.Context, v weaver.Value) (*weaver.ObjectBuilder, error) {
	if err := charge(ctx, v.Len(), 2*valueBytes); err != nil {
		return nil, err
	}
	b := new(weaver.ObjectBuilder)
	for k, item := range v.Entries {
		b.Set(k, item)
	}
	return b, nil
}

// merge walks both objects in the order of their keys, so that no entry has to
// be moved.
func merge(ctx *weaver.Context, a, b weaver.Value) (weaver.Value, error) {
	x, y := a.Keys(), b.Keys()
	if err := charge(ctx, len(x)+len(y), 2*valueBytes); err != nil {
		return none, err
	}
	var out weaver.ObjectBuilder
	for len(x) > 0 || len(y) > 0 {
		from, k := b, ""
		switch {
		case len(y) == 0 || len(x) > 0 && x[0] < y[0]:
			from, k, x = a, x[0], x[1:]
		case len(x) > 0 && x[0] == y[0]:
			k, x, y = y[0], x[1:], y[1:]
		default:
			k, y = y[0], y[1:]
		}
		v, _ := from.Get(k)
		out.Set(k, v)
	}
	return out.Value(), nil
}
