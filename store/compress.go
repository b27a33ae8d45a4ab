package store

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"sync"
)

// Compressors are large and slow to make.
var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.DefaultCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

var inflaters = sync.Pool{New: func() any { return flate.NewReader(bytes.NewReader(nil)) }}

// smallest is the size from which on compression is worth its time; of what is
// read by the thousand, manySmallest.
const (
	smallest     = 64
	manySmallest = 1024
)

// pack compresses a text. The first byte says how.
func pack(text []byte) []byte { return packFrom(smallest, text) }

// packFrom is pack for texts of a size and more; smaller ones stay as they are.
func packFrom(size int, text []byte) []byte {
	if len(text) < size {
		return append([]byte{0}, text...)
	}
	var out bytes.Buffer
	out.Grow(len(text)/3 + 16)
	out.WriteByte(1)
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(&out)
	_, _ = w.Write(text) // a buffer takes everything
	_ = w.Close()
	if out.Len() > len(text) {
		return append([]byte{0}, text...)
	}
	return out.Bytes()
}

// unpack reads what pack wrote.
func unpack(body []byte) ([]byte, error) {
	if len(body) == 0 {
		return nil, fmt.Errorf("a stored text is empty")
	}
	switch body[0] {
	case 0:
		return body[1:], nil
	case 1:
		r := inflaters.Get().(io.ReadCloser)
		defer inflaters.Put(r)
		if err := r.(flate.Resetter).Reset(bytes.NewReader(body[1:]), nil); err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	}
	return nil, fmt.Errorf("a stored text has the unknown form %d", body[0])
}
