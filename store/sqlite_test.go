package store_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/store"
)

func openAt(t testing.TB, url string, o store.Options) (*store.DB, error) {
	t.Helper()
	if o.Log == nil {
		o.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	db, err := store.Open(t.Context(), url, o)
	if err == nil {
		t.Cleanup(func() { _ = db.Close() })
	}
	return db, err
}

func mustOpen(t testing.TB, url string, o store.Options) *store.DB {
	t.Helper()
	db, err := openAt(t, url, o)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// wantKind fails unless the error has a kind and says the words.
func wantKind(t *testing.T, what string, err error, kind store.Kind, words ...string) {
	t.Helper()
	if store.KindOf(err) != kind {
		t.Errorf("%s: got %q (%v), want %q", what, store.KindOf(err), err, kind)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: %q does not say %q", what, err, w)
		}
	}
	for _, w := range []string{"SELECT", "INSERT", "goroutine", "SQLITE_"} {
		if strings.Contains(err.Error(), w) {
			t.Errorf("%s: %q shows a person %q", what, err, w)
		}
	}
}

func makeWorld(t testing.TB, db *store.DB) store.Conversation {
	t.Helper()
	var c store.Conversation
	err := db.Update(t.Context(), func(tx *store.Tx) error {
		w, err := tx.CreateWorld(store.World{Name: "Northmark"})
		if err != nil {
			return err
		}
		c, err = tx.CreateConversation(store.Conversation{World: w.ID})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func say(ctx context.Context, db *store.DB, c store.Conversation, text string) error {
	return db.UpdateWorld(ctx, c.World, func(tx *store.Tx) error {
		c, err := tx.Conversation(c.ID)
		if err != nil {
			return err
		}
		n, err := tx.AppendNode(store.Node{Conversation: c.ID, Parent: c.Head, Role: lore.RoleUser, Content: text})
		if err != nil {
			return err
		}
		return tx.SetHead(c.ID, n.ID)
	})
}

func TestURLs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, x := range map[string]struct {
		url  string
		kind store.Kind
	}{
		"nothing":            {"", store.Invalid},
		"memory":             {":memory:", store.Invalid},
		"another database":   {"mysql://localhost/weft", store.Invalid},
		"parameters":         {"file:" + dir + "/x.db?mode=ro", store.Invalid},
		"a folder":           {dir, store.Invalid},
		"no folder":          {dir + "/none/x.db", store.Unavailable},
		"a broken URL":       {"postgres://user:secret@host:port/x", store.Invalid},
		"nobody listens":     {"postgres://user:secret@127.0.0.1:1/x?connect_timeout=2", store.Unavailable},
		"no server's socket": {"postgres:///x?user=u&password=secret&host=" + dir, store.Unavailable},
	} {
		_, err := openAt(t, x.url, store.Options{})
		wantKind(t, name, err, x.kind)
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %q shows the password", name, err)
		}
	}
	for i, url := range []string{dir + "/plain.db", "file:" + dir + "/prefix.db", "file://" + dir + "/slashes.db", dir + "/a b%20#?ü.db"} {
		db, err := openAt(t, url, store.Options{})
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		if _, err := os.Stat(db.Path()); err != nil {
			t.Errorf("URL %d made no file: %v", i, err)
		}
	}
}

func TestSecondHandleIsRefused(t *testing.T) {
	t.Parallel()
	url := sqliteURL(t)
	if _, ok := store.HolderOf(url); ok {
		t.Error("a file that is not there has a holder")
	}
	db := mustOpen(t, url, store.Options{Address: "127.0.0.1:7777"})
	_, err := openAt(t, "file:"+url, store.Options{Address: "127.0.0.1:8888"})
	wantKind(t, "a second handle", err, store.Locked, "127.0.0.1:7777", fmt.Sprint(os.Getpid()))
	var locked *store.LockedError
	if !errors.As(err, &locked) || locked.Holder.PID != os.Getpid() {
		t.Errorf("the error names %+v", locked)
	}
	if err := db.SetAddress("127.0.0.1:9999"); err != nil {
		t.Fatal(err)
	}
	if h, ok := store.HolderOf(url); !ok || h.Address != "127.0.0.1:9999" {
		t.Errorf("the holder is %+v (%v)", h, ok)
	}
	if err := store.Restore(t.Context(), url, bytes.NewReader(nil), store.Options{}); err == nil {
		t.Error("restored over a database in use")
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	if _, ok := store.HolderOf(url); ok {
		t.Error("a closed database has a holder")
	}
	wantKind(t, "a closed database", db.View(t.Context(), func(*store.Tx) error { return nil }), store.Unavailable)
	mustOpen(t, url, store.Options{})
}

func TestOtherFilesAreLeftAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := filepath.Join(dir, "diary.txt")
	if err := os.WriteFile(text, []byte("Dear diary, the ford froze."), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := openAt(t, text, store.Options{})
	wantKind(t, "a text", err, store.Corrupt, text)
	if got, _ := os.ReadFile(text); string(got) != "Dear diary, the ford froze." {
		t.Errorf("the text was changed to %q", got)
	}
	other := filepath.Join(dir, "other.db")
	foreign, err := sql.Open("sqlite", other)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := foreign.Exec("CREATE TABLE recipes (x)"); err != nil {
		t.Fatal(err)
	}
	if err := foreign.Close(); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(other)
	_, err = openAt(t, other, store.Options{})
	wantKind(t, "another program's database", err, store.Invalid, "another program")
	if after, _ := os.ReadFile(other); !bytes.Equal(before, after) {
		t.Error("another program's database was changed")
	}
}

func TestDamage(t *testing.T) {
	t.Parallel()
	url := sqliteURL(t)
	db := mustOpen(t, url, store.Options{})
	c := makeWorld(t, db)
	for i := range 200 {
		if err := say(t.Context(), db, c, fmt.Sprintf("%d %s", i, strings.Repeat("the ford ", 50))); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(url)
	if err != nil {
		t.Fatal(err)
	}
	harm := bytes.Clone(whole)
	for at := 4096 * 12; at < len(harm); at += 4096 { // the head of every page from the 13th on
		copy(harm[at:], "frozen to the ground")
	}
	if err := os.WriteFile(url, harm, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = openAt(t, url, store.Options{FullCheck: true})
	wantKind(t, "a damaged file", err, store.Corrupt, url, "backup")
	// It stays damaged: the next one looks again by itself.
	_, err = openAt(t, url, store.Options{})
	wantKind(t, "a damaged file again", err, store.Corrupt, url, "backup")
	if got, _ := os.ReadFile(url); !bytes.Equal(got, harm) {
		t.Error("the damaged file was changed")
	}
	if err := os.WriteFile(url, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, url, store.Options{FullCheck: true})

	// Cut in the middle.
	cut := sqliteURL(t)
	if err := os.WriteFile(cut, whole[:len(whole)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = openAt(t, cut, store.Options{FullCheck: true})
	wantKind(t, "a cut file", err, store.Corrupt, "backup")
}

func TestDamageIsFoundInTheBackground(t *testing.T) {
	t.Parallel()
	url := sqliteURL(t)
	db := mustOpen(t, url, store.Options{})
	c := makeWorld(t, db)
	for range 300 {
		if err := say(t.Context(), db, c, strings.Repeat("the ford ", 100)); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(url)
	if err != nil {
		t.Fatal(err)
	}
	copy(text[len(text)-4096*3:], "frozen to the ground") // a page that opening does not touch
	if err := os.WriteFile(url, text, 0o600); err != nil {
		t.Fatal(err)
	}
	r, w := io.Pipe()
	db = mustOpen(t, url, store.Options{Log: slog.New(slog.NewTextHandler(w, nil))})
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil || !strings.Contains(line, "is damaged") {
		t.Errorf("the log says %q (%v)", line, err)
	}
	go io.Copy(io.Discard, r) //nolint:errcheck // drains what else is logged
	_ = db.Close()
	if len(db.Damage()) == 0 {
		t.Error("Damage returns nothing")
	}
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	url := sqliteURL(t)
	db := mustOpen(t, url, store.Options{})
	c := makeWorld(t, db)
	if err := say(t.Context(), db, c, "first"); err != nil {
		t.Fatal(err)
	}
	// SQLite reports this bound with the same error as a disk without room.
	var pages int
	if err := db.Writer().QueryRowContext(t.Context(), "PRAGMA page_count").Scan(&pages); err != nil {
		t.Fatal(err)
	}
	limit := func(n int) {
		t.Helper()
		var got int
		if err := db.Writer().QueryRowContext(t.Context(), fmt.Sprintf("PRAGMA max_page_count=%d", n)).Scan(&got); err != nil {
			t.Fatal(err)
		}
	}
	limit(pages + 2)
	said := 1
	var err error
	for err == nil {
		if err = say(t.Context(), db, c, strings.Repeat("the ford ", 1000)); err == nil {
			said++
		}
	}
	wantKind(t, "a full disk", err, store.Full, "free some space")
	count := func() (n int) {
		t.Helper()
		err := db.View(t.Context(), func(tx *store.Tx) error {
			c, err := tx.Conversation(c.ID)
			if err != nil {
				return err
			}
			path, err := tx.Path(c.Head, store.PathOptions{})
			n = len(path)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count(); n != said {
		t.Errorf("%d messages are there, %d were said", n, said)
	}
	limit(1 << 30) // room again
	if err := say(t.Context(), db, c, "after"); err != nil {
		t.Fatal(err)
	}
	if n := count(); n != said+1 {
		t.Errorf("%d messages are there, want %d", n, said+1)
	}
	if problems, err := db.Check(t.Context(), true); len(problems) > 0 || err != nil {
		t.Errorf("check: %v (%v)", problems, err)
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	url := sqliteURL(t)
	db := mustOpen(t, url, store.Options{})
	c := makeWorld(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(url, 0o444); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(url)
	if os.Getuid() == 0 { // rights do not bind root: another user tries
		if err := asNobody(t, url); err != nil {
			t.Skip(err)
		}
	} else {
		_, err := openAt(t, url, store.Options{})
		wantKind(t, "a file that cannot be written", err, store.ReadOnly, url, "rights")
	}
	if after, _ := os.ReadFile(url); !bytes.Equal(before, after) {
		t.Error("the file was changed")
	}
	if err := os.Chmod(url, 0o644); err != nil {
		t.Fatal(err)
	}
	db = mustOpen(t, url, store.Options{})
	// A file that becomes so while it is open.
	if _, err := db.Writer().ExecContext(t.Context(), "PRAGMA query_only=1"); err != nil {
		t.Fatal(err)
	}
	wantKind(t, "a write", say(t.Context(), db, c, "x"), store.ReadOnly, "rights")
}

// The driver works only with the version of libc that it asks for: libc follows
// no semantic versioning, and another module may raise it.
func TestLibcIsTheDriversOwn(t *testing.T) {
	t.Parallel()
	list := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-m"}, args...)...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	dir := list("-f", "{{.Dir}}", "modernc.org/sqlite")
	ours := list("-f", "{{.Version}}", "modernc.org/libc")
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if version, ok := strings.CutPrefix(strings.TrimSpace(line), "modernc.org/libc "); ok {
			if version != ours {
				t.Errorf("go.mod has modernc.org/libc %s, and modernc.org/sqlite asks for %s: set it to that", ours, version)
			}
			return
		}
	}
	t.Error("go.mod of modernc.org/sqlite does not name modernc.org/libc")
}
