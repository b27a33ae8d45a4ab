package store

import "github.com/weft-memory/weft/lore"

// Character is a character of a world. Its id is unique in the world.
type Character struct {
	World, ID, Name string
	// Card is all that the character's card says.
	Card             *lore.Character
	Version          int64
	Created, Changed int64
}

// SaveCharacter makes a character or writes over one. An empty ID is taken from
// the card, else a new one.
func (tx *Tx) SaveCharacter(c Character, cond If) (Character, error) { return c, errPending }

// Character returns a character.
func (tx *Tx) Character(world, character string) (Character, error) { return Character{}, errPending }

// Characters lists the characters of a world by id.
func (tx *Tx) Characters(world string, p Page) (list []Character, next string, err error) {
	return nil, "", errPending
}

// DeleteCharacter deletes a character for good, with its bindings.
func (tx *Tx) DeleteCharacter(world, character string, cond If) error { return errPending }

// SetBinding writes which books are bound to a character, a persona, a
// conversation (scope chat, its id as the name) or to everything. No books
// means that the binding is taken away.
func (tx *Tx) SetBinding(world string, b lore.Binding) error { return errPending }

// Bindings returns the bindings of a world, by scope and name.
func (tx *Tx) Bindings(world string) ([]lore.Binding, error) { return nil, errPending }
