// Package match decides whether a key of a lorebook entry occurs in a text.
//
// Two texts rarely spell a name alike, and dialects of lorebooks disagree on
// what counts as alike. This package makes each of their choices a value:
//
//   - a [Fold] says which spellings are equal: case only, or also full width,
//     composed accents, ß and ss;
//   - [Words] says what has to stand around a key: nothing, a border of words
//     in every script, SillyTavern's ASCII borders, and so on.
//
// [CompileKey] joins the two with a key into a [Key], which finds itself in a
// text. A book with thousands of keys does not ask each of them. It builds an
// [Automaton] of the folded keys, one for each rule of folding in use (the
// hits of one rule are no superset of another's), and scans each message once:
//
//	f := match.FoldNFKC.Fold(message)
//	automaton.Scan(f.Text, func(i, start, end int) bool {
//		if hit, ok := keys[i].Verify(&f, start, end); ok {
//			// keys[i] stands at message[hit.Start:hit.End]
//		}
//		return true
//	})
//
// The automaton only proposes. [Key.Verify] looks at what really stands around
// the place, in the original text, and tells the place in bytes of the
// original. [Automaton.ScanSet] keeps the first hit of each pattern, which is
// what a cache of messages stores.
//
// # Seams
//
// The text that is searched is often several messages joined by a line break
// or a space, and a key may lie across the seam. [Automaton.ScanSeams] finds
// just those matches, without joining anything. The hits in each message and
// the hits over the seams are together the hits in the joined text. This rests
// on two facts, both held by tests: folding messages one by one and joining
// the results is folding the joined text, if the separator begins and ends
// with a character that neither combines nor makes words; and no pattern is
// longer than [Automaton.MaxPatternLen]. Around a cached message it is enough
// to scan MaxPatternLen bytes on either side of the seam again.
//
// # Regexes
//
// [CompileRE2] compiles the expressions of weaver books: linear time, classes
// that know Unicode. [CompileJS] compiles JavaScript's /pattern/flags as
// SillyTavern's books have them, which [SplitJSKey] tells from plain keys.
// JavaScript's need backtracking, hence limits: on the pattern, the text, the
// stack, the time of one expression and, by a [Budget], of all expressions of
// a scan. An expression that hits a limit gives an error, counts as no match,
// and is to be reported. [Regex.Literals] gives texts of which one is in every
// match; put into an automaton of the rule [RegexFold], they save running the
// expression on most texts.
//
// Time limits are watched by a goroutine of package regexp2, which starts when
// a backtracking expression runs and ends about a second after the last one.
// Tests that look for leaked goroutines call [StopClock].
//
// Everything compiled is immutable and safe for concurrent use; [Folder] and
// [Set] are buffers, one for each goroutine.
package match
