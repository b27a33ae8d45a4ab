package stdlib

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/weft-memory/weft/weaver"
)

type itemsArgs struct {
	Items []weaver.Value `weaver:"items" doc:"the array"`
}

type itemsValueArgs struct {
	Items []weaver.Value `weaver:"items" doc:"the array"`
	Value weaver.Value   `weaver:"value" doc:"the value, compared by type and content"`
}

type sliceArgs struct {
	Items []weaver.Value       `weaver:"items" doc:"the array"`
	Start int                  `weaver:"start" doc:"position of the first item to take, from 0"`
	End   weaver.Optional[int] `weaver:"end" doc:"position after the last item to take; missing: the end"`
}

type rangeArgs struct {
	Start int `weaver:"start" doc:"the first number"`
	End   int `weaver:"end" doc:"the number after the last one"`
}

type concatArgs struct {
	A []weaver.Value `weaver:"a" doc:"the first array"`
	B []weaver.Value `weaver:"b" doc:"the second array"`
}

type sortArgs struct {
	Items      []weaver.Value `weaver:"items" doc:"the array"`
	By         string         `weaver:"by" doc:"a key: sort objects by its value; empty: sort by the items themselves"`
	Descending bool           `weaver:"descending" doc:"greatest first"`
}

type pluckArgs struct {
	Items []weaver.Value `weaver:"items" doc:"an array of objects"`
	Key   string         `weaver:"key" doc:"the key whose values to take"`
}

func arrayProcessors() []weaver.Processor {
	return []weaver.Processor{
		processor("array.length", "Returns the number of items.", func(a itemsArgs) int { return len(a.Items) }),
		fallible("array.contains", "Tells whether a value is among the items. Type and content must be the same, nested arrays and objects included.",
			func(ctx *weaver.Context, a itemsValueArgs) (bool, error) {
				i, err := indexOf(ctx, a)
				return i >= 0, err
			}),
		fallible("array.index_of", "Returns the position of the first item that is the same as a value, or -1.", indexOf),
		processor("array.first", "Returns the first item, or none if there is none.",
			func(a itemsArgs) weaver.Value { return at(a.Items, 0) }),
		processor("array.last", "Returns the last item, or none if there is none.",
			func(a itemsArgs) weaver.Value { return at(a.Items, len(a.Items)-1) }),
		fallible("array.reverse", "Returns the items in the opposite order.", func(ctx *weaver.Context, a itemsArgs) ([]weaver.Value, error) {
			out, err := clone(ctx, a.Items)
			slices.Reverse(out)
			return out, err
		}),
		processor("array.slice", "Returns the items from one position to another.", slice),
		fallible("array.range", "Returns the whole numbers from start to end, end excluded. Fractions of both are dropped.", numbers),
		fallible("array.concat", "Returns the items of both arrays.", func(ctx *weaver.Context, a concatArgs) ([]weaver.Value, error) {
			if err := charge(ctx, len(a.A)+len(a.B), valueBytes); err != nil {
				return nil, err
			}
			return slices.Concat(a.A, a.B), nil
		}),
		fallible("array.sort", "Returns the items in order: none, then false and true, numbers, texts by code point, and at last arrays and objects as they stood. Equal items keep their order.", sorted),
		fallible("array.unique", "Returns the items without those that are the same as an earlier one.", unique),
		fallible("array.sum", "Returns the sum of the items that are numbers.", func(ctx *weaver.Context, a itemsArgs) (float64, error) {
			sum := 0.0
			for _, item := range a.Items {
				n, _ := item.AsNumber()
				sum += n
			}
			return sum, ctx.Step(len(a.Items))
		}),
		fallible("array.pluck", "Returns the value of a key of each object; none where it is not there.", func(ctx *weaver.Context, a pluckArgs) ([]weaver.Value, error) {
			out, err := clone(ctx, a.Items)
			for i := range out {
				out[i], _ = out[i].Get(a.Key)
			}
			return out, err
		}),
	}
}

func at(items []weaver.Value, i int) weaver.Value {
	if i < 0 || i >= len(items) {
		return none
	}
	return items[i]
}

// clone copies the items, so that they can be changed.
func clone(ctx *weaver.Context, items []weaver.Value) ([]weaver.Value, error) {
	if err := charge(ctx, len(items), valueBytes); err != nil {
		return nil, err
	}
	return slices.Clone(items), nil
}

func indexOf(ctx *weaver.Context, a itemsValueArgs) (int, error) {
	// Comparing two values looks at no more than the smaller of them.
	size := a.Value.Size()/64 + 1
	for i, item := range a.Items {
		if i%256 == 0 {
			if err := ctx.Step(size * min(256, len(a.Items)-i)); err != nil {
				return 0, err
			}
		}
		if item.Same(a.Value) {
			return i, nil
		}
	}
	return -1, nil
}

func slice(a sliceArgs) []weaver.Value {
	end := len(a.Items)
	if a.End.Given {
		end = min(max(a.End.Value, 0), end)
	}
	start := min(max(a.Start, 0), end)
	return a.Items[start:end:end]
}

func numbers(ctx *weaver.Context, a rangeArgs) ([]weaver.Value, error) {
	if a.End <= a.Start {
		return nil, nil
	}
	n := uint64(a.End) - uint64(a.Start)
	if n > mostBytes {
		n = mostBytes
	}
	if err := charge(ctx, int(n), valueBytes); err != nil {
		return nil, err
	}
	out := make([]weaver.Value, n)
	for i := range out {
		out[i] = weaver.Number(float64(a.Start + i))
	}
	return out, nil
}

func sorted(ctx *weaver.Context, a sortArgs) ([]weaver.Value, error) {
	out, err := clone(ctx, a.Items)
	if err != nil {
		return nil, err
	}
	if err := ctx.Step(len(out) * (bits.Len(uint(len(out))) + 1)); err != nil {
		return nil, err
	}
	field := func(v weaver.Value) weaver.Value {
		if a.By != "" {
			v, _ = v.Get(a.By)
		}
		return v
	}
	slices.SortStableFunc(out, func(x, y weaver.Value) int {
		if a.Descending {
			x, y = y, x
		}
		return compare(field(x), field(y))
	})
	return out, nil
}

// compare orders values for sort.
func compare(x, y weaver.Value) int {
	if c := cmp.Compare(rank(x), rank(y)); c != 0 {
		return c
	}
	if a, ok := x.AsNumber(); ok {
		b, _ := y.AsNumber()
		return cmp.Compare(a, b)
	}
	if a, ok := x.AsString(); ok {
		b, _ := y.AsString()
		return cmp.Compare(a, b)
	}
	return 0
}

func rank(v weaver.Value) int {
	switch v.Kind() {
	case weaver.KindNone:
		return 0
	case weaver.KindBool:
		if v.Truthy() {
			return 2
		}
		return 1
	case weaver.KindNumber:
		return 3
	case weaver.KindString:
		return 4
	}
	return 5
}

func unique(ctx *weaver.Context, a itemsArgs) ([]weaver.Value, error) {
	if err := charge(ctx, len(a.Items), 2*valueBytes); err != nil {
		return nil, err
	}
	// Values that print alike are compared by content; "1" and 1 print alike.
	seen := make(map[string][]weaver.Value, len(a.Items))
	var out []weaver.Value
	var buf []byte
	for _, item := range a.Items {
		if err := ctx.Charge(item.Size()); err != nil {
			return nil, err
		}
		buf = item.AppendJSON(buf[:0])
		alike := seen[string(buf)]
		if slices.ContainsFunc(alike, item.Same) {
			continue
		}
		seen[string(buf)] = append(alike, item)
		out = append(out, item)
	}
	return out, nil
}
