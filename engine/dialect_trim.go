package engine

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/weft-memory/weft/lore"
)

// trimOf returns how the text of an entry may be cut to fit: what it says, else
// its dialect.
func trimOf(e *entry, p *lore.Policy) lore.Trim {
	t := e.Trim
	if t.Direction == "" {
		t.Direction = p.Trim.Direction
	}
	if t.Unit == "" {
		t.Unit = p.Trim.Unit
	}
	return t
}

// canTrim reports whether a text may be cut to what is left of a budget.
func canTrim(t lore.Trim) bool { return t.Direction == "bottom" || t.Direction == "top" }

// trimText cuts a text to so many tokens: whole lines go; if the unit allows it
// and no line fits, whole sentences; then words and characters. The direction
// says which end goes. Nothing is left of a text that may not be cut so far.
func trimText(text string, tokens int, t lore.Trim, tok Tokenizer) string {
	if tok.Count(text) <= tokens {
		return text
	}
	if tokens <= 0 || !canTrim(t) {
		return ""
	}
	kinds := [][]int{lineEnds(text)}
	if t.Unit != "newline" {
		kinds = append(kinds, sentenceEnds(text))
	}
	if t.Unit == "token" {
		kinds = append(kinds, wordEnds(text), runeEnds(text))
	}
	for _, ends := range kinds {
		if s := cutAt(text, ends, t.Direction == "top", tokens, tok); strings.TrimSpace(s) != "" {
			return s
		}
	}
	return ""
}

// cutAt returns the longest part of a text that fits and ends, or with top
// begins, at one of the offsets.
func cutAt(text string, ends []int, top bool, tokens int, tok Tokenizer) string {
	part := func(i int) string {
		if top {
			return strings.TrimLeftFunc(text[ends[i]:], unicode.IsSpace)
		}
		return strings.TrimRightFunc(text[:ends[i]], unicode.IsSpace)
	}
	if top {
		i, _ := slices.BinarySearchFunc(ends, true, func(end int, _ bool) int {
			if tok.Count(strings.TrimLeftFunc(text[end:], unicode.IsSpace)) <= tokens {
				return 0
			}
			return -1
		})
		for ; i < len(ends); i++ {
			if s := part(i); tok.Count(s) <= tokens {
				return s
			}
		}
		return ""
	}
	i, _ := slices.BinarySearchFunc(ends, true, func(end int, _ bool) int {
		if tok.Count(strings.TrimRightFunc(text[:end], unicode.IsSpace)) > tokens {
			return 0
		}
		return -1
	})
	for i--; i >= 0; i-- {
		if s := part(i); tok.Count(s) <= tokens {
			return s
		}
	}
	return ""
}

// lineEnds lists the offsets behind the line breaks of a text.
func lineEnds(text string) []int {
	var ends []int
	for i := range len(text) {
		if text[i] == '\n' {
			ends = append(ends, i+1)
		}
	}
	return ends
}

// runeEnds lists the offsets behind the characters of a text.
func runeEnds(text string) []int {
	var ends []int
	for i := range text {
		if i > 0 {
			ends = append(ends, i)
		}
	}
	return ends
}

// capTokens returns the cap of an entry in tokens; ok is false if it has none.
func (a *assembly) capTokens(e *entry) (int, bool) { return a.amountTokens(e.Cap) }

// reserveTokens returns what is kept free for an active entry, at most what it
// needs.
func (a *assembly) reserveTokens(p *placed) int {
	n, _ := a.amountTokens(p.use.Reserve)
	return min(n, p.fired.Tokens)
}

func (a *assembly) amountTokens(amount *lore.Amount) (int, bool) {
	if amount == nil {
		return 0, false
	}
	switch amount.Unit {
	case lore.UnitPercent:
		context := a.in.Context
		if context <= 0 {
			context = DefaultContext
		}
		return int(math.Round(amount.N * float64(context) / 100)), true
	case lore.UnitChars:
		return int(amount.N) / charsPerToken, true
	}
	return int(amount.N), true
}

// trimTo cuts the text of a placed entry to so many tokens, prefix and suffix
// counted in; it reports whether anything is left.
func (a *assembly) trimTo(p *placed, tokens int) bool {
	tok := a.engine.tokenizer
	inner := strings.TrimSuffix(strings.TrimPrefix(p.text, p.use.Prefix), p.use.Suffix)
	for room := tokens - tok.Count(p.use.Prefix+p.use.Suffix); room > 0; room-- {
		text := trimText(inner, room, trimOf(p.use, p.view.policy()), tok)
		if text == "" {
			return false
		}
		whole := p.use.Prefix + text + p.use.Suffix
		n := tok.Count(whole)
		if n > tokens {
			continue // put together they take a token more
		}
		p.text, p.fired.Tokens, p.cut, p.fired.Cut = whole, n, true, true
		return true
	}
	return false
}
