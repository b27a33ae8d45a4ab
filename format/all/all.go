// Package all gathers the codecs of all formats that Weft knows.
package all

import (
	"sync"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/card"
	"github.com/weft-memory/weft/format/characterbook"
	"github.com/weft-memory/weft/format/sillytavern"
)

// Table returns the table of all codecs, in the order in which they look at a
// file: what says itself what it is comes first.
func Table() *format.Table { return table() }

var table = sync.OnceValue(func() *format.Table {
	t, err := format.NewTable(Codecs()...)
	if err != nil {
		panic(err) // two codecs of one name: a mistake in this file
	}
	return t
})

// Codecs returns all codecs, for tables of one's own.
func Codecs() []format.Codec {
	return []format.Codec{
		card.Codec(),
		characterbook.CodecV3(),
		sillytavern.Codec(),
		characterbook.Codec(),
		characterbook.CodecBareV3(),
	}
}
