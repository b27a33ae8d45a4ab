package app

import (
	"io"
	"os"
	"strconv"
	"strings"
)

// A console is where a command writes for people: a writer with a width and,
// where it is a terminal, with colours.
type console struct {
	w        io.Writer
	width    int
	color    bool
	terminal bool
}

// Widths of the output for people, in columns.
const (
	defaultWidth = 80  // nothing is known about the terminal
	minWidth     = 40  // narrower terminals get this and wrap by themselves
	maxProse     = 100 // sentences are not set wider, for the eye's sake
)

// newConsole looks at the writer and the environment. COLUMNS stands above
// what the terminal says, so that scripts can ask for a width. Colours are
// used on a terminal unless NO_COLOR is set to anything or TERM is "dumb".
func newConsole(w io.Writer, getenv func(string) string) *console {
	c := &console{w: w, width: defaultWidth}
	file, _ := w.(*os.File)
	columns, terminal := 0, false
	if file != nil {
		columns, terminal = terminalWidth(file)
	}
	if n, err := strconv.Atoi(strings.TrimSpace(getenv("COLUMNS"))); err == nil && n > 0 {
		columns = n
	}
	if columns > 0 {
		c.width = max(columns, minWidth)
	}
	c.terminal = terminal
	c.color = terminal && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
	return c
}

// prose is the width for sentences.
func (c *console) prose() int { return min(c.width, maxProse) }

// A style is a way to set a piece of text apart. It is only ever an addition:
// every text means the same without it.
type style string

const (
	plain   style = ""
	strong  style = "1"
	dim     style = "2"
	heading style = "1;36"
	good    style = "32"
	warning style = "33"
	bad     style = "31"
)

// paint returns s in the style, or s itself where there are no colours.
func (c *console) paint(st style, s string) string {
	if !c.color || st == plain || s == "" {
		return s
	}
	return "\x1b[" + string(st) + "m" + s + "\x1b[0m"
}
