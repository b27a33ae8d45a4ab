package server

import (
	"encoding/json"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/store"
)

// root makes an admin and signs in.
func (h *harness) root() {
	h.t.Helper()
	err := h.db.Update(h.t.Context(), func(tx *store.Tx) error {
		u, err := tx.CreateUser(store.User{ID: "root", Name: "root", Admin: true})
		if err != nil {
			return err
		}
		_, h.token, err = tx.CreateToken(u.ID, "test", 0)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

func TestUsers(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, on database) {
		h := setupOn(t, on, Options{Auth: true})
		for _, path := range []string{"/healthz", "/readyz", "/version", "/openapi.json"} {
			if a := h.do("GET", path, ""); a.status != 200 {
				t.Errorf("%s needs a token: %d", path, a.status)
			}
		}
		for _, path := range []string{"/metrics", "/api/v1/worlds", "/api/v1/events", "/api/v1/users", "/api/v1/formats"} {
			h.run(t, scenario{method: "GET", path: path, status: 401, has: []string{"Authorization"}})
		}
		h.root()
		h.scene()
		root := h.token
		u := must[api.User](h, "POST", "/api/v1/users", `{"name":"ida","password":"correct horse","quota":{"worlds":1}}`)
		h.run(t, scenario{method: "POST", path: "/api/v1/users", body: `{"name":"ida"}`, status: 409})

		h.token = ""
		h.run(t, scenario{method: "POST", path: "/api/v1/session", body: `{"name":"ida","password":"wrong"}`, status: 401, hasNot: []string{"weft_"}})
		h.run(t, scenario{method: "POST", path: "/api/v1/session", body: `{"name":"nobody","password":"wrong"}`, status: 401})
		token := must[api.Token](h, "POST", "/api/v1/session", `{"name":"ida","password":"correct horse"}`)
		if !strings.HasPrefix(token.Key, "weft_") {
			t.Fatalf("the token is %+v", token)
		}
		h.token = token.Key
		self := "/api/v1/users/" + u.ID
		for _, c := range []scenario{
			{method: "GET", path: "/api/v1/worlds", status: 200, hasNot: []string{"north"}},
			{method: "GET", path: "/api/v1/worlds?owner=root", status: 403, has: []string{`"forbidden"`}},
			{method: "GET", path: north, status: 404},
			{method: "GET", path: north + "/events", status: 404},
			{method: "DELETE", path: north, status: 404},
			{method: "POST", path: "/api/v1/worlds", body: `{"id":"own","name":"Own"}`, status: 201, has: []string{`"owner":"` + u.ID + `"`}},
			{method: "POST", path: "/api/v1/worlds", body: `{"name":"Second"}`, status: 403, has: []string{`"quota"`}},
			{method: "GET", path: "/api/v1/users", status: 403},
			{method: "GET", path: "/api/v1/events", status: 403},
			{method: "GET", path: self, status: 200, hasNot: []string{"pbkdf2", "correct horse"}},
			{method: "GET", path: "/api/v1/users/root", status: 404},
			{method: "PATCH", path: self, body: `{"admin":true}`, status: 403},
			{method: "POST", path: "/api/v1/users/root/tokens", body: `{}`, status: 404},
			{method: "GET", path: self + "/tokens", status: 200, hasNot: []string{"weft_"}},
			{method: "DELETE", path: self + "/tokens/other", status: 404},
		} {
			h.run(t, c)
		}
		// The keys of requests of one user are not those of another.
		a := h.do("POST", "/api/v1/worlds/own/conversations", `{"title":"mine"}`, "Idempotency-Key: k")
		h.token = root
		b := h.do("POST", "/api/v1/worlds/own/conversations", `{"title":"mine"}`, "Idempotency-Key: k")
		if a.status != 201 || b.status != 201 || a.body == b.body {
			t.Errorf("two users with one key got\n%s\n%s", a.body, b.body)
		}
		h.run(t, scenario{method: "DELETE", path: self, status: 422, has: []string{"owns"}})
		must[any](h, "PATCH", self, `{"disabled":true}`)
		h.token = token.Key
		h.run(t, scenario{method: "GET", path: "/api/v1/worlds", status: 401})
	})
}

func TestAllowed(t *testing.T) {
	t.Parallel()
	h := setup(t, Options{Hosts: []string{"weft.example"}, Origins: []string{"https://ui.example"}})
	h.run(t, scenario{method: "GET", path: "/version", headers: []string{"Host: weft.example:80", "Origin: https://ui.example"}, status: 200, header: map[string]string{"Access-Control-Allow-Origin": "https://ui.example"}})
	h.run(t, scenario{method: "OPTIONS", path: "/api/v1/worlds", headers: []string{"Origin: https://ui.example", "Access-Control-Request-Method: PATCH", "Access-Control-Request-Headers: if-match"}, status: 204, header: map[string]string{"Access-Control-Allow-Headers": "if-match"}})
	h.run(t, scenario{method: "OPTIONS", path: "/api/v1/worlds", headers: []string{"Origin: https://other.example", "Access-Control-Request-Method: PATCH"}, status: 403})
}

// A ticket opens one stream for a minute, and nothing else, on every server of
// the database.
func TestTickets(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, on database) {
		h := setupOn(t, on, Options{Auth: true})
		h.root()
		h.scene()
		u := must[api.User](h, "POST", "/api/v1/users", `{"name":"ida"}`)
		root, ida := h.token, must[api.Token](h, "POST", "/api/v1/users/"+u.ID+"/tokens", `{}`).Key
		mine := must[api.Ticket](h, "POST", north+"/events/ticket", "").Ticket
		server := must[api.Ticket](h, "POST", "/api/v1/events/ticket", "").Ticket
		h.token = ida
		h.run(t, scenario{method: "POST", path: north + "/events/ticket", status: 404})
		h.run(t, scenario{method: "POST", path: "/api/v1/events/ticket", status: 403})
		must[any](h, "POST", "/api/v1/worlds", `{"id":"own","name":"Own"}`)
		idas := must[api.Ticket](h, "POST", "/api/v1/worlds/own/events/ticket", "").Ticket
		h.token = ""
		for _, path := range []string{north + "/events?after=0&ticket=" + mine, "/api/v1/events?after=0&ticket=" + server, "/api/v1/worlds/own/events?ticket=" + idas} {
			resp := h.open(t.Context(), path)
			resp.Body.Close()
		}
		for _, path := range []string{
			"/api/v1/worlds/own/events?ticket=" + mine, north + "/events?ticket=" + server, "/api/v1/events?ticket=" + mine, north + "/events?ticket=" + idas,
			north + "?ticket=" + mine, north + "/events/list?ticket=" + mine, north + "/events?ticket=" + mine + "x", north + "/events?ticket=" + mine[1:],
			north + "/events?ticket=x.y", north + "/events?ticket=.", north + "/events?ticket=",
		} {
			h.run(t, scenario{method: "GET", path: path, status: 401})
		}
		h.run(t, scenario{method: "DELETE", path: north + "/events?ticket=" + mine, status: 401})

		// Another server of the database knows the key; one without users gives
		// tickets that are worth nothing here.
		other := New(h.worlds, Options{Log: h.opts.Log})
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", north+"/events/ticket", nil)
		r.Host = "localhost"
		other.ServeHTTP(w, r)
		var open api.Ticket
		if err := json.Unmarshal(w.Body.Bytes(), &open); err != nil || open.Ticket == "" {
			t.Fatalf("%v: %s", err, w.Body)
		}
		h.run(t, scenario{method: "GET", path: north + "/events?ticket=" + open.Ticket, status: 401})
		third := New(h.worlds, Options{Auth: true, Log: h.opts.Log})
		if _, known, err := third.userByTicket(t.Context(), mine, north+"/events"); !known || err != nil {
			t.Errorf("another server does not take the ticket: %v", err)
		}
		third.now = func() time.Time { return time.Now().Add(61 * time.Second) }
		if _, _, err := third.userByTicket(t.Context(), mine, north+"/events"); store.KindOf(err) != store.NotFound {
			t.Errorf("a ticket of a minute ago: %v", err)
		}
		h.token = root
		must[any](h, "PATCH", "/api/v1/users/"+u.ID, `{"disabled":true}`)
		h.token = ""
		h.run(t, scenario{method: "GET", path: "/api/v1/worlds/own/events?ticket=" + idas, status: 401})
	})
}

// Wrong passwords are bounded by where they come from and for whom they are; the
// right one is not.
func TestWrongPasswords(t *testing.T) {
	t.Parallel()
	h := setup(t, Options{Auth: true})
	h.root()
	must[any](h, "POST", "/api/v1/users", `{"name":"ida","password":"correct horse"}`)
	h.token = ""
	now := time.Now()
	clock := func() time.Time { return now }
	h.byAddress.burst, h.byAddress.now = 3, clock
	h.byName.burst, h.byName.now = 5, clock
	try := func(name, password, from string) answer {
		return h.do("POST", "/api/v1/session", `{"name":"`+name+`","password":"`+password+`"}`, "X-Forwarded-For: "+from)
	}
	want := func(a answer, status int) {
		t.Helper()
		if a.status != status {
			t.Errorf("status %d, want %d: %s", a.status, status, a.body)
		}
	}
	for range 3 {
		want(try("ida", "wrong", "192.0.2.1"), 401)
	}
	a := try("ida", "correct horse", "192.0.2.1")
	want(a, 429)
	if a.header.Get("Retry-After") != "30" || !strings.Contains(a.body, `"too_many"`) || a.header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("Retry-After %q: %s", a.header.Get("Retry-After"), a.body)
	}
	want(try("nobody", "wrong", "192.0.2.1"), 429) // from there, for whomever
	want(try("ida", "correct horse", "2001:db8::1"), 201)
	want(try("ida", "wrong", "2001:db8::2"), 401)
	want(try("ida", "wrong", "2001:db8::ffff:3"), 401)  // of the same network
	want(try("ida", "correct horse", "192.0.2.9"), 429) // for her, from wherever
	now = now.Add(30 * time.Second)
	want(try("ida", "correct horse", "192.0.2.9"), 201)
	want(try("ida", "wrong", "192.0.2.1"), 401)
	want(try("ida", "wrong", "192.0.2.1"), 429)
	now = now.Add(-time.Hour) // a clock that jumps back frees nobody, and locks nobody out for an hour
	want(try("ida", "wrong", "192.0.2.1"), 429)
	now = now.Add(time.Hour + time.Minute)
	want(try("ida", "correct horse", "192.0.2.1"), 201)
}

func TestLimiterIsBounded(t *testing.T) {
	t.Parallel()
	l := newLimiter(2, time.Second)
	now := time.Unix(1_700_000_000, 0)
	l.now = func() time.Time { return now }
	for i := range 2 * maxDebtors {
		l.take(strconv.Itoa(i))
	}
	if len(l.owes) > maxDebtors+1 {
		t.Errorf("it remembers %d", len(l.owes))
	}
	if l.take("new") == 0 {
		t.Error("who comes when it is full is not bounded")
	}
	now = now.Add(time.Minute)
	if wait := l.take("new"); wait != 0 || len(l.owes) > 1 {
		t.Errorf("a minute later: wait %v, it remembers %d", wait, len(l.owes))
	}
}

// No password leaves a trace, not even a hash that is quick to try.
func TestPasswordsAreNotInKeys(t *testing.T) {
	t.Parallel()
	a := withoutPassword([]byte(`{"name":"ida","password":"correct horse"}`))
	b := withoutPassword([]byte(`{"name":"ida","password":"other"}`))
	if string(a) != string(b) || strings.Contains(string(a), "horse") || !strings.Contains(string(a), "ida") {
		t.Errorf("%s and %s", a, b)
	}
}
