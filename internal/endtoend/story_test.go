//go:build unix

package endtoend

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// step is one request of a story. What stands in braces is filled in: {w} is the
// world, {name} something that an earlier answer said.
type step struct {
	name, method, path, body string
	// keep is what is taken from the answer for later steps: the name, and the
	// path in the JSON.
	keep map[string]string
}

const bookJSON = `{"id":"vale","name":"The Vale","entries":[
{"id":"ford","name":"The Ford","keys":["ford"],"content":"The ford lies below the mill. It is shallow."},
{"id":"mill","name":"The Mill","keys":["mill"],"content":"The mill belongs to Ansa."}]}`

const chatFile = `{"user_name":"Mara","character_name":"Ilka","create_date":"2026-3-1","chat_metadata":{}}
{"name":"Ilka","is_user":false,"mes":"Well met.","send_date":"x","swipes":["You again.","Well met."],"swipe_id":1,"extra":{}}
{"name":"Mara","is_user":true,"mes":"To the mill.","send_date":"y","extra":{}}
`

// story makes a world of everything that there is, in single requests that
// write: each is one transaction.
var story = []step{
	{name: "world", method: "POST", path: "/api/v1/worlds", body: `{"id":"{w}","name":"Northmark"}`},
	{name: "book", method: "PUT", path: "/books/vale", body: bookJSON},
	{name: "character", method: "POST", path: "/characters", body: `{"id":"ansa","name":"Ansa","greeting":"Mind the step."}`},
	{name: "author", method: "POST", path: "/authors", body: `{"id":"{w}-bo","name":"Bo","external":"u1"}`},
	{name: "conversation", method: "POST", path: "/conversations", body: `{"id":"{w}-c","title":"The ford","external":"chan/1","seed":"7"}`},
	{name: "binding", method: "PUT", path: "/bindings", body: `{"scope":"global","books":["vale"]}`},
	{name: "append", method: "POST", path: "/conversations/{w}-c/nodes", body: `{"messages":[{"id":"{w}-1","content":"Where is the ford?","external":"m1"},{"id":"{w}-2","role":"assistant","content":"Below the mill."}]}`},
	{name: "turn", method: "POST", path: "/conversations/{w}-c/turns", body: `{"messages":[{"id":"{w}-3","content":"To the mill, then."}]}`, keep: map[string]string{"turn": "id"}},
	{name: "reply", method: "POST", path: "/turns/{turn}/reply", body: `{"content":"The wheel turns at the ford."}`, keep: map[string]string{"reply": "id"}},
	{
		name: "sidecar", method: "POST", path: "/operations", body: `{"operations":[
		{"layer":"story","conversation":"{w}-c","node":"{reply}","kind":"create","book":"~story","entry":"wheel","author":{"kind":"sidecar","name":"scribe"},"change":{"entry":{"id":"wheel","keys":["wheel"],"content":"The wheel turns."}}},
		{"layer":"world","conversation":"{w}-c","node":"{reply}","kind":"create","book":"~world","entry":"oath","author":{"kind":"sidecar","name":"scribe"},"change":{"entry":{"id":"oath","keys":["oath"],"content":"An oath was sworn."}}}]}`,
		keep: map[string]string{"op": "applied.0.operation.id"},
	},
	{name: "own entry", method: "POST", path: "/entries?conversation={w}-c", body: `{"id":"bridge","name":"Bridge","keys":["bridge"],"content":"A bridge."}`},
	{name: "edit an entry", method: "PATCH", path: "/entries/~story/bridge?conversation={w}-c", body: `{"content":"A bridge of stone."}`},
	{name: "patch the book", method: "PATCH", path: "/books/vale/entries/mill", body: `{"content":"The mill belongs to Brann."}`},
	{name: "swipe", method: "POST", path: "/nodes/{reply}/swipe", body: `{"id":"{w}-4","content":"It stands still."}`},
	{name: "switch", method: "POST", path: "/nodes/{reply}/switch"},
	{name: "edit", method: "POST", path: "/nodes/{w}-1/edit", body: `{"content":"Where is the old ford?"}`},
	{name: "edit beside", method: "POST", path: "/nodes/{reply}/edit", body: `{"content":"The wheel turns, at the ford.","sibling":true}`},
	{name: "continue", method: "POST", path: "/nodes/{w}-2/continue", body: `{"content":" Go on."}`},
	{name: "hide", method: "POST", path: "/nodes/{w}-2/hide", body: `{"hidden":true}`},
	{name: "undo", method: "POST", path: "/undo", body: `{"operations":["{op}"]}`},
	{name: "redo", method: "POST", path: "/redo", body: `{"operations":["{op}"]}`},
	{name: "delete", method: "DELETE", path: "/nodes/{w}-3"},
	{name: "undelete", method: "POST", path: "/nodes/{w}-3/restore"},
	{name: "branch", method: "POST", path: "/nodes/{w}-2/branch"},
	{name: "head", method: "PUT", path: "/conversations/{w}-c/head", body: `{"node":"{reply}"}`},
	{name: "settings", method: "PATCH", path: "", body: `{"settings":{"user":"Mara"}}`},
	{name: "import", method: "POST", path: "/import?name=chat.jsonl&external=file", body: chatFile, keep: map[string]string{"imported": "conversations.0"}},
	{name: "delete a chat", method: "DELETE", path: "/conversations/{imported}"},
	{name: "restore it", method: "POST", path: "/conversations/{imported}/restore"},
	{name: "erase it", method: "DELETE", path: "/conversations/{imported}?erase=true"},
	{name: "delete a book", method: "DELETE", path: "/books/vale"},
	{name: "bring it back", method: "POST", path: "/books/vale/restore"},
}

// telling is a story that is told to a server in a world of its own.
type telling struct {
	world string
	vars  map[string]string
}

func tell(world string) *telling { return &telling{world: world, vars: map[string]string{"w": world}} }

func (t *telling) fill(s string) string {
	for name, value := range t.vars {
		s = strings.ReplaceAll(s, "{"+name+"}", value)
	}
	return s
}

// send sends a step. Its idempotency key is always the same: sent again it
// happens once.
func (t *telling) send(w *weft, s step) (answer, error) {
	path := t.fill(s.path)
	if !strings.HasPrefix(path, "/api") {
		path = "/api/v1/worlds/" + t.world + path
	}
	headers := []string{"Idempotency-Key: " + t.world + " " + s.name}
	if s.name == "import" {
		headers = append(headers, "Content-Type: application/octet-stream")
	}
	a, err := w.ask(context.Background(), s.method, path, t.fill(s.body), headers...)
	if err != nil {
		return a, err
	}
	if a.status >= 300 {
		w.t.Fatalf("%s: status %d: %s\n%s", s.name, a.status, a.body, &w.errs)
	}
	for name, path := range s.keep {
		var v any
		if err := json.Unmarshal(a.body, &v); err != nil {
			w.t.Fatalf("%s: %v", s.name, err)
		}
		t.vars[name] = at(v, path)
		if t.vars[name] == "" {
			w.t.Fatalf("%s: the answer has no %s: %s", s.name, path, a.body)
		}
	}
	return a, nil
}

// at returns a text in JSON by its path.
func at(v any, path string) string {
	for part := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[part]
		case []any:
			n, err := strconv.Atoi(part)
			if err != nil || n >= len(x) {
				return ""
			}
			v = x[n]
		}
	}
	s, _ := v.(string)
	return s
}

var uuids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// dump says everything that a server tells of a world, in a form that is the
// same for two worlds in which the same has happened: without times, and with
// numbers in the place of ids.
func (t *telling) dump(w *weft) string {
	w.t.Helper()
	base := "/api/v1/worlds/" + t.world
	var out strings.Builder
	show := func(path string) any {
		a := w.do("GET", base+path, "")
		var v any
		if len(a.body) > 0 {
			if err := json.Unmarshal(a.body, &v); err != nil {
				w.t.Fatalf("GET %s: %v in %s", path, err, a.body)
			}
		}
		clean(v)
		text, err := json.Marshal(v)
		must(w.t, err)
		fmt.Fprintf(&out, "%s %d %s\n", path, a.status, text)
		return v
	}
	world, _ := show("").(map[string]any)
	if world["status"] != nil { // a problem: there is no world
		return t.normal(out.String())
	}
	for _, path := range []string{"/books?deleted=true", "/books/vale", "/characters", "/authors", "/bindings", "/entries", "/events/list?limit=1000", "/operations", "/activity"} {
		show(path)
	}
	chats, _ := show("/conversations").(map[string]any)
	items, _ := chats["items"].([]any)
	for _, item := range items {
		id := "/conversations/" + url.PathEscape(at(item, "id"))
		show(id + "/tree")
		show(id + "/nodes?last=0&deleted=true")
		show("/entries?conversation=" + at(item, "id"))
		show("/conflicts?conversation=" + at(item, "id"))
	}
	return t.normal(out.String())
}

func (t *telling) normal(s string) string {
	s = strings.ReplaceAll(s, t.world, "W")
	var seen []string
	return uuids.ReplaceAllStringFunc(s, func(id string) string {
		i := slices.Index(seen, id)
		if i < 0 {
			i = len(seen)
			seen = append(seen, id)
		}
		return "id" + strconv.Itoa(i)
	})
}

// clean takes away what differs from one telling to the next.
func clean(v any) {
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			switch k {
			case "created", "changed", "time", "deleted":
				if n, ok := e.(float64); ok && n != 0 {
					x[k] = "then"
				}
			case "digest", "version", "revision", "hash", "seed": // of ids, of the server, or random
				if k != "revision" || x["entries"] == nil {
					delete(x, k)
				}
			default:
				clean(e)
			}
		}
	case []any:
		for _, e := range x {
			clean(e)
		}
	}
}

// differ says how two dumps differ, line by line.
func differ(want, got string) string {
	return cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n"))
}
