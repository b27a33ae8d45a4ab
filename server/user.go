package server

import (
	"context"
	"net/http"

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

func (s *Server) signInUser(ctx context.Context, in *struct{ Body api.SignIn }) (*reply[api.Token], error) {
	select { // a password takes a tenth of a second of a core
	case s.signIn <- struct{}{}:
		defer func() { <-s.signIn }()
	default:
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
	return s.newToken(ctx, user.ID, api.NewToken{Name: in.Body.Token})
}

func (s *Server) newToken(ctx context.Context, user string, n api.NewToken) (*reply[api.Token], error) {
	var out api.Token
	err := s.worlds.DB().Update(ctx, func(tx *store.Tx) error {
		t, key, err := tx.CreateToken(user, n.Name, n.Expires)
		out = tokenBody(t)
		out.Key = key
		return err
	})
	if err != nil {
		return nil, err
	}
	return &reply[api.Token]{Status: http.StatusCreated, Body: out}, nil
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
	err = s.worlds.DB().Update(ctx, func(tx *store.Tx) error {
		made, err := tx.CreateUser(u)
		if err == nil {
			u = made
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &reply[api.User]{Status: http.StatusCreated, ETag: etag(u.Version), Body: userBody(u)}, nil
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
	var u store.User
	err = s.worlds.DB().Update(ctx, func(tx *store.Tx) (err error) {
		if u, err = tx.User(in.User); err != nil {
			return err
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
		u, err = tx.UpdateUser(u, cond)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &reply[api.User]{Status: http.StatusOK, ETag: etag(u.Version), Body: userBody(u)}, nil
}

func (s *Server) deleteUser(ctx context.Context, in *params.InUser) (*none, error) {
	if err := admin(ctx); err != nil {
		return nil, err
	}
	return nil, s.worlds.DB().Update(ctx, func(tx *store.Tx) error { return tx.DeleteUser(in.User) })
}

func (s *Server) listTokens(ctx context.Context, in *params.InUser) (*reply[api.Page[api.Token]], error) {
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
	return pageOf(list, "", err, sure(tokenBody))
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
	return nil, s.worlds.DB().Update(ctx, func(tx *store.Tx) error {
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
