package format

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Limits bound what is read. A zero field means its default.
type Limits struct {
	// FileBytes bounds one file, also one inside an archive once it is
	// unpacked. Defaults to 64 MiB.
	FileBytes int64
	// TotalBytes bounds all files of a folder or archive together. Defaults to
	// 512 MiB.
	TotalBytes int64
	// Files bounds the files of a folder or archive. Defaults to 20,000.
	Files int
	// Depth bounds nested JSON. Defaults to 512.
	Depth int
}

// WithDefaults returns the limits with defaults in place of zeros.
func (l Limits) WithDefaults() Limits {
	if l.FileBytes <= 0 {
		l.FileBytes = 64 << 20
	}
	if l.TotalBytes <= 0 {
		l.TotalBytes = 512 << 20
	}
	if l.Files <= 0 {
		l.Files = 20000
	}
	if l.Depth <= 0 {
		l.Depth = 512
	}
	return l
}

// Source is something to read: a file, a folder, or bytes. Make one with
// [File], [Dir], [Bytes] or [FS].
type Source struct {
	name   string
	path   string
	data   []byte
	fsys   fs.FS
	dir    bool
	limits Limits
}

// File is the file at a path; a folder there is read as one.
func File(path string) Source { return Source{name: path, path: path} }

// Dir is the folder at a path.
func Dir(path string) Source { return Source{name: path, path: path, dir: true} }

// Bytes is the content of a file that was read elsewhere. The name is used in
// messages and, without its extension, as the id of what is in the file. The
// data must not be changed afterwards.
func Bytes(name string, data []byte) Source { return Source{name: name, data: data} }

// FS is a folder of any file system.
func FS(name string, fsys fs.FS) Source { return Source{name: name, fsys: fsys, dir: true} }

// WithLimits returns the source with other limits.
func (s Source) WithLimits(l Limits) Source {
	s.limits = l
	return s
}

// Name returns the path or name that the source was made with.
func (s Source) Name() string { return s.name }

// Open reads a file, or opens a folder, within the limits.
func (s Source) Open() (*Input, error) {
	limits := s.limits.WithDefaults()
	in := &Input{Name: s.name, Limits: limits}
	switch {
	case s.fsys != nil:
		in.FS = s.fsys
		return in, nil
	case s.path == "":
		if int64(len(s.data)) > limits.FileBytes {
			return nil, tooLarge(s.name, int64(len(s.data)), limits.FileBytes)
		}
		in.Data = s.data
		return in, nil
	}
	info, err := os.Stat(s.path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		in.FS = os.DirFS(s.path)
		if abs, err := filepath.Abs(s.path); err == nil {
			in.base = filepath.Base(abs)
		}
		return in, nil
	}
	if s.dir {
		return nil, fmt.Errorf("%s is a file, not a folder", s.name)
	}
	if info.Size() > limits.FileBytes {
		return nil, tooLarge(s.name, info.Size(), limits.FileBytes)
	}
	f, err := os.Open(s.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in.Data, err = ReadLimited(f, s.name, info.Size(), limits.FileBytes)
	return in, err
}

// ReadLimited reads r to its end, and fails once more than limit bytes came.
// size is what is expected, 0 if that is unknown.
func ReadLimited(r io.Reader, name string, size, limit int64) ([]byte, error) {
	b := make([]byte, 0, min(max(size, 0), limit, 1<<20)+512)
	if size > 0 && size <= limit && size < 64<<20 {
		b = make([]byte, 0, size+512)
	}
	for {
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if int64(len(b)) > limit {
			return nil, tooLarge(name, int64(len(b)), limit)
		}
		if err == io.EOF {
			return b, nil
		}
		if err != nil {
			return nil, err
		}
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
	}
}

func tooLarge(name string, size, limit int64) error {
	return fmt.Errorf("%s is too large: %d bytes or more, the limit is %d", name, size, limit)
}

// BaseName returns a file name without folders and without its extension.
func BaseName(name string) string {
	base := path.Base(filepath.ToSlash(name))
	if ext := path.Ext(base); ext != base {
		base = strings.TrimSuffix(base, ext)
	}
	return base
}
