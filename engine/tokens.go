package engine

import (
	"unicode"
	"unicode/utf8"
)

// Tokenizer counts the tokens of a text. It must be safe for concurrent use and
// always give the same number for the same text.
type Tokenizer interface {
	Count(text string) int
}

// TokenizerFunc makes a tokenizer of a function.
type TokenizerFunc func(text string) int

// Count calls the function.
func (f TokenizerFunc) Count(text string) int { return f(text) }

// BytesPerToken returns a tokenizer that divides the length in bytes by n and
// rounds up. It is wrong for most scripts; it exists for comparisons with
// programs that count so.
func BytesPerToken(n int) Tokenizer {
	n = max(n, 1)
	return TokenizerFunc(func(text string) int { return (len(text) + n - 1) / n })
}

// Estimate is the built-in tokenizer. It goes by script, since the vocabularies
// in use spend about one token on four letters of English, on two to three
// letters of other alphabets, and on a single character of Chinese, Japanese
// or Korean.
var Estimate Tokenizer = TokenizerFunc(estimate)

// estimate counts in twelfths of a token.
func estimate(text string) int {
	n, word := 0, 0
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
				n += 3 // four letters a token
				if word++; word == 1 {
					n += 3 // short words still take a token
				}
				continue
			case '0' <= c && c <= '9':
				n += 6
			case c == ' ':
				n++ // usually part of the next word
			case c == '\n':
				n += 6
			default:
				n += 9
			}
			word = 0
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		word = 0
		switch {
		case unicode.In(r, unicode.Latin):
			n += 6
		case unicode.In(r, unicode.Cyrillic, unicode.Greek):
			n += 5
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			n += 12
		case unicode.Is(unicode.Mn, r):
			n += 6
		case unicode.IsLetter(r):
			n += 9
		case r > 0xffff:
			n += 24 // emoji and the like
		default:
			n += 12
		}
	}
	return (n + 11) / 12
}
