// Package app is the program weft: it wires the other packages together and
// holds the commands, one file each.
//
// The whole of cmd/weft is
//
//	func main() { app.Main(app.Options{}) }
//
// A program that adds plugins, hooks or readers of further book formats calls
// Main with them and gets all commands on top of its own parts:
//
//	app.Main(app.Options{
//		Name:    "inn",
//		Plugins: []engine.Plugin{dicePlugin},
//		Readers: []app.Reader{myFormat},
//	})
//
// [Run] is the same for tests: it takes the arguments and the three streams
// and returns the exit status.
package app
