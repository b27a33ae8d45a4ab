package server

import (
	"context"
	"net/http"
	"strings"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

// open are the paths that need no token.
var open = map[string]bool{
	"/healthz": true, "/readyz": true, "/version": true,
	"/openapi.json": true, "/openapi.yaml": true, "/openapi-3.0.json": true, "/openapi-3.0.yaml": true,
	prefix + "/session": true,
}

// identify finds out who calls.
func (s *Server) identify(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := r.Header.Get("Authorization")
		if t := ticketOf(r); t != "" && header == "" {
			s.byTicket(w, r, t, next)
			return
		}
		if open[r.URL.Path] || header == "" && !s.opts.Auth {
			next.ServeHTTP(w, r)
			return
		}
		scheme, key, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") || key == "" {
			s.unauthorized(w, "a token is needed: send the header Authorization: Bearer …")
			return
		}
		user, err := s.userOf(r.Context(), strings.TrimSpace(key))
		switch {
		case store.KindOf(err) == store.NotFound:
			s.unauthorized(w, "the token is not known here, or it has expired")
			return
		case err != nil:
			s.opts.Log.Error("a token cannot be looked up", "error", err)
			writeProblem(w, problem(http.StatusServiceUnavailable, api.Unavailable, "the database cannot be reached"))
			return
		}
		ctx := world.As(r.Context(), world.Caller{User: user.ID, Name: user.Name, Admin: user.Admin})
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// byTicket lets in who has a ticket for a stream of events.
func (s *Server) byTicket(w http.ResponseWriter, r *http.Request, text string, next http.Handler) {
	user, known, err := s.userByTicket(r.Context(), text, r.URL.Path)
	switch {
	case store.KindOf(err) == store.NotFound:
		s.unauthorized(w, "the ticket opens no stream, or no longer: get another one")
	case err != nil:
		s.opts.Log.Error("a ticket cannot be looked up", "error", err)
		writeProblem(w, problem(http.StatusServiceUnavailable, api.Unavailable, "the database cannot be reached"))
	case known:
		ctx := world.As(r.Context(), world.Caller{User: user.ID, Name: user.Name, Admin: user.Admin})
		next.ServeHTTP(w, r.WithContext(ctx))
	default:
		next.ServeHTTP(w, r)
	}
}

func (s *Server) unauthorized(w http.ResponseWriter, detail string) {
	w.Header().Set("WWW-Authenticate", `Bearer realm="weft"`)
	writeProblem(w, problem(http.StatusUnauthorized, api.Unauthorized, detail))
}

// userOf returns the user whom a key belongs to, and notes that it was used.
func (s *Server) userOf(ctx context.Context, key string) (user store.User, err error) {
	var token store.Token
	db := s.worlds.DB()
	err = db.View(ctx, func(tx *store.Tx) (err error) {
		user, token, err = tx.UserByToken(key)
		return err
	})
	if err != nil || !stale(token.Used) {
		return user, err
	}
	// That a note fails, on a full disk for example, keeps nobody out.
	if err := db.Update(ctx, func(tx *store.Tx) error { return tx.TokenUsed(token.ID) }); err != nil {
		s.opts.Log.Warn("the use of a token cannot be noted", "error", err)
	}
	return user, nil
}

// admin makes sure that the caller may administer the server.
func admin(ctx context.Context) error {
	if c, asked := world.CallerOf(ctx); asked && !c.Admin {
		return store.Errorf(world.Forbidden, "only an admin may do this")
	}
	return nil
}

// self makes sure that the caller is a user, or may administer the server.
func self(ctx context.Context, user string) error {
	if c, asked := world.CallerOf(ctx); asked && !c.Admin && c.User != user {
		return store.Errorf(store.NotFound, "there is no user %q", user)
	}
	return nil
}
