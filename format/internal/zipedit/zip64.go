package zipedit

import (
	"encoding/binary"
	"errors"
	"slices"
)

// extra returns where the extra fields of a record begin and end; size is that
// of its fixed part, lengths where the lengths of name and extra fields stand.
func extra(rec []byte, size, lengths int) (from, to int) {
	from = size + int(binary.LittleEndian.Uint16(rec[lengths:]))
	return from, from + int(binary.LittleEndian.Uint16(rec[lengths+2:]))
}

// zip64Field returns where the extra field of zip64 begins and ends in the record;
// ok is false if there is none.
func zip64Field(rec []byte, from, to int) (start, stop int, ok bool) {
	for from+4 <= to && to <= len(rec) {
		n := 4 + int(binary.LittleEndian.Uint16(rec[from+2:]))
		if from+n > to {
			break
		}
		if binary.LittleEndian.Uint16(rec[from:]) == zip64Extra {
			return from, from + n, true
		}
		from += n
	}
	return 0, 0, false
}

// zip64Offset returns the eight bytes of a central record that hold the offset
// of its member; nil if there are none. The sizes stand before it if they are
// too large for their own fields.
func zip64Offset(rec []byte) []byte {
	from, to := extra(rec, centralLen, 28)
	start, stop, ok := zip64Field(rec, from, to)
	if !ok {
		return nil
	}
	start += 4
	for _, at := range []int{24, 20} {
		if binary.LittleEndian.Uint32(rec[at:]) == 0xffffffff {
			start += 8
		}
	}
	if start+8 > stop {
		return nil
	}
	return rec[start : start+8]
}

// putOffset writes the offset of a member into its central record.
func putOffset(rec []byte, at int) error {
	if binary.LittleEndian.Uint32(rec[42:]) == 0xffffffff {
		if field := zip64Offset(rec); field != nil {
			binary.LittleEndian.PutUint64(field, uint64(at))
			return nil
		}
	}
	if uint64(at) >= 0xffffffff {
		return errors.New("the zip archive is too large to be changed")
	}
	binary.LittleEndian.PutUint32(rec[42:], uint32(at))
	return nil
}

// withoutZip64 copies a record without the extra field of zip64, for members
// that are written again with sizes in their own fields.
func withoutZip64(rec []byte, size, lengths int) []byte {
	from, to := extra(rec, size, lengths)
	start, stop, ok := zip64Field(rec, from, to)
	if !ok {
		return slices.Clone(rec)
	}
	out := slices.Concat(rec[:start], rec[stop:])
	binary.LittleEndian.PutUint16(out[lengths+2:], uint16(to-from-(stop-start)))
	if size == centralLen && binary.LittleEndian.Uint32(out[42:]) == 0xffffffff {
		binary.LittleEndian.PutUint32(out[42:], 0) // the offset is put there next
	}
	return out
}
