package narrator

import (
	"context"
	"slices"

	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/sidecar"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

// Pending is an operation of the sidecar that waits for a person, because the
// settings say so. It has no effect until it is accepted.
type Pending struct {
	// ID names it.
	ID        string           `json:"id"`
	Operation memory.Operation `json:"operation"`
}

const (
	settingPending = "pending"
	// maxPending is how many wait in a conversation; the oldest go first.
	maxPending = 500
)

// divide tells which operations are done at once and which wait for a person.
// Operations that rest on one that waits wait with it.
func (s *Settings) divide(ops []memory.Operation) (apply, wait []memory.Operation) {
	waits := map[memory.Ref]bool{}
	for _, op := range ops {
		rests := waits[op.Ref()] || slices.ContainsFunc(op.Change.From, func(r memory.Ref) bool { return waits[r] })
		if rests || s.proposes(&op) {
			wait = append(wait, op)
			if op.Kind == memory.KindCreate {
				waits[op.Ref()] = true
			}
			continue
		}
		apply = append(apply, op)
	}
	return apply, wait
}

func (s *Settings) proposes(op *memory.Operation) bool {
	has := func(word string) bool { return slices.Contains(s.Propose, word) || slices.Contains(s.Propose, "all") }
	switch op.Kind {
	case memory.KindCreate:
		switch {
		case op.Ref().IsCategory():
			return false
		case op.Change.Entry != nil && op.Change.Entry.Type == sidecar.TypeSummary:
			return has("summaries")
		}
		return has("entries")
	case memory.KindMerge, memory.KindSplit:
		return has("merges")
	case memory.KindForget, memory.KindRetire:
		return has("forgetting")
	}
	return has("changes")
}

// keepWaiting adds operations to those that wait in a conversation.
func (s *Service) keepWaiting(tx *store.Tx, conversation string, ops []memory.Operation) error {
	if len(ops) == 0 {
		return nil
	}
	list, err := pendingOf(tx, conversation)
	if err != nil {
		return err
	}
	for _, op := range ops {
		op.Seq, op.Inverse = 0, nil
		list = append(list, Pending{ID: op.ID, Operation: op})
	}
	if n := len(list); n > maxPending {
		list = list[n-maxPending:]
	}
	return setPending(tx, conversation, list)
}

func pendingOf(tx *store.Tx, conversation string) ([]Pending, error) {
	return readKept[[]Pending](tx, conversation, settingPending)
}

func setPending(tx *store.Tx, conversation string, list []Pending) error {
	if len(list) == 0 {
		return dropKept(tx, conversation, settingPending)
	}
	return keep(tx, conversation, settingPending, list)
}

// Pending lists what waits for a person in a conversation, of messages that it
// shows: what a rejected reply wanted is not among it.
func (s *Service) Pending(ctx context.Context, worldID, conversation string) (list []Pending, err error) {
	c, err := s.worlds.Conversation(ctx, worldID, conversation)
	if err != nil {
		return nil, err
	}
	path, err := s.worlds.Path(ctx, worldID, conversation, world.PathOptions{})
	if err != nil {
		return nil, err
	}
	shown := map[string]bool{}
	for _, n := range path {
		shown[n.ID] = true
	}
	all, err := viewKept[[]Pending](ctx, s, c.ID, settingPending)
	for _, p := range all {
		if p.Operation.Node == "" || shown[p.Operation.Node] {
			list = append(list, p)
		}
	}
	return list, err
}

// Decide accepts or refuses something that waits. An accepted operation is done
// as the sidecar wanted it, or with another change in its place; it stays tied
// to its message.
func (s *Service) Decide(ctx context.Context, worldID, conversation, id string, accept bool, change *memory.Change) error {
	c, err := s.worlds.Conversation(ctx, worldID, conversation)
	if err != nil {
		return err
	}
	return s.worlds.DB().UpdateWorld(ctx, worldID, func(tx *store.Tx) error {
		list, err := pendingOf(tx, c.ID)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list, func(p Pending) bool { return p.ID == id })
		if i < 0 {
			return store.Errorf(store.NotFound, "nothing with the id %q waits here: it was decided on already", id)
		}
		op := list[i].Operation
		if change != nil {
			op.Change = *change
		}
		if accept {
			if _, err := s.apply(ctx, tx, worldID, c.ID, []memory.Operation{op}); err != nil {
				return err
			}
		}
		return setPending(tx, c.ID, slices.Delete(list, i, i+1))
	})
}
