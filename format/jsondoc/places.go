package jsondoc

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// places finds lines and columns without counting from the start of the text
// each time, so that a text with many findings costs no more than its length.
type places struct {
	once  sync.Once
	lines []uint32 // where lines begin
	runes []uint32 // code points before each step of the text
}

// step is how far apart the counts of code points stand.
const step = 1 << 12

func (p *places) fill(text string) {
	p.lines = append(p.lines, 0)
	for i := 0; ; {
		n := strings.IndexByte(text[i:], '\n')
		if n < 0 {
			break
		}
		i += n + 1
		p.lines = append(p.lines, uint32(i))
	}
	count := uint32(0)
	for i := 0; i < len(text); i += step {
		p.runes = append(p.runes, count)
		count += uint32(runesIn(text[i:min(i+step, len(text))]))
	}
}

// runesIn counts the bytes that begin a code point, which may be counted piece
// by piece.
func runesIn(s string) int {
	n := 0
	for i := range len(s) {
		if utf8.RuneStart(s[i]) {
			n++
		}
	}
	return n
}

// before counts the code points before an offset.
func (p *places) before(text string, offset int) int {
	if len(p.runes) == 0 {
		return 0
	}
	at := min(offset/step, len(p.runes)-1)
	return int(p.runes[at]) + runesIn(text[at*step:offset])
}

func (p *places) at(text string, offset int) (line, column int) {
	i, found := slices.BinarySearch(p.lines, uint32(offset))
	if !found {
		i--
	}
	return i + 1, 1 + p.before(text, offset) - p.before(text, int(p.lines[i]))
}
