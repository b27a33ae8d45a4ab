package server

import (
	"strings"
	"testing"

	"github.com/weft-memory/weft/client/api"
)

const north = "/api/v1/worlds/north"

func TestRequests(t *testing.T) {
	t.Parallel()
	table := []scenario{
		{name: "health", method: "GET", path: "/healthz", status: 200, has: []string{`"ok"`}},
		{name: "ready", method: "GET", path: "/readyz", status: 200},
		{name: "version", method: "GET", path: "/version", status: 200, has: []string{`"api":"v1"`}},
		{name: "metrics", method: "GET", path: "/metrics", status: 200, has: []string{"weft_http_requests_total", "weft_views "}},
		{name: "nowhere", method: "GET", path: "/api/v1/nowhere", status: 404, has: []string{`"not_found"`, "/openapi.json"}},
		{name: "no such method", method: "PATCH", path: "/api/v1/worlds", status: 405, has: []string{"GET, POST"}, header: map[string]string{"Allow": "GET, POST"}},

		{name: "world", method: "GET", path: north, status: 200, has: []string{`"id":"north"`, `"messages":2`}},
		{name: "unknown world", method: "GET", path: "/api/v1/worlds/south", status: 404, has: []string{`"kind":"not_found"`, `south`}},
		{name: "world again", method: "POST", path: "/api/v1/worlds", body: `{"id":"north","name":"N"}`, status: 409, has: []string{`"kind":"exists"`}},
		{name: "world without a name", method: "POST", path: "/api/v1/worlds", body: `{}`, status: 422, has: []string{"name", `"kind":"invalid"`}},
		{name: "unknown field", method: "POST", path: "/api/v1/worlds", body: `{"name":"N","colour":"red"}`, status: 422, has: []string{"body.colour", "unexpected property"}},
		{name: "malformed", method: "POST", path: "/api/v1/worlds", body: `{"name":`, status: 400},
		{name: "not JSON", method: "POST", path: "/api/v1/worlds", body: "name: N", headers: []string{"Content-Type: text/yaml"}, status: 415},
		{name: "no body", method: "POST", path: "/api/v1/worlds", status: 400},
		{name: "bad setting", method: "PATCH", path: north, body: `{"settings":{"context":"long"}}`, status: 422, has: []string{"context"}},
		{name: "unknown query", method: "GET", path: "/api/v1/worlds?colour=red", status: 422, has: []string{"colour"}},
		{name: "limit", method: "GET", path: "/api/v1/worlds?limit=5000", status: 422, has: []string{"query.limit"}},
		{name: "foreign cursor", method: "GET", path: "/api/v1/worlds?cursor=zzz", status: 422, has: []string{"cursor"}},
		{name: "rename", method: "PATCH", path: north, body: `{"name":"The North"}`, status: 200, has: []string{"The North"}, events: []string{"world.updated"}},

		{name: "book", method: "GET", path: north + "/books/vale", status: 200, has: []string{`"ford"`}, header: map[string]string{"ETag": `"1"`}},
		{name: "books", method: "GET", path: north + "/books", status: 200, has: []string{`"entries":2`}, hasNot: []string{"lies below"}},
		{name: "book, not changed", method: "GET", path: north + "/books/vale", headers: []string{`If-None-Match: "1"`}, status: 304},
		{name: "book with another id", method: "PUT", path: north + "/books/dale", body: book, status: 422, has: []string{"vale"}},
		{name: "book that is none", method: "PUT", path: north + "/books/dale", body: `[1]`, status: 422},
		{name: "a book too many", method: "PUT", path: north + "/books/vale", body: book, headers: []string{"If-None-Match: *"}, status: 409},
		{name: "stale", method: "PUT", path: north + "/books/vale", body: book, headers: []string{`If-Match: "7"`}, status: 412, has: []string{`"conflict"`}},
		{name: "half an ETag", method: "PUT", path: north + "/books/vale", body: book, headers: []string{`If-Match: 7`}, status: 422, has: []string{"If-Match"}},
		{
			name: "patch an entry", method: "PATCH", path: north + "/books/vale/entries/ford", body: `{"content":"The ford is deep."}`,
			headers: []string{`If-Match: "1"`}, status: 200, has: []string{`"revision":2`, `"fresh":true`}, header: map[string]string{"ETag": `"2"`}, events: []string{"book.saved"},
		},
		{name: "revisions", method: "GET", path: north + "/books/vale/revisions?limit=1", status: 200, has: []string{`"revision":1`}},
		{name: "delete a book", method: "DELETE", path: north + "/books/vale", status: 204, events: []string{"book.deleted"}},
		{name: "restore none", method: "POST", path: north + "/books/none/restore", status: 404},

		{name: "entries", method: "GET", path: north + "/entries?conversation=c1", status: 200, has: []string{`"ford"`, `"layer":"canon"`, `"live":true`}},
		{name: "entries by page", method: "GET", path: north + "/entries?limit=1", status: 200, has: []string{`"next":`}},
		{name: "entry", method: "GET", path: north + "/entries/vale/ford", status: 200, has: []string{"lies below"}},
		{name: "unknown entry", method: "GET", path: north + "/entries/vale/sea", status: 404},
		{name: "unknown layer", method: "GET", path: north + "/entries?layer=sky", status: 422, has: []string{"query.layer"}},
		{
			name: "create an entry", method: "POST", path: north + "/entries?conversation=c1", body: `{"id":"bridge","name":"Bridge","content":"A bridge."}`,
			status: 201, has: []string{`"layer":"story"`, "A bridge."}, events: []string{"operation.created"},
		},
		{name: "an entry that is none", method: "POST", path: north + "/entries", body: `{"priority":"high"}`, status: 422, has: []string{"priority"}},
		{name: "history", method: "GET", path: north + "/entries/vale/ford/history?conversation=c1", status: 200},
		{name: "categories", method: "GET", path: north + "/categories", status: 200, has: []string{`"vale"`}},
		{name: "conflicts", method: "GET", path: north + "/conflicts?conversation=c1", status: 200, has: []string{`"items":[]`}},
		{name: "search", method: "GET", path: north + "/search?q=mill&conversation=c1&messages=true", status: 200, has: []string{`"where"`}},
		{name: "search for nothing", method: "GET", path: north + "/search", status: 422, has: []string{"query.q"}},

		{name: "conversation by external id", method: "GET", path: north + "/conversations/external:chan%2F1", status: 200, has: []string{`"id":"c1"`}},
		{name: "unknown conversation", method: "GET", path: north + "/conversations/c9", status: 404},
		{name: "of another world", method: "GET", path: "/api/v1/worlds/other/conversations/c1", status: 404},
		{name: "external id again", method: "POST", path: north + "/conversations", body: `{"external":"chan/1"}`, status: 409},
		{name: "seed", method: "POST", path: north + "/conversations", body: `{"seed":"99999999999999999999"}`, status: 422, has: []string{"seed"}},
		{name: "create a conversation", method: "POST", path: north + "/conversations", body: `{"title":"T","seed":"18446744073709551615"}`, status: 201, has: []string{`"seed":"18446744073709551615"`}, events: []string{"conversation.created"}},
		{name: "path", method: "GET", path: north + "/conversations/c1/nodes", status: 200, has: []string{`"n1"`, `"n2"`, "Below the mill."}},
		{name: "tree", method: "GET", path: north + "/conversations/c1/tree", status: 200, has: []string{`"path":["n1","n2"]`}, hasNot: []string{"Below the mill."}},
		{name: "head", method: "GET", path: north + "/conversations/c1/head", status: 200, has: []string{`"node":"n2"`}},
		{name: "move the head", method: "PUT", path: north + "/conversations/c1/head", body: `{"node":"n1"}`, status: 200, has: []string{`"head":"n1"`}, events: []string{"head.moved"}},
		{name: "move it nowhere", method: "PUT", path: north + "/conversations/c1/head", body: `{"node":"n9"}`, status: 404},
		{
			name: "append", method: "POST", path: north + "/conversations/c1/nodes", body: `{"messages":[{"content":"a"},{"content":"b"}],"if_head":"n2"}`,
			status: 201, has: []string{`"content":"b"`}, events: []string{"node.created", "node.created", "head.moved"},
		},
		{name: "append behind a stale head", method: "POST", path: north + "/conversations/c1/nodes", body: `{"messages":[{"content":"a"}],"if_head":"n1"}`, status: 409},
		{name: "append nothing", method: "POST", path: north + "/conversations/c1/nodes", body: `{"messages":[]}`, status: 422},
		{name: "append as nobody", method: "POST", path: north + "/conversations/c1/nodes", body: `{"messages":[{"role":"ghost","content":""}]}`, status: 422, has: []string{"body.messages[0].role"}},
		{name: "known external id", method: "POST", path: north + "/conversations/c1/nodes", body: `{"messages":[{"content":"a","external":"m 1"}]}`, status: 409},
		{name: "known external id, if new", method: "POST", path: north + "/conversations/c1/nodes", body: `{"if_new":true,"messages":[{"content":"a","external":"m 1"}]}`, status: 201},

		{name: "node by external id", method: "GET", path: north + "/nodes/external:m%201", status: 200, has: []string{`"id":"n1"`}},
		{name: "swipe", method: "POST", path: north + "/nodes/n2/swipe", body: `{"content":"Up the hill."}`, status: 201, has: []string{`"kind":"swipe"`, `"swipe":1`}, events: []string{"node.created", "head.moved"}},
		{name: "switch", method: "POST", path: north + "/nodes/n2/switch", status: 200, has: []string{`"head":"n2"`}},
		{name: "edit", method: "POST", path: north + "/nodes/n1/edit", body: `{"content":"Where is it?"}`, status: 200, events: []string{"node.edited"}},
		{name: "continue", method: "POST", path: north + "/nodes/n2/continue", body: `{"content":" Go on."}`, status: 200, has: []string{"Below the mill. Go on."}, events: []string{"node.edited"}},
		{name: "hide", method: "POST", path: north + "/nodes/n1/hide", body: `{"hidden":true}`, status: 204, events: []string{"node.hidden"}},
		{name: "branch", method: "POST", path: north + "/nodes/n1/branch", status: 200, has: []string{`"head":"n1"`}, events: []string{"head.moved"}},
		{name: "delete", method: "DELETE", path: north + "/nodes/n2", status: 200, has: []string{`"count":1`}, events: []string{"node.deleted", "head.moved"}},
		{name: "delete a branch", method: "DELETE", path: north + "/nodes/n1?branch=true", status: 200, has: []string{`"count":2`}, events: []string{"node.deleted", "head.moved"}},
		{name: "unknown node", method: "POST", path: north + "/nodes/n9/switch", status: 404},

		{name: "assemble", method: "POST", path: north + "/conversations/c1/assemble", body: `{"why":[{"entry":"mill"}]}`, status: 200, has: []string{"The ford lies below the mill.", `"trace"`, `"prompt"`}},
		{name: "assemble a chat", method: "POST", path: north + "/assemble", body: `{"messages":[{"content":"To the mill!"}]}`, status: 200, has: []string{"belongs to Ansa"}, hasNot: []string{"lies below"}},
		{name: "assemble with a bad budget", method: "POST", path: north + "/conversations/c1/assemble", body: `{"budget":"lots"}`, status: 422, has: []string{"budget"}},
		{name: "assemble in no slot", method: "POST", path: north + "/conversations/c1/assemble", body: `{"slots":["at_depth(x)"]}`, status: 422, has: []string{"slots"}},
		{name: "why", method: "GET", path: north + "/conversations/c1/why?entry=mill&book=vale", status: 200, has: []string{`"reason"`}},
		{name: "finish no turn", method: "POST", path: north + "/turns/t9/reply", body: `{"content":"x"}`, status: 404},

		{name: "operations", method: "GET", path: north + "/operations", status: 200, has: []string{`"items"`}},
		{name: "no operation", method: "GET", path: north + "/operations/o9", status: 404},
		{name: "an operation that is none", method: "POST", path: north + "/operations", body: `{"operations":[{"kind":"dance"}]}`, status: 422, has: []string{"kind"}},
		{name: "an operation of another type", method: "POST", path: north + "/operations", body: `{"operations":[7]}`, status: 422, has: []string{"body.operations[0]"}},
		{name: "undo nothing", method: "POST", path: north + "/undo", body: `{"operations":["o9"]}`, status: 404},
		{name: "activity", method: "GET", path: north + "/activity", status: 200},
		{name: "proposals", method: "GET", path: north + "/proposals", status: 200, has: []string{`"items":[]`}},

		{name: "character", method: "POST", path: north + "/characters", body: `{"id":"ansa","name":"Ansa","greeting":"Mind the step."}`, status: 201, has: []string{"Mind the step."}, events: []string{"character.saved"}},
		{name: "no character", method: "GET", path: north + "/characters/none", status: 404},
		{name: "bindings", method: "PUT", path: north + "/bindings", body: `{"scope":"global","books":["vale"]}`, status: 204, events: []string{"binding.set"}},
		{name: "author", method: "POST", path: north + "/authors", body: `{"name":"Bo","external":"u1"}`, status: 200, events: []string{"author.saved"}},
		{name: "author by external id", method: "GET", path: north + "/authors/external:u9", status: 404},

		{name: "formats", method: "GET", path: "/api/v1/formats", status: 200, has: []string{"sillytavern"}},
		{name: "import nothing known", method: "POST", path: north + "/import?name=x.bin", body: "\x00\x01\x02", headers: []string{"Content-Type: application/octet-stream"}, status: 422, has: []string{`"kind":"unreadable"`}},
		{name: "export", method: "GET", path: north + "/export?book=vale&format=sillytavern", status: 200, has: []string{"lies below"}},
		{name: "export two things", method: "GET", path: north + "/export?book=vale&character=x&format=sillytavern", status: 422},
		{name: "event list", method: "GET", path: north + "/events/list?limit=2", status: 200, has: []string{`"next":"2"`}},
		{name: "not an event", method: "GET", path: north + "/events", headers: []string{"Last-Event-ID: soon"}, status: 422},

		{name: "another host", method: "GET", path: "/healthz", headers: []string{"Host: evil.example:8720"}, status: 403, has: []string{"--allow-host evil.example"}},
		{name: "another page", method: "GET", path: north, headers: []string{"Origin: https://evil.example"}, status: 403, has: []string{"--allow-origin https://evil.example"}},
		{name: "a form of another site", method: "POST", path: north + "/books/vale/restore", headers: []string{"Sec-Fetch-Site: cross-site"}, status: 403},
		{name: "no page", method: "GET", path: north, headers: []string{"Origin: null"}, status: 403},
		{name: "unknown token", method: "GET", path: north, headers: []string{"Authorization: Bearer weft_nothing"}, status: 401, header: map[string]string{"WWW-Authenticate": `Bearer realm="weft"`}},
		{name: "another scheme", method: "GET", path: north, headers: []string{"Authorization: Basic eA=="}, status: 401},
	}
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		for _, c := range table {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				h := setup(t, Options{})
				h.scene()
				h.run(t, c)
			})
		}
	})
	// There a database takes longer to make than a request to answer: one after
	// the other in the same.
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		h := setupOn(t, postgres, Options{})
		for _, c := range table {
			t.Run(c.name, func(t *testing.T) {
				h.scene()
				h.run(t, c)
				must[any](h, "DELETE", north, "")
			})
		}
	})
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, on database) {
		h := setupOn(t, on, Options{MaxBody: 1000, MaxFile: 2000})
		h.scene()
		for _, c := range []scenario{
			{method: "POST", path: "/api/v1/worlds", body: `{"name":"` + strings.Repeat("x", 1200) + `"}`, status: 413, has: []string{`"too_large"`}},
			{method: "PUT", path: north + "/books/big", body: `{"name":"` + strings.Repeat("x", 3000) + `"}`, status: 413, has: []string{`"too_large"`}},
			{method: "PUT", path: north + "/books/big", body: `{"name":"` + strings.Repeat("x", 3000) + `"}`, headers: []string{"Idempotency-Key: k"}, status: 413, has: []string{`"too_large"`}},
			{method: "POST", path: north + "/nodes/n1/switch", headers: []string{"Idempotency-Key: " + strings.Repeat("k", 300)}, status: 422},
		} {
			h.run(t, c)
		}
	})
}

func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, on database) {
		h := setupOn(t, on, Options{})
		h.scene()
		for _, c := range []struct {
			name, method, path, body string
		}{
			{"a list", "POST", north + "/conversations/c1/nodes", `{"messages":[{"content":"<Hey> & you"}]}`},
			{"with an ETag", "PUT", north + "/books/dale", `{"id":"dale","name":"Dale","entries":[]}`},
			{"without a body", "DELETE", north + "/books/vale", ``},
			{"a new world", "POST", "/api/v1/worlds", `{"name":"Twice"}`},
			{"a turn", "POST", north + "/conversations/c1/turns", `{"messages":[{"content":"To the mill."}]}`},
		} {
			first := h.do(c.method, c.path, c.body, "Idempotency-Key: "+c.name)
			if first.status >= 300 {
				t.Fatalf("%s: status %d: %s", c.name, first.status, first.body)
			}
			before := h.kinds("north", 0)
			again := h.do(c.method, c.path, c.body, "Idempotency-Key: "+c.name)
			if again.status != first.status || again.body != first.body || again.header.Get("ETag") != first.header.Get("ETag") {
				t.Errorf("%s: the answer to the repeated request is another one:\n%d %s\n%d %s", c.name, first.status, first.body, again.status, again.body)
			}
			if again.header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("%s: nothing says that the answer is an old one", c.name)
			}
			if after := h.kinds("north", 0); len(after) != len(before) {
				t.Errorf("%s: the repeated request had an effect: %v", c.name, after[len(before):])
			}
			h.run(t, scenario{method: "POST", path: "/api/v1/worlds", body: `{"name":"Other"}`, headers: []string{"Idempotency-Key: " + c.name}, status: 409, has: []string{"another request"}})
		}
	})
}

func TestPages(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, on database) {
		h := setupOn(t, on, Options{})
		h.scene()
		for _, id := range []string{"a", "b", "d", "e"} {
			must[api.Conversation](h, "POST", north+"/conversations", `{"id":"`+id+`"}`)
		}
		seen := map[string]bool{}
		for cursor, pages := "", 0; ; pages++ {
			if pages > 5 {
				t.Fatal("the pages do not end")
			}
			page := must[api.Page[api.Conversation]](h, "GET", north+"/conversations?limit=2&cursor="+cursor, "")
			if len(page.Items) > 2 {
				t.Fatalf("a page has %d items", len(page.Items))
			}
			for _, c := range page.Items {
				if seen[c.ID] {
					t.Errorf("%s is on two pages", c.ID)
				}
				seen[c.ID] = true
			}
			if cursor = page.Next; cursor == "" {
				break
			}
		}
		if len(seen) != 5 {
			t.Errorf("the pages hold %v", seen)
		}
	})
}

// A turn from the message to the reply, and what can be asked about it later.
func TestTurn(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, on database) {
		refreshed := make(chan string, 10)
		h := setupOn(t, on, Options{BeforeTurn: beforeTurn(refreshed)})
		h.scene()
		turn := must[api.Turn](h, "POST", north+"/conversations/c1/turns", `{"messages":[{"content":"To the mill, then."}],"if_head":"n2"}`)
		if got := <-refreshed; got != "north" {
			t.Errorf("before the turn, %q was refreshed", got)
		}
		if len(turn.Added) != 1 || !strings.Contains(turn.Prompt[0].Content+turn.Prompt[len(turn.Prompt)-1].Content+turn.Blocks[0].Content, "Ansa") && len(turn.Blocks) == 0 {
			t.Errorf("the turn is %+v", turn)
		}
		n := must[api.Node](h, "POST", north+"/turns/"+turn.ID+"/reply", `{"content":"The wheel turns."}`)
		if n.ID != turn.ID || n.Role != "assistant" || n.Parent != turn.Added[0].ID {
			t.Errorf("the reply is %+v", n)
		}
		again := must[api.Node](h, "POST", north+"/turns/"+turn.ID+"/reply", `{"content":"The wheel turns."}`)
		if again.ID != n.ID {
			t.Errorf("the same reply made another message, %s", again.ID)
		}
		h.run(t, scenario{method: "POST", path: north + "/turns/" + turn.ID + "/reply", body: `{"content":"Silence."}`, status: 409})
		then := must[api.Assembly](h, "GET", north+"/nodes/"+n.ID+"/assembly", "")
		if a, b := string(then.Trace), string(turn.Trace); a != b {
			t.Errorf("the trace was\n%s\nand is now\n%s", b, a)
		}
		h.run(t, scenario{method: "GET", path: north + "/conversations/c1/why?entry=mill&at=" + n.ID, status: 200, has: []string{`"answers":[`}})
		next := must[api.Turn](h, "POST", north+"/conversations/c1/turns", `{"kind":"swipe","at":"`+n.ID+`"}`)
		h.run(t, scenario{method: "DELETE", path: north + "/turns/" + next.ID, status: 204, events: []string{"turn.cancelled"}})
	})
}

// An operation is applied, seen, undone and redone.
func TestOperations(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, on database) {
		h := setupOn(t, on, Options{})
		h.scene()
		e := must[api.Entry](h, "POST", north+"/entries?conversation=c1", `{"id":"bridge","name":"Bridge","keys":["bridge"],"content":"A bridge."}`)
		path := north + "/entries/" + e.Book + "/bridge?conversation=c1"
		a := h.do("GET", path, "")
		tag := a.header.Get("ETag")
		h.run(t, scenario{method: "PATCH", path: path, body: `{"content":"A bridge of stone."}`, headers: []string{`If-Match: "old"`}, status: 412})
		h.run(t, scenario{method: "PATCH", path: path, body: `{"content":"A bridge of stone."}`, headers: []string{"If-Match: " + tag}, status: 200, has: []string{"of stone"}, events: []string{"operation.created"}})
		ops := must[api.Page[struct {
			ID   string `json:"id"`
			Kind string `json:"kind"`
		}]](h, "GET", north+"/operations?kind=patch", "")
		if len(ops.Items) != 1 {
			t.Fatalf("the operations are %+v", ops.Items)
		}
		h.run(t, scenario{method: "POST", path: north + "/undo", body: `{"operations":["` + ops.Items[0].ID + `"]}`, status: 200, has: []string{`"fresh":true`}, events: []string{"operation.created"}})
		h.run(t, scenario{method: "GET", path: path, status: 200, hasNot: []string{"of stone"}})
		undo := must[api.Page[struct {
			ID string `json:"id"`
		}]](h, "GET", north+"/operations?limit=1", "").Items[0].ID
		_ = undo
		h.run(t, scenario{method: "POST", path: north + "/redo", body: `{"operations":["` + ops.Items[0].ID + `"]}`, status: 200, events: []string{"operation.created"}})
		h.run(t, scenario{method: "GET", path: path, status: 200, has: []string{"of stone"}})
		h.run(t, scenario{method: "GET", path: north + "/entries/" + e.Book + "/bridge/history?conversation=c1", status: 200, has: []string{`"create"`, `"patch"`}})
		h.run(t, scenario{method: "GET", path: north + "/entries/" + e.Book + "/bridge/provenance?conversation=c1", status: 200, has: []string{"of stone"}})
		h.run(t, scenario{method: "GET", path: north + "/diff?conversation=c1&as_of=1", status: 200})
		// Of the story only: the world by itself has no bridge.
		h.run(t, scenario{method: "GET", path: north + "/entries?layer=story", status: 200, has: []string{`"items":[]`}})
		h.run(t, scenario{method: "POST", path: north + "/entries/" + e.Book + "/bridge/promote?conversation=c1", body: `{"to":"world"}`, status: 200, has: []string{`"layer":"world"`}, events: []string{"operation.created", "operation.created"}})
	})
}
