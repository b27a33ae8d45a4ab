package match

import (
	"errors"
	"time"
)

// RegexOptions bound what one expression may cost. The zero value takes the defaults.
type RegexOptions struct {
	// MaxPattern is the longest pattern accepted, in bytes. Defaults to 4096.
	MaxPattern int
	// MaxText is the longest text scanned, in bytes; a longer one is an error
	// of Match. Defaults to 4 MiB.
	MaxText int
	// Timeout bounds one Match of a backtracking expression. Defaults to 50 ms.
	Timeout time.Duration
	// MaxBacktrack bounds its stack, in slots. Defaults to 65536.
	MaxBacktrack int
}

// RegexError says why a pattern was refused.
type RegexError struct {
	// Pattern is the pattern as it was given.
	Pattern string
	// Pos is the offset of the construct in Pattern, in bytes; -1 if unknown.
	Pos int
	// Construct is the part that is not supported or not valid.
	Construct string
	// Msg says what is wrong, Hint what to do (may be empty).
	Msg, Hint string
}

// Error names the pattern, the place and what to do.
func (e *RegexError) Error() string { panic("not yet") }

// Regex is a compiled expression, immutable and safe for concurrent use.
type Regex struct{}

// CompileRE2 compiles a pattern of the weaver dialect.
func CompileRE2(pattern string, opts RegexOptions) (*Regex, error) { panic("not yet") }

// CompileJS compiles a JavaScript expression; flags out of g i m s u y.
func CompileJS(pattern, flags string, opts RegexOptions) (*Regex, error) { panic("not yet") }

// SplitJSKey takes a key of the form /pattern/flags apart. ok is false if the
// key is plain text: no such form, an unescaped slash inside, unknown or
// repeated flags, or a pattern that is no JavaScript expression.
func SplitJSKey(key string) (pattern, flags string, ok bool) { panic("not yet") }

// String returns the pattern as it was given.
func (r *Regex) String() string { panic("not yet") }

// Literals returns texts, folded by [RegexFold], one of which occurs in the
// folded text of every match. Empty: nothing is known, always run the regex.
func (r *Regex) Literals() []string { panic("not yet") }

// RegexFold is the rule by which the literals of expressions are folded.
const RegexFold = FoldNFKC

// Match searches text for the leftmost match. The time spent is taken from b,
// which may be nil. An error means that the question is undecided: it is to be
// reported and counts as no match. It is ErrRegexTimeout, ErrRegexBacktrack,
// ErrRegexBudget or ErrRegexText (test with errors.Is).
func (r *Regex) Match(text string, b *Budget) (Hit, bool, error) { panic("not yet") }

// Budget is time shared by all expressions of one scan. It may be shared by
// goroutines.
type Budget struct{}

// NewBudget returns a budget of d. Defaults to 250 ms if d is 0.
func NewBudget(d time.Duration) *Budget { panic("not yet") }

// Left returns what is left, at least 0.
func (b *Budget) Left() time.Duration { panic("not yet") }

// StopClock stops the background goroutine that measures the time limits of
// backtracking expressions. It starts again by itself. For tests that look for
// leaked goroutines.
func StopClock() { panic("not yet") }

// Errors of [Regex.Match].
var (
	ErrRegexTimeout   = errors.New("regex ran out of time")
	ErrRegexBacktrack = errors.New("regex needs too much backtracking")
	ErrRegexBudget    = errors.New("the time for regexes of this scan is used up")
	ErrRegexText      = errors.New("text is too long for a regex")
)
