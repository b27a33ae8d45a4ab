package match

import (
	"fmt"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/text/unicode/norm"
)

// Fold is a rule that makes different spellings of the same text equal. Key
// and text are folded by the same rule and then compared byte by byte.
//
// The low bits choose the rule; the flag [FoldNoSpaces] may be added to any.
// In every rule an invalid byte of the text becomes U+FFFD.
type Fold uint8

const (
	// FoldNone leaves the text as it is: case matters.
	FoldNone Fold = iota
	// FoldLower lower-cases as JavaScript's toLowerCase does, see [ToLowerJS].
	// straße is not STRASSE, and é is not e followed by U+0301. The rule of
	// SillyTavern, Suzune and of the weaver reference.
	FoldLower
	// FoldNFKC is compatibility normalisation (NFKC) with full case folding:
	// straße is STRASSE, é is e followed by U+0301, half-width katakana is
	// katakana, full-width letters are letters, ς is σ, İ is i. The rule of
	// weaver books.
	FoldNFKC
	// FoldNFKCNoAccents is FoldNFKC without regard to accents: café is cafe,
	// ø is o, ё is е. It drops the combining marks of Latin, Greek and
	// Cyrillic, Hebrew points and Arabic vowel signs; marks that change the
	// sound in other scripts (か, が) stay.
	FoldNFKCNoAccents
	// FoldSimple maps each character for itself to one that stands for all its
	// cases (Unicode simple case folding). What a case-insensitive regex takes
	// for equal is equal under it, which makes it the rule for the literals of
	// regexes, see [RegexFold].
	FoldSimple

	// FoldNoSpaces is a flag: every U+0020 is removed after folding. RisuAI
	// searches so unless it looks for full words.
	FoldNoSpaces Fold = 0x80
)

// String names the rule, for instance "nfkc" or "lower+nospaces".
func (f Fold) String() string {
	name := ""
	switch f &^ FoldNoSpaces {
	case FoldNone:
		name = "none"
	case FoldLower:
		name = "lower"
	case FoldNFKC:
		name = "nfkc"
	case FoldNFKCNoAccents:
		name = "nfkc-no-accents"
	case FoldSimple:
		name = "simple"
	default:
		return fmt.Sprintf("Fold(%d)", uint8(f))
	}
	if f&FoldNoSpaces != 0 {
		name += "+nospaces"
	}
	return name
}

// Folded is a folded text that remembers which piece of the original each
// piece came from.
type Folded struct {
	// Source is the original text.
	Source string
	// Text is the folded text, always valid UTF-8.
	Text string

	// spans are the runs of the text, none if all offsets are equal.
	spans []span
}

// span begins a run of the folded text. In a plain run (orig >= 0) each
// character was made from one character of the same length, so offsets differ
// by a constant. Otherwise the run is an atom, made as a whole from the
// original text at ^orig up to where the next run begins.
type span struct{ fold, orig int }

func (s span) atom() bool { return s.orig < 0 }

func (s span) start() int {
	if s.orig < 0 {
		return ^s.orig
	}
	return s.orig
}

// Original maps the range [start, end) of f.Text to the smallest range of
// f.Source that produced it. Where one character became several (ß, ss), half
// of them map to the whole.
func (f *Folded) Original(start, end int) (int, int) {
	if f.spans == nil {
		return start, end
	}
	if start >= len(f.Text) {
		return len(f.Source), len(f.Source)
	}
	i := f.spanAt(start)
	o := f.spans[i].start()
	if !f.spans[i].atom() {
		o += start - f.spans[i].fold
	}
	if end <= start {
		return o, o
	}
	last := end - 1
	if i+1 < len(f.spans) && f.spans[i+1].fold <= last {
		i = f.spanAt(last)
	}
	if !f.spans[i].atom() {
		return o, f.spans[i].orig + end - f.spans[i].fold
	}
	if i+1 < len(f.spans) {
		return o, f.spans[i+1].start()
	}
	return o, len(f.Source)
}

// spanAt returns the run that holds the byte at offset pos of f.Text.
func (f *Folded) spanAt(pos int) int {
	return sort.Search(len(f.spans), func(i int) bool { return f.spans[i].fold > pos }) - 1
}

// splits reports whether the offset pos of f.Text lies inside of an atom.
func (f *Folded) splits(pos int) bool {
	if f.spans == nil || pos <= 0 || pos >= len(f.Text) {
		return false
	}
	s := f.spans[f.spanAt(pos)]
	return s.atom() && s.fold < pos
}

// Fold folds text. The result owns its memory; for an ASCII text that is
// folded already it is the text itself.
func (f Fold) Fold(text string) Folded {
	fo := folders.Get().(*Folder)
	fo.fold = f
	v := fo.Fold(text)
	if len(v.Text) > 0 && unsafe.StringData(v.Text) != unsafe.StringData(text) {
		v.Text = strings.Clone(v.Text)
	}
	if v.spans != nil {
		v.spans = append([]span(nil), v.spans...)
	}
	folders.Put(fo)
	return v
}

// Apply returns only the folded text.
func (f Fold) Apply(text string) string { return f.Fold(text).Text }

// folders holds the buffers of Fold.Fold.
var folders = sync.Pool{New: func() any { return new(Folder) }}

// Folder folds one text after the other into the same buffers. It must not be
// used by two goroutines at once.
type Folder struct {
	fold          Fold
	out           []byte
	spans         []span
	nfkc, low, re []byte // scratch of segment
	// memo holds folded segments, without and with accents.
	memo [2]map[string]string
}

// A text repeats few segments many times. The memo is emptied when it is full.
const (
	maxMemo      = 2048
	maxMemoBytes = 24
)

// NewFolder returns a Folder for the rule f.
func NewFolder(f Fold) *Folder { return &Folder{fold: f} }

// Fold folds text. The result shares the buffers of the Folder and is valid
// only until the next call.
func (b *Folder) Fold(text string) Folded {
	noSpaces := b.fold&FoldNoSpaces != 0
	rule := b.fold &^ FoldNoSpaces
	if n := foldedPrefix(text, rule != FoldNone, noSpaces); n == len(text) {
		return Folded{Source: text, Text: text}
	}
	if rule == FoldNone && !noSpaces && utf8.ValidString(text) {
		return Folded{Source: text, Text: text}
	}
	b.out = b.out[:0]
	b.spans = append(b.spans[:0], span{})
	switch rule {
	case FoldNone:
		b.foldRunes(text, nil)
	case FoldLower:
		b.foldRunes(text, &lowerTable)
	case FoldNFKC:
		b.foldSegments(text, &nfkcTable, false)
	case FoldSimple:
		b.foldRunes(text, &simpleTable)
	default:
		b.foldSegments(text, &noAccentsTable, true)
	}
	v := Folded{Source: text}
	if len(b.out) > 0 {
		v.Text = unsafe.String(&b.out[0], len(b.out))
	}
	if len(b.spans) > 1 {
		v.spans = b.spans
	}
	return v
}

// foldedPrefix returns the length of the ASCII text in front that folding
// does not change.
func foldedPrefix(text string, lower, noSpaces bool) int {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= utf8.RuneSelf || lower && 'A' <= c && c <= 'Z' || noSpaces && c == ' ' {
			return i
		}
	}
	return len(text)
}

// foldRunes folds character by character, without regard to its neighbours
// but for the sigma. A nil table copies.
func (b *Folder) foldRunes(text string, t *runeTable) {
	view := tableView{table: t}
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			j := asciiEnd(text, i+1)
			b.ascii(text, i, j, t != nil)
			i = j
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b.atom(i, "\ufffd")
		case t == nil:
			b.plain(i)
			b.out = append(b.out, text[i:i+size]...)
		case r == capitalSigma && t == &lowerTable:
			b.plain(i)
			if finalSigma(text, i) {
				b.out = append(b.out, "ς"...)
			} else {
				b.out = append(b.out, "σ"...)
			}
		default:
			b.entry(i, t, view.get(r))
		}
		i += size
	}
}

// foldSegments folds by segments: a character and those behind it that may
// combine with it. No normalisation reaches over the border of two segments,
// which is why the sum of the folded segments is the folded text.
func (b *Folder) foldSegments(text string, t *runeTable, accents bool) {
	view := tableView{table: t}
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			j := asciiEnd(text, i+1)
			if j < len(text) && view.joinsAt(text, j) {
				j-- // the last one has marks behind it
			}
			if j > i {
				b.ascii(text, i, j, true)
				i = j
				continue
			}
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			b.atom(i, "\ufffd")
			i++
			continue
		}
		// Character after character, until one joins the one before it.
		e := view.get(r)
		j := i + size
		for {
			if j >= len(text) || text[j] < utf8.RuneSelf {
				b.entry(i, t, e)
				break
			}
			r2, size2 := utf8.DecodeRuneInString(text[j:])
			if r2 == utf8.RuneError && size2 == 1 {
				b.entry(i, t, e)
				break
			}
			e2 := view.get(r2)
			if e2&entryJoins != 0 {
				for j += size2; j < len(text) && text[j] >= utf8.RuneSelf && view.joinsAt(text, j); {
					_, size2 = utf8.DecodeRuneInString(text[j:])
					j += size2
				}
				b.segment(text, i, j, accents)
				break
			}
			b.entry(i, t, e)
			e, i, j = e2, j, j+size2
		}
		i = j
	}
}

func asciiEnd(text string, i int) int {
	for i < len(text) && text[i] < utf8.RuneSelf {
		i++
	}
	return i
}

// ascii folds the ASCII text [i, j).
func (b *Folder) ascii(text string, i, j int, lower bool) {
	if b.fold&FoldNoSpaces == 0 {
		b.plain(i)
		b.asciiRun(text[i:j], lower)
		return
	}
	for i < j {
		k := strings.IndexByte(text[i:j], ' ')
		if k == 0 {
			b.drop(i)
			i++
			continue
		}
		if k < 0 {
			k = j - i
		}
		b.plain(i)
		b.asciiRun(text[i:i+k], lower)
		i += k
	}
}

func (b *Folder) asciiRun(s string, lower bool) {
	n := len(b.out)
	b.out = append(b.out, s...)
	if !lower {
		return
	}
	for i, c := range b.out[n:] {
		if 'A' <= c && c <= 'Z' {
			b.out[n+i] = c + 'a' - 'A'
		}
	}
}

// entry puts out what the table says of the single character at i.
func (b *Folder) entry(i int, t *runeTable, e tableEntry) {
	switch {
	case e&entryString != 0:
		b.atom(i, t.text(e))
	case b.fold&FoldNoSpaces != 0 && e.rune() == ' ':
		b.drop(i)
	case e&entryResized != 0:
		b.spans = append(b.spans, span{len(b.out), ^i})
		b.out = utf8.AppendRune(b.out, e.rune())
	default:
		b.plain(i)
		b.out = utf8.AppendRune(b.out, e.rune())
	}
}

// segment folds [i, j), a character with others that combine with it.
func (b *Folder) segment(text string, i, j int, accents bool) {
	seg := text[i:j]
	memo := &b.memo[0]
	if accents {
		memo = &b.memo[1]
	}
	folded, ok := (*memo)[seg]
	if !ok {
		folded = b.foldSegment(seg, accents)
		if *memo == nil || len(*memo) >= maxMemo {
			*memo = map[string]string{}
		}
		if len(seg) <= maxMemoBytes {
			(*memo)[strings.Clone(seg)] = folded
		}
	}
	if folded == seg && (b.fold&FoldNoSpaces == 0 || seg[0] != ' ') {
		b.plain(i)
		b.out = append(b.out, seg...)
		return
	}
	b.atom(i, folded)
}

func (b *Folder) foldSegment(seg string, accents bool) string {
	form := norm.NFKC
	if accents {
		form = norm.NFKD
	}
	b.nfkc = form.AppendString(b.nfkc[:0], seg)
	b.low = appendCaseFold(b.low[:0], b.nfkc, accents)
	b.re = norm.NFKC.Append(b.re[:0], b.low...)
	return string(b.re)
}

// appendCaseFold appends the full case folding of src, without the U+0307 that
// follow an i; with accents set also without accents, src being decomposed
// then.
func appendCaseFold(dst, src []byte, accents bool) []byte {
	afterI := false
	for len(src) > 0 {
		r, size := utf8.DecodeRune(src)
		src = src[size:]
		if r == dotAbove && afterI {
			continue // and so would the next: a fold of a fold is the fold
		}
		if accents {
			if isAccent(r) {
				continue
			}
			r = unstroked(r)
		}
		n := len(dst)
		e := caseFoldTable.get(r)
		if e&entryString != 0 {
			dst = append(dst, caseFoldTable.text(e)...)
			if r == dottedI {
				dst = dst[:n+1] // i and U+0307
			}
		} else {
			dst = utf8.AppendRune(dst, e.rune())
		}
		afterI = len(dst) == n+1 && dst[n] == 'i'
	}
	return dst
}

// plain begins or goes on with a plain run at i of the original text.
func (b *Folder) plain(i int) {
	last := b.spans[len(b.spans)-1]
	if last.atom() || last.orig+len(b.out)-last.fold != i {
		b.spans = append(b.spans, span{len(b.out), i})
	}
}

// drop notes that the character at i of the original text gives nothing.
func (b *Folder) drop(i int) {
	if last := b.spans[len(b.spans)-1]; last.atom() {
		b.spans = append(b.spans, span{len(b.out), ^i}) // ends the atom
	}
}

// atom puts out s, made from the original text at i.
func (b *Folder) atom(i int, s string) {
	b.spans = append(b.spans, span{len(b.out), ^i})
	if b.fold&FoldNoSpaces != 0 {
		s = strings.ReplaceAll(s, " ", "")
	}
	b.out = append(b.out, s...)
}
