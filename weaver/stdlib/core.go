package stdlib

import (
	"math"

	"github.com/weft-memory/weft/weaver"
)

type rngArgs struct {
	Min float64 `weaver:"min,required,strict" doc:"the least result"`
	Max float64 `weaver:"max,required,strict" doc:"the greatest result"`
}

type chanceArgs struct {
	Percent float64 `weaver:"percent,required,strict" doc:"0: never; 100: always"`
}

type pickArgs struct {
	Items []weaver.Value `weaver:"items,required,strict" doc:"the array"`
}

type weightedArgs struct {
	Items   []weaver.Value `weaver:"items,required,strict" doc:"the array"`
	Weights []weaver.Value `weaver:"weights,required,strict" doc:"a number for each item, 0 or more"`
}

type valueArgs struct {
	Value weaver.Value `weaver:"value" doc:"any value"`
}

// mostWhole bounds the numbers that rng gives: beyond it a float no longer
// holds every whole number.
const mostWhole = 1 << 53

func coreProcessors() []weaver.Processor {
	return []weaver.Processor{
		fallible("core.rng", "Draws a whole number, both bounds included, each equally likely. Bounds in the wrong order are swapped; with fractions as bounds, the whole numbers between them are meant (1.5 to 3.9: 2 or 3). Fails with host_error if there is none, and with type_error if a bound is no number.",
			rng, weaver.Returns("number")),
		fallible("core.chance", "Draws true with a chance of so many percent.",
			func(ctx *weaver.Context, a chanceArgs) (bool, error) { return unit(ctx)*100 < a.Percent, nil }),
		fallible("core.pick", "Draws one item, each equally likely; none from an empty array.",
			func(ctx *weaver.Context, a pickArgs) (weaver.Value, error) {
				if len(a.Items) == 0 {
					return none, nil
				}
				return a.Items[ctx.IntRange(0, int64(len(a.Items)-1))], nil
			}),
		fallible("core.weighted", "Draws one item with a chance in proportion to its weight; none if all weights are 0. Fails with host_error where the weights do not match the items or one is no number of 0 or more.",
			weighted),
		fallible("core.shuffle", "Returns the items in a random order, each order equally likely.",
			func(ctx *weaver.Context, a pickArgs) ([]weaver.Value, error) {
				out, err := clone(ctx, a.Items)
				for i := len(out) - 1; i > 0; i-- {
					j := ctx.IntRange(0, int64(i))
					out[i], out[j] = out[j], out[i]
				}
				return out, err
			}),
		processor("core.type", "Returns the type of a value: none, bool, number, string, array or object.",
			func(a valueArgs) string { return a.Value.Kind().String() }),
	}
}

func rng(ctx *weaver.Context, a rngArgs) (float64, error) {
	lo, hi := a.Min, a.Max
	if math.IsNaN(lo) || math.IsNaN(hi) {
		return 0, weaver.Errorf(weaver.TypeError, "core.rng: a bound is NaN")
	}
	if hi < lo {
		lo, hi = hi, lo
	}
	first, last := math.Ceil(lo), math.Floor(hi)
	if last < first {
		return 0, weaver.Errorf(weaver.HostError, "core.rng: there is no whole number between %s and %s",
			weaver.Number(lo).Text(), weaver.Number(hi).Text())
	}
	first, last = clampWhole(first), clampWhole(last)
	return float64(ctx.IntRange(int64(first), int64(last))), nil
}

func clampWhole(f float64) float64 { return math.Max(-mostWhole, math.Min(f, mostWhole)) }

// unit draws a number from 0 to 1, 1 excluded, in steps of 2^-53.
func unit(ctx *weaver.Context) float64 { return float64(ctx.Rand().Uint64()>>11) * 0x1p-53 }

func weighted(ctx *weaver.Context, a weightedArgs) (weaver.Value, error) {
	if len(a.Items) != len(a.Weights) {
		return none, weaver.Errorf(weaver.HostError, "core.weighted: %d items, but %d weights", len(a.Items), len(a.Weights))
	}
	total := 0.0
	for i, w := range a.Weights {
		n, ok := w.AsNumber()
		if !ok || !(n >= 0) {
			return none, weaver.Errorf(weaver.HostError, "core.weighted: weight %d is %q, not a number of 0 or more", i+1, w.Text())
		}
		total += n
	}
	if math.IsInf(total, 1) {
		return none, weaver.Errorf(weaver.HostError, "core.weighted: the weights are too large together")
	}
	at := unit(ctx) * total
	drawn := none
	for i, w := range a.Weights {
		n, _ := w.AsNumber()
		if n == 0 {
			continue
		}
		// Should rounding leave a rest, it goes to the last item with a weight.
		drawn = a.Items[i]
		if at < n {
			break
		}
		at -= n
	}
	return drawn, nil
}
