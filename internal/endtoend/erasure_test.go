//go:build unix

package endtoend

import (
	"bytes"
	"compress/flate"
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/store"
)

// canary is a word that stands in everything that is to be erased. The second
// one stands in what stays.
const canary, keeper = "zyzzogeton", "querquedule"

// singing puts the canary into every place of a conversation that a request can
// reach, and returns the name of its turn.
func singing(w *weft, word string) {
	w.t.Helper()
	key := func(n int) string { return fmt.Sprintf("Idempotency-Key: %s-%d", word[:3], n) }
	chat := word[:3]
	long := strings.Repeat(word+" is said again. ", 300)
	get[any](w, "POST", northmark+"/conversations", fmt.Sprintf(`{"id":%q,"title":"About %s","external":"%s/1","settings":{"user":%q,"note":%q}}`, chat, word, word, word, word), key(1))
	get[any](w, "POST", northmark+"/conversations/"+chat+"/nodes", fmt.Sprintf(`{"messages":[
		{"id":"%s-1","name":%q,"content":"Of %s and the mill.","external":"%s-m","ext":{"x":%q}},
		{"id":"%s-2","role":"assistant","content":%q}]}`, chat, word, word, word, word, chat, long), key(2))
	turn := get[api.Turn](w, "POST", northmark+"/conversations/"+chat+"/turns", fmt.Sprintf(`{"messages":[{"content":"And %s?"}],"vars":{"host":{"x":%q}},"sources":{"y":%q}}`, word, word, word), key(3))
	reply := get[api.Node](w, "POST", northmark+"/turns/"+turn.ID+"/reply", fmt.Sprintf(`{"content":"Yes, %s.","external":"%s-r","ext":{"x":%q}}`, word, word, word), key(4))
	get[any](w, "POST", northmark+"/nodes/"+reply.ID+"/swipe", fmt.Sprintf(`{"content":"No, %s."}`, word), key(5))
	get[any](w, "POST", northmark+"/nodes/"+reply.ID+"/edit", fmt.Sprintf(`{"content":"Yes! %s."}`, word), key(6))
	get[any](w, "POST", northmark+"/nodes/"+chat+"-1/continue", fmt.Sprintf(`{"content":" Then %s."}`, word), key(7))
	get[any](w, "POST", northmark+"/conversations/"+chat+"/turns", fmt.Sprintf(`{"messages":[{"content":"%s, left open."}]}`, word), key(8))
	get[any](w, "POST", northmark+"/operations", fmt.Sprintf(`{"operations":[
		{"layer":"story","conversation":%[1]q,"node":%[2]q,"kind":"create","book":"~story","entry":%[3]q,"reason":%[3]q,"author":{"kind":"sidecar","name":%[3]q},"quotes":[{"node":%[2]q,"text":%[3]q}],"change":{"entry":{"id":%[3]q,"name":%[3]q,"keys":[%[3]q],"content":%[3]q}}},
		{"layer":"world","conversation":%[1]q,"node":"%[1]s-2","kind":"create","book":"~world","entry":"w-%[3]s","author":{"kind":"sidecar"},"change":{"entry":{"id":"w-%[3]s","content":%[3]q}}},
		{"layer":"story","conversation":%[1]q,"node":%[2]q,"kind":"patch","book":"vale","entry":"mill","author":{"kind":"sidecar"},"change":{"content":[{"old":"The mill belongs to Ansa.","new":%[3]q}]}}]}`, chat, reply.ID, word), key(9))
	if p := get[api.Page[api.Proposal]](w, "GET", northmark+"/proposals?conversation="+chat, ""); len(p.Items) > 0 {
		get[any](w, "POST", northmark+"/proposals/"+p.Items[0].ID+"?conversation="+chat, fmt.Sprintf(`{"accept":false,"reason":%q}`, word), key(10))
	}
	get[any](w, "POST", northmark+"/entries?conversation="+chat, fmt.Sprintf(`{"id":"own-%s","name":%q,"content":%q}`, word, word, long), key(11))
	get[any](w, "PATCH", northmark+"/entries/~story/own-"+word+"?conversation="+chat, fmt.Sprintf(`{"content":"Now %s."}`, word), key(12))
	get[any](w, "PUT", northmark+"/bindings", fmt.Sprintf(`{"scope":"chat","name":%q,"books":["vale"]}`, chat), key(13))
	get[any](w, "POST", northmark+"/import?name="+word+".jsonl&external="+word+"-file", strings.ReplaceAll(chatFile, "Well met", word), "Content-Type: application/octet-stream", key(14))
	// And into what only looks.
	w.do("GET", northmark+"/search?q="+word+"&messages=true&conversation="+chat, "")
	w.do("GET", northmark+"/conversations/"+chat+"/why?entry="+word, "")
	w.do("GET", northmark+"/nodes/"+word, "")
	w.do("POST", northmark+"/conversations/"+chat+"/nodes", fmt.Sprintf(`{"messages":[{"role":%q,"content":"x"}]}`, word), key(15))
	w.do("POST", northmark+"/operations", fmt.Sprintf(`{"operations":[{"kind":%q}]}`, word))
}

// chats returns the ids of the conversations that speak of a word.
func chats(w *weft, word string) (ids []string) {
	w.t.Helper()
	for _, c := range get[api.Page[api.Conversation]](w, "GET", northmark+"/conversations?limit=1000", "").Items {
		if strings.HasPrefix(c.External, word) {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// finds returns where a word stands: in rows of tables, in what is compressed in
// them too, and on SQLite anywhere in the files of its folder.
func finds(t *testing.T, url, word string) (places []string) {
	t.Helper()
	driver, list := "sqlite", "SELECT name FROM sqlite_master WHERE type = 'table'"
	if strings.HasPrefix(url, "postgres") {
		driver, list = "pgx", "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
	} else {
		files, err := filepath.Glob(filepath.Join(filepath.Dir(url), "*"))
		must(t, err)
		for _, f := range files {
			data, err := os.ReadFile(f)
			must(t, err)
			if bytes.Contains(data, []byte(word)) {
				places = append(places, filepath.Base(f))
			}
		}
	}
	if driver == "sqlite" {
		url = "file:" + url + "?mode=ro"
	}
	db, err := sql.Open(driver, url)
	must(t, err)
	defer db.Close()
	ctx := context.WithoutCancel(t.Context())
	tables := column(t, db, ctx, list)
	if len(tables) < 20 {
		t.Fatalf("there are %d tables", len(tables))
	}
	for _, table := range tables {
		rows, err := db.QueryContext(ctx, "SELECT * FROM "+table)
		must(t, err)
		names, err := rows.Columns()
		must(t, err)
		for rows.Next() {
			values := make([]any, len(names))
			for i := range values {
				values[i] = new(any)
			}
			must(t, rows.Scan(values...))
			for i, v := range values {
				var text []byte
				switch x := (*v.(*any)).(type) {
				case []byte:
					text = x
				case string:
					text = []byte(x)
				}
				if len(text) > 1 {
					if more, err := io.ReadAll(flate.NewReader(bytes.NewReader(text[1:]))); err == nil {
						text = append(bytes.Clone(text), more...)
					}
				}
				if bytes.Contains(text, []byte(word)) || bytes.Contains(text, []byte(hex.EncodeToString([]byte(word)))) {
					places = append(places, table+"."+names[i])
				}
			}
		}
		must(t, rows.Err())
		must(t, rows.Close())
	}
	return places
}

func column(t *testing.T, db *sql.DB, ctx context.Context, query string) (list []string) {
	t.Helper()
	rows, err := db.QueryContext(ctx, query)
	must(t, err)
	defer rows.Close()
	for rows.Next() {
		var s string
		must(t, rows.Scan(&s))
		list = append(list, s)
	}
	must(t, rows.Err())
	return list
}

// What is erased is gone: from every table, from the files while the server runs
// and after it was killed, from backups that are made then, from what the server
// logged and measured; and what belongs to another conversation stays.
func TestErasure(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, url string) {
		w := start(t, url)
		get[any](w, "POST", "/api/v1/worlds", `{"id":"north","name":"Northmark"}`)
		get[any](w, "PUT", northmark+"/books/vale", bookJSON)
		singing(w, canary)
		singing(w, keeper)
		w.stop()
		work(t, url, canary[:3])
		w = start(t, url)
		places := finds(t, url, canary)
		for _, want := range []string{"conversations.title", "nodes.content", "operations.body", "responses.body", "settings.value", "work.payload"} {
			if !strings.Contains(strings.Join(places, " "), want) {
				t.Logf("before: %v", places)
				t.Errorf("the canary never was in %s: the test does not see everything", want)
			}
		}
		kept := dumpOf(w, keeper)

		// A reader of events is about; an erasure must not wait for it.
		ctx, end := context.WithCancel(t.Context())
		defer end()
		go func() { _ = stream(ctx, w, northmark+"/events", 0, func(api.Event) bool { return true }) }()

		for i, id := range chats(w, canary) {
			erase := northmark + "/conversations/" + id + "?erase=true"
			if i == 0 {
				if a := w.do("DELETE", erase, ""); a.status != 204 {
					t.Fatalf("status %d: %s", a.status, a.body)
				}
				continue
			}
			// The server dies between the erasure and its purge.
			w.order("at after commit")
			if _, err := w.ask(t.Context(), "DELETE", erase, "", "Idempotency-Key: erase"); err == nil {
				t.Fatal("the server was not killed")
			}
			<-w.ended
			if got := reached(w); got != "after commit" {
				t.Fatalf("it was killed at %q", got)
			}
			w = start(t, url)
			if a := w.do("DELETE", erase, "", "Idempotency-Key: erase"); a.status != 204 {
				t.Fatalf("status %d: %s", a.status, a.body)
			}
		}
		end()
		gone := func(when, word string) {
			t.Helper()
			if places := finds(t, url, word); len(places) > 0 {
				t.Errorf("%s, what was erased is in %v", when, places)
			}
		}
		gone("afterwards", canary)
		if d := differ(kept, dumpOf(w, keeper)); d != "" {
			t.Errorf("the other conversation has changed (-before +after)\n%s", d)
		}
		if len(finds(t, url, keeper)) == 0 {
			t.Error("the other canary is not found: the search finds nothing")
		}
		w.kill()
		gone("after a kill", canary)
		w = start(t, url)
		gone("after a new start", canary)
		metrics := string(w.do("GET", "/metrics", "").body)
		if strings.Contains(metrics, canary) || strings.Contains(w.errs.String()+w.out.String(), canary) {
			t.Errorf("the metrics or the log tell: %s", &w.errs)
		}
		w.stop()
		backup(t, url, canary)

		// The whole world, then.
		w = start(t, url)
		get[any](w, "POST", northmark+"/characters", fmt.Sprintf(`{"id":"c","name":%q,"description":%q}`, keeper, keeper))
		get[any](w, "POST", northmark+"/authors", fmt.Sprintf(`{"name":%q,"external":%q,"settings":{"x":%q}}`, keeper, keeper, keeper), "Idempotency-Key: author")
		get[any](w, "PUT", northmark+"/books/own", fmt.Sprintf(`{"id":"own","name":%q,"entries":[{"id":"x","content":%q}]}`, keeper, strings.Repeat(keeper+" ", 500)), "Idempotency-Key: book")
		get[any](w, "PATCH", northmark, fmt.Sprintf(`{"name":%q,"settings":{"note":%q}}`, keeper, keeper), "Idempotency-Key: world")
		get[any](w, "DELETE", northmark, "")
		gone("after the world", keeper)
		w.stop()
		gone("at the end", keeper)
		check(t, url, "erasure")
	})
}

// dumpOf says what a server tells of the conversation of a word, without what
// the world had learned from the other one.
func dumpOf(w *weft, word string) string {
	w.t.Helper()
	chat := word[:3]
	var out []string
	for _, path := range []string{"/conversations/" + chat + "/nodes?last=0", "/entries?conversation=" + chat, "/operations?conversation=" + chat} {
		for _, item := range get[api.Page[any]](w, "GET", northmark+path, "").Items {
			clean(item)
			text, err := json.Marshal(item)
			must(w.t, err)
			if !bytes.Contains(text, []byte(canary)) {
				out = append(out, string(text))
			}
		}
	}
	return strings.Join(out, "\n")
}

// work leaves work with the canary in its payload, as a sidecar would.
func work(t *testing.T, url, chat string) {
	t.Helper()
	db, err := store.Open(t.Context(), url, store.Options{Log: quiet})
	must(t, err)
	defer db.Close()
	must(t, db.UpdateWorld(t.Context(), "north", func(tx *store.Tx) error {
		c, err := tx.Conversation(chat)
		if err != nil {
			return err
		}
		_, _, err = tx.AddWork(store.Work{
			World: "north", Conversation: c.ID, Node: c.Head, Kind: "none", Payload: json.RawMessage(fmt.Sprintf(`{"text":%q}`, canary)),
		}, 1<<40, false)
		return err
	}))
}

// backup makes a backup, in which the word must not be, and restores it.
func backup(t *testing.T, url, word string) {
	t.Helper()
	dir := t.TempDir()
	exe, err := os.Executable()
	must(t, err)
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command(exe, args...)
		cmd.Env = append(os.Environ(), childEnv+"=1", "HOME="+dir, "XDG_DATA_HOME="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("weft %v: %v\n%s", args, err, out)
		}
	}
	run("backup", "--db", url, filepath.Join(dir, "backup"))
	run("restore", "--db", filepath.Join(dir, "again.db"), filepath.Join(dir, "backup"))
	if places := finds(t, filepath.Join(dir, "again.db"), word); len(places) > 0 {
		t.Errorf("what was erased comes back from a backup: %v", places)
	}
	if len(finds(t, filepath.Join(dir, "again.db"), keeper)) == 0 {
		t.Error("the backup lacks what was kept")
	}
}
