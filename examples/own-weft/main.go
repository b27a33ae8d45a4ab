// Own-weft is Weft with a plugin and a hook of its own: all commands, the server
// included, know them.
//
//	go run ./examples/own-weft signatures moon
//	go run ./examples/own-weft serve
package main

import (
	"github.com/weft-memory/weft/app"
	"github.com/weft-memory/weft/engine"
)

func main() {
	app.Main(app.Options{
		Plugins: []engine.Plugin{moon},
		Hooks:   []engine.Hook{tally},
	})
}
