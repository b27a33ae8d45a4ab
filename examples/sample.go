// Package examples holds the example world, which `weft serve` loads on its
// first start; its tests make sure that it loads without a finding, shows every
// feature, and gives the prompts in testdata.
package examples

import (
	"embed"
	"io/fs"
)

//go:embed skerrow maddis.card.json
var files embed.FS

// Skerrow returns the folder of the book of the example world.
func Skerrow() fs.FS {
	sub, err := fs.Sub(files, "skerrow")
	if err != nil {
		panic(err) // the name is valid
	}
	return sub
}

// Maddis returns the card of the character of the example world, in the file
// format of Character Card V3.
func Maddis() []byte {
	data, err := files.ReadFile("maddis.card.json")
	if err != nil {
		panic(err) // it is embedded
	}
	return data
}
