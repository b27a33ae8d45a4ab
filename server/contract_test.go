package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weft-memory/weft/client/api"
)

// What every route has to keep to is tested with the routes that the OpenAPI
// document lists, so that a new one is tested too.

// operation is a route of the document.
type operation struct {
	ID, Method, Path string
	body             bool
	file             bool // the body is a file, not JSON
	list             bool
	stream           bool
	query            map[string]bool
}

// write reports whether the route changes something.
func (o operation) write() bool { return o.Method != "GET" && !reads[o.ID] }

// reads are routes that look like writes, and change nothing that is kept.
var reads = map[string]bool{
	"assemble": true, "assemble-messages": true, "create-event-ticket": true, "create-server-event-ticket": true,
}

// examples are bodies with which routes succeed in the scene of [contract].
var examples = map[string]string{
	"sign-in":             `{"name":"root","password":"correct horse"}`,
	"create-user":         `{"name":"bo"}`,
	"update-user":         `{"name":"Root"}`,
	"create-token":        `{"name":"bot"}`,
	"create-world":        `{"name":"South"}`,
	"update-world":        `{"name":"North"}`,
	"save-book":           book,
	"patch-book":          `{"name":"Vale"}`,
	"put-book-entry":      `{"id":"mill","content":"The mill."}`,
	"patch-book-entry":    `{"content":"The mill."}`,
	"create-entry":        `{"name":"Bridge","content":"A bridge."}`,
	"edit-entry":          `{"content":"A bridge of stone."}`,
	"promote-entry":       `{"to":"world"}`,
	"create-character":    `{"name":"Bo"}`,
	"save-character":      `{"name":"Ansa"}`,
	"set-binding":         `{"scope":"global","books":["vale"]}`,
	"save-author":         `{"name":"Bo","external":"u1"}`,
	"create-conversation": `{"title":"T"}`,
	"update-conversation": `{"title":"T"}`,
	"set-head":            `{"node":"n1"}`,
	"append":              `{"messages":[{"content":"a"}]}`,
	"swipe":               `{"content":"b"}`,
	"edit-node":           `{"content":"b"}`,
	"continue-node":       `{"content":" b"}`,
	"hide-node":           `{"hidden":true}`,
	"assemble":            `{}`,
	"assemble-messages":   `{"messages":[{"content":"a"}]}`,
	"begin-turn":          `{"messages":[{"content":"a"}]}`,
	"finish-turn":         `{"content":"b"}`,
	"apply":               `{"operations":[{"kind":"create","layer":"world","book":"~world","entry":"oath","change":{"entry":{"id":"oath","content":"An oath."}}}]}`,
	"undo":                `{"operations":["{operation}"]}`,
	"redo":                `{"operations":["{undone}"]}`,
	"decide":              `{"accept":true}`,
	"import":              `{"entries":{"0":{"uid":0,"key":["ford"],"content":"A ford."}}}`,
}

// queries are those without which a route cannot succeed.
var queries = map[string]string{
	"edit-entry":           "conversation=c1",
	"get-entry":            "conversation=c1",
	"get-entry-history":    "conversation=c1",
	"get-entry-provenance": "conversation=c1",
	"promote-entry":        "conversation=c1",
	"decide":               "conversation=c1",
	"search":               "q=mill&conversation=c1",
	"why":                  "entry=mill",
	"import":               "name=x.json",
	"export":               "book=vale&format=sillytavern",
}

func (h *harness) operations() (list []operation) {
	h.t.Helper()
	text, err := h.OpenAPI()
	if err != nil {
		h.t.Fatal(err)
	}
	type schema struct {
		Ref        string `json:"$ref"`
		Properties map[string]json.RawMessage
	}
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string
			Parameters  []struct{ Name, In string }
			RequestBody *struct{ Content map[string]any }
			Responses   map[string]struct {
				Content map[string]struct{ Schema schema }
			}
		}
		Components struct{ Schemas map[string]schema }
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		h.t.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(doc.Paths[path])) {
			d := doc.Paths[path][method]
			o := operation{ID: d.OperationID, Method: strings.ToUpper(method), Path: path, query: map[string]bool{}}
			if d.RequestBody != nil {
				o.body = true
				_, o.file = d.RequestBody.Content["application/octet-stream"]
			}
			for _, p := range d.Parameters {
				if p.In == "query" {
					o.query[p.Name] = true
				}
			}
			for _, c := range d.Responses["200"].Content {
				s := doc.Components.Schemas[strings.TrimPrefix(c.Schema.Ref, "#/components/schemas/")]
				_, o.list = s.Properties["items"]
			}
			o.list = o.list && o.Method == "GET"
			_, o.stream = d.Responses["200"].Content["text/event-stream"]
			list = append(list, o)
		}
	}
	if len(list) < 70 {
		h.t.Fatalf("the document has %d routes only", len(list))
	}
	return list
}

// contract is a world in which every route succeeds once.
type contract struct {
	*harness
	vars map[string]string
}

// newContract makes the scene, by an admin who is signed in.
func newContract(t testing.TB, on database) *contract {
	t.Helper()
	h := setupOn(t, on, Options{Auth: true})
	h.root()
	c := &contract{h, map[string]string{
		"world": "north", "book": "vale", "entry": "mill", "conversation": "c1", "node": "n1", "character": "ansa", "user": "root", "revision": "1",
	}}
	h.scene()
	must[any](h, "PUT", north+"/books/vale", strings.Replace(book, "Ansa", "Bo", 1))
	must[any](h, "POST", north+"/characters", `{"id":"ansa","name":"Ansa"}`)
	c.vars["author"] = must[api.Author](h, "POST", north+"/authors", `{"name":"Bo","external":"u1"}`).ID
	c.vars["turn"] = must[api.Turn](h, "POST", north+"/conversations/c1/turns", `{}`).ID
	entry := must[api.Entry](h, "POST", north+"/entries?conversation=c1", `{"id":"bridge","name":"Bridge","content":"A bridge."}`)
	c.vars["story book"], c.vars["story entry"] = entry.Book, "bridge"
	type applied struct {
		Applied []struct{ Operation struct{ ID string } }
	}
	apply := func(entry string) string {
		return must[applied](h, "POST", north+"/operations", `{"operations":[{"kind":"create","layer":"world","book":"~world","entry":"`+entry+`","change":{"entry":{"id":"`+entry+`","content":"X."}}}]}`).Applied[0].Operation.ID
	}
	c.vars["operation"], c.vars["undone"] = apply("one"), apply("two")
	must[any](h, "POST", north+"/undo", `{"operations":["`+c.vars["undone"]+`"]}`)
	// A sidecar that wants to change what is authored makes a proposal.
	must[any](h, "POST", north+"/operations", `{"operations":[{"kind":"patch","layer":"story","conversation":"c1","node":"n2","book":"vale","entry":"mill","author":{"kind":"sidecar","name":"s"},"change":{"content":[{"old":"The mill belongs to Bo.","new":"The mill burned."}]}}]}`)
	if list := must[api.Page[api.Proposal]](h, "GET", north+"/proposals?conversation=c1", ""); len(list.Items) > 0 {
		c.vars["proposal"] = list.Items[0].ID
	} else {
		t.Fatal("the scene has no proposal")
	}
	c.vars["token"] = must[api.Token](h, "POST", "/api/v1/users/root/tokens", `{"name":"other"}`).ID
	c.vars["work"] = h.someWork()
	return c
}

// storyRoutes speak of an entry of the story, where the others speak of one of a
// book.
var storyRoutes = map[string]bool{"get-entry": true, "edit-entry": true, "get-entry-history": true, "get-entry-provenance": true, "promote-entry": true}

// request returns the path and the body with which a route succeeds.
func (c *contract) request(o operation) (path, body string, headers []string) {
	c.t.Helper()
	path, body = o.Path, examples[o.ID]
	if o.body && body == "" {
		c.t.Errorf("%s takes a body: the test needs an example", o.ID)
	}
	vars := maps.Clone(c.vars)
	if storyRoutes[o.ID] {
		vars["book"], vars["entry"] = vars["story book"], vars["story entry"]
	}
	for name, value := range vars {
		path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
		body = strings.ReplaceAll(body, "{"+name+"}", value)
	}
	if strings.Contains(path, "{") {
		c.t.Errorf("%s: the test knows no value for %s", o.ID, path)
	}
	if q := queries[o.ID]; q != "" {
		path += "?" + q
	}
	if o.file {
		headers = append(headers, "Content-Type: application/octet-stream")
	}
	return path, body, headers
}

// prepared does what a route needs to have been done before.
func (c *contract) prepared(o operation) {
	switch o.ID {
	case "restore-book":
		must[any](c.harness, "DELETE", north+"/books/vale", "")
	case "restore-conversation":
		must[any](c.harness, "DELETE", north+"/conversations/c1", "")
	case "restore-node":
		must[any](c.harness, "DELETE", north+"/nodes/n1", "")
	case "delete-user":
		u := must[api.User](c.harness, "POST", "/api/v1/users", `{"name":"gone"}`)
		c.vars["user"] = u.ID
	}
}

// rows counts the rows of every table, and how often worlds were written to.
func (c *contract) rows() map[string]int64 {
	c.t.Helper()
	out := map[string]int64{}
	query := "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
	if c.db.Postgres() {
		query = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'"
	}
	rows, err := c.db.Reader().QueryContext(c.t.Context(), query)
	if err != nil {
		c.t.Fatal(err)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			c.t.Fatal(err)
		}
		names = append(names, name)
	}
	names = append(names, "")
	for _, name := range names {
		query := "SELECT count(*) FROM " + name
		if name == "" {
			query = "SELECT CAST(sum(revision) AS BIGINT) FROM worlds"
		}
		var n int64
		if err := c.db.Reader().QueryRowContext(c.t.Context(), query).Scan(&n); err != nil {
			c.t.Fatal(err)
		}
		out[name] = n
	}
	return out
}

// notKeyed are routes that write and take no idempotency key.
var notKeyed = map[string]string{
	"sign-in":       "to keep the answer would be to keep the token; each sign-in makes one",
	"create-backup": "it writes a file, and nothing into the database",
}

// A request that is sent again with its key has its effect once, and gets the
// same answer; the key belongs to one request.
func TestEveryWriteTakesAKey(t *testing.T) {
	t.Parallel()
	for _, o := range setup(t, Options{}).operations() {
		if !o.write() {
			continue
		}
		t.Run(o.ID, func(t *testing.T) {
			t.Parallel()
			if why, ok := notKeyed[o.ID]; ok {
				t.Skip(why)
			}
			c := newContract(t, sqlite)
			c.prepared(o)
			path, body, headers := c.request(o)
			headers = append(headers, "Idempotency-Key: k1")
			first := c.do(o.Method, path, body, headers...)
			if first.status >= 300 {
				t.Fatalf("status %d: %s", first.status, first.body)
			}
			before := c.rows()
			again := c.do(o.Method, path, body, headers...)
			want := first.body
			if o.ID == "create-token" { // the key of a token is told once
				var made api.Token
				_ = json.Unmarshal([]byte(first.body), &made)
				want = strings.Replace(want, `,"key":"`+made.Key+`"`, "", 1)
				if made.Key == "" || strings.Contains(again.body, made.Key) {
					t.Errorf("the key is %q, and then %s", made.Key, again.body)
				}
			}
			if again.status != first.status || again.body != want || again.header.Get("ETag") != first.header.Get("ETag") {
				t.Errorf("the answer is another one (-first +again)\n%s", cmp.Diff(fmt.Sprint(first.status, want), fmt.Sprint(again.status, again.body)))
			}
			if again.header.Get("Idempotent-Replayed") != "true" {
				t.Error("nothing says that the answer is an old one")
			}
			if d := cmp.Diff(before, c.rows()); d != "" {
				t.Errorf("the repeated request wrote (-before +after)\n%s", d)
			}
			other := c.do("POST", "/api/v1/worlds", `{"name":"another"}`, "Idempotency-Key: k1")
			if other.status != http.StatusConflict {
				t.Errorf("another request with the key: status %d: %s", other.status, other.body)
			}
		})
	}
}

// unconditional are routes that write and have nothing that a caller could have
// seen before.
var unconditional = map[string]string{
	"sign-in": "makes", "create-user": "makes", "create-token": "makes", "create-world": "makes", "create-conversation": "makes", "create-entry": "makes",
	"create-character": "makes", "import": "makes", "apply": "the operations say what they stand on", "delete-token": "a token does not change",
	"undo": "operations do not change", "redo": "operations do not change", "decide": "a proposal does not change", "finish-turn": "a turn does not change",
	"cancel-turn": "a turn does not change", "create-backup": "makes", "cancel-work": "work is cancelled whatever it is at", "retry-work": "the same",
}

// A write that says what its caller saw does nothing once that has changed.
func TestEveryEditTakesIfMatch(t *testing.T) {
	t.Parallel()
	for _, o := range setup(t, Options{}).operations() {
		if !o.write() {
			continue
		}
		t.Run(o.ID, func(t *testing.T) {
			t.Parallel()
			if why, ok := unconditional[o.ID]; ok {
				t.Skip(why)
			}
			for _, more := range []string{"", "erase=true", "branch=true"} {
				if name, _, _ := strings.Cut(more, "="); name != "" && !o.query[name] {
					continue
				}
				c := newContract(t, sqlite)
				c.prepared(o)
				path, body, headers := c.request(o)
				if more != "" {
					path += "?" + more
				}
				before := c.rows()
				stale := c.do(o.Method, path, body, append(headers, `If-Match: "stale"`)...)
				if stale.status != http.StatusPreconditionFailed {
					t.Errorf("a stale version: status %d, want 412: %s", stale.status, stale.body)
				}
				if d := cmp.Diff(before, c.rows()); d != "" {
					t.Errorf("it wrote all the same (-before +after)\n%s", d)
				}
				bad := c.do(o.Method, path, body, append(headers, `If-Match: stale`)...)
				if bad.status != http.StatusUnprocessableEntity {
					t.Errorf("half an ETag: status %d, want 422: %s", bad.status, bad.body)
				}
				// What was read just now will do.
				if read := c.etagFor(o); read != "" {
					if fresh := c.do(o.Method, path, body, append(headers, `If-Match: `+read)...); fresh.status >= 300 {
						t.Errorf("with the ETag %s that was read: status %d: %s", read, fresh.status, fresh.body)
					}
				}
			}
		})
	}
}

// etagFor reads what a route changes and returns its ETag; "" where it cannot be
// read any more, or not yet.
func (c *contract) etagFor(o operation) string {
	c.t.Helper()
	path, _, _ := c.request(o)
	path, query, _ := strings.Cut(path, "?")
	switch o.ID {
	case "restore-book", "restore-conversation":
		return ""
	case "append", "begin-turn":
		path = north + "/conversations/c1/head"
	case "save-author":
		path = north + "/authors/" + c.vars["author"]
	}
	for _, end := range []string{"/promote", "/restore", "/swipe", "/switch", "/edit", "/continue", "/branch", "/hide", "/revisions/1/revert"} {
		path = strings.TrimSuffix(path, end)
	}
	if query != "" {
		path += "?" + query
	}
	a := c.do("GET", path, "")
	if a.status != 200 || a.header.Get("ETag") == "" {
		c.t.Errorf("GET %s: status %d, ETag %q", path, a.status, a.header.Get("ETag"))
	}
	return a.header.Get("ETag")
}

// What belongs to others is not there, on every route.
func TestForeignersSeeNothing(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, on database) {
		c := newContract(t, on)
		root := c.token
		u := must[api.User](c.harness, "POST", "/api/v1/users", `{"name":"ida"}`)
		ida := must[api.Token](c.harness, "POST", "/api/v1/users/"+u.ID+"/tokens", `{}`).Key
		c.token = ida
		must[any](c.harness, "POST", "/api/v1/worlds", `{"id":"own","name":"Own"}`)
		must[any](c.harness, "PUT", "/api/v1/worlds/own/books/vale", book)
		c.token = root
		before := c.rows()
		c.token = ida
		check := func(o operation, path, body string, headers []string) {
			t.Helper()
			a := c.do(o.Method, path, body, headers...)
			var p api.Problem
			if err := json.Unmarshal([]byte(a.body), &p); err != nil || a.header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s %s: no problem: %s", o.Method, path, a.body)
			}
			if a.status != http.StatusNotFound || p.Kind != api.NotFound {
				t.Errorf("%s %s: status %d, want 404: %s", o.Method, path, a.status, a.body)
			}
			for _, secret := range []string{"Northmark", "The ford", "Below the mill", "Ansa", "Bridge"} {
				if strings.Contains(a.body, secret) {
					t.Errorf("%s %s tells %q: %s", o.Method, path, secret, a.body)
				}
			}
		}
		for _, o := range c.operations() {
			path, body, headers := c.request(o)
			switch {
			case strings.Contains(o.Path, "{world}"):
				check(o, path, body, headers)
				// Ids of others do not help in the own world.
				for _, name := range []string{"conversation", "node", "turn", "operation", "proposal", "author"} {
					if strings.Contains(o.Path, "{"+name+"}") {
						check(o, strings.Replace(path, "/worlds/north/", "/worlds/own/", 1), body, headers)
						break
					}
				}
				if strings.Contains(queries[o.ID], "conversation=") {
					check(o, strings.Replace(path, "/worlds/north/", "/worlds/own/", 1), body, headers)
				}
			case strings.Contains(o.Path, "{user}"):
				if a := c.do(o.Method, path, body, headers...); a.status != 404 && a.status != 403 {
					t.Errorf("%s %s: status %d: %s", o.Method, path, a.status, a.body)
				}
			}
		}
		if a := c.do("GET", "/api/v1/worlds", ""); strings.Contains(a.body, "Northmark") {
			t.Errorf("the list of worlds: %s", a.body)
		}
		after := c.rows()
		if d := cmp.Diff(before, after); d != "" {
			t.Errorf("a foreigner wrote (-before +after)\n%s", d)
		}
	})
}

// Every error is a problem as RFC 9457 has it.
func TestEveryErrorIsAProblem(t *testing.T) {
	t.Parallel()
	c := newContract(t, sqlite)
	fine := c.token
	for _, o := range c.operations() {
		path, body, headers := c.request(o)
		check := func(what string, a answer, statuses ...int) {
			t.Helper()
			var p api.Problem
			if err := json.Unmarshal([]byte(a.body), &p); err != nil || p.Status != a.status || p.Title == "" || p.Detail == "" || p.Kind == "" ||
				a.header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("%s, %s: status %d, type %q, no problem: %s", o.ID, what, a.status, a.header.Get("Content-Type"), a.body)
			}
			if !slices.Contains(statuses, a.status) {
				t.Errorf("%s, %s: status %d, want %v: %s", o.ID, what, a.status, statuses, a.body)
			}
		}
		sep := "?"
		if strings.Contains(path, "?") {
			sep = "&"
		}
		check("unknown parameter", c.do(o.Method, path+sep+"colour=red", body, headers...), 422)
		if strings.HasPrefix(o.Path, prefix) && o.ID != "sign-in" {
			c.token = ""
			check("no token", c.do(o.Method, path, body, headers...), 401)
			c.token = fine
		}
		check("another method", c.do("TRACE", path, ""), 405)
		if o.body && !o.file {
			for _, bad := range []string{`{`, `[1`, `nonsense`, "\xff\xfe", `"text"`, `[]`, `7`} {
				check("the body "+bad, c.do(o.Method, path, bad, headers...), 400, 422)
			}
			check("another type", c.do(o.Method, path, "a: b", append(headers, "Content-Type: text/yaml")...), 415)
		}
		for name := range o.query {
			if name == "limit" {
				check("the limit -1", c.do(o.Method, path+sep+"limit=-1", body, headers...), 422)
			}
			if name == "cursor" && o.list && o.ID != "list-path" {
				check("a foreign cursor", c.do(o.Method, path+sep+"cursor=zzz", body, headers...), 422)
			}
		}
	}
}

// Every list comes in pages, which together hold what the whole holds.
func TestEveryListHasPages(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, on database) {
		c := newContract(t, on)
		lists, long := 0, 0
		for _, o := range c.operations() {
			if !o.list {
				continue
			}
			lists++
			if !o.query["limit"] || !o.query["cursor"] {
				t.Errorf("%s has no limit, or no cursor", o.ID)
				continue
			}
			path, _, _ := c.request(o)
			sep := "?"
			if strings.Contains(path, "?") {
				sep = "&"
			}
			page := func(query string) api.Page[json.RawMessage] {
				return must[api.Page[json.RawMessage]](c.harness, "GET", path+query, "")
			}
			all := page(sep + "limit=1000")
			if len(all.Items) > 1 {
				long++
			}
			var got []string
			for cursor, n := "", 0; ; n++ {
				p := page(sep + "limit=1&cursor=" + url.QueryEscape(cursor))
				if len(p.Items) > 1 || n > len(all.Items)+1 {
					t.Fatalf("%s: page %d has %d items", o.ID, n, len(p.Items))
				}
				for _, item := range p.Items {
					got = append(got, string(item))
				}
				if cursor = p.Next; cursor == "" {
					break
				}
			}
			if o.ID == "list-path" { // from the newest message back
				slices.Reverse(got)
			}
			var want []string
			for _, item := range all.Items {
				want = append(want, string(item))
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s: (-whole +pages)\n%s", o.ID, d)
			}
		}
		if lists < 20 || long < 10 {
			t.Errorf("there are %d lists, %d with more than one item: the scene is too small", lists, long)
		}
	})
}

// A user's quota holds on every way into their worlds.
func TestQuotas(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, on database) {
		h := setupOn(t, on, Options{Auth: true})
		h.root()
		u := must[api.User](h, "POST", "/api/v1/users", `{"name":"ida","quota":{"worlds":1,"conversations":2,"messages":4,"bytes":20000}}`)
		h.token = must[api.Token](h, "POST", "/api/v1/users/"+u.ID+"/tokens", `{}`).Key
		must[any](h, "POST", "/api/v1/worlds", `{"id":"own","name":"Own"}`)
		own := "/api/v1/worlds/own"
		refused := func(method, path, body string, headers ...string) {
			t.Helper()
			a := h.do(method, path, body, headers...)
			var p api.Problem
			if _ = json.Unmarshal([]byte(a.body), &p); a.status != 403 || p.Kind != api.Quota {
				t.Errorf("%s %s: status %d, want 403 quota: %s", method, path, a.status, a.body)
			}
		}
		refused("POST", "/api/v1/worlds", `{"name":"Second"}`)
		must[any](h, "POST", own+"/conversations", `{"id":"q1"}`)
		must[any](h, "POST", own+"/conversations", `{"id":"q2"}`)
		refused("POST", own+"/conversations", `{}`)
		chat := `{"user_name":"Mara","character_name":"Ilka","chat_metadata":{}}` + "\n" + `{"name":"Ilka","is_user":false,"mes":"Well met.","extra":{}}` + "\n"
		refused("POST", own+"/import?name=chat.jsonl", chat, "Content-Type: application/octet-stream")
		must[any](h, "POST", own+"/conversations/q1/nodes", `{"messages":[{"id":"q-1","content":"a"},{"content":"b"},{"content":"c"}]}`)
		turn := must[api.Turn](h, "POST", own+"/conversations/q1/turns", `{"messages":[{"content":"d"}]}`)
		refused("POST", own+"/turns/"+turn.ID+"/reply", `{"content":"e"}`)
		refused("POST", own+"/conversations/q1/nodes", `{"messages":[{"content":"e"}]}`)
		refused("POST", own+"/nodes/q-1/swipe", `{"content":"e"}`)
		refused("PUT", own+"/books/big", `{"id":"big","entries":[{"id":"x","content":"`+strings.Repeat("Long. ", 5000)+`"}]}`)
	})
}
