// Package zipedit reads zip archives that strangers send, and changes members
// of an archive without touching the bytes of the others.
package zipedit

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/weft-memory/weft/format"
)

// Archive is an opened archive. Data may have a prefix that is no part of it
// (a self-extracting program, an image).
type Archive struct {
	data    []byte
	members []member
	reader  *zip.Reader
	limits  format.Limits
	// Skipped are the names of members that are unsafe (absolute, or climbing
	// out of the archive) or encrypted, with the reason. They stay in the
	// archive and cannot be read.
	Skipped map[string]string
}

type member struct {
	name    string
	central []byte // its record in the central directory
	local   int    // offset of its local record in data
}

const (
	endSig, centralSig, localSig = 0x06054b50, 0x02014b50, 0x04034b50
	endLen, centralLen, localLen = 22, 46, 30

	zip64EndSig, zip64EndLen, zip64LocatorLen = 0x06064b50, 56, 20
	zip64Extra                                = 1
)

// IsZip reports whether data ends as a zip archive does.
func IsZip(data []byte) bool { return findEnd(data) >= 0 }

func findEnd(data []byte) int {
	for i := len(data) - endLen; i >= 0 && i >= len(data)-endLen-65535; i-- {
		if binary.LittleEndian.Uint32(data[i:]) == endSig {
			return i
		}
	}
	return -1
}

// Open opens an archive within the limits. Too many members, or members that
// unpack to more than the total, are an error.
func Open(data []byte, limits format.Limits) (*Archive, error) {
	limits = limits.WithDefaults()
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, fmt.Errorf("the zip archive cannot be read: %w", err)
	}
	if len(r.File) > limits.Files {
		return nil, fmt.Errorf("the zip archive has %d members, more than the limit of %d", len(r.File), limits.Files)
	}
	a := &Archive{data: data, reader: r, limits: limits, Skipped: map[string]string{}}
	total := uint64(0)
	for _, f := range r.File {
		total += f.UncompressedSize64
		if total > uint64(limits.TotalBytes) {
			return nil, fmt.Errorf("the zip archive unpacks to more than the limit of %d bytes", limits.TotalBytes)
		}
		switch {
		case f.Flags&1 != 0:
			a.Skipped[f.Name] = "it is encrypted"
		case !SafeName(f.Name):
			a.Skipped[f.Name] = "its path leads out of the archive"
		case f.UncompressedSize64 > uint64(limits.FileBytes):
			a.Skipped[f.Name] = fmt.Sprintf("it unpacks to %d bytes, more than the limit of %d", f.UncompressedSize64, limits.FileBytes)
		}
	}
	return a, nil
}

// SafeName reports whether the name of a member stays inside the archive.
func SafeName(name string) bool {
	return name != "" && !strings.HasPrefix(name, "/") && !strings.Contains(name, "\\") && !strings.Contains(name, ":") &&
		!slices.Contains(strings.Split(name, "/"), "..")
}

// Names returns the names of the members that can be read, in file order.
func (a *Archive) Names() []string {
	var names []string
	for _, f := range a.reader.File {
		if a.Skipped[f.Name] == "" && !strings.HasSuffix(f.Name, "/") {
			names = append(names, f.Name)
		}
	}
	return names
}

// Has reports whether the archive has a member that can be read.
func (a *Archive) Has(name string) bool { return slices.Contains(a.Names(), name) }

// Read unpacks a member; the last one of several with this name.
func (a *Archive) Read(name string) ([]byte, error) {
	if why := a.Skipped[name]; why != "" {
		return nil, fmt.Errorf("member %q: %s", name, why)
	}
	for _, f := range slices.Backward(a.reader.File) {
		if f.Name != name {
			continue
		}
		rc, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("member %q: %w", name, err)
		}
		defer rc.Close()
		b, err := format.ReadLimited(rc, name, int64(f.UncompressedSize64), a.limits.FileBytes)
		if err != nil {
			return nil, fmt.Errorf("member %q: %w", name, err)
		}
		return b, nil
	}
	return nil, fmt.Errorf("member %q: %w", name, fs.ErrNotExist)
}

// Replace returns the archive with other contents for some members; members
// that were not there are added at the end. The records of all other members
// stay byte for byte, in their order.
func (a *Archive) Replace(contents map[string][]byte) ([]byte, error) {
	if len(contents) == 0 {
		return a.data, nil
	}
	start, end, base, err := a.parse()
	if err != nil {
		return nil, err
	}
	records := slices.Clone(a.members)
	slices.SortStableFunc(records, func(x, y member) int { return x.local - y.local })
	out := bytes.NewBuffer(make([]byte, 0, len(a.data)))
	if len(records) > 0 {
		out.Write(a.data[:records[0].local])
	} else {
		out.Write(a.data[:start])
	}
	central := map[int][]byte{}
	for i, m := range records {
		stop := start
		if i+1 < len(records) {
			stop = records[i+1].local
		}
		at := out.Len() - base
		rec := slices.Clone(m.central)
		if content, ok := contents[m.name]; ok {
			header := a.data[m.local:]
			n := localLen + int(binary.LittleEndian.Uint16(header[26:])) + int(binary.LittleEndian.Uint16(header[28:]))
			if m.local+n > len(a.data) {
				return nil, fmt.Errorf("member %q: its record is damaged", m.name)
			}
			local := withoutZip64(header[:n], localLen, 26)
			rec = withoutZip64(rec, centralLen, 28)
			packed, method, err := pack(content, binary.LittleEndian.Uint16(local[8:]))
			if err != nil {
				return nil, err
			}
			patch(local[6:], method, content, packed)
			patch(rec[8:], method, content, packed)
			out.Write(local)
			out.Write(packed)
		} else {
			out.Write(a.data[m.local:stop])
		}
		if err := putOffset(rec, at); err != nil {
			return nil, err
		}
		central[m.local] = rec
	}
	var added [][]byte
	names := make([]string, 0, len(contents))
	for name := range contents {
		if !slices.ContainsFunc(a.members, func(m member) bool { return m.name == name }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		packed, method, err := pack(contents[name], zip.Deflate)
		if err != nil {
			return nil, err
		}
		at := out.Len() - base
		local := make([]byte, localLen, localLen+len(name))
		binary.LittleEndian.PutUint32(local, localSig)
		binary.LittleEndian.PutUint16(local[4:], 20)
		binary.LittleEndian.PutUint16(local[6:], 0x800)
		binary.LittleEndian.PutUint16(local[12:], 0x21) // 1 January 1980
		patch(local[6:], method, contents[name], packed)
		binary.LittleEndian.PutUint16(local[26:], uint16(len(name)))
		out.Write(append(local, name...))
		out.Write(packed)
		rec := make([]byte, centralLen, centralLen+len(name))
		binary.LittleEndian.PutUint32(rec, centralSig)
		binary.LittleEndian.PutUint16(rec[4:], 20)
		copy(rec[6:], local[4:localLen-2])
		binary.LittleEndian.PutUint32(rec[42:], uint32(at))
		added = append(added, append(rec, name...))
	}
	directory := out.Len()
	for _, m := range a.members {
		out.Write(central[m.local])
	}
	for _, rec := range added {
		out.Write(rec)
	}
	size := out.Len() - directory
	tail := slices.Clone(a.data[end:])
	count := uint16(len(a.members) + len(added))
	binary.LittleEndian.PutUint16(tail[8:], count)
	binary.LittleEndian.PutUint16(tail[10:], count)
	binary.LittleEndian.PutUint32(tail[12:], uint32(size))
	binary.LittleEndian.PutUint32(tail[16:], uint32(directory-base))
	out.Write(tail)
	return out.Bytes(), nil
}

// parse finds the central directory, the members, the end record, and what
// offsets count from: 0, or the end of the prefix.
func (a *Archive) parse() (start, end, base int, err error) {
	end = findEnd(a.data)
	if end < 0 {
		return 0, 0, 0, errors.New("the zip archive has no end record")
	}
	u64 := func(at int) int { return int(min(binary.LittleEndian.Uint64(a.data[at:]), 1<<62)) }
	size, offset := int(binary.LittleEndian.Uint32(a.data[end+12:])), int(binary.LittleEndian.Uint32(a.data[end+16:]))
	count := int(binary.LittleEndian.Uint16(a.data[end+8:]))
	stop := end
	if size == 0xffffffff || offset == 0xffffffff || count == 0xffff {
		// The sizes stand in a record of zip64, which a locator follows.
		z := end - zip64LocatorLen - zip64EndLen
		if z < 0 || binary.LittleEndian.Uint32(a.data[z:]) != zip64EndSig {
			return 0, 0, 0, errors.New("the zip archive's zip64 record is not where it should be: it can be read but not changed")
		}
		size, offset, stop = u64(z+40), u64(z+48), z
	}
	start = stop - size
	base = start - offset
	if start < 0 || base < 0 || size > stop {
		return 0, 0, 0, errors.New("the zip archive's directory lies outside the file")
	}
	a.members = a.members[:0]
	for pos := start; pos < stop; {
		if pos+centralLen > stop || binary.LittleEndian.Uint32(a.data[pos:]) != centralSig {
			return 0, 0, 0, fmt.Errorf("the zip archive's directory is damaged at byte %d", pos)
		}
		d := a.data[pos:]
		n := centralLen + int(binary.LittleEndian.Uint16(d[28:])) + int(binary.LittleEndian.Uint16(d[30:])) + int(binary.LittleEndian.Uint16(d[32:]))
		if pos+n > stop {
			return 0, 0, 0, fmt.Errorf("the zip archive's directory is damaged at byte %d", pos)
		}
		at := int(binary.LittleEndian.Uint32(d[42:]))
		if at == 0xffffffff {
			if field := zip64Offset(d[:n]); field != nil {
				at = int(min(binary.LittleEndian.Uint64(field), 1<<62))
			}
		}
		local := base + at
		if local < 0 || local+localLen > start || binary.LittleEndian.Uint32(a.data[local:]) != localSig {
			return 0, 0, 0, fmt.Errorf("the zip archive's directory is damaged at byte %d", pos)
		}
		name := string(d[centralLen : centralLen+int(binary.LittleEndian.Uint16(d[28:]))])
		a.members = append(a.members, member{name: name, central: d[:n:n], local: local})
		pos += n
	}
	return start, end, base, nil
}

// patch writes flags, method, checksum and sizes into a local record (from its
// flags) or a central one.
func patch(b []byte, method uint16, content, packed []byte) {
	flags := binary.LittleEndian.Uint16(b)
	binary.LittleEndian.PutUint16(b, flags&^8) // no data descriptor behind it
	binary.LittleEndian.PutUint16(b[2:], method)
	binary.LittleEndian.PutUint32(b[8:], crc32.ChecksumIEEE(content))
	binary.LittleEndian.PutUint32(b[12:], uint32(len(packed)))
	binary.LittleEndian.PutUint32(b[16:], uint32(len(content)))
}

func pack(content []byte, method uint16) ([]byte, uint16, error) {
	if method == zip.Store {
		return content, zip.Store, nil
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.DefaultCompression)
	if err != nil {
		return nil, 0, err
	}
	if _, err := io.Copy(w, bytes.NewReader(content)); err != nil {
		return nil, 0, err
	}
	if err := w.Close(); err != nil {
		return nil, 0, err
	}
	return b.Bytes(), zip.Deflate, nil
}

// New makes an archive of files, in the order of names.
func New(names []string, contents map[string][]byte) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range names {
		f, err := w.CreateHeader(&zip.FileHeader{Name: path.Clean(name), Method: zip.Deflate})
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(contents[name]); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
