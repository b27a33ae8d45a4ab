// Package examples holds the example world, which `weft serve` loads on its
// first start; its tests make sure that it loads without a finding, shows every
// feature, and gives the prompts in testdata.
package examples

import (
	"embed"
	"io/fs"
)

//go:embed skerrow ilka.card.json maddis.card.json
var files embed.FS

// Skerrow returns the folder of the book of the example world.
func Skerrow() fs.FS {
	sub, err := fs.Sub(files, "skerrow")
	if err != nil {
		panic(err) // the name is valid
	}
	return sub
}

// Ilka returns the card of the pilot of the example world, in the file format
// of Character Card V2.
func Ilka() []byte { return card("ilka.card.json") }

// Maddis returns the card of the keeper of its tavern, in the file format of
// Character Card V3.
func Maddis() []byte { return card("maddis.card.json") }

func card(name string) []byte {
	data, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return data
}
