package store

import (
	"encoding/binary"
	"fmt"
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
	out := binary.AppendUvarint(nil, uint64(head))
	out = binary.AppendUvarint(out, uint64(tail))
	return append(out, text[head:len(text)-tail]...)
}

// unsplice applies what splice returned.
func unsplice(old, diff []byte) ([]byte, error) {
	head, n := binary.Uvarint(diff)
	if n > 0 {
		diff = diff[n:]
		var tail uint64
		if tail, n = binary.Uvarint(diff); n > 0 && head <= uint64(len(old)) && tail <= uint64(len(old))-head {
			out := make([]byte, 0, int(head)+len(diff)-n+int(tail))
			out = append(append(out, old[:head]...), diff[n:]...)
			return append(out, old[len(old)-int(tail):]...), nil
		}
	}
	return nil, fmt.Errorf("a stored difference does not fit its base")
}
