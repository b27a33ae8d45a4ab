// Package format reads the files of other programs (lorebooks, character
// cards, chats) and gives them back without a scratch.
//
// A [Source] is a file, a folder, or bytes. A [Codec] knows one format; a
// [Table] holds the codecs that a program wants, and [Read] finds the right
// one by looking at the content, never at the file name alone. What comes out
// is a [Document] of canonical books, characters and chats, and a [Report] of
// what was odd about the file.
//
//	doc, report, err := format.Read(ctx, all.Table(), format.File("harbour.json"))
//	if err != nil {
//		return err
//	}
//	doc.Books[0].Entries[0].Content = "The lamp is out."
//	out, report, err := format.Write(ctx, all.Table(), doc, doc.Format)
//
// # Nothing is lost
//
// Writing a document back in its own format starts from the bytes that were
// read. An edit changes the members that it must change; everything else, white
// space and unknown members included, stays byte for byte.
//
// A conversion to another format carries along what that format cannot say, in
// its place for foreign data, under the name "weft":
//
//	"extensions": {"weft": {"from": "novelai", "v": 1, "entry": {"searchRange": 800}}}
//
// On the way back the carried members are put in place again, unless somebody
// has changed in between what they belong to: then that edit wins. Formats
// without a place for foreign data lose it, and the report names every field
// of every entry that is lost, approximated or carried.
//
// # Writing a codec
//
// A format whose files are JSON with a list of entries needs a [BookShape]:
// where the entries are, how one is read into a [lore.Entry], how one is
// written. Splicing, carrying and reporting are the same for all and live here;
// [NewBookCodec] makes the codec. Other formats implement [Codec] themselves.
package format
