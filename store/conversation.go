package store

import (
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/json"
)

// Conversation is a tree of messages with one head.
type Conversation struct {
	ID, World, Title string
	// Head is the node at which the conversation stands; "" while it has none.
	Head string
	// Seed is the source of its randomness; 0 gets one made from the id.
	Seed uint64
	// Settings are the conversation's own, as JSON; nil means {}.
	Settings json.RawMessage
	// External is the id that another program knows the conversation by; "" if
	// none does. It is unique in the world.
	External string
	// Nodes is how many nodes it has, deleted ones included.
	Nodes int64
	// Deleted is when it was deleted; 0 if it was not.
	Deleted int64
	// Version is the world's revision in which Title, Settings, Seed, External
	// or Deleted last changed; the head and the messages do not count.
	Version          int64
	Created, Changed int64
}

const conversationColumns = "id, world, title, head, seed, settings, coalesce(external, ''), nodes, deleted, version, created, changed"

type conversationRow struct {
	Conversation
	seed int64
}

func (c *conversationRow) dest() []any {
	return []any{
		&c.ID, &c.World, &c.Title, &c.Head, &c.seed, (*[]byte)(&c.Settings), &c.External, &c.Nodes,
		&c.Deleted, &c.Version, &c.Created, &c.Changed,
	}
}

func (c *conversationRow) conversation() Conversation {
	c.Seed = uint64(c.seed)
	return c.Conversation
}

// CreateConversation makes a conversation. An empty ID gets a new one.
func (tx *Tx) CreateConversation(c Conversation) (Conversation, error) {
	if c.World == System {
		return Conversation{}, noWorld(c.World)
	}
	settings, err := orEmpty("settings of the conversation", c.Settings)
	if err != nil {
		return Conversation{}, err
	}
	if c.ID == "" {
		c.ID = tx.NewID()
	}
	if c.Seed == 0 {
		sum := sha256.Sum256([]byte(c.ID))
		c.Seed = binary.LittleEndian.Uint64(sum[:])
	}
	w, err := tx.touch(c.World)
	if err != nil {
		return Conversation{}, err
	}
	if err := tx.freeExternal("conversations", "conversation", c.World, c.External, c.ID); err != nil {
		return Conversation{}, err
	}
	if err := tx.use(w, Usage{Conversations: 1}); err != nil {
		return Conversation{}, err
	}
	n, err := tx.exec(`INSERT INTO conversations (id, world, title, head, seed, settings, external, nodes, deleted, version, created, changed)
		VALUES ($1, $2, $3, '', $4, $5, $6, 0, 0, $7, $8, $8) ON CONFLICT DO NOTHING`,
		c.ID, c.World, c.Title, int64(c.Seed), settings, orNull(c.External), w.Revision, tx.now)
	if err != nil {
		return Conversation{}, err
	}
	if n == 0 {
		return Conversation{}, Errorf(Exists, "there is a conversation %q already", c.ID)
	}
	return tx.Conversation(c.ID)
}

// freeExternal makes sure that an external id belongs to nobody else in the
// world.
func (tx *Tx) freeExternal(table, what, world, external, id string) error {
	if external == "" {
		return nil
	}
	var other string
	found, err := tx.row("SELECT id FROM "+table+" WHERE world = $1 AND external = $2", []any{world, external}, &other)
	if err == nil && found && other != id {
		err = Errorf(Exists, "the external id %q belongs to the %s %s already", clip(external), what, other)
	}
	return err
}

func (tx *Tx) conversationWhere(where string, args ...any) (c Conversation, found bool, err error) {
	var row conversationRow
	found, err = tx.row("SELECT "+conversationColumns+" FROM conversations WHERE "+where, args, row.dest()...)
	return row.conversation(), found, err
}

// Conversation returns a conversation, also a deleted one.
func (tx *Tx) Conversation(conversation string) (Conversation, error) {
	if c, ok := tx.known.conversations[conversation]; ok {
		return c, nil
	}
	c, found, err := tx.conversationWhere("id = $1", conversation)
	if err == nil && !found {
		err = Errorf(NotFound, "there is no conversation %q", conversation)
	}
	if err == nil {
		tx.knowConversation(c)
	}
	return c, err
}

// ConversationByExternal returns the conversation with an external id.
func (tx *Tx) ConversationByExternal(world, external string) (Conversation, error) {
	c, found, err := tx.conversationWhere("world = $1 AND external = $2", world, external)
	if err == nil && !found {
		err = Errorf(NotFound, "the world has no conversation with the external id %q", clip(external))
	}
	return c, err
}

// conversationForWrite returns a conversation as it is under the lock of its
// world, the world's revision raised.
func (tx *Tx) conversationForWrite(conversation string) (Conversation, *worldRow, error) {
	c, err := tx.Conversation(conversation)
	if err != nil {
		return c, nil, err
	}
	locked := tx.worlds[c.World] != nil
	w, err := tx.touch(c.World)
	if err != nil || locked {
		return c, w, err
	}
	c, err = tx.Conversation(conversation) // it may have changed before the lock was there
	return c, w, err
}

// Conversations lists the conversations of a world that are not deleted, the
// last changed first.
func (tx *Tx) Conversations(world string, p Page) (list []Conversation, next string, err error) {
	changed, id := int64(1)<<62, ""
	if err := p.after(&changed, &id); err != nil {
		return nil, "", err
	}
	err = tx.rows("SELECT "+conversationColumns+" FROM conversations WHERE world = $1 AND deleted = 0 AND (changed, id) < ($2, $3) ORDER BY changed DESC, id DESC LIMIT $4",
		[]any{world, changed, id, p.limit() + 1}, func(r *sql.Rows) error {
			var row conversationRow
			err := r.Scan(row.dest()...)
			list = append(list, row.conversation())
			return err
		})
	if err != nil {
		return nil, "", err
	}
	list, next = cut(p, list, func(c Conversation) []any { return []any{c.Changed, c.ID} })
	return list, next, nil
}

// UpdateConversation writes Title, Settings, Seed and External.
func (tx *Tx) UpdateConversation(c Conversation, cond If) (Conversation, error) {
	settings, err := orEmpty("settings of the conversation", c.Settings)
	if err != nil {
		return Conversation{}, err
	}
	old, w, err := tx.conversationForWrite(c.ID)
	if err != nil {
		return Conversation{}, err
	}
	if err := cond.check("the conversation", old.Version); err != nil {
		return Conversation{}, err
	}
	if err := tx.freeExternal("conversations", "conversation", old.World, c.External, c.ID); err != nil {
		return Conversation{}, err
	}
	if c.Seed == 0 {
		c.Seed = old.Seed
	}
	_, err = tx.exec("UPDATE conversations SET title = $2, settings = $3, seed = $4, external = $5, version = $6, changed = $7 WHERE id = $1",
		c.ID, c.Title, settings, int64(c.Seed), orNull(c.External), w.Revision, tx.now)
	if err != nil {
		return Conversation{}, err
	}
	return tx.Conversation(c.ID)
}

// SetHead moves the head of a conversation to a node, or to "". An edit that
// stands for a message is taken for that message.
func (tx *Tx) SetHead(conversation, node string) error {
	c, _, err := tx.conversationForWrite(conversation)
	if err != nil {
		return err
	}
	if node != "" {
		n, err := tx.anchor(node)
		if err != nil {
			return err
		}
		if n.conversation != conversation {
			return Errorf(Invalid, "the message %s belongs to another conversation", node)
		}
		node = n.id
	}
	if c.Head == node {
		return nil
	}
	if _, err = tx.exec("UPDATE conversations SET head = $2, changed = $3 WHERE id = $1", conversation, node, tx.now); err != nil {
		return err
	}
	c.Head, c.Changed = node, tx.now
	tx.knowConversation(c)
	return nil
}

// DeleteConversation hides a conversation until it is erased, see
// [Retention].
func (tx *Tx) DeleteConversation(conversation string, cond If) error {
	return tx.markConversation(conversation, cond, true)
}

// RestoreConversation brings a deleted conversation back.
func (tx *Tx) RestoreConversation(conversation string) error {
	return tx.markConversation(conversation, 0, false)
}

func (tx *Tx) markConversation(conversation string, cond If, deleted bool) error {
	c, w, err := tx.conversationForWrite(conversation)
	if err != nil {
		return err
	}
	if err := cond.check("the conversation", c.Version); err != nil || deleted == (c.Deleted != 0) {
		return err
	}
	at := int64(0)
	if deleted {
		at = tx.now
	}
	_, err = tx.exec("UPDATE conversations SET deleted = $2, version = $3, changed = $4 WHERE id = $1", conversation, at, w.Revision, tx.now)
	return err
}
