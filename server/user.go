package server

import (
	"context"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/server/internal/params"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

func userBody(u store.User) api.User {
	return api.User{ID: u.ID, Name: u.Name, Admin: u.Admin, Disabled: u.Disabled, Quota: api.Limits(u.Quota), Version: u.Version, Created: u.Created}
}

func tokenBody(t store.Token) api.Token {
	return api.Token{ID: t.ID, Name: t.Name, Created: t.Created, Used: t.Used, Expires: t.Expires}
}

func (s *Server) registerUsers() {
	const tag = "users"
	const userPath = prefix + "/users/{user}"
	add(s, route{method: "POST", path: prefix + "/session", id: "sign-in", summary: "Get a token by name and password", status: 201, tag: tag}, s.signInUser)
	add(s, route{method: "GET", path: prefix + "/users", id: "list-users", summary: "List users; for admins", tag: tag}, s.listUsers)
	add(s, route{method: "POST", path: prefix + "/users", id: "create-user", summary: "Make a user; for admins", status: 201, tag: tag}, s.createUser)
	add(s, route{method: "GET", path: userPath, id: "get-user", summary: "Read a user", tag: tag}, s.getUser)
	add(s, route{method: "PATCH", path: userPath, id: "update-user", summary: "Change a user; everything but the own password is for admins", tag: tag}, s.updateUser)
	add(s, route{method: "DELETE", path: userPath, id: "delete-user", summary: "Delete a user who owns no worlds; for admins", status: 204, tag: tag}, s.deleteUser)
	add(s, route{method: "GET", path: userPath + "/tokens", id: "list-tokens", summary: "List a user's tokens", tag: tag}, s.listTokens)
	add(s, route{method: "POST", path: userPath + "/tokens", id: "create-token", summary: "Make a token, whose key is told this once", status: 201, tag: tag}, s.createToken)
	add(s, route{method: "DELETE", path: userPath + "/tokens/{token}", id: "delete-token", summary: "End a token", status: 204, tag: tag}, s.deleteToken)
}

// signInUser makes a token of a password. It takes no idempotency key, which
// would have to keep the token.
func (s *Server) signInUser(ctx context.Context, in *struct{ Body api.SignIn }) (*reply[api.Token], error) {
	address := requestOf(ctx).address
	for _, l := range []struct {
		of  *limiter
		who string
	}{{s.byAddress, address}, {s.byName, in.Body.Name}} {
		if wait := l.of.take(l.who); wait > 0 {
			p := problem(http.StatusTooManyRequests, api.TooMany, "too many wrong passwords: wait for "+strconv.Itoa(seconds(wait))+" seconds")
			return nil, huma.ErrorWithHeaders(p, http.Header{"Retry-After": {strconv.Itoa(seconds(wait))}})
		}
	}
	select { // a password takes a tenth of a second of a core
	case s.signIn <- struct{}{}:
		defer func() { <-s.signIn }()
	default:
		s.byAddress.give(address)
		s.byName.give(in.Body.Name)
		return nil, store.Errorf(world.Busy, "too many are signing in: try again in a moment")
	}
	db := s.worlds.DB()
	var user store.User
	err := db.View(ctx, func(tx *store.Tx) (err error) {
		user, err = tx.UserByName(in.Body.Name)
		return err
	})
	if err != nil && store.KindOf(err) != store.NotFound {
		return nil, err
	}
	if !store.CheckPassword(user.Password, in.Body.Password) || user.Disabled || err != nil {
		return nil, problem(http.StatusUnauthorized, api.Unauthorized, "the name or the password is wrong")
	}
	s.byAddress.give(address)
	s.byName.give(in.Body.Name)
	return s.newToken(withoutKey(ctx), user.ID, api.NewToken{Name: in.Body.Token})
}

// withoutKey returns a context of a request without an idempotency key.
func withoutKey(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestKey{}, &request{})
}

// newToken makes a token. Its key is told this once: the answer to a repeated
// request has none, since it is kept nowhere.
func (s *Server) newToken(ctx context.Context, user string, n api.NewToken) (*reply[api.Token], error) {
	key := ""
	out, err := write(ctx, http.StatusCreated, func(ctx context.Context) (store.Token, error) {
		return world.Update(ctx, s.worlds, func(tx *store.Tx) (t store.Token, err error) {
			t, key, err = tx.CreateToken(user, n.Name, n.Expires)
			return t, err
		})
	}, func(t store.Token) (rendered[api.Token], error) { return rendered[api.Token]{body: tokenBody(t)}, nil })
	if err != nil {
		return nil, err
	}
	out.Body.Key = key
	return out, nil
}

func renderUser(u store.User) (rendered[api.User], error) {
	return rendered[api.User]{userBody(u), etag(u.Version)}, nil
}

func (s *Server) listUsers(ctx context.Context, in *params.Paging) (*reply[api.Page[api.User]], error) {
	if err := admin(ctx); err != nil {
		return nil, err
	}
	var list []store.User
	var next string
	err := s.worlds.DB().View(ctx, func(tx *store.Tx) (err error) {
		list, next, err = tx.Users(in.Page())
		return err
	})
	return pageOf(list, next, err, sure(userBody))
}

func (s *Server) createUser(ctx context.Context, in *struct{ Body api.NewUser }) (*reply[api.User], error) {
	if err := admin(ctx); err != nil {
		return nil, err
	}
	u := store.User{Name: in.Body.Name, Admin: in.Body.Admin, Quota: store.QuotaLimits(in.Body.Quota)}
	var err error
	if in.Body.Password != "" {
		if u.Password, err = store.HashPassword(in.Body.Password); err != nil {
			return nil, err
		}
	}
	return write(ctx, http.StatusCreated, func(ctx context.Context) (store.User, error) {
		return world.Update(ctx, s.worlds, func(tx *store.Tx) (store.User, error) { return tx.CreateUser(u) })
	}, renderUser)
}

func (s *Server) getUser(ctx context.Context, in *params.InUser) (*reply[api.User], error) {
	if err := self(ctx, in.User); err != nil {
		return nil, err
	}
	var u store.User
	err := s.worlds.DB().View(ctx, func(tx *store.Tx) (err error) {
		u, err = tx.User(in.User)
		return err
	})
	if err != nil {
		return nil, err
	}
	return get(ctx, userBody(u), etag(u.Version)), nil
}

func (s *Server) updateUser(ctx context.Context, in *struct {
	params.InUser
	Body api.UserPatch
},
) (*reply[api.User], error) {
	p := in.Body
	if err := self(ctx, in.User); err != nil {
		return nil, err
	}
	if p.Name != nil || p.Admin != nil || p.Disabled != nil || p.Quota != nil {
		if err := admin(ctx); err != nil {
			return nil, err
		}
	}
	cond, err := ifVersion(ctx)
	if err != nil {
		return nil, err
	}
	hash := ""
	if p.Password != nil {
		if hash, err = store.HashPassword(*p.Password); err != nil {
			return nil, err
		}
	}
	return write(ctx, http.StatusOK, func(ctx context.Context) (store.User, error) {
		return world.Update(ctx, s.worlds, func(tx *store.Tx) (store.User, error) {
			u, err := tx.User(in.User)
			if err != nil {
				return u, err
			}
			if p.Name != nil {
				u.Name = *p.Name
			}
			if p.Admin != nil {
				u.Admin = *p.Admin
			}
			if p.Disabled != nil {
				u.Disabled = *p.Disabled
			}
			if p.Quota != nil {
				u.Quota = store.QuotaLimits(*p.Quota)
			}
			if hash != "" {
				u.Password = hash
			}
			return tx.UpdateUser(u, cond)
		})
	}, renderUser)
}

func (s *Server) deleteUser(ctx context.Context, in *params.InUser) (*none, error) {
	if err := admin(ctx); err != nil {
		return nil, err
	}
	cond, err := ifVersion(ctx)
	if err != nil {
		return nil, err
	}
	return s.writeServer(ctx, func(tx *store.Tx) error {
		u, err := tx.User(in.User)
		if err != nil {
			return err
		}
		if cond != 0 && u.Version != int64(cond) {
			return store.Errorf(store.Conflict, "the user was changed since: read it again")
		}
		return tx.DeleteUser(in.User)
	})
}

// writeServer is writeNone for a transaction that concerns no world.
func (s *Server) writeServer(ctx context.Context, fn func(tx *store.Tx) error) (*none, error) {
	return writeNone(ctx, func(ctx context.Context) error {
		_, err := world.Update(ctx, s.worlds, func(tx *store.Tx) (any, error) { return nil, fn(tx) })
		return err
	})
}

func (s *Server) listTokens(ctx context.Context, in *struct {
	params.InUser
	params.Paging
},
) (*reply[api.Page[api.Token]], error) {
	if err := self(ctx, in.User); err != nil {
		return nil, err
	}
	var list []store.Token
	err := s.worlds.DB().View(ctx, func(tx *store.Tx) (err error) {
		if _, err = tx.User(in.User); err == nil {
			list, err = tx.Tokens(in.User)
		}
		return err
	})
	return part(list, in.Paging, err, sure(tokenBody))
}

func (s *Server) createToken(ctx context.Context, in *struct {
	params.InUser
	Body api.NewToken
},
) (*reply[api.Token], error) {
	if err := self(ctx, in.User); err != nil {
		return nil, err
	}
	return s.newToken(ctx, in.User, in.Body)
}

func (s *Server) deleteToken(ctx context.Context, in *struct {
	params.InUser
	Token string `path:"token" maxLength:"200"`
},
) (*none, error) {
	if err := self(ctx, in.User); err != nil {
		return nil, err
	}
	return s.writeServer(ctx, func(tx *store.Tx) error {
		list, err := tx.Tokens(in.User)
		if err != nil {
			return err
		}
		for _, t := range list {
			if t.ID == in.Token {
				return tx.DeleteToken(t.ID)
			}
		}
		return store.Errorf(store.NotFound, "the user has no token %q", in.Token)
	})
}
