// Package resolve answers one question: is this the same thing as one that is
// known? A model that writes down what happens in a story calls Queen Alys
// "Alys", "the Queen Alys" and "Alys (the pale one)"; whoever keeps its notes
// has to find the one entry, and must not take Lord Thorne for Lady Thorne.
//
//	known := []resolve.Thing{
//		{ID: "alys", Type: "character", Name: "Queen Alys"},
//		{ID: "lord", Type: "character", Name: "Lord Thorne"},
//		{ID: "lady", Type: "character", Name: "Lady Thorne"},
//	}
//	d := resolve.Decide(resolve.Thing{Type: "character", Name: "Alys"}, known, resolve.Options{})
//	fmt.Println(d.Verdict, d.Target) // same alys
//	d = resolve.Decide(resolve.Thing{Type: "character", Name: "Thorne"}, known, resolve.Options{})
//	fmt.Println(d.Verdict, d.Candidates) // ambiguous [lady lord]
//	fmt.Print(d.Trace()) // why, step by step
//
// Three types matter: a [Thing] is an entity by its type, names and
// description; a [Decision] is a [Verdict] with its trace; an [Index] holds many
// known things and decides about a new one in a fraction of a millisecond.
//
// # The order of the questions
//
// A wrong merge loses two things at once and costs five times as much as a
// duplicate. So the questions go from certain to doubtful, and the first that
// is answered decides:
//
//  1. The types are equal, or one of them is not known.
//  2. A name or alias is equal in normal form: case, width, accents, hyphens,
//     spaces, apostrophes and articles aside. If the descriptions speak against
//     it, the verdict is Ambiguous: two guards may both be named Tom.
//  3. The names are equal but for an honorific, number, epithet, bracket or word
//     for the kind of thing. Such a part is passed over only if the other name
//     has none of its kind; two different ones mean no (Harald II, Harald III).
//  4. Every word of one name is in the other (Marit, Marit Oldacre), and that
//     holds for one known thing only.
//  5. The names look misspelt: their trigrams are alike, each word is but for a
//     letter, and the descriptions agree.
//  6. Where several things fit, or the name does not suffice, descriptions that
//     agree with one and with no other decide; else [Options.Ask] may, which
//     usually asks a model; else the verdict is Ambiguous.
//
// Other names of a thing count against it as well: Tom Brask is not Tom Addy,
// though that one is called Tom; Harald III is not Harald who is known as Harald
// II.
//
// # Names in every script
//
// Letters of no script are ever removed. Honorifics, ordinals, epithets and
// words for kinds of things are known in English, German, French, Spanish,
// Russian, Greek, Arabic and Hebrew, and in part in Italian, Portuguese,
// Japanese, Chinese and Korean; the tables are the files lexicon*.go. Names in
// Chinese characters, kana and Hangul are parted into family name and given
// name by lists of common family names. Simplified and traditional characters
// are different letters here, and so are a name and its transcription into
// another script: give those as aliases.
//
// [Similarity] is PostgreSQL's similarity of package pg_trgm for Latin letters.
//
// # What a description is for
//
// Descriptions are compared by the words that they share, and by a table of
// traits that exclude each other: man and woman, old and young, the north gate
// and the south gate. They never make two things one whose names do not fit.
// Give only what describes a thing lastingly; for news of it leave the
// description empty or set [Options.TrustNames].
package resolve
