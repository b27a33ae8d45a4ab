package format

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/weft-memory/weft/format/jsondoc"
)

// Encoding is how a text file is encoded.
type Encoding string

// The encodings. A byte order mark is part of the file, not of its text.
const (
	UTF8    Encoding = "utf-8"
	UTF8BOM Encoding = "utf-8 with byte order mark"
	UTF16LE Encoding = "utf-16le"
	UTF16BE Encoding = "utf-16be"
)

// Input is an opened source: the bytes of a file or a folder. The text and the
// JSON in it are decoded once, for all codecs that look at it. It is safe for
// concurrent use; nothing in it must be changed.
type Input struct {
	// Name is the path or name of the source.
	Name string
	// Data are the bytes of a file. Nil for a folder.
	Data []byte
	// FS is the folder. Nil for a file.
	FS     fs.FS
	Limits Limits

	base string

	textOnce sync.Once
	text     string
	enc      Encoding
	isText   bool
	lossy    bool

	jsonOnce sync.Once
	doc      *jsondoc.Doc
	jsonErr  error
	inner    bool // look inside a list of one object
}

// Base returns the name without folders and extension: the id of what is in
// the file.
func (in *Input) Base() string {
	if in.base != "" {
		return in.base
	}
	return BaseName(in.Name)
}

// Ext returns the extension in lower case, with its dot.
func (in *Input) Ext() string { return strings.ToLower(path.Ext(filepath.ToSlash(in.Name))) }

// Text returns the file as text without its byte order mark; ok is false for
// folders and for binary files.
func (in *Input) Text() (text string, ok bool) {
	in.textOnce.Do(func() {
		if in.Data == nil && in.FS != nil {
			return
		}
		in.text, in.enc, in.lossy, in.isText = decodeText(in.Data)
	})
	return in.text, in.isText
}

// Encoding returns the encoding of a text file.
func (in *Input) Encoding() Encoding {
	in.Text()
	return in.enc
}

// Lossy reports whether the file is UTF-16 with lone surrogates, which Text
// shows as U+FFFD.
func (in *Input) Lossy() bool {
	in.Text()
	return in.lossy
}

// textOffset returns where the text begins in Data; ok is false if the text is
// no part of it.
func (in *Input) textOffset() (offset int, ok bool) {
	switch in.Encoding() {
	case UTF8:
		return 0, true
	case UTF8BOM:
		return 3, true
	}
	return 0, false
}

// Encode gives a changed text the encoding of the file.
func (in *Input) Encode(text []byte) []byte {
	switch in.Encoding() {
	case UTF8BOM:
		return append([]byte("\xef\xbb\xbf"), text...)
	case UTF16LE:
		return jsondoc.EncodeUTF16(text, binary.LittleEndian)
	case UTF16BE:
		return jsondoc.EncodeUTF16(text, binary.BigEndian)
	}
	return text
}

// ErrNotJSON is the error of [Input.JSON] for files that do not begin as JSON.
var ErrNotJSON = errors.New("not a JSON text")

// Doc returns the parsed JSON of the file. The error is ErrNotJSON if the text
// does not begin with { or [, otherwise a *[jsondoc.SyntaxError].
func (in *Input) Doc() (*jsondoc.Doc, error) {
	in.jsonOnce.Do(func() {
		text, ok := in.Text()
		trimmed := strings.TrimLeft(text, " \t\r\n")
		if !ok || trimmed == "" || trimmed[0] != '{' && trimmed[0] != '[' {
			in.jsonErr = ErrNotJSON
			return
		}
		in.doc, in.jsonErr = jsondoc.Parse(text, jsondoc.Limits{
			Bytes: int(in.Limits.WithDefaults().FileBytes), Depth: in.Limits.WithDefaults().Depth,
		})
	})
	return in.doc, in.jsonErr
}

// JSON returns the value that a codec is to look at: the root of the file, or
// the one object inside a list that some exporters wrap around it. The zero
// Value stands for a file that is not JSON.
func (in *Input) JSON() jsondoc.Value {
	doc, err := in.Doc()
	if err != nil {
		return jsondoc.Value{}
	}
	if in.inner {
		return doc.Root().Index(0)
	}
	return doc.Root()
}

// Wrapped reports whether JSON looks inside a list.
func (in *Input) Wrapped() bool { return in.inner }

// unwrap returns an input that looks inside a list of one object; ok is false
// if the file is none.
func (in *Input) unwrap() (inner *Input, ok bool) {
	root := in.JSON()
	if in.inner || root.Kind() != jsondoc.Array || root.Len() != 1 || root.Index(0).Kind() != jsondoc.Object {
		return nil, false
	}
	inner = &Input{Name: in.Name, Data: in.Data, Limits: in.Limits, base: in.base, inner: true}
	inner.textOnce.Do(func() { inner.text, inner.enc, inner.lossy, inner.isText = in.text, in.enc, in.lossy, in.isText })
	inner.jsonOnce.Do(func() { inner.doc, inner.jsonErr = in.doc, in.jsonErr })
	return inner, true
}

// raw returns the bytes of a value, as a part of Data where that is possible.
func (in *Input) raw(v jsondoc.Value) []byte {
	start, end := v.Span()
	if off, ok := in.textOffset(); ok && v.Doc() == in.doc {
		return in.Data[off+start : off+end : off+end]
	}
	return []byte(v.Raw())
}

func decodeText(b []byte) (text string, enc Encoding, lossy, ok bool) {
	switch {
	case bytes.HasPrefix(b, []byte("\xef\xbb\xbf")):
		return string(b[3:]), UTF8BOM, false, !isBinary(b[3:])
	case bytes.HasPrefix(b, []byte("\xff\xfe")) && len(b)%2 == 0:
		text, lossy = decodeUTF16(b[2:], binary.LittleEndian)
		return text, UTF16LE, lossy, true
	case bytes.HasPrefix(b, []byte("\xfe\xff")) && len(b)%2 == 0:
		text, lossy = decodeUTF16(b[2:], binary.BigEndian)
		return text, UTF16BE, lossy, true
	}
	if isBinary(b) {
		return "", "", false, false
	}
	return string(b), UTF8, false, true
}

// isBinary reports whether the first bytes can be no text: they hold a NUL or
// begin as one of the containers.
func isBinary(b []byte) bool {
	head := b[:min(len(b), 4096)]
	return bytes.IndexByte(head, 0) >= 0 || bytes.HasPrefix(head, []byte("\x89PNG")) ||
		bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("\xff\xd8\xff"))
}

func decodeUTF16(b []byte, order binary.ByteOrder) (text string, lossy bool) {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	runes := utf16.Decode(units)
	for i := 0; i < len(units); i++ {
		if utf16.IsSurrogate(rune(units[i])) {
			if i+1 < len(units) && utf16.DecodeRune(rune(units[i]), rune(units[i+1])) != utf8.RuneError {
				i++
				continue
			}
			lossy = true
			break
		}
	}
	return string(runes), lossy
}
