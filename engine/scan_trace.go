package engine

import (
	"hash/fnv"

	"github.com/weft-memory/weft/lore"
)

// ScanTrace says how a recursive scan went.
type ScanTrace struct {
	// Books are the ids of the books that were scanned as one.
	Books []string `json:"books"`
	// Sweeps are the entries that each sweep admitted; the last one is often
	// empty.
	Sweeps [][]EntryRef `json:"sweeps"`
	// Admitted are the entries in the order in which they were admitted.
	Admitted []EntryRef `json:"admitted"`
	// Refused are the entries that matched and did not fit in the budget, in
	// the order in which they were tried.
	Refused []EntryRef `json:"refused,omitempty"`
	// Limit is the budget of the scan in tokens, -1 for none; Overflowed says
	// that some entry did not fit.
	Limit      int  `json:"limit"`
	Overflowed bool `json:"overflowed"`
}

// entryHash identifies the content of an entry for timed effects, which end
// when the entry is edited. An entry of a SillyTavern file has the hash that
// SillyTavern gives it, so that its records can be taken over.
func entryHash(book string, e *entry) uint64 {
	if len(e.Origin.Raw) > 0 {
		if h, err := lore.TavernHash(e.Origin.Raw, book); err == nil {
			return h
		}
	}
	h := fnv.New64a()
	for _, s := range [...]string{book, e.ID, e.Content, itoa(e.Sticky), itoa(e.Cooldown)} {
		_, _ = h.Write([]byte(s)) // never fails
		_, _ = h.Write([]byte{0xff})
	}
	for _, k := range e.Keys {
		_, _ = h.Write([]byte(k.Text + "\xfe" + string(k.Kind) + k.Flags + "\xff"))
	}
	return h.Sum64()
}
