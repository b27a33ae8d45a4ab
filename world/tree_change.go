package world

import (
	"context"
	"slices"

	"github.com/weft-memory/weft/store"
)

// Edit says how a message is changed.
type Edit struct {
	Content string
	// Name is the new name of who speaks; "" keeps it.
	Name string
	// Sibling makes the new wording a version beside the old one, to which the
	// head moves, as a swipe does. Otherwise it takes the old one's place:
	// what follows stays, and so does what was remembered.
	Sibling bool
	// Reread says that what was remembered of the old wording no longer counts.
	Reread bool
	// External is the external id of the new wording; in place, the message
	// keeps its own.
	External string
}

// Edit changes a message. The old wording is kept.
func (s *Service) Edit(ctx context.Context, world, node string, e Edit) (store.Node, error) {
	return update(ctx, s, world, func(tx *txn) (store.Node, error) {
		old, c, err := tx.node(node)
		if err != nil {
			return old, err
		}
		if e.Sibling {
			n := old
			n.ID, n.Content, n.EditOf, n.Reread, n.External = "", e.Content, old.ID, e.Reread, e.External
			n.Kind, n.Hidden, n.Deleted, n.ShownAs = store.NodeSwipe, false, false, ""
			pick(&n.Name, e.Name)
			return tx.addSibling(c, n)
		}
		return tx.editInPlace(c, old, e, "")
	})
}

// Continue adds text to the end of a message. What was remembered stays; the
// state stays.
func (s *Service) Continue(ctx context.Context, world, node, more string) (store.Node, error) {
	return update(ctx, s, world, func(tx *txn) (store.Node, error) {
		old, c, err := tx.node(node)
		if err != nil {
			return old, err
		}
		now, err := tx.wording(old)
		if err != nil {
			return old, err
		}
		return tx.editInPlace(c, old, Edit{Content: now.Content + more}, "")
	})
}

// wording returns the node that stands for a message.
func (tx *txn) wording(n store.Node) (store.Node, error) {
	if n.ShownAs == "" {
		return n, nil
	}
	return tx.Node(n.ShownAs)
}

// editInPlace puts another wording in the place of a message. id is that of the
// new wording; "" gets a new one.
func (tx *txn) editInPlace(c store.Conversation, old store.Node, e Edit, id string) (store.Node, error) {
	now, err := tx.wording(old)
	if err != nil {
		return old, err
	}
	if id == "" && now.Content == e.Content && (e.Name == "" || e.Name == now.Name) && !e.Reread {
		return now, nil
	}
	before, err := tx.shown(c)
	if err != nil {
		return old, err
	}
	name := now.Name
	pick(&name, e.Name)
	n, err := tx.EditNode(old.ID, store.Node{
		ID: id, World: tx.id, Conversation: c.ID, Name: name, Content: e.Content, Reread: e.Reread, External: e.External, Ext: now.Ext,
	}, true)
	if err != nil {
		return n, err
	}
	if err := tx.event(EventNodeEdited, old.ID, c.ID, "edit", n.ID, "reread", e.Reread); err != nil {
		return n, err
	}
	_, err = tx.moved(c, before, c.Head, "")
	return n, err
}

// Delete takes exactly these messages away: what follows stays, and what was
// remembered of them no longer counts. Where the head was among them it moves
// to what stands before it. All have to be of one conversation.
func (s *Service) Delete(ctx context.Context, world string, nodes ...string) error {
	yes := true
	return s.mark(ctx, world, store.Mark{Deleted: &yes}, EventNodeDeleted, nodes)
}

// Undelete brings messages back that were deleted. One that stands right behind
// the head is shown again.
func (s *Service) Undelete(ctx context.Context, world string, nodes ...string) error {
	no := false
	return s.mark(ctx, world, store.Mark{Deleted: &no}, EventNodeRestored, nodes)
}

// Hide keeps messages out of the prompt, or takes that back. They stay in the
// conversation, and what was remembered of them counts.
func (s *Service) Hide(ctx context.Context, world string, hidden bool, nodes ...string) error {
	return s.mark(ctx, world, store.Mark{Hidden: &hidden}, EventNodeHidden, nodes)
}

func (s *Service) mark(ctx context.Context, world string, m store.Mark, event string, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	return do(ctx, s, world, func(tx *txn) error {
		nodes := make([]store.Node, len(ids))
		var c store.Conversation
		for i, id := range ids {
			n, of, err := tx.node(id)
			if err != nil {
				return err
			}
			if i > 0 && of.ID != c.ID {
				return store.Errorf(store.Invalid, "the messages are of more than one conversation: ask for each by itself")
			}
			nodes[i], c = n, of
		}
		before, err := tx.shown(c)
		if err != nil {
			return err
		}
		slices.SortStableFunc(nodes, func(a, b store.Node) int { return b.Depth - a.Depth }) // the newest first
		for _, n := range nodes {
			if m.Deleted != nil && n.Deleted == *m.Deleted || m.Hidden != nil && n.Hidden == *m.Hidden {
				continue
			}
			if err := tx.MarkNodes(m, n.ID); err != nil {
				return err
			}
			payload := []any{}
			if m.Hidden != nil {
				payload = append(payload, "hidden", *m.Hidden)
			}
			if err := tx.event(event, n.ID, c.ID, payload...); err != nil {
				return err
			}
		}
		head := c.Head
		switch {
		case m.Deleted == nil:
			return nil
		case *m.Deleted:
			if head, err = tx.alive(c.Head); err != nil {
				return err
			}
		default:
			for i := len(nodes) - 1; i >= 0; i-- {
				if nodes[i].Parent == head {
					head = nodes[i].ID
				}
			}
		}
		_, err = tx.moved(c, before, head, "")
		return err
	})
}

// DeleteBranch takes a message and everything that follows it away, and returns
// how many messages that were.
func (s *Service) DeleteBranch(ctx context.Context, world, node string) (int, error) {
	return update(ctx, s, world, func(tx *txn) (int, error) {
		n, c, err := tx.node(node)
		if err != nil {
			return 0, err
		}
		before, err := tx.shown(c)
		if err != nil {
			return 0, err
		}
		count, err := tx.DeleteBranch(n.ID)
		if err != nil || count == 0 {
			return count, err
		}
		if err := tx.event(EventNodeDeleted, n.ID, c.ID, "branch", count); err != nil {
			return count, err
		}
		head, err := tx.alive(c.Head)
		if err != nil {
			return count, err
		}
		_, err = tx.moved(c, before, head, "")
		return count, err
	})
}
