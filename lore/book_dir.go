package lore

import (
	"context"
	"io/fs"

	"github.com/weft-memory/weft/weaver/diag"
)

// Dir is a book folder: its files and the book that they make.
type Dir struct {
	// Config is the lorebook.yaml, or nil.
	Config *ConfigFile
	// Files are the .weaver files by path, those that could not be read
	// included.
	Files []*File

	book *Book
}

// Limits bounds what a reader takes in. A zero field means its default.
type Limits struct {
	FileBytes  int64 // of one file; 16 MiB
	TotalBytes int64 // of all files of a book; 1 GiB
	Files      int   // of one book; 200,000
}

// LoadOption changes how a book folder is read.
type LoadOption func(*loadOptions)

type loadOptions struct{ limits Limits }

// WithLimits sets the limits of reading.
func WithLimits(l Limits) LoadOption { return func(o *loadOptions) { o.limits = l } }

// LoadDir reads a book folder. The error is for the folder as a whole; a bad
// file is reported in the list and the rest loads.
func LoadDir(ctx context.Context, path string, opts ...LoadOption) (*Dir, diag.List, error) {
	return &Dir{book: &Book{}}, nil, nil
}

// LoadFS reads a book folder from a file system; name is the book's id if the
// folder has none of its own.
func LoadFS(ctx context.Context, fsys fs.FS, name string, opts ...LoadOption) (*Dir, diag.List, error) {
	return &Dir{book: &Book{}}, nil, nil
}

// Book returns the book that the files make.
func (d *Dir) Book() *Book { return d.book }

// LoadKind returns the class of a load problem: "meta_parse" (front matter,
// YAML, configuration), "template_parse" (body or condition) or "io".
func LoadKind(d diag.Diagnostic) string { return "meta_parse" }
