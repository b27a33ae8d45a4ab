// Package search finds what a text is about: entries, summaries and messages
// of a world, as they stand at one message of one conversation.
//
// An [Index] holds the terms of every [Document] of a world, whatever branch
// or version it belongs to. A [View] is what is seen of it: the messages of a
// path and the versions that hold at its end. [Index.Search] answers a [Query]
// with [Hit] values, each of which says why it was found:
//
//	x := search.NewIndex()
//	x.Put(
//		search.Document{ID: "m1", Kind: search.Message, Author: "Ines", Text: "I buried the key under the mill."},
//		search.Document{ID: "e1", Kind: search.Entry, Name: "The mill", Text: "A ruin by the river."},
//	)
//	result := x.Search(x.All(), search.Query{Text: "Where is the key?"}, search.DefaultConfig())
//
// # How a text becomes terms
//
// Words are folded (case, width, accents) and stemmed in the language of their
// text, which its little words tell; the little words themselves are left out,
// unless a capital makes a name of one (Will, Hope). Scripts without spaces
// between words are taken in pairs of neighbouring characters, Chinese
// characters also one by one, so that a name of two characters, or of one, is
// found.
//
// # How a score comes about
//
// The words of the query in a document count by BM25F over its fields; those
// of the message before and after count for a message too. To that are added
// likeness by vectors, the author whom the query names, what the entries made
// from a message scored, the message's scene, a word for a time if one is asked
// for, how recent and how used it is. [Config] has the weights. All parts are
// in one unit, the best match of words being 1, and added: ranks are not
// mixed, since a list that is bad for a query would spoil a good one.
//
// A query may be a scene ([Query].Scene). People talk in other words than
// entries are written in. What is common in the messages says little then,
// however rare it is in entries; so each word also weighs by how rare it is in
// messages.
//
// [Activate] turns the answer for a scene into entries to activate.
package search
