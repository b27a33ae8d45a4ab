package store

import (
	"database/sql"
	"slices"
)

// Mark is a change to the marks of a node; nil fields stay as they are.
type Mark struct {
	Hidden, Deleted *bool
	// ShownAs is an edit of the node, or "" for the node itself.
	ShownAs *string
}

// marks are the marks of a node as they are stored.
type marks struct {
	hidden, deleted bool
	shownAs         int64
}

// MarkNodes changes the marks of nodes, each under a number of its own. Marks
// that change nothing count for nothing. An edit that stands for a message is
// taken for that message.
func (tx *Tx) MarkNodes(m Mark, nodes ...string) error {
	for _, node := range nodes {
		if err := tx.markNode(m, node); err != nil {
			return err
		}
	}
	return nil
}

func (tx *Tx) markNode(m Mark, node string) error {
	at, err := tx.node(node)
	if err != nil {
		return err
	}
	w, err := tx.touch(at.world)
	if err != nil {
		return err
	}
	delete(tx.nodes, node) // it may have changed before the lock was there
	if at, err = tx.anchor(node); err != nil {
		return err
	}
	delete(tx.nodes, at.id) // what it knows is about to change
	now := marks{at.hidden, at.deleted, at.shownAs}
	next := now
	if m.Hidden != nil {
		next.hidden = *m.Hidden
	}
	if m.Deleted != nil {
		next.deleted = *m.Deleted
	}
	if m.ShownAs != nil {
		next.shownAs = 0
		if *m.ShownAs != "" && *m.ShownAs != at.id {
			edit, err := tx.node(*m.ShownAs)
			if err != nil {
				return err
			}
			if edit.conversation != at.conversation || edit.parent != at.parent || edit.editOf == 0 {
				return Errorf(Invalid, "the message %s is no edit of %s", *m.ShownAs, at.id)
			}
			next.shownAs = edit.n
		}
	}
	if next == now {
		return nil
	}
	_, err = tx.exec("INSERT INTO node_marks (conversation, seq, n, hidden, deleted, shown_as, time) VALUES ($1, $2, $3, $4, $5, $6, $7)",
		at.conversation, w.nextSeq(), at.n, now.hidden, now.deleted, now.shownAs, tx.now)
	if err != nil {
		return err
	}
	_, err = tx.exec("UPDATE nodes SET hidden = $3, deleted = $4, shown_as = $5 WHERE conversation = $1 AND n = $2",
		at.conversation, at.n, next.hidden, next.deleted, next.shownAs)
	return err
}

// MarkSeq returns the number of the newest change to the marks of the messages
// of a conversation; 0 if there was none. While it is the same, every path is.
func (tx *Tx) MarkSeq(conversation string) (seq int64, err error) {
	_, err = tx.row("SELECT coalesce(max(seq), 0) FROM node_marks WHERE conversation = $1", []any{conversation}, &seq)
	return seq, err
}

// marksAsOf returns the marks that were different at a number of the world, by
// node. 0 means now: none.
func (tx *Tx) marksAsOf(c Conversation, seq int64) (map[int64]marks, error) {
	if seq == 0 {
		return nil, nil
	}
	past := map[int64]marks{}
	// The newest first: the last one that is written is the earliest change.
	err := tx.rows("SELECT n, hidden, deleted, shown_as FROM node_marks WHERE conversation = $1 AND seq > $2 ORDER BY seq DESC", []any{c.ID, seq},
		func(r *sql.Rows) error {
			var n int64
			var m marks
			err := r.Scan(&n, &m.hidden, &m.deleted, &m.shownAs)
			past[n] = m
			return err
		})
	return past, err
}

// DeleteBranch marks a node and everything that follows it as deleted, and
// returns how many that were.
func (tx *Tx) DeleteBranch(node string) (int, error) {
	at, err := tx.anchor(node)
	if err != nil {
		return 0, err
	}
	if _, err := tx.touch(at.world); err != nil {
		return 0, err
	}
	var ids []string
	err = tx.rows(`WITH RECURSIVE down (n, id, deleted) AS (
			SELECT n, id, deleted FROM nodes WHERE conversation = $1 AND n = $2
			UNION ALL
			SELECT k.n, k.id, k.deleted FROM down JOIN nodes k ON k.conversation = $1 AND k.parent = down.n
		) SELECT id, deleted FROM down ORDER BY n`, []any{at.conversation, at.n}, func(r *sql.Rows) error {
		var id string
		var deleted bool
		err := r.Scan(&id, &deleted)
		if !deleted {
			ids = append(ids, id)
		}
		return err
	})
	if err != nil {
		return 0, err
	}
	slices.Reverse(ids) // the newest first
	yes := true
	return len(ids), tx.MarkNodes(Mark{Deleted: &yes}, ids...)
}
