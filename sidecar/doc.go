// Package sidecar is the model that keeps the books: what it is asked, what it
// may answer, and what becomes of its answers.
//
// A story is told by the narrator. Beside it runs the sidecar, in four phases:
// before a reply it picks what the narrator should know ([Retrieve]), during the
// reply it answers the narrator's searches ([Searcher]), after it the news is
// written down ([Write]), and now and then it is told over in summaries
// ([Summarize]). An old chat becomes lore by [Ingest].
//
//	scene := &sidecar.Scene{Messages: …, View: view, NewID: ids}
//	batch, err := sidecar.Write(ctx, model, scene)
//	// batch.Operations are to be committed, batch.Results say what landed where
//
// Three types matter. A [Scene] is the moment at which a phase runs: the
// messages, the lore as seen there, the rights. A [Model] answers. A [Writer]
// turns the calls of tools into operations of package memory, and is where all
// rules live: what is the same thing as one that is known (package resolve),
// what may not be changed, how much may be destroyed at once.
//
// The package knows no database, no network and no clock. Whatever a model
// says, a phase ends with operations that can be undone, or with none.
package sidecar
