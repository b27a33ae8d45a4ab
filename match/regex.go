package match

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

// RegexOptions bound what one expression may cost. A zero field takes its
// default.
type RegexOptions struct {
	// MaxPattern is the longest pattern accepted, in bytes. Defaults to 4096.
	MaxPattern int
	// MaxText is the longest text searched, in bytes; for a longer one Match
	// gives ErrRegexText. Defaults to 4 MiB.
	MaxText int
	// Timeout bounds one Match of a backtracking expression; it is kept to
	// within about 10 ms. Raise it for tools that work offline. Defaults to 50 ms.
	Timeout time.Duration
	// MaxBacktrack bounds the stack of a backtracking expression, in slots of
	// 8 bytes. It stops most runaway expressions long before the time does,
	// and the same way on every machine. Defaults to 262,144.
	MaxBacktrack int
}

func (o RegexOptions) withDefaults() RegexOptions {
	if o.MaxPattern == 0 {
		o.MaxPattern = 4096
	}
	if o.MaxText == 0 {
		o.MaxText = 4 << 20
	}
	if o.Timeout == 0 {
		o.Timeout = 50 * time.Millisecond
	}
	if o.MaxBacktrack == 0 {
		o.MaxBacktrack = 1 << 18
	}
	return o
}

// RegexError says why a pattern was refused.
type RegexError struct {
	// Pattern is the pattern as it was given.
	Pattern string
	// Pos is the offset in Pattern, in bytes, of what is wrong; -1 if unknown.
	Pos int
	// Construct is the piece of Pattern that is not supported or not valid; it
	// may be empty.
	Construct string
	// Msg says what is wrong. Hint says what to do; it may be empty.
	Msg, Hint string
}

// Error gives all of it in one line.
func (e *RegexError) Error() string {
	if e.Hint != "" {
		return e.What() + "; " + e.Hint
	}
	return e.What()
}

// What is Error without the hint.
func (e *RegexError) What() string {
	var b strings.Builder
	fmt.Fprintf(&b, "regex %q", shorten(e.Pattern))
	if e.Pos >= 0 {
		fmt.Fprintf(&b, ", at %d", utf8.RuneCountInString(e.Pattern[:min(e.Pos, len(e.Pattern))])+1)
	}
	b.WriteString(": " + e.Msg)
	return b.String()
}

func shorten(s string) string {
	const most = 80
	if len(s) <= most {
		return s
	}
	n := most
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// Errors of [Regex.Match]: the question is undecided. Test with errors.Is.
var (
	ErrRegexTimeout   = errors.New("regex ran out of time")
	ErrRegexBacktrack = errors.New("regex needs too much backtracking")
	ErrRegexBudget    = errors.New("the time for regexes of this scan is used up")
	ErrRegexText      = errors.New("text is too long for a regex")
)

// Regex is a compiled expression. It is immutable and safe for concurrent use.
type Regex struct {
	pattern  string
	opts     RegexOptions
	literals []string

	linear *regexp.Regexp // one of these two is set
	back   *regexp2.Regexp
	units  bool // search UTF-16 units where a text has characters of two
	sticky bool // only a match at the start counts
}

// String returns the pattern as it was given.
func (r *Regex) String() string { return r.pattern }

// Backtracking reports whether the expression runs in the engine with limits
// on time and stack, and so may fail with an error.
func (r *Regex) Backtracking() bool { return r.back != nil }

// RegexFold is the rule by which [Regex.Literals] are folded. What any flag of
// any dialect takes for equal is equal under it.
const RegexFold = FoldSimple

// Literals returns texts, folded by RegexFold, of which at least one occurs in
// the equally folded text wherever the expression matches. So a text with none
// of them needs no Match. It is empty if nothing is known: then Match has to
// be called for every text. The caller must not change it.
func (r *Regex) Literals() []string { return r.literals }

// Match searches text for the leftmost match. Time spent is taken from b,
// which may be nil. An error means that the question could not be decided
// within the limits; it is to be reported, and counts as no match.
func (r *Regex) Match(text string, b *Budget) (Hit, bool, error) {
	if len(text) > r.opts.MaxText {
		return Hit{}, false, fmt.Errorf("regex %q: %w: %d bytes, %d are allowed", shorten(r.pattern), ErrRegexText, len(text), r.opts.MaxText)
	}
	if r.linear != nil {
		m := r.linear.FindStringIndex(text)
		if m == nil {
			return Hit{}, false, nil
		}
		return Hit{m[0], m[1]}, true, nil
	}
	if b != nil && b.Left() == 0 {
		return Hit{}, false, fmt.Errorf("regex %q: %w", shorten(r.pattern), ErrRegexBudget)
	}
	h, ok, err := r.try(text, b)
	for n := 1; n < shortTries && len(text) <= shortText && timedOut(err) && (b == nil || b.Left() > 0); n++ {
		h, ok, err = r.try(text, b)
	}
	if err != nil {
		kind := ErrRegexTimeout
		if !timedOut(err) {
			kind = ErrRegexBacktrack
		}
		return Hit{}, false, fmt.Errorf("regex %q: %w on a text of %d bytes", shorten(r.pattern), kind, len(text))
	}
	return h, ok, nil
}

// The time limit is one of the clock, so a machine that stands still for a
// moment can make an innocent expression fail. A short text is tried again.
const (
	shortText  = 4 << 10 // bytes
	shortTries = 4
)

func timedOut(err error) bool {
	return err != nil && !errors.Is(err, regexp2.ErrBacktrackingStackLimit)
}

// try runs the expression once and takes the time from b.
func (r *Regex) try(text string, b *Budget) (Hit, bool, error) {
	start := time.Now()
	h, ok, err := r.backtrack(text)
	b.spend(time.Since(start))
	return h, ok, err
}

func (r *Regex) backtrack(text string) (Hit, bool, error) {
	if r.units && hasAstral(text) {
		m, err := r.back.FindRunesMatch(appendUnits(nil, text, standIn))
		if err != nil || m == nil || r.sticky && m.RuneIndex != 0 {
			return Hit{}, false, err
		}
		start, end := unitOffset(text, m.RuneIndex, false), unitOffset(text, m.RuneIndex+m.RuneLength, true)
		return Hit{start, max(start, end)}, true, nil
	}
	m, err := r.back.FindStringMatch(text)
	if err != nil || m == nil || r.sticky && m.RuneIndex != 0 {
		return Hit{}, false, err
	}
	i, n := m.ByteRange()
	return Hit{i, i + n}, true, nil
}

// hasAstral reports whether any character takes two UTF-16 units.
func hasAstral(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= 0xf0 && s[i] <= 0xf4 {
			return true
		}
	}
	return false
}

// unitOffset returns the byte offset of a UTF-16 unit of s. Between the halves
// of a pair it is that of the character, or, with up set, of the next.
func unitOffset(s string, unit int, up bool) int {
	n := 0
	for i, r := range s {
		if n >= unit {
			return i
		}
		n++
		if r > 0xffff {
			if n++; n > unit && !up {
				return i
			}
		}
	}
	return len(s)
}

// CompileJS compiles a JavaScript expression with flags out of g i m s u y,
// each at most once. Syntax and meaning are those of ECMAScript 2018: \w \d \b
// know ASCII only, \s is [IsSpaceJS], without u the unit is the UTF-16 code
// unit, ^ without m is the start of the text, y anchors there, g has no
// effect. It runs in a backtracking engine within the limits of opts. The
// error is a *RegexError.
func CompileJS(pattern, flags string, opts RegexOptions) (*Regex, error) {
	opts = opts.withDefaults()
	fail := func(pos int, msg, hint string) (*Regex, error) {
		return nil, &RegexError{Pattern: pattern, Pos: pos, Msg: msg, Hint: hint}
	}
	if len(pattern) > opts.MaxPattern {
		return fail(-1, fmt.Sprintf("the pattern has %d bytes, %d are allowed", len(pattern), opts.MaxPattern), "use several keys")
	}
	for i, f := range flags {
		if !strings.ContainsRune("gimsuy", f) {
			return fail(-1, fmt.Sprintf("there is no flag %q", f), "the flags are g i m s u y")
		}
		if strings.ContainsRune(flags[:i], f) {
			return fail(-1, fmt.Sprintf("the flag %c is given twice", f), "")
		}
	}
	pattern = strings.ToValidUTF8(pattern, "\ufffd")
	p, err := parseJS(pattern, flags)
	if err != nil {
		return nil, err
	}
	options := regexp2.ECMAScript
	if p.unicode {
		options |= regexp2.Unicode
	}
	r := &Regex{pattern: pattern, opts: opts, units: !p.unicode, sticky: strings.Contains(flags, "y")}
	if r.back, err = compileBacktracking(string(p.out), options, opts); err != nil {
		return fail(-1, "it is no valid expression: "+err.Error(), "")
	}
	if tree, err := syntax.Parse(string(p.loose), syntax.Perl); err == nil {
		r.literals = requiredLiterals(tree)
	}
	return r, nil
}

// clock sets the period of regexp2's clock, whose default makes a limit of
// 50 ms last 200 ms.
var clock = sync.OnceFunc(func() { regexp2.SetTimeoutCheckPeriod(5 * time.Millisecond) })

// StopClock ends the goroutine that watches the time limits of backtracking
// expressions and waits for it. It runs while such expressions are in use and
// for about a second after, and comes back by itself. Only tests that look for
// leaked goroutines need this.
func StopClock() {
	clock()
	regexp2.StopTimeoutClock()
}

func compileBacktracking(pattern string, options regexp2.RegexOptions, opts RegexOptions) (re *regexp2.Regexp, err error) {
	clock()
	re, err = regexp2.Compile(pattern, options, regexp2.OptionMaxBacktrackingStackSize(opts.MaxBacktrack))
	if err != nil {
		return nil, err
	}
	re.MatchTimeout = opts.Timeout
	return re, nil
}

const maxJSKey = 64 << 10

// SplitJSKey takes a key of the form /pattern/flags apart, by the rule of
// SillyTavern: the whole key has this form, the pattern is not empty and has
// no slash without a backslash right before it, the flags are letters out of
// g i m s u y, each once, and the pattern is a valid JavaScript expression.
// Otherwise ok is false: the key is plain text, slashes included. A key of more
// than 64 KiB is plain text too.
func SplitJSKey(key string) (pattern, flags string, ok bool) {
	end := strings.LastIndexByte(key, '/')
	if end < 2 || key[0] != '/' || len(key) > maxJSKey {
		return "", "", false
	}
	pattern, flags = key[1:end], key[end+1:]
	for i := range len(pattern) {
		if pattern[i] == '/' && (i == 0 || pattern[i-1] != '\\') {
			return "", "", false
		}
	}
	if strings.ContainsAny(pattern, "\n\r\u2028\u2029") {
		return "", "", false
	}
	if _, err := CompileJS(pattern, flags, RegexOptions{MaxPattern: len(pattern)}); err != nil {
		return "", "", false
	}
	return pattern, flags, true
}
