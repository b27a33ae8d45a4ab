package storetest

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/store"
)

func (f *fixture) backup() []byte {
	f.t.Helper()
	var out bytes.Buffer
	if err := f.Backup(f.ctx, &out); err != nil {
		f.t.Fatal(err)
	}
	return out.Bytes()
}

// lines returns the rows of a backup, without its head and end, sorted: no
// order is promised.
func lines(t testing.TB, backup []byte) []string {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(backup))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(zip)
	if err != nil {
		t.Fatal(err)
	}
	list := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	table := ""
	var rows []string
	for _, line := range list[1 : len(list)-1] {
		if strings.HasPrefix(line, "{") {
			table = line
			continue
		}
		rows = append(rows, table+line)
	}
	slices.Sort(rows)
	return rows
}

func testBackup(t *testing.T, b Backend) {
	f := setup(t, b)
	c := f.fill("keptword")
	f.update(func(tx *store.Tx) error {
		u, err := tx.CreateUser(store.User{Name: "Ilse", Admin: true})
		if err != nil {
			return err
		}
		_, _, err = tx.CreateToken(u.ID, "phone", 0)
		return err
	})
	f.write(func(tx *store.Tx) error {
		_, err := tx.SaveBook(f.world, book("ford", "a", "b"), store.SaveBook{})
		return err
	})
	n := f.chain(c, "", 120)
	backup := f.backup()

	url := b.URL(t)
	if err := store.Restore(t.Context(), url, bytes.NewReader(backup), options(t, f.clock)); err != nil {
		t.Fatal(err)
	}
	g := &fixture{t: t, ctx: t.Context(), url: url, clock: f.clock, world: f.world}
	g.DB = open(t, url, options(t, f.clock))
	if d := cmp.Diff(lines(t, backup), lines(t, g.backup())); d != "" {
		t.Errorf("a backup of what was restored (-first +second):\n%s", d)
	}
	if d := cmp.Diff(f.path(n[119].ID, store.PathOptions{}), g.path(n[119].ID, store.PathOptions{})); d != "" {
		t.Errorf("a path (-before +after):\n%s", d)
	}
	if problems, err := g.Check(t.Context(), true); len(problems) > 0 || err != nil {
		t.Errorf("check: %v (%v)", problems, err)
	}
	// It is a database like any other.
	g.chain(c, n[119].ID, 2)
}

// A backup is of one moment, also while others write.
func testBackupWhileWriting(t *testing.T, b Backend) {
	f := setup(t, b)
	c := f.conversation()
	ctx, stop := context.WithCancel(f.ctx)
	var done sync.WaitGroup
	done.Add(1)
	started := make(chan struct{})
	go func() {
		defer done.Done()
		for i := 0; ctx.Err() == nil; i++ {
			err := f.UpdateWorld(f.ctx, f.world, func(tx *store.Tx) error {
				for range 3 { // always three
					if _, err := tx.AppendNode(store.Node{Conversation: c.ID, Content: fmt.Sprint(i)}); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
			if i == 0 {
				close(started)
			}
		}
	}()
	<-started
	var backups [][]byte
	for range 3 {
		backups = append(backups, f.backup())
	}
	stop()
	done.Wait()
	for _, backup := range backups {
		url := b.URL(t)
		if err := store.Restore(t.Context(), url, bytes.NewReader(backup), options(t, f.clock)); err != nil {
			t.Fatal(err)
		}
		db := open(t, url, options(t, f.clock))
		problems, err := db.Check(t.Context(), true)
		if len(problems) > 0 || err != nil {
			t.Errorf("check: %v (%v)", problems, err)
		}
		err = db.View(t.Context(), func(tx *store.Tx) error {
			tree, err := tx.Tree(c.ID)
			if len(tree)%3 != 0 || len(tree) == 0 {
				t.Errorf("the backup holds %d messages: a part of a transaction", len(tree))
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}

func testRestoreRefused(t *testing.T, b Backend) {
	f := setup(t, b)
	f.chain(f.conversation(), "", 3)
	backup := f.backup()
	restore := func(url string, r io.Reader) error { return store.Restore(t.Context(), url, r, options(t, f.clock)) }

	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := restore(f.url, bytes.NewReader(backup)); store.KindOf(err) != store.Exists {
		t.Errorf("over a database: %v, want exists", err)
	}
	f.DB = open(t, f.url, options(t, f.clock))
	f.view(func(tx *store.Tx) error {
		_, err := tx.World(f.world) // still there
		return err
	})

	change := func(from, to string) []byte {
		zip, err := gzip.NewReader(bytes.NewReader(backup))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(zip)
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(text), from, to, 1)
		if changed == string(text) {
			t.Fatalf("the backup does not hold %q", from)
		}
		var out bytes.Buffer
		w := gzip.NewWriter(&out)
		_, _ = io.WriteString(w, changed)
		_ = w.Close()
		return out.Bytes()
	}
	url := b.URL(t)
	for name, x := range map[string]struct {
		kind   store.Kind
		backup []byte
	}{
		"nothing":            {store.Corrupt, nil},
		"no backup":          {store.Corrupt, []byte("Dear diary")},
		"cut":                {store.Corrupt, backup[:len(backup)/2]},
		"without its end":    {store.Corrupt, backup[:len(backup)-20]},
		"a changed row":      {store.Corrupt, change("Northmark", "Southmark")},
		"an unknown table":   {store.Corrupt, change(`{"table":"users"`, `{"table":"losers"`)},
		"an unknown column":  {store.Corrupt, change(`"admin"`, `"badmin"`)},
		"a newer schema":     {store.TooNew, change(`"schemas":{"":`, `"schemas":{"":9`)},
		"a newer format":     {store.TooNew, change(`{"weft_backup":1`, `{"weft_backup":2`)},
		"an unknown part":    {store.Invalid, change(`"schemas":{`, `"schemas":{"moon":1,`)},
		"something else":     {store.Corrupt, change(`{"weft_backup":1`, `{"other":1`)},
		"rows twice":         {store.Corrupt, append(slices.Clone(backup), backup...)},
		"a row of two sizes": {store.Corrupt, change(`[""`, `["x",""`)},
	} {
		if err := restore(url, bytes.NewReader(x.backup)); store.KindOf(err) != x.kind {
			t.Errorf("%s: %v, want %s", name, err, x.kind)
		}
	}
	if err := restore(url, bytes.NewReader(backup)); err != nil {
		t.Errorf("after all that was refused, the whole one: %v", err)
	}
}

// testComponents has a part of the program bring its own table.
func testComponents(t *testing.T, b Backend) {
	part := store.Component{
		Name: "errands",
		Migrations: []store.Migration{
			{Version: 1, SQL: "-- An INTEGER here is none.\nCREATE TABLE errands (\n\tid TEXT NOT NULL PRIMARY KEY,\n\tworld TEXT NOT NULL,\n\tdone BOOL NOT NULL,\n\tbody BLOB\n) STRICT;\n--sqlite CREATE INDEX errands_world ON errands (world) WHERE done = 0;\n--postgres CREATE INDEX errands_world ON errands (world) WHERE NOT done;\n"},
			{Version: 2, SQL: "ALTER TABLE errands ADD COLUMN score REAL;\n"},
		},
		Tables: []string{"errands"},
		Erase: func(tx *store.Tx, world, conversation string) error {
			if conversation != "" {
				return nil
			}
			_, err := tx.SQL().ExecContext(tx.Context(), "DELETE FROM errands WHERE world = $1", world)
			return err
		},
	}
	c := newClock()
	o := options(t, c)
	o.Components = []store.Component{part}
	url := b.URL(t)
	f := &fixture{t: t, ctx: t.Context(), url: url, clock: c}
	f.DB = open(t, url, o)
	f.update(func(tx *store.Tx) error {
		w, err := tx.CreateWorld(store.World{Name: "Northmark"})
		if err != nil {
			return err
		}
		f.world = w.ID
		_, err = tx.SQL().ExecContext(tx.Context(), "INSERT INTO errands (id, world, done, body, score) VALUES ($1, $2, $3, $4, $5)", "e", w.ID, true, []byte{0, 255}, 0.5)
		return err
	})
	backup := f.backup()
	second := b.URL(t)
	if err := store.Restore(t.Context(), second, bytes.NewReader(backup), options(t, c)); store.KindOf(err) != store.Invalid {
		t.Errorf("restored without the part: %v, want invalid", err)
	}
	if err := store.Restore(t.Context(), second, bytes.NewReader(backup), o); err != nil {
		t.Fatal(err)
	}
	db := open(t, second, o)
	var done bool
	var body []byte
	var score float64
	if err := db.Reader().QueryRowContext(t.Context(), "SELECT done, body, score FROM errands").Scan(&done, &body, &score); err != nil || !done || !bytes.Equal(body, []byte{0, 255}) || score != 0.5 {
		t.Errorf("the restored row: %v, %v, %v (%v)", done, body, score, err)
	}
	f.update(func(tx *store.Tx) error { return tx.EraseWorld(f.world) })
	var n int
	if err := f.Reader().QueryRowContext(t.Context(), "SELECT count(*) FROM errands").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d rows of the erased world are left (%v)", n, err)
	}
}

func testTooNew(t *testing.T, b Backend) {
	f := setup(t, b)
	if _, err := f.Writer().ExecContext(t.Context(), "INSERT INTO weft_schema (version_id, is_applied) VALUES (99, TRUE)"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := store.Open(t.Context(), f.url, options(t, f.clock))
	if store.KindOf(err) != store.TooNew || !strings.Contains(fmt.Sprint(err), "version 99") {
		t.Errorf("got %v, want too_new with the version", err)
	}
}

func testCheck(t *testing.T, b Backend) {
	f := setup(t, b)
	c := f.fill("keptword")
	n := f.chain(c, "", 2)
	f.write(func(tx *store.Tx) error {
		_, err := tx.SaveBook(f.world, book("ford", "a"), store.SaveBook{})
		return err
	})
	check := func(where string) {
		t.Helper()
		problems, err := f.Check(t.Context(), true)
		if err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(problems, func(p store.Problem) bool { return p.Where == where })
		if (where == "") != (len(problems) == 0) || where != "" && !found {
			t.Errorf("found %+v, want something about %q", problems, where)
		}
	}
	check("")
	for _, x := range []struct{ where, harm, repair string }{
		{"conversations", "UPDATE conversations SET head = 'none'", "UPDATE conversations SET head = ''"},
		{"conversations", "UPDATE conversations SET nodes = nodes + 1", "UPDATE conversations SET nodes = nodes - 1"},
		{"nodes", "UPDATE nodes SET depth = depth + 1 WHERE id = '" + n[1].ID + "'", "UPDATE nodes SET depth = depth - 1 WHERE id = '" + n[1].ID + "'"},
		{"nodes", "UPDATE nodes SET shown_as = 1 WHERE id = '" + n[1].ID + "'", "UPDATE nodes SET shown_as = 0 WHERE id = '" + n[1].ID + "'"},
		{"node_states", "UPDATE node_states SET step = 3", "UPDATE node_states SET step = 0"},
		{"operations", "UPDATE operations SET node = 'none' WHERE seq = 4", "UPDATE operations SET node = '" + n[0].ID + "' WHERE seq = 4"},
		{"worlds", "UPDATE worlds SET messages = messages + 1", "UPDATE worlds SET messages = messages - 1"},
		{"book_revisions", "UPDATE book_revisions SET hash = 'x'", ""},
	} {
		if _, err := f.Writer().ExecContext(t.Context(), x.harm); err != nil {
			t.Fatal(err)
		}
		check(x.where)
		if x.repair != "" {
			if _, err := f.Writer().ExecContext(t.Context(), x.repair); err != nil {
				t.Fatal(err)
			}
		}
	}
}
