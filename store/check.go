package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// Problem is something that is wrong with a database.
type Problem struct {
	// Where is the table, or "file".
	Where   string
	Message string
}

// maxProblems bounds what a check returns.
const maxProblems = 100

// Check looks for damage: on SQLite in the file, on both in what the rows say
// of each other (heads, parents, states, numbers). A full check reads
// everything, a quick one does not compare indexes with their tables nor
// read the states and books.
func (db *DB) Check(ctx context.Context, full bool) ([]Problem, error) {
	var problems []Problem
	if !db.dialect.postgres {
		found, err := db.checkFile(ctx, db.reader, full)
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	err := db.View(ctx, func(tx *Tx) error {
		problems = nil
		for _, c := range rowChecks {
			n := 0
			err := tx.rows(c.query, nil, func(r *sql.Rows) error {
				var what string
				err := r.Scan(&what)
				if n++; n <= 3 && len(problems) < maxProblems {
					problems = append(problems, Problem{c.where, fmt.Sprintf(c.message, what)})
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		if !full {
			return nil
		}
		return tx.checkTexts(&problems)
	})
	return problems, err
}

// rowChecks are queries that return what is wrong.
var rowChecks = []struct{ where, message, query string }{
	{"conversations", "the conversation %s has a head that is none of its messages", `SELECT c.id FROM conversations c
		LEFT JOIN nodes n ON n.id = c.head AND n.conversation = c.id WHERE c.head <> '' AND n.id IS NULL`},
	{"conversations", "the conversation %s counts its messages wrongly", `SELECT c.id FROM conversations c
		WHERE c.nodes <> (SELECT coalesce(max(n.n), 0) FROM nodes n WHERE n.conversation = c.id)
		OR c.nodes <> (SELECT count(*) FROM nodes n WHERE n.conversation = c.id)`},
	{"nodes", "the message %s has a parent that is not before it", `SELECT n.id FROM nodes n
		LEFT JOIN nodes p ON p.conversation = n.conversation AND p.n = n.parent
		WHERE n.parent <> 0 AND (p.n IS NULL OR p.n >= n.n OR p.depth + 1 <> n.depth) OR n.parent = 0 AND n.depth <> 0`},
	{"nodes", "the message %s is in another world than its conversation", `SELECT n.id FROM nodes n JOIN conversations c ON c.id = n.conversation WHERE n.world <> c.world`},
	{"nodes", "the message %s is shown as one that is no edit of it", `SELECT n.id FROM nodes n
		LEFT JOIN nodes e ON e.conversation = n.conversation AND e.n = n.shown_as
		WHERE n.shown_as <> 0 AND (e.n IS NULL OR e.edit_of = 0 OR e.parent <> n.parent)`},
	{"node_states", "a state of the conversation %s lacks its base", `SELECT s.conversation FROM node_states s
		LEFT JOIN node_states b ON b.conversation = s.conversation AND b.n = s.base
		WHERE s.base <> 0 AND (b.n IS NULL OR b.step + 1 <> s.step) OR s.base = 0 AND s.step <> 0`},
	{"operations", "the operation %s is of a conversation that is not there", `SELECT o.id FROM operations o
		LEFT JOIN conversations c ON c.id = o.conversation AND c.world = o.world WHERE o.conversation <> '' AND c.id IS NULL`},
	{"operations", "the operation %s is of a message that is not there", `SELECT o.id FROM operations o
		LEFT JOIN nodes n ON n.id = o.node AND n.conversation = o.conversation WHERE o.node <> '' AND n.id IS NULL`},
	{"operations", "the operation %s is retracted in one table and not in the other", `SELECT o.id FROM operations o
		WHERE o.retracted <> coalesce((SELECT m.retracted FROM operation_marks m WHERE m.operation = o.id ORDER BY m.seq DESC LIMIT 1), FALSE)`},
	{"worlds", "the world %s has a change with a number that is to come", `SELECT w.id FROM worlds w
		WHERE w.seq < (SELECT coalesce(max(o.seq), 0) FROM operations o WHERE o.world = w.id)
		OR w.seq < (SELECT coalesce(max(m.seq), 0) FROM operation_marks m WHERE m.world = w.id)
		OR w.event < (SELECT coalesce(max(e.id), 0) FROM events e WHERE e.world = w.id)`},
	{"worlds", "the world %s counts its messages wrongly", `SELECT w.id FROM worlds w
		WHERE w.messages <> (SELECT count(*) FROM nodes n WHERE n.world = w.id)
		OR w.conversations <> (SELECT count(*) FROM conversations c WHERE c.world = w.id)`},
	{"work", "the work %s is of a conversation or message that is not there", `SELECT w.id FROM work w
		LEFT JOIN conversations c ON c.id = w.conversation AND c.world = w.world
		LEFT JOIN nodes n ON n.id = w.node AND n.conversation = w.conversation
		WHERE w.conversation <> '' AND c.id IS NULL OR w.node <> '' AND n.id IS NULL`},
	{"work", "the work %s stands behind nothing", `SELECT w.id FROM work w WHERE w.finished = 0 AND w.behind AND (w.owner <> '' OR w.due <> 0 OR NOT EXISTS (
		SELECT 1 FROM work o WHERE o.conversation = w.conversation AND o.finished = 0 AND NOT o.behind AND o.seq < w.seq AND (o.due = 0 OR o.attempt > 0)))`},
	{"work", "the work %s has a state that does not fit the rest of it", `SELECT w.id FROM work w
		WHERE (w.owner <> '') <> (w.state IN ('running', 'cancelling')) OR (w.finished <> 0) <> (w.state IN ('done', 'failed', 'cancelled'))`},
	{"books", "the book %s lacks its newest revision", `SELECT b.id FROM books b
		LEFT JOIN book_revisions r ON r.world = b.world AND r.book = b.id AND r.revision = b.revision WHERE r.revision IS NULL`},
}

// checkTexts reads every state and every book revision.
func (tx *Tx) checkTexts(problems *[]Problem) error {
	add := func(where, format string, args ...any) {
		if len(*problems) < maxProblems {
			*problems = append(*problems, Problem{where, fmt.Sprintf(format, args...)})
		}
	}
	var states []stateKey
	err := tx.rows("SELECT conversation, n FROM node_states ORDER BY conversation, n", nil, func(r *sql.Rows) error {
		var k stateKey
		err := r.Scan(&k.conversation, &k.n)
		states = append(states, k)
		return err
	})
	if err != nil {
		return err
	}
	for _, k := range states {
		if _, err := tx.stateOf(k.conversation, nearState{n: k.n}); KindOf(err) == Corrupt {
			add("node_states", "the state of message %d of the conversation %s cannot be read", k.n, k.conversation)
		} else if err != nil {
			return err
		}
	}
	type revision struct {
		world, book string
		n           int64
	}
	var revisions []revision
	err = tx.rows("SELECT world, book, revision FROM book_revisions ORDER BY world, book, revision", nil, func(r *sql.Rows) error {
		var v revision
		err := r.Scan(&v.world, &v.book, &v.n)
		revisions = append(revisions, v)
		return err
	})
	if err != nil {
		return err
	}
	for _, v := range revisions {
		if _, err := tx.bookText(v.world, v.book, v.n); KindOf(err) == Corrupt {
			add("book_revisions", "revision %d of the book %s cannot be read", v.n, v.book)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// checkFile has SQLite look through its file.
func (db *DB) checkFile(ctx context.Context, handle *sql.DB, full bool) ([]Problem, error) {
	pragma := "PRAGMA quick_check(20)"
	if full {
		pragma = "PRAGMA integrity_check(20)"
	}
	var problems []Problem
	rows, err := handle.QueryContext(ctx, pragma)
	if err != nil {
		return damaged(db.wrap(err))
	}
	defer rows.Close()
	for rows.Next() {
		var message string
		if err := rows.Scan(&message); err != nil {
			return damaged(db.wrap(err))
		}
		if message != "ok" {
			problems = append(problems, Problem{"file", message})
		}
	}
	if err := rows.Err(); err != nil {
		return damaged(db.wrap(err))
	}
	if len(problems) > 0 || !full {
		return problems, nil
	}
	orphans, err := handle.QueryContext(ctx, "PRAGMA foreign_key_check")
	if err != nil {
		return damaged(db.wrap(err))
	}
	defer orphans.Close()
	for orphans.Next() {
		var table, parent string
		var row sql.NullInt64
		var key int
		if err := orphans.Scan(&table, &row, &parent, &key); err != nil {
			return damaged(db.wrap(err))
		}
		if len(problems) < maxProblems {
			problems = append(problems, Problem{table, fmt.Sprintf("row %d refers to a row of %s that is not there", row.Int64, parent)})
		}
	}
	return problems, db.wrap(orphans.Err())
}

// damaged makes a finding of an error that says that the file is damaged.
func damaged(err error) ([]Problem, error) {
	var e *Error
	if errors.As(err, &e) && e.Kind == Corrupt {
		return []Problem{{"file", e.Err.Error()}}, nil
	}
	return nil, err
}

// goCheck looks through the file quickly in the background.
func (db *DB) goCheck() {
	db.done.Add(1)
	go func() {
		defer db.done.Done()
		problems, err := db.checkFile(db.ctx, db.reader, false)
		if db.ctx.Err() != nil {
			return
		}
		if err != nil {
			db.opts.Log.Warn("the database could not be checked", "error", err)
			return
		}
		for _, p := range problems {
			db.opts.Log.Error("the database "+db.path+" "+corruptMessage, "found", p.Message)
		}
		db.mu.Lock()
		db.damage = problems
		db.mu.Unlock()
	}()
}

// Damage returns what the check in the background has found so far.
func (db *DB) Damage() []Problem {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.damage
}
