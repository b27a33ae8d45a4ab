package stdlib

import (
	"math"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/weaver"
)

type pairArgs struct {
	A float64 `weaver:"a" doc:"the first number"`
	B float64 `weaver:"b" doc:"the second number"`
}

type divideArgs struct {
	A float64 `weaver:"a" doc:"the number to divide"`
	B float64 `weaver:"b" default:"1" doc:"the divisor"`
}

type numberArgs struct {
	Value float64 `weaver:"value" doc:"the number"`
}

type clampArgs struct {
	Value float64 `weaver:"value" doc:"the number"`
	Min   float64 `weaver:"min" doc:"the least result"`
	Max   float64 `weaver:"max" default:"1" doc:"the greatest result; it wins over min"`
}

type powArgs struct {
	Base     float64 `weaver:"base" doc:"the number"`
	Exponent float64 `weaver:"exponent" default:"1" doc:"the power"`
}

type parseNumberArgs struct {
	Text    string       `weaver:"text" doc:"the text"`
	Default weaver.Value `weaver:"default" doc:"the result where the text is no number; missing: none"`
}

func mathProcessors() []weaver.Processor {
	return []weaver.Processor{
		processor("math.add", "Returns a + b.", func(a pairArgs) float64 { return a.A + a.B }),
		processor("math.sub", "Returns a - b.", func(a pairArgs) float64 { return a.A - a.B }),
		processor("math.mul", "Returns a × b.", func(a pairArgs) float64 { return a.A * a.B }),
		fallible("math.div", "Returns a / b. Fails with host_error where b is 0.",
			func(_ *weaver.Context, a divideArgs) (float64, error) {
				if a.B == 0 {
					return 0, weaver.Errorf(weaver.HostError, "math.div: division by zero")
				}
				return a.A / a.B, nil
			}),
		fallible("math.mod", "Returns what is left of a after division by b, with the sign of a. Fails with host_error where b is 0.",
			func(_ *weaver.Context, a divideArgs) (float64, error) {
				if a.B == 0 {
					return 0, weaver.Errorf(weaver.HostError, "math.mod: modulo by zero")
				}
				return math.Mod(a.A, a.B), nil
			}),
		processor("math.min", "Returns the smaller number.", func(a pairArgs) float64 { return least(a.A, a.B) }),
		processor("math.max", "Returns the greater number.", func(a pairArgs) float64 { return greatest(a.A, a.B) }),
		processor("math.abs", "Returns the number without its sign.", func(a numberArgs) float64 { return math.Abs(a.Value) }),
		processor("math.floor", "Returns the nearest whole number that is not greater.", func(a numberArgs) float64 { return math.Floor(a.Value) }),
		processor("math.ceil", "Returns the nearest whole number that is not smaller.", func(a numberArgs) float64 { return math.Ceil(a.Value) }),
		processor("math.round", "Returns the nearest whole number; halves go away from zero.", func(a numberArgs) float64 { return math.Round(a.Value) }),
		processor("math.clamp", "Returns the number, moved between two bounds.",
			func(a clampArgs) float64 { return least(greatest(a.Value, a.Min), a.Max) }),
		processor("math.pow", "Returns the number raised to a power.", func(a powArgs) float64 { return math.Pow(a.Base, a.Exponent) }),
		processor("math.parse", "Returns the number that a text spells, such as \" -2.5\"; white space around it is ignored.", parseNumber),
	}
}

// least and greatest take the other number where one is not a number.

func least(a, b float64) float64 {
	if b < a || math.IsNaN(a) {
		return b
	}
	return a
}

func greatest(a, b float64) float64 {
	if b > a || math.IsNaN(a) {
		return b
	}
	return a
}

func parseNumber(a parseNumberArgs) weaver.Value {
	text := strings.TrimSpace(a.Text)
	// Decimal numbers only: no "inf", no "0x1p-2", no "1_000".
	if strings.ContainsAny(text, "xXpPnN_") {
		return a.Default
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(n, 0) {
		return a.Default
	}
	return weaver.Number(n)
}
