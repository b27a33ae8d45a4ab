package client

import (
	"context"

	"github.com/weft-memory/weft/client/api"
)

// WorkFilter chooses work; empty fields do not restrict.
type WorkFilter struct {
	State, Kind, Conversation, Node string
}

// WorkList lists what is done in the background, the newest first.
func (w *World) WorkList(ctx context.Context, f WorkFilter, p Page) (api.Page[api.Work], error) {
	q := p.query()
	set(q, "state", f.State)
	set(q, "kind", f.Kind)
	set(q, "conversation", f.Conversation)
	set(q, "node", f.Node)
	return do[api.Page[api.Work]](ctx, w.c, "GET", w.at("work"), q, nil, nil)
}

// Work reads a piece of work.
func (w *World) Work(ctx context.Context, id string) (api.Work, error) {
	return do[api.Work](ctx, w.c, "GET", w.at("work", id), nil, nil, nil)
}

// CancelWork cancels work that is not over. If it runs, it is cancelling until
// it has stopped, and nothing that it does counts.
func (w *World) CancelWork(ctx context.Context, id string, opts ...Option) (api.Work, error) {
	return do[api.Work](ctx, w.c, "POST", w.at("work", id, "cancel"), nil, nil, opts)
}

// RetryWork queues work again that failed or was cancelled, or ends its wait.
func (w *World) RetryWork(ctx context.Context, id string, opts ...Option) (api.Work, error) {
	return do[api.Work](ctx, w.c, "POST", w.at("work", id, "retry"), nil, nil, opts)
}
