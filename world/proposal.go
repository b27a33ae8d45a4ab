package world

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

// Waiting is a proposal that nobody has decided on.
type Waiting struct {
	memory.Proposal
	// Source is the operation that made it.
	Source Operation
	// ID names the proposal for [Service.Decide].
	ID string
}

// Decision is what a person says to a proposal.
type Decision struct {
	Accept bool
	// Change, where it is not nil, is accepted in the place of what was
	// proposed.
	Change *memory.Change
	Reason string
}

// settingDecided begins the names of the decisions that are kept of a world.
const settingDecided = "decided:"

// decided is what was said to a proposal.
type decided struct {
	Accept bool   `json:"accept"`
	By     string `json:"by,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Operation is the one that an acceptance made.
	Operation string `json:"operation,omitempty"`
	Time      int64  `json:"time"`
}

// proposalID names a proposal by what it says.
func proposalID(p memory.Proposal) string {
	raw, _ := json.Marshal(p) // a change that was stored can be written
	sum := sha256.Sum256(raw)
	return p.Operation + "." + hex.EncodeToString(sum[:6])
}

// Proposals lists what sidecars want but may not do and nobody has decided on,
// at a place.
func (s *Service) Proposals(ctx context.Context, world string, at Place) ([]Waiting, error) {
	return view(ctx, s, world, func(tx *txn) ([]Waiting, error) {
		all, err := tx.proposals(at)
		if err != nil {
			return nil, err
		}
		var out []Waiting
		for _, w := range all {
			if _, err := tx.Setting(scopeWorld+tx.id, settingDecided+w.ID); store.KindOf(err) == store.NotFound {
				out = append(out, w)
			} else if err != nil {
				return nil, err
			}
		}
		return out, nil
	})
}

// proposals returns those decided on, too.
func (tx *txn) proposals(at Place) ([]Waiting, error) {
	l, err := tx.lore(at)
	if err != nil {
		return nil, err
	}
	var out []Waiting
	for _, p := range l.View.Proposals() {
		source, _ := l.View.Operation(p.Operation)
		out = append(out, Waiting{Proposal: p, Source: source, ID: proposalID(p)})
	}
	return out, nil
}

// Decide accepts or refuses a proposal. Decided again in the same way nothing
// happens; in another way it is a Conflict.
func (s *Service) Decide(ctx context.Context, world string, at Place, proposal string, d Decision) ([]Applied, error) {
	return update(ctx, s, world, func(tx *txn) ([]Applied, error) {
		name := settingDecided + proposal
		switch raw, err := tx.Setting(scopeWorld+tx.id, name); {
		case err == nil:
			var was decided
			if err := json.Unmarshal(raw, &was); err != nil {
				return nil, err
			}
			if was.Accept != d.Accept {
				return nil, store.Errorf(store.Conflict, "the proposal %s was decided on in another way", proposal)
			}
			return nil, nil
		case store.KindOf(err) != store.NotFound:
			return nil, err
		}
		all, err := tx.proposals(at)
		if err != nil {
			return nil, err
		}
		for _, w := range all {
			if w.ID == proposal {
				return tx.decide(w, name, d)
			}
		}
		return nil, store.Errorf(store.NotFound, "there is no proposal %q here", proposal)
	})
}

func (tx *txn) decide(w Waiting, name string, d Decision) (done []Applied, err error) {
	author := person(tx.ctx)
	now := decided{Accept: d.Accept, By: author.Name, Reason: d.Reason, Time: tx.Now()}
	if d.Accept {
		op := w.Accept(w.Source, author)
		if d.Change != nil {
			op.Change = *d.Change
		}
		if d.Reason != "" {
			op.Reason = d.Reason
		}
		if done, err = tx.apply([]Operation{op}); err != nil {
			return nil, err
		}
		now.Operation = done[0].Operation.ID
	}
	raw, err := json.Marshal(now)
	if err != nil {
		return nil, err
	}
	if err := tx.SetSetting(scopeWorld+tx.id, name, raw); err != nil {
		return nil, err
	}
	return done, tx.event(EventDecided, w.ID, w.Source.Conversation, "accepted", d.Accept)
}
