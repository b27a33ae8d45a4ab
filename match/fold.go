package match

// Fold is a rule that makes different spellings of the same text equal. Keys
// and texts are folded by the same rule and then compared byte by byte.
//
// The low bits choose the rule; [FoldNoSpaces] may be added to any of them.
type Fold uint8

const (
	// FoldNone compares case-sensitively: the text as it is.
	FoldNone Fold = iota
	// FoldLower lower-cases as JavaScript's toLowerCase does (see [ToLowerJS]).
	FoldLower
	// FoldNFKC is compatibility normalisation and full case folding: straße is
	// STRASSE, half-width katakana is katakana, İ is i.
	FoldNFKC
	// FoldNFKCNoAccents is FoldNFKC that also drops accents: café is cafe.
	FoldNFKCNoAccents

	// FoldNoSpaces is a flag: U+0020 is removed from text and key.
	FoldNoSpaces Fold = 0x80
)

// Folded is a folded text that remembers where each piece came from.
type Folded struct {
	// Source is the original text.
	Source string
	// Text is the folded text, always valid UTF-8.
	Text string

	spans []span
}

type span struct{ fold, orig int }

// Fold folds text. The result owns its memory.
func (f Fold) Fold(text string) Folded { panic("not yet") }

// Apply returns only the folded text.
func (f Fold) Apply(text string) string { panic("not yet") }

// Original maps a range of bytes of f.Text to the smallest range of whole
// characters of f.Source that covers it.
func (f *Folded) Original(start, end int) (int, int) { panic("not yet") }

// Folder folds one text after the other into the same buffers. It must not be
// used by two goroutines at once.
type Folder struct{ fold Fold }

// NewFolder returns a Folder for the rule.
func NewFolder(f Fold) *Folder { return &Folder{fold: f} }

// Fold folds text. The result is valid until the next call of Fold.
func (f *Folder) Fold(text string) Folded { panic("not yet") }
