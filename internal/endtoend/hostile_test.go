//go:build unix

package endtoend

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/internal/pgtest"
)

// both runs a test with a server on SQLite and one on PostgreSQL.
func both(t *testing.T, fn func(t *testing.T, db string)) {
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		fn(t, filepath.Join(t.TempDir(), "weft.db"))
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		fn(t, pgtest.Database(t))
	})
}

// nasty are values that somebody may put where another is expected.
func nasty() []json.RawMessage {
	return []json.RawMessage{
		json.RawMessage(`"\u0000"`), json.RawMessage(`"a\u0000b"`), json.RawMessage(`"\ud800"`), json.RawMessage("\"\xff\xfe\""),
		json.RawMessage(`""`), json.RawMessage(`" "`), json.RawMessage(`"../../etc/passwd"`), json.RawMessage(`"'; DROP TABLE worlds; --"`), json.RawMessage(`"external:"`),
		json.RawMessage(`"~story"`), json.RawMessage(`"` + strings.Repeat("x", 100_000) + `"`),
		json.RawMessage(`null`), json.RawMessage(`true`), json.RawMessage(`-1`), json.RawMessage(`1e400`), json.RawMessage(`9007199254740993`), json.RawMessage(`[]`), json.RawMessage(`{}`),
		json.RawMessage(`{"a":{"a":{"a":1}}}`), json.RawMessage(strings.Repeat("[", 5000) + strings.Repeat("]", 5000)), json.RawMessage(strings.Repeat(`{"a":`, 20_000) + "1" + strings.Repeat("}", 20_000)),
	}
}

// mutations are the bodies that a value makes of a body, in the place of each of
// its parts, and the body cut short.
func mutations(body string, with json.RawMessage) (list []string) {
	var v any
	if json.Unmarshal([]byte(body), &v) != nil {
		return nil
	}
	const mark = "\x1fmark\x1f"
	var walk func(v any, put func(any))
	emit := func() {
		text, err := json.Marshal(v)
		if err == nil {
			list = append(list, strings.Replace(string(text), `"\u001fmark\u001f"`, string(with), 1))
		}
	}
	walk = func(v any, put func(any)) {
		put(mark)
		emit()
		put(v)
		switch x := v.(type) {
		case map[string]any:
			for k, e := range x {
				walk(e, func(n any) { x[k] = n })
			}
		case []any:
			for i, e := range x {
				walk(e, func(n any) { x[i] = n })
			}
		}
	}
	walk(v, func(n any) { v = n })
	return list
}

// Whatever is sent, the server answers: with a problem that is the caller's, and
// without an effect, or as it should.
func TestNonsense(t *testing.T) {
	if testing.Short() {
		t.Skip("sends thousands of requests")
	}
	t.Parallel()
	both(t, func(t *testing.T, db string) {
		w := start(t, db)
		told := tell("kind")
		if _, dead := play(w, told, 0); dead {
			t.Fatal(&w.errs)
		}
		sent, refused := 0, 0
		var wg sync.WaitGroup
		requests := make(chan func(), 16)
		for range 8 {
			wg.Go(func() {
				for do := range requests {
					do()
				}
			})
		}
		var n, bad atomic.Int64
		send := func(method, path, body string, headers ...string) {
			sent++
			requests <- func() {
				a, err := w.ask(context.Background(), method, path, body, headers...)
				if err != nil {
					t.Errorf("%s %s %.200q: %v", method, path, body, err)
					return
				}
				if n.Add(1); a.status < 300 {
					return
				}
				bad.Add(1)
				var p api.Problem
				if a.status >= 500 || json.Unmarshal(a.body, &p) != nil || p.Status != a.status || a.header.Get("Content-Type") != "application/problem+json" {
					t.Errorf("%s %s %.200q: status %d, %.300s", method, path, body, a.status, a.body)
				}
			}
		}
		for _, s := range story {
			path := told.fill(s.path)
			if !strings.HasPrefix(path, "/api") {
				path = "/api/v1/worlds/" + told.world + path
			}
			if s.name == "erase it" || s.name == "import" || s.method == "DELETE" {
				continue
			}
			body := told.fill(s.body)
			for _, v := range nasty() {
				for _, m := range mutations(body, v) {
					send(s.method, path, m)
				}
			}
			for i := 0; i < len(body); i += 1 + len(body)/8 {
				send(s.method, path, body[:i])
			}
			send(s.method, path, body+body)
			send(s.method, path, body, "Content-Type: text/plain")
			send(s.method, path, body, "Content-Encoding: gzip")
			send(s.method, path, body, "Idempotency-Key: a b\xff")
			send(s.method, path, body, `If-Match: "`+strings.Repeat("9", 400)+`"`)
		}
		// Paths, parameters and files.
		for _, id := range []string{"%00", "%ff", "%2e%2e%2f", "external:%00", "external:", "%20", strings.Repeat("x", 3000), "a%2Fb", "%F0%9F%98%80"} {
			for _, path := range []string{
				"", "/books/{}", "/books/vale/entries/{}", "/characters/{}", "/authors/{}", "/conversations/{}", "/conversations/{}/tree", "/conversations/{}/nodes", "/nodes/{}",
				"/nodes/{}/assembly", "/operations/{}", "/entries/{}/{}", "/entries?conversation={}", "/entries?q={}", "/search?q={}", "/operations?conversation={}&node={}&entry={}",
				"/events/list?after={}", "/books/vale?revision={}", "/diff?node={}", "/export?format={}&book={}", "/export?format=sillytavern&conversation={}", "/activity?conversation={}&cursor={}",
			} {
				send("GET", "/api/v1/worlds/kind"+strings.ReplaceAll(path, "{}", id), "")
			}
			send("GET", "/api/v1/worlds/"+id, "")
			send("PUT", "/api/v1/worlds/kind/books/"+id, `{"entries":[]}`)
			send("POST", "/api/v1/worlds/kind/nodes/"+id+"/switch", "")
		}
		for _, file := range []string{
			"", "\x00", "\xff\xfe", "{", "null", "[]", `{"entries":{}}`, `{"entries":[{"id":"a"},{"id":"a"}]}`, "PK\x03\x04garbage", "\x89PNG\r\n\x1a\ngarbage",
			strings.Repeat("[", 100_000), strings.Repeat(`{"entries":`, 50_000), chatFile + "{\n", strings.ReplaceAll(chatFile, "Ilka", "\\u0000"),
			// Messages that follow each other in a circle.
			`{"name":"x","messages":[{"_id":"a","parent":"b","msg":"A","userId":"u"},{"_id":"b","parent":"a","msg":"B","characterId":"c"},{"_id":"c","parent":"c","msg":"C","userId":"u"}]}`,
		} {
			for _, name := range []string{"x.json", "x.jsonl", "x.png", "x.zip", "x.yaml", "../../x", "x%00", "%ff"} {
				send("POST", "/api/v1/worlds/kind/import?name="+name, file, "Content-Type: application/octet-stream")
			}
		}
		// Circles of parents, categories and merges.
		for _, body := range []string{
			`{"messages":[{"id":"z1","content":"a"},{"id":"z1","content":"b"}]}`, `{"parent":"z2","messages":[{"id":"z2","content":"a"}]}`,
			`{"parent":"kind-1","messages":[{"id":"kind-1","content":"a"}]}`,
		} {
			send("POST", "/api/v1/worlds/kind/conversations/kind-c/nodes", body)
		}
		for _, op := range []string{
			`{"kind":"merge","layer":"world","book":"vale","entry":"mill","change":{"into":["vale/mill"]}}`,
			`{"kind":"merge","layer":"world","book":"vale","entry":"mill","change":{"into":["mill"],"from":["mill","ford"]}}`,
			`{"kind":"merge","layer":"world","book":"vale","entry":"ford","change":{"into":["mill"]}}`, `{"kind":"merge","layer":"world","book":"vale","entry":"mill","change":{"into":["ford"]}}`,
			`{"kind":"move","layer":"world","book":"vale","entry":"mill","change":{"category":"a/b/a/b"}}`, `{"kind":"split","layer":"world","book":"vale","entry":"mill","change":{"into":["mill","mill"]}}`,
		} {
			send("POST", "/api/v1/worlds/kind/operations", `{"operations":[`+op+`]}`)
		}
		close(requests)
		wg.Wait()
		refused = int(bad.Load())
		if sent < 3000 || refused < sent/3 || refused == sent {
			t.Errorf("%d requests, %d refused", sent, refused)
		}
		t.Logf("%d requests, %d refused", sent, refused)
		// It is all still there, and the server as well as before.
		get[any](w, "GET", "/healthz", "")
		told.dump(w)
		get[any](w, "GET", "/api/v1/worlds/kind/entries?conversation=kind-c", "")
		w.stop()
		check(t, db, "nonsense")
		if log := w.errs.String(); strings.Contains(log, "panic") || strings.Contains(log, "fell over") {
			t.Errorf("the log: %.2000s", log)
		}
	})
}

// filler is a body of some length that is never in memory.
type filler struct {
	head string
	left int64
}

func (f *filler) Read(p []byte) (int, error) {
	if f.head != "" {
		n := copy(p, f.head)
		f.head = f.head[n:]
		return n, nil
	}
	if f.left <= 0 {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), f.left))
	for i := range p[:n] {
		p[i] = 'x'
	}
	f.left -= int64(n)
	return n, nil
}

// Requests that are too large are refused, whether or not they say so before.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	w := start(t, filepath.Join(t.TempDir(), "weft.db"))
	get[any](w, "POST", "/api/v1/worlds", `{"id":"north","name":"Northmark"}`)
	for _, path := range []string{"/api/v1/worlds", northmark + "/entries", northmark + "/conversations"} {
		a, err := w.send(t.Context(), "POST", path, &filler{`{"name":"`, 6 << 20})
		must(t, err)
		w.problem(a, 413, api.TooLarge)
		a, err = w.send(t.Context(), "POST", path, bytes.NewReader(make([]byte, 6<<20)), "Idempotency-Key: k")
		must(t, err)
		if a.status != 413 && a.status != 400 && a.status != 422 {
			t.Errorf("%s: status %d: %s", path, a.status, a.body)
		}
	}
	a, err := w.send(t.Context(), "PUT", northmark+"/books/big", &filler{`{"name":"`, 65 << 20})
	must(t, err)
	w.problem(a, 413, api.TooLarge)
	if resp, err := w.http.Get(w.address + "/version?" + strings.Repeat("x", 2<<20)); err == nil {
		if resp.Body.Close(); resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("a header of 2 MiB: status %d", resp.StatusCode)
		}
	}
	get[any](w, "GET", "/healthz", "")
}

// Thousands of connections, among them such that say nothing, and bodies that
// never come, keep nobody else from an answer.
func TestConnections(t *testing.T) {
	if testing.Short() {
		t.Skip("opens thousands of connections")
	}
	t.Parallel()
	w := start(t, filepath.Join(t.TempDir(), "weft.db"))
	get[any](w, "POST", "/api/v1/worlds", `{"id":"north","name":"Northmark"}`)
	get[any](w, "POST", northmark+"/conversations", `{"id":"c"}`)
	host := strings.TrimPrefix(w.address, "http://")
	const silent, slow = 2000, 300
	var open []net.Conn
	defer func() {
		for _, c := range open {
			_ = c.Close()
		}
	}()
	for i := range silent + slow {
		c, err := net.Dial("tcp", host)
		if err != nil {
			t.Logf("%d connections: %v", i, err) // the bound of the machine
			break
		}
		open = append(open, c)
		if i >= silent {
			path, key := northmark+"/conversations/c/nodes", ""
			if i%2 == 0 {
				key = fmt.Sprintf("Idempotency-Key: k%d\r\n", i)
			}
			fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n%sContent-Length: 1000\r\n\r\n{\"mess", path, host, key)
		}
	}
	if len(open) < 1000 {
		t.Errorf("only %d connections could be opened", len(open))
	}
	// Streams of events, too, as many as readers like.
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var told, readers sync.WaitGroup
	for range 200 {
		told.Add(1)
		readers.Go(func() {
			var once sync.Once
			if err := stream(ctx, w, northmark+"/events", 0, func(e api.Event) bool {
				if e.Kind == "node.created" {
					once.Do(told.Done)
				}
				return true
			}); ctx.Err() == nil {
				t.Errorf("a stream ended: %v", err)
				once.Do(told.Done)
			}
		})
	}
	for i := range 50 {
		a, err := w.ask(t.Context(), "POST", northmark+"/conversations/c/nodes", fmt.Sprintf(`{"messages":[{"content":"%d"}]}`, i))
		if err != nil || a.status != 201 {
			t.Fatalf("%v, status %d: %s", err, a.status, a.body)
		}
	}
	told.Wait()
	end()
	readers.Wait()
	for _, c := range open {
		_ = c.Close()
	}
	if path := get[api.Page[api.Node]](w, "GET", northmark+"/conversations/c/nodes?last=0", ""); len(path.Items) != 50 {
		t.Errorf("there are %d messages, want 50: a body that never came was taken", len(path.Items))
	}
	w.stop()
}

// Who does not send its headers, or its body, in time loses the connection.
func TestSlowRequests(t *testing.T) {
	if !full() {
		t.Skip("waits for half a minute; " + fullEnv + " asks for it")
	}
	t.Parallel()
	w := start(t, filepath.Join(t.TempDir(), "weft.db"))
	host := strings.TrimPrefix(w.address, "http://")
	var wg sync.WaitGroup
	for what, text := range map[string]string{
		"headers": "GET /version HTTP/1.1\r\nHost: " + host + "\r\n",
		"body":    "POST /api/v1/worlds HTTP/1.1\r\nHost: " + host + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
	} {
		wg.Go(func() {
			c, err := net.Dial("tcp", host)
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			_, _ = io.WriteString(c, text)
			_ = c.SetReadDeadline(time.Now().Add(2 * time.Minute))
			answer, err := io.ReadAll(c)
			if err != nil || bytes.HasPrefix(answer, []byte("HTTP/1.1 2")) || bytes.HasPrefix(answer, []byte("HTTP/1.1 5")) {
				t.Errorf("slow %s: %v %.200s", what, err, answer)
			}
		})
	}
	wg.Wait()
}
