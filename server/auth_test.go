package server

import (
	"strings"
	"testing"

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
