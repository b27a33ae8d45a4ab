// Package lore holds the nouns of Weft: entries, books, slots, messages and
// the policies that say how a book of some dialect behaves. It also reads and
// writes Weft's own files.
//
// Three types matter first. An [Entry] is one piece of lore: keys, content, and
// the rules that say when and where the content enters a prompt. A [Book] is a
// list of entries with one configuration. A [Policy] names every choice in which
// lorebook dialects differ. All are plain data; package engine compiles books
// and decides which entries enter a prompt, and the packages below format read
// and write the files of other programs and give the same nouns.
//
// A book is made in code, or read from a folder:
//
//	book, err := lore.NewBook("gull_point").
//		Entry("lighthouse", "The lamp has been dark for a year.",
//			lore.Keywords("lighthouse", "lamp"), lore.Sticky(3)).
//		Build()
//
//	dir, problems, err := lore.LoadDir(ctx, "books/gull_point")
//	for _, p := range problems {
//		fmt.Println(p) // file:line:column, the field, what was expected
//	}
//	entry := dir.Book().Entry("lighthouse").Clone()
//	entry.Priority = 150
//	err = dir.SetEntry(entry)
//	changed, err := dir.Save(ctx, "books/gull_point")
//
// Readers gather every problem as a diagnostic with file, line and field, and
// one bad entry never costs the book: the rest loads. Files keep their bytes: an
// edit is cut into the source at the place of its field, so that comments,
// order, quoting and line ends stay as the author wrote them.
//
// The files are [File] (a .weaver entry), [ConfigFile] (a lorebook.yaml), [Dir]
// (a folder of both), books in JSON ([ParseBook], [MarshalBook]), and bundles:
// one blob for a database ([ToBundle]) or inside a PNG image
// ([WriteBundlePNG]). [ParseChat] reads messages; [Validate] checks a book
// whatever it came from.
package lore
