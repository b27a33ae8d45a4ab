package lore

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/weft-memory/weft/weaver/diag"
)

// Bounds of what one document may hold. They are far above what a person
// writes and keep hostile files cheap.
const (
	maxFrontMatter = 1 << 20   // bytes of YAML at the head of an entry
	maxConfig      = 4 << 20   // bytes of a lorebook.yaml
	maxNesting     = 100       // levels of lists and mappings
	maxNodes       = 2_000_000 // values, aliases counted each time
	maxProblems    = 200       // findings reported of one file
)

// document is a file whose settings were parsed into a tree of nodes. JSON and
// YAML give the same tree, so that one set of field readers serves both.
type document struct {
	src *diag.Source // the whole file
	// starts holds the byte offset of each line as the nodes count lines.
	starts []int
	// byteColumns is set for JSON: Column-1 is a byte offset in line 1.
	byteColumns bool
	root        *yaml.Node // a mapping, or nil
}

// offset returns where a node begins, in bytes.
func (d *document) offset(n *yaml.Node) int {
	if d.byteColumns {
		return n.Column - 1
	}
	if n.Line < 1 || n.Line > len(d.starts) {
		return len(d.src.Text())
	}
	at := d.starts[n.Line-1]
	text := d.src.Text()
	for i := 1; i < n.Column && at < len(text); i++ {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// span returns the place of a node: a scalar that stands on one line as a
// whole, anything else by its first character.
func (d *document) span(n *yaml.Node) diag.Span {
	start := d.offset(n)
	text := d.src.Text()
	if start >= len(text) {
		return diag.Span{Start: len(text), End: len(text)}
	}
	if n.Kind == yaml.ScalarNode && n.Value != "" {
		for _, quote := range []string{"", `"`, `'`} {
			if whole := quote + n.Value + quote; strings.HasPrefix(text[start:], whole) && !strings.Contains(n.Value, "\n") {
				return diag.Span{Start: start, End: start + len(whole)}
			}
		}
	}
	_, size := utf8.DecodeRuneInString(text[start:])
	return diag.Span{Start: start, End: start + size}
}

// problems gathers the findings of one file, up to maxProblems.
type problems struct {
	src     *diag.Source
	list    diag.List
	skipped int
}

func (p *problems) add(d diag.Diagnostic) {
	if len(p.list) >= maxProblems {
		p.skipped++
		return
	}
	p.list = append(p.list, d)
}

func (p *problems) at(sev diag.Severity, code string, span diag.Span, message, hint string) {
	if len(p.list) >= maxProblems {
		p.skipped++
		return
	}
	d := p.src.At(sev, code, span, message)
	d.Hint = hint
	p.add(d)
}

// file reports something about the file as a whole.
func (p *problems) file(sev diag.Severity, code, message, hint string) {
	p.add(diag.Diagnostic{Severity: sev, Code: code, File: p.src.Name(), Message: message, Hint: hint})
}

func (p *problems) done() diag.List {
	if p.skipped > 0 {
		p.list = append(p.list, diag.Diagnostic{
			Severity: diag.Note, Code: codeMore, File: p.src.Name(),
			Message: fmt.Sprintf("%d more findings are not shown", p.skipped),
		})
	}
	return p.list.Sort()
}

// yamlLines returns the offsets of the lines of text[from:to] as a YAML reader
// counts them: it also breaks at a lone CR, NEL, LS and PS.
func yamlLines(text string, from, to int) []int {
	starts := []int{from}
	for i := from; i < to; {
		c, size := utf8.DecodeRuneInString(text[i:to])
		i += size
		switch c {
		case '\r':
			if i < to && text[i] == '\n' {
				i++
			}
			starts = append(starts, i)
		case '\n', '\u0085', '\u2028', '\u2029':
			starts = append(starts, i)
		}
	}
	return starts
}

var yamlErrorLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// parseYAML parses text[from:to] of the source as one mapping. A nil root
// means that an error was reported.
func parseYAML(p *problems, from, to int) *document {
	d := &document{src: p.src}
	text := p.src.Text()
	if at, what := badYAMLByte(text, from, to); at >= 0 {
		p.at(diag.Error, codeSyntax, diag.Span{Start: at, End: at + 1}, what, "save the file as UTF-8")
		return d
	}
	d.starts = yamlLines(text, from, to)
	var doc yaml.Node
	dec := yaml.NewDecoder(strings.NewReader(text[from:to]))
	err := dec.Decode(&doc)
	if err == nil {
		var rest yaml.Node
		if err = dec.Decode(&rest); err == nil {
			p.at(diag.Error, codeSyntax, d.span(&rest), "a second YAML document begins here", "keep all settings in one")
			return d
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		reportYAML(p, d, err, from, to)
		return d
	}
	if len(doc.Content) == 0 || isNull(doc.Content[0]) {
		d.root = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: 1, Column: 1}
		return d
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		p.at(diag.Error, codeSyntax, d.span(root), "expected settings as `name: value` lines, got "+kindName(root), "")
		return d
	}
	if checkTree(p, d, root) {
		d.root = root
	}
	return d
}

// badYAMLByte finds the first byte that YAML cannot hold, or returns -1.
func badYAMLByte(text string, from, to int) (at int, what string) {
	for i := from; i < to; {
		c, size := utf8.DecodeRuneInString(text[i:to])
		switch {
		case c == utf8.RuneError && size == 1:
			return i, fmt.Sprintf("invalid UTF-8 (byte 0x%02X)", text[i])
		case c < ' ' && c != '\n' && c != '\r' && c != '\t', c == 0x7f, c >= 0x80 && c < 0xa0 && c != 0x85, c == 0xfeff, c == 0xfffe, c == 0xffff:
			return i, fmt.Sprintf("the character U+%04X cannot stand in YAML", c)
		}
		i += size
	}
	return -1, ""
}

func reportYAML(p *problems, d *document, err error, from, to int) {
	text := p.src.Text()
	m := yamlErrorLine.FindStringSubmatch(err.Error())
	message, at := err.Error(), from
	if m != nil {
		message = m[2]
		if line, err := strconv.Atoi(m[1]); err == nil {
			if strings.HasPrefix(message, "did not find expected") {
				line++ // the parser, unlike the scanner, counts lines from 0
			}
			last := len(d.starts)
			if last > 1 && d.starts[last-1] >= to {
				last--
			}
			at = d.starts[min(max(line, 1), last)-1]
		}
	}
	hint := ""
	switch {
	case strings.Contains(message, "tab character"), strings.Contains(message, "cannot start any token"):
		if tab := indentTab(text[from:to]); tab >= 0 {
			at = from + tab
			message = "a tab indents this line, which YAML does not allow"
			hint = "use spaces"
		} else {
			hint = "put quotes around values that begin with @, ` or %"
		}
	case strings.Contains(message, "mapping values are not allowed"):
		hint = "put quotes around a value that holds a colon and a space"
	case strings.Contains(message, "expected ',' or ']'"), strings.Contains(message, "expected node content"):
		hint = "look for a bracket that is not closed"
	case strings.Contains(message, "unexpected end of stream"), strings.Contains(message, "end of stream"):
		hint = "look for a quote that is not closed"
	case strings.Contains(message, "could not find expected ':'"):
		hint = "each line is `name: value`"
	}
	p.at(diag.Error, codeSyntax, lineSpan(text, at), "YAML cannot be read: "+message, hint)
}

// indentTab returns where the first tab stands in an indentation, or -1.
func indentTab(text string) int {
	at := 0
	for line := range strings.Lines(text) {
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		if i := strings.IndexByte(line[:indent], '\t'); i >= 0 {
			return at + i
		}
		at += len(line)
	}
	return -1
}

// lineSpan returns the rest of the line at an offset.
func lineSpan(text string, at int) diag.Span {
	at = min(at, len(text))
	end := strings.IndexAny(text[at:], "\r\n")
	if end < 0 {
		end = len(text) - at
	}
	return diag.Span{Start: at, End: at + max(end, 0)}
}

// checkTree reports keys given twice, keys that are not scalars, and trees
// that are too deep or grow too large through aliases.
func checkTree(p *problems, d *document, root *yaml.Node) bool {
	nodes := 0
	ok := true
	var walk func(n *yaml.Node, depth int) bool
	walk = func(n *yaml.Node, depth int) bool {
		nodes++
		switch {
		case depth > maxNesting:
			p.at(diag.Error, codeSyntax, d.span(n), fmt.Sprintf("nested more than %d levels deep", maxNesting), "")
			return false
		case nodes > maxNodes:
			p.at(diag.Error, codeSyntax, d.span(n), fmt.Sprintf("more than %d values (aliases count each time)", maxNodes), "")
			return false
		}
		if n.Kind == yaml.AliasNode {
			return n.Alias == nil || walk(n.Alias, depth+1)
		}
		if n.Kind == yaml.MappingNode {
			var seen map[string]bool
			if len(n.Content) > 16 {
				seen = make(map[string]bool, len(n.Content)/2)
			}
			for i := 0; i+1 < len(n.Content); i += 2 {
				key := n.Content[i]
				if resolve(key).Kind != yaml.ScalarNode {
					p.at(diag.Error, codeSyntax, d.span(key), "a name must be a simple text", "")
					ok = false
					continue
				}
				name := resolve(key).Value
				twice := false
				if seen != nil {
					twice = seen[name]
					seen[name] = true
				} else {
					for j := 0; j < i; j += 2 {
						twice = twice || resolve(n.Content[j]).Value == name
					}
				}
				if twice {
					p.at(diag.Error, codeTwice, d.span(key), fmt.Sprintf("%s is given twice", name), "keep one of the two")
					ok = false
				}
			}
		}
		return !slices.ContainsFunc(n.Content, func(c *yaml.Node) bool { return !walk(c, depth+1) })
	}
	return walk(root, 0) && ok
}

// resolve follows an alias to the node that it stands for.
func resolve(n *yaml.Node) *yaml.Node {
	for i := 0; n.Kind == yaml.AliasNode && n.Alias != nil && i < maxNesting; i++ {
		n = n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// kindName says what a node is, for messages.
func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.Tag {
	case "!!null":
		return "nothing"
	case "!!int", "!!float":
		return "the number " + n.Value
	case "!!bool":
		return n.Value
	}
	return "the text " + strconv.Quote(shorten(n.Value))
}

func shorten(s string) string {
	const most = 40
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most-1]) + "…"
}
