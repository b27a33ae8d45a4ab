package match

import (
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// tableEntry says what a single character folds to: one character in the low 21
// bits, or with entryString the character itself, whose page holds the text.
type tableEntry uint32

const (
	entryString  tableEntry = 1 << 31 // not exactly one character
	entryResized tableEntry = 1 << 30 // one character, of another length in UTF-8
	entryJoins   tableEntry = 1 << 29 // may combine with the character before it
)

func (e tableEntry) rune() rune { return rune(e & (1<<21 - 1)) }

// runeTable is a folding table whose pages of 256 characters are computed
// when first used, so that nothing is paid for at start and little for the
// scripts in use. It is safe for concurrent use.
type runeTable struct {
	fold  func(dst []byte, r rune) []byte
	joins func(r rune) bool
	pages [(unicode.MaxRune + 1) / 256]atomic.Pointer[tablePage]
}

type tablePage struct {
	entries [256]tableEntry
	texts   []string
}

// get returns the entry of r, which has to be a valid code point.
func (t *runeTable) get(r rune) tableEntry {
	p := t.pages[r>>8].Load()
	if p == nil {
		p = t.build(r >> 8)
	}
	return p.entries[r&0xff]
}

// tableView is a table with the page used last at hand.
type tableView struct {
	table *runeTable
	page  *tablePage
	no    rune
}

func (v *tableView) get(r rune) tableEntry {
	if v.page == nil || v.no != r>>8 {
		v.no = r >> 8
		if v.page = v.table.pages[v.no].Load(); v.page == nil {
			v.page = v.table.build(v.no)
		}
	}
	return v.page.entries[r&0xff]
}

// joinsAt reports whether the character at text[i:] may combine with the one
// before it.
func (v *tableView) joinsAt(text string, i int) bool {
	r, size := utf8.DecodeRuneInString(text[i:])
	return !(r == utf8.RuneError && size == 1) && v.get(r)&entryJoins != 0
}

// text returns the text of an entry with entryString: the entry holds the
// code point itself, the page its texts by the low byte.
func (t *runeTable) text(e tableEntry) string {
	r := e.rune()
	return t.pages[r>>8].Load().texts[r&0xff]
}

func (t *runeTable) build(n rune) *tablePage {
	p := &tablePage{}
	var buf []byte
	for i := range p.entries {
		r := n<<8 + rune(i)
		if !utf8.ValidRune(r) {
			p.entries[i] = tableEntry(utf8.RuneError)
			continue
		}
		buf = t.fold(buf[:0], r)
		e := tableEntry(r)
		f, size := utf8.DecodeRune(buf)
		switch {
		case size == 0 || size != len(buf):
			e |= entryString
			if p.texts == nil {
				p.texts = make([]string, 256)
			}
			p.texts[i] = string(buf)
		case size != utf8.RuneLen(r):
			e = tableEntry(f) | entryResized
		default:
			e = tableEntry(f)
		}
		if t.joins != nil && t.joins(r) {
			e |= entryJoins
		}
		p.entries[i] = e
	}
	t.pages[n].Store(p)
	return p
}

// The tables are filled in by init: appendCaseFold refers to one of them.
var lowerTable, caseFoldTable, nfkcTable, noAccentsTable, simpleTable runeTable

func init() {
	lowerTable.fold = func(dst []byte, r rune) []byte {
		if r == dottedI {
			return append(dst, "i\u0307"...)
		}
		return utf8.AppendRune(dst, unicode.ToLower(r))
	}
	caseFoldTable.fold = func(dst []byte, r rune) []byte {
		if 0x13a0 <= r && r <= 0x13f5 {
			// Cherokee folds to its capitals; package cases exchanges the two.
			return utf8.AppendRune(dst, r)
		}
		return append(dst, cases.Fold().String(string(r))...)
	}
	nfkcTable.fold = func(dst []byte, r rune) []byte {
		folded := appendCaseFold(nil, norm.NFKC.AppendString(nil, string(r)), false)
		return append(dst, norm.NFKC.Bytes(folded)...)
	}
	noAccentsTable.fold = func(dst []byte, r rune) []byte {
		folded := appendCaseFold(nil, norm.NFKD.AppendString(nil, string(r)), true)
		return append(dst, norm.NFKC.Bytes(folded)...)
	}
	simpleTable.fold = func(dst []byte, r rune) []byte { return utf8.AppendRune(dst, foldSimple(r)) }
	nfkcTable.joins = combinesBackward
	noAccentsTable.joins = combinesBackward
}

// combinesBackward reports whether r may change, or change places with, what
// stands before it when the text is normalised.
func combinesBackward(r rune) bool {
	return r >= utf8.RuneSelf && !norm.NFKC.PropertiesString(string(r)).BoundaryBefore()
}

// isAccent reports whether r is a combining mark that accent-blind matching
// drops.
func isAccent(r rune) bool {
	switch {
	case r < 0x300:
		return false
	case r <= 0x36f, // combining diacritical marks
		0x483 <= r && r <= 0x487,   // Cyrillic titlo and breathings
		0x591 <= r && r <= 0x5bd,   // Hebrew accents and points
		0x5bf <= r && r <= 0x5c7,   //
		0x64b <= r && r <= 0x65f,   // Arabic vowel signs
		r == 0x670,                 // Arabic superscript alef
		0x1ab0 <= r && r <= 0x1aff, // diacritical marks, extended
		0x1dc0 <= r && r <= 0x1dff, // supplement
		0x20d0 <= r && r <= 0x20ff, // for symbols
		0xfe20 <= r && r <= 0xfe2f: // half marks
		return unicode.Is(unicode.M, r)
	}
	return false
}

// unstroked gives the plain letter of those that Unicode does not decompose.
func unstroked(r rune) rune {
	switch r {
	case 'ø', 'Ø':
		return 'o'
	case 'đ', 'Đ':
		return 'd'
	case 'ł', 'Ł':
		return 'l'
	case 'ħ', 'Ħ':
		return 'h'
	case 'ŧ', 'Ŧ':
		return 't'
	case 'ı':
		return 'i'
	}
	return r
}

// foldSimple returns the smallest character that has r as another case, but
// small letters for the capitals of ASCII.
func foldSimple(r rune) rune {
	least := r
	for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
		least = min(least, o)
	}
	if 'A' <= least && least <= 'Z' {
		least += 'a' - 'A'
	}
	return least
}
