package world

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/weft-memory/weft/store"
)

// txn is a transaction in one world, on behalf of the caller.
type txn struct {
	*store.Tx
	s   *Service
	ctx context.Context
	// id is the world's.
	id    string
	world store.World
	write bool
	// conv is the conversation that the request is about, if it is about one.
	conv string
}

// view runs fn in a transaction that reads a world.
func view[T any](ctx context.Context, s *Service, world string, fn func(tx *txn) (T, error)) (T, error) {
	var out T
	read := func(tx *store.Tx, open bool) error {
		t, err := s.enter(ctx, tx, world, open) // what is not committed yet is not for the caches
		if err != nil {
			return err
		}
		out, err = fn(t)
		return err
	}
	if tx := within(ctx); tx != nil {
		err := read(tx, true)
		return out, err
	}
	err := s.db.View(ctx, func(tx *store.Tx) error { return read(tx, false) })
	return out, err
}

// update runs fn in a transaction that changes a world, once for each key, see
// [Once]. fn may run again from the start.
func update[T any](ctx context.Context, s *Service, world string, fn func(tx *txn) (T, error)) (T, error) {
	var out T
	change := func(tx *store.Tx) error {
		t, err := s.enter(ctx, tx, world, true)
		if err != nil {
			return err
		}
		out, err = once(ctx, tx, func() (T, string, error) {
			if err := t.asSeen(); err != nil {
				var zero T
				return zero, "", err
			}
			v, err := fn(t)
			return v, t.conv, err
		}, world)
		return err
	}
	var err error
	if tx := within(ctx); tx != nil {
		err = change(tx)
	} else {
		err = s.db.UpdateWorld(ctx, world, change)
	}
	if err != nil {
		var zero T
		return zero, err
	}
	return out, nil
}

// do is update for what returns nothing.
func do(ctx context.Context, s *Service, world string, fn func(tx *txn) error) error {
	_, err := update(ctx, s, world, func(tx *txn) (any, error) { return nil, fn(tx) })
	return err
}

// once runs fn unless its answer is known, and keeps the answer.
func once[T any](ctx context.Context, tx *store.Tx, fn func() (T, string, error), world string) (T, error) {
	var zero T
	o, ok := ctx.Value(onceKey{}).(*Once)
	if !ok {
		out, _, err := fn()
		return out, err
	}
	switch r, err := tx.Response(o.Scope, o.Key, o.Request); {
	case err == nil:
		return zero, &Repeated{Response: r}
	case store.KindOf(err) != store.NotFound:
		return zero, err
	}
	out, conversation, err := fn()
	if err != nil {
		return zero, err
	}
	render := o.Render
	if render == nil {
		render = renderJSON
	}
	r, err := render(out)
	if err != nil {
		return zero, err
	}
	r.Scope, r.Key, r.Request, r.World, r.Conversation = o.Scope, o.Key, o.Request, world, conversation
	return out, tx.PutResponse(r)
}

func renderJSON(result any) (store.Response, error) {
	if result == nil {
		return store.Response{Status: 204}, nil
	}
	body, err := json.Marshal(result)
	return store.Response{Status: 200, Body: body}, err
}

// enter looks up the world and whether the caller may be in it.
func (s *Service) enter(ctx context.Context, tx *store.Tx, world string, write bool) (*txn, error) {
	missing := store.Errorf(store.NotFound, "there is no world %q", world)
	if world == store.System {
		return nil, missing
	}
	w, err := tx.World(world)
	if err != nil {
		return nil, err
	}
	if c, ok := CallerOf(ctx); ok && !c.Admin && w.Owner != c.User {
		return nil, missing // what is not yours is not there
	}
	return &txn{Tx: tx, s: s, ctx: ctx, id: w.ID, world: w, write: write}, nil
}

// conversation returns a conversation by its id or external id. Deleted ones
// are not there.
func (tx *txn) conversation(id string) (store.Conversation, error) {
	c, err := tx.anyConversation(id)
	if err == nil && c.Deleted != 0 {
		return store.Conversation{}, store.Errorf(store.NotFound, "the conversation %q was deleted: restore it first", id)
	}
	return c, err
}

// anyConversation is conversation for deleted ones too.
func (tx *txn) anyConversation(id string) (c store.Conversation, err error) {
	if external, ok := strings.CutPrefix(id, ExternalPrefix); ok {
		c, err = tx.ConversationByExternal(tx.id, external)
	} else {
		c, err = tx.Conversation(id)
	}
	if err == nil && c.World != tx.id {
		err = store.Errorf(store.NotFound, "there is no conversation %q in this world", id)
	}
	if err != nil {
		return store.Conversation{}, err
	}
	tx.conv = c.ID
	return c, nil
}

// node returns a message by its id or external id, and its conversation. Of a
// message with another wording in its place either id gives the message.
func (tx *txn) node(id string) (store.Node, store.Conversation, error) {
	n, err := tx.bareNode(id)
	if err != nil {
		return store.Node{}, store.Conversation{}, err
	}
	c, err := tx.conversation(n.Conversation)
	if err != nil {
		return store.Node{}, store.Conversation{}, err
	}
	return n, c, nil
}

func (tx *txn) bareNode(id string) (n store.Node, err error) {
	if external, ok := strings.CutPrefix(id, ExternalPrefix); ok {
		n, err = tx.NodeByExternal(tx.id, external)
	} else {
		n, err = tx.Node(id)
	}
	if err == nil && n.World != tx.id {
		err = store.Errorf(store.NotFound, "there is no message %q in this world", id)
	}
	if err != nil {
		return store.Node{}, err
	}
	if standsIn(n) { // a wording of another message
		return tx.Node(n.EditOf)
	}
	return n, nil
}

// nodeOf is node for a message that has to be of one conversation.
func (tx *txn) nodeOf(c store.Conversation, id string) (store.Node, error) {
	n, err := tx.bareNode(id)
	if err == nil && n.Conversation != c.ID {
		err = store.Errorf(store.NotFound, "there is no message %q in the conversation %q", id, c.ID)
	}
	return n, err
}

// author returns an author by id or external id.
func (tx *txn) author(id string) (a store.Author, err error) {
	if external, ok := strings.CutPrefix(id, ExternalPrefix); ok {
		a, err = tx.AuthorByExternal(tx.id, external)
	} else {
		a, err = tx.Author(id)
	}
	if err == nil && a.World != tx.id {
		err = store.Errorf(store.NotFound, "there is no author %q in this world", id)
	}
	return a, err
}

// event adds an event to the world. The payload is a map of names and values.
func (tx *txn) event(kind, ref, conversation string, payload ...any) error {
	e := store.Event{World: tx.id, Kind: kind, Ref: ref, Conversation: conversation}
	if len(payload) > 0 {
		m := make(map[string]any, len(payload)/2)
		for i := 0; i+1 < len(payload); i += 2 {
			m[payload[i].(string)] = payload[i+1]
		}
		raw, err := json.Marshal(m)
		if err != nil {
			return err
		}
		e.Payload = raw
	}
	_, err := tx.AppendEvent(e)
	return err
}
