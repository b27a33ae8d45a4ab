package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/contextweaver"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

// Reader reads books of one file format.
type Reader interface {
	// Name is the name of the format, in lower case: "sillytavern".
	Name() string
	// Detect reports whether a file looks like the format. head is the
	// beginning of the file, at least 4 KiB of it if there is as much.
	Detect(path string, head []byte) bool
	// Read reads a file. Problems of single entries go into the list, with the
	// rest of the book being read; an error means that there is no book in it.
	Read(ctx context.Context, path string, data []byte) ([]*lore.Book, diag.List, error)
}

// readers returns all readers, those of the program's options first.
func (e *env) readers() []Reader {
	return append(slices.Clone(e.opts.Readers), pngReader{}, bundleReader{}, entryReader{}, jsonReader{})
}

// headBytes is how much of a file its reader is chosen by.
const headBytes = 64 << 10

// readBook reads the books at a path: a book folder, a folder of book folders,
// or a file that one of the readers knows; "-" is standard input.
func (e *env) readBook(path string) ([]*lore.Book, diag.List, error) {
	if path != "-" {
		info, err := os.Stat(path)
		if err != nil {
			return nil, nil, cannotRead(path, "book", err)
		}
		if info.IsDir() {
			return e.readFolder(path)
		}
	}
	data, err := e.readInput(path, "book", maxBookBytes)
	if err != nil {
		return nil, nil, err
	}
	head := data[:min(len(data), headBytes)]
	for _, r := range e.readers() {
		if !r.Detect(path, head) {
			continue
		}
		books, list, err := r.Read(e.ctx, path, data)
		if err != nil {
			if e.ctx.Err() != nil {
				return nil, list, e.ctx.Err()
			}
			var own *failure
			if !errors.As(err, &own) {
				err = fail(ExitInput, "", "%s: %w", path, err)
			}
			return nil, list, err
		}
		return books, list, nil
	}
	return nil, nil, fail(ExitInput, "a book is a folder of .weaver files, a .weaver file, a JSON book, a bundle, an image with one, or a book, card or chat of another program (docs/formats.md lists them)",
		"%s is not a book: %s", path, describe(path, data))
}

// readFolder reads a book folder or, where a folder holds no entries itself,
// the book folders in it.
func (e *env) readFolder(path string) ([]*lore.Book, diag.List, error) {
	if isBookFolder(path) {
		return e.loadDir(path)
	}
	children, err := os.ReadDir(path)
	if err != nil {
		return nil, nil, cannotRead(path, "book", err)
	}
	var books []*lore.Book
	var all diag.List
	for _, c := range children {
		sub := filepath.Join(path, c.Name())
		if info, err := os.Stat(sub); err != nil || !info.IsDir() || !isBookFolder(sub) {
			continue
		}
		got, list, err := e.loadDir(sub)
		all = append(all, list...)
		if err != nil {
			return nil, all, err
		}
		books = append(books, got...)
	}
	if len(books) == 0 {
		return nil, nil, fail(ExitInput, "put .weaver files into it, or into a folder entries/ in it",
			"the folder %s has no entries", path)
	}
	return books, all, nil
}

// isBookFolder reports whether a folder has a lorebook.yaml or entries.
func isBookFolder(path string) bool {
	for _, pattern := range []string{"lorebook.yaml", "lorebook.yml", "*.weaver", filepath.Join("entries", "*.weaver")} {
		// Glob sees no error but that of a bad pattern: the folder's name may
		// hold brackets.
		if found, err := filepath.Glob(filepath.Join(globQuote(path), pattern)); err == nil && len(found) > 0 {
			return true
		}
	}
	return false
}

func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

func (e *env) loadDir(path string) ([]*lore.Book, diag.List, error) {
	dir, list, err := lore.LoadDir(e.ctx, path)
	if err != nil {
		if e.ctx.Err() != nil {
			return nil, list, e.ctx.Err()
		}
		return nil, list, cannotRead(path, "book", err)
	}
	book := dir.Book()
	contextweaver.Reorder(book)
	if len(book.Entries) == 0 && !list.HasErrors() {
		return nil, list, fail(ExitInput, "put .weaver files into it, or into a folder entries/ in it",
			"the folder %s has no entries", path)
	}
	return []*lore.Book{book}, list, nil
}

// describe says what a file seems to be.
func describe(path string, data []byte) string {
	head := data[:min(len(data), headBytes)]
	text := bytes.TrimLeft(trimBOM(head), " \t\r\n")
	switch {
	case len(head) == 0:
		return "it is empty"
	case bytes.HasPrefix(head, []byte("\x89PNG")):
		return "it is an image without a card or a bundle"
	case bytes.IndexByte(head, 0) >= 0:
		return "it is a binary file"
	case len(text) > 0 && (text[0] == '[' || text[0] == '{'):
		in, err := format.Bytes(path, data).WithLimits(foreignLimits).Open()
		if err == nil {
			_, err = in.Doc()
		}
		if err != nil {
			return "the JSON cannot be read: " + err.Error()
		}
		return "it is JSON that no known program writes"
	}
	return "it is text of another kind"
}

// entryReader reads a single .weaver file as a book of one entry.
type entryReader struct{}

func (entryReader) Name() string { return "weaver" }

func (entryReader) Detect(path string, head []byte) bool {
	return strings.EqualFold(filepath.Ext(path), ".weaver") || bytes.HasPrefix(trimBOM(head), []byte("---\n")) || bytes.HasPrefix(trimBOM(head), []byte("---\r\n"))
}

func (entryReader) Read(_ context.Context, path string, data []byte) ([]*lore.Book, diag.List, error) {
	file, list := lore.ParseEntry(path, data)
	book := &lore.Book{ID: baseName(path), Policy: lore.PolicyWeaver()}
	if entry := file.Entry(); entry != nil {
		book.Entries = append(book.Entries, entry)
	}
	return []*lore.Book{book}, list, nil
}

// jsonReader reads Weft's own JSON books.
type jsonReader struct{}

func (jsonReader) Name() string { return "json" }

func (jsonReader) Detect(path string, head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(trimBOM(head), " \t\r\n"), []byte("{"))
}

func (jsonReader) Read(_ context.Context, path string, data []byte) ([]*lore.Book, diag.List, error) {
	book, list := lore.ParseBook(path, data)
	if len(book.Entries) == 0 && list.HasErrors() {
		return nil, nil, fmt.Errorf("not a book: %w", list.Err())
	}
	return []*lore.Book{book}, list, nil
}

func trimBOM(b []byte) []byte { return bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")) }

// baseName is the name of a file without folder and extension.
func baseName(path string) string {
	if path == "-" {
		return "book"
	}
	name := filepath.Base(path)
	return strings.TrimSuffix(name, filepath.Ext(name))
}
