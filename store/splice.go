package store

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// splice returns the difference between two texts: how much of the beginning
// and of the end is the same, and what stands between. An edit of one entry in
// a large book is small so.
func splice(old, text []byte) []byte {
	most := min(len(old), len(text))
	head := 0
	for head < most && old[head] == text[head] {
		head++
	}
	tail := 0
	for tail < most-head && old[len(old)-1-tail] == text[len(text)-1-tail] {
		tail++
	}
	return putSplice(head, tail, text[head:len(text)-tail])
}

// putSplice writes a difference.
func putSplice(head, tail int, middle []byte) []byte {
	out := binary.AppendUvarint(make([]byte, 0, len(middle)+2*binary.MaxVarintLen32), uint64(head))
	out = binary.AppendUvarint(out, uint64(tail))
	return append(out, middle...)
}

var errSplice = errors.New("a stored difference does not fit its base")

// unsplice applies differences to a text, one after the other. Only the result
// is put together.
func unsplice(text []byte, diffs ...[]byte) ([]byte, error) {
	parts, size := [][]byte{text}, uint64(len(text))
	for _, diff := range diffs {
		head, n := binary.Uvarint(diff)
		if n <= 0 {
			return nil, errSplice
		}
		diff = diff[n:]
		tail, n := binary.Uvarint(diff)
		if n <= 0 || head > size || tail > size-head {
			return nil, errSplice
		}
		diff = diff[n:]
		next := append(make([][]byte, 0, len(parts)+2), cutParts(parts, 0, head)...)
		next = append(next, diff)
		parts = append(next, cutParts(parts, size-tail, size)...)
		size = head + uint64(len(diff)) + tail
	}
	return bytes.Join(parts, nil), nil
}

// cutParts returns what parts, one behind the other, hold from one place to
// another.
func cutParts(parts [][]byte, from, to uint64) (out [][]byte) {
	for _, p := range parts {
		n := uint64(len(p))
		if a, b := min(from, n), min(to, n); a < b {
			out = append(out, p[a:b])
		}
		from, to = from-min(from, n), to-min(to, n)
	}
	return out
}
