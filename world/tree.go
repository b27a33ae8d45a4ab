package world

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/store"
)

// Message is a message to be added to a conversation.
type Message struct {
	// ID is made up if it is empty.
	ID string
	// Role defaults to user.
	Role lore.Role
	// Name is who speaks. Defaults to the user's, or the character's, name.
	Name    string
	Content string
	Hidden  bool
	// Author is the id of an author ([ExternalPrefix] + id works too).
	Author string
	// External is the id that another program knows the message by, unique in
	// the world.
	External string
	// Ext is what else is known of the message, as JSON.
	Ext json.RawMessage
}

// Append says where messages are added.
type Append struct {
	// Parent is the message that the first one follows. "" means the head,
	// [Root] the beginning of the conversation.
	Parent string
	// Messages follow each other.
	Messages []Message
	// IfHead is the head that the caller saw; another one is a Conflict. "" is
	// no condition.
	IfHead string
	// KeepHead leaves the head where it is.
	KeepHead bool
	// IfNew leaves messages out whose external id is known already, so that a
	// log may be sent again.
	IfNew bool
}

// Root names the beginning of a conversation where a message is asked for.
const Root = "root"

// Tree is a conversation with the structure of its tree.
type Tree struct {
	Conversation store.Conversation
	// Nodes are all nodes in the order in which they came, without Content and
	// Ext; deleted ones too.
	Nodes []store.Node
	// Path are the ids of the messages from the beginning to the head.
	Path []string
}

// Turning is one message of a path with its alternatives.
type Turning struct {
	store.Node
	// Swipes are the ids of the siblings that take turns with it, itself
	// included, in the order in which they came; At is its own place.
	Swipes []string
	At     int
	// Operations is how many operations came from it.
	Operations int
}

// PathOptions say what of a path is wanted.
type PathOptions struct {
	// Node is where the path ends; "" means the head.
	Node string
	// Last asks for the last messages only; 0 means all.
	Last int
	// AsOf asks for the path as it was at a number of the world; 0 means now.
	AsOf int64
	// Deleted keeps deleted messages in.
	Deleted bool
}

// Append adds messages to a conversation without generating a reply, and moves
// the head to the last one.
func (s *Service) Append(ctx context.Context, world, conversation string, a Append) ([]store.Node, error) {
	return update(ctx, s, world, func(tx *txn) ([]store.Node, error) {
		c, err := tx.conversation(conversation)
		if err != nil {
			return nil, err
		}
		nodes, _, err := tx.append(c, a)
		return nodes, err
	})
}

// append adds messages and returns the conversation as it is then.
func (tx *txn) append(c store.Conversation, a Append) ([]store.Node, store.Conversation, error) {
	if err := sawHead(c, a.IfHead); err != nil {
		return nil, c, err
	}
	parent := ""
	switch a.Parent {
	case "":
		parent = c.Head
	case Root:
	default:
		n, err := tx.nodeOf(c, a.Parent)
		if err != nil {
			return nil, c, err
		}
		if n.Deleted {
			return nil, c, store.Errorf(store.Conflict, "the message %q was deleted: nothing can follow it", a.Parent)
		}
		parent = n.ID
	}
	first := parent
	settings, err := tx.settings(c)
	if err != nil {
		return nil, c, err
	}
	out := make([]store.Node, 0, len(a.Messages))
	var fresh []store.Node
	for _, m := range a.Messages {
		if a.IfNew && m.External != "" {
			known, err := tx.NodeByExternal(tx.id, m.External)
			switch {
			case err == nil && known.Conversation == c.ID:
				out = append(out, known)
				if len(fresh) == 0 {
					parent, first = known.ID, known.ID
				}
				continue
			case err != nil && store.KindOf(err) != store.NotFound:
				return nil, c, err
			}
		}
		n, err := tx.newNode(c, settings, m)
		if err != nil {
			return nil, c, err
		}
		n.Parent = parent
		parent = n.ID
		fresh = append(fresh, n)
		out = append(out, n)
	}
	if len(fresh) == 0 {
		return out, c, nil
	}
	added, err := tx.AppendNodes(fresh)
	if err != nil {
		return nil, c, err
	}
	for i, n := range added {
		at := slices.IndexFunc(out, func(o store.Node) bool { return o.ID == fresh[i].ID })
		out[at] = n
	}
	if err := tx.tellNodes(added); err != nil {
		return nil, c, err
	}
	if a.KeepHead {
		return out, c, nil
	}
	if first == c.Head {
		c, err = tx.extended(c, added, "")
		return out, c, err
	}
	before, err := tx.shown(c)
	if err != nil {
		return nil, c, err
	}
	c, err = tx.moved(c, before, added[len(added)-1].ID, "")
	return out, c, err
}

// sawHead compares the head with what a caller saw.
func sawHead(c store.Conversation, head string) error {
	if head == "" || head == c.Head || head == Root && c.Head == "" {
		return nil
	}
	return store.Errorf(store.Conflict, "the conversation stands at another message than %q by now: read it again", head)
}

// newNode makes a node of a message.
func (tx *txn) newNode(c store.Conversation, settings Settings, m Message) (store.Node, error) {
	n := store.Node{
		ID: m.ID, World: tx.id, Conversation: c.ID, Role: m.Role, Name: m.Name, Content: m.Content, External: m.External,
		Ext: m.Ext, Hidden: m.Hidden,
	}
	if n.ID == "" {
		n.ID = tx.NewID()
	}
	switch n.Role {
	case "":
		n.Role = lore.RoleUser
	case lore.RoleUser, lore.RoleAssistant, lore.RoleSystem, lore.RoleTool:
	default:
		return n, store.Errorf(store.Invalid, "the role %q is none of user, assistant, system and tool", m.Role)
	}
	if m.Author != "" {
		a, err := tx.author(m.Author)
		external, outside := strings.CutPrefix(m.Author, ExternalPrefix)
		if store.KindOf(err) == store.NotFound && outside {
			if a, err = tx.SaveAuthor(store.Author{World: tx.id, External: external, Name: m.Name}); err == nil {
				err = tx.event(EventAuthorSaved, a.ID, "")
			}
		}
		if err != nil {
			return n, err
		}
		n.Author = a.ID
		if n.Name == "" {
			n.Name = a.Name
		}
	}
	if n.Name != "" {
		return n, nil
	}
	switch n.Role {
	case lore.RoleUser:
		n.Name = settings.User
	case lore.RoleAssistant:
		who, err := tx.speaker(settings)
		if err != nil {
			return n, err
		}
		if who != nil {
			n.Name = who.CharName()
		}
	}
	return n, nil
}

// speaker returns the card of who speaks next; nil if nobody is named.
func (tx *txn) speaker(settings Settings) (*lore.Character, error) {
	id := settings.Speaker
	if id == "" && len(settings.Characters) > 0 {
		id = settings.Characters[0]
	}
	if id == "" {
		return nil, nil
	}
	c, err := tx.Character(tx.id, id)
	if store.KindOf(err) == store.NotFound {
		return nil, nil // it was deleted since
	}
	return c.Card, err
}

// tellNodes adds the events of new messages.
func (tx *txn) tellNodes(nodes []store.Node) error {
	for _, n := range nodes {
		if err := tx.event(EventNodeCreated, n.ID, n.Conversation, "parent", n.Parent, "role", n.Role, "kind", n.Kind, "swipe", n.Swipe); err != nil {
			return err
		}
	}
	return nil
}

// Node returns a message. A message that was edited in place is returned as it
// was written; its ShownAs is the wording that stands for it.
func (s *Service) Node(ctx context.Context, world, node string) (store.Node, error) {
	return view(ctx, s, world, func(tx *txn) (store.Node, error) { return tx.asWritten(node) })
}

// asWritten returns a message, or a wording of one, by its id or external id.
func (tx *txn) asWritten(id string) (store.Node, error) {
	n, _, err := tx.node(id)
	if err != nil || strings.HasPrefix(id, ExternalPrefix) {
		return n, err
	}
	return tx.Node(id)
}

// Path returns the messages of a conversation from its beginning to a node.
func (s *Service) Path(ctx context.Context, world, conversation string, o PathOptions) ([]Turning, error) {
	return view(ctx, s, world, func(tx *txn) ([]Turning, error) {
		c, err := tx.conversation(conversation)
		if err != nil {
			return nil, err
		}
		node := c.Head
		if o.Node != "" {
			n, err := tx.nodeOf(c, o.Node)
			if err != nil {
				return nil, err
			}
			node = n.ID
		}
		nodes, err := tx.Path(node, store.PathOptions{Last: o.Last, AsOf: o.AsOf, Deleted: o.Deleted})
		if err != nil {
			return nil, err
		}
		return tx.turnings(c, nodes)
	})
}

// fewNodes is up to how many messages their siblings are asked for one by one.
const fewNodes = 32

// turnings adds to the messages of a path what can be shown in their place.
func (tx *txn) turnings(c store.Conversation, nodes []store.Node) ([]Turning, error) {
	counts, err := tx.OperationCounts(c.ID)
	if err != nil {
		return nil, err
	}
	var tree []store.Node
	byParent := map[string][]store.Node{}
	if len(nodes) > fewNodes {
		if tree, err = tx.Tree(c.ID); err != nil {
			return nil, err
		}
		for _, n := range tree {
			byParent[n.Parent] = append(byParent[n.Parent], n)
		}
	}
	out := make([]Turning, len(nodes))
	for i, n := range nodes {
		t := Turning{Node: n, Operations: counts[n.ID]}
		own, parent := n.ID, n.Parent
		if standsIn(n) {
			own = n.EditOf
			t.Operations += counts[own]
		}
		siblings, known := byParent[parent], tree != nil
		if known && len(siblings) == 0 || !known {
			if siblings, err = tx.Siblings(own); err != nil {
				return nil, err
			}
		}
		for _, sib := range siblings {
			if sib.Role == n.Role && !sib.Deleted && !standsIn(sib) {
				if sib.ID == own {
					t.At = len(t.Swipes)
				}
				t.Swipes = append(t.Swipes, sib.ID)
			}
		}
		out[i] = t
	}
	return out, nil
}

// Tree returns the structure of a conversation.
func (s *Service) Tree(ctx context.Context, world, conversation string) (Tree, error) {
	return view(ctx, s, world, func(tx *txn) (Tree, error) {
		c, err := tx.conversation(conversation)
		if err != nil {
			return Tree{}, err
		}
		nodes, err := tx.Tx.Tree(c.ID)
		if err != nil {
			return Tree{}, err
		}
		p, err := tx.MemoryPath(c.Head, 0)
		t := Tree{Conversation: c, Nodes: nodes, Path: make([]string, len(p.Steps))}
		for i, step := range p.Steps {
			t.Path[i] = step.Node
		}
		return t, err
	})
}

// Swipe adds another version of a message, and moves the head to it.
func (s *Service) Swipe(ctx context.Context, world, node string, m Message) (store.Node, error) {
	return update(ctx, s, world, func(tx *txn) (store.Node, error) {
		old, c, err := tx.node(node)
		if err != nil {
			return old, err
		}
		if m.Role == "" {
			m.Role = old.Role
		}
		if m.Name == "" {
			m.Name = old.Name
		}
		settings, err := tx.settings(c)
		if err != nil {
			return old, err
		}
		n, err := tx.newNode(c, settings, m)
		if err != nil {
			return n, err
		}
		n.Parent = old.Parent
		return tx.addSibling(c, n)
	})
}

// addSibling adds a node beside another one, and moves the head to it.
func (tx *txn) addSibling(c store.Conversation, n store.Node) (store.Node, error) {
	before, err := tx.shown(c)
	if err != nil {
		return n, err
	}
	if n, err = tx.AppendNode(n); err != nil {
		return n, err
	}
	if err := tx.tellNodes([]store.Node{n}); err != nil {
		return n, err
	}
	_, err = tx.moved(c, before, n.ID, "")
	return n, err
}

// SwitchSwipe shows a sibling of what the conversation shows: the head moves to
// it, or to the newest message that followed it. What was remembered of the
// other one no longer counts, what was remembered of this one does.
func (s *Service) SwitchSwipe(ctx context.Context, world, node string) (store.Conversation, error) {
	return s.goTo(ctx, world, node, (*txn).leaf)
}

// Branch moves the head back to a message, so that what is said next begins a
// branch of its own there. The branch sees everything up to the message and
// nothing that came later.
func (s *Service) Branch(ctx context.Context, world, node string) (store.Conversation, error) {
	return s.goTo(ctx, world, node, func(_ *txn, n store.Node) (string, error) { return n.ID, nil })
}

func (s *Service) goTo(ctx context.Context, world, node string, to func(*txn, store.Node) (string, error)) (store.Conversation, error) {
	return update(ctx, s, world, func(tx *txn) (store.Conversation, error) {
		n, c, err := tx.node(node)
		if err != nil {
			return c, err
		}
		if n.Deleted {
			return c, store.Errorf(store.Conflict, "the message %q was deleted: bring it back first", node)
		}
		head, err := to(tx, n)
		if err != nil {
			return c, err
		}
		before, err := tx.shown(c)
		if err != nil {
			return c, err
		}
		return tx.moved(c, before, head, "")
	})
}

// SetHead moves the head of a conversation to a message; [Root] is the
// beginning.
func (s *Service) SetHead(ctx context.Context, world, conversation, node string) (store.Conversation, error) {
	if node != Root {
		return s.goTo(ctx, world, node, func(tx *txn, n store.Node) (string, error) {
			_, err := tx.nodeOfConversation(conversation, n)
			return n.ID, err
		})
	}
	return update(ctx, s, world, func(tx *txn) (store.Conversation, error) {
		c, err := tx.conversation(conversation)
		if err != nil {
			return c, err
		}
		before, err := tx.shown(c)
		if err != nil {
			return c, err
		}
		return tx.moved(c, before, "", "")
	})
}

// nodeOfConversation checks that a message belongs to a conversation.
func (tx *txn) nodeOfConversation(conversation string, n store.Node) (store.Conversation, error) {
	c, err := tx.conversation(conversation)
	if err == nil && c.ID != n.Conversation {
		err = store.Errorf(store.NotFound, "there is no message %q in the conversation %q", n.ID, conversation)
	}
	return c, err
}
