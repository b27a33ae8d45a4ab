// Package retrieval measures the search on files of questions and scenes whose
// right answers are known.
//
// Two formats are read, by their member "format". A file of
// "retrieval-bench-1" holds conversations in sessions, with facts and
// summaries, and questions with the turns that answer them; the turns of a
// question's conversation are ranked. A file of "scene-bench-1" holds episodes
// with the entries that tell of them, and scenes; all entries of the file are
// ranked.
//
// A search sees what the product would see: turns are messages, facts are
// entries made from them, and so on. No model is asked.
package retrieval
