package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/weft-memory/weft/format"
)

// cardsFolder and chatsFolder hold what import puts beside the books.
const (
	cardsFolder = "cards"
	chatsFolder = "chats"
)

// reservedNames mean something to a reader of folders, or to an operating
// system, and so are no names of book folders.
var reservedNames = []string{
	cardsFolder, chatsFolder, "entries", "lorebooks", "con", "prn", "aux", "nul",
	"com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
	"lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
}

// fileName makes an id a name that every file system takes.
func fileName(id string) string {
	const most = 120 // bytes, well below what file systems allow
	name := format.SafeName(strings.ToValidUTF8(id, "_"))
	for len(name) > most {
		r := []rune(name)
		name = string(r[:len(r)-1])
	}
	name = strings.TrimRight(name, ". ")
	stem, _, _ := strings.Cut(strings.ToLower(name), ".")
	if name == "" || slices.Contains(reservedNames, stem) {
		name = "book_" + name
	}
	return name
}

// freeName returns name, with a number where it is taken. Names that differ in
// case alone count as one. The name is taken then.
func freeName(name string, taken map[string]bool) string {
	free := name
	for n := 2; taken[strings.ToLower(free)]; n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	taken[strings.ToLower(free)] = true
	return free
}

// writeNew is writeFile that leaves a file that is there alone, unless force is
// set.
func writeNew(file string, data []byte, force bool) error {
	if force {
		return writeFile(file, data)
	}
	switch info, err := os.Lstat(file); {
	case err == nil && (info.Mode().IsRegular() || info.IsDir() || info.Mode()&fs.ModeSymlink != 0):
		return isThere(file)
	case err == nil: // a device or a pipe
		return writeFile(file, data)
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".weft-*")
	if err != nil {
		return cannotWrite(file, err)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return cannotWrite(file, err)
	}
	// A link fails where a rename would replace a file made in between.
	switch err = os.Link(tmp.Name(), file); {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		return isThere(file)
	}
	if err := os.Rename(tmp.Name(), file); err != nil { // no links on this file system
		return cannotWrite(file, err)
	}
	return nil
}

func isThere(file string) error {
	return fail(ExitOutput, "choose another name, or give --force to replace it", "%s is there already", file)
}

// writeFolder writes files into a folder, all or none of them where the folder
// is new. A folder that holds something is left alone unless force is set; then
// the files in it are replaced one by one, and files that replaces names
// without being written are removed. No path leads out of the folder.
func writeFolder(ctx context.Context, dir string, files []format.OutFile, force bool, replaces func(name string) bool) error {
	if err := checkPaths(files); err != nil {
		return fail(ExitOutput, "", "%s: %w", dir, err)
	}
	old, err := os.ReadDir(dir)
	switch {
	case err == nil && len(old) > 0 && !force:
		return fail(ExitOutput, "choose another name, or give --force to replace what is in it", "the folder %s is there already", dir)
	case err == nil && len(old) > 0:
		return fillFolder(ctx, dir, files, replaces)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return cannotWrite(dir, err)
	}
	parent := filepath.Dir(filepath.Clean(dir))
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return cannotWrite(parent, err)
	}
	tmp, err := os.MkdirTemp(parent, ".weft-*")
	if err != nil {
		return cannotWrite(dir, err)
	}
	defer os.RemoveAll(tmp)
	if err := fillFolder(ctx, tmp, files, nil); err != nil {
		return err
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return cannotWrite(dir, err)
	}
	_ = os.Remove(dir) // an empty one
	if err := os.Rename(tmp, dir); err != nil {
		return cannotWrite(dir, err)
	}
	return nil
}

func fillFolder(ctx context.Context, dir string, files []format.OutFile, replaces func(name string) bool) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return cannotWrite(dir, err)
	}
	defer root.Close()
	written := map[string]bool{}
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := writeIn(root, f); err != nil {
			return cannotWrite(filepath.Join(dir, filepath.FromSlash(f.Path)), err)
		}
		written[f.Path] = true
	}
	if replaces == nil {
		return nil
	}
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || written[name] || !replaces(name) {
			return err
		}
		if err := root.Remove(filepath.FromSlash(name)); err != nil {
			return cannotWrite(filepath.Join(dir, name), err)
		}
		return nil
	})
}

// writeIn writes one file below a root, which links cannot lead out of.
func writeIn(root *os.Root, f format.OutFile) error {
	name := filepath.FromSlash(f.Path)
	if folder := filepath.Dir(name); folder != "." {
		if err := root.MkdirAll(folder, 0o755); err != nil {
			return err
		}
	}
	tmp := filepath.Join(filepath.Dir(name), ".weft-"+rand.Text())
	if err := root.WriteFile(tmp, f.Data, 0o644); err != nil {
		_ = root.Remove(tmp)
		return err
	}
	if err := root.Rename(tmp, name); err != nil {
		_ = root.Remove(tmp)
		return err
	}
	return nil
}

// checkPaths refuses paths that lead out of their folder, and two files of one
// name.
func checkPaths(files []format.OutFile) error {
	seen := map[string]string{}
	for _, f := range files {
		if !fs.ValidPath(f.Path) || f.Path == "." || !filepath.IsLocal(filepath.FromSlash(f.Path)) || strings.ContainsAny(f.Path, "\\\x00") {
			return fmt.Errorf("%q is no path inside a folder", f.Path)
		}
		key := strings.ToLower(path.Clean(f.Path))
		if other, ok := seen[key]; ok {
			return fmt.Errorf("%q and %q would be one file", other, f.Path)
		}
		seen[key] = f.Path
	}
	return nil
}
