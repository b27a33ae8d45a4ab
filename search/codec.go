package search

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"maps"
	"slices"
	"strings"
)

// The form in which an index is kept. It begins with magic and format, ends
// with a checksum, and is read in a fraction of the time that making the index
// takes. format changes when the form does or texts are cut otherwise.
const (
	magic  = "WEFTINDEX"
	format = 1
)

// ErrFormat is returned for an index that another version of the program has
// kept: make it anew.
var ErrFormat = errors.New("search: the index was kept in another format")

// MarshalBinary returns the index in the form that [ReadIndex] reads, without
// vectors. The same documents in the same order give the same bytes.
func (x *Index) MarshalBinary() ([]byte, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	// Slots of documents that are gone are left out, so slots are renumbered.
	renumber := make([]uint32, len(x.docs))
	n := uint32(0)
	for slot, k := range x.kinds {
		if k != 0 {
			renumber[slot] = n
			n++
		}
	}
	w := writer{append([]byte(magic), format)}
	w.strings(x.ids)
	w.strings(x.groups.list)
	w.strings(x.authors.list)
	w.uint(uint64(n))
	for slot := range x.docs {
		d := &x.docs[slot]
		if d.kind == 0 {
			continue
		}
		timed := uint64(0)
		if d.timed {
			timed = 1
		}
		for _, v := range []uint64{uint64(d.ref), uint64(d.kind), uint64(d.group), uint64(d.author), uint64(d.uses), uint64(d.length), timed, uint64(d.made)} {
			w.uint(v)
		}
		w.string(string(d.language))
		w.uint(uint64(len(d.sources)))
		for _, s := range d.sources {
			w.uint(uint64(s))
		}
	}
	terms := slices.Sorted(maps.Keys(x.terms))
	w.uint(uint64(len(terms)))
	for _, t := range terms {
		w.string(t)
		list := x.lists[x.terms[t]]
		live := uint64(0)
		for _, p := range list {
			if x.kinds[p.slot] != 0 {
				live++
			}
		}
		w.uint(live)
		last := uint32(0)
		for _, p := range list {
			if x.kinds[p.slot] != 0 {
				w.uint(uint64(renumber[p.slot] - last))
				w.uint(uint64(p.tf))
				last = renumber[p.slot]
			}
		}
	}
	return binary.LittleEndian.AppendUint32(w.b, crc32.ChecksumIEEE(w.b)), nil
}

type writer struct{ b []byte }

func (w *writer) uint(v uint64) { w.b = binary.AppendUvarint(w.b, v) }

func (w *writer) string(s string) {
	w.uint(uint64(len(s)))
	w.b = append(w.b, s...)
}

func (w *writer) strings(list []string) {
	w.uint(uint64(len(list)))
	for _, s := range list {
		w.string(s)
	}
}

// ReadIndex reads an index that [Index.MarshalBinary] wrote. It returns
// [ErrFormat] for one of another version, and an error for one that is damaged.
func ReadIndex(data []byte) (*Index, error) {
	if len(data) < len(magic)+5 || string(data[:len(magic)]) != magic {
		return nil, errors.New("search: these bytes are no index")
	}
	if data[len(magic)] != format {
		return nil, ErrFormat
	}
	body := data[:len(data)-4]
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(data[len(body):]) {
		return nil, errors.New("search: the index is damaged: its checksum is wrong")
	}
	r := reader{s: string(body[len(magic)+1:])}
	x := NewIndex()
	x.ids = r.strings()
	x.groups.set(r.strings())
	x.authors.set(r.strings())
	x.current = make([]uint32, len(x.ids))
	for i, id := range x.ids {
		x.refs[id] = uint32(i)
		x.current[i] = none
	}
	n := r.count()
	x.docs, x.kinds = make([]document, 0, n), make([]Kind, 0, n)
	for slot := range n {
		d := document{
			ref: uint32(r.below(len(x.ids))), kind: Kind(r.below(kinds)), group: uint32(r.below(len(x.groups.list))),
			author: uint32(r.below(len(x.authors.list))), uses: uint32(r.uint()), length: uint32(r.uint()), timed: r.below(2) == 1, made: int64(r.uint()),
		}
		d.language = Language(r.string())
		sources := r.count()
		for range sources {
			d.sources = append(d.sources, uint32(r.below(len(x.ids))))
		}
		if r.failed || d.kind == 0 || x.current[d.ref] != none {
			r.failed = true
			break
		}
		d.id = x.ids[d.ref]
		x.current[d.ref] = uint32(slot)
		x.languages[d.language]++
		x.docs, x.kinds = append(x.docs, d), append(x.kinds, d.kind)
	}
	x.live = len(x.docs)
	terms := r.count()
	for i := range terms {
		x.terms[r.string()] = uint32(i)
		list := make([]posting, 0, r.count())
		slot := uint64(0)
		for k := range cap(list) {
			step := r.uint()
			if slot += step; k > 0 && step == 0 || slot >= uint64(len(x.docs)) {
				r.failed = true
			}
			list = append(list, posting{uint32(slot), uint32(r.uint())})
			if r.failed {
				break
			}
		}
		if r.failed {
			break
		}
		x.lists = append(x.lists, list)
	}
	if r.failed || r.s != "" || len(x.terms) != len(x.lists) || len(x.refs) != len(x.ids) {
		return nil, errors.New("search: the index is damaged")
	}
	return x, nil
}

func (n *names) set(list []string) {
	n.list = list
	if len(list) == 0 {
		n.list = []string{""}
	}
	clear(n.of)
	for i, s := range n.list {
		n.of[s] = uint32(i)
	}
}

// reader reads what a writer wrote. After a failure it returns zeros.
type reader struct {
	s      string
	failed bool
}

func (r *reader) uint() uint64 {
	var v uint64
	for i := 0; i < len(r.s) && i < binary.MaxVarintLen64; i++ {
		c := r.s[i]
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			r.s = r.s[i+1:]
			return v
		}
	}
	r.failed, r.s = true, ""
	return 0
}

// count reads the number of things that follow, each of a byte at least.
func (r *reader) count() int { return r.below(len(r.s) + 1) }

func (r *reader) below(n int) int {
	v := r.uint()
	if v >= uint64(n) {
		r.failed = true
		return 0
	}
	return int(v)
}

func (r *reader) string() string {
	n := r.count()
	if n > len(r.s) {
		r.failed = true
		return ""
	}
	s := r.s[:n]
	r.s = r.s[n:]
	return strings.Clone(s)
}

func (r *reader) strings() []string {
	list := make([]string, 0, r.count())
	for range cap(list) {
		list = append(list, r.string())
	}
	return list
}
