package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// EraseConversation deletes a conversation for good: its messages, states,
// records, operations of every layer that came from it, events, work, responses
// kept for repeated requests, and what components hold of it. See [DB.Purge].
//
// Numbers of the world from before no longer give the views that they gave: the
// operations are gone from the past, too.
func (tx *Tx) EraseConversation(conversation string) error {
	c, w, err := tx.conversationForWrite(conversation)
	if err != nil {
		return err
	}
	var messages, bytes int64
	_, err = tx.row("SELECT count(*), CAST(coalesce(sum(length(content) + coalesce(length(ext), 0)), 0) AS BIGINT) FROM nodes WHERE conversation = $1", []any{c.ID}, &messages, &bytes)
	if err != nil {
		return err
	}
	for _, part := range tx.db.opts.Components {
		if part.Erase != nil {
			if err := part.Erase(tx, c.World, c.ID); err != nil {
				return err
			}
		}
	}
	err = tx.execEach([]any{c.ID},
		"DELETE FROM work WHERE conversation = $1 AND conversation <> ''",
		"DELETE FROM activity WHERE conversation = $1 AND conversation <> ''",
		"DELETE FROM head_views WHERE conversation = $1",
		"DELETE FROM category_entries WHERE conversation = $1",
		"DELETE FROM categories WHERE conversation = $1",
		"DELETE FROM records WHERE conversation = $1",
		"DELETE FROM node_states WHERE conversation = $1",
		"DELETE FROM node_marks WHERE conversation = $1",
		"DELETE FROM operation_marks WHERE operation IN (SELECT id FROM operations WHERE conversation = $1 AND conversation <> '')",
		"DELETE FROM operations WHERE conversation = $1 AND conversation <> ''",
		"DELETE FROM events WHERE conversation = $1 AND conversation <> ''",
		"DELETE FROM responses WHERE conversation = $1",
		"DELETE FROM settings WHERE scope = 'conversation:' || $1",
		"DELETE FROM bindings WHERE scope = 'chat' AND name = $1",
		"DELETE FROM nodes WHERE conversation = $1",
		"DELETE FROM conversations WHERE id = $1")
	if err != nil {
		return err
	}
	// Views of other conversations may rest on operations that are gone.
	if err := tx.DropHeadViews(c.World); err != nil {
		return err
	}
	if err := tx.countErased(c.World); err != nil {
		return err
	}
	w.nextSeq()
	tx.nodes = nil
	tx.work = true // what runs of it ends
	delete(tx.trees, c.ID)
	tx.OnCommit(func() {
		tx.db.states.forget(func(k stateKey) bool { return k.conversation == c.ID })
		tx.db.trees.forget(func(k string) bool { return k == c.ID })
		tx.db.ops.forget(func(k operationKey) bool { return k.conversation == c.ID })
	})
	return tx.use(w, Usage{Conversations: -1, Messages: -messages, Bytes: -bytes})
}

// settingErased counts how often something was erased in a world.
const settingErased = "erased"

// Erased returns how often operations were erased from the log of a world. Lists
// of operations that were read when it was another number may hold some that
// are gone.
func (tx *Tx) Erased(world string) (n int64, err error) {
	raw, err := tx.Setting("world:"+world, settingErased)
	if KindOf(err) == NotFound {
		return 0, nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &n)
	}
	return n, err
}

func (tx *Tx) countErased(world string) error {
	n, err := tx.Erased(world)
	if err != nil {
		return err
	}
	return tx.SetSetting("world:"+world, settingErased, json.RawMessage(strconv.FormatInt(n+1, 10)))
}

// EraseWorld deletes a world for good, with everything in it. Outside of the
// database nothing is touched. See [DB.Purge].
func (tx *Tx) EraseWorld(world string) error {
	if world == System {
		return noWorld(world)
	}
	if _, err := tx.touch(System); err != nil {
		return err
	}
	w, err := tx.touch(world)
	if err != nil {
		return err
	}
	var conversations []string
	err = tx.rows("SELECT id FROM conversations WHERE world = $1", []any{world}, func(r *sql.Rows) error {
		var id string
		err := r.Scan(&id)
		conversations = append(conversations, id)
		return err
	})
	if err != nil {
		return err
	}
	for _, c := range conversations {
		if err := tx.EraseConversation(c); err != nil {
			return err
		}
	}
	for _, part := range tx.db.opts.Components {
		if part.Erase != nil {
			if err := part.Erase(tx, world, ""); err != nil {
				return err
			}
		}
	}
	tx.work = true
	err = tx.execEach([]any{world},
		"DELETE FROM work WHERE world = $1",
		"DELETE FROM activity WHERE world = $1",
		"DELETE FROM category_entries WHERE world = $1",
		"DELETE FROM categories WHERE world = $1",
		"DELETE FROM operation_marks WHERE world = $1",
		"DELETE FROM operations WHERE world = $1",
		"DELETE FROM events WHERE world = $1",
		"DELETE FROM responses WHERE world = $1",
		"DELETE FROM settings WHERE scope = 'world:' || $1",
		"DELETE FROM bindings WHERE world = $1",
		"DELETE FROM characters WHERE world = $1",
		"DELETE FROM book_revisions WHERE world = $1",
		"DELETE FROM books WHERE world = $1",
		"DELETE FROM authors WHERE world = $1",
		"DELETE FROM worlds WHERE id = $1")
	if err != nil {
		return err
	}
	w.gone = true
	tx.OnCommit(func() {
		tx.db.texts.forget(func(k textKey) bool { return k.world == world })
		tx.db.events.wake(world) // readers learn that it is gone
	})
	return nil
}

// purgePatience is how long [DB.Purge] waits for readers of what was erased.
const purgePatience = 30 * time.Second

// Purge makes sure that what was erased is gone from the files, too: on SQLite
// it empties the write-ahead log (the rows themselves were overwritten), on
// PostgreSQL it vacuums the tables. It waits up to half a minute for readers
// that still see the erased rows, and is Unavailable if they stay.
func (db *DB) Purge(ctx context.Context) error {
	if db.dialect.postgres {
		var tables []string
		for _, t := range db.tables() {
			tables = append(tables, t.name)
		}
		_, err := db.writer.ExecContext(ctx, "VACUUM "+strings.Join(tables, ", "))
		return db.wrap(err)
	}
	ctx, cancel := context.WithTimeout(ctx, purgePatience)
	defer cancel()
	for {
		var busy, log, done int
		err := db.writer.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &log, &done)
		if err != nil {
			return db.wrap(err)
		}
		if busy == 0 {
			return nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return &Error{Kind: Unavailable, Message: "what was erased is still in the log beside the database, because something is reading it: try again", Err: ctx.Err()}
		}
	}
}

// table is a table of the database. Parents come before their children.
type table struct{ name string }

// tables lists every table with rows of ours, the components' last.
func (db *DB) tables() []table {
	var list []table
	for _, name := range []string{
		"worlds", "users", "tokens", "books", "book_revisions", "characters", "bindings", "conversations", "authors", "nodes",
		"node_marks", "node_states", "records", "operations", "operation_marks", "events",
		"categories", "category_entries", "head_views", "responses", "settings", "work", "activity",
	} {
		list = append(list, table{name})
	}
	for _, c := range db.opts.Components {
		for _, name := range c.Tables {
			list = append(list, table{name})
		}
	}
	return list
}
