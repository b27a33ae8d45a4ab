package stdlib_test

import (
	"testing"

	"github.com/weft-memory/weft/weaver"
)

func BenchmarkCall(b *testing.B) {
	for name, src := range map[string]string{
		"set_var":    `$[set_var("state:tide", 9)]`,
		"inc_var":    `$[inc_var("state:tide")]`,
		"text.upper": `@[text.upper("low tide at the quay")]`,
		"core.rng":   `@[core.rng(1, 6)]`,
		"array.sort": `@[array.sort({{state:crew}})]`,
	} {
		b.Run(name, func(b *testing.B) {
			expr := weaver.MustParseExpr(name, src)
			host := newHost()
			b.ReportAllocs()
			for b.Loop() {
				if _, err := expr.Eval(b.Context(), host, weaver.Options{Registry: registry, Seed: 1}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
