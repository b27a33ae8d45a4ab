package world

import (
	"context"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/store"
)

// SaveCharacter makes a character or writes over one.
func (s *Service) SaveCharacter(ctx context.Context, world string, c *lore.Character, cond store.If) (store.Character, error) {
	if c == nil {
		return store.Character{}, store.Errorf(store.Invalid, "there is no character to save")
	}
	return update(ctx, s, world, func(tx *txn) (store.Character, error) { return tx.saveCharacter(c, cond) })
}

func (tx *txn) saveCharacter(c *lore.Character, cond store.If) (store.Character, error) {
	saved, err := tx.SaveCharacter(store.Character{World: tx.id, ID: c.ID, Name: c.Name, Card: c}, cond)
	if err != nil {
		return saved, err
	}
	return saved, tx.event(EventCharacterSaved, saved.ID, "")
}

// Character returns a character.
func (s *Service) Character(ctx context.Context, world, character string) (store.Character, error) {
	return view(ctx, s, world, func(tx *txn) (store.Character, error) { return tx.Character(world, character) })
}

// Characters lists the characters of a world by id.
func (s *Service) Characters(ctx context.Context, world string, p store.Page) (list []store.Character, next string, err error) {
	return page(ctx, s, world, func(tx *txn) ([]store.Character, string, error) { return tx.Characters(world, p) })
}

// DeleteCharacter deletes a character for good, with its bindings.
func (s *Service) DeleteCharacter(ctx context.Context, world, character string, cond store.If) error {
	return do(ctx, s, world, func(tx *txn) error {
		if err := tx.DeleteCharacter(world, character, cond); err != nil {
			return err
		}
		return tx.event(EventCharacterDeleted, character, "")
	})
}

// SetBinding writes which books are bound to a character (by id), a persona, a
// conversation, or to everything. No books means that the binding is taken
// away. A book that is bound to characters, personas or conversations only
// takes part when one of them does; a book that nobody is bound to takes part
// always.
func (s *Service) SetBinding(ctx context.Context, world string, b lore.Binding) error {
	return do(ctx, s, world, func(tx *txn) error {
		if b.Scope == lore.ScopeChat && b.Name != "" {
			c, err := tx.conversation(b.Name)
			if err != nil {
				return err
			}
			b.Name = c.ID
		}
		return tx.setBinding(b)
	})
}

func (tx *txn) setBinding(b lore.Binding) error {
	if err := tx.SetBinding(tx.id, b); err != nil {
		return err
	}
	return tx.event(EventBindingSet, string(b.Scope)+"/"+b.Name, "")
}

// Bindings returns the bindings of a world.
func (s *Service) Bindings(ctx context.Context, world string) ([]lore.Binding, error) {
	return view(ctx, s, world, func(tx *txn) ([]lore.Binding, error) { return tx.Bindings(world) })
}

// SaveAuthor makes an author (somebody who writes messages and whom another
// program knows) or writes over the one with this id or external id.
func (s *Service) SaveAuthor(ctx context.Context, world string, a store.Author) (store.Author, error) {
	return update(ctx, s, world, func(tx *txn) (store.Author, error) {
		a.World = world
		saved, err := tx.SaveAuthor(a)
		if err != nil {
			return saved, err
		}
		return saved, tx.event(EventAuthorSaved, saved.ID, "")
	})
}

// Author returns an author.
func (s *Service) Author(ctx context.Context, world, author string) (store.Author, error) {
	return view(ctx, s, world, func(tx *txn) (store.Author, error) { return tx.author(author) })
}

// Authors lists the authors of a world by id.
func (s *Service) Authors(ctx context.Context, world string, p store.Page) (list []store.Author, next string, err error) {
	return page(ctx, s, world, func(tx *txn) ([]store.Author, string, error) { return tx.Authors(world, p) })
}
