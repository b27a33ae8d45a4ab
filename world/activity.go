package world

import (
	"context"
	"encoding/json"

	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

// Activity is one line of what was done to the lore, for people.
type Activity struct {
	// Type is remember, update, forget, summary, reorganize or merge_split;
	// Phase is what the operation says, or "person".
	Type  string `json:"type"`
	Phase string `json:"phase"`
	Time  int64  `json:"time"`
	// Operation is the operation, by its id.
	Operation    string        `json:"operation"`
	Author       memory.Author `json:"author"`
	Model        string        `json:"model,omitempty"`
	Reason       string        `json:"reason,omitempty"`
	Conversation string        `json:"conversation,omitempty"`
	Node         string        `json:"node,omitempty"`
	Layer        memory.Layer  `json:"layer"`
	Entries      []memory.Ref  `json:"entries"`
	// Active is whether it counts at the head of its conversation now.
	Active bool `json:"active"`
	// Detail is what else the operation says: {"kind", "undo", "quotes"}.
	Detail json.RawMessage `json:"detail,omitempty"`
}

// Activity lists what was done to the lore of a world, or of one conversation,
// the newest first. It is a view over the log: the log is the truth.
func (s *Service) Activity(ctx context.Context, world, conversation string, p store.Page) (list []Activity, next string, err error) {
	return page(ctx, s, world, func(tx *txn) ([]Activity, string, error) {
		f := store.OperationFilter{}
		if conversation != "" {
			c, err := tx.conversation(conversation)
			if err != nil {
				return nil, "", err
			}
			f.Conversation = c.ID
		}
		ops, next, err := tx.OperationLog(world, f, p)
		if err != nil {
			return nil, "", err
		}
		active := map[string]map[string]bool{} // by conversation: operations that count at its head
		out := make([]Activity, len(ops))
		for i, op := range ops {
			if active[op.Conversation] == nil {
				if active[op.Conversation], err = tx.counting(op.Conversation); err != nil {
					return nil, "", err
				}
			}
			out[i] = activityOf(op)
			out[i].Active = active[op.Conversation][op.ID]
		}
		return out, next, nil
	})
}

// counting returns the operations that count at the head of a conversation, or
// in the world by itself.
func (tx *txn) counting(conversation string) (map[string]bool, error) {
	out := map[string]bool{}
	if conversation != "" {
		c, err := tx.Conversation(conversation)
		if err != nil {
			return nil, err
		}
		if c.Deleted != 0 {
			return out, nil
		}
	}
	l, err := tx.lore(Place{Conversation: conversation})
	if err != nil {
		return nil, err
	}
	for _, op := range l.View.Operations() {
		if l.View.Counts(op.ID) {
			out[op.ID] = true
		}
	}
	return out, nil
}

func activityOf(op memory.Operation) Activity {
	a := Activity{
		Type: "update", Phase: op.Phase, Time: op.Time, Operation: op.ID, Author: op.Author, Model: op.Model, Reason: op.Reason,
		Conversation: op.Conversation, Node: op.Node, Layer: op.Layer, Entries: []memory.Ref{op.Ref()},
	}
	if a.Phase == "" {
		a.Phase = string(op.Author.Kind)
	}
	detail := struct {
		Kind   memory.Kind    `json:"kind"`
		Undo   string         `json:"undo,omitempty"`
		Quotes []memory.Quote `json:"quotes,omitempty"`
	}{op.Kind, op.Undo, op.Quotes}
	if raw, err := json.Marshal(detail); err == nil { // texts and ids always can
		a.Detail = raw
	}
	switch op.Kind {
	case memory.KindCreate:
		a.Type = "remember"
		if op.Ref().IsCategory() {
			a.Type = "reorganize"
		}
	case memory.KindForget, memory.KindRetire:
		a.Type = "forget"
	case memory.KindMerge, memory.KindSplit:
		a.Type = "merge_split"
	case memory.KindMove:
		a.Type = "reorganize"
	}
	if op.Phase == "summary" && op.Kind == memory.KindCreate {
		a.Type = "summary"
	}
	for _, r := range op.Change.From {
		if r.Book == "" {
			r.Book = op.Book
		}
		a.Entries = append(a.Entries, r)
	}
	for _, e := range op.Change.Parts {
		a.Entries = append(a.Entries, memory.Ref{Book: op.Book, Entry: e.ID})
	}
	return a
}
