package match

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// ErrEmptyKey is the error of a key of which nothing is left after folding.
var ErrEmptyKey = errors.New("key is empty")

// Hit is a range of bytes in the original text.
type Hit struct{ Start, End int }

// Key is a compiled literal key. It is immutable and safe for concurrent use.
type Key struct {
	raw, lit    string
	fold        Fold
	words       Words
	left, right bool // a border is needed there
	never       bool
	glob        *glob
}

// CompileKey compiles a literal key for one rule of folding and one of
// borders. It does not trim the key: do that before where the dialect does,
// see [TrimJS]. The error is ErrEmptyKey if nothing is left of the key; what a
// blank key means is for the dialect to say.
func CompileKey(key string, fold Fold, words Words) (*Key, error) {
	k := &Key{raw: key, fold: fold, words: words, lit: fold.Apply(key)}
	if words == GlobAgnai {
		g, err := compileGlob(k.lit)
		if err != nil {
			return nil, err
		}
		k.glob, k.lit = g, g.literal()
		return k, nil
	}
	if k.lit == "" {
		return nil, ErrEmptyKey
	}
	if (words == WholeWordASCII || words == WholeWordUnicode) && strings.ContainsFunc(k.lit, IsSpaceJS) {
		return k, nil
	}
	first, _ := utf8.DecodeRuneInString(k.lit)
	last, _ := utf8.DecodeLastRuneInString(k.lit)
	k.left, k.right = words.needsBorder(first), words.needsBorder(last)
	k.never = words == WholeWordSpaces && strings.Contains(k.lit, " ")
	return k, nil
}

// String returns the key as it was written.
func (k *Key) String() string { return k.raw }

// Fold returns the folding rule.
func (k *Key) Fold() Fold { return k.fold }

// Words returns the rule for borders.
func (k *Key) Words() Words { return k.words }

// Literal returns the folded text for the automaton of the rule k.Fold. It
// occurs in every match. It is empty for a glob without literal characters,
// and for a glob with white space, which may match over the seams of messages
// in ways that no single literal tells: look for such a key with FindFolded in
// the joined text.
func (k *Key) Literal() string { return k.lit }

// Verify decides whether an occurrence of k.Literal at [start, end) of f.Text,
// as proposed by an automaton, is a match, and where that is in the original
// text. For a glob the answer is the first match of the text, whatever the
// occurrence.
func (k *Key) Verify(f *Folded, start, end int) (Hit, bool) {
	if k.glob != nil {
		return k.FindFolded(f)
	}
	if k.never {
		return Hit{}, false
	}
	o, oe := f.Original(start, end)
	if k.left && (start > 0 || o > 0) {
		if !k.words.borders(runeBefore(f, start, o, k.words)) {
			return Hit{}, false
		}
	}
	if k.right && (end < len(f.Text) || oe < len(f.Source)) {
		if !k.words.borders(runeAfter(f, end, oe, k.words)) {
			return Hit{}, false
		}
	}
	return Hit{o, oe}, true
}

// runeBefore returns the character before offset pos of f.Text, which is o in
// the original. The original text decides, unless the border lies inside of
// what was one character there (½ as 1⁄2). SillyTavern and RisuAI look at
// the folded text.
func runeBefore(f *Folded, pos, o int, w Words) rune {
	text := f.Source
	if w.looksAtFolded() || f.splits(pos) {
		text, o = f.Text, pos
	}
	if o == 0 {
		return ' '
	}
	r, _ := utf8.DecodeLastRuneInString(text[:o])
	return r
}

func runeAfter(f *Folded, pos, o int, w Words) rune {
	text := f.Source
	if w.looksAtFolded() || f.splits(pos) {
		text, o = f.Text, pos
	}
	if o == len(text) {
		return ' '
	}
	r, _ := utf8.DecodeRuneInString(text[o:])
	return r
}

// VerifySeam decides the same for an occurrence over a seam, as reported by
// [Automaton.ScanSeams] for these texts and this separator. Start of the Hit
// is an offset in the original text hit.First, End one in hit.Last; as in
// SeamHit, an offset beyond its text lies in the separator. The answer is that
// of the joined text, except that a combining mark with which a text begins
// counts as part of that text and not of the separator.
func (k *Key) VerifySeam(texts []Folded, sep string, hit SeamHit) (Hit, bool) {
	if k.never || k.glob != nil {
		return Hit{}, false
	}
	f, g := &texts[hit.First], &texts[hit.Last]
	var h Hit
	prev, next := rune(-1), rune(-1)
	if beyond := hit.Start - len(f.Text); beyond > 0 {
		h.Start = len(f.Source) + beyond
		prev, _ = utf8.DecodeLastRuneInString(sep[:beyond])
	} else {
		h.Start, _ = f.Original(hit.Start, hit.Start)
		if hit.Start > 0 || h.Start > 0 {
			prev = runeBefore(f, hit.Start, h.Start, k.words)
		} else if hit.First > 0 && sep != "" {
			prev, _ = utf8.DecodeLastRuneInString(sep)
		}
	}
	if beyond := hit.End - len(g.Text); beyond > 0 {
		h.End = len(g.Source) + beyond
		if beyond < len(sep) {
			next, _ = utf8.DecodeRuneInString(sep[beyond:])
		} else if hit.Last+1 < len(texts) {
			next = k.firstRune(texts[hit.Last+1:], sep)
		}
	} else {
		_, h.End = g.Original(0, hit.End)
		if hit.End < len(g.Text) || h.End < len(g.Source) {
			next = runeAfter(g, hit.End, h.End, k.words)
		} else if hit.Last+1 < len(texts) && sep != "" {
			next, _ = utf8.DecodeRuneInString(sep)
		}
	}
	if k.left && prev >= 0 && !k.words.borders(prev) || k.right && next >= 0 && !k.words.borders(next) {
		return Hit{}, false
	}
	return h, true
}

// firstRune returns the first character of the joined texts, or -1.
func (k *Key) firstRune(texts []Folded, sep string) rune {
	first := texts[0].Source
	if k.words.looksAtFolded() {
		first = texts[0].Text
	}
	if first == "" && len(texts) > 1 {
		first = sep
	}
	if first == "" {
		return -1
	}
	r, _ := utf8.DecodeRuneInString(first)
	return r
}

// FindFolded returns the first match in a text that was folded by k.Fold.
func (k *Key) FindFolded(f *Folded) (Hit, bool) {
	var first Hit
	found := false
	k.each(f, func(h Hit) bool {
		first, found = h, true
		return false
	})
	return first, found
}

// Find returns the first match in text.
func (k *Key) Find(text string) (Hit, bool) {
	f := k.fold.Fold(text)
	return k.FindFolded(&f)
}

// FindAll returns all matches in text, overlapping ones included, by rising
// start. Of a glob it returns the longest match at each place.
func (k *Key) FindAll(text string) []Hit {
	f := k.fold.Fold(text)
	var hits []Hit
	k.each(&f, func(h Hit) bool {
		hits = append(hits, h)
		return true
	})
	return hits
}

func (k *Key) each(f *Folded, yield func(Hit) bool) {
	if k.glob != nil {
		k.glob.each(f, yield)
		return
	}
	for from := 0; from < len(f.Text); {
		i := strings.Index(f.Text[from:], k.lit)
		if i < 0 {
			return
		}
		if h, ok := k.Verify(f, from+i, from+i+len(k.lit)); ok && !yield(h) {
			return
		}
		from += i + 1
	}
}
