package world

import (
	"context"
	"encoding/json"

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
	return store.World{}, errPending
}

// World returns a world.
func (s *Service) World(ctx context.Context, world string) (store.World, error) {
	return store.World{}, errPending
}

// Worlds lists the caller's worlds in the order in which they were made; an
// admin, or the program itself, gets those of owner, or all with "*".
func (s *Service) Worlds(ctx context.Context, owner string, p store.Page) (list []store.World, next string, err error) {
	return nil, "", errPending
}

// UpdateWorld changes a world's name, owner or settings.
func (s *Service) UpdateWorld(ctx context.Context, world string, p WorldPatch, cond store.If) (store.World, error) {
	return store.World{}, errPending
}

// EraseWorld deletes a world for good, with everything in it.
func (s *Service) EraseWorld(ctx context.Context, world string) error { return errPending }

// Retention returns how long things are kept that nobody needs for ever, the
// defaults filled in; SetRetention changes it for the whole server.
func (s *Service) Retention(ctx context.Context) (store.Retention, error) {
	return store.Retention{}, errPending
}

// SetRetention changes how long things are kept. Only an admin may.
func (s *Service) SetRetention(ctx context.Context, r store.Retention) error { return errPending }

// Prune deletes what is older than the retention allows. A server calls it now
// and then.
func (s *Service) Prune(ctx context.Context) (store.Pruned, error) {
	return store.Pruned{}, errPending
}
