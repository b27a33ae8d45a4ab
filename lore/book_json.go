package lore

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/weft-memory/weft/weaver/diag"
)

// maxBook bounds a JSON book, in bytes.
const maxBook = 1 << 30

// ParseBook reads a book in Weft's own JSON: the fields of a lorebook.yaml, and
// `entries`, a list of objects with the fields of a .weaver file and `content`.
// The id of the book is the file name without extension, unless the file has
// another.
//
// It never returns nil. A bad entry is reported and left out, the rest loads;
// of two entries with one id the second replaces the first.
func ParseBook(name string, src []byte) (*Book, diag.List) {
	text, _ := decodeText(src)
	p := &problems{src: diag.NewSource(name, text)}
	b := &Book{Policy: PolicyWeaver(), Origin: Origin{Format: nativeExt, Path: name, Line: 1, Raw: src}}
	if len(src) > maxBook {
		p.file(diag.Error, codeLimit, fmt.Sprintf("a book is at most %d bytes", maxBook), "")
		return b, p.done()
	}
	checkUTF8(p, 0)
	d := parseJSON(p)
	if d.root != nil && d.root.Kind != yaml.MappingNode {
		p.at(diag.Error, codeSyntax, d.span(d.root), "expected a book as {...}, got "+kindName(d.root), "")
		d.root = nil
	}
	if d.root != nil {
		readJSONBook(&reader{problems: p, doc: d}, b)
	}
	if b.ID == "" {
		b.ID = strings.TrimSuffix(path.Base(strings.ReplaceAll(name, `\`, "/")), path.Ext(name))
	}
	list := p.done()
	if d.root != nil {
		list = append(list, checkBook(b)...)
	}
	return b, list.Sort()
}

func readJSONBook(r *reader, b *Book) {
	root := r.doc.root
	readBook(r, root, b, "entries")
	entries := lookup(root, "entries")
	if entries == nil {
		r.warn(root, codeMissing, "add \"entries\": [...]", "the book has no entries")
		return
	}
	items, _ := r.items(entries, "entries", "entries")
	mode := modeOf(b)
	at := make(map[string]int, len(items))
	b.Entries = make([]*Entry, 0, len(items))
	for i, item := range items {
		e := r.jsonEntry(item, i, mode)
		if e == nil {
			continue
		}
		if first, twice := at[e.ID]; twice {
			r.warn(item, codeIDTwice, "give one of the two another id", "entry %q: an earlier entry has this id; this one replaces it", shorten(e.ID))
			b.Entries[first] = e
			continue
		}
		at[e.ID] = len(b.Entries)
		b.Entries = append(b.Entries, e)
	}
}

func (r *reader) jsonEntry(n *yaml.Node, index int, mode entryMode) *Entry {
	r.where = fmt.Sprintf("entries[%d]: ", index)
	defer func() { r.where = "" }()
	if n.Kind != yaml.MappingNode {
		r.fail(n, codeType, "", "expected an entry as {...}, got %s", kindName(n))
		return nil
	}
	if id := lookup(n, "id"); id != nil && id.Kind == yaml.ScalarNode && id.Value != "" {
		r.where = fmt.Sprintf("entry %q: ", shorten(id.Value))
	}
	e := NewEntry("", "")
	e.Priority = mode.defaultPriority
	line := r.src.LineOf(r.doc.offset(n))
	e.Origin = Origin{Format: nativeExt, Path: r.src.Name(), Line: line, Pointer: fmt.Sprintf("/entries/%d", index)}
	found, ok := readEntry(r, n, e, "content", "content_base64")
	if !r.content(n, e) || !ok {
		return nil
	}
	if c := lookup(n, "content"); c != nil && mode.language == LangWeaver {
		r.template(c, e.Content, "content", parseBody)
	}
	if c := found.given["condition"]; c != nil && mode.conditions && e.Condition != "" {
		r.template(c, e.Condition, "condition", parseCondition)
	}
	return e
}

// content reads the content of a JSON entry and, where it is weaver's, reports
// its problems.
func (r *reader) content(n *yaml.Node, e *Entry) bool {
	if v := lookup(n, "content_base64"); v != nil {
		raw, err := base64.StdEncoding.DecodeString(v.Value)
		if err != nil {
			r.fail(v, codeValue, "", "content_base64: %v", err)
			return false
		}
		e.Content = string(raw)
		return true
	}
	v := lookup(n, "content")
	if v == nil || isNull(v) {
		return true
	}
	if v.Kind != yaml.ScalarNode {
		r.expected(v, "content", "a text", "")
		return false
	}
	e.Content = v.Value
	return true
}

// MarshalBook writes a book in Weft's own JSON, with an indent of two spaces
// and a final line break. Fields at their defaults are left out; unknown ones
// are written back. Equal books give equal bytes.
func MarshalBook(b *Book) ([]byte, error) {
	c := *b
	if c.FormatVersion == 0 {
		c.FormatVersion = FormatVersion
	}
	n, err := bookNode(&c)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, nodeJSON(n), "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

func bookNode(b *Book) (*yaml.Node, error) {
	root := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	add := func(n *yaml.Node, name string, v *yaml.Node) { n.Content = append(n.Content, textNode(name), v) }
	for _, p := range bookPairs(b) {
		if p.name != "entries" {
			add(root, p.name, p.value)
		}
	}
	mode := modeOf(b)
	entries := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for i, e := range b.Entries {
		if e == nil {
			return nil, fmt.Errorf("marshal book: entry %d is nil", i)
		}
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
		for _, p := range entryPairs(e, mode.defaultPriority) {
			if !validText(p.value) {
				return nil, fmt.Errorf("marshal book: entry %q: %s is not UTF-8", e.ID, p.name)
			}
			if p.name != "content" && p.name != "content_base64" {
				add(n, p.name, p.value)
			}
		}
		if utf8.ValidString(e.Content) {
			add(n, "content", textNode(e.Content))
		} else {
			add(n, "content_base64", textNode(base64.StdEncoding.EncodeToString([]byte(e.Content))))
		}
		entries.Content = append(entries.Content, n)
	}
	add(root, "entries", entries)
	return root, nil
}

func validText(n *yaml.Node) bool {
	if !utf8.ValidString(n.Value) {
		return false
	}
	for _, c := range n.Content {
		if !validText(c) {
			return false
		}
	}
	return true
}

// MarshalEntry writes one entry as the JSON object that a book in Weft's own
// JSON holds: the fields of a .weaver file that differ from their defaults, and
// content.
func MarshalEntry(e *Entry) ([]byte, error) {
	n, err := bookNode(&Book{Policy: PolicyWeaver(), Entries: []*Entry{e}})
	if err != nil {
		return nil, err
	}
	return nodeJSON(lookup(n, "entries").Content[0]), nil
}

// UnmarshalEntry reads what [MarshalEntry] wrote, or an object that a person
// wrote so. The error holds all problems of severity error.
func UnmarshalEntry(src []byte) (*Entry, error) {
	p := &problems{src: diag.NewSource("", string(src))}
	d := parseJSON(p)
	if d.root == nil {
		return nil, p.done().Err()
	}
	e := (&reader{problems: p, doc: d}).jsonEntry(d.root, 0, defaultMode)
	if e == nil {
		return nil, p.done().Err()
	}
	e.Origin = Origin{}
	return e, nil
}
