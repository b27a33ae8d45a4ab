package store

import (
	"database/sql"
	"encoding/json"
	"strings"

	"github.com/weft-memory/weft/lore"
)

// Character is a character of a world. Its id is unique in the world.
type Character struct {
	World, ID, Name string
	// Card is all that the character's card says.
	Card             *lore.Character
	Version          int64
	Created, Changed int64
}

const characterColumns = "world, id, name, card, version, created, changed"

func scanCharacter(scan func(...any) error) (Character, error) {
	var c Character
	var card []byte
	if err := scan(&c.World, &c.ID, &c.Name, &card, &c.Version, &c.Created, &c.Changed); err != nil {
		return c, err
	}
	text, err := unpack(card)
	if err != nil {
		return c, err
	}
	c.Card = new(lore.Character)
	return c, json.Unmarshal(text, c.Card)
}

// SaveCharacter makes a character or writes over one. An empty ID is taken from
// the card, else a new one; an empty Name is the card's.
func (tx *Tx) SaveCharacter(c Character, cond If) (Character, error) {
	if c.Card == nil {
		c.Card = &lore.Character{ID: c.ID, Name: c.Name}
	}
	if c.Name == "" {
		c.Name = c.Card.Name
	}
	if c.ID == "" {
		c.ID = c.Card.ID
	}
	if c.ID == "" {
		c.ID = tx.NewID()
	}
	if strings.TrimSpace(c.Name) == "" || c.World == System {
		return Character{}, Errorf(Invalid, "a character needs a name and a world")
	}
	text, err := json.Marshal(c.Card)
	if err != nil {
		return Character{}, &Error{Kind: Invalid, Message: "the card of " + c.Name + " cannot be kept: " + err.Error(), Err: err}
	}
	card := pack(text)
	w, err := tx.touch(c.World)
	if err != nil {
		return Character{}, err
	}
	var version, created, size int64
	found, err := tx.row("SELECT version, created, length(card) FROM characters WHERE world = $1 AND id = $2", []any{c.World, c.ID}, &version, &created, &size)
	if err != nil {
		return Character{}, err
	}
	if err := cond.check("the character", version); err != nil {
		return Character{}, err
	}
	if !found {
		created = tx.now
	}
	if err := tx.use(w, Usage{Bytes: int64(len(card)) - size}); err != nil {
		return Character{}, err
	}
	c.Version, c.Created, c.Changed = w.Revision, created, tx.now
	_, err = tx.exec("INSERT INTO characters ("+characterColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (world, id) DO UPDATE SET name = excluded.name, card = excluded.card, version = excluded.version, changed = excluded.changed`,
		c.World, c.ID, c.Name, card, c.Version, c.Created, c.Changed)
	return c, err
}

// Character returns a character.
func (tx *Tx) Character(world, character string) (Character, error) {
	var c Character
	found := false
	err := tx.rows("SELECT "+characterColumns+" FROM characters WHERE world = $1 AND id = $2", []any{world, character}, func(r *sql.Rows) (err error) {
		found = true
		c, err = scanCharacter(r.Scan)
		return err
	})
	if err == nil && !found {
		err = Errorf(NotFound, "the world has no character %q", character)
	}
	return c, err
}

// Characters lists the characters of a world by id.
func (tx *Tx) Characters(world string, p Page) (list []Character, next string, err error) {
	id := ""
	if err := p.after(&id); err != nil {
		return nil, "", err
	}
	err = tx.rows("SELECT "+characterColumns+" FROM characters WHERE world = $1 AND id > $2 ORDER BY id LIMIT $3", []any{world, id, p.limit() + 1},
		func(r *sql.Rows) error {
			c, err := scanCharacter(r.Scan)
			list = append(list, c)
			return err
		})
	if err != nil {
		return nil, "", err
	}
	list, next = cut(p, list, func(c Character) []any { return []any{c.ID} })
	return list, next, nil
}

// DeleteCharacter deletes a character for good, with its bindings.
func (tx *Tx) DeleteCharacter(world, character string, cond If) error {
	w, err := tx.touch(world)
	if err != nil {
		return err
	}
	var version, size int64
	found, err := tx.row("SELECT version, length(card) FROM characters WHERE world = $1 AND id = $2", []any{world, character}, &version, &size)
	if err != nil {
		return err
	}
	if !found {
		return Errorf(NotFound, "the world has no character %q", character)
	}
	if err := cond.check("the character", version); err != nil {
		return err
	}
	if err := tx.use(w, Usage{Bytes: -size}); err != nil {
		return err
	}
	if _, err := tx.exec("DELETE FROM bindings WHERE world = $1 AND scope = $2 AND name = $3", world, string(lore.ScopeCharacter), character); err != nil {
		return err
	}
	_, err = tx.exec("DELETE FROM characters WHERE world = $1 AND id = $2", world, character)
	return err
}

// SetBinding writes which books are bound to a character (by its id), a
// persona, a conversation (scope chat, its id as the name) or to everything. No
// books means that the binding is taken away.
func (tx *Tx) SetBinding(world string, b lore.Binding) error {
	switch b.Scope {
	case lore.ScopeGlobal, lore.ScopeChat, lore.ScopePersona, lore.ScopeCharacter:
	default:
		return Errorf(Invalid, "%q is no scope of a binding: use global, chat, persona or character", b.Scope)
	}
	if world == System {
		return noWorld(world)
	}
	if _, err := tx.touch(world); err != nil {
		return err
	}
	if len(b.Books) == 0 {
		_, err := tx.exec("DELETE FROM bindings WHERE world = $1 AND scope = $2 AND name = $3", world, string(b.Scope), b.Name)
		return err
	}
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	_, err = tx.exec("INSERT INTO bindings (world, scope, name, binding) VALUES ($1, $2, $3, $4) ON CONFLICT (world, scope, name) DO UPDATE SET binding = excluded.binding",
		world, string(b.Scope), b.Name, text)
	return err
}

// Bindings returns the bindings of a world, by scope and name.
func (tx *Tx) Bindings(world string) (list []lore.Binding, err error) {
	err = tx.rows("SELECT binding FROM bindings WHERE world = $1 ORDER BY scope, name", []any{world}, func(r *sql.Rows) error {
		var text []byte
		if err := r.Scan(&text); err != nil {
			return err
		}
		var b lore.Binding
		err := json.Unmarshal(text, &b)
		list = append(list, b)
		return err
	})
	return list, err
}
