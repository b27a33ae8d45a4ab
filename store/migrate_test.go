package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/internal/pgtest"
)

var quiet = Options{Log: slog.New(slog.NewTextHandler(io.Discard, nil))}

// olderRows are what a program of that version wrote: every table that came
// with it has a row. A new migration adds its own.
var olderRows = map[int64][]string{
	1: {
		`INSERT INTO users (id, name, admin, disabled, password, quota, version, created, changed) VALUES ('u', 'Ilse', TRUE, FALSE, '', CAST('{"worlds":3}' AS BLOB), 1, 5, 5)`,
		`INSERT INTO tokens (id, holder, name, hash, created, used, expires) VALUES ('t', 'u', 'phone', CAST('h' AS BLOB), 5, 0, 0)`,
		`INSERT INTO worlds (id, owner, name, settings, revision, seq, event, version, conversations, messages, bytes, created, changed) VALUES ('w', 'u', 'Northmark', CAST('{}' AS BLOB), 9, 4, 1, 1, 1, 2, 10, 5, 6)`,
		`INSERT INTO books (world, id, name, revision, source, deleted, version, created, changed) VALUES ('w', 'ford', 'Ford', 1, '', 0, 2, 5, 5)`,
		`INSERT INTO book_revisions (world, book, revision, hash, size, entries, base, step, body, author, note, time) VALUES ('w', 'ford', 1, '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a', 2, 0, 0, 0, CAST('@{}' AS BLOB), '', '', 5)`,
		`INSERT INTO characters (world, id, name, card, version, created, changed) VALUES ('w', 'ilse', 'Ilse', CAST('@{}' AS BLOB), 2, 5, 5)`,
		`INSERT INTO bindings (world, scope, name, binding) VALUES ('w', 'global', '', CAST('{"Scope":"global","Books":["ford"]}' AS BLOB))`,
		`INSERT INTO conversations (id, world, title, head, seed, settings, external, nodes, deleted, version, created, changed) VALUES ('c', 'w', 'The ford', 'n2', -5, CAST('{}' AS BLOB), 'chan', 2, 0, 3, 5, 6)`,
		`INSERT INTO authors (id, world, name, external, settings, version, created, changed) VALUES ('a', 'w', 'Jo', NULL, CAST('{}' AS BLOB), 3, 5, 5)`,
		`INSERT INTO nodes (conversation, n, parent, depth, swipe, edit_of, shown_as, hidden, deleted, reread, created, id, world, role, kind, name, author, external, content, ext) VALUES ('c', 1, 0, 0, 0, 0, 0, TRUE, FALSE, FALSE, 5, 'n1', 'w', 'user', 'message', 'Jo', 'a', 'm1', CAST('hello' AS BLOB), NULL)`,
		`INSERT INTO nodes (conversation, n, parent, depth, swipe, edit_of, shown_as, hidden, deleted, reread, created, id, world, role, kind, name, author, external, content, ext) VALUES ('c', 2, 1, 1, 0, 0, 0, FALSE, FALSE, FALSE, 6, 'n2', 'w', 'assistant', 'message', '', '', NULL, CAST('there' AS BLOB), CAST('{"x":1}' AS BLOB))`,
		`INSERT INTO node_marks (conversation, seq, n, hidden, deleted, shown_as, time) VALUES ('c', 2, 1, FALSE, FALSE, 0, 6)`,
		`INSERT INTO node_states (conversation, n, base, step, body) VALUES ('c', 2, 0, 0, CAST('@{"turn":1}' AS BLOB))`,
		`INSERT INTO records (conversation, n, body) VALUES ('c', 2, CAST('@{"seed":7,"world_seq":2,"time":6}' AS BLOB))`,
		`INSERT INTO operations (id, world, seq, layer, conversation, node, book, entry, kind, author, digest, retracted, time, body) VALUES ('o', 'w', 3, 'world', 'c', 'n2', '~world', 'gate', 'patch', 'sidecar', 'd', TRUE, 6, CAST('@{"kind":"patch","layer":"world","world":"w"}' AS BLOB))`,
		`INSERT INTO operation_marks (world, seq, operation, retracted, time) VALUES ('w', 4, 'o', TRUE, 6)`,
		`INSERT INTO events (world, id, kind, ref, conversation, payload, time) VALUES ('w', 1, 'x', 'n2', 'c', CAST('null' AS BLOB), 6)`,
	},
	2: {
		`INSERT INTO categories (world, conversation, id, parent, book, name, summary, position) VALUES ('w', '', 'k', '', 'ford', 'Places', 'Cold.', 0)`,
		`INSERT INTO category_entries (world, conversation, book, entry, category, position) VALUES ('w', '', 'ford', 'gate', 'k', 0)`,
		`INSERT INTO head_views (conversation, node, world_seq, stamp, body) VALUES ('c', 'n2', 4, 'k', CAST('@v' AS BLOB))`,
		`INSERT INTO responses (scope, name, request, world, conversation, status, header, body, time) VALUES ('u', 'k', 'r', 'w', 'c', 200, CAST('{}' AS BLOB), CAST('b' AS BLOB), 6)`,
		`INSERT INTO settings (scope, name, value) VALUES ('', 'theme', CAST('"dark"' AS BLOB))`,
		`INSERT INTO settings (scope, name, value) VALUES ('conversation:c', 'turn:t1', CAST('{"id":"t1"}' AS BLOB))`,
		`INSERT INTO settings (scope, name, value) VALUES ('turn:t1', 'conversation', CAST('"c"' AS BLOB))`,
	},
	3: {
		`INSERT INTO work (id, world, seq, conversation, node, kind, unique_key, state, priority, attempt, attempts, lost, due, since, owner, token, beat, behind, done, total, created, started, finished, message, error, payload, result)
			VALUES ('j', 'w', 1, 'c', 'n2', 'write', 'k', 'running', 0, 1, 5, 0, 0, 0, 'gone', 1, 3, FALSE, 0, 0, 6, 6, 0, '', '', CAST('{"x":1}' AS BLOB), CAST('null' AS BLOB))`,
	},
	4: {
		`INSERT INTO settings (scope, name, value) VALUES ('conversation:c', 'turn:t2', CAST('{"id":"t2"}' AS BLOB))`,
		`INSERT INTO settings (scope, name, value) VALUES ('world:w', 'turn:t2', CAST('"c"' AS BLOB))`,
	},
	5: {
		`INSERT INTO activity (id, world, conversation, node, type, phase, time, profile, model, outcome, reason, entries, operations, input, output, cached, calls, cost, currency, duration, detail)
			VALUES ('y', 'w', 'c', 'n2', 'remember', 'post-gen', 6, 'sidecar', 'm', 'ok', '', CAST('null' AS BLOB), CAST('["o"]' AS BLOB), 7, 3, 0, 1, 0, '', 9, CAST('null' AS BLOB))`,
	},
}

func migrationURLs(t *testing.T, run func(*testing.T, func(*testing.T) string)) {
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		run(t, func(t *testing.T) string { return filepath.Join(t.TempDir(), "weft.db") })
	})
	t.Run("Postgres", func(t *testing.T) {
		t.Parallel()
		run(t, func(t *testing.T) string { return pgtest.Database(t) })
	})
}

// makeVersion makes a database of an older version, with rows.
func makeVersion(t *testing.T, url string, version int64) {
	t.Helper()
	o := quiet
	db, err := open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.migrateTo(t.Context(), Component{Migrations: migrations()}, version); err != nil {
		t.Fatal(err)
	}
	err = db.update(t.Context(), sql.LevelDefault, func(tx *Tx) error {
		for v := int64(1); v <= version; v++ {
			for _, row := range olderRows[v] {
				row = strings.ReplaceAll(row, "AS BLOB", "AS "+db.dialect.bytes)
				row = strings.ReplaceAll(row, "'@", "'\x01") // stands for the zero byte of an uncompressed text
				if _, err := tx.exec(row); err != nil {
					return fmt.Errorf("%w: %s", err, row)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// PostgreSQL cannot have that byte in a literal.
	for table, column := range map[string]string{"book_revisions": "body", "characters": "card", "node_states": "body", "records": "body", "operations": "body", "head_views": "body"} {
		if version < 2 && table == "head_views" {
			continue
		}
		_, err := db.writer.ExecContext(t.Context(), "UPDATE "+table+" SET "+column+" = CAST($1 || substr("+column+", 2) AS "+db.dialect.bytes+")", []byte{0})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestOlderVersions brings a database of every earlier version up to date, and
// finds everything in it.
func TestOlderVersions(t *testing.T) {
	t.Parallel()
	latest := newest(migrations())
	for v := int64(1); v <= latest; v++ {
		if len(olderRows[v]) == 0 {
			t.Fatalf("version %d has no rows in this test: add some for what it brought", v)
		}
	}
	migrationURLs(t, func(t *testing.T, url func(*testing.T) string) {
		for version := int64(0); version <= latest; version++ {
			t.Run(fmt.Sprint("from ", version), func(t *testing.T) {
				t.Parallel()
				testOlderVersion(t, url(t), version)
			})
		}
	})
}

func testOlderVersion(t *testing.T, url string, version int64) {
	if version > 0 {
		makeVersion(t, url, version)
	}
	db, err := Open(t.Context(), url, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if got, err := db.schemaVersion(t.Context(), ""); got != newest(migrations()) || err != nil {
		t.Errorf("the version is %d (%v)", got, err)
	}
	if problems, err := db.Check(t.Context(), true); len(problems) > 0 || err != nil {
		t.Errorf("check: %v (%v)", problems, err)
	}
	if version == 0 {
		return
	}
	err = db.View(t.Context(), func(tx *Tx) error {
		u, err := tx.User("u")
		if err != nil || !u.Admin || u.Quota.Worlds != 3 {
			t.Errorf("the user: %+v (%v)", u, err)
		}
		w, err := tx.World("w")
		if err != nil || w.Seq != 4 || w.Revision != 9 {
			t.Errorf("the world: %+v (%v)", w, err)
		}
		if text, err := tx.BookJSON("w", "ford", 0); string(text) != "{}" || err != nil {
			t.Errorf("the book: %q (%v)", text, err)
		}
		if c, err := tx.Character("w", "ilse"); c.Name != "Ilse" || err != nil {
			t.Errorf("the character: %+v (%v)", c, err)
		}
		if b, err := tx.Bindings("w"); len(b) != 1 || err != nil {
			t.Errorf("bindings: %+v (%v)", b, err)
		}
		path, err := tx.Path("n2", PathOptions{})
		if err != nil || len(path) != 2 || path[0].Content != "hello" || !path[0].Hidden || path[0].Author != "a" || path[0].External != "m1" || string(path[1].Ext) != `{"x":1}` {
			t.Errorf("the path: %+v (%v)", path, err)
		}
		before, err := tx.Path("n2", PathOptions{AsOf: 1})
		if err != nil || len(before) != 2 || before[0].Hidden {
			t.Errorf("the path as it was: %+v (%v)", before, err)
		}
		if s, from, err := tx.State("n2"); s.Turn != 1 || from != "n2" || err != nil {
			t.Errorf("the state: %+v of %q (%v)", s, from, err)
		}
		if r, err := tx.Record("n2"); r.Seed != 7 || err != nil {
			t.Errorf("the record: %+v (%v)", r, err)
		}
		ops, err := tx.Operations("w", OperationFilter{})
		if err != nil || len(ops) != 1 || !ops[0].Retracted || ops[0].Seq != 3 {
			t.Errorf("operations: %+v (%v)", ops, err)
		}
		if list, err := tx.Events("w", 0, 10); len(list) != 1 || err != nil {
			t.Errorf("events: %+v (%v)", list, err)
		}
		if version >= 2 {
			if list, err := tx.Categories("w", ""); len(list) != 1 || len(list[0].Entries) != 1 || err != nil {
				t.Errorf("categories: %+v (%v)", list, err)
			}
			if v, err := tx.Setting("", "theme"); string(v) != `"dark"` || err != nil {
				t.Errorf("the setting: %s (%v)", v, err)
			}
		}
		if v, err := tx.Setting("world:w", "turn:t1"); (version == 2 || version == 3) && (string(v) != `"c"` || err != nil) {
			t.Errorf("the open turn: %s (%v)", v, err)
		}
		if version >= 3 {
			if j, err := tx.Work("j"); j.State != WorkRunning || string(j.Payload) != `{"x":1}` || err != nil {
				t.Errorf("the work: %+v (%v)", j, err)
			}
		}
		if version >= 5 {
			if list, _, err := tx.Activities("w", ActivityFilter{}, Page{}); len(list) != 1 || list[0].Input != 7 || len(list[0].Operations) != 1 || err != nil {
				t.Errorf("the activity: %+v (%v)", list, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	// It is written to like any other.
	err = db.UpdateWorld(t.Context(), "w", func(tx *Tx) error {
		n, err := tx.AppendNode(Node{Conversation: "c", Parent: "n2", Role: "assistant"})
		if err != nil {
			return err
		}
		if err := tx.SetSetting("", "later", json.RawMessage("1")); err != nil {
			return err
		}
		return tx.PutState(n.ID, engine.State{Turn: 2})
	})
	if err != nil {
		t.Error(err)
	}
}

// A step that fails leaves the database as it was before it.
func TestFailedMigration(t *testing.T) {
	t.Parallel()
	migrationURLs(t, func(t *testing.T, url func(*testing.T) string) {
		u := url(t)
		o := quiet
		o.Components = []Component{{Name: "part", Migrations: []Migration{
			{Version: 1, SQL: "CREATE TABLE part (x TEXT) STRICT;\n"},
			{Version: 2, SQL: "CREATE TABLE other (x TEXT) STRICT;\nINSERT INTO nowhere VALUES (1);\n"},
		}, Tables: []string{"part"}}}
		if _, err := Open(t.Context(), u, o); err == nil {
			t.Fatal("a broken migration ran")
		}
		o.Components[0].Migrations[1].SQL = "CREATE TABLE other (x TEXT) STRICT;\n"
		db, err := Open(t.Context(), u, o) // the table was not left behind
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		// Without the second step the database is too new.
		o.Components[0].Migrations = o.Components[0].Migrations[:1]
		if _, err := Open(t.Context(), u, o); KindOf(err) != TooNew || !strings.Contains(err.Error(), "part") {
			t.Errorf("got %v, want too_new", err)
		}
	})
}

// Servers that start at once on an empty database make one schema.
func TestServersStartAtOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	errs := make(chan error)
	for range 4 {
		go func() {
			db, err := Open(context.WithoutCancel(t.Context()), url, quiet)
			if err == nil {
				err = db.Close()
			}
			errs <- err
		}()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

func TestStatements(t *testing.T) {
	t.Parallel()
	const src = "-- The TEXT of a comment; is dropped.\nCREATE TABLE a (\n\tid TEXT NOT NULL, -- id\n\tok BOOL,\n\tn INTEGER,\n\tr REAL,\n\tb BLOB\n) STRICT;\n--sqlite PRAGMA x;\n--postgres SELECT 'INTEGER';\nDROP TABLE b;\n"
	for name, x := range map[string]struct {
		d    dialect
		want []string
	}{
		"sqlite": {sqliteDialect, []string{
			"CREATE TABLE a (\n\tid TEXT NOT NULL,\n\tok INTEGER,\n\tn INTEGER,\n\tr REAL,\n\tb BLOB\n) STRICT\n",
			"PRAGMA x\n", "DROP TABLE b\n",
		}},
		"postgres": {postgresDialect, []string{
			"CREATE TABLE a (\n\tid TEXT COLLATE \"C\" NOT NULL,\n\tok BOOLEAN,\n\tn BIGINT,\n\tr DOUBLE PRECISION,\n\tb BYTEA\n) \n",
			"SELECT 'INTEGER'\n", "DROP TABLE b\n",
		}},
	} {
		if d := cmp.Diff(x.want, x.d.statements(src)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestMigrationsAreNumbered(t *testing.T) {
	t.Parallel()
	var got []int64
	for _, m := range migrations() {
		got = append(got, m.Version)
	}
	if len(got) < 2 || !slices.IsSorted(got) || got[0] != 1 || got[len(got)-1] != int64(len(got)) {
		t.Errorf("migrations are numbered %v", got)
	}
}
