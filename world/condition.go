package world

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strconv"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

// Seen is something as a caller saw it. See [WithSeen].
type Seen struct {
	Thing Thing
	// ID is that of the message, conversation, author, book or character; the
	// world and its bindings need none. Of an entry, At and Ref say which.
	ID  string
	At  Place
	Ref memory.Ref
	// Version is what the caller saw: [NodeVersion] of a message,
	// [BindingsVersion] of bindings, the head of a conversation ([Root] at the
	// beginning), the version of an entry, and of the others their number in
	// decimal digits.
	Version string
}

// Thing is a kind of thing that changes.
type Thing string

// The things that [Seen] speaks of.
const (
	ThingWorld        Thing = "world"
	ThingBook         Thing = "book"
	ThingBindings     Thing = "bindings"
	ThingAuthor       Thing = "author"
	ThingConversation Thing = "conversation"
	ThingHead         Thing = "head"
	ThingNode         Thing = "message"
	ThingEntry        Thing = "entry"
)

// WithSeen returns a context in which a method that writes does so only if
// something still is as the caller saw it; otherwise it is a Conflict. That is
// looked at in the transaction of the write.
func WithSeen(ctx context.Context, s Seen) context.Context {
	return context.WithValue(ctx, seenKey{}, &s)
}

type seenKey struct{}

// NodeVersion names the state of a message: it changes with all that can be
// changed of a message.
func NodeVersion(n store.Node) string {
	return versionOf(n.ID, n.Role, n.Name, n.Content, n.Author, n.External, string(n.Ext), n.Hidden, n.Deleted, n.ShownAs)
}

// BindingsVersion names the state of the bindings of a world.
func BindingsVersion(list []lore.Binding) string { return versionOf(list) }

func versionOf(parts ...any) string {
	text, _ := json.Marshal(parts) // texts, numbers and lists of them
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12])
}

// asSeen is a Conflict if something is no longer as the caller saw it.
func (tx *txn) asSeen() error {
	want, ok := tx.ctx.Value(seenKey{}).(*Seen)
	if !ok {
		return nil
	}
	now, err := tx.versionOf(want)
	if err != nil {
		return err
	}
	if now != want.Version {
		return store.Errorf(store.Conflict, "the %s was changed since: read it again", want.Thing)
	}
	return nil
}

func (tx *txn) versionOf(s *Seen) (string, error) {
	switch s.Thing {
	case ThingBook:
		b, err := tx.Book(tx.id, s.ID)
		return strconv.FormatInt(b.Revision, 10), err
	case ThingBindings:
		list, err := tx.Bindings(tx.id)
		return BindingsVersion(list), err
	case ThingAuthor:
		a, err := tx.author(s.ID)
		return strconv.FormatInt(a.Version, 10), err
	case ThingConversation:
		c, err := tx.anyConversation(s.ID)
		return strconv.FormatInt(c.Version, 10), err
	case ThingHead:
		c, err := tx.conversation(s.ID)
		if c.Head == "" {
			return Root, err
		}
		return c.Head, err
	case ThingNode:
		n, err := tx.asWritten(s.ID)
		return NodeVersion(n), err
	case ThingEntry:
		l, err := tx.lore(s.At)
		if err != nil {
			return "", err
		}
		e, err := l.entry(s.Ref)
		return e.Version, err
	}
	return strconv.FormatInt(tx.world.Version, 10), nil
}

// Update runs fn in a transaction that concerns no world, once for each key,
// see [Once].
func Update[T any](ctx context.Context, s *Service, fn func(tx *store.Tx) (T, error)) (T, error) {
	var out T
	err := s.db.Update(ctx, func(tx *store.Tx) (err error) {
		out, err = once(ctx, tx, func() (T, string, error) {
			v, err := fn(tx)
			return v, "", err
		}, "")
		return err
	})
	return out, err
}

// purged makes sure that what an erasure took away is gone from the files, too.
// An erasure that is asked for again may have ended between the two.
func (s *Service) purged(ctx context.Context, err error) error {
	var repeated *Repeated
	if err != nil && !errors.As(err, &repeated) {
		return err
	}
	if e := s.db.Purge(ctx); e != nil {
		return e
	}
	return err
}
