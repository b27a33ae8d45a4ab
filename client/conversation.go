package client

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"

	"github.com/weft-memory/weft/client/api"
)

// Conversations lists the conversations of the world, the last changed first.
func (w *World) Conversations(ctx context.Context, p Page) (api.Page[api.Conversation], error) {
	return do[api.Page[api.Conversation]](ctx, w.c, "GET", w.at("conversations"), p.query(), nil, nil)
}

// CreateConversation makes a conversation.
func (w *World) CreateConversation(ctx context.Context, n api.NewConversation, opts ...Option) (api.Conversation, error) {
	return do[api.Conversation](ctx, w.c, "POST", w.at("conversations"), nil, n, opts)
}

// Conversation reads a conversation; like every id of one, [External] will do.
func (w *World) Conversation(ctx context.Context, conversation string) (api.Conversation, error) {
	return do[api.Conversation](ctx, w.c, "GET", w.at("conversations", conversation), nil, nil, nil)
}

// UpdateConversation changes a conversation.
func (w *World) UpdateConversation(ctx context.Context, conversation string, p api.ConversationPatch, opts ...Option) (api.Conversation, error) {
	return do[api.Conversation](ctx, w.c, "PATCH", w.at("conversations", conversation), nil, p, opts)
}

// DeleteConversation deletes a conversation; with erase for good.
func (w *World) DeleteConversation(ctx context.Context, conversation string, erase bool, opts ...Option) error {
	return w.c.bare(ctx, "DELETE", w.at("conversations", conversation), erasing(erase), nil, opts)
}

// Tree returns the structure of a conversation.
func (w *World) Tree(ctx context.Context, conversation string) (api.Tree, error) {
	return do[api.Tree](ctx, w.c, "GET", w.at("conversations", conversation, "tree"), nil, nil, nil)
}

// Path returns the last messages on the path to a message, or with "" to the
// head; last 0 means all.
func (w *World) Path(ctx context.Context, conversation, node string, last int) ([]api.Node, error) {
	q := url.Values{"last": {strconv.Itoa(last)}}
	set(q, "node", node)
	p, err := do[api.Page[api.Node]](ctx, w.c, "GET", w.at("conversations", conversation, "nodes"), q, nil, nil)
	return p.Items, err
}

// Append adds messages without a reply.
func (w *World) Append(ctx context.Context, conversation string, a api.Append, opts ...Option) ([]api.Node, error) {
	p, err := do[api.Page[api.Node]](ctx, w.c, "POST", w.at("conversations", conversation, "nodes"), nil, a, opts)
	return p.Items, err
}

// SetHead moves the head of a conversation to a message; "root" is the
// beginning.
func (w *World) SetHead(ctx context.Context, conversation, node string, opts ...Option) (api.Conversation, error) {
	return do[api.Conversation](ctx, w.c, "PUT", w.at("conversations", conversation, "head"), nil, api.Head{Node: node}, opts)
}

// Node reads a message.
func (w *World) Node(ctx context.Context, node string) (api.Node, error) {
	return do[api.Node](ctx, w.c, "GET", w.at("nodes", node), nil, nil, nil)
}

// Swipe adds another version of a message, and shows it.
func (w *World) Swipe(ctx context.Context, node string, m api.Message, opts ...Option) (api.Node, error) {
	return do[api.Node](ctx, w.c, "POST", w.at("nodes", node, "swipe"), nil, m, opts)
}

// SwitchSwipe shows this version of a message.
func (w *World) SwitchSwipe(ctx context.Context, node string, opts ...Option) (api.Conversation, error) {
	return do[api.Conversation](ctx, w.c, "POST", w.at("nodes", node, "switch"), nil, nil, opts)
}

// Edit changes a message; the old wording is kept.
func (w *World) Edit(ctx context.Context, node string, e api.Edit, opts ...Option) (api.Node, error) {
	return do[api.Node](ctx, w.c, "POST", w.at("nodes", node, "edit"), nil, e, opts)
}

// Continue adds text to the end of a message.
func (w *World) Continue(ctx context.Context, node, more string, opts ...Option) (api.Node, error) {
	return do[api.Node](ctx, w.c, "POST", w.at("nodes", node, "continue"), nil, api.Continuation{Content: more}, opts)
}

// Branch goes back to a message, so that what is said next begins a branch.
func (w *World) Branch(ctx context.Context, node string, opts ...Option) (api.Conversation, error) {
	return do[api.Conversation](ctx, w.c, "POST", w.at("nodes", node, "branch"), nil, nil, opts)
}

// Hide keeps a message out of the prompt, or takes that back.
func (w *World) Hide(ctx context.Context, node string, hidden bool) error {
	return w.c.bare(ctx, "POST", w.at("nodes", node, "hide"), nil, api.Hiding{Hidden: hidden}, nil)
}

// Delete deletes a message, with branch also all that follows it, and returns
// how many messages that were.
func (w *World) Delete(ctx context.Context, node string, branch bool, opts ...Option) (int, error) {
	n, err := do[api.Count](ctx, w.c, "DELETE", w.at("nodes", node), url.Values{"branch": {strconv.FormatBool(branch)}}, nil, opts)
	return n.Count, err
}

// Restore brings a deleted message back.
func (w *World) Restore(ctx context.Context, node string) error {
	return w.c.bare(ctx, "POST", w.at("nodes", node, "restore"), nil, nil, nil)
}

// Assemble previews the prompt of the next reply; nothing is stored.
func (w *World) Assemble(ctx context.Context, conversation string, a api.Assemble) (api.Assembly, error) {
	return do[api.Assembly](ctx, w.c, "POST", w.at("conversations", conversation, "assemble"), nil, a, nil)
}

// AssembleMessages returns the lore of the world for a chat that is not stored.
func (w *World) AssembleMessages(ctx context.Context, a api.AssembleMessages) (api.Assembly, error) {
	return do[api.Assembly](ctx, w.c, "POST", w.at("assemble"), nil, a, nil)
}

// Why says why an entry is, or is not, in the prompt of a reply; with "" in that
// of the next one.
func (w *World) Why(ctx context.Context, conversation, at string, r api.Ref) (json.RawMessage, error) {
	q := url.Values{"entry": {r.Entry}}
	set(q, "book", r.Book)
	set(q, "at", at)
	out, err := do[api.Why](ctx, w.c, "GET", w.at("conversations", conversation, "why"), q, nil, nil)
	return out.Answers, err
}

// BeginTurn adds messages and returns the prompt for the reply.
func (w *World) BeginTurn(ctx context.Context, conversation string, n api.NewTurn, opts ...Option) (api.Turn, error) {
	return do[api.Turn](ctx, w.c, "POST", w.at("conversations", conversation, "turns"), nil, n, opts)
}

// FinishTurn adds what the model wrote.
func (w *World) FinishTurn(ctx context.Context, turn string, r api.Reply, opts ...Option) (api.Node, error) {
	return do[api.Node](ctx, w.c, "POST", w.at("turns", turn, "reply"), nil, r, opts)
}

// CancelTurn forgets a turn that was begun.
func (w *World) CancelTurn(ctx context.Context, turn string) error {
	return w.c.bare(ctx, "DELETE", w.at("turns", turn), nil, nil, nil)
}

// Assembly returns the prompt and the trace of a reply as they were.
func (w *World) Assembly(ctx context.Context, node string) (api.Assembly, error) {
	return do[api.Assembly](ctx, w.c, "GET", w.at("nodes", node, "assembly"), nil, nil, nil)
}
