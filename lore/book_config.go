package lore

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"github.com/weft-memory/weft/weaver/diag"
)

// ConfigFile is a lorebook.yaml: its source, byte for byte, and the settings
// in it. Edits change only the bytes they must.
type ConfigFile struct {
	path string
	raw  []byte
	text string
	enc  encoding
	book *Book
	ok   bool // the settings had no error
}

// ParseConfig reads a lorebook.yaml, or the same settings as JSON. It never
// returns nil; settings with an error are left at their defaults.
func ParseConfig(path string, src []byte) (*ConfigFile, diag.List) {
	c := &ConfigFile{path: path}
	return c, c.read(src)
}

// NewConfig returns a new lorebook.yaml with the settings of a book.
func NewConfig(path string, b *Book) (*ConfigFile, error) {
	c, _ := ParseConfig(path, nil)
	return c, c.SetBook(b)
}

func (c *ConfigFile) read(src []byte) diag.List {
	c.raw = src
	c.text, c.enc = decodeText(src)
	c.book = &Book{Policy: PolicyWeaver(), Origin: Origin{Format: nativeExt, Path: c.path, Line: 1, Raw: src}}
	c.ok = false
	p := &problems{src: diag.NewSource(c.path, c.text)}
	if len(c.text) > maxConfig {
		p.file(diag.Error, codeLimit, fmt.Sprintf("the settings of a book are at most %d bytes", maxConfig), "")
		return p.done()
	}
	d := c.document(p)
	if d.root != nil {
		_, c.ok = readBook(&reader{problems: p, doc: d}, d.root, c.book)
	}
	return p.done()
}

func (c *ConfigFile) document(p *problems) *document {
	return parseYAML(p, bomLen(c.text), len(c.text))
}

// Path returns the path that the file was read with.
func (c *ConfigFile) Path() string { return c.path }

// Book returns the settings as a book without entries. It must not be
// changed: change a clone and give it to [ConfigFile.SetBook].
func (c *ConfigFile) Book() *Book { return c.book }

// Bytes returns the source: what was read, with the edits made since. It must
// not be changed.
func (c *ConfigFile) Bytes() []byte { return c.raw }

// Set changes one setting and leaves all other bytes alone; a new one goes to
// the end. See [File.Set] for the values it takes.
func (c *ConfigFile) Set(field string, value any) error {
	n, err := valueNode(field, value)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", c.path, field, err)
	}
	return c.edit([]pair{{field, n}})
}

// Unset removes a setting together with its lines.
func (c *ConfigFile) Unset(field string) error { return c.edit([]pair{{field, nil}}) }

// SetBook changes the source so that it reads as the settings of b, touching
// only those that differ. Entries and origin are not looked at.
func (c *ConfigFile) SetBook(b *Book) error {
	if !c.ok && len(c.raw) > 0 {
		return fmt.Errorf("%s: the settings have errors: correct them by hand first", c.path)
	}
	changes := changedPairs(bookPairs(c.book), bookPairs(b))
	if len(changes) == 0 {
		return nil
	}
	c.spellScanDepth(changes)
	before := *c
	if err := c.edit(changes); err != nil {
		return err
	}
	if name := firstDifference(bookPairs(c.book), bookPairs(b)); name != "" {
		*c = before
		return fmt.Errorf("%s: %s cannot be written as it is", c.path, name)
	}
	return nil
}

// spellScanDepth makes a change of default_scan_depth one of scan_depth where
// the file uses that name.
func (c *ConfigFile) spellScanDepth(changes []pair) {
	d := c.document(&problems{src: diag.NewSource(c.path, c.text)})
	if d.root == nil || lookup(d.root, "scan_depth") == nil {
		return
	}
	for i := range changes {
		if changes[i].name == "default_scan_depth" {
			changes[i].name = "scan_depth"
		}
	}
}

func (c *ConfigFile) edit(changes []pair) error {
	end := len(c.text)
	if i := strings.Index("\n"+c.text, "\n..."); i >= 0 { // the end of the document
		end = i
	}
	text, err := editYAML(c.path, c.text, bomLen(c.text), end, changes)
	if err != nil || text == c.text {
		return err
	}
	if c.enc != encUTF8 && !bytes.Equal(encodeText(c.text, c.enc), c.raw) {
		return fmt.Errorf("%s: %w", c.path, errNotWhole)
	}
	next := &ConfigFile{path: c.path}
	list := next.read(encodeText(text, c.enc))
	if !next.ok && c.ok {
		return cmp.Or(list.Errors().Err(), fmt.Errorf("%s: the edit would damage the file", c.path))
	}
	*c = *next
	return nil
}
