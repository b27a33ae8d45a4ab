// Package stdlib is the standard library of the weaver language: the commands
// that read and change variables, and processors for text, numbers, arrays,
// objects, JSON and chance.
//
// It registers through the same door as any plugin:
//
//	reg := weaver.NewRegistry()
//	if err := stdlib.Register(reg); err != nil {
//		return err
//	}
//	result, err := template.Render(ctx, host, weaver.Options{Registry: reg, Seed: 7})
//
// or as a value with a name, where a host takes plugins: [Plugin].
//
// # Rules that hold throughout
//
// A processor never fails because of the type of an argument unless its
// description says so: an argument that is missing or of another type counts
// as its default ("" for a text, 0 for a number, an empty array). A template
// stays readable when a variable is not what its author thought, and the
// result shows it. Commands that change variables are strict instead, since a
// wrong write would stay.
//
// Positions and lengths of texts count code points, from 0. Fractions in
// positions and counts are dropped; negative ones count as 0.
//
// Nothing here is unbounded: what a call is about to make is charged to the
// limits of the evaluation first, so that a text repeated a billion times ends
// in an error of kind resource_limit at once.
//
// Everything random draws from the seed of the evaluation. The same seed
// gives the same rolls.
//
// The file docs/stdlib.md lists all signatures with examples. It is generated.
package stdlib

//go:generate go run ../../internal/gen/stdlibdoc -o ../../docs/stdlib.md
