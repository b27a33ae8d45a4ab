// Package sillytavern reads and writes the lorebooks of SillyTavern ("world
// info") and knows its way with the lorebooks of others.
//
// [Codec] reads world files of every age: what a field means when it is absent
// is kept apart from its default, since a scan does not fill in missing fields
// (an entry without a position goes nowhere, one without a probability that is
// to be rolled never passes). Fields that have no effect where they stand, such
// as the depth of an entry that is not placed at a depth, are kept under the
// name "sillytavern" in [lore.Entry].Ext.
//
// [BookToWorld], [WorldToBook] and the Import functions convert as SillyTavern
// itself converts, losses included: use them to understand what a user's own
// copy of a book went through. Conversions of package format lose less.
//
//	w := sillytavern.BookToWorld(book)    // what SillyTavern makes of a card's book
package sillytavern
