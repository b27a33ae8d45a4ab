package server

import (
	"context"
	"net/http"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/server/internal/params"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

func nodeBody(n store.Node) api.Node {
	return api.Node{
		ID: n.ID, Conversation: n.Conversation, Parent: n.Parent, Role: string(n.Role), Name: n.Name, Content: n.Content,
		Kind: string(n.Kind), Swipe: n.Swipe, EditOf: n.EditOf, Author: n.Author, External: n.External, Ext: n.Ext,
		Hidden: n.Hidden, Deleted: n.Deleted, ShownAs: n.ShownAs, Depth: n.Depth, Created: n.Created,
	}
}

func renderNode(n store.Node) (rendered[api.Node], error) {
	return rendered[api.Node]{body: nodeBody(n)}, nil
}

func messageOf(m api.Message) world.Message {
	return world.Message{
		ID: m.ID, Role: lore.Role(m.Role), Name: m.Name, Content: m.Content, Hidden: m.Hidden, Author: m.Author, External: m.External, Ext: m.Ext,
	}
}

func messagesOf(list []api.Message) []world.Message {
	out, _ := eachOf(list, sure(messageOf))
	return out
}

func (s *Server) registerNodes() {
	const tag, nodePath = "messages", worldPath + "/nodes/{node}"
	add(s, route{method: "GET", path: conversationPath + "/nodes", id: "list-path", summary: "The messages from the beginning of a conversation to a message", tag: tag}, s.listPath)
	add(s, route{method: "POST", path: conversationPath + "/nodes", id: "append", summary: "Add messages without a reply", status: 201, tag: tag, file: true}, s.appendNodes)
	add(s, route{method: "GET", path: nodePath, id: "get-node", summary: "Read a message", tag: tag}, s.getNode)
	add(s, route{method: "DELETE", path: nodePath, id: "delete-node", summary: "Delete a message; with branch also all that follows it", tag: tag}, s.deleteNode)
	add(s, route{method: "POST", path: nodePath + "/restore", id: "restore-node", summary: "Bring a deleted message back", status: 204, tag: tag}, s.restoreNode)
	add(s, route{method: "POST", path: nodePath + "/swipe", id: "swipe", summary: "Add another version of a message, and show it", status: 201, tag: tag}, s.swipe)
	add(s, route{method: "POST", path: nodePath + "/switch", id: "switch-swipe", summary: "Show this version of a message", tag: tag}, s.switchSwipe)
	add(s, route{method: "POST", path: nodePath + "/edit", id: "edit-node", summary: "Change a message; the old wording is kept", tag: tag}, s.editNode)
	add(s, route{method: "POST", path: nodePath + "/continue", id: "continue-node", summary: "Add text to the end of a message", tag: tag}, s.continueNode)
	add(s, route{method: "POST", path: nodePath + "/branch", id: "branch", summary: "Go back to a message, so that what is said next begins a branch", tag: tag}, s.branch)
	add(s, route{method: "POST", path: nodePath + "/hide", id: "hide-node", summary: "Keep a message out of the prompt, or take that back", status: 204, tag: tag}, s.hideNode)
}

func (s *Server) listPath(ctx context.Context, in *struct {
	params.InConversation
	Node    string `query:"node" maxLength:"1000" doc:"Where the path ends. Defaults to the head."`
	Last    int    `query:"last" minimum:"0" maximum:"1000000" default:"100" doc:"The last messages only; 0 is all."`
	Limit   int    `query:"limit" minimum:"0" maximum:"1000" doc:"The same as last, as other lists call it. Next is the cursor of the page with earlier messages."`
	Cursor  string `query:"cursor" maxLength:"1000" doc:"What the page with later messages returned as next."`
	AsOf    int64  `query:"as_of" minimum:"0"`
	Deleted bool   `query:"deleted" doc:"Keep deleted messages in."`
},
) (*reply[api.Page[api.Node]], error) {
	o := world.PathOptions{Node: in.Node, Last: in.Last, AsOf: in.AsOf, Deleted: in.Deleted}
	if in.Limit > 0 {
		o.Last = in.Limit
	}
	if in.Cursor != "" {
		o.Node = in.Cursor
	}
	list, err := s.worlds.Path(ctx, in.World, in.Conversation, o)
	next := ""
	if len(list) > 0 && len(list) == o.Last {
		next = list[0].Node.Parent
	}
	return pageOf(list, next, err, sure(func(t world.Turning) api.Node {
		out := nodeBody(t.Node)
		out.Swipes, out.At, out.Operations = t.Swipes, t.At, t.Operations
		return out
	}))
}

func (s *Server) appendNodes(ctx context.Context, in *struct {
	params.InConversation
	Body api.Append
},
) (*reply[api.Page[api.Node]], error) {
	a := world.Append{
		Parent: in.Body.Parent, Messages: messagesOf(in.Body.Messages), IfHead: in.Body.IfHead, KeepHead: in.Body.KeepHead, IfNew: in.Body.IfNew,
	}
	return writeSeen(ctx, world.Seen{Thing: world.ThingHead, ID: in.Conversation}, http.StatusCreated, func(ctx context.Context) ([]store.Node, error) {
		return s.worlds.Append(ctx, in.World, in.Conversation, a)
	}, func(list []store.Node) (rendered[api.Page[api.Node]], error) {
		items, err := eachOf(list, sure(nodeBody))
		return rendered[api.Page[api.Node]]{body: api.Page[api.Node]{Items: items}}, err
	})
}

func (s *Server) getNode(ctx context.Context, in *params.InNode) (*reply[api.Node], error) {
	n, err := s.worlds.Node(ctx, in.World, in.Node)
	if err != nil {
		return nil, err
	}
	return get(ctx, nodeBody(n), quoted(world.NodeVersion(n))), nil
}

func (s *Server) deleteNode(ctx context.Context, in *struct {
	params.InNode
	Branch bool `query:"branch" doc:"Delete all that follows it, too."`
},
) (*reply[api.Count], error) {
	of := world.Seen{Thing: world.ThingNode, ID: in.Node}
	if in.Branch {
		return writeSeen(ctx, of, http.StatusOK, func(ctx context.Context) (int, error) { return s.worlds.DeleteBranch(ctx, in.World, in.Node) },
			func(n int) (rendered[api.Count], error) { return rendered[api.Count]{body: api.Count{Count: n}}, nil })
	}
	return writeSeen(ctx, of, http.StatusOK, func(ctx context.Context) (any, error) { return nil, s.worlds.Delete(ctx, in.World, in.Node) },
		func(any) (rendered[api.Count], error) { return rendered[api.Count]{body: api.Count{Count: 1}}, nil })
}

func (s *Server) restoreNode(ctx context.Context, in *params.InNode) (*none, error) {
	return writeNoneSeen(ctx, world.Seen{Thing: world.ThingNode, ID: in.Node}, func(ctx context.Context) error { return s.worlds.Undelete(ctx, in.World, in.Node) })
}

func (s *Server) swipe(ctx context.Context, in *struct {
	params.InNode
	Body api.Message
},
) (*reply[api.Node], error) {
	return writeSeen(ctx, world.Seen{Thing: world.ThingNode, ID: in.Node}, http.StatusCreated, func(ctx context.Context) (store.Node, error) {
		return s.worlds.Swipe(ctx, in.World, in.Node, messageOf(in.Body))
	}, renderNode)
}

func (s *Server) switchSwipe(ctx context.Context, in *params.InNode) (*reply[api.Conversation], error) {
	return writeSeen(ctx, world.Seen{Thing: world.ThingNode, ID: in.Node}, http.StatusOK, func(ctx context.Context) (store.Conversation, error) {
		return s.worlds.SwitchSwipe(ctx, in.World, in.Node)
	}, renderConversation)
}

func (s *Server) editNode(ctx context.Context, in *struct {
	params.InNode
	Body api.Edit
},
) (*reply[api.Node], error) {
	return writeSeen(ctx, world.Seen{Thing: world.ThingNode, ID: in.Node}, http.StatusOK, func(ctx context.Context) (store.Node, error) {
		return s.worlds.Edit(ctx, in.World, in.Node, world.Edit(in.Body))
	}, renderNode)
}

func (s *Server) continueNode(ctx context.Context, in *struct {
	params.InNode
	Body api.Continuation
},
) (*reply[api.Node], error) {
	return writeSeen(ctx, world.Seen{Thing: world.ThingNode, ID: in.Node}, http.StatusOK, func(ctx context.Context) (store.Node, error) {
		return s.worlds.Continue(ctx, in.World, in.Node, in.Body.Content)
	}, renderNode)
}

func (s *Server) branch(ctx context.Context, in *params.InNode) (*reply[api.Conversation], error) {
	return writeSeen(ctx, world.Seen{Thing: world.ThingNode, ID: in.Node}, http.StatusOK, func(ctx context.Context) (store.Conversation, error) {
		return s.worlds.Branch(ctx, in.World, in.Node)
	}, renderConversation)
}

func (s *Server) hideNode(ctx context.Context, in *struct {
	params.InNode
	Body api.Hiding
},
) (*none, error) {
	return writeNoneSeen(ctx, world.Seen{Thing: world.ThingNode, ID: in.Node}, func(ctx context.Context) error { return s.worlds.Hide(ctx, in.World, in.Body.Hidden, in.Node) })
}
