package world

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/store"
)

// NewConversation describes a conversation to be made.
type NewConversation struct {
	// ID is made up if it is empty.
	ID, Title string
	// External is the id that another program knows it by, unique in the world.
	// With IfNew unset, a conversation that has it already is Exists.
	External string
	// IfNew returns the conversation with this external id if there is one,
	// unchanged.
	IfNew bool
	// Settings of the conversation. Where Characters names one, the
	// conversation begins with the greeting that Greeting chooses, and the
	// character's other greetings are its swipes.
	Settings Settings
	// NoGreeting begins with nothing.
	NoGreeting bool
	// Seed is the source of the conversation's randomness; 0 gets one.
	Seed uint64
}

// ConversationPatch changes a conversation; nil fields stay.
type ConversationPatch struct {
	Title, External *string
	// Settings is a merge patch (RFC 7396) of [Settings].
	Settings json.RawMessage
	Seed     *uint64
}

// CreateConversation makes a conversation.
func (s *Service) CreateConversation(ctx context.Context, world string, n NewConversation) (store.Conversation, error) {
	if err := n.Settings.check(); err != nil {
		return store.Conversation{}, err
	}
	return update(ctx, s, world, func(tx *txn) (store.Conversation, error) {
		if n.External != "" && n.IfNew {
			switch c, err := tx.conversation(ExternalPrefix + n.External); {
			case err == nil:
				return c, nil
			case store.KindOf(err) != store.NotFound:
				return c, err
			}
		}
		c, err := tx.createConversation(n)
		if err != nil || n.NoGreeting {
			return c, err
		}
		return tx.greet(c, n.Settings)
	})
}

func (tx *txn) createConversation(n NewConversation) (store.Conversation, error) {
	for i, id := range append(slices.Clone(n.Settings.Characters), n.Settings.Speaker) {
		if id == "" && i == len(n.Settings.Characters) {
			continue
		}
		if _, err := tx.Character(tx.id, id); err != nil {
			return store.Conversation{}, err
		}
	}
	settings, err := json.Marshal(n.Settings)
	if err != nil {
		return store.Conversation{}, err
	}
	c, err := tx.CreateConversation(store.Conversation{
		ID: n.ID, World: tx.id, Title: n.Title, External: n.External, Settings: settings, Seed: n.Seed,
	})
	if err != nil {
		return c, err
	}
	tx.conv = c.ID
	return c, tx.event(EventConversationCreated, c.ID, c.ID)
}

// greet begins a conversation with the greetings of its main character: the
// chosen one is shown, the others are its swipes.
func (tx *txn) greet(c store.Conversation, settings Settings) (store.Conversation, error) {
	if len(settings.Characters) == 0 {
		return c, nil
	}
	who, err := tx.Character(tx.id, settings.Characters[0])
	if err != nil {
		return c, err
	}
	greetings := append([]string{who.Card.Greeting}, who.Card.Greetings...)
	if settings.Greeting >= len(greetings) {
		return c, store.Errorf(store.Invalid, "settings.greeting: %q has %d greetings, counted from 0", who.ID, len(greetings))
	}
	common, err := ParseSettings(tx.world.Settings)
	if err != nil {
		return c, err
	}
	user := settings.Over(common).User
	var nodes []store.Node
	shown := -1
	for i, text := range greetings {
		if text == "" {
			continue // a card without a first message
		}
		if i == settings.Greeting {
			shown = len(nodes)
		}
		nodes = append(nodes, store.Node{
			World: tx.id, Conversation: c.ID, Role: lore.RoleAssistant, Name: who.Card.CharName(), Content: greeted(tx.ctx, text, c, who.Card, user), Kind: store.NodeGreeting,
		})
	}
	if shown < 0 {
		return c, nil
	}
	added, err := tx.AppendNodes(nodes)
	if err != nil {
		return c, err
	}
	if err := tx.tellNodes(added); err != nil {
		return c, err
	}
	return tx.extended(c, added[shown:shown+1], "")
}

// Conversation returns a conversation.
func (s *Service) Conversation(ctx context.Context, world, conversation string) (store.Conversation, error) {
	return view(ctx, s, world, func(tx *txn) (store.Conversation, error) { return tx.conversation(conversation) })
}

// Conversations lists the conversations of a world, the last changed first.
func (s *Service) Conversations(ctx context.Context, world string, p store.Page) (list []store.Conversation, next string, err error) {
	return page(ctx, s, world, func(tx *txn) ([]store.Conversation, string, error) { return tx.Conversations(world, p) })
}

// UpdateConversation changes a conversation.
func (s *Service) UpdateConversation(ctx context.Context, world, conversation string, p ConversationPatch, cond store.If) (store.Conversation, error) {
	return update(ctx, s, world, func(tx *txn) (store.Conversation, error) {
		c, err := tx.conversation(conversation)
		if err != nil {
			return c, err
		}
		if p.Title != nil {
			c.Title = *p.Title
		}
		if p.External != nil {
			c.External = *p.External
		}
		if p.Seed != nil {
			c.Seed = *p.Seed
		}
		was, err := ParseSettings(c.Settings)
		if err != nil {
			return c, err
		}
		if c.Settings, err = patched(c.Settings, p.Settings); err != nil {
			return c, err
		}
		if c, err = tx.UpdateConversation(c, cond); err != nil {
			return c, err
		}
		if err := tx.event(EventConversationUpdated, c.ID, c.ID); err != nil {
			return c, err
		}
		is, err := ParseSettings(c.Settings)
		if err != nil || was.settled() == is.settled() {
			return c, err
		}
		return c, tx.reconcile(c)
	})
}

// DeleteConversation hides a conversation; it is erased when the retention of
// deleted things ends. What the world remembers of it is retracted.
func (s *Service) DeleteConversation(ctx context.Context, world, conversation string, cond store.If) error {
	return do(ctx, s, world, func(tx *txn) error {
		c, err := tx.conversation(conversation)
		if err != nil {
			return err
		}
		if err := tx.DeleteConversation(c.ID, cond); err != nil {
			return err
		}
		if err := tx.eraseTurns(c.ID); err != nil {
			return err
		}
		if err := tx.event(EventConversationDeleted, c.ID, c.ID); err != nil {
			return err
		}
		before, err := tx.MemoryPath(c.Head, 0)
		if err != nil {
			return err
		}
		if err := tx.settle(c, memory.Path{Conversation: c.ID}); err != nil {
			return err
		}
		tx.OnCommit(func() { s.forgetConversation(c.ID) })
		return tx.tellWatchers(HeadMove{World: world, Conversation: c.ID, Old: c.Head, Left: stepIDs(before.Steps)})
	})
}

// RestoreConversation brings a deleted conversation back.
func (s *Service) RestoreConversation(ctx context.Context, world, conversation string) (store.Conversation, error) {
	return update(ctx, s, world, func(tx *txn) (store.Conversation, error) {
		c, err := tx.anyConversation(conversation)
		if err != nil || c.Deleted == 0 {
			return c, err
		}
		if err := tx.RestoreConversation(c.ID); err != nil {
			return c, err
		}
		if err := tx.event(EventConversationRestored, c.ID, c.ID); err != nil {
			return c, err
		}
		if c, err = tx.Conversation(c.ID); err != nil {
			return c, err
		}
		if err := tx.reconcile(c); err != nil {
			return c, err
		}
		after, err := tx.MemoryPath(c.Head, 0)
		if err != nil {
			return c, err
		}
		return c, tx.tellWatchers(HeadMove{World: world, Conversation: c.ID, New: c.Head, Entered: stepIDs(after.Steps)})
	})
}

// EraseConversation deletes a conversation for good, with everything that came
// from it: messages, states, operations of every layer, events. What was erased
// is gone from the files when it returns.
func (s *Service) EraseConversation(ctx context.Context, world, conversation string) error {
	err := do(ctx, s, world, func(tx *txn) error {
		c, err := tx.anyConversation(conversation)
		if err != nil {
			return err
		}
		tx.conv = "" // the answer to this request is no part of it
		if err := tx.eraseTurns(c.ID); err != nil {
			return err
		}
		if err := tx.eraseSettings(scopeConversation + c.ID); err != nil {
			return err
		}
		if err := tx.SetBinding(world, lore.Binding{Scope: lore.ScopeChat, Name: c.ID}); err != nil {
			return err
		}
		if err := tx.eraseDecisions(c.ID); err != nil {
			return err
		}
		if err := tx.EraseConversation(c.ID); err != nil {
			return err
		}
		tx.OnCommit(func() {
			s.forgetConversation(c.ID)
			// Operations of the world went, which others have seen.
			s.ready.removeIf(func(_ string, r *ready) bool { return r.world == world })
		})
		return tx.event(EventConversationErased, c.ID, "")
	})
	return s.purged(ctx, err)
}

// eraseDecisions forgets what was decided on proposals of a conversation.
func (tx *txn) eraseDecisions(conversation string) error {
	all, err := tx.Settings(scopeWorld + tx.id)
	if err != nil {
		return err
	}
	for name := range all {
		rest, ok := strings.CutPrefix(name, settingDecided)
		if !ok {
			continue
		}
		id, _, _ := strings.Cut(rest, ".")
		op, err := tx.Operation(id)
		if err != nil && store.KindOf(err) != store.NotFound {
			return err
		}
		if err == nil && op.Conversation != conversation {
			continue
		}
		if err := tx.SetSetting(scopeWorld+tx.id, name, nil); err != nil {
			return err
		}
	}
	return nil
}
