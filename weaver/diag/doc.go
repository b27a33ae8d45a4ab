// Package diag is how Weft talks about mistakes in what people wrote: in
// templates, in the YAML of a book, in a configuration file.
//
// A [Diagnostic] is one finding, with a severity, a code that programs can
// compare, a place and a hint. A [List] gathers all findings about a piece of
// work, since a person wants to see them in one go. A [Source] turns byte
// offsets into lines and columns. A [Renderer] draws a finding with the line
// it is about and a caret below the place:
//
//	src := diag.NewSource("gate.weaver", "Gold: {{ world:gold world:town }}")
//	d := src.At(diag.Error, "expected-operator", diag.Span{Start: 20, End: 30},
//		"expected an operator or }}")
//	fmt.Print(diag.Renderer{}.Render(d, src))
//
// prints
//
//	error: expected an operator or }}
//	  --> gate.weaver:1:21
//	   |
//	 1 | Gold: {{ world:gold world:town }}
//	   |                     ^^^^^^^^^^
//
// The package knows nothing about the language; everything else may use it.
package diag
