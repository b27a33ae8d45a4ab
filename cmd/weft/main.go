// Weft gives stories told with a language model a memory: it decides which
// lore enters the prompt, and says why. Run it without arguments for the
// commands.
package main

import "github.com/weft-memory/weft/app"

func main() { app.Main(app.Options{}) }
