package suzune

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// A CharacterFile is the YAML file of one character: its names and the books
// bound to it. Everything else in the file is kept as it is written.
type CharacterFile struct {
	// Name is the character's id; it defaults to the file name without its
	// extension.
	Name string
	// DisplayName is what {{char}} stands for; it defaults to Name.
	DisplayName string
	// Lorebooks are bare names of books: file names without ".json", looked up
	// in every folder below lorebooks/. Order is the order of the bindings.
	Lorebooks []string

	src  []byte
	root *yaml.Node
}

// ParseCharacter reads a character file. Fields of the wrong type are reported
// as problems and count as absent; only text that is not a YAML mapping is an
// error.
func ParseCharacter(src []byte) (c *CharacterFile, problems []string, err error) {
	c = &CharacterFile{src: bytes.Clone(src)}
	var doc yaml.Node
	if err := yaml.Unmarshal(src, &doc); err != nil {
		return nil, nil, fmt.Errorf("not readable as YAML: %w", err)
	}
	if len(doc.Content) == 0 {
		return c, []string{"the file is empty"}, nil
	}
	c.root = doc.Content[0]
	if c.root.Kind != yaml.MappingNode {
		return nil, nil, fmt.Errorf("line %d: a character file must be a mapping with name and lorebooks", c.root.Line)
	}
	read := func(key string) string {
		v := c.find(key)
		if v == nil || v.Tag == "!!null" {
			return ""
		}
		if v.Kind != yaml.ScalarNode {
			problems = append(problems, fmt.Sprintf("line %d: %s must be a text", v.Line, key))
			return ""
		}
		return v.Value
	}
	c.Name = read("name")
	c.DisplayName = read("display_name")
	list := c.find("lorebooks")
	if list == nil || list.Tag == "!!null" {
		return c, problems, nil
	}
	items := []*yaml.Node{list}
	if list.Kind == yaml.SequenceNode {
		items = list.Content
	}
	for _, item := range items {
		if item.Kind == yaml.AliasNode {
			item = item.Alias
		}
		if item.Kind != yaml.ScalarNode {
			problems = append(problems, fmt.Sprintf("line %d: lorebooks: each item must be the bare name of a book", item.Line))
			continue
		}
		c.Lorebooks = append(c.Lorebooks, item.Value)
	}
	return c, problems, nil
}

// find returns the value of a key of the mapping, aliases resolved, or nil.
func (c *CharacterFile) find(key string) *yaml.Node {
	if c.root == nil {
		return nil
	}
	for i := 0; i+1 < len(c.root.Content); i += 2 {
		if c.root.Content[i].Value == key {
			v := c.root.Content[i+1]
			if v.Kind == yaml.AliasNode {
				return v.Alias
			}
			return v
		}
	}
	return nil
}

// Bytes returns the file as it was read.
func (c *CharacterFile) Bytes() []byte { return bytes.Clone(c.src) }

// Edit returns the text of the file with these names and books. Only the
// fields that differ from what was read are written; comments, key order and
// quotes of the rest stay. An empty display name that the file lacks stays
// absent.
func (c *CharacterFile) Edit(name, displayName string, lorebooks []string) ([]byte, error) {
	out := bytes.Clone(c.src)
	var edits []edit
	var appended []string
	scalar := func(key, before, after string) error {
		if before == after {
			return nil
		}
		v := c.find(key)
		if v == nil {
			appended = append(appended, key+": "+yamlText(after))
			return nil
		}
		start, end, err := c.scalarRange(v)
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		edits = append(edits, edit{start, end, yamlText(after)})
		return nil
	}
	if err := scalar("name", c.Name, name); err != nil {
		return nil, err
	}
	if err := scalar("display_name", c.DisplayName, displayName); err != nil {
		return nil, err
	}
	if !slices.Equal(c.Lorebooks, lorebooks) {
		v := c.find("lorebooks")
		switch {
		case v == nil:
			appended = append(appended, "lorebooks:")
			for _, b := range lorebooks {
				appended = append(appended, "  - "+yamlText(b))
			}
		default:
			e, err := c.listEdit(v, lorebooks)
			if err != nil {
				return nil, fmt.Errorf("lorebooks: %w", err)
			}
			edits = append(edits, e)
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return b.start - a.start })
	for _, e := range edits {
		out = slices.Replace(out, e.start, e.end, []byte(e.text)...)
	}
	if len(appended) > 0 {
		nl := lineEnd(c.src)
		if len(out) > 0 && out[len(out)-1] != '\n' {
			out = append(out, nl...)
		}
		for _, line := range appended {
			out = append(out, line+nl...)
		}
	}
	again, _, err := ParseCharacter(out)
	if err != nil {
		return nil, fmt.Errorf("the file's layout does not allow the edit: %w", err)
	}
	if again.Name != name || again.DisplayName != displayName || !slices.Equal(again.Lorebooks, lorebooks) {
		return nil, fmt.Errorf("the file's layout does not allow the edit without a rewrite; put each name on a line of its own")
	}
	return out, nil
}

type edit struct {
	start, end int
	text       string
}

// offset turns a node's position (line and column from 1, columns in
// characters) into a byte offset.
func (c *CharacterFile) offset(line, column int) int {
	pos := 0
	for range line - 1 {
		i := bytes.IndexByte(c.src[pos:], '\n')
		if i < 0 {
			return len(c.src)
		}
		pos += i + 1
	}
	if line == 1 && bytes.HasPrefix(c.src, []byte("\xef\xbb\xbf")) {
		pos += 3
	}
	for range column - 1 {
		if pos >= len(c.src) {
			break
		}
		_, n := utf8.DecodeRune(c.src[pos:])
		pos += n
	}
	return pos
}

// scalarRange returns where a scalar stands in the file.
func (c *CharacterFile) scalarRange(v *yaml.Node) (start, end int, err error) {
	if v.Kind != yaml.ScalarNode || v.Anchor != "" || v.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return 0, 0, fmt.Errorf("line %d: only a plain or quoted text can be edited in place", v.Line)
	}
	start = c.offset(v.Line, v.Column)
	rest := c.src[start:]
	switch {
	case v.Style&yaml.DoubleQuotedStyle != 0:
		for i := 1; i < len(rest); i++ {
			switch rest[i] {
			case '\\':
				i++
			case '"':
				return start, start + i + 1, nil
			}
		}
	case v.Style&yaml.SingleQuotedStyle != 0:
		for i := 1; i < len(rest); i++ {
			if rest[i] != '\'' {
				continue
			}
			if i+1 < len(rest) && rest[i+1] == '\'' {
				i++
				continue
			}
			return start, start + i + 1, nil
		}
	case v.Value == "" || bytes.HasPrefix(rest, []byte(v.Value)):
		return start, start + len(v.Value), nil
	}
	return 0, 0, fmt.Errorf("line %d: the text spans lines and cannot be edited in place", v.Line)
}

// listEdit returns the edit that makes the list of books read so.
func (c *CharacterFile) listEdit(v *yaml.Node, books []string) (edit, error) {
	if v.Kind == yaml.ScalarNode {
		start, end, err := c.scalarRange(v)
		if v.Value == "" && v.Style == 0 { // a key without a value: column points at the end of the line or later
			return edit{}, fmt.Errorf("line %d: the list is empty; write it as []", v.Line)
		}
		return edit{start, end, flowList(books)}, err
	}
	if v.Anchor != "" {
		return edit{}, fmt.Errorf("line %d: the list has an anchor", v.Line)
	}
	start := c.offset(v.Line, v.Column)
	if v.Style&yaml.FlowStyle != 0 {
		end := start + 1
		for i, item := range v.Content {
			_, e, err := c.scalarRange(item)
			if err != nil {
				return edit{}, err
			}
			if i == len(v.Content)-1 {
				end = e
			}
		}
		i := bytes.IndexByte(c.src[end:], ']')
		if i < 0 {
			return edit{}, fmt.Errorf("line %d: no end of the list", v.Line)
		}
		return edit{start, end + i + 1, flowList(books)}, nil
	}
	// Block style: each item is a line (with the comment lines above it).
	old := map[string][]string{}
	from := c.offset(v.Line, 1)
	pos := from
	dash := string(bytes.Repeat([]byte(" "), max(v.Column-1, 0))) + "- "
	for i, item := range v.Content {
		if item.Kind != yaml.ScalarNode && item.Kind != yaml.AliasNode {
			return edit{}, fmt.Errorf("line %d: an item is not a name", item.Line)
		}
		end := c.offset(item.Line+1, 1)
		if i+1 < len(v.Content) && v.Content[i+1].Line <= item.Line {
			return edit{}, fmt.Errorf("line %d: two items on one line", item.Line)
		}
		if item.Kind == yaml.ScalarNode {
			old[item.Value] = append(old[item.Value], string(c.src[pos:end]))
		}
		pos = end
	}
	nl := lineEnd(c.src)
	var b strings.Builder
	for _, name := range books {
		if lines := old[name]; len(lines) > 0 {
			if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
				b.WriteString(nl)
			}
			b.WriteString(lines[0])
			old[name] = lines[1:]
			continue
		}
		if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
			b.WriteString(nl)
		}
		b.WriteString(dash + yamlText(name) + nl)
	}
	if len(books) == 0 {
		b.WriteString(strings.TrimSuffix(dash, "- ") + "  []" + nl)
	}
	return edit{from, pos, b.String()}, nil
}

func flowList(books []string) string {
	parts := make([]string, len(books))
	for i, b := range books {
		parts[i] = yamlText(b)
		if strings.ContainsAny(parts[i], ",[]{}") && !strings.ContainsAny(parts[i][:1], `"'`) {
			parts[i] = fmt.Sprintf("%q", b)
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// yamlText writes a text as a YAML scalar on one line, quoted where it has to be.
func yamlText(s string) string {
	n := yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	if strings.ContainsAny(s, "\r\n") {
		n.Style = yaml.DoubleQuotedStyle
	}
	out, err := yaml.Marshal(&n)
	text := strings.TrimSuffix(string(out), "\n")
	if err != nil || strings.Contains(text, "\n") {
		return fmt.Sprintf("%q", s)
	}
	return text
}

func lineEnd(src []byte) string {
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
