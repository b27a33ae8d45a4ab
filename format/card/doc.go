// Package card reads and writes character cards: V1, V2 and V3, as JSON.
//
// The containers of cards (PNG, CHARX, EXIF) have packages of their own beside
// this one; they hold the same JSON and use [Read], [Splice] and [New].
//
// A card is a [lore.Character] and, if it embeds one, a book. SillyTavern writes
// the fields of V1 twice, at the top and under data; an edit changes both. A
// card may also name a book (data.extensions.world) beside the embedded one:
// they are two sources of one book, and the named one is the live one where a
// program has it.
//
//	doc, _, err := format.Read(ctx, all.Table(), format.File("mira.json"))
//	mira := doc.Characters[0]
//	mira.Greeting = "The lamp is lit."
//	out, _, err := format.Write(ctx, all.Table(), doc, doc.Format)
package card
