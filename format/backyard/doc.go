// Package backyard reads and writes what Backyard AI (once Faraday) stores:
// cards as JSON, BYAF archives with a character and its scenarios, and lore as
// CSV.
//
// A lore item is a comma string of keys and a text: no switches, no logic. The
// placeholders {character} and {user} are {{char}} and {{user}} in the
// canonical text and are turned back on the way out. There is no place for
// foreign data, so that a conversion to these formats reports what it loses.
package backyard

import "github.com/weft-memory/weft/format"

// The names of the formats.
const (
	Name     = "backyard"
	BYAFName = "byaf"
	CSVName  = "backyard-csv"
)

// Codecs returns the codecs of cards, archives and CSV files.
func Codecs() []format.Codec { return []format.Codec{CardCodec(), ArchiveCodec(), CSVCodec()} }
