package history

import (
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"
)

// key names a text: the hash and the length of its normal form. Texts that
// differ in blanks, emphasis marks, tags, think blocks and the shape of quotes
// only have the same key.
type key struct {
	hash uint64
	size uint32
}

const (
	hashBase  = 0x1f3d5b79a1c3e5
	hashPrime = 1<<61 - 1
)

func mulmod(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	lo, carry := lo&hashPrime, hi<<3|lo>>61
	lo += carry
	if lo >= hashPrime {
		lo -= hashPrime
	}
	return lo
}

// hashStep adds one byte to a rolling hash.
func hashStep(h uint64, b byte) uint64 {
	h = mulmod(h, hashBase) + uint64(b) + 1
	if h >= hashPrime {
		h -= hashPrime
	}
	return h
}

var hashPowers = func() (p [1024]uint64) {
	p[0] = 1
	for i := 1; i < len(p); i++ {
		p[i] = mulmod(p[i-1], hashBase)
	}
	return p
}()

func hashPower(n int) uint64 {
	r := hashPowers[n%len(hashPowers)]
	if n /= len(hashPowers); n == 0 {
		return r
	}
	base := mulmod(hashPowers[len(hashPowers)-1], hashBase) // the power of 1024
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			r = mulmod(r, base)
		}
		base = mulmod(base, base)
	}
	return r
}

// prefixSize is how many bytes of a normal form find the texts that begin so.
const prefixSize = 12

// border is a place in a text where a message may begin or end.
type border struct {
	at   int    // in the normal form
	src  int    // in the text: where the next line begins
	end  int    // in the text: where the line before ends
	hash uint64 // of the normal form before it
	line bool   // a line begins or ends here; else the text behind "Name:"
	name string // the name, for a border behind "Name:"
}

// form is the normal form of a text with the places where messages that were
// merged into it may begin and end.
type form struct {
	text    []byte
	borders []border
}

// maxName is how long a name in front of a line may be, in bytes.
const maxName = 60

// newForm brings a text into its normal form.
func newForm(s string) form {
	f := form{text: make([]byte, 0, len(s))}
	h := uint64(0)
	fresh := true // at the beginning of a line
	lineEnd := 0  // where the last byte that is no blank ends
	lineAt := -1  // where the first one of the line is
	lastEnd := 0  // where the line before ends
	put := func(b string) {
		if fresh {
			fresh = false
			f.borders = append(f.borders, border{at: len(f.text), src: lineAt, end: lastEnd, hash: h, line: true})
		}
		for j := range len(b) {
			h = hashStep(h, b[j])
		}
		f.text = append(f.text, b...)
	}
	names, nameFrom, nameTo := 0, 0, 0 // names in front of the line; where the next could begin and end
	for i := 0; i < len(s); {
		c := s[i]
		if fresh && c > ' ' {
			names, nameFrom, nameTo = 0, i, i+maxName
		}
		if lineAt < 0 && c > ' ' {
			lineAt = i
		}
		switch {
		case c == '\n' || c == '\r':
			if !fresh {
				lastEnd, lineAt = lineEnd, -1
			}
			fresh = true
			i++
			continue
		case c == '*' || c == '_' || c == '~' || c == '`':
			i++
			lineEnd = i
			continue
		case c <= ' ':
			i++
			continue
		case c == '<':
			if n := markup(s[i:]); n > 0 {
				i += n
				lineEnd = i
				continue
			}
		case c == ':' && !fresh && names < 2 && i > nameFrom && i < nameTo:
			put(":")
			i++
			lineEnd = i
			if name := strings.TrimSpace(s[nameFrom : i-1]); isName(name) {
				f.borders = append(f.borders, border{at: len(f.text), src: i, end: i, hash: h, name: name})
				names, nameFrom, nameTo = names+1, i, i+maxName
			} else {
				names = 2
			}
			continue
		}
		if c < utf8.RuneSelf {
			put(s[i : i+1])
			i++
			lineEnd = i
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsSpace(r) || unicode.Is(unicode.Cf, r):
			i += n
			continue
		case strings.ContainsRune("“”„‟«»", r):
			put(`"`)
		case strings.ContainsRune("‘’‚‛", r):
			put("'")
		case r == '…':
			put("...")
		default:
			put(s[i : i+n])
		}
		i += n
		lineEnd = i
	}
	f.borders = append(f.borders, border{at: len(f.text), src: len(s), end: lineEnd, hash: h, line: true})
	return f
}

// key returns the key of the text between two borders.
func (f *form) key(from, to int) key {
	a, b := &f.borders[from], &f.borders[to]
	size := b.at - a.at
	h := b.hash + hashPrime - mulmod(a.hash, hashPower(size))
	if h >= hashPrime {
		h -= hashPrime
	}
	return key{h, uint32(size)}
}

// whole is the key of the whole text.
func (f *form) whole() key { return f.key(0, len(f.borders)-1) }

// prefix returns the hash of the first bytes behind a border; ok is false if
// there are not so many.
func (f *form) prefix(from int) (uint64, bool) {
	at := f.borders[from].at
	if at+prefixSize > len(f.text) {
		return 0, false
	}
	h := uint64(0)
	for _, c := range f.text[at : at+prefixSize] {
		h = hashStep(h, c)
	}
	return h, true
}

func keyOf(s string) key {
	f := newForm(s)
	return f.whole()
}

// isName reports whether a text may be a name in front of a line. The text is
// what stands before the colon.
func isName(s string) bool {
	if s == "" || len(s) > maxName || strings.ContainsAny(s, "\n\"<>{}[]()|=/\\.!?;#*") {
		return false
	}
	first, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(first) && strings.Count(s, " ") <= 4
}

// thoughts are the names of blocks that hold a model's thinking.
var thoughts = []string{"think", "thinking", "thought", "thoughts", "reasoning", "reason", "analysis", "scratchpad"}

// maxTag bounds a tag, in bytes.
const maxTag = 300

// markup returns the length of the tag, comment or think block that a text
// begins with; 0 if there is none.
func markup(s string) int {
	if strings.HasPrefix(s, "<!--") {
		if end := strings.Index(s, "-->"); end > 0 {
			return end + 3
		}
		return 0
	}
	end := 1
	for end < len(s) && end < maxTag && s[end] != '>' && s[end] != '<' && s[end] != '\n' {
		end++
	}
	if end >= len(s) || s[end] != '>' || end < 2 {
		return 0
	}
	c := s[1]
	if c == '/' && end > 2 {
		c = s[2]
	}
	if c|0x20 < 'a' || c|0x20 > 'z' {
		return 0
	}
	name := strings.ToLower(s[1:end])
	for _, t := range thoughts {
		if name == t {
			if closing := indexFold(s[end:], "</"+t+">"); closing >= 0 {
				return end + closing + len(t) + 3
			}
		}
	}
	return end + 1
}

// indexFold finds an ASCII text whatever its case.
func indexFold(s, sub string) int {
	for i := 0; ; {
		j := strings.IndexByte(s[i:], sub[0])
		if j < 0 || i+j+len(sub) > len(s) {
			return -1
		}
		i += j
		if strings.EqualFold(s[i:i+len(sub)], sub) {
			return i
		}
		i++
	}
}
