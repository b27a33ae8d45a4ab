package compendium

import "unicode"

// EstimateTokens estimates how many tokens a text is, without a tokenizer: four
// characters to a token, in scripts of Chinese, Japanese and Korean 1.6, and a
// tenth to be safe.
func EstimateTokens(s string) int {
	n := 0.0
	for _, r := range s {
		switch {
		case r < 0x2e80:
			n += 1.0 / 4
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) || r >= 0x3000 && r < 0x3040 || r >= 0xff00 && r < 0xfff0:
			n += 1 / 1.6
		default:
			n += 1.0 / 4
		}
	}
	tokens := int(n*1.1 + 0.999)
	if s == "" {
		return 0
	}
	return max(tokens, 1)
}
