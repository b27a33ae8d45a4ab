// Package lore holds the nouns of Weft: entries, books, slots, messages and
// the policies that say how a book of some dialect behaves.
//
// Everything here is plain data. A [Book] is a list of [Entry] values with one
// configuration and one [Policy]; package engine compiles books and decides
// which entries enter a prompt; packages below format read and write the files
// of other programs and give the same nouns.
//
// The package also reads and writes Weft's own files: `.weaver` entries, book
// folders with a lorebook.yaml, and single-file bundles. Readers gather every
// problem as a diagnostic with file, line and field; one bad entry never costs
// the book.
package lore
