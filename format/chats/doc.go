// Package chats reads and writes the conversations that front ends store:
// SillyTavern's and Chub's lines of JSON with their swipes, RisuAI, Agnai,
// Backyard, text-generation-webui and CAI tools as JSON, and logs that are
// plain text.
//
// A chat gives [lore.Chat] messages with their variants, the person's and the
// characters' names, the author's note, variables, and the books that the chat
// is bound to or holds itself. Messages that are hidden from the prompt are
// kept and marked. Lines and rows that are no messages stay in their file.
//
//	table, err := format.NewTable(chats.Codecs()...)
//	if err != nil {
//		return err
//	}
//	doc, report, err := format.Read(ctx, table, format.File("evening.jsonl"))
//	if err != nil {
//		return err
//	}
//	doc.Chats[0].Messages[2].Content = "An hour ago, or two."
//	out, report, err := format.Write(ctx, table, doc, doc.Format)
//
// Only JSON with a place for unknown members carries foreign data: SillyTavern,
// Chub, RisuAI and Agnai. Text is for reading; keep chats as JSON lines.
package chats

import "github.com/weft-memory/weft/format"

// Codecs returns the codecs of all chats that are files of their own, in the
// order in which they should be asked.
func Codecs() []format.Codec {
	return []format.Codec{
		codec{TavernShape()},
		codec{ChubShape()},
		codec{RisuShape()},
		codec{AgnaiShape()},
		codec{TextgenShape()},
		codec{CAIShape()},
		codec{BackyardShape()},
		RisuTextCodec(), BackyardLogCodec(), LogCodec(),
	}
}
