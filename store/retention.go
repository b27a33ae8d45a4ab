package store

import (
	"context"
	"database/sql"
	"time"
)

// Retention says how long things are kept that nobody needs for ever. 0 means
// the default, a negative time for ever.
type Retention struct {
	// Events defaults to 7 days.
	Events time.Duration
	// Responses to repeated requests: defaults to 24 hours.
	Responses time.Duration
	// Deleted conversations, and texts of deleted messages: defaults to 30
	// days, then they are erased for good.
	Deleted time.Duration
	// Work that is done, failed or was cancelled: defaults to 7 days.
	Work time.Duration
	// Activity of models: defaults to 30 days.
	Activity time.Duration
}

// The defaults of [Retention].
const (
	DefaultKeepEvents    = 7 * 24 * time.Hour
	DefaultKeepResponses = 24 * time.Hour
	DefaultKeepDeleted   = 30 * 24 * time.Hour
	DefaultKeepWork      = 7 * 24 * time.Hour
	DefaultKeepActivity  = 30 * 24 * time.Hour
)

// Pruned is what [DB.Prune] took away.
type Pruned struct {
	Events, Responses, Work, Activity, Conversations, Messages int64
}

// pruneBatch is how many rows one transaction takes away, so that others do
// not wait long.
const pruneBatch = 500

// before returns the time before which things go; false for never.
func (db *DB) before(keep, byDefault time.Duration) (int64, bool) {
	if keep == 0 {
		keep = byDefault
	}
	return db.opts.Now().Add(-keep).UnixMicro(), keep > 0
}

// Prune deletes what is older than the retention allows, in small transactions.
// The newest event of a world always stays, so that readers can tell whether
// they missed some. Deleted messages keep their place in the tree, without text
// and without the operations that came from them.
func (db *DB) Prune(ctx context.Context, r Retention) (Pruned, error) {
	var p Pruned
	if before, ok := db.before(r.Events, DefaultKeepEvents); ok {
		n, err := db.pruneRows(ctx, `DELETE FROM events WHERE (world, id) IN (
			SELECT e.world, e.id FROM events e JOIN worlds w ON w.id = e.world WHERE e.time < $1 AND e.id < w.event LIMIT $2)`, before)
		if p.Events = n; err != nil {
			return p, err
		}
	}
	if before, ok := db.before(r.Responses, DefaultKeepResponses); ok {
		n, err := db.pruneRows(ctx, "DELETE FROM responses WHERE (scope, name) IN (SELECT scope, name FROM responses WHERE time < $1 LIMIT $2)", before)
		if p.Responses = n; err != nil {
			return p, err
		}
	}
	if before, ok := db.before(r.Work, DefaultKeepWork); ok {
		n, err := db.pruneRows(ctx, "DELETE FROM work WHERE id IN (SELECT id FROM work WHERE finished > 0 AND finished < $1 LIMIT $2)", before)
		if p.Work = n; err != nil {
			return p, err
		}
	}
	if before, ok := db.before(r.Activity, DefaultKeepActivity); ok {
		n, err := db.pruneRows(ctx, "DELETE FROM activity WHERE id IN (SELECT id FROM activity WHERE time < $1 LIMIT $2)", before)
		if p.Activity = n; err != nil {
			return p, err
		}
	}
	before, ok := db.before(r.Deleted, DefaultKeepDeleted)
	if !ok {
		return p, nil
	}
	for {
		ids, err := db.pruneList(ctx, "SELECT id, world FROM conversations WHERE deleted <> 0 AND deleted < $1 LIMIT $2", before)
		if err != nil {
			return p, err
		}
		for id, world := range ids {
			erased := false
			err := db.UpdateWorld(ctx, world, func(tx *Tx) error {
				c, err := tx.Conversation(id)
				erased = err == nil && c.Deleted != 0 && c.Deleted < before // not restored meanwhile
				if err != nil || !erased {
					return ignore(err, NotFound)
				}
				return tx.EraseConversation(id)
			})
			if err = ignore(err, NotFound); err != nil {
				return p, err
			}
			if erased {
				p.Conversations++
			}
		}
		if len(ids) < pruneBatch {
			break
		}
	}
	n, err := db.pruneMessages(ctx, before)
	p.Messages = n
	return p, err
}

// ignore returns nil for errors of a kind.
func ignore(err error, kind Kind) error {
	if KindOf(err) == kind {
		return nil
	}
	return err
}

func (db *DB) pruneRows(ctx context.Context, query string, before int64) (total int64, err error) {
	for {
		var n int64
		err := db.Update(ctx, func(tx *Tx) (err error) {
			n, err = tx.exec(query, before, pruneBatch)
			return err
		})
		total += n
		if err != nil || n < pruneBatch {
			return total, err
		}
	}
}

// pruneList returns ids with their worlds.
func (db *DB) pruneList(ctx context.Context, query string, args ...any) (map[string]string, error) {
	list := map[string]string{}
	err := db.View(ctx, func(tx *Tx) error {
		return tx.rows(query, append(args, pruneBatch), func(r *sql.Rows) error {
			var id, world string
			err := r.Scan(&id, &world)
			list[id] = world
			return err
		})
	})
	return list, err
}

// pruneMessages blanks messages that were deleted before a time.
func (db *DB) pruneMessages(ctx context.Context, before int64) (total int64, err error) {
	for {
		ids, err := db.pruneList(ctx, `SELECT m.id, m.world FROM nodes m WHERE m.deleted AND (length(m.content) > 0 OR m.name <> '' OR m.ext IS NOT NULL)
			AND (SELECT max(k.time) FROM node_marks k WHERE k.conversation = m.conversation AND k.n = m.n) < $1 LIMIT $2`, before)
		if err != nil {
			return total, err
		}
		for id, world := range ids {
			err := db.UpdateWorld(ctx, world, func(tx *Tx) error {
				n, err := tx.node(id)
				if err != nil || !n.deleted {
					return ignore(err, NotFound)
				}
				total++
				return tx.EraseMessage(id)
			})
			if err = ignore(err, NotFound); err != nil {
				return total, err
			}
		}
		if len(ids) < pruneBatch {
			return total, nil
		}
	}
}

// EraseMessage deletes what a message says for good, with the wordings that
// stood for it, its record, its work and what sidecars and imports made of it.
// Its place in the tree stays, marked as deleted, and so does the state behind
// it, which later states build on. Edits that are siblings of it stay, and so
// does what people wrote.
func (tx *Tx) EraseMessage(node string) error {
	at, err := tx.anchor(node)
	if err != nil {
		return err
	}
	w, err := tx.touch(at.world)
	if err != nil {
		return err
	}
	type version struct {
		id string
		n  int64
	}
	var versions []version
	var bytes int64
	err = tx.rows(`WITH RECURSIVE wording (n, id, size) AS (
			SELECT n, id, length(content) + coalesce(length(ext), 0) FROM nodes WHERE conversation = $1 AND n = $2
			UNION ALL
			SELECT e.n, e.id, length(e.content) + coalesce(length(e.ext), 0) FROM wording o JOIN nodes e ON e.conversation = $1 AND e.edit_of = o.n AND e.kind = 'edit'
		) SELECT n, id, size FROM wording`, []any{at.conversation, at.n}, func(r *sql.Rows) error {
		var v version
		var size int64
		err := r.Scan(&v.n, &v.id, &size)
		versions = append(versions, v)
		bytes += size
		return err
	})
	if err != nil {
		return err
	}
	yes, itself := true, ""
	tx.work = true // what runs of it ends
	for _, v := range versions {
		if err := tx.MarkNodes(Mark{Deleted: &yes, ShownAs: &itself}, v.id); err != nil {
			return err
		}
		args := []any{at.conversation, v.n}
		err := tx.execEach(args,
			"DELETE FROM records WHERE conversation = $1 AND n = $2",
			"UPDATE nodes SET content = CAST('' AS "+tx.db.dialect.bytes+"), ext = NULL, name = '', author = '', external = NULL WHERE conversation = $1 AND n = $2")
		if err != nil {
			return err
		}
		err = tx.execEach([]any{v.id, at.conversation},
			"DELETE FROM operation_marks WHERE operation IN (SELECT id FROM operations WHERE conversation = $2 AND node = $1 AND author <> 'person')",
			"DELETE FROM operations WHERE conversation = $2 AND node = $1 AND author <> 'person'",
			"DELETE FROM events WHERE conversation = $2 AND ref = $1",
			"DELETE FROM work WHERE conversation = $2 AND node = $1",
			"DELETE FROM activity WHERE conversation = $2 AND node = $1")
		if err != nil {
			return err
		}
	}
	if _, err := tx.exec("UPDATE work SET behind = FALSE WHERE conversation = $1 AND finished = 0 AND behind", at.conversation); err != nil {
		return err
	}
	if err := tx.DropHeadViews(at.world); err != nil {
		return err
	}
	if err := tx.countErased(at.world); err != nil {
		return err
	}
	w.nextSeq()
	return tx.use(w, Usage{Bytes: -bytes})
}
