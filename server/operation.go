package server

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/server/internal/params"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

func appliedBody(a world.Applied) (out api.Applied, err error) {
	out.Fresh = a.Fresh
	if out.Operation, err = json.Marshal(a.Operation); err != nil {
		return out, err
	}
	if out.Conflicts, err = raw(a.Conflicts); err != nil {
		return out, err
	}
	out.Proposals, err = raw(a.Proposals)
	return out, err
}

func renderApplied(list []world.Applied) (rendered[api.AppliedList], error) {
	items, err := eachOf(list, appliedBody)
	return rendered[api.AppliedList]{body: api.AppliedList{Applied: items}}, err
}

func (s *Server) registerOperations() {
	const tag, operations = "operations", worldPath + "/operations"
	add(s, route{method: "GET", path: operations, id: "list-operations", summary: "List changes to what is remembered, the newest first", tag: tag}, s.listOperations)
	add(s, route{method: "POST", path: operations, id: "apply", summary: "Apply operations, all or none", status: 201, tag: tag}, s.apply)
	add(s, route{method: "GET", path: operations + "/{operation}", id: "get-operation", summary: "Read an operation", tag: tag}, s.getOperation)
	add(s, route{method: "POST", path: worldPath + "/undo", id: "undo", summary: "Take operations back", tag: tag}, s.undo)
	add(s, route{method: "POST", path: worldPath + "/redo", id: "redo", summary: "Make operations count again that were undone", tag: tag}, s.redo)
	add(s, route{method: "GET", path: worldPath + "/proposals", id: "list-proposals", summary: "What sidecars want but may not do, at a place", tag: tag}, s.listProposals)
	add(s, route{method: "POST", path: worldPath + "/proposals/{proposal}", id: "decide", summary: "Accept or refuse a proposal", tag: tag}, s.decide)
	add(s, route{method: "GET", path: worldPath + "/activity", id: "list-activity", summary: "What was done to the lore, for people, the newest first", tag: tag}, s.listActivity)
}

func (s *Server) listOperations(ctx context.Context, in *struct {
	params.InWorld
	params.Paging
	Layer        string `query:"layer" enum:"canon,world,story"`
	Conversation string `query:"conversation"`
	Node         string `query:"node"`
	Book         string `query:"book"`
	Entry        string `query:"entry"`
	Kind         string `query:"kind"`
	Author       string `query:"author" enum:"person,sidecar,import"`
	AsOf         int64  `query:"as_of" minimum:"0"`
	After        int64  `query:"after" minimum:"0" doc:"Only those with a higher number."`
	Before       int64  `query:"before" minimum:"0" doc:"Only those with a lower number."`
},
) (*reply[api.Page[json.RawMessage]], error) {
	f := store.OperationFilter{
		Layer: memory.Layer(in.Layer), Conversation: in.Conversation, Node: in.Node, Book: in.Book, Entry: in.Entry,
		Kind: memory.Kind(in.Kind), Author: memory.AuthorKind(in.Author), AsOf: in.AsOf, After: in.After, Before: in.Before,
	}
	list, next, err := s.worlds.Operations(ctx, in.World, f, in.Page())
	return pageOf(list, next, err, func(o world.Operation) (json.RawMessage, error) { return json.Marshal(o) })
}

func (s *Server) apply(ctx context.Context, in *struct {
	params.InWorld
	Body api.Operations
},
) (*reply[api.AppliedList], error) {
	ops := make([]world.Operation, len(in.Body.Operations))
	var bad []api.Fault
	for i, text := range in.Body.Operations {
		if err := json.Unmarshal(text, &ops[i]); err != nil {
			bad = append(bad, api.Fault{Location: "body.operations[" + itoa(i) + "]", Message: err.Error()})
		}
	}
	if len(bad) > 0 {
		p := problem(http.StatusUnprocessableEntity, api.Invalid, "the operations cannot be read")
		p.Errors = bad
		return nil, p
	}
	return write(ctx, http.StatusCreated, func(ctx context.Context) ([]world.Applied, error) {
		return s.worlds.Apply(ctx, in.World, ops...)
	}, renderApplied)
}

func (s *Server) getOperation(ctx context.Context, in *struct {
	params.InWorld
	Operation string `path:"operation" maxLength:"200"`
},
) (*reply[json.RawMessage], error) {
	o, err := s.worlds.Operation(ctx, in.World, in.Operation)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(o)
	return get(ctx, json.RawMessage(text), ""), err
}

func (s *Server) undo(ctx context.Context, in *struct {
	params.InWorld
	Body api.OperationIDs
},
) (*reply[api.AppliedList], error) {
	return write(ctx, http.StatusOK, func(ctx context.Context) ([]world.Applied, error) {
		return s.worlds.Undo(ctx, in.World, in.Body.Operations...)
	}, renderApplied)
}

func (s *Server) redo(ctx context.Context, in *struct {
	params.InWorld
	Body api.OperationIDs
},
) (*reply[api.AppliedList], error) {
	return write(ctx, http.StatusOK, func(ctx context.Context) ([]world.Applied, error) {
		return s.worlds.Redo(ctx, in.World, in.Body.Operations...)
	}, renderApplied)
}

func (s *Server) listProposals(ctx context.Context, in *struct {
	params.Place
	params.Paging
},
) (*reply[api.Page[api.Proposal]], error) {
	list, err := s.worlds.Proposals(ctx, in.World, in.At())
	return part(list, in.Paging, err, func(w world.Waiting) (out api.Proposal, err error) {
		out.ID = w.ID
		if out.Proposal, err = json.Marshal(w.Proposal); err != nil {
			return out, err
		}
		out.Source, err = json.Marshal(w.Source)
		return out, err
	})
}

func (s *Server) decide(ctx context.Context, in *struct {
	params.Place
	Proposal string `path:"proposal" maxLength:"1000"`
	Body     api.Decision
},
) (*reply[api.AppliedList], error) {
	d := world.Decision{Accept: in.Body.Accept, Reason: in.Body.Reason}
	if len(in.Body.Change) > 0 {
		d.Change = new(memory.Change)
		if err := json.Unmarshal(in.Body.Change, d.Change); err != nil {
			return nil, store.Errorf(store.Invalid, "change: %v", err)
		}
	}
	return write(ctx, http.StatusOK, func(ctx context.Context) ([]world.Applied, error) {
		return s.worlds.Decide(ctx, in.World, in.At(), in.Proposal, d)
	}, renderApplied)
}

func (s *Server) listActivity(ctx context.Context, in *struct {
	params.InWorld
	params.Paging
	Conversation string `query:"conversation" maxLength:"1000"`
},
) (*reply[api.Page[api.Activity]], error) {
	list, next, err := s.worlds.Activity(ctx, in.World, in.Conversation, in.Page())
	return pageOf(list, next, err, func(a world.Activity) (api.Activity, error) {
		author, err := json.Marshal(a.Author)
		out := api.Activity{
			Type: a.Type, Phase: a.Phase, Time: a.Time, Operation: a.Operation, Author: author, Model: a.Model, Reason: a.Reason,
			Conversation: a.Conversation, Node: a.Node, Layer: string(a.Layer), Entries: []api.Ref{}, Active: a.Active, Detail: a.Detail,
		}
		for _, r := range a.Entries {
			out.Entries = append(out.Entries, api.Ref(r))
		}
		return out, err
	})
}
