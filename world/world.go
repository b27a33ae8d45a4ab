package world

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/weft-memory/weft/store"
)

// NewWorld describes a world to be made.
type NewWorld struct {
	// ID is made up if it is empty.
	ID, Name string
	// Owner is the user whose quota counts. Defaults to the caller.
	Owner    string
	Settings Settings
}

// WorldPatch changes a world; nil fields stay.
type WorldPatch struct {
	Name *string
	// Owner gives the world to another user; only an admin may.
	Owner *string
	// Settings is a merge patch (RFC 7396) of [Settings].
	Settings json.RawMessage
}

// CreateWorld makes a world. Beyond the owner's quota it is a Quota error.
func (s *Service) CreateWorld(ctx context.Context, n NewWorld) (store.World, error) {
	c, asked := CallerOf(ctx)
	if n.Owner == "" {
		n.Owner = c.User
	}
	if asked && !c.Admin && n.Owner != c.User {
		return store.World{}, store.Errorf(Forbidden, "only an admin makes worlds for others")
	}
	if err := n.Settings.check(); err != nil {
		return store.World{}, err
	}
	settings, err := json.Marshal(n.Settings)
	if err != nil {
		return store.World{}, err
	}
	var w store.World
	err = s.db.Update(ctx, func(tx *store.Tx) (err error) {
		w, err = once(ctx, tx, func() (store.World, string, error) {
			w, err := tx.CreateWorld(store.World{ID: n.ID, Owner: n.Owner, Name: n.Name, Settings: settings})
			if err != nil {
				return w, "", err
			}
			if err := systemEvent(tx, EventWorldCreated, w.ID, w.Owner); err != nil {
				return w, "", err
			}
			return w, "", nil
		}, n.ID)
		return err
	})
	return w, err
}

// systemEvent adds an event about a world to the world of the server itself.
func systemEvent(tx *store.Tx, kind, world, owner string) error {
	payload, err := json.Marshal(map[string]string{"owner": owner})
	if err != nil {
		return err
	}
	_, err = tx.AppendEvent(store.Event{World: store.System, Kind: kind, Ref: world, Payload: payload})
	return err
}

// World returns a world.
func (s *Service) World(ctx context.Context, world string) (store.World, error) {
	return view(ctx, s, world, func(tx *txn) (store.World, error) { return tx.world, nil })
}

// Worlds lists the caller's worlds in the order in which they were made; an
// admin, or the program itself, gets those of owner, or all with "*".
func (s *Service) Worlds(ctx context.Context, owner string, p store.Page) (list []store.World, next string, err error) {
	if c, asked := CallerOf(ctx); asked && !c.Admin {
		if owner != "" && owner != c.User {
			return nil, "", store.Errorf(Forbidden, "only an admin sees the worlds of others")
		}
		owner = c.User
	}
	err = s.db.View(ctx, func(tx *store.Tx) (err error) {
		list, next, err = tx.Worlds(owner, p)
		return err
	})
	return list, next, err
}

// UpdateWorld changes a world's name, owner or settings.
func (s *Service) UpdateWorld(ctx context.Context, world string, p WorldPatch, cond store.If) (store.World, error) {
	if c, asked := CallerOf(ctx); asked && !c.Admin && p.Owner != nil && *p.Owner != c.User {
		return store.World{}, store.Errorf(Forbidden, "only an admin gives a world to another user")
	}
	return update(ctx, s, world, func(tx *txn) (store.World, error) {
		w := tx.world
		if p.Name != nil {
			w.Name = *p.Name
		}
		if p.Owner != nil {
			w.Owner = *p.Owner
		}
		var err error
		if w.Settings, err = patched(w.Settings, p.Settings); err != nil {
			return w, err
		}
		if w, err = tx.UpdateWorld(w, cond); err != nil {
			return w, err
		}
		return w, tx.event(EventWorldUpdated, w.ID, "")
	})
}

// EraseWorld deletes a world for good, with everything in it. What was erased
// is gone from the files when it returns.
func (s *Service) EraseWorld(ctx context.Context, world string) error {
	err := s.db.Update(ctx, func(tx *store.Tx) error {
		_, err := once(ctx, tx, func() (any, string, error) {
			t, err := s.enter(ctx, tx, world, true)
			if err != nil {
				return nil, "", err
			}
			if err := t.asSeen(); err != nil {
				return nil, "", err
			}
			if err := tx.EraseWorld(world); err != nil {
				return nil, "", err
			}
			return nil, "", systemEvent(tx, EventWorldErased, world, t.world.Owner)
		}, "")
		tx.OnCommit(func() { s.forgetWorld(world) })
		return err
	})
	return s.purged(ctx, err)
}

// The scopes of what the services keep as settings in the store.
const (
	scopeServer       = ""
	scopeWorld        = "world:"
	scopeConversation = "conversation:"
)

// eraseSettings takes away all that is kept in a scope.
func (tx *txn) eraseSettings(scope string) error {
	all, err := tx.Settings(scope)
	if err != nil {
		return err
	}
	for name := range all {
		if err := tx.SetSetting(scope, name, nil); err != nil {
			return err
		}
	}
	return nil
}

// settingRetention is the name of the retention among the server's settings.
const settingRetention = "retention"

// Retention returns how long things are kept that nobody needs for ever, the
// defaults filled in; SetRetention changes it for the whole server.
func (s *Service) Retention(ctx context.Context) (store.Retention, error) {
	var r store.Retention
	err := s.db.View(ctx, func(tx *store.Tx) error {
		raw, err := tx.Setting(scopeServer, settingRetention)
		if store.KindOf(err) == store.NotFound {
			return nil
		}
		if err != nil {
			return err
		}
		return json.Unmarshal(raw, &r)
	})
	for _, d := range []struct {
		of   *time.Duration
		dflt time.Duration
	}{
		{&r.Events, store.DefaultKeepEvents},
		{&r.Responses, store.DefaultKeepResponses},
		{&r.Deleted, store.DefaultKeepDeleted},
		{&r.Work, store.DefaultKeepWork},
	} {
		if *d.of == 0 {
			*d.of = d.dflt
		}
	}
	return r, err
}

// SetRetention changes how long things are kept. Only an admin may.
func (s *Service) SetRetention(ctx context.Context, r store.Retention) error {
	if c, asked := CallerOf(ctx); asked && !c.Admin {
		return store.Errorf(Forbidden, "only an admin changes how long things are kept")
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return s.db.Update(ctx, func(tx *store.Tx) error { return tx.SetSetting(scopeServer, settingRetention, raw) })
}

// Prune deletes what is older than the retention allows. A server calls it now
// and then.
func (s *Service) Prune(ctx context.Context) (store.Pruned, error) {
	r, err := s.Retention(ctx)
	if err != nil {
		return store.Pruned{}, err
	}
	p, err := s.db.Prune(ctx, r)
	if p.Conversations+p.Messages > 0 { // nothing of it stays in memory or in the files
		s.ready.removeIf(func(string, *ready) bool { return true })
		s.turns.removeIf(func(string, *Turn) bool { return true })
		err = errors.Join(err, s.db.Purge(ctx))
	}
	return p, err
}
