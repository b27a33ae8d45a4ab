// Package all gathers the codecs of all formats that Weft knows.
package all

import (
	"slices"
	"sync"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/agnai"
	"github.com/weft-memory/weft/format/aidungeon"
	"github.com/weft-memory/weft/format/backyard"
	"github.com/weft-memory/weft/format/card"
	"github.com/weft-memory/weft/format/characterbook"
	"github.com/weft-memory/weft/format/charx"
	"github.com/weft-memory/weft/format/chats"
	"github.com/weft-memory/weft/format/chub"
	"github.com/weft-memory/weft/format/contextweaver"
	"github.com/weft-memory/weft/format/exif"
	"github.com/weft-memory/weft/format/janitor"
	"github.com/weft-memory/weft/format/kobold"
	"github.com/weft-memory/weft/format/novelai"
	"github.com/weft-memory/weft/format/pngcard"
	"github.com/weft-memory/weft/format/risu"
	"github.com/weft-memory/weft/format/sillytavern"
	"github.com/weft-memory/weft/format/suzune"
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
	return slices.Concat(
		[]format.Codec{
			// Containers and what names itself.
			pngcard.Codec(), charx.Codec(), exif.Codec(card.Codec(), backyard.CardCodec()),
			card.Codec(), characterbook.CodecV3(),
		},
		risu.Codecs(),
		[]format.Codec{agnai.Codec(), chub.Codec(), sillytavern.Codec(), characterbook.Codec(), characterbook.CodecBareV3()},
		novelai.Codecs(),
		kobold.Codecs(),
		backyard.Codecs(),
		[]format.Codec{janitor.Codec()},
		aidungeon.Codecs(),
		suzune.Codecs(),
		contextweaver.Codecs(),
		chats.Codecs(),
	)
}
