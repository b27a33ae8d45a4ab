package weaver

import "math"

// Options are the settings of one evaluation. The zero Options are strict,
// know no callables, and have the default limits.
type Options struct {
	// Registry holds the commands and processors. Defaults to an empty one.
	Registry *Registry
	// Limits bound what the evaluation may use.
	Limits Limits
	// Lenient makes unresolved references and failed calls print their source
	// form instead of failing.
	Lenient bool
	// UndefinedAsNone makes a variable, key or position that is not there
	// read as none. It is meant for conditions. A bare name that no loop
	// binds stays an error.
	UndefinedAsNone bool
	// Seed is where the random numbers of the evaluation come from.
	Seed uint64
	// Rand replaces the source made from Seed.
	Rand Source
}

// Limits bound one evaluation, its nested documents included. A field that is
// zero takes its default; a negative one allows nothing at all. Exceeding one
// is an error of kind ResourceLimit (Depth: RecursionLimit).
type Limits struct {
	// Nodes bounds the nodes evaluated: texts, expressions, blocks, and the
	// items of array and object literals. Defaults to 50,000.
	Nodes int
	// Iterations bounds the rounds of all loops together. Defaults to 10,000.
	Iterations int
	// OutputBytes bounds the rendered text. Defaults to 4 MiB.
	OutputBytes int
	// ValueBytes bounds the bytes of all strings, arrays and objects made
	// during the evaluation together, and of any single value. Defaults to
	// 64 MiB.
	ValueBytes int
	// Steps bounds the work done, counted in operators and in pieces of 64
	// bytes copied or compared. Defaults to 20 million, a second or so.
	Steps int
	// Depth bounds the nesting of documents evaluated through Context.Sub.
	// Defaults to 32.
	Depth int
}

// Unlimited is a limit that is never reached.
const Unlimited = math.MaxInt

// maxValueDepth bounds the nesting of arrays and objects.
const maxValueDepth = 500

func (l Limits) withDefaults() Limits {
	set := func(p *int, def int) {
		switch {
		case *p == 0:
			*p = def
		case *p < 0:
			*p = 0
		}
	}
	set(&l.Nodes, defaultLimits.Nodes)
	set(&l.Iterations, defaultLimits.Iterations)
	set(&l.OutputBytes, defaultLimits.OutputBytes)
	set(&l.ValueBytes, defaultLimits.ValueBytes)
	set(&l.Steps, defaultLimits.Steps)
	set(&l.Depth, defaultLimits.Depth)
	return l
}

var defaultLimits = Limits{
	Nodes:       50_000,
	Iterations:  10_000,
	OutputBytes: 4 << 20,
	ValueBytes:  64 << 20,
	Steps:       20_000_000,
	Depth:       32,
}

// Result is what a template gives.
type Result struct {
	// Value is the value of the template: what it returned, or its text.
	Value Value
	// Text is Value as text.
	Text string
	// Usage is what the evaluation used up.
	Usage Usage
}

// Usage counts what an evaluation used, in the terms of Limits.
type Usage struct {
	Nodes      int
	Iterations int
}
