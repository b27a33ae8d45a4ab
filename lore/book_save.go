package lore

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// Save writes the files that changed since loading into the folder at dir,
// which it makes if it is absent, and removes those of removed entries. Each
// file is written beside its place and renamed, so that no reader sees half of
// one. It returns the paths that were written or removed.
//
// A file that changed on disk since it was read is not overwritten; Save
// returns an error that names it.
func (d *Dir) Save(ctx context.Context, dir string) (changed []string, err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("save book: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("save book: %w", err)
	}
	defer root.Close()
	if d.sub != "" {
		if err := root.MkdirAll(d.sub, 0o755); err != nil {
			return nil, fmt.Errorf("save book: %w", err)
		}
	}
	write := func(name string, src []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		before, known := d.saved[name]
		onDisk, err := root.ReadFile(name)
		switch {
		case err == nil && bytes.Equal(onDisk, src):
			d.saved[name] = src
			return nil
		case err == nil && (!known || !bytes.Equal(onDisk, before)):
			return fmt.Errorf("%s changed on disk since it was read: load it again", name)
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return err
		}
		if err := writeAtomic(root, name, src); err != nil {
			return err
		}
		d.saved[name] = src
		changed = append(changed, name)
		return nil
	}
	if d.Config != nil {
		if err := write(configName, d.Config.Bytes()); err != nil {
			return changed, fmt.Errorf("save book: %w", err)
		}
	}
	for _, f := range d.Files {
		if err := write(f.name, f.raw); err != nil {
			return changed, fmt.Errorf("save book: %w", err)
		}
	}
	for len(d.removed) > 0 {
		name := d.removed[0]
		onDisk, err := root.ReadFile(name)
		if err == nil && d.names[strings.ToLower(name)] != nil {
			err = fs.ErrNotExist // a new entry took the name
		}
		switch {
		case err == nil && !bytes.Equal(onDisk, d.saved[name]):
			return changed, fmt.Errorf("save book: %s changed on disk since it was read: load it again", name)
		case err == nil:
			if err := root.Remove(name); err != nil {
				return changed, fmt.Errorf("save book: %w", err)
			}
			changed = append(changed, name)
			delete(d.saved, name)
		}
		d.removed = d.removed[1:]
	}
	return changed, nil
}

// writeAtomic writes a file beside its place and renames it.
func writeAtomic(root *os.Root, name string, src []byte) (err error) {
	mode := fs.FileMode(0o644)
	if info, err := root.Stat(name); err == nil {
		mode = info.Mode().Perm()
	}
	temp := path.Join(path.Dir(name), "."+path.Base(name)+"."+rand.Text()[:8]+".tmp")
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = root.Remove(temp)
		}
	}()
	_, err = f.Write(src)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return root.Rename(temp, name)
}
