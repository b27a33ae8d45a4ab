package world

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/weaver/diag"
)

// SyncReport says what SyncDir did.
type SyncReport struct {
	Saved     []SavedBook
	Unchanged []string // ids
	Deleted   []string // ids
	// Kept are the books of which something could not be read: what it was
	// before stays.
	Kept     []string
	Findings diag.List
}

// folders remembers what was seen of folders that are followed.
type folders struct {
	mu   sync.Mutex
	seen map[string]*followed // by world and folder
}

// followed is a folder as it was last synced.
type followed struct {
	mu      sync.Mutex
	stamp   string
	last    SyncReport
	entries map[string]string // path of an entry's file → id, while it could be read
}

func (f *folders) get(world, dir string) *followed {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.seen == nil {
		f.seen = map[string]*followed{}
	}
	key := world + "\x00" + dir
	if f.seen[key] == nil {
		f.seen[key] = &followed{entries: map[string]string{}}
	}
	return f.seen[key]
}

// maxSyncFiles bounds a folder that is followed.
const maxSyncFiles = 50_000

// SyncDir brings the books of a world up to what a folder holds: a book folder,
// or a folder of book folders and of files that can be imported. What cannot be
// read keeps its last good state and is reported: an entry in its book, a book
// as a whole. A book whose files are gone is deleted. While no file changes it
// only looks at their times, so it may be called before every turn.
func (s *Service) SyncDir(ctx context.Context, world, dir string) (SyncReport, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return SyncReport{}, err
	}
	stamp, err := dirStamp(abs)
	if err != nil {
		return SyncReport{}, &store.Error{Kind: Unreadable, Message: fmt.Sprintf("the folder %s cannot be read: %v", dir, err), Err: err}
	}
	f := s.folders.get(world, abs)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stamp == stamp {
		again := f.last
		for _, b := range again.Saved {
			again.Unchanged = append(slices.Clip(again.Unchanged), b.ID)
		}
		again.Saved, again.Deleted = nil, nil
		return again, nil
	}
	found, report, err := s.readDir(ctx, abs)
	if err != nil {
		return SyncReport{}, err
	}
	out, err := update(ctx, s, world, func(tx *txn) (SyncReport, error) { return tx.sync(abs, found, report, f) })
	if err != nil {
		return out, err
	}
	for _, b := range found {
		for path, id := range b.files {
			f.entries[path] = id
		}
	}
	f.stamp, f.last = stamp, out
	return out, nil
}

// dirStamp is a text that differs when a file came, went or was written.
func dirStamp(dir string) (string, error) {
	var b strings.Builder
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if path == dir {
				return err
			}
			return nil
		}
		if path != dir && strings.HasPrefix(d.Name(), ".") {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		if files++; files > maxSyncFiles {
			return fmt.Errorf("it holds more than %d files", maxSyncFiles)
		}
		info, err := d.Info()
		if err != nil {
			return nil //nolint:nilerr // it went away meanwhile: the next look sees that
		}
		fmt.Fprintf(&b, "%s\x00%d\x00%d\n", path, info.Size(), info.ModTime().UnixNano())
		return nil
	})
	return b.String(), err
}

// foundBook is a book as it is in a followed folder.
type foundBook struct {
	source string
	// book is nil if it cannot be read at all. partial says that entries of it
	// could not: what was there before is better.
	book    *lore.Book
	partial bool
	// broken are the files of entries that cannot be read, files the others with
	// the ids of their entries.
	broken []string
	files  map[string]string
}

// readDir reads the books of a folder.
func (s *Service) readDir(ctx context.Context, dir string) (found []foundBook, report diag.List, err error) {
	if isBookDir(dir) {
		b, list := readBookDir(ctx, dir)
		return []foundBook{b}, list, ctx.Err()
	}
	children, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, child := range children {
		if strings.HasPrefix(child.Name(), ".") {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		path := filepath.Join(dir, child.Name())
		if child.IsDir() && isBookDir(path) {
			b, list := readBookDir(ctx, path)
			found, report = append(found, b), append(report, list...)
			continue
		}
		src := format.File(path)
		if child.IsDir() {
			src = format.Dir(path)
		}
		doc, r, err := s.read(ctx, src, "")
		if r != nil {
			report = append(report, r.Problems...)
		}
		if err != nil {
			var unknown *format.UnknownFormatError
			if errors.As(err, &unknown) && filepath.Ext(child.Name()) != ".json" {
				continue // a picture, a note: nothing of ours
			}
			report = append(report, diag.Diagnostic{Severity: diag.Error, Code: "io-read", File: path, Message: err.Error()})
			found = append(found, foundBook{source: path})
			continue
		}
		for i, b := range doc.Books {
			source := path
			if len(doc.Books) > 1 {
				source = fmt.Sprintf("%s#%d", path, i+1)
			}
			found = append(found, foundBook{source: source, book: b, partial: r != nil && r.From == nativeFormat && losesEntries(r.Problems)})
		}
	}
	return found, report, nil
}

// losesEntries reports whether something could not be read.
func losesEntries(list diag.List) bool {
	return slices.ContainsFunc(list, func(d diag.Diagnostic) bool { return d.Severity == diag.Error && lossy(d.Code) })
}

// isBookDir reports whether a folder is a book: it has a lorebook.yaml, or
// entries.
func isBookDir(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, "lorebook.yaml")); err == nil {
		return true
	}
	for _, pattern := range []string{"*.weaver", filepath.Join("entries", "*.weaver")} {
		if list, err := filepath.Glob(filepath.Join(globSafe(dir), pattern)); err == nil && len(list) > 0 {
			return true
		}
	}
	return false
}

// globSafe keeps characters of a path from being read as a pattern.
func globSafe(path string) string {
	return strings.NewReplacer(`[`, `\[`, `*`, `\*`, `?`, `\?`).Replace(path)
}

func readBookDir(ctx context.Context, path string) (foundBook, diag.List) {
	b := foundBook{source: path, files: map[string]string{}}
	dir, list, err := lore.LoadDir(ctx, path)
	if err != nil {
		return b, append(list, diag.Diagnostic{Severity: diag.Error, Code: "io-read", File: path, Message: err.Error()})
	}
	bad := map[string]bool{}
	for _, d := range list {
		if d.Severity == diag.Error && lossy(d.Code) {
			if filepath.Base(d.File) == "lorebook.yaml" {
				return b, list
			}
			bad[filepath.Base(d.File)] = true
		}
	}
	b.book = dir.Book()
	for _, f := range dir.Files {
		name := filepath.Base(f.Path())
		if e := f.Entry(); e != nil && !bad[name] {
			b.files[filepath.Join(path, name)] = e.ID
		} else {
			b.broken = append(b.broken, filepath.Join(path, name))
		}
	}
	return b, list
}

// sync saves what was found.
func (tx *txn) sync(dir string, found []foundBook, findings diag.List, f *followed) (SyncReport, error) {
	out := SyncReport{Findings: findings}
	have, err := tx.Books(tx.id)
	if err != nil {
		return out, err
	}
	prefix := dir + string(filepath.Separator)
	mine := map[string]store.Book{} // by source
	for _, b := range have {
		if b.Source == dir || strings.HasPrefix(b.Source, prefix) {
			mine[b.Source] = b
		}
	}
	seen := map[string]bool{}
	for _, b := range found {
		seen[b.source] = true
		if _, known := mine[b.source]; b.book == nil || b.partial && known {
			if old, ok := mine[b.source]; ok {
				out.Kept = append(out.Kept, old.ID)
			}
			for source, old := range mine { // a file that held several
				if strings.HasPrefix(source, b.source+"#") {
					seen[source] = true
					out.Kept = append(out.Kept, old.ID)
				}
			}
			if err := tx.event(EventBookBroken, b.source, ""); err != nil {
				return out, err
			}
			continue
		}
		book := *b.book
		if len(b.broken) > 0 {
			kept, err := tx.keepEntries(&book, mine[b.source], b.broken, f)
			if err != nil {
				return out, err
			}
			if kept {
				out.Kept = append(out.Kept, book.ID)
			}
			if err := tx.event(EventBookBroken, b.source, ""); err != nil {
				return out, err
			}
		}
		if old, ok := mine[b.source]; ok && old.ID != book.ID { // its id was changed in the folder
			seen[b.source] = false
		} else if other := slices.IndexFunc(have, func(o store.Book) bool { return o.ID == book.ID }); other >= 0 && have[other].Source != b.source && have[other].Source != "" && seen[have[other].Source] {
			out.Findings = append(out.Findings, diag.Diagnostic{
				Severity: diag.Error, Code: "book-twice", File: b.source,
				Message: fmt.Sprintf("another followed book has the id %q, so this one is not taken", book.ID), Hint: "give one of the two another id",
			})
			continue
		}
		saved, err := tx.saveBook(&book, SaveBook{Source: &b.source, Note: "followed"})
		if err != nil {
			return out, err
		}
		if saved.Fresh {
			out.Saved = append(out.Saved, saved)
		} else {
			out.Unchanged = append(out.Unchanged, saved.ID)
		}
	}
	for source, old := range mine {
		if seen[source] || slices.ContainsFunc(out.Saved, func(b SavedBook) bool { return b.ID == old.ID }) || slices.Contains(out.Unchanged, old.ID) {
			continue
		}
		if err := tx.DeleteBook(tx.id, old.ID, 0); err != nil {
			return out, err
		}
		if err := tx.event(EventBookDeleted, old.ID, ""); err != nil {
			return out, err
		}
		out.Deleted = append(out.Deleted, old.ID)
	}
	slices.Sort(out.Deleted)
	return out, nil
}

// keepEntries puts what broken files held before into a book.
func (tx *txn) keepEntries(book *lore.Book, old store.Book, broken []string, f *followed) (bool, error) {
	if old.ID == "" {
		return false, nil
	}
	c, err := tx.compiled(old.ID, old.Revision, old.Hash)
	if err != nil {
		return false, err
	}
	book.Entries = slices.Clone(book.Entries)
	kept := false
	for _, path := range broken {
		id := f.entries[path]
		if id == "" {
			id = strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		}
		if e := c.book.Entry(id); e != nil && book.Entry(id) == nil {
			book.Entries = append(book.Entries, e)
			kept = true
		}
	}
	return kept, nil
}
