package store

import "encoding/json"

// System is the id of the world that stands for the server itself: its events
// (worlds and users that come and go) and its revision. It is in no list and
// holds no lore.
const System = ""

// World is books, characters and conversations that belong together.
type World struct {
	ID string
	// Owner is the user whose quota counts; "" if the server has no users.
	Owner string
	Name  string
	// Settings are the world's own, as JSON; nil means {}.
	Settings json.RawMessage

	// Revision rises with every transaction that changes anything in the world.
	// Who has cached something of the world compares it in the transaction of
	// the read.
	Revision int64
	// Seq is the number of the newest change to what is remembered: operations,
	// their retractions, and marks of messages. A view or an assembly as of a
	// number is always the same.
	Seq int64
	// Event is the id of the newest event.
	Event int64
	// Version is the revision in which Owner, Name or Settings last changed.
	Version int64
	Usage   Usage
	// Created and Changed are in microseconds since 1970 UTC.
	Created, Changed int64
}

// Usage is how much there is.
type Usage struct {
	Worlds, Conversations, Messages int64
	// Bytes is the size of messages, books and characters.
	Bytes int64
}

// Page asks for a part of a list. The zero value asks for its first 100.
type Page struct {
	// Cursor is what the previous page returned; "" is the beginning.
	Cursor string
	// Limit is how many to return at most: 1 to 1,000. Defaults to 100.
	Limit int
}

// If is a condition on the version of what is changed. The zero value means
// none; otherwise a different version is a Conflict.
type If int64

// CreateWorld makes a world. An empty ID gets a new one, an empty name is
// Invalid. Beyond the owner's quota it is a Quota error.
func (tx *Tx) CreateWorld(w World) (World, error) { return w, errPending }

// World returns a world.
func (tx *Tx) World(world string) (World, error) { return World{}, errPending }

// Worlds lists the worlds of an owner by the time of their creation; with "*"
// those of all.
func (tx *Tx) Worlds(owner string, p Page) (list []World, next string, err error) {
	return nil, "", errPending
}

// UpdateWorld writes Owner, Name and Settings.
func (tx *Tx) UpdateWorld(w World, cond If) (World, error) { return w, errPending }

// Revision returns the revision of a world: within an Update, that which it
// will have when committed.
func (tx *Tx) Revision(world string) (int64, error) { return 0, errPending }

// Seq returns the number of a world's newest change to what is remembered.
func (tx *Tx) Seq(world string) (int64, error) { return 0, errPending }

// Touch raises the revision of a world. Every method that writes does so by
// itself; components call it for their own rows.
func (tx *Tx) Touch(world string) error { return errPending }

// EraseWorld deletes a world for good, with everything in it. Outside of the
// database nothing is touched. See [DB.Purge].
func (tx *Tx) EraseWorld(world string) error { return errPending }
