//go:build unix

package endtoend

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"

	"github.com/weft-memory/weft/app"
	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/store"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// A server whose disk is full says so, keeps on reading, and has lost nothing of
// what it said it had.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var change func(*exec.Cmd)
	kinds := map[int]string{507: api.Full}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=6m"); err == nil {
		t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
	} else {
		// Without the right to mount a small disk: a bound on the size of files,
		// with which a write fails half way. SQLite takes it for a fault of the
		// disk.
		t.Logf("no small disk can be mounted: %v", err)
		kinds[503] = api.Unavailable
		change = func(cmd *exec.Cmd) {
			cmd.Args = append([]string{"sh", "-c", `ulimit -f 4096; exec "$0" "$@"`, cmd.Path}, cmd.Args[1:]...)
			cmd.Path = "/bin/sh"
		}
	}
	db := filepath.Join(dir, "weft.db")
	w := try(t, db, change)
	if w.address == "" {
		t.Fatalf("weft serve does not start: %s", &w.errs)
	}
	get[any](w, "POST", "/api/v1/worlds", `{"id":"north","name":"Northmark"}`)
	get[any](w, "POST", northmark+"/conversations", `{"id":"c"}`)
	said, refused := 0, 0
	for i := 0; refused < 3 && i < 500; i++ {
		// Noise, so that it cannot be made small.
		noise := make([]byte, 40_000)
		for k := range noise {
			noise[k] = "0123456789abcdefghijklmnopqrstuvwxyz"[(k*k*7+i*k+k/13)%36]
		}
		a, err := w.ask(t.Context(), "POST", northmark+"/conversations/c/nodes", fmt.Sprintf(`{"messages":[{"content":"%d %s"}]}`, i, noise))
		if err != nil {
			t.Fatalf("the server did not survive: %v\n%s", err, &w.errs)
		}
		if a.status == 201 {
			said++
			continue
		}
		refused++
		if kinds[a.status] == "" {
			t.Errorf("status %d on a full disk", a.status)
		}
		w.problem(a, a.status, kinds[a.status])
	}
	if refused == 0 || said == 0 {
		t.Fatalf("%d messages were taken, %d refused", said, refused)
	}
	read := func(w *weft) {
		t.Helper()
		if path := get[api.Page[api.Node]](w, "GET", northmark+"/conversations/c/nodes?last=0", ""); len(path.Items) != said {
			t.Errorf("there are %d messages, want %d", len(path.Items), said)
		}
	}
	read(w)
	get[any](w, "GET", "/readyz", "")
	w.kill()
	if change == nil { // somebody makes room
		must(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=64m"))
	}
	check(t, db, "full disk")
	w = start(t, db)
	read(w)
	get[any](w, "POST", northmark+"/conversations/c/nodes", `{"messages":[{"content":"Room again."}]}`)
	w.stop()
}

// A database that must not be written is not opened, and not harmed.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Run("file", func(t *testing.T) { testReadOnly(t, nil) })
		return
	}
	// The rights of files do not bind root: somebody else has to try.
	testReadOnly(t, func(cmd *exec.Cmd) {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		cmd.Dir = "/"
	})
}

func testReadOnly(t *testing.T, as func(*exec.Cmd)) {
	dir, err := os.MkdirTemp("", "weft")
	must(t, err)
	t.Cleanup(func() {
		_ = os.Chmod(dir, 0o755)
		_ = os.RemoveAll(dir)
	})
	must(t, os.Chmod(dir, 0o755))
	exe, err := os.Executable()
	must(t, err)
	program, err := os.ReadFile(exe)
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "weft"), program, 0o755))
	db := filepath.Join(dir, "weft.db")
	first := start(t, db)
	get[any](first, "POST", "/api/v1/worlds", `{"id":"north","name":"Northmark"}`)
	first.stop()
	before, err := os.ReadFile(db)
	must(t, err)
	change := func(cmd *exec.Cmd) {
		cmd.Path = filepath.Join(dir, "weft")
		if as != nil {
			as(cmd)
			cmd.Env = append(cmd.Env, "HOME=/nonexistent", "XDG_DATA_HOME=/nonexistent", "XDG_CONFIG_HOME=/nonexistent")
		}
	}
	for what, mode := range map[string][3]os.FileMode{"the file": {0o777, 0o444, 0o666}, "the folder": {0o555, 0o666, 0o444}} {
		must(t, os.Chmod(dir, mode[0]))
		must(t, os.Chmod(db, mode[1]))
		must(t, os.Chmod(db+".lock", mode[2]))
		w := try(t, db, change)
		if w.address != "" {
			t.Errorf("%s is read-only, and weft serves", what)
			w.kill()
			continue
		}
		if w.exit() != app.ExitOutput || !strings.Contains(w.errs.String(), "weft.db") || !strings.Contains(w.errs.String(), "rights") {
			t.Errorf("%s is read-only: status %d: %s", what, w.exit(), &w.errs)
		}
	}
	after, err := os.ReadFile(db)
	must(t, err)
	if !bytes.Equal(before, after) {
		t.Error("the file was changed")
	}
}

// A second server on one file refuses, and says where the first one is, which
// goes on. After the first was killed, the next one may.
func TestSecondServer(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "weft.db")
	w := start(t, db)
	get[any](w, "POST", "/api/v1/worlds", `{"id":"north","name":"Northmark"}`)
	second := try(t, db, nil)
	if second.exit() != app.ExitInput || !strings.Contains(strings.Join(strings.Fields(second.errs.String()), " "), w.address) {
		t.Errorf("status %d: %s", second.exit(), &second.errs)
	}
	get[any](w, "PATCH", northmark, `{"name":"N"}`)
	w.kill()
	third := start(t, db)
	if got := get[api.World](third, "GET", northmark, ""); got.Name != "N" {
		t.Errorf("the world is called %q", got.Name)
	}
	third.stop()
}

// A clock that was set back makes nothing earlier than what was before it, and
// loses no order.
func TestClockJumpsBack(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, url string) {
		// A server of the day after tomorrow has written.
		later := func() time.Time { return time.Now().Add(48 * time.Hour) }
		db, err := store.Open(t.Context(), url, store.Options{Log: quiet, Now: later})
		must(t, err)
		err = db.Update(t.Context(), func(tx *store.Tx) error {
			w, err := tx.CreateWorld(store.World{ID: "north", Name: "Northmark", Settings: json.RawMessage("{}")})
			if err != nil {
				return err
			}
			_, err = tx.CreateConversation(store.Conversation{ID: "c", World: w.ID, Settings: json.RawMessage("{}")})
			return err
		})
		must(t, err)
		err = db.UpdateWorld(t.Context(), "north", func(tx *store.Tx) error {
			n, err := tx.AppendNode(store.Node{Conversation: "c", Content: "The day after tomorrow."})
			if err == nil {
				err = tx.SetHead("c", n.ID)
			}
			return err
		})
		must(t, err)
		must(t, db.Close())
		w := start(t, url)
		if !strings.Contains(w.errs.String(), "clock") {
			t.Errorf("nothing is said of the clock: %s", &w.errs)
		}
		for i := range 20 {
			get[any](w, "POST", northmark+"/conversations/c/nodes", fmt.Sprintf(`{"messages":[{"content":"Today %d."}]}`, i))
		}
		path := get[api.Page[api.Node]](w, "GET", northmark+"/conversations/c/nodes?last=0", "")
		if len(path.Items) != 21 {
			t.Fatalf("there are %d messages", len(path.Items))
		}
		ids := map[string]bool{}
		for i, n := range path.Items {
			if ids[n.ID] = true; i > 0 && (n.Created < path.Items[i-1].Created || n.Content != fmt.Sprintf("Today %d.", i-1)) {
				t.Errorf("message %d is %q of %d, the one before of %d", i, n.Content, n.Created, path.Items[i-1].Created)
			}
		}
		if len(ids) != 21 {
			t.Error("ids repeat")
		}
		last := int64(0)
		for _, e := range get[api.Page[api.Event]](w, "GET", northmark+"/events/list?limit=1000", "").Items {
			if e.Time < last {
				t.Errorf("event %d is of %d, one before it of %d", e.ID, e.Time, last)
			}
			last = e.Time
		}
		get[any](w, "POST", northmark+"/conversations", `{"id":"d"}`)
		w.stop()
		check(t, url, "clock")
	})
}

// A database of a newer version is not opened, and not changed.
func TestNewerDatabase(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, url string) {
		w := start(t, url)
		get[any](w, "POST", "/api/v1/worlds", `{"id":"north","name":"Northmark"}`)
		w.stop()
		driver := "sqlite"
		if strings.HasPrefix(url, "postgres") {
			driver = "pgx"
		}
		db, err := sql.Open(driver, url)
		must(t, err)
		defer db.Close()
		ctx := context.WithoutCancel(t.Context())
		_, err = db.ExecContext(ctx, "INSERT INTO weft_schema (version_id, is_applied) SELECT 9999, is_applied FROM weft_schema WHERE version_id = 0")
		must(t, err)
		for range 2 {
			w = try(t, url, nil)
			if w.address != "" {
				t.Fatal("it is served")
			}
			if w.exit() != app.ExitInput || !strings.Contains(w.errs.String(), "newer") {
				t.Errorf("status %d: %s", w.exit(), &w.errs)
			}
		}
		_, err = db.ExecContext(ctx, "DELETE FROM weft_schema WHERE version_id = 9999")
		must(t, err)
		must(t, db.Close())
		w = start(t, url)
		get[any](w, "GET", northmark, "")
		w.stop()
	})
}

// A file that is damaged, or none of Weft's, is not served, and stays as it is.
func TestDamagedFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good := filepath.Join(dir, "good.db")
	w := start(t, good)
	get[any](w, "POST", "/api/v1/worlds", `{"id":"north","name":"Northmark"}`)
	get[any](w, "PUT", northmark+"/books/vale", bookJSON)
	w.stop()
	data, err := os.ReadFile(good)
	must(t, err)
	holes := bytes.Clone(data)
	for at := 4096; at+200 < len(holes); at += 4096 {
		copy(holes[at:], bytes.Repeat([]byte{0xa5}, 200))
	}
	for name, content := range map[string][]byte{
		"text": []byte("This is a diary.\n"), "half": data[:len(data)/2/4096*4096], "holes": holes, "head": append(bytes.Repeat([]byte{0}, 100), data[100:]...),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name+".db")
			must(t, os.WriteFile(path, content, 0o600))
			// As after a kill: the file is looked through before it is used.
			must(t, os.WriteFile(path+".lock", []byte(`{"pid":1}`+"\n"), 0o600))
			w := try(t, path, nil)
			if w.address != "" {
				t.Fatal("it is served")
			}
			if text := strings.Join(strings.Fields(w.errs.String()), " "); w.exit() != app.ExitInput || !strings.Contains(text, name+".db") ||
				!strings.Contains(text, "backup") && !strings.Contains(text, "another file") || strings.Contains(text, "panic") {
				t.Errorf("status %d: %s", w.exit(), &w.errs)
			}
			after, err := os.ReadFile(path)
			must(t, err)
			if !bytes.Equal(content, after) {
				t.Error("the file was changed")
			}
		})
	}
}
