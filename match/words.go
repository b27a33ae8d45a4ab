package match

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// Words says what has to stand on both sides of a key for it to match.
type Words uint8

const (
	// Substring: nothing; the key matches wherever its characters stand.
	Substring Words = iota
	// WholeWordUnicode: no word character ([IsWord]) of any script. Scripts
	// written without spaces ([IsSpaceless]) end a word and never need an end
	// of word themselves, nor do symbols such as emoji. A key with white space
	// inside matches as a substring, as SillyTavern's do.
	WholeWordUnicode
	// WholeWordPhrase is WholeWordUnicode that holds a key of several words to
	// its outer borders too.
	WholeWordPhrase
	// WholeWordASCII is the rule of SillyTavern 1.19: no ASCII letter or digit
	// nor underscore, so that é is a border. A key with white space inside
	// matches as a substring.
	WholeWordASCII
	// WholeWordSpaces is RisuAI's full word: a space or an end of the text, so
	// the key is one of the pieces of the text split at spaces. RisuAI without
	// full words is Substring with FoldLower|FoldNoSpaces.
	WholeWordSpaces
	// WholeWordNovelAI: as WholeWordPhrase, but only at an end of the key that
	// is a letter. Spaces at either end of the key belong to it.
	WholeWordNovelAI
	// GlobAgnai: in the key * stands for any number of word characters, ? for
	// one; the signs \ ^ $ . | + ( ) [ ] { } and _ are ignored. Borders as
	// WholeWordPhrase. (Agnai itself knows words of ASCII letters only and
	// never finds a key that ends in another letter.)
	GlobAgnai
)

var wordsNames = [...]string{
	"substring", "whole-word", "whole-phrase", "whole-word-ascii",
	"whole-word-spaces", "whole-word-novelai", "glob-agnai",
}

// String names the rule, for instance "whole-word".
func (w Words) String() string {
	if int(w) < len(wordsNames) {
		return wordsNames[w]
	}
	return fmt.Sprintf("Words(%d)", uint8(w))
}

// IsWord reports whether r makes words, as \w means in a Unicode regex: a
// letter, mark or decimal digit of any script, anything else that is
// alphabetic, a connector such as the underscore, or a joiner.
func IsWord(r rune) bool {
	if r < utf8.RuneSelf {
		return isWordASCII(r)
	}
	return unicode.In(r, wordTables...)
}

// wordTables are the characters of IsWord.
var wordTables = []*unicode.RangeTable{unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.Pc, unicode.Join_Control, unicode.Other_Alphabetic}

func isWordASCII(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
}

// IsSpaceless reports whether r belongs to a script that is written without
// spaces between words, where no border tells words apart.
func IsSpaceless(r rune) bool {
	if r < 0x2ea {
		return false
	}
	switch {
	case 0x3031 <= r && r <= 0x3035, // kana repeat marks
		0x3099 <= r && r <= 0x309c, // voicing marks
		r == 0x3006, r == 0x303c,   // closing mark, masu
		r == 0x30fc, r == 0xff70, // prolonged sound
		r == 0xff9e, r == 0xff9f, // half-width voicing
		0x1950 <= r && r <= 0x1974, 0x1980 <= r && r <= 0x19df, // Tai Le, New Tai Lue
		0x1a20 <= r && r <= 0x1aad, 0xaa80 <= r && r <= 0xaadf: // Tai Tham, Tai Viet
		return true
	}
	return unicode.In(r, spacelessTables...)
}

var spacelessTables = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer,
	unicode.Myanmar, unicode.Bopomofo, unicode.Yi, unicode.Ahom, unicode.Tangut, unicode.Nushu,
}

// borders reports whether the neighbour r of a key ends a word.
func (w Words) borders(r rune) bool {
	switch w {
	case WholeWordASCII:
		return !isWordASCII(r)
	case WholeWordSpaces:
		return r == ' '
	default:
		return !IsWord(r) || IsSpaceless(r)
	}
}

// needsBorder reports whether a key, with edge as its character at one end,
// needs a border there.
func (w Words) needsBorder(edge rune) bool {
	switch w {
	case Substring:
		return false
	case WholeWordASCII, WholeWordSpaces:
		return true
	case WholeWordNovelAI:
		return unicode.IsLetter(edge) && !IsSpaceless(edge)
	default:
		return !IsSpaceless(edge) && (edge < utf8.RuneSelf || !unicode.IsSymbol(edge))
	}
}

// looksAtFolded reports whether the rule looks for borders in the folded text
// and not in the original.
func (w Words) looksAtFolded() bool { return w == WholeWordASCII || w == WholeWordSpaces }
