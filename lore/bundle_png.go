package lore

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/weft-memory/weft/weaver/diag"
)

const (
	pngMagic = "\x89PNG\r\n\x1a\n"
	// pngKeyword names the text chunk that holds a bundle, as base64.
	pngKeyword = "weft"
	// maxImage bounds an image with its bundle, in bytes.
	maxImage = 1 << 30
)

// pngChunk is one chunk of an image: raw is all of it, length and checksum
// included.
type pngChunk struct {
	kind  string
	data  []byte
	raw   []byte
	sound bool // the checksum is right
}

// pngChunks splits an image into chunks up to IEND and what follows it. Err
// says why the image is not whole; the chunks before that are returned.
func pngChunks(image []byte) (chunks []pngChunk, rest []byte, err error) {
	if len(image) > maxImage {
		return nil, nil, fmt.Errorf("an image is at most %d bytes", maxImage)
	}
	if !bytes.HasPrefix(image, []byte(pngMagic)) {
		return nil, nil, errors.New("this is no PNG image")
	}
	rest = image[len(pngMagic):]
	for {
		if len(rest) < 12 {
			return chunks, nil, errors.New("the image is cut off: it has no IEND chunk")
		}
		size := uint64(binary.BigEndian.Uint32(rest))
		if size+12 > uint64(len(rest)) {
			return chunks, nil, fmt.Errorf("the image is cut off inside its %q chunk", rest[4:8])
		}
		end := int(size) + 12
		c := pngChunk{kind: string(rest[4:8]), data: rest[8 : 8+size], raw: rest[:end]}
		c.sound = crc32.ChecksumIEEE(rest[4:8+size]) == binary.BigEndian.Uint32(rest[8+size:])
		chunks = append(chunks, c)
		rest = rest[end:]
		if c.kind == "IEND" {
			return chunks, rest, nil
		}
	}
}

func (c pngChunk) bundle() (text []byte, ok bool) {
	if c.kind != "tEXt" {
		return nil, false
	}
	return bytes.CutPrefix(c.data, []byte(pngKeyword+"\x00"))
}

// WriteBundlePNG puts a bundle into a PNG image, in a text chunk `weft` before
// the end, in place of one that is there. All other bytes of the image stay as
// they are. The image must be whole.
func WriteBundlePNG(image, bundle []byte) ([]byte, error) {
	chunks, rest, err := pngChunks(image)
	if err != nil {
		return nil, fmt.Errorf("bundle into image: %w", err)
	}
	data := append([]byte("tEXt"+pngKeyword+"\x00"), base64.StdEncoding.EncodeToString(bundle)...)
	if len(image)+len(data) > maxImage {
		return nil, fmt.Errorf("bundle into image: the image would be larger than %d bytes", maxImage)
	}
	var out bytes.Buffer
	out.WriteString(pngMagic)
	for _, c := range chunks {
		if _, old := c.bundle(); old {
			continue
		}
		if c.kind == "IEND" {
			_ = binary.Write(&out, binary.BigEndian, uint32(len(data)-4))
			out.Write(data)
			_ = binary.Write(&out, binary.BigEndian, crc32.ChecksumIEEE(data))
		}
		out.Write(c.raw)
	}
	out.Write(rest)
	return out.Bytes(), nil
}

// ReadBundlePNG takes the bundle out of a PNG image. It returns nil, with an
// error in the list, if there is none. A wrong checksum of the chunk is a
// warning, and so is an image that is cut off behind it.
func ReadBundlePNG(image []byte) ([]byte, diag.List) {
	var list diag.List
	chunks, _, err := pngChunks(image)
	var found []byte
	seen := 0
	for _, c := range chunks {
		text, ok := c.bundle()
		if !ok {
			continue
		}
		seen++
		if !c.sound {
			list = append(list, bundleProblem(diag.Warning, "", "the checksum of the image's %s chunk is wrong", pngKeyword))
		}
		bundle, wrong := base64.StdEncoding.DecodeString(string(text))
		if wrong != nil {
			list = append(list, bundleProblem(diag.Error, "get the image again", "the %s chunk of the image is damaged: %v", pngKeyword, wrong))
			continue
		}
		found = bundle
	}
	if seen > 1 {
		list = append(list, bundleProblem(diag.Warning, "", "the image holds %d bundles; the last one counts", seen))
	}
	switch {
	case err != nil && found == nil:
		list = append(list, bundleProblem(diag.Error, "get the image again, as a file and not as a preview", "%v", err))
	case err != nil:
		list = append(list, bundleProblem(diag.Warning, "", "%v", err))
	case seen == 0:
		list = append(list, bundleProblem(diag.Error, "make one with weft bundle --png", "the image holds no bundle"))
	}
	return found, list
}
