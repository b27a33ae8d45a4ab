package world

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/store"
)

// openTurn is a turn that was begun, as it is kept until it is finished.
type openTurn struct {
	ID     string               `json:"id"`
	Record store.AssemblyRecord `json:"record"`
	Parent string               `json:"parent,omitempty"`
	// Head is where the conversation stood: if it still does, the reply becomes
	// the head.
	Head    string `json:"head,omitempty"`
	Speaker string `json:"speaker,omitempty"`
	User    string `json:"user,omitempty"`
	// Gone says that the parent was deleted already: what followed it stayed.
	Gone bool `json:"gone,omitempty"`
}

// maxOpenTurns is how many turns of a conversation may be open; when one more
// is begun the oldest is forgotten.
const maxOpenTurns = 8

const (
	// settingTurn, with the id of a turn behind it, names the turn in the scope of
	// its conversation, and its conversation in the scope of the world.
	settingTurn  = "turn:"
	settingTurns = "turns" // ids, in the scope of the conversation
)

// BeginTurn adds the messages of the request and assembles the lore for the
// reply, from the state before the turn: asking again gives the same. Nothing
// is stored of the turn itself but what [Service.FinishTurn] needs.
//
// The messages and the turn are committed first; the assembly is made of what
// was committed, and takes no part in the transaction. A key (see [WithOnce])
// is for that part: its answer is made of a turn without its assembly, and
// [Service.Turn] gives the whole.
func (s *Service) BeginTurn(ctx context.Context, world, conversation string, r TurnRequest) (*Turn, error) {
	t := &Turn{World: world}
	var p *plan
	_, err := update(ctx, s, world, func(tx *txn) (*Turn, error) {
		t = &Turn{World: world}
		c, err := tx.conversation(conversation)
		if err != nil {
			return nil, err
		}
		if err := sawHead(c, r.IfHead); err != nil {
			return nil, err
		}
		if len(r.Messages) > 0 {
			if again(r.Kind) || r.Kind == lore.KindContinue {
				return nil, store.Errorf(store.Invalid, "a turn of kind %s is about a reply: it adds no messages", r.Kind)
			}
			if t.Added, c, err = tx.append(c, Append{Parent: r.At, Messages: r.Messages}); err != nil {
				return nil, err
			}
		}
		at := r.At
		if n := len(t.Added); n > 0 {
			at = t.Added[n-1].ID
		}
		t.ID, t.Conversation = tx.NewID(), c.ID
		if p, err = tx.plan(c, at, t.ID, r.Assemble); err != nil {
			return nil, err
		}
		t.Parent, t.Reply = p.in.Parent, p.in.Reply
		if err := tx.open(t, p); err != nil {
			return nil, err
		}
		return t, tx.event(EventTurnBegun, t.ID, c.ID, "parent", t.Parent, "kind", p.record.Kind)
	})
	if err != nil {
		return nil, err
	}
	t.Assembly, err = view(ctx, s, world, func(tx *txn) (Assembly, error) { return tx.run(p) })
	if err != nil {
		return nil, err
	}
	if p.record.Kind != lore.KindQuiet {
		s.turns.put(t.ID, t)
	}
	return t, nil
}

// Turn returns a turn that was begun and not finished, as it was begun whatever
// has happened since; assembled again if this server did not begin it, with as
// much explained as trace and why say. It is what a request to begin a turn is
// answered with when it comes again; once there is a reply, see
// [Service.Rederive].
func (s *Service) Turn(ctx context.Context, world, turn string, trace engine.TraceLevel, why ...engine.EntryRef) (*Turn, error) {
	made, begun := s.turns.get(turn)
	t, err := view(ctx, s, world, func(tx *txn) (*Turn, error) {
		if begun { // it may have been finished, or be another's
			_, _, err := tx.openTurn(turn)
			return made, err
		}
		return tx.remake(turn, Assemble{Trace: trace, Why: why})
	})
	if err != nil {
		return nil, err
	}
	s.turns.put(turn, t)
	return t, nil
}

// open keeps what is needed to finish a turn.
func (tx *txn) open(t *Turn, p *plan) error {
	if p.record.Kind == lore.KindQuiet {
		return nil
	}
	if err := tx.keepScene(p); err != nil {
		return err
	}
	scope := scopeConversation + t.Conversation
	o := openTurn{
		ID: t.ID, Record: p.record, Parent: t.Parent, Head: p.conv.Head, Speaker: p.scene.Character.Name, User: p.scene.User,
	}
	if t.Parent != "" {
		parent, err := tx.Node(t.Parent)
		if err != nil {
			return err
		}
		o.Gone = parent.Deleted
	}
	raw, err := json.Marshal(o)
	if err != nil {
		return err
	}
	if err := tx.SetSetting(scope, settingTurn+t.ID, raw); err != nil {
		return err
	}
	if err := tx.SetSetting(scopeWorld+tx.id, settingTurn+t.ID, quoted(t.Conversation)); err != nil {
		return err
	}
	ids, err := tx.openTurns(t.Conversation)
	if err != nil {
		return err
	}
	ids = append(ids, t.ID)
	for len(ids) > maxOpenTurns {
		if err := tx.dropTurn(t.Conversation, ids[0]); err != nil {
			return err
		}
		ids = ids[1:]
	}
	return tx.setOpenTurns(t.Conversation, ids)
}

func quoted(s string) json.RawMessage {
	raw, _ := json.Marshal(s) // strings always encode
	return raw
}

// openTurns returns the ids of the turns of a conversation that were begun.
func (tx *txn) openTurns(conversation string) (ids []string, err error) {
	raw, err := tx.Setting(scopeConversation+conversation, settingTurns)
	if store.KindOf(err) == store.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return ids, json.Unmarshal(raw, &ids)
}

func (tx *txn) setOpenTurns(conversation string, ids []string) error {
	var raw json.RawMessage
	if len(ids) > 0 {
		var err error
		if raw, err = json.Marshal(ids); err != nil {
			return err
		}
	}
	return tx.SetSetting(scopeConversation+conversation, settingTurns, raw)
}

func (tx *txn) dropTurn(conversation, id string) error {
	tx.OnCommit(func() { tx.s.turns.remove(id) })
	if err := tx.SetSetting(scopeConversation+conversation, settingTurn+id, nil); err != nil {
		return err
	}
	return tx.SetSetting(scopeWorld+tx.id, settingTurn+id, nil)
}

// closeTurn takes a turn from the open ones.
func (tx *txn) closeTurn(conversation, id string) error {
	ids, err := tx.openTurns(conversation)
	if err != nil {
		return err
	}
	if err := tx.dropTurn(conversation, id); err != nil {
		return err
	}
	return tx.setOpenTurns(conversation, slices.DeleteFunc(ids, func(s string) bool { return s == id }))
}

// eraseTurns forgets the open turns of a conversation.
func (tx *txn) eraseTurns(conversation string) error {
	ids, err := tx.openTurns(conversation)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := tx.dropTurn(conversation, id); err != nil {
			return err
		}
	}
	return tx.setOpenTurns(conversation, nil)
}

// openTurn returns a turn that was begun, and its conversation.
func (tx *txn) openTurn(id string) (o openTurn, c store.Conversation, err error) {
	missing := store.Errorf(store.NotFound, "there is no open turn %q: it was finished, cancelled, or forgotten because others were begun", id)
	raw, err := tx.Setting(scopeWorld+tx.id, settingTurn+id)
	if store.KindOf(err) == store.NotFound {
		return o, c, missing
	}
	if err != nil {
		return o, c, err
	}
	var conversation string
	if err := json.Unmarshal(raw, &conversation); err != nil {
		return o, c, err
	}
	if c, err = tx.conversation(conversation); err != nil {
		return o, c, err
	}
	raw, err = tx.Setting(scopeConversation+c.ID, settingTurn+id)
	if store.KindOf(err) == store.NotFound {
		return o, c, missing
	}
	if err != nil {
		return o, c, err
	}
	return o, c, json.Unmarshal(raw, &o)
}

// errRemake is returned inside of FinishTurn where the assembly has to be made
// again first.
var errRemake = errors.New("the turn was begun elsewhere")

// FinishTurn adds the reply to the conversation with the state after it and the
// record of its assembly, and moves the head to it, unless the conversation has
// moved elsewhere meanwhile. Asked again with the same reply it returns the same
// node; with another one it is a Conflict. A turn of kind impersonate adds a
// message of the user and stores nothing else; one of kind quiet stores nothing
// and cannot be finished.
func (s *Service) FinishTurn(ctx context.Context, world, turn string, r Reply) (store.Node, error) {
	made, _ := s.turns.get(turn)
	for {
		n, err := update(ctx, s, world, func(tx *txn) (store.Node, error) { return tx.finish(turn, made, r) })
		if !errors.Is(err, errRemake) || made != nil {
			return n, err
		}
		made, err = view(ctx, s, world, func(tx *txn) (*Turn, error) { return tx.remake(turn, Assemble{}) })
		if err != nil {
			return n, err
		}
	}
}

// remake assembles again for a turn that was begun by another server, or long
// ago.
func (tx *txn) remake(id string, ask Assemble) (*Turn, error) {
	o, c, err := tx.openTurn(id)
	if err != nil {
		return nil, err
	}
	p, err := tx.planOf(c, o.Record)
	if err != nil {
		return nil, err
	}
	p.begun, p.ask = true, ask
	t := &Turn{ID: id, World: tx.id, Conversation: c.ID, Parent: o.Parent, Reply: p.in.Reply}
	t.Assembly, err = tx.run(p)
	return t, err
}

func (tx *txn) finish(id string, made *Turn, r Reply) (store.Node, error) {
	switch done, err := tx.Node(id); {
	case err == nil && done.World == tx.id:
		return tx.finished(done, r)
	case err != nil && store.KindOf(err) != store.NotFound:
		return done, err
	}
	o, c, err := tx.openTurn(id)
	if err != nil {
		return store.Node{}, err
	}
	kind := o.Record.Kind
	if made == nil && kind != lore.KindImpersonate {
		return store.Node{}, errRemake
	}
	n := store.Node{
		ID: id, World: tx.id, Conversation: c.ID, Parent: o.Parent, Role: lore.RoleAssistant, Name: o.Speaker,
		Content: r.Content, External: r.External, Ext: r.Ext,
	}
	if kind == lore.KindImpersonate {
		n.Role, n.Name = lore.RoleUser, o.User
	}
	pick(&n.Name, r.Name)
	if r.Author != "" {
		a, err := tx.author(r.Author)
		if err != nil {
			return n, err
		}
		n.Author = a.ID
	}
	if kind == lore.KindContinue {
		n, err = tx.finishContinue(c, made, r)
	} else {
		n, err = tx.finishReply(c, o, n)
	}
	if err != nil {
		return n, err
	}
	if kind != lore.KindImpersonate {
		if kind != lore.KindContinue { // what is continued keeps its state
			if err := tx.PutState(n.ID, made.State); err != nil {
				return n, err
			}
		}
		if err := tx.putRecord(n.ID, made, o.Record); err != nil {
			return n, err
		}
	}
	if err := tx.closeTurn(c.ID, id); err != nil {
		return n, err
	}
	return n, tx.event(EventTurnFinished, id, c.ID, "node", n.ID)
}

// putRecord keeps the record of a turn as it was made.
func (tx *txn) putRecord(node string, made *Turn, begun store.AssemblyRecord) error {
	record := made.Record
	record.Node = node
	var in inputs
	if err := json.Unmarshal(begun.Options, &in); err != nil {
		return damagedRecord(node, err)
	}
	in.Without = made.without
	raw, err := json.Marshal(in)
	if err != nil {
		return err
	}
	record.Options = raw
	return tx.PutRecord(record)
}

// finished returns the node of a turn that was finished before.
func (tx *txn) finished(n store.Node, r Reply) (store.Node, error) {
	content := n.Content
	if standsIn(n) { // a continuation: the reply is its end
		if len(content) >= len(r.Content) {
			content = content[len(content)-len(r.Content):]
		}
	}
	if content != r.Content {
		return n, store.Errorf(store.Conflict, "the turn %s was finished with another reply: begin a new one", n.ID)
	}
	return n, nil
}

// finishReply adds a new reply, or what the user was made to say.
func (tx *txn) finishReply(c store.Conversation, o openTurn, n store.Node) (store.Node, error) {
	if n.Parent != "" {
		parent, err := tx.Node(n.Parent)
		if err != nil {
			return n, err
		}
		if parent.Deleted && !o.Gone {
			return n, store.Errorf(store.Conflict, "the message that the reply follows was deleted meanwhile")
		}
	}
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
	switch {
	case c.Head != o.Head: // the reader went elsewhere
	case c.Head == n.Parent:
		_, err = tx.extended(c, []store.Node{n}, n.ID)
	default:
		_, err = tx.moved(c, before, n.ID, n.ID)
	}
	return n, err
}

// finishContinue adds to the end of a reply.
func (tx *txn) finishContinue(c store.Conversation, made *Turn, r Reply) (store.Node, error) {
	old, err := tx.Node(made.Reply)
	if err != nil {
		return old, err
	}
	if old.Deleted {
		return old, store.Errorf(store.Conflict, "the reply was deleted meanwhile")
	}
	now, err := tx.wording(old)
	if err != nil {
		return old, err
	}
	if last := made.Messages[len(made.Messages)-1].Content; now.Content != last {
		return old, store.Errorf(store.Conflict, "the reply was changed meanwhile: begin the turn again")
	}
	return tx.editInPlace(c, old, Edit{Content: now.Content + r.Content, Name: r.Name}, made.ID)
}

// CancelTurn forgets a turn that was begun. The messages that it added stay.
func (s *Service) CancelTurn(ctx context.Context, world, turn string) error {
	return do(ctx, s, world, func(tx *txn) error {
		_, c, err := tx.openTurn(turn)
		if err != nil {
			return err
		}
		if err := tx.closeTurn(c.ID, turn); err != nil {
			return err
		}
		return tx.event(EventTurnCancelled, turn, c.ID)
	})
}

// Why says why entries are, or are not, in the prompt of a reply; or, if at
// names no reply with a record, in that of the next one, see [Service.Assemble].
func (s *Service) Why(ctx context.Context, world, conversation, at string, entries ...engine.EntryRef) ([]engine.Absence, error) {
	return view(ctx, s, world, func(tx *txn) ([]engine.Absence, error) {
		c, err := tx.conversation(conversation)
		if err != nil {
			return nil, err
		}
		ask := Assemble{Why: entries}
		var a Assembly
		record := store.AssemblyRecord{}
		err = store.Errorf(store.NotFound, "")
		if at != "" && at != Root {
			var n store.Node
			if n, err = tx.nodeOf(c, at); err != nil {
				return nil, err
			}
			record, err = tx.recordOf(n)
		}
		switch store.KindOf(err) {
		case store.NotFound:
			a, err = tx.preview(c, at, ask)
		case "":
			if err == nil {
				a, err = tx.rederive(c, record, ask)
			}
		}
		if err != nil {
			return nil, err
		}
		return a.Trace.Absent[:min(len(entries), len(a.Trace.Absent))], nil
	})
}

// recordOf returns the record of a message as it stands: of the continuation
// that stands for it, if there is one.
func (tx *txn) recordOf(n store.Node) (store.AssemblyRecord, error) {
	if n.ShownAs != "" {
		r, err := tx.Record(n.ShownAs)
		if store.KindOf(err) != store.NotFound {
			return r, err
		}
	}
	return tx.Record(n.ID)
}

// Rederive returns the prompt and the trace of a reply from its record, byte
// for byte as they were. A revision of a book that was erased is NotFound.
func (s *Service) Rederive(ctx context.Context, world, node string, trace engine.TraceLevel, why ...engine.EntryRef) (Assembly, error) {
	return view(ctx, s, world, func(tx *txn) (Assembly, error) {
		n, c, err := tx.node(node)
		if err != nil {
			return Assembly{}, err
		}
		r, err := tx.Record(node) // the id itself: a continuation has its own
		if store.KindOf(err) == store.NotFound {
			r, err = tx.recordOf(n)
		}
		if err != nil {
			return Assembly{}, err
		}
		return tx.rederive(c, r, Assemble{Trace: trace, Why: why})
	})
}

func (tx *txn) rederive(c store.Conversation, r store.AssemblyRecord, ask Assemble) (Assembly, error) {
	p, err := tx.planOf(c, r)
	if err != nil {
		return Assembly{}, err
	}
	p.ask = ask
	return tx.run(p)
}

// State returns the state of the engine at a place.
func (s *Service) State(ctx context.Context, world string, at Place) (engine.State, error) {
	return view(ctx, s, world, func(tx *txn) (engine.State, error) {
		_, node, err := tx.place(at)
		if err != nil || node == "" {
			return engine.State{}, err
		}
		state, _, err := tx.State(node)
		return state, err
	})
}
