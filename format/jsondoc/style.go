package jsondoc

import "strings"

// Style is how a document is written, so that what is added looks like the
// rest.
type Style struct {
	// Indent is one level of indentation; with Newline "" everything stands on
	// one line.
	Indent, Newline string
	// Colon stands between key and value, Comma behind the comma between items
	// on one line.
	Colon, Comma string
	// InlineLists keeps lists without lists or objects inside on one line.
	InlineLists bool
	// ASCII escapes all characters outside ASCII; UpperHex writes their digits
	// in capitals; EscapeHTML escapes <, > and &, EscapeSlash the slash.
	ASCII, UpperHex, EscapeHTML, EscapeSlash bool
	// BOM is a byte order mark in front, Final what follows the value.
	BOM   bool
	Final string
	// UTF16 is "le" or "be" for a file in UTF-16 of that byte order, with its
	// mark in front; "" is UTF-8.
	UTF16 string
}

// Compact is the style without any white space.
func Compact() Style { return Style{Colon: ":"} }

// Indented is the style with one line a member, as JSON.stringify writes it
// with this indentation.
func Indented(indent string) Style { return Style{Indent: indent, Newline: "\n", Colon: ": "} }

func (s *Style) multiLine() bool { return s.Newline != "" }

func (s *Style) newline(b []byte, depth int) []byte {
	b = append(b, s.Newline...)
	for range depth {
		b = append(b, s.Indent...)
	}
	return b
}

// gap writes what stands before an item.
func (s *Style) gap(b []byte, first, inline bool, depth int) []byte {
	switch {
	case s.multiLine() && !inline:
		return s.newline(b, depth)
	case first:
		return b
	case s.multiLine() && s.Comma == "":
		return append(b, ' ')
	}
	return append(b, s.Comma...)
}

func detectStyle(text string, p *parser) Style {
	s := Style{
		Colon: ":", BOM: strings.HasPrefix(text, bom),
		ASCII: p.sawUnicodeEscape && !p.sawRaw, UpperHex: p.sawUpperHex,
		EscapeHTML: p.sawEscapedLess, EscapeSlash: p.sawSlash,
	}
	root := &p.nodes[0]
	s.Final = text[root.end:]
	sawComma, sawColon, sawInline, sawBlock, sawIndent := false, false, false, false, false
	for i := range p.nodes {
		n := &p.nodes[i]
		if n.key != 0 && !sawColon {
			k := int(n.key) + quotedLen(text[n.key:])
			if gap := text[k:n.start]; !strings.ContainsAny(gap, "\r\n") {
				s.Colon, sawColon = gap, true
			}
		}
		if n.count == 0 || n.kind < Array {
			continue
		}
		first := &p.nodes[i+1]
		lead := text[n.start+1 : itemStart(first)]
		if at := strings.IndexByte(lead, '\n'); at >= 0 {
			if !sawIndent {
				s.Newline = "\n"
				if at > 0 && lead[at-1] == '\r' {
					s.Newline = "\r\n"
				}
				inner := lead[strings.LastIndexByte(lead, '\n')+1:]
				outer := lineIndent(text, int(n.start))
				s.Indent = strings.TrimPrefix(inner, outer)
				sawIndent = true
			}
			if n.kind == Array && scalars(p.nodes, i) {
				sawBlock = true
			}
		} else if n.kind == Array && scalars(p.nodes, i) {
			sawInline = true
		}
		if n.count > 1 && !sawComma {
			between := text[first.end:itemStart(&p.nodes[first.next])]
			if _, after, ok := strings.Cut(between, ","); ok && !strings.Contains(after, "\n") {
				s.Comma, sawComma = after, true
			}
		}
		if sawComma && sawColon && sawIndent && (sawInline || sawBlock) {
			break
		}
	}
	s.InlineLists = s.Newline != "" && sawInline && !sawBlock
	return s
}

func itemStart(n *node) uint32 {
	if n.key != 0 {
		return n.key
	}
	return n.start
}

func scalars(nodes []node, i int) bool {
	for c, n := i+1, uint32(0); n < nodes[i].count; n++ {
		if nodes[c].kind >= Array {
			return false
		}
		c = int(nodes[c].next)
	}
	return true
}

// lineIndent returns the white space at the head of the line that holds pos.
func lineIndent(text string, pos int) string {
	line := text[strings.LastIndexByte(text[:pos], '\n')+1 : pos]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}
