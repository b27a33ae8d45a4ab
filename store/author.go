package store

import (
	"database/sql"
	"encoding/json"
)

// Author is somebody who writes messages and whom another program knows, for
// example a member of a channel.
type Author struct {
	ID, World, Name string
	// External is the id that the other program knows them by, unique in the
	// world; "" if there is none.
	External string
	// Settings are the author's own, as JSON; nil means {}.
	Settings         json.RawMessage
	Version          int64
	Created, Changed int64
}

const authorColumns = "id, world, name, coalesce(external, ''), settings, version, created, changed"

func (a *Author) dest() []any {
	return []any{&a.ID, &a.World, &a.Name, &a.External, (*[]byte)(&a.Settings), &a.Version, &a.Created, &a.Changed}
}

// SaveAuthor makes an author or writes over the one with this ID or, if the ID
// is empty, with this external id. An author who is as given already is left
// alone.
func (tx *Tx) SaveAuthor(a Author) (Author, error) {
	if a.World == System {
		return Author{}, noWorld(a.World)
	}
	settings, err := orEmpty("settings of the author", a.Settings)
	if err != nil {
		return Author{}, err
	}
	if _, err := tx.world(a.World); err != nil {
		return Author{}, err
	}
	old, found, err := Author{}, false, error(nil)
	switch {
	case a.ID != "":
		old, found, err = tx.authorWhere("id = $1", a.ID)
	case a.External != "":
		old, found, err = tx.authorWhere("world = $1 AND external = $2", a.World, a.External)
	}
	if err != nil {
		return Author{}, err
	}
	switch {
	case found && old.World != a.World:
		return Author{}, Errorf(Exists, "there is an author %q in another world", a.ID)
	case found && old.Name == a.Name && old.External == a.External && (a.Settings == nil || string(old.Settings) == string(settings)):
		return old, nil
	case found:
		a.ID, a.Created = old.ID, old.Created
		if a.Settings == nil {
			settings = old.Settings
		}
	default:
		a.Created = tx.now
		if a.ID == "" {
			a.ID = tx.NewID()
		}
	}
	if err := tx.freeExternal("authors", "author", a.World, a.External, a.ID); err != nil {
		return Author{}, err
	}
	w, err := tx.touch(a.World)
	if err != nil {
		return Author{}, err
	}
	a.Settings, a.Version, a.Changed = settings, w.Revision, tx.now
	_, err = tx.exec(`INSERT INTO authors (id, world, name, external, settings, version, created, changed) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		ON CONFLICT (id) DO UPDATE SET name = excluded.name, external = excluded.external, settings = excluded.settings, version = excluded.version, changed = excluded.changed`,
		a.ID, a.World, a.Name, orNull(a.External), settings, a.Version, a.Created, a.Changed)
	return a, err
}

func (tx *Tx) authorWhere(where string, args ...any) (a Author, found bool, err error) {
	found, err = tx.row("SELECT "+authorColumns+" FROM authors WHERE "+where, args, a.dest()...)
	return a, found, err
}

// Author returns an author.
func (tx *Tx) Author(author string) (Author, error) {
	a, found, err := tx.authorWhere("id = $1", author)
	if err == nil && !found {
		err = Errorf(NotFound, "there is no author %q", author)
	}
	return a, err
}

// AuthorByExternal returns the author with an external id.
func (tx *Tx) AuthorByExternal(world, external string) (Author, error) {
	a, found, err := tx.authorWhere("world = $1 AND external = $2", world, external)
	if err == nil && !found {
		err = Errorf(NotFound, "the world has no author with the external id %q", clip(external))
	}
	return a, err
}

// Authors lists the authors of a world by id.
func (tx *Tx) Authors(world string, p Page) (list []Author, next string, err error) {
	id := ""
	if err := p.after(&id); err != nil {
		return nil, "", err
	}
	err = tx.rows("SELECT "+authorColumns+" FROM authors WHERE world = $1 AND id > $2 ORDER BY id LIMIT $3", []any{world, id, p.limit() + 1},
		func(r *sql.Rows) error {
			var a Author
			err := r.Scan(a.dest()...)
			list = append(list, a)
			return err
		})
	if err != nil {
		return nil, "", err
	}
	list, next = cut(p, list, func(a Author) []any { return []any{a.ID} })
	return list, next, nil
}
