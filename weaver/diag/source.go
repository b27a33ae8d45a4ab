package diag

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// Source is a text with a name, indexed by line. It is immutable and safe for
// use by several goroutines.
type Source struct {
	name  string
	text  string
	lines []int // byte offset of each line's first byte
}

// NewSource indexes text. Lines end at "\n"; a "\r" before it belongs to the
// line but is not drawn.
func NewSource(name, text string) *Source {
	lines := make([]int, 1, 1+strings.Count(text, "\n"))
	for i := 0; ; {
		j := strings.IndexByte(text[i:], '\n')
		if j < 0 {
			break
		}
		i += j + 1
		lines = append(lines, i)
	}
	return &Source{name: name, text: text, lines: lines}
}

// Name returns the name that the source was made with.
func (s *Source) Name() string { return s.name }

// Text returns the text.
func (s *Source) Text() string { return s.text }

// Lines returns the number of lines; an empty text has one.
func (s *Source) Lines() int { return len(s.lines) }

// Position returns the line and column of a byte offset, both from 1, the
// column in code points. An offset outside the text is moved to its nearest
// end.
func (s *Source) Position(offset int) (line, column int) {
	offset = max(0, min(offset, len(s.text)))
	line = s.LineOf(offset)
	return line, 1 + utf8.RuneCountInString(s.text[s.lines[line-1]:offset])
}

// LineOf returns the line of a byte offset, from 1. Unlike Position it takes no
// longer on long lines.
func (s *Source) LineOf(offset int) int {
	return max(1, sort.Search(len(s.lines), func(i int) bool { return s.lines[i] > offset }))
}

// Offset returns the byte offset of a line and column, both from 1, the
// column in code points. A place outside the text is moved to the nearest one
// inside.
func (s *Source) Offset(line, column int) int {
	if line < 1 {
		return 0
	}
	if line > len(s.lines) {
		return len(s.text)
	}
	at := s.lines[line-1]
	rest := s.lineText(line)
	for column > 1 && rest != "" {
		_, n := utf8.DecodeRuneInString(rest)
		rest = rest[n:]
		at += n
		column--
	}
	return at
}

// Line returns the text of a line, counted from 1, without its line break.
func (s *Source) Line(line int) string {
	if line < 1 || line > len(s.lines) {
		return ""
	}
	return s.lineText(line)
}

func (s *Source) lineText(line int) string {
	end := len(s.text)
	if line < len(s.lines) {
		end = s.lines[line] - 1
	}
	return strings.TrimSuffix(s.text[s.lines[line-1]:end], "\r")
}

// At returns a Diagnostic for a span of this source, with its file, line and
// column filled in.
func (s *Source) At(sev Severity, code string, span Span, message string) Diagnostic {
	line, col := s.Position(span.Start)
	return Diagnostic{
		Severity: sev, Code: code, File: s.name, Span: span,
		Line: line, Column: col, Message: message,
	}
}
