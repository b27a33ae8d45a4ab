package match

import (
	"fmt"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// writeRegexp2 writes an expression in the syntax of package regexp2, without
// its option ECMAScript. Everything is spelled out, so that no difference in
// the meaning of a letter can creep in: characters by number, classes by
// ranges, cases as classes, flags not at all.
func writeRegexp2(b *strings.Builder, re *syntax.Regexp) {
	sub := func(open, shut string) {
		b.WriteString(open)
		for _, s := range re.Sub {
			writeRegexp2(b, s)
		}
		b.WriteString(shut)
	}
	lazy := ""
	if re.Flags&syntax.NonGreedy != 0 {
		lazy = "?"
	}
	switch re.Op {
	case syntax.OpNoMatch:
		b.WriteString(never)
	case syntax.OpEmptyMatch:
		b.WriteString(`(?:)`)
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if re.Flags&syntax.FoldCase != 0 && unicode.SimpleFold(r) != r {
				b.WriteByte('[')
				writeChar(b, r)
				for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
					writeChar(b, o)
				}
				b.WriteByte(']')
			} else {
				writeChar(b, r)
			}
		}
	case syntax.OpCharClass:
		if len(re.Rune) == 0 {
			b.WriteString(never)
			return
		}
		b.WriteByte('[')
		for i := 0; i < len(re.Rune); i += 2 {
			writeChar(b, re.Rune[i])
			if re.Rune[i+1] > re.Rune[i] {
				b.WriteByte('-')
				writeChar(b, re.Rune[i+1])
			}
		}
		b.WriteByte(']')
	case syntax.OpAnyCharNotNL:
		b.WriteString(`[^\n]`)
	case syntax.OpAnyChar:
		b.WriteString(`[\s\S]`)
	case syntax.OpBeginLine:
		b.WriteString(`(?<=\A|\n)`)
	case syntax.OpEndLine:
		b.WriteString(`(?=\z|\n)`)
	case syntax.OpBeginText:
		b.WriteString(`\A`)
	case syntax.OpEndText:
		b.WriteString(`\z`)
	case syntax.OpWordBoundary:
		b.WriteString(wordBorder)
	case syntax.OpNoWordBoundary:
		b.WriteString(notWordBorder)
	case syntax.OpCapture:
		sub("(?:", ")") // nobody asks for groups
	case syntax.OpStar:
		sub("(?:", ")*"+lazy)
	case syntax.OpPlus:
		sub("(?:", ")+"+lazy)
	case syntax.OpQuest:
		sub("(?:", ")?"+lazy)
	case syntax.OpRepeat:
		count := "{" + strconv.Itoa(re.Min) + ","
		if re.Max >= 0 {
			count += strconv.Itoa(re.Max)
		}
		sub("(?:", ")"+count+"}"+lazy)
	case syntax.OpConcat:
		sub("(?:", ")")
	case syntax.OpAlternate:
		b.WriteString("(?:")
		for i, s := range re.Sub {
			if i > 0 {
				b.WriteByte('|')
			}
			writeRegexp2(b, s)
		}
		b.WriteByte(')')
	}
}

// The border between a word character, as IsWord has it, and another.
const (
	wordClass2 = `\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\u200C\u200D\u24B6-\u24E9` +
		"\U0001F130-\U0001F149\U0001F150-\U0001F169\U0001F170-\U0001F189"
	wordBorder    = `(?:(?<=[` + wordClass2 + `])(?![` + wordClass2 + `])|(?<![` + wordClass2 + `])(?=[` + wordClass2 + `]))`
	notWordBorder = `(?:(?<=[` + wordClass2 + `])(?=[` + wordClass2 + `])|(?<![` + wordClass2 + `])(?![` + wordClass2 + `]))`
)

// writeChar writes a character for itself, in or out of a class.
func writeChar(b *strings.Builder, r rune) {
	switch {
	case r < utf8.RuneSelf && isWordASCII(r):
		b.WriteRune(r)
	case r <= 0xffff:
		fmt.Fprintf(b, `\u%04X`, r)
	default:
		b.WriteRune(r)
	}
}
