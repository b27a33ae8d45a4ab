package lore

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/weft-memory/weft/weaver/diag"
)

// A bundle is one blob: a magic word, the version of the bundle format, the
// length and the SHA-256 of the payload, and the payload, deflated. The payload
// is a book in Weft's own JSON and, beside it, where each part came from with
// its source, so that a folder comes out byte for byte.
const (
	bundleMagic   = "WEFTBNDL"
	bundleVersion = 1
	bundleHeader  = len(bundleMagic) + 4 + 8 + sha256.Size
	// maxBundle bounds the payload, in bytes.
	maxBundle = 512 << 20
)

// ToBundle packs a book into one blob, for a database or an image. Sources of
// the files that the book was read from are in it: [NewDir] of the unpacked
// book gives the same files.
func ToBundle(b *Book) ([]byte, error) { return packBundle(b, nil) }

// Bundle packs a folder into one blob, those of its files included that have
// errors and so no entry in the book.
func (d *Dir) Bundle() ([]byte, error) {
	var files []*File
	for _, f := range d.Files {
		if f.entry == nil || d.byID[f.entry.ID] != f {
			files = append(files, f)
		}
	}
	return packBundle(d.book, files)
}

func packBundle(b *Book, files []*File) ([]byte, error) {
	book, err := bookNode(b)
	if err != nil {
		return nil, fmt.Errorf("bundle %s: %w", b.ID, err)
	}
	entries := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, e := range b.Entries {
		entries.Content = append(entries.Content, originNode(e.Origin))
	}
	var rest *yaml.Node
	if len(files) > 0 {
		rest = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, f := range files {
			rest.Content = append(rest.Content, originNode(Origin{Path: f.name, Raw: f.raw}))
		}
	}
	payload := nodeJSON(mapNode(
		"weft_bundle", intNode(bundleVersion), "id", textNode(b.ID), "book", book,
		"book_origin", originNode(b.Origin), "entry_origins", entries, "other_files", rest,
	))
	if len(payload) > maxBundle {
		return nil, fmt.Errorf("bundle %s: the book has %d bytes, a bundle holds %d", b.ID, len(payload), maxBundle)
	}
	var out bytes.Buffer
	out.WriteString(bundleMagic)
	out.Write([]byte{bundleVersion, 0, 0, 0})
	_ = binary.Write(&out, binary.BigEndian, uint64(len(payload)))
	sum := sha256.Sum256(payload)
	out.Write(sum[:])
	w, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(payload); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// IsBundle reports whether data begins like a bundle.
func IsBundle(data []byte) bool { return bytes.HasPrefix(data, []byte(bundleMagic)) }

// FromBundle unpacks a book. It never returns nil; a blob that is cut off or
// changed is reported, and what can be read of it is returned. A book in Weft's
// own JSON is taken too.
func FromBundle(data []byte) (*Book, diag.List) {
	b, _, list := unpackBundle(data)
	return b, list
}

// DirFromBundle unpacks a folder: the files are byte for byte those that were
// packed.
func DirFromBundle(data []byte) (*Dir, diag.List) {
	b, files, list := unpackBundle(data)
	d, err := NewDir(b)
	if err != nil {
		list = append(list, bundleProblem(diag.Error, "", "the book cannot be made into files: %v", err))
		d = newDir(b.ID, "")
		d.build()
		return d, list
	}
	for _, o := range files {
		name := strings.TrimPrefix(o.Path, "/")
		if strings.Contains(name, "..") || d.names[strings.ToLower(name)] != nil {
			name = d.freeName("file")
		}
		f := &File{path: name, name: name}
		list = append(list, f.read(o.Raw, modeOf(d.settings()))...)
		d.Files = append(d.Files, f)
		d.names[strings.ToLower(name)] = f
	}
	return d, append(list, d.sortFiles()...)
}

func bundleProblem(sev diag.Severity, hint, format string, args ...any) diag.Diagnostic {
	return diag.Diagnostic{Severity: sev, Code: codeBundle, Message: fmt.Sprintf(format, args...), Hint: hint}
}

func unpackBundle(data []byte) (*Book, []Origin, diag.List) {
	empty := &Book{Policy: PolicyWeaver()}
	if lead := bytes.TrimLeft(data, " \t\r\n\xef\xbb\xbf"); len(lead) > 0 && lead[0] == '{' {
		b, list := ParseBook("book.json", data)
		return b, nil, list
	}
	payload, list := bundlePayload(data)
	if payload == nil {
		return empty, nil, list
	}
	var doc struct {
		Version      int             `json:"weft_bundle"`
		ID           string          `json:"id"`
		Book         json.RawMessage `json:"book"`
		BookOrigin   origin          `json:"book_origin"`
		EntryOrigins []origin        `json:"entry_origins"`
		OtherFiles   []origin        `json:"other_files"`
	}
	if err := json.Unmarshal(payload, &doc); err != nil {
		return empty, nil, append(list, bundleProblem(diag.Error, "get the bundle again", "the bundle is damaged: %v", err))
	}
	b, problems := ParseBook("bundle.json", doc.Book)
	for _, d := range problems { // places are those of the payload
		d.File, d.Line, d.Column, d.Span = "", 0, 0, diag.Span{}
		list = append(list, d)
	}
	b.ID = doc.ID
	b.Origin = doc.BookOrigin.origin()
	for _, e := range b.Entries {
		var i int
		if _, err := fmt.Sscanf(e.Origin.Pointer, "/entries/%d", &i); err == nil && i < len(doc.EntryOrigins) {
			e.Origin = doc.EntryOrigins[i].origin()
		}
	}
	files := make([]Origin, len(doc.OtherFiles))
	for i, o := range doc.OtherFiles {
		files[i] = o.origin()
	}
	return b, files, list
}

// bundlePayload checks and unpacks the payload; it is nil if it cannot be read
// at all.
func bundlePayload(data []byte) ([]byte, diag.List) {
	fail := func(hint, format string, args ...any) ([]byte, diag.List) {
		return nil, diag.List{bundleProblem(diag.Error, hint, format, args...)}
	}
	switch {
	case !IsBundle(data):
		return fail("a bundle is made by ToBundle or by the command bundle", "this is no bundle")
	case len(data) < bundleHeader:
		return fail("get it again", "the bundle is cut off")
	case data[len(bundleMagic)] != bundleVersion:
		return fail("update Weft", "the bundle has version %d; this program reads %d", data[len(bundleMagic)], bundleVersion)
	}
	size := binary.BigEndian.Uint64(data[len(bundleMagic)+4:])
	if size > maxBundle {
		return fail("", "the bundle says that it holds %d bytes; the limit is %d", size, maxBundle)
	}
	sum := data[len(bundleMagic)+12 : bundleHeader]
	var out bytes.Buffer
	n, err := io.Copy(&out, io.LimitReader(flate.NewReader(bytes.NewReader(data[bundleHeader:])), int64(size)+1))
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fail("get it again", "the bundle is cut off: %d of %d bytes could be read", n, size)
	case err != nil:
		return fail("get it again", "the bundle is damaged: %v", err)
	case uint64(n) != size:
		return fail("get it again", "the bundle is damaged: it holds another number of bytes than it says")
	}
	payload := out.Bytes()
	if got := sha256.Sum256(payload); !bytes.Equal(got[:], sum) {
		return payload, diag.List{bundleProblem(diag.Error, "get it again", "the bundle was changed: its checksum is wrong")}
	}
	return payload, nil
}

// origin is an Origin in a bundle: the source as text where it is UTF-8.
type origin struct {
	Format   string  `json:"format"`
	Path     string  `json:"path"`
	Line     int     `json:"line"`
	BodyLine int     `json:"body_line"`
	Pointer  string  `json:"pointer"`
	Text     *string `json:"text"`
	Base64   []byte  `json:"base64"`
}

func (o origin) origin() Origin {
	out := Origin{Format: o.Format, Path: o.Path, Line: o.Line, BodyLine: o.BodyLine, Pointer: o.Pointer, Raw: o.Base64}
	if o.Text != nil {
		out.Raw = []byte(*o.Text)
	}
	return out
}

func originNode(o Origin) *yaml.Node {
	var text, encoded *yaml.Node
	switch {
	case o.Raw == nil:
	case utf8.Valid(o.Raw):
		text = textNode(string(o.Raw))
	default:
		encoded = textNode(base64.StdEncoding.EncodeToString(o.Raw))
	}
	return emptyMap(mapNode("format", optionalText(o.Format), "path", optionalText(o.Path), "line", positive(o.Line),
		"body_line", positive(o.BodyLine), "pointer", optionalText(o.Pointer), "text", text, "base64", encoded))
}
