package diag_test

import (
	"fmt"

	"github.com/weft-memory/weft/weaver/diag"
)

func Example() {
	src := diag.NewSource("gate.weaver", "Gold: {{ world:gold world:town }}")
	d := src.At(diag.Error, "expected-operator", diag.Span{Start: 20, End: 30},
		"expected an operator or }}")
	fmt.Print(diag.Renderer{}.Render(d, src))
	// Output:
	// error: expected an operator or }}
	//   --> gate.weaver:1:21
	//    |
	//  1 | Gold: {{ world:gold world:town }}
	//    |                     ^^^^^^^^^^
}
