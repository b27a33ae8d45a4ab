// Package pngchunk takes PNG and APNG files apart into their chunks and puts
// them together again, and reads the three kinds of text chunk.
//
// A file is [Parse]d into chunks that keep their bytes; [File.Bytes] writes
// them back, and only those that were replaced differ. Damage costs what is
// damaged: a wrong checksum is reported and the chunk is used, a file that is
// cut off gives the chunks that came before.
package pngchunk

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"
)

// Signature is what every PNG file begins with.
const Signature = "\x89PNG\r\n\x1a\n"

// IsPNG reports whether data begins as a PNG file does.
func IsPNG(data []byte) bool { return bytes.HasPrefix(data, []byte(Signature)) }

// Chunk is one chunk of a file.
type Chunk struct {
	Type string
	// Data is the content, without length, type and checksum. It must not be
	// changed: see [File.Replace].
	Data []byte
	// Offset is the place of the chunk in the file that was parsed.
	Offset int

	raw []byte // as it stood in the file; nil for new ones
}

// File is a PNG file in pieces.
type File struct {
	Chunks []Chunk
	// Problems are the findings about damage, each with its place.
	Problems []string

	tail []byte // what follows the last chunk
}

// Parse takes a file apart. The error is for data that is no PNG file at all.
func Parse(data []byte) (*File, error) {
	if !IsPNG(data) {
		return nil, fmt.Errorf("not a PNG file")
	}
	f := &File{}
	pos, ended := len(Signature), false
	for pos < len(data) {
		if ended && !chunkAt(data, pos) {
			break // something else stands behind the picture
		}
		if len(f.Chunks) == maxChunks {
			f.problem(pos, fmt.Sprintf("there are more than %d chunks: the rest is kept and not read", maxChunks))
			break
		}
		if len(data)-pos < 12 {
			f.problem(pos, "the file is cut off inside a chunk")
			break
		}
		size := binary.BigEndian.Uint32(data[pos:])
		typ := string(data[pos+4 : pos+8])
		if !validType(typ) {
			f.problem(pos, "no chunk stands where one should be")
			break
		}
		if uint64(size) > uint64(len(data)-pos-12) {
			f.problem(pos, fmt.Sprintf("the %s chunk says it has %d bytes, and %d are left: the file is cut off or damaged", typ, size, len(data)-pos-12))
			break
		}
		end := pos + 12 + int(size)
		c := Chunk{Type: typ, Data: data[pos+8 : end-4 : end-4], Offset: pos, raw: data[pos:end:end]}
		if crc32.ChecksumIEEE(data[pos+4:end-4]) != binary.BigEndian.Uint32(data[end-4:]) {
			f.problem(pos, fmt.Sprintf("the checksum of the %s chunk is wrong", typ))
		}
		f.Chunks = append(f.Chunks, c)
		pos = end
		ended = ended || typ == "IEND"
	}
	f.tail = data[pos:]
	return f, nil
}

// chunkAt reports whether a whole chunk stands at pos: some programs write text
// chunks behind IEND.
func chunkAt(data []byte, pos int) bool {
	if len(data)-pos < 12 || !validType(string(data[pos+4:pos+8])) {
		return false
	}
	size := uint64(binary.BigEndian.Uint32(data[pos:]))
	if size > uint64(len(data)-pos-12) {
		return false
	}
	end := pos + 12 + int(size)
	return crc32.ChecksumIEEE(data[pos+4:end-4]) == binary.BigEndian.Uint32(data[end-4:])
}

func validType(t string) bool {
	for _, c := range []byte(t) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

// maxProblems is how many findings are listed, maxChunks how many chunks a file
// may have.
const (
	maxProblems = 100
	maxChunks   = 1 << 18
)

func (f *File) problem(offset int, msg string) {
	if len(f.Problems) == maxProblems {
		f.Problems = append(f.Problems, "there is more damage than this")
	}
	if len(f.Problems) > maxProblems {
		return
	}
	f.Problems = append(f.Problems, fmt.Sprintf("byte %d: %s", offset, msg))
}

// Replace gives the i-th chunk other data.
func (f *File) Replace(i int, data []byte) { f.Chunks[i].Data, f.Chunks[i].raw = data, nil }

// Insert puts a new chunk before IEND, or at the end if there is none.
func (f *File) Insert(typ string, data []byte) {
	at := slices.IndexFunc(f.Chunks, func(c Chunk) bool { return c.Type == "IEND" })
	if at < 0 {
		at = len(f.Chunks)
	}
	f.Chunks = slices.Insert(f.Chunks, at, Chunk{Type: typ, Data: data})
}

// Bytes writes the file. Chunks that were not replaced stay byte for byte, as
// does what follows the last chunk.
func (f *File) Bytes() []byte {
	size := len(Signature) + len(f.tail)
	for _, c := range f.Chunks {
		size += len(c.Data) + 12
	}
	b := append(make([]byte, 0, size), Signature...)
	for _, c := range f.Chunks {
		if c.raw != nil {
			b = append(b, c.raw...)
			continue
		}
		b = binary.BigEndian.AppendUint32(b, uint32(len(c.Data)))
		at := len(b)
		b = append(b, c.Type...)
		b = append(b, c.Data...)
		b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[at:]))
	}
	return append(b, f.tail...)
}

// Text is a text chunk. Keyword and head are kept as they were read, so that a
// changed text goes back in the same kind of chunk.
type Text struct {
	// Chunk is the index of the chunk in the file.
	Chunk   int
	Type    string // tEXt, zTXt or iTXt
	Keyword string
	// Text is the text, unpacked, byte for byte.
	Text []byte

	head       []byte // keyword and what stands between it and the text
	compressed bool
}

// Texts reads the text chunks whose keyword want accepts. A packed text may
// unpack to limit bytes. Chunks that cannot be read are reported among the
// problems.
func (f *File) Texts(limit int64, want func(keyword string) bool) []Text {
	var texts []Text
	for i, c := range f.Chunks {
		if c.Type != "tEXt" && c.Type != "zTXt" && c.Type != "iTXt" {
			continue
		}
		keyword, rest, ok := bytes.Cut(c.Data, []byte{0})
		if !ok || !want(string(keyword)) {
			continue
		}
		t := Text{Chunk: i, Type: c.Type, Keyword: string(keyword)}
		if err := t.read(c.Data, rest, limit); err != nil {
			f.problem(c.Offset, fmt.Sprintf("the %s chunk %q cannot be read: %v", c.Type, keyword, err))
			continue
		}
		texts = append(texts, t)
	}
	return texts
}

func (t *Text) read(data, rest []byte, limit int64) error {
	switch t.Type {
	case "zTXt":
		if len(rest) == 0 || rest[0] != 0 {
			return fmt.Errorf("unknown compression")
		}
		t.compressed, rest = true, rest[1:]
	case "iTXt":
		if len(rest) < 2 {
			return fmt.Errorf("it is cut off")
		}
		t.compressed = rest[0] == 1
		if t.compressed && rest[1] != 0 {
			return fmt.Errorf("unknown compression")
		}
		rest = rest[2:]
		for range 2 { // language, translated keyword
			_, after, ok := bytes.Cut(rest, []byte{0})
			if !ok {
				return fmt.Errorf("it is cut off")
			}
			rest = after
		}
	}
	t.head = data[:len(data)-len(rest)]
	if !t.compressed {
		t.Text = rest
		return nil
	}
	z, err := zlib.NewReader(bytes.NewReader(rest))
	if err != nil {
		return err
	}
	defer z.Close()
	b, err := io.ReadAll(io.LimitReader(z, limit+1))
	if err != nil {
		return err
	}
	if int64(len(b)) > limit {
		return fmt.Errorf("it unpacks to more than the limit of %d bytes", limit)
	}
	t.Text = b
	return nil
}

// SetText puts another text into the chunk that t was read from.
func (f *File) SetText(t Text, text []byte) {
	data := slices.Clone(t.head)
	if t.compressed {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		_, _ = z.Write(text)
		_ = z.Close()
		text = b.Bytes()
	}
	f.Replace(t.Chunk, append(data, text...))
}

// InsertText adds a tEXt chunk before IEND.
func (f *File) InsertText(keyword string, text []byte) {
	f.Insert("tEXt", append(append([]byte(keyword), 0), text...))
}

// Fold compares keywords: without case.
func Fold(a, b string) bool { return strings.EqualFold(a, b) }
