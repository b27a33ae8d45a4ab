package app

import (
	"fmt"
	"io"
	"strings"
)

// progress draws a bar on standard error while many files are worked on. It is
// silent where that is no terminal.
type progress struct {
	c           *console
	verb        string
	done, total int
	drawn       bool
}

// progress returns a bar for so many steps. One step needs none.
func (e *env) progress(verb string, total int) *progress {
	p := &progress{verb: verb, total: total}
	if e.err.terminal && total > 1 {
		p.c = e.err
	}
	return p
}

// step shows what is worked on next.
func (p *progress) step(name string) {
	if p.c != nil {
		const bar = 20
		filled := bar * p.done / p.total
		head := fmt.Sprintf("%s %s%s %d/%d ", p.verb, strings.Repeat("█", filled), strings.Repeat("░", bar-filled), p.done+1, p.total)
		line := head + truncate(visible(name, false), max(p.c.width-textWidth(head)-1, 0))
		_, _ = io.WriteString(p.c.w, "\r\x1b[K"+line)
		p.drawn = true
	}
	p.done++
}

// end takes the bar away, so that what is printed next stands on a clean line.
func (p *progress) end() {
	if p.drawn {
		_, _ = io.WriteString(p.c.w, "\r\x1b[K")
		p.drawn = false
	}
}
