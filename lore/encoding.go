package lore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/weft-memory/weft/weaver/diag"
)

// encoding is how a text file stores its text.
type encoding uint8

const (
	encUTF8 encoding = iota
	encUTF16LE
	encUTF16BE
)

const utf8BOM = "\xef\xbb\xbf"

// DecodeText returns the text of a file as UTF-8, as all readers of this package
// take it: UTF-8 as it stands, UTF-16 (which a byte order mark announces)
// decoded. Places in findings are places in that text.
func DecodeText(src []byte) string {
	text, _ := decodeText(src)
	return text
}

// decodeText returns the text of a file: UTF-8 as it stands, its byte order
// mark included, and UTF-16 (which a byte order mark announces) as UTF-8
// without it.
func decodeText(src []byte) (string, encoding) {
	switch {
	case bytes.HasPrefix(src, []byte{0xff, 0xfe}):
		return decodeUTF16(src[2:], binary.LittleEndian), encUTF16LE
	case bytes.HasPrefix(src, []byte{0xfe, 0xff}):
		return decodeUTF16(src[2:], binary.BigEndian), encUTF16BE
	}
	return string(src), encUTF8
}

func decodeUTF16(b []byte, order binary.ByteOrder) string {
	units := make([]uint16, 0, len(b)/2+1)
	for ; len(b) >= 2; b = b[2:] {
		units = append(units, order.Uint16(b))
	}
	if len(b) == 1 {
		units = append(units, 0xfffd)
	}
	return string(utf16.Decode(units))
}

// encodeText is the opposite of decodeText.
func encodeText(text string, enc encoding) []byte {
	if enc == encUTF8 {
		return []byte(text)
	}
	var order binary.AppendByteOrder = binary.LittleEndian
	if enc == encUTF16BE {
		order = binary.BigEndian
	}
	out := order.AppendUint16(nil, 0xfeff)
	for _, u := range utf16.Encode([]rune(text)) {
		out = order.AppendUint16(out, u)
	}
	return out
}

// bomLen returns the length of a leading UTF-8 byte order mark.
func bomLen(text string) int {
	if len(text) >= len(utf8BOM) && text[:len(utf8BOM)] == utf8BOM {
		return len(utf8BOM)
	}
	return 0
}

// checkUTF8 warns of text that is not UTF-8. The bytes are kept.
func checkUTF8(p *problems, from int) {
	text := p.src.Text()
	if utf8.ValidString(text[from:]) {
		return
	}
	for i := from; i < len(text); {
		c, size := utf8.DecodeRuneInString(text[i:])
		if c == utf8.RuneError && size == 1 {
			p.at(diag.Warning, codeEncoding, diag.Span{Start: i, End: i + 1},
				"the text is not UTF-8 from here on; the bytes are kept as they are", "save the file as UTF-8")
			return
		}
		i += size
	}
}

// errNotWhole is returned for edits of UTF-16 files whose text could not be
// written back as it was.
var errNotWhole = errors.New("the file holds broken UTF-16, which an edit would change: save it as UTF-8 first")
