package server

import (
	"context"
	"net/http"
	"strconv"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/server/internal/params"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

const conversationPath = worldPath + "/conversations/{conversation}"

func conversationBody(c store.Conversation) api.Conversation {
	return api.Conversation{
		ID: c.ID, Title: c.Title, Head: c.Head, Seed: strconv.FormatUint(c.Seed, 10), Settings: c.Settings, External: c.External,
		Nodes: c.Nodes, Deleted: c.Deleted, Version: c.Version, Created: c.Created, Changed: c.Changed,
	}
}

func renderConversation(c store.Conversation) (rendered[api.Conversation], error) {
	return rendered[api.Conversation]{conversationBody(c), etag(c.Version)}, nil
}

// seedOf reads a seed; nil if there is none.
func seedOf(text string) (*uint64, error) {
	if text == "" {
		return nil, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return nil, store.Errorf(store.Invalid, "the seed %q is not a number below 2^64", clip(text))
	}
	return &n, nil
}

func (s *Server) registerConversations() {
	const tag, conversations = "conversations", worldPath + "/conversations"
	add(s, route{method: "GET", path: conversations, id: "list-conversations", summary: "List the conversations of a world, the last changed first", tag: tag}, s.listConversations)
	add(s, route{method: "POST", path: conversations, id: "create-conversation", summary: "Make a conversation", status: 201, tag: tag}, s.createConversation)
	add(s, route{method: "GET", path: conversationPath, id: "get-conversation", summary: "Read a conversation", tag: tag}, s.getConversation)
	add(s, route{method: "PATCH", path: conversationPath, id: "update-conversation", summary: "Change a conversation", tag: tag}, s.updateConversation)
	add(s, route{method: "DELETE", path: conversationPath, id: "delete-conversation", summary: "Delete a conversation; with erase for good", status: 204, tag: tag}, s.deleteConversation)
	add(s, route{method: "POST", path: conversationPath + "/restore", id: "restore-conversation", summary: "Bring a deleted conversation back", tag: tag}, s.restoreConversation)
	add(s, route{method: "GET", path: conversationPath + "/tree", id: "get-tree", summary: "The structure of a conversation", tag: tag}, s.getTree)
	add(s, route{method: "GET", path: conversationPath + "/head", id: "get-head", summary: "The message at which a conversation stands", tag: tag}, s.getHead)
	add(s, route{method: "PUT", path: conversationPath + "/head", id: "set-head", summary: "Move the head to a message", tag: tag}, s.setHead)
}

func (s *Server) listConversations(ctx context.Context, in *struct {
	params.InWorld
	params.Paging
},
) (*reply[api.Page[api.Conversation]], error) {
	list, next, err := s.worlds.Conversations(ctx, in.World, in.Page())
	return pageOf(list, next, err, sure(conversationBody))
}

func (s *Server) createConversation(ctx context.Context, in *struct {
	params.InWorld
	Body api.NewConversation
},
) (*reply[api.Conversation], error) {
	settings, err := settingsOf(in.Body.Settings)
	if err != nil {
		return nil, err
	}
	seed, err := seedOf(in.Body.Seed)
	if err != nil {
		return nil, err
	}
	n := world.NewConversation{
		ID: in.Body.ID, Title: in.Body.Title, External: in.Body.External, IfNew: in.Body.IfNew, Settings: settings, NoGreeting: in.Body.NoGreeting,
	}
	if seed != nil {
		n.Seed = *seed
	}
	return write(ctx, http.StatusCreated, func(ctx context.Context) (store.Conversation, error) {
		return s.worlds.CreateConversation(ctx, in.World, n)
	}, renderConversation)
}

func (s *Server) getConversation(ctx context.Context, in *params.InConversation) (*reply[api.Conversation], error) {
	c, err := s.worlds.Conversation(ctx, in.World, in.Conversation)
	if err != nil {
		return nil, err
	}
	// The version does not rise with messages, which the body counts.
	return &reply[api.Conversation]{Status: http.StatusOK, ETag: etag(c.Version), Body: conversationBody(c)}, nil
}

func (s *Server) updateConversation(ctx context.Context, in *struct {
	params.InConversation
	Body api.ConversationPatch
},
) (*reply[api.Conversation], error) {
	cond, err := ifVersion(ctx)
	if err != nil {
		return nil, err
	}
	p := world.ConversationPatch{Title: in.Body.Title, External: in.Body.External, Settings: in.Body.Settings}
	if in.Body.Seed != nil {
		if p.Seed, err = seedOf(*in.Body.Seed); err != nil {
			return nil, err
		}
	}
	return write(ctx, http.StatusOK, func(ctx context.Context) (store.Conversation, error) {
		return s.worlds.UpdateConversation(ctx, in.World, in.Conversation, p, cond)
	}, renderConversation)
}

func (s *Server) deleteConversation(ctx context.Context, in *struct {
	params.InConversation
	Erase bool `query:"erase" doc:"Delete it for good, with everything that came from it."`
},
) (*none, error) {
	cond, err := ifVersion(ctx)
	if err != nil {
		return nil, err
	}
	return writeNoneSeen(ctx, world.Seen{Thing: world.ThingConversation, ID: in.Conversation}, func(ctx context.Context) error {
		if in.Erase {
			return s.worlds.EraseConversation(ctx, in.World, in.Conversation)
		}
		return s.worlds.DeleteConversation(ctx, in.World, in.Conversation, cond)
	})
}

func (s *Server) restoreConversation(ctx context.Context, in *params.InConversation) (*reply[api.Conversation], error) {
	return writeSeen(ctx, world.Seen{Thing: world.ThingConversation, ID: in.Conversation}, http.StatusOK, func(ctx context.Context) (store.Conversation, error) {
		return s.worlds.RestoreConversation(ctx, in.World, in.Conversation)
	}, renderConversation)
}

func (s *Server) getTree(ctx context.Context, in *params.InConversation) (*reply[api.Tree], error) {
	t, err := s.worlds.Tree(ctx, in.World, in.Conversation)
	if err != nil {
		return nil, err
	}
	nodes, err := eachOf(t.Nodes, sure(nodeBody))
	return get(ctx, api.Tree{Conversation: conversationBody(t.Conversation), Nodes: nodes, Path: append([]string{}, t.Path...)}, ""), err
}

func (s *Server) getHead(ctx context.Context, in *params.InConversation) (*reply[api.Head], error) {
	c, err := s.worlds.Conversation(ctx, in.World, in.Conversation)
	if err != nil {
		return nil, err
	}
	head := c.Head
	if head == "" {
		head = world.Root
	}
	return get(ctx, api.Head{Node: head}, quoted(head)), nil
}

func (s *Server) setHead(ctx context.Context, in *struct {
	params.InConversation
	Body api.Head
},
) (*reply[api.Conversation], error) {
	return writeSeen(ctx, world.Seen{Thing: world.ThingHead, ID: in.Conversation}, http.StatusOK, func(ctx context.Context) (store.Conversation, error) {
		return s.worlds.SetHead(ctx, in.World, in.Conversation, in.Body.Node)
	}, renderConversation)
}
