package server

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/server/internal/params"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

// A browser's EventSource cannot send headers, and a token in a URL ends up in
// logs and histories. A ticket may: it opens one stream, is good for a minute,
// and is worth nothing else.

// ticketLife is how long a ticket is good for. The stream that it opens goes on.
const ticketLife = time.Minute

// ticket is what is signed.
type ticket struct {
	User    string `json:"u,omitempty"`
	Path    string `json:"p"`
	Expires int64  `json:"e"`
}

func (s *Server) registerTickets() {
	const tag = "events"
	add(s, route{method: "POST", path: worldPath + "/events/ticket", id: "create-event-ticket", summary: "Get a ticket for the stream of a world's events, for a browser: it is good for a minute, as the query parameter ticket", status: 201, tag: tag},
		func(ctx context.Context, in *params.InWorld) (*reply[api.Ticket], error) {
			w, err := s.worlds.World(ctx, in.World)
			if err != nil {
				return nil, err
			}
			return s.newTicket(ctx, prefix+"/worlds/"+w.ID+"/events")
		})
	add(s, route{method: "POST", path: prefix + "/events/ticket", id: "create-server-event-ticket", summary: "The same for the stream of the server; for admins", status: 201, tag: tag},
		func(ctx context.Context, _ *none) (*reply[api.Ticket], error) {
			if err := admin(ctx); err != nil {
				return nil, err
			}
			return s.newTicket(ctx, prefix+"/events")
		})
}

func (s *Server) newTicket(ctx context.Context, path string) (*reply[api.Ticket], error) {
	key, err := s.ticketKey(ctx, true)
	if err != nil {
		return nil, err
	}
	c, _ := world.CallerOf(ctx)
	t := ticket{User: c.User, Path: path, Expires: s.now().Add(ticketLife).UnixMicro()}
	text, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	enc := base64.RawURLEncoding
	return &reply[api.Ticket]{Status: http.StatusCreated, Body: api.Ticket{
		Ticket: enc.EncodeToString(text) + "." + enc.EncodeToString(signature(key, text)), Expires: t.Expires,
	}}, nil
}

func signature(key, text []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(text)
	return h.Sum(nil)
}

// settingTicketKey names the key that signs tickets among the settings of the
// server: all servers of a database know it.
const settingTicketKey = "ticket_key"

func (s *Server) ticketKey(ctx context.Context, create bool) (key []byte, err error) {
	if kept := s.tickets.Load(); kept != nil {
		return *kept, nil
	}
	read := func(tx *store.Tx) error {
		text, err := tx.Setting("", settingTicketKey)
		if err != nil {
			return err
		}
		return json.Unmarshal(text, &key)
	}
	db := s.worlds.DB()
	err = db.View(ctx, read)
	if store.KindOf(err) == store.NotFound && create {
		err = db.Update(ctx, func(tx *store.Tx) error {
			if err := read(tx); store.KindOf(err) != store.NotFound {
				return err
			}
			key = make([]byte, 32)
			_, _ = rand.Read(key) // never fails
			text, err := json.Marshal(key)
			if err != nil {
				return err
			}
			return tx.SetSetting("", settingTicketKey, text)
		})
	}
	if err == nil {
		s.tickets.Store(&key)
	}
	return key, err
}

// ticketOf returns the ticket of a request; "" if it is none that a ticket may
// open.
func ticketOf(r *http.Request) string {
	if r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, "/events") {
		return ""
	}
	return r.URL.Query().Get("ticket")
}

// userByTicket returns whose ticket opens a stream. It is NotFound if the ticket
// does not, or no longer; false if it is that of a server without users.
func (s *Server) userByTicket(ctx context.Context, text, path string) (user store.User, known bool, err error) {
	no := store.Errorf(store.NotFound, "the ticket opens no stream, or no longer")
	body, mark, _ := strings.Cut(text, ".")
	enc := base64.RawURLEncoding
	signed, e1 := enc.DecodeString(body)
	sign, e2 := enc.DecodeString(mark)
	if e1 != nil || e2 != nil {
		return user, false, no
	}
	key, err := s.ticketKey(ctx, false)
	if err != nil {
		return user, false, err
	}
	var t ticket
	if !hmac.Equal(sign, signature(key, signed)) || json.Unmarshal(signed, &t) != nil || t.Path != path || t.Expires < s.now().UnixMicro() {
		return user, false, no
	}
	if t.User == "" {
		if s.opts.Auth {
			return user, false, no
		}
		return user, false, nil
	}
	err = s.worlds.DB().View(ctx, func(tx *store.Tx) (err error) {
		user, err = tx.User(t.User)
		return err
	})
	if err == nil && user.Disabled {
		err = no
	}
	return user, true, err
}
