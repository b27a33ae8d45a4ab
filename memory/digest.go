package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Sum returns the digest of the operation: a hash over what it does and where
// it came from, in hexadecimal. Two operations with one digest count once, so
// that a retry after an unknown outcome changes nothing.
//
// Not hashed are id, number, time and the words around the change, and, if a
// sidecar creates an entry, that entry's id: a retry may have drawn a new one.
// Of a person the edited version is hashed too, since a person may do, undo and
// do again.
func (o *Operation) Sum() string {
	change := o.Change
	entry := o.Entry
	if o.Kind == KindCreate && o.Author.Kind == BySidecar && change.Entry != nil {
		e := *change.Entry // shallow: only the id differs
		e.ID, entry = "", ""
		change.Entry = &e
	}
	raw, err := json.Marshal(change)
	if err != nil {
		raw = []byte(err.Error()) // text that is not UTF-8: Validate reports it
	}
	key, _ := json.Marshal([]string{
		o.World, string(o.Layer), o.Conversation, o.Node, string(o.Author.Kind),
		string(o.Kind), o.book(), entry, o.On, o.Undo,
	})
	h := sha256.New()
	h.Write(key)
	h.Write([]byte{0})
	h.Write(raw)
	return hex.EncodeToString(h.Sum(nil)[:16])
}
