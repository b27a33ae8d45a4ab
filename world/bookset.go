package world

import (
	"slices"
	"strings"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/weaver/diag"
)

// info is what a world says beside its conversations, as of a revision.
type info struct {
	revision int64
	settings Settings
	books    []store.Book // in the order of the settings
	bindings []lore.Binding
}

// info returns the books and bindings of the world as they are now.
func (tx *txn) info() (*info, error) {
	if !tx.write {
		if in, ok := tx.s.infos.get(tx.id); ok && in.revision == tx.world.Revision {
			return in, nil
		}
	}
	in := &info{revision: tx.world.Revision}
	var err error
	if in.settings, err = ParseSettings(tx.world.Settings); err != nil {
		return nil, err
	}
	books, err := tx.Books(tx.id)
	if err != nil {
		return nil, err
	}
	in.books = in.settings.sortedBooks(books)
	if in.bindings, err = tx.Bindings(tx.id); err != nil {
		return nil, err
	}
	if !tx.write {
		tx.s.infos.put(tx.id, in)
	}
	return in, nil
}

// bookSet is a list of revisions of books that take part together, compiled and
// as the ground of views. It is shared by all conversations with the same ones.
type bookSet struct {
	world, key string
	refs       []store.BookRef
	books      []*compiled
	segments   []*engine.Segment
	// index has the books and empty ones for what is remembered.
	index *engine.Index
	view  *memory.View
	found diag.List
}

// bookSet returns the set of some revisions.
func (tx *txn) bookSet(refs []store.BookRef) (*bookSet, error) {
	hashes := make([]string, len(refs))
	var key strings.Builder
	key.WriteString(tx.id)
	for i, r := range refs {
		var err error
		if hashes[i], err = tx.hashOf(r); err != nil {
			return nil, err
		}
		key.WriteString("\x00" + r.ID + "\x00" + hashes[i])
	}
	if b, ok := tx.s.books.get(key.String()); ok {
		return b, nil
	}
	b := &bookSet{world: tx.id, key: key.String(), refs: refs}
	books := make([]*lore.Book, 0, len(refs))
	for i, r := range refs {
		c, err := tx.compiled(r.ID, r.Revision, hashes[i])
		if err != nil {
			return nil, err
		}
		b.books = append(b.books, c)
		b.segments = append(b.segments, c.segment)
		b.found = append(b.found, c.findings...)
		books = append(books, c.book)
	}
	var list diag.List
	b.index, list = b.over(engine.NewIndex(append(slices.Clone(b.segments), tx.s.empty[:]...)...))
	b.found = append(b.found, list...)
	b.view = memory.Fold(books, nil, tx.s.opts.Memory)
	tx.s.books.put(b.key, b)
	return b, nil
}

// hashOf returns the hash of a revision.
func (tx *txn) hashOf(r store.BookRef) (string, error) {
	if in, ok := tx.s.infos.get(tx.id); ok && in.revision == tx.world.Revision && !tx.write {
		for _, b := range in.books {
			if b.ID == r.ID && b.Revision == r.Revision {
				return b.Hash, nil
			}
		}
	}
	return tx.BookHash(tx.id, r.ID, r.Revision)
}

// over lays what the revisions changed since they were compiled over an index of
// their segments.
func (b *bookSet) over(ix *engine.Index) (*engine.Index, diag.List) {
	var o engine.Overlay
	for _, c := range b.books {
		c.overlay(&o)
	}
	if len(o.Put)+len(o.Hide) == 0 {
		return ix, nil
	}
	return ix.Overlay(o)
}

// cast is who takes part in a conversation, and the books with them.
type cast struct {
	settings Settings // of the conversation, over those of the world
	// speaker is the card of who speaks next; nil if nobody is named.
	speaker  *lore.Character
	refs     []store.BookRef
	bindings map[string]engine.Binding
}

// cast returns who takes part. An empty conversation, by its id, stands for a
// chat that is not stored.
func (tx *txn) cast(conversation string, own Settings) (*cast, error) {
	in, err := tx.info()
	if err != nil {
		return nil, err
	}
	c := &cast{settings: own.Over(in.settings), bindings: map[string]engine.Binding{}}
	if c.speaker, err = tx.speaker(c.settings); err != nil {
		return nil, err
	}
	who := slices.Clone(c.settings.Characters)
	if s := c.settings.Speaker; s != "" && !slices.Contains(who, s) {
		who = append(who, s)
	}
	cards := map[string][]string{} // books that the cards name, by character
	for _, id := range who {
		card, err := tx.Character(tx.id, id)
		if store.KindOf(err) == store.NotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		cards[id] = append(slices.Clone(card.Card.Books), card.Card.Book)
	}
	persona := c.settings.PersonaName
	if persona == "" {
		persona = c.settings.User
	}
	for _, b := range in.books {
		bound, mine := bindingOf(in.bindings, b.ID, who, persona, conversation)
		for _, books := range cards {
			if slices.Contains(books, b.ID) {
				mine = engine.BindCharacter
			}
		}
		if slices.Contains(c.settings.Books, b.ID) {
			mine = engine.BindChat
		}
		if mine == "" && bound {
			continue
		}
		if mine == "" {
			mine = engine.BindGlobal
		}
		c.refs = append(c.refs, store.BookRef{ID: b.ID, Revision: b.Revision})
		c.bindings[b.ID] = mine
	}
	return c, nil
}

// bindingOf says whether a book is bound to somebody, and how it comes to those
// who take part; "" if it does not.
func bindingOf(bindings []lore.Binding, book string, who []string, persona, conversation string) (bound bool, mine engine.Binding) {
	for _, b := range bindings {
		if !slices.Contains(b.Books, book) {
			continue
		}
		bound = true
		switch b.Scope {
		case lore.ScopeGlobal:
			mine = engine.BindGlobal
		case lore.ScopeCharacter:
			if slices.Contains(who, b.Name) {
				return true, engine.BindCharacter
			}
		case lore.ScopePersona:
			if b.Name == persona && mine == "" {
				mine = engine.BindPersona
			}
		case lore.ScopeChat:
			if b.Name == conversation && conversation != "" {
				return true, engine.BindChat
			}
		}
	}
	return bound, mine
}
