// Package check finds what is likely to go wrong with a lorebook before a
// story does: keys that fire by accident, entries that nothing can activate,
// references into the void, conditions that wait for a variable nobody sets.
//
// A reader of package lore reports what it cannot read; this package looks at
// books that could be read. [Books] checks several that are used together, so
// that a reference from one into another is found:
//
//	book := &lore.Book{ID: "harbour", Policy: lore.PolicyWeaver()}
//	e := lore.NewEntry("ring", "The Ring of Starfall glows when lied to.")
//	e.Keys = lore.LiteralKeys("ring")
//	book.Entries = append(book.Entries, e)
//	for _, d := range check.Book(book, check.Options{}) {
//		fmt.Println(d)
//	}
//
// Every finding has one of the codes that [Rules] lists, with what it means,
// why it matters and what to do. A rule would rather be silent than cry wolf:
// what cannot be known, such as an id that a template computes, is taken for
// fine.
package check
