// Package exif reads character cards out of the EXIF data of WebP, JPEG and PNG
// pictures, where old programs kept them in the user comment: as JSON, as a
// list of byte values, or as base64.
//
// It only reads: a document that was edited is to be written in another format.
package exif

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/weft-memory/weft/format"
	"github.com/weft-memory/weft/format/card"
)

// Name is the name of the format.
const Name = "card_exif"

// Codec returns the codec of pictures whose user comment holds a file of one of
// the formats.
func Codec(formats ...format.Codec) format.Codec { return codec{formats} }

type codec struct{ formats []format.Codec }

var (
	_ format.Codec   = codec{}
	_ card.Container = codec{}
)

func (codec) Info() format.Info {
	return format.Info{
		Name: Name, Title: "character card (WebP, JPEG)", Extensions: []string{".webp", ".jpg", ".jpeg"},
		Books: true, Characters: true, ReadOnly: true,
	}
}

// open returns the file in the user comment and the codec that reads it.
func (c codec) open(in *format.Input) (*format.Input, format.Codec, error) {
	text, ok := UserComment(in.Data)
	if !ok {
		return nil, nil, errors.New("the picture has no EXIF user comment")
	}
	inner, err := decode(in, text)
	if err != nil {
		return nil, nil, err
	}
	if _, err := inner.Doc(); err != nil {
		return nil, nil, err
	}
	for _, f := range c.formats {
		if f.Sniff(inner).Confidence >= format.Likely {
			return inner, f, nil
		}
	}
	return nil, nil, errors.New("the EXIF user comment holds no known card")
}

func (c codec) Sniff(in *format.Input) format.Guess {
	if _, f, err := c.open(in); err == nil {
		return format.Guessf(format.Certain, "a picture with a %s in its EXIF user comment", f.Info().Title)
	}
	return format.Guess{}
}

func (c codec) Read(ctx context.Context, in *format.Input) (*format.Document, *format.Report, error) {
	inner, f, err := c.open(in)
	if err != nil {
		return nil, &format.Report{}, err
	}
	doc, report, err := f.Read(ctx, inner)
	if err != nil {
		return nil, report, err
	}
	doc.Format, doc.Input = Name, in
	return doc, report, nil
}

// Write gives back the picture that was read, as long as nothing was edited.
func (c codec) Write(ctx context.Context, doc *format.Document, opts format.WriteOptions) (*format.Output, *format.Report, error) {
	if doc.Input == nil || doc.Format != Name {
		return nil, &format.Report{}, errors.New("cards in EXIF data are only read: write a PNG, CHARX or JSON card instead")
	}
	inner, f, err := c.open(doc.Input)
	if err != nil {
		return nil, &format.Report{}, err
	}
	same := *doc
	same.Format, same.Input = f.Info().Name, inner
	out, report, err := f.Write(ctx, &same, opts)
	if err != nil {
		return nil, report, err
	}
	if !bytes.Equal(out.Bytes(), inner.Data) {
		return nil, report, errors.New("cards in EXIF data are only read: write the edited card as PNG, CHARX or JSON")
	}
	return format.SingleFile(format.SafeName(doc.Input.Base())+doc.Input.Ext(), doc.Input.Data), report, nil
}

// Card returns the card in the user comment; nil if that is something else.
func (c codec) Card(in *format.Input) (*format.Input, error) {
	inner, f, err := c.open(in)
	if _, ok := f.(card.Container); !ok {
		return nil, err
	}
	return inner, err
}

// decode makes an input of a user comment.
func decode(in *format.Input, text []byte) (*format.Input, error) {
	trimmed := bytes.TrimSpace(text)
	switch {
	case len(trimmed) == 0:
		return nil, errors.New("the EXIF user comment is empty")
	case trimmed[0] == '{' || trimmed[0] == '[':
	case trimmed[0] >= '0' && trimmed[0] <= '9' && bytes.ContainsRune(trimmed, ','):
		bytesOf, err := byteList(string(trimmed))
		if err != nil {
			return nil, err
		}
		trimmed = bytesOf
	default:
		out, err := base64.StdEncoding.DecodeString(string(trimmed))
		if err != nil {
			return nil, errors.New("the EXIF user comment is neither JSON nor base64")
		}
		trimmed = out
	}
	return format.Bytes(in.Name, trimmed).WithLimits(in.Limits).Open()
}

// byteList reads "123,34,…".
func byteList(s string) ([]byte, error) {
	b := make([]byte, 0, len(s)/3)
	for part := range strings.SplitSeq(s, ",") {
		n, err := strconv.ParseUint(strings.TrimSpace(part), 10, 8)
		if err != nil {
			return nil, errors.New("the EXIF user comment is a broken list of byte values")
		}
		b = append(b, byte(n))
	}
	return b, nil
}

// UserComment returns the user comment in the EXIF data of a JPEG, WebP or PNG
// picture.
func UserComment(data []byte) (text []byte, ok bool) {
	tiff := tiffBlock(data)
	if tiff == nil {
		return nil, false
	}
	return userComment(tiff)
}

// tiffBlock finds the EXIF data of a picture.
func tiffBlock(data []byte) []byte {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xd8")):
		for pos := 2; pos+4 <= len(data) && data[pos] == 0xff; {
			size := int(binary.BigEndian.Uint16(data[pos+2:]))
			if data[pos+1] == 0xda || size < 2 || pos+2+size > len(data) {
				return nil
			}
			if body := data[pos+4 : pos+2+size]; data[pos+1] == 0xe1 && bytes.HasPrefix(body, []byte("Exif\x00\x00")) {
				return body[6:]
			}
			pos += 2 + size
		}
	case bytes.HasPrefix(data, []byte("RIFF")) && len(data) > 12 && string(data[8:12]) == "WEBP":
		for pos := 12; pos+8 <= len(data); {
			size := int(binary.LittleEndian.Uint32(data[pos+4:]))
			if size < 0 || size > len(data)-pos-8 {
				return nil
			}
			if string(data[pos:pos+4]) == "EXIF" {
				return bytes.TrimPrefix(data[pos+8:pos+8+size], []byte("Exif\x00\x00"))
			}
			pos += 8 + size + size&1
		}
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		for pos := 8; pos+12 <= len(data); {
			size := int(binary.BigEndian.Uint32(data[pos:]))
			if size < 0 || size > len(data)-pos-12 {
				return nil
			}
			if string(data[pos+4:pos+8]) == "eXIf" {
				return data[pos+8 : pos+8+size]
			}
			pos += 12 + size
		}
	}
	return nil
}

const (
	tagExif        = 0x8769
	tagUserComment = 0x9286
)

func userComment(tiff []byte) ([]byte, bool) {
	if len(tiff) < 8 {
		return nil, false
	}
	var order binary.ByteOrder
	switch string(tiff[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return nil, false
	}
	ifd := order.Uint32(tiff[4:])
	for range 2 { // the first directory, then the EXIF directory it points to
		tag, value, ok := find(tiff, order, ifd)
		if !ok {
			return nil, false
		}
		if tag == tagUserComment {
			return comment(value, order), true
		}
		ifd = order.Uint32(value)
	}
	return nil, false
}

// find looks in a directory for the user comment, or else for the pointer to
// the EXIF directory.
func find(tiff []byte, order binary.ByteOrder, ifd uint32) (tag uint16, value []byte, ok bool) {
	if uint64(ifd)+2 > uint64(len(tiff)) {
		return 0, nil, false
	}
	count := int(order.Uint16(tiff[ifd:]))
	for i := range count {
		at := uint64(ifd) + 2 + 12*uint64(i)
		if at+12 > uint64(len(tiff)) {
			break
		}
		entry := tiff[at : at+12]
		switch order.Uint16(entry) {
		case tagExif:
			tag, value, ok = tagExif, entry[8:12], true
		case tagUserComment:
			n := uint64(order.Uint32(entry[4:]))
			if n <= 4 {
				return tagUserComment, entry[8 : 8+n], true
			}
			from := uint64(order.Uint32(entry[8:]))
			if from+n > uint64(len(tiff)) {
				return 0, nil, false
			}
			return tagUserComment, tiff[from : from+n], true
		}
	}
	return tag, value, ok
}

// comment takes the eight bytes off that name the encoding.
func comment(value []byte, order binary.ByteOrder) []byte {
	if len(value) < 8 {
		return value
	}
	body := value[8:]
	switch string(value[:8]) {
	case "UNICODE\x00":
		units := make([]uint16, len(body)/2)
		for i := range units {
			units[i] = order.Uint16(body[2*i:])
		}
		return []byte(string(utf16.Decode(units)))
	case "ASCII\x00\x00\x00", "\x00\x00\x00\x00\x00\x00\x00\x00", "JIS\x00\x00\x00\x00\x00":
		return bytes.TrimRight(body, "\x00")
	}
	return bytes.TrimRight(value, "\x00")
}
