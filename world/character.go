package world

import (
	"context"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/store"
)

// SaveCharacter makes a character or writes over one.
func (s *Service) SaveCharacter(ctx context.Context, world string, c *lore.Character, cond store.If) (store.Character, error) {
	return store.Character{}, errPending
}

// Character returns a character.
func (s *Service) Character(ctx context.Context, world, character string) (store.Character, error) {
	return store.Character{}, errPending
}

// Characters lists the characters of a world by id.
func (s *Service) Characters(ctx context.Context, world string, p store.Page) (list []store.Character, next string, err error) {
	return nil, "", errPending
}

// DeleteCharacter deletes a character for good, with its bindings.
func (s *Service) DeleteCharacter(ctx context.Context, world, character string, cond store.If) error {
	return errPending
}

// SetBinding writes which books are bound to a character (by id), a persona, a
// conversation, or to everything. No books means that the binding is taken
// away. A book that is bound to characters only takes part when one of them
// does; a book that nobody is bound to takes part always.
func (s *Service) SetBinding(ctx context.Context, world string, b lore.Binding) error {
	return errPending
}

// Bindings returns the bindings of a world.
func (s *Service) Bindings(ctx context.Context, world string) ([]lore.Binding, error) {
	return nil, errPending
}

// SaveAuthor makes an author (somebody who writes messages and whom another
// program knows) or writes over the one with this id or external id.
func (s *Service) SaveAuthor(ctx context.Context, world string, a store.Author) (store.Author, error) {
	return store.Author{}, errPending
}

// Author returns an author.
func (s *Service) Author(ctx context.Context, world, author string) (store.Author, error) {
	return store.Author{}, errPending
}

// Authors lists the authors of a world by id.
func (s *Service) Authors(ctx context.Context, world string, p store.Page) (list []store.Author, next string, err error) {
	return nil, "", errPending
}
