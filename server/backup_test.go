package server

import (
	"strings"
	"testing"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/store"
)

// Everything can be had by an admin, while the server goes on, and by nobody
// else.
func TestBackup(t *testing.T) {
	t.Parallel()
	h := setup(t, Options{Auth: true})
	h.root()
	h.scene()
	a := h.do("GET", "/api/v1/backup", "")
	if a.status != 200 {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	info, err := store.VerifyBackup(t.Context(), strings.NewReader(a.body), store.Options{})
	if err != nil || info.Rows == 0 {
		t.Errorf("the backup: %+v, %v", info, err)
	}
	u := must[api.User](h, "POST", "/api/v1/users", `{"name":"ida"}`)
	h.token = must[api.Token](h, "POST", "/api/v1/users/"+u.ID+"/tokens", `{}`).Key
	h.run(t, scenario{method: "GET", path: "/api/v1/backup", status: 403})
	h.token = ""
	h.run(t, scenario{method: "GET", path: "/api/v1/backup", status: 401})
}
