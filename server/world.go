package server

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/server/internal/params"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

const worldPath = prefix + "/worlds/{world}"

func worldBody(w store.World) api.World {
	return api.World{
		ID: w.ID, Name: w.Name, Owner: w.Owner, Settings: w.Settings, Revision: w.Revision, Seq: w.Seq, Event: w.Event, Version: w.Version,
		Conversations: w.Usage.Conversations, Messages: w.Usage.Messages, Bytes: w.Usage.Bytes, Created: w.Created, Changed: w.Changed,
	}
}

func renderWorld(w store.World) (rendered[api.World], error) {
	return rendered[api.World]{worldBody(w), etag(w.Version)}, nil
}

func (s *Server) registerWorlds() {
	const tag = "worlds"
	add(s, route{method: "GET", path: prefix + "/worlds", id: "list-worlds", summary: "List worlds", tag: tag}, s.listWorlds)
	add(s, route{method: "POST", path: prefix + "/worlds", id: "create-world", summary: "Make a world", status: 201, tag: tag}, s.createWorld)
	add(s, route{method: "GET", path: worldPath, id: "get-world", summary: "Read a world", tag: tag}, s.getWorld)
	add(s, route{method: "PATCH", path: worldPath, id: "update-world", summary: "Change a world's name, owner or settings", tag: tag}, s.updateWorld)
	add(s, route{method: "DELETE", path: worldPath, id: "erase-world", summary: "Delete a world for good, with everything in it", status: 204, tag: tag}, s.eraseWorld)
}

func (s *Server) listWorlds(ctx context.Context, in *struct {
	params.Paging
	Owner string `query:"owner" doc:"Of an admin: whose worlds. Defaults to those of all."`
},
) (*reply[api.Page[api.World]], error) {
	owner := in.Owner
	if c, asked := world.CallerOf(ctx); owner == "" && (!asked || c.Admin) {
		owner = store.AnyOwner
	}
	list, next, err := s.worlds.Worlds(ctx, owner, in.Page())
	return pageOf(list, next, err, sure(worldBody))
}

func (s *Server) createWorld(ctx context.Context, in *struct{ Body api.NewWorld }) (*reply[api.World], error) {
	settings, err := settingsOf(in.Body.Settings)
	if err != nil {
		return nil, err
	}
	n := world.NewWorld{ID: in.Body.ID, Name: in.Body.Name, Owner: in.Body.Owner, Settings: settings}
	return write(ctx, http.StatusCreated, func(ctx context.Context) (store.World, error) { return s.worlds.CreateWorld(ctx, n) }, renderWorld)
}

func (s *Server) getWorld(ctx context.Context, in *params.InWorld) (*reply[api.World], error) {
	w, err := s.worlds.World(ctx, in.World)
	if err != nil {
		return nil, err
	}
	return get(ctx, worldBody(w), etag(w.Version)), nil
}

func (s *Server) updateWorld(ctx context.Context, in *struct {
	params.InWorld
	Body api.WorldPatch
},
) (*reply[api.World], error) {
	cond, err := ifVersion(ctx)
	if err != nil {
		return nil, err
	}
	p := world.WorldPatch{Name: in.Body.Name, Owner: in.Body.Owner, Settings: in.Body.Settings}
	return write(ctx, http.StatusOK, func(ctx context.Context) (store.World, error) {
		return s.worlds.UpdateWorld(ctx, in.World, p, cond)
	}, renderWorld)
}

func (s *Server) eraseWorld(ctx context.Context, in *params.InWorld) (*none, error) {
	return writeNoneSeen(ctx, world.Seen{Thing: world.ThingWorld}, func(ctx context.Context) error { return s.worlds.EraseWorld(ctx, in.World) })
}

// settingsOf reads the settings of a request.
func settingsOf(text json.RawMessage) (world.Settings, error) {
	if len(text) == 0 {
		return world.Settings{}, nil
	}
	return world.ParseSettings(text)
}
