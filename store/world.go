package store

import (
	"database/sql"
	"encoding/json"
	"strings"
)

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
	// number is always the same. A new world has 1: as the number of a moment, 0
	// is free to mean now.
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

// If is a condition on the version of what is changed. The zero value means
// none; otherwise a different version is a Conflict.
type If int64

// worldRow is a world that the transaction holds the lock of.
type worldRow struct {
	World
	dirty  bool // its revision was raised
	gone   bool
	events int
	limits *QuotaLimits // nil until they are needed
	used   Usage        // of the owner's other worlds
}

const worldColumns = "id, owner, name, settings, revision, seq, event, version, conversations, messages, bytes, created, changed"

func (w *World) dest() []any {
	w.Usage.Worlds = 1
	return []any{
		&w.ID, &w.Owner, &w.Name, (*[]byte)(&w.Settings), &w.Revision, &w.Seq, &w.Event, &w.Version,
		&w.Usage.Conversations, &w.Usage.Messages, &w.Usage.Bytes, &w.Created, &w.Changed,
	}
}

func noWorld(world string) error { return Errorf(NotFound, "there is no world %q", world) }

// world returns a world for writing and holds its lock from then on.
func (tx *Tx) world(world string) (*worldRow, error) {
	if w := tx.worlds[world]; w != nil {
		if w.gone {
			return nil, noWorld(world)
		}
		return w, nil
	}
	if !tx.write {
		return nil, errReading
	}
	w := &worldRow{}
	found, err := tx.row("SELECT "+worldColumns+" FROM worlds WHERE id = $1"+tx.db.dialect.lockRow, []any{world}, w.dest()...)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, noWorld(world)
	}
	tx.now = max(tx.now, w.Changed) // the clock may run back, a world does not
	tx.worlds[world] = w
	return w, nil
}

// touch returns a world for writing, its revision raised.
func (tx *Tx) touch(world string) (*worldRow, error) {
	w, err := tx.world(world)
	if err != nil {
		return nil, err
	}
	if !w.dirty {
		w.dirty = true
		w.Revision++
	}
	return w, nil
}

// nextSeq numbers a change to what is remembered.
func (w *worldRow) nextSeq() int64 {
	w.Seq++
	return w.Seq
}

// CreateWorld makes a world. An empty ID gets a new one, an empty name is
// Invalid. Beyond the owner's quota it is a Quota error.
func (tx *Tx) CreateWorld(w World) (World, error) {
	if strings.TrimSpace(w.Name) == "" {
		return World{}, Errorf(Invalid, "a world needs a name")
	}
	settings, err := orEmpty("settings of the world", w.Settings)
	if err != nil {
		return World{}, err
	}
	if w.ID == "" {
		w.ID = tx.NewID()
	}
	if _, err := tx.touch(System); err != nil { // worlds come one after the other
		return World{}, err
	}
	if err := tx.checkOwner(w.Owner, w.ID); err != nil {
		return World{}, err
	}
	n, err := tx.exec("INSERT INTO worlds ("+worldColumns+") VALUES ($1, $2, $3, $4, 1, 1, 0, 1, 0, 0, 0, $5, $5) ON CONFLICT DO NOTHING",
		w.ID, w.Owner, w.Name, settings, tx.now)
	if err != nil {
		return World{}, err
	}
	if n == 0 {
		return World{}, Errorf(Exists, "there is a world %q already", w.ID)
	}
	return tx.World(w.ID)
}

// checkOwner makes sure that a user is there and may own one more world.
func (tx *Tx) checkOwner(owner, world string) error {
	if owner == "" {
		return nil
	}
	u, err := tx.User(owner)
	if err != nil {
		return err
	}
	if u.Quota.Worlds <= 0 {
		return nil
	}
	var others int64
	if _, err := tx.row("SELECT count(*) FROM worlds WHERE owner = $1 AND id <> $2", []any{owner, world}, &others); err != nil {
		return err
	}
	if others >= u.Quota.Worlds {
		return Errorf(Quota, "%s may have %d worlds and has them", u.Name, u.Quota.Worlds)
	}
	return nil
}

// World returns a world.
func (tx *Tx) World(world string) (World, error) {
	if w := tx.worlds[world]; w != nil && !w.gone {
		return w.World, nil // its counters are ahead of the row
	}
	if w, ok := tx.known.worlds[world]; ok {
		return w, nil
	}
	var w World
	found, err := tx.row("SELECT "+worldColumns+" FROM worlds WHERE id = $1", []any{world}, w.dest()...)
	if err != nil {
		return World{}, err
	}
	if !found {
		return World{}, noWorld(world)
	}
	tx.knowWorld(w)
	return w, nil
}

// AnyOwner asks [Tx.Worlds] for the worlds of all.
const AnyOwner = "*"

// Worlds lists the worlds of an owner by the time of their creation; with
// [AnyOwner] those of all.
func (tx *Tx) Worlds(owner string, p Page) (list []World, next string, err error) {
	created, id := int64(-1), ""
	if err := p.after(&created, &id); err != nil {
		return nil, "", err
	}
	where, args := "id <> ''", []any{created, id, p.limit() + 1}
	if owner != AnyOwner {
		where, args = "id <> '' AND owner = $4", append(args, owner)
	}
	err = tx.rows("SELECT "+worldColumns+" FROM worlds WHERE "+where+" AND (created, id) > ($1, $2) ORDER BY created, id LIMIT $3", args,
		func(r *sql.Rows) error {
			var w World
			err := r.Scan(w.dest()...)
			list = append(list, w)
			return err
		})
	if err != nil {
		return nil, "", err
	}
	list, next = cut(p, list, func(w World) []any { return []any{w.Created, w.ID} })
	return list, next, nil
}

// UpdateWorld writes Owner, Name and Settings.
func (tx *Tx) UpdateWorld(w World, cond If) (World, error) {
	if w.ID == System {
		return World{}, noWorld(w.ID)
	}
	if strings.TrimSpace(w.Name) == "" {
		return World{}, Errorf(Invalid, "a world needs a name")
	}
	settings, err := orEmpty("settings of the world", w.Settings)
	if err != nil {
		return World{}, err
	}
	row, err := tx.world(w.ID)
	if err != nil {
		return World{}, err
	}
	if err := cond.check("the world", row.Version); err != nil {
		return World{}, err
	}
	if w.Owner != row.Owner {
		if _, err := tx.touch(System); err != nil {
			return World{}, err
		}
		if err := tx.checkOwner(w.Owner, w.ID); err != nil {
			return World{}, err
		}
	}
	if row, err = tx.touch(w.ID); err != nil {
		return World{}, err
	}
	row.Owner, row.Name, row.Settings, row.Version = w.Owner, w.Name, settings, row.Revision
	if _, err := tx.exec("UPDATE worlds SET owner = $2, name = $3, settings = $4, version = $5 WHERE id = $1", w.ID, w.Owner, w.Name, settings, row.Version); err != nil {
		return World{}, err
	}
	return row.World, nil
}

// Revision returns the revision of a world: within an Update, that which it
// will have when committed.
func (tx *Tx) Revision(world string) (int64, error) {
	if w := tx.worlds[world]; w != nil && !w.gone {
		return w.Revision, nil
	}
	var n int64
	found, err := tx.row("SELECT revision FROM worlds WHERE id = $1", []any{world}, &n)
	if err == nil && !found {
		err = noWorld(world)
	}
	return n, err
}

// Seq returns the number of a world's newest change to what is remembered.
func (tx *Tx) Seq(world string) (int64, error) {
	if w := tx.worlds[world]; w != nil && !w.gone {
		return w.Seq, nil
	}
	if w, ok := tx.known.worlds[world]; ok {
		return w.Seq, nil
	}
	var n int64
	found, err := tx.row("SELECT seq FROM worlds WHERE id = $1", []any{world}, &n)
	if err == nil && !found {
		err = noWorld(world)
	}
	return n, err
}

// Touch raises the revision of a world. Every method that writes does so by
// itself; components call it for their own rows.
func (tx *Tx) Touch(world string) error {
	_, err := tx.touch(world)
	return err
}

// use counts what is added to a world, or taken away, and keeps within the
// owner's quota.
func (tx *Tx) use(w *worldRow, u Usage) error {
	w.Usage.Conversations += u.Conversations
	w.Usage.Messages += u.Messages
	w.Usage.Bytes += u.Bytes
	if w.Owner == "" || u.Conversations <= 0 && u.Messages <= 0 && u.Bytes <= 0 {
		return nil
	}
	if w.limits == nil {
		owner, err := tx.User(w.Owner)
		if err != nil {
			return err
		}
		w.limits = &owner.Quota
		if *w.limits != (QuotaLimits{}) {
			_, err := tx.row("SELECT CAST(coalesce(sum(conversations), 0) AS BIGINT), CAST(coalesce(sum(messages), 0) AS BIGINT), CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM worlds WHERE owner = $1 AND id <> $2",
				[]any{w.Owner, w.ID}, &w.used.Conversations, &w.used.Messages, &w.used.Bytes)
			if err != nil {
				return err
			}
		}
	}
	for _, c := range []struct {
		what            string
		more, have, max int64
	}{
		{"conversations", u.Conversations, w.used.Conversations + w.Usage.Conversations, w.limits.Conversations},
		{"messages", u.Messages, w.used.Messages + w.Usage.Messages, w.limits.Messages},
		{"bytes", u.Bytes, w.used.Bytes + w.Usage.Bytes, w.limits.Bytes},
	} {
		if c.max > 0 && c.more > 0 && c.have > c.max {
			return Errorf(Quota, "the owner of the world may have %d %s; this would make %d", c.max, c.what, c.have)
		}
	}
	return nil
}
