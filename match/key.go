package match

import "errors"

// ErrEmptyKey is the error of a key of which nothing is left after folding.
var ErrEmptyKey = errors.New("key is empty")

// Words says what has to stand around a key.
type Words uint8

const (
	// Substring: a key matches wherever its characters occur.
	Substring Words = iota
	// WholeWordUnicode: letters, marks and digits of every script make words.
	// Scripts written without spaces never need a border. A key with white
	// space inside matches as a substring (as SillyTavern's do).
	WholeWordUnicode
	// WholeWordPhrase is WholeWordUnicode with borders for keys of several words too.
	WholeWordPhrase
	// WholeWordASCII: SillyTavern 1.19: only ASCII letters, digits and _ make
	// words; a key with white space matches as a substring.
	WholeWordASCII
	// WholeWordSpaces: RisuAI's full word: the text split at single spaces
	// contains the key. (RisuAI without full words: Substring with
	// FoldLower|FoldNoSpaces.)
	WholeWordSpaces
	// WholeWordNovelAI: a border is needed at each end of the key that is a letter.
	WholeWordNovelAI
	// GlobAgnai: whole ASCII word, * is any run of word characters, ? one.
	GlobAgnai
)

// Hit is a range of bytes in the original text.
type Hit struct{ Start, End int }

// Key is a compiled literal key. It is immutable and safe for concurrent use.
type Key struct{}

// CompileKey compiles a literal key. It does not trim: do that first where the
// dialect does ([TrimJS]). The error is ErrEmptyKey if nothing is left.
func CompileKey(key string, fold Fold, words Words) (*Key, error) { panic("not yet") }

// String returns the key as it was written.
func (k *Key) String() string { panic("not yet") }

// Fold returns the folding rule.
func (k *Key) Fold() Fold { panic("not yet") }

// Words returns the border rule.
func (k *Key) Words() Words { panic("not yet") }

// Literal returns the folded pattern for the automaton of k.Fold. Each match
// contains it. It is empty only for a glob without literal text, which has to
// be looked for with FindFolded.
func (k *Key) Literal() string { panic("not yet") }

// Verify decides whether an occurrence of k.Literal in f.Text, as proposed by
// the automaton, is a match, and where it stands in the original text.
func (k *Key) Verify(f *Folded, start, end int) (Hit, bool) { panic("not yet") }

// VerifySeam decides the same for an occurrence over a seam. The offsets of
// the Hit are in the texts hit.First and hit.Last.
func (k *Key) VerifySeam(texts []Folded, sep string, hit SeamHit) (Hit, bool) { panic("not yet") }

// FindFolded returns the first match in a text folded by k.Fold.
func (k *Key) FindFolded(f *Folded) (Hit, bool) { panic("not yet") }

// Find returns the first match.
func (k *Key) Find(text string) (Hit, bool) { panic("not yet") }

// FindAll returns all matches, overlapping ones included, by rising start.
func (k *Key) FindAll(text string) []Hit { panic("not yet") }

// Naive returns what CompileKey(key, fold, words).FindAll(text) has to return,
// found in the slowest and plainest way. It exists for tests.
func Naive(key string, fold Fold, words Words, text string) []Hit { panic("not yet") }
