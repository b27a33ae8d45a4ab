package world

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/turn"
	"github.com/weft-memory/weft/weaver"
)

// scene is what an assembly depends on beside the chat, the state and the lore,
// and what seldom changes from one reply to the next.
type scene struct {
	Vars      map[string]map[string]weaver.Value `json:"vars,omitempty"`
	Sources   map[lore.Source]string             `json:"sources,omitempty"`
	Injects   []string                           `json:"injects,omitempty"`
	Character engine.Character                   `json:"character,omitzero"`
	User      string                             `json:"user,omitempty"`
	Greeting  int                                `json:"greeting,omitempty"`
	Viewpoint string                             `json:"viewpoint,omitempty"`
	Bindings  map[string]engine.Binding          `json:"bindings,omitempty"`
	Slots     []lore.Slot                        `json:"slots"` // nil is all, empty none
	Budget    *lore.Amount                       `json:"budget,omitempty"`
	Context   int                                `json:"context,omitempty"`
	ChatSeed  uint64                             `json:"chat_seed,omitempty"`
}

// inputs are the options of a record: the rest of what an assembly depends on.
type inputs struct {
	// Scene names the scene, which is kept once for many replies.
	Scene string `json:"scene,omitempty"`
	// Parent is the message that the reply follows, Reply the one that grows.
	Parent string `json:"parent,omitempty"`
	Reply  string `json:"reply,omitempty"`
	// WorldLayer is the number up to which the world layer is seen, where that
	// is not the record's own.
	WorldLayer int64 `json:"world_layer,omitempty"`
	// Without are plugins whose hooks failed and were left out.
	Without []string `json:"without,omitempty"`
}

// plan is an assembly that is to be made.
type plan struct {
	conv    store.Conversation
	record  store.AssemblyRecord
	in      inputs
	scene   scene
	purpose engine.Purpose
	ask     Assemble
	// advanced says that the state is that of the turn already.
	advanced bool
	// begun says that the record is of a turn that was not finished: it does not
	// say yet of which state it is.
	begun bool
}

// turnKinds are the kinds of turn that a caller may ask for.
var turnKinds = []lore.TurnKind{
	lore.KindNormal, lore.KindContinue, lore.KindImpersonate, lore.KindSwipe, lore.KindRegenerate, lore.KindQuiet,
}

// again reports whether a kind makes another reply in the place of one.
func again(kind lore.TurnKind) bool { return kind == lore.KindSwipe || kind == lore.KindRegenerate }

// plan works out what an assembly of a conversation depends on, as of now.
func (tx *txn) plan(c store.Conversation, at, id string, o Assemble) (*plan, error) {
	if o.Kind == "" {
		o.Kind = lore.KindNormal
	}
	if !slices.Contains(turnKinds, o.Kind) {
		return nil, store.Errorf(store.Invalid, "kind: %q is none of %v", o.Kind, turnKinds)
	}
	p := &plan{conv: c, ask: o, purpose: engine.PurposeTurn, begun: true}
	p.record = store.AssemblyRecord{Conversation: c.ID, Kind: o.Kind, Picks: o.Picks, EngineVersion: EngineVersion}
	if err := tx.planPlace(p, at); err != nil {
		return nil, err
	}
	own, err := ParseSettings(c.Settings)
	if err != nil {
		return nil, err
	}
	pick(&own.Speaker, o.Speaker)
	cast, err := tx.cast(c.ID, own)
	if err != nil {
		return nil, err
	}
	if p.scene, err = newScene(cast, o); err != nil {
		return nil, err
	}
	p.scene.ChatSeed = c.Seed
	p.record.Books = cast.refs
	if p.record.WorldSeq, err = tx.Seq(tx.id); err != nil {
		return nil, err
	}
	if err := tx.planWorld(p); err != nil {
		return nil, err
	}
	p.record.Seed = turnSeed(c.Seed, p.in.Parent)
	if r := cast.settings.RerollOnSwipe; r != nil && *r && again(o.Kind) {
		p.record.Seed = turnSeed(p.record.Seed, id)
	}
	if o.Seed != nil {
		p.record.Seed = *o.Seed
	}
	return p, nil
}

// planPlace finds the message that the reply follows.
func (tx *txn) planPlace(p *plan, at string) error {
	if at == Root {
		return nil
	}
	if at == "" {
		at = p.conv.Head
	}
	if at == "" {
		if again(p.record.Kind) || p.record.Kind == lore.KindContinue {
			return store.Errorf(store.Invalid, "a turn of kind %s needs a reply, and the conversation has no messages", p.record.Kind)
		}
		return nil
	}
	n, err := tx.nodeOf(p.conv, at)
	if err != nil {
		return err
	}
	switch {
	case n.Deleted:
		return store.Errorf(store.Conflict, "the message %q was deleted", at)
	case again(p.record.Kind):
		if n.Role != lore.RoleAssistant {
			return store.Errorf(store.Invalid, "a turn of kind %s needs a reply, and the message %q is one of the %s", p.record.Kind, at, n.Role)
		}
		p.in.Parent = n.Parent
	case p.record.Kind == lore.KindContinue:
		p.in.Parent, p.in.Reply = n.Parent, n.ID
	default:
		p.in.Parent = n.ID
	}
	return nil
}

// planWorld makes a turn that is made again see the world as the first one did.
func (tx *txn) planWorld(p *plan) error {
	if !again(p.record.Kind) && p.record.Kind != lore.KindContinue {
		return nil
	}
	siblings, err := tx.Children(p.conv.ID, p.in.Parent)
	if err != nil {
		return err
	}
	for _, n := range siblings {
		r, err := tx.Record(n.ID)
		if store.KindOf(err) == store.NotFound {
			continue
		}
		if err != nil {
			return err
		}
		var in inputs
		if err := json.Unmarshal(r.Options, &in); err != nil {
			return damagedRecord(n.ID, err)
		}
		if in.Parent != p.in.Parent {
			continue
		}
		if p.in.WorldLayer = in.WorldLayer; in.WorldLayer == 0 {
			p.in.WorldLayer = r.WorldSeq
		}
		return nil
	}
	return nil
}

func damagedRecord(node string, err error) error {
	return &store.Error{Kind: store.Corrupt, Message: "the record of the reply " + node + " cannot be read", Err: err}
}

// turnSeed is the seed of the turn that follows a message.
func turnSeed(seed uint64, parent string) uint64 {
	buf := binary.LittleEndian.AppendUint64(nil, seed)
	sum := sha256.Sum256(append(buf, parent...))
	return binary.LittleEndian.Uint64(sum[:])
}

// newScene works out names, sources and bounds.
func newScene(c *cast, o Assemble) (scene, error) {
	set := c.settings
	s := scene{
		User: set.User, Greeting: set.Greeting, Bindings: c.bindings, Injects: o.Injects, Slots: set.Slots, Context: set.Context,
		Viewpoint: set.Viewpoint, Sources: map[lore.Source]string{},
	}
	if s.User == "" {
		s.User = "User"
	}
	s.Character.Name = "Character"
	if who := c.speaker; who != nil {
		s.Character = engine.Character{Name: who.CharName(), File: who.ID, Tags: append([]string{}, who.Tags...)}
		if s.Viewpoint == "" {
			s.Viewpoint = who.ID
		}
		s.Sources[lore.SourceDescription], s.Sources[lore.SourcePersonality] = who.Description, who.Personality
		s.Sources[lore.SourceScenario], s.Sources[lore.SourceCreatorNotes] = who.Scenario, who.CreatorNotes
		if who.DepthPrompt != nil {
			s.Sources[lore.SourceDepthPrompt] = who.DepthPrompt.Text
		}
	}
	if set.Scenario != "" {
		s.Sources[lore.SourceScenario] = set.Scenario
	}
	s.Sources[lore.SourcePersona], s.Sources[lore.SourceAuthorsNote] = set.Persona, set.Note
	for name, text := range o.Sources {
		s.Sources[name] = text
	}
	for name, text := range s.Sources {
		if text == "" {
			delete(s.Sources, name)
		}
	}
	names := map[string]map[string]weaver.Value{"char": {"name": weaver.String(s.Character.Name)}, "user": {"name": weaver.String(s.User)}}
	s.Vars = overVars(names, set.Vars, o.Vars)
	if s.Viewpoint == Narrator {
		s.Viewpoint = ""
	}
	switch o.Viewpoint {
	case "":
	case Narrator:
		s.Viewpoint = ""
	default:
		s.Viewpoint = o.Viewpoint
	}
	if o.Slots != nil {
		s.Slots = o.Slots
	}
	pick(&s.Context, o.Context)
	if s.Context < 0 {
		return s, store.Errorf(store.Invalid, "context: %d is no size of a context window", s.Context)
	}
	budget := set.Budget
	pick(&budget, o.Budget)
	var err error
	s.Budget, err = ParseBudget(budget)
	return s, err
}

// input returns the input of the engine for a scene.
func (s *scene) input(p *plan) engine.Input {
	return engine.Input{
		Vars: s.Vars, Slots: s.Slots, Budget: s.Budget, Context: s.Context, Seed: p.record.Seed, ChatSeed: s.ChatSeed,
		Picks: p.record.Picks, Kind: p.record.Kind, Purpose: p.purpose, Sources: s.Sources, Injects: s.Injects,
		Viewpoint: s.Viewpoint, Character: s.Character, User: s.User, Greeting: s.Greeting, Bindings: s.Bindings,
		Trace: p.ask.Trace, Why: p.ask.Why, Previous: p.ask.Previous,
	}
}

// marshal returns a scene and the name that it is kept under.
func (s *scene) marshal() (name string, raw json.RawMessage, err error) {
	if raw, err = json.Marshal(s); err != nil {
		return "", nil, err
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:12]), raw, nil
}

// settingScene begins the names of the scenes that are kept of a conversation.
const settingScene = "scene:"

// keepScene keeps the scene of a plan, and names it in its inputs.
func (tx *txn) keepScene(p *plan) error {
	name, raw, err := p.scene.marshal()
	if err != nil {
		return err
	}
	p.in.Scene = name
	if p.record.Options, err = json.Marshal(p.in); err != nil {
		return err
	}
	scope := scopeConversation + p.conv.ID
	switch _, err := tx.Setting(scope, settingScene+name); store.KindOf(err) {
	case "":
		return err
	case store.NotFound:
		return tx.SetSetting(scope, settingScene+name, raw)
	default:
		return err
	}
}

// planOf returns the plan that a record is of.
func (tx *txn) planOf(c store.Conversation, r store.AssemblyRecord) (*plan, error) {
	p := &plan{conv: c, record: r, purpose: engine.PurposeReplay}
	if err := json.Unmarshal(r.Options, &p.in); err != nil {
		return nil, damagedRecord(r.Node, err)
	}
	raw, err := tx.Setting(scopeConversation+c.ID, settingScene+p.in.Scene)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(raw, &p.scene); err != nil {
		return nil, damagedRecord(r.Node, err)
	}
	return p, nil
}

// run makes an assembly, from the state before the turn and the lore as of the
// record's number.
func (tx *txn) run(p *plan) (Assembly, error) {
	t, err := tx.trailAsOf(p.conv, p.in.Parent, p.record.WorldSeq)
	if err != nil {
		return Assembly{}, err
	}
	k, err := tx.knownAsOf(p.conv.ID, p.record.WorldSeq)
	if err != nil {
		return Assembly{}, err
	}
	books, err := tx.bookSet(p.record.Books)
	if err != nil {
		return Assembly{}, err
	}
	f, err := tx.loreOf(p.conv.ID, t, k, books, p.in.WorldLayer)
	if err != nil {
		return Assembly{}, err
	}
	if p.purpose != engine.PurposeReplay {
		tx.keep(p.conv.ID, t, k, f)
	}
	state, from, err := tx.stateBefore(p)
	if err != nil {
		return Assembly{}, err
	}
	p.record.ParentState = from
	messages := t.messages()
	if p.in.Reply != "" {
		reply, err := tx.replyAsOf(p)
		if err != nil {
			return Assembly{}, err
		}
		messages = append(messages, reply)
	}
	index, found := f.index.get()
	a, err := tx.s.assemble(tx.ctx, index, messages, state, p)
	a.Findings = append(slices.Clone(books.found), found...)
	a.View = f.view
	return a, err
}

// stateBefore returns the state at the message that the reply follows.
func (tx *txn) stateBefore(p *plan) (engine.State, string, error) {
	if !p.begun && p.record.ParentState != "" {
		s, from, err := tx.State(p.record.ParentState)
		if err == nil && from != p.record.ParentState {
			// That reply was deleted since, and its state with it: it follows from
			// its own record.
			var r store.AssemblyRecord
			if r, err = tx.Record(p.record.ParentState); err == nil {
				var a Assembly
				if a, err = tx.rederive(p.conv, r, Assemble{}); err == nil {
					s = a.State
				}
			}
		}
		return s, p.record.ParentState, err
	}
	if p.in.Parent == "" || !p.begun {
		return engine.State{}, "", nil
	}
	return tx.State(p.in.Parent)
}

// replyAsOf returns the reply that is continued, as it was.
func (tx *txn) replyAsOf(p *plan) (lore.Message, error) {
	nodes, err := tx.Path(p.in.Reply, store.PathOptions{Last: 1, AsOf: p.record.WorldSeq, Deleted: true})
	if err != nil {
		return lore.Message{}, err
	}
	if len(nodes) == 0 {
		return lore.Message{}, store.Errorf(store.NotFound, "there is no message %q", p.in.Reply)
	}
	n := nodes[len(nodes)-1]
	return lore.Message{Role: n.Role, Name: n.Name, Content: n.Content}, nil
}

// assemble advances the state and assembles. A plugin whose hook fails is left
// out, and the result says so.
func (s *Service) assemble(ctx context.Context, ix *engine.Index, messages []lore.Message, state engine.State, p *plan) (Assembly, error) {
	a := Assembly{Messages: messages}
	in := p.scene.input(p)
	in.Messages, in.Cache = messages, s.hits
	var problems []engine.Problem
	for {
		eng, err := s.engineWithout(p.in.Without)
		if err != nil {
			return a, err
		}
		if in.State = state; !p.advanced {
			in.State, err = eng.AdvanceFor(ctx, ix, state, p.purpose)
		}
		if err == nil {
			a.Result, err = eng.Assemble(ctx, ix, in)
		}
		var hook *engine.HookError
		if errors.As(err, &hook) && ctx.Err() == nil && p.purpose != engine.PurposeReplay && !slices.Contains(p.in.Without, hook.Plugin) {
			p.in.Without = append(slices.Clip(p.in.Without), hook.Plugin)
			problems = append(problems, engine.Problem{
				Code: "hook", Message: "the plugin " + hook.Plugin + " failed and was left out: " + hook.Error(), Err: hook,
			})
			continue
		}
		if err != nil {
			return a, err
		}
		break
	}
	a.Problems = append(problems, a.Problems...)
	a.Insertions, a.Outlets = turn.Layout(messages, a.Blocks, in.Slots)
	a.Prompt = turn.Apply(messages, a.Insertions)
	a.Record, a.without = p.record, p.in.Without
	return a, nil
}

// Assemble returns the lore for the next reply of a conversation. Nothing is
// stored; as a preview, which is the default, hooks with effects outside are not
// called. At is as in [TurnRequest].
func (s *Service) Assemble(ctx context.Context, world, conversation, at string, o Assemble) (Assembly, error) {
	return view(ctx, s, world, func(tx *txn) (Assembly, error) {
		c, err := tx.conversation(conversation)
		if err != nil {
			return Assembly{}, err
		}
		return tx.preview(c, at, o)
	})
}

// purpose returns what an assembly that stores nothing is for.
func (o *Assemble) purpose() (engine.Purpose, error) {
	switch o.Purpose {
	case "":
		return engine.PurposePreview, nil
	case engine.PurposeTurn, engine.PurposePreview, engine.PurposeReplay:
		return o.Purpose, nil
	default:
		return "", store.Errorf(store.Invalid, "purpose: %q is none of turn, preview and replay", o.Purpose)
	}
}

func (tx *txn) preview(c store.Conversation, at string, o Assemble) (Assembly, error) {
	p, err := tx.plan(c, at, "", o)
	if err != nil {
		return Assembly{}, err
	}
	if p.purpose, err = o.purpose(); err != nil {
		return Assembly{}, err
	}
	return tx.run(p)
}

// AssembleMessages returns the lore of a world for a chat that is not stored
// there. state is that before the turn; nil means to find it by playing the
// chat's earlier turns again.
func (s *Service) AssembleMessages(ctx context.Context, world string, messages []lore.Message, state *engine.State, settings Settings, o Assemble) (Assembly, error) {
	if err := settings.check(); err != nil {
		return Assembly{}, err
	}
	return view(ctx, s, world, func(tx *txn) (Assembly, error) {
		pick(&settings.Speaker, o.Speaker)
		cast, err := tx.cast("", settings)
		if err != nil {
			return Assembly{}, err
		}
		purpose, err := o.purpose()
		if err != nil {
			return Assembly{}, err
		}
		p := &plan{ask: o, purpose: purpose}
		p.record = store.AssemblyRecord{Books: cast.refs, Kind: o.Kind, Picks: o.Picks, EngineVersion: EngineVersion}
		if p.record.Kind == "" {
			p.record.Kind = lore.KindNormal
		}
		if p.scene, err = newScene(cast, o); err != nil {
			return Assembly{}, err
		}
		books, f, err := tx.worldLore(cast, 0)
		if err != nil {
			return Assembly{}, err
		}
		index, found := f.index.get()
		if p.record.WorldSeq, err = tx.Seq(tx.id); err != nil {
			return Assembly{}, err
		}
		if state == nil {
			in := p.scene.input(p)
			in.Messages = messages
			r := s.replayer(f.key)
			if in, err = r.Prepare(ctx, index, f.key, in); err != nil {
				return Assembly{}, err
			}
			p.record.Seed, p.advanced = in.Seed, true
			state = &in.State
		}
		if o.Seed != nil {
			p.record.Seed = *o.Seed
		}
		a, err := s.assemble(ctx, index, messages, *state, p)
		a.Findings = append(slices.Clone(books.found), found...)
		a.View = f.view
		return a, err
	})
}

// replayer returns what finds states of chats that are not stored, for one
// state of the world's lore.
func (s *Service) replayer(key string) *turn.Replayer {
	if r, ok := s.replays.get(key); ok {
		return r
	}
	r := turn.NewReplayer(s.eng, turn.ReplayLimits{})
	s.replays.put(key, r)
	return r
}

// worldLore returns the lore of the world by itself, with the books of a cast.
func (tx *txn) worldLore(c *cast, asOf int64) (*bookSet, *folded, error) {
	k, err := tx.knownAsOf("", asOf)
	if err != nil {
		return nil, nil, err
	}
	b, err := tx.bookSet(c.refs)
	if err != nil {
		return nil, nil, err
	}
	t := &trail{}
	f, err := tx.loreOf("", t, k, b, 0)
	if err == nil && asOf == 0 {
		tx.keep("", t, k, f)
	}
	return b, f, err
}
