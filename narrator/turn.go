package narrator

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/sidecar"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/tokens"
	"github.com/weft-memory/weft/turn"
	"github.com/weft-memory/weft/world"
)

// Request asks for a turn.
type Request struct {
	world.Assemble
	// Messages are added first. Forced actions in them, such as /remember, are
	// taken out and done.
	Messages []world.Message
	// At is the message that the reply follows; for swipe, regenerate and
	// continue, the reply. "" means the head.
	At string
	// IfHead is the head that the caller saw; another one is a Conflict.
	IfHead string
	// Directive is what an outside director wants of this reply. It stands in
	// the slot guidance and is remembered by nobody.
	Directive string
	// Instruction is put behind the chat for this reply alone.
	Instruction string
	// MaxTokens bounds the reply; 0 leaves it to the profile.
	MaxTokens int
	// Temperature overrides the profile's where it is not nil.
	Temperature *float64
	// External is the id that another program knows the reply by.
	External string
}

// EventKind says what an Event is.
type EventKind string

// The kinds of events.
const (
	// EventBegun carries the turn: its id becomes that of the reply.
	EventBegun EventKind = "begun"
	// EventRetrieved carries what the sidecar picked, or why it picked nothing.
	EventRetrieved EventKind = "retrieved"
	// EventText and EventReasoning carry the next piece of the reply.
	EventText      EventKind = "text"
	EventReasoning EventKind = "reasoning"
	// EventRetract says that the text so far was thoughts.
	EventRetract EventKind = "retract"
	// EventSearch says what the narrator looked up.
	EventSearch EventKind = "search"
	// EventFinished carries the reply as it was kept.
	EventFinished EventKind = "finished"
)

// Event is something that happens in a turn.
type Event struct {
	Kind   EventKind      `json:"type"`
	Text   string         `json:"text,omitempty"`
	Turn   string         `json:"turn,omitempty"`
	Parent string         `json:"parent,omitempty"`
	Added  []store.Node   `json:"added,omitempty"`
	Picks  []engine.Pick  `json:"picks,omitempty"`
	Blocks []engine.Block `json:"blocks,omitempty"`
	Found  []memory.Ref   `json:"found,omitempty"`
	Node   *store.Node    `json:"node,omitempty"`
	Usage  *llm.Usage     `json:"usage,omitempty"`
	// Incomplete says that the reply broke off.
	Incomplete bool `json:"incomplete,omitempty"`
}

// Reply is what a turn came to.
type Reply struct {
	Node store.Node
	// Turn is how it was assembled.
	Turn *world.Turn
	// Usage and Cost are what the narrator cost.
	Usage llm.Usage
	// Searched is how often it searched.
	Searched   int
	Incomplete bool
	// Actions are the ids of the work for the forced actions of the messages.
	Actions []string
}

// ErrStopped is the cause of a turn that was stopped by a person: what was
// written is kept.
var ErrStopped = errors.New("the turn was stopped")

// Stop ends a turn that is under way; what the narrator wrote so far is kept. It
// reports whether there was one.
func (s *Service) Stop(turn string) bool {
	s.mu.Lock()
	stop := s.running[turn]
	s.mu.Unlock()
	if stop != nil {
		stop()
	}
	return stop != nil
}

// Turn runs a whole turn. emit hears of it as it happens; an error of it ends the
// turn, and nothing of the reply is kept. It may be nil.
//
// Nothing of what the sidecar does can make a turn fail, and none of it takes
// longer than its deadline.
func (s *Service) Turn(ctx context.Context, worldID, conversation string, r Request, emit func(Event) error) (*Reply, error) {
	if emit == nil {
		emit = func(Event) error { return nil }
	}
	client, profile := s.model(llm.Narrator, llm.Sidecar)
	if client == nil {
		return nil, ErrNoModel
	}
	who, err := s.cast(ctx, worldID, conversation, r.Speaker)
	if err != nil {
		return nil, err
	}
	reply := &Reply{}
	messages, commands := s.takeCommands(who, r.Messages)
	var added []store.Node
	if len(messages) > 0 {
		if r.Kind != "" && r.Kind != lore.KindNormal {
			return nil, store.Errorf(store.Invalid, "a turn of kind %s is about a reply: it adds no messages", r.Kind)
		}
		if added, err = s.worlds.Append(ctx, worldID, conversation, world.Append{Parent: r.At, Messages: messages, IfHead: r.IfHead}); err != nil {
			return nil, err
		}
		r.At, r.IfHead = added[len(added)-1].ID, ""
	}
	if len(commands) > 0 {
		if reply.Actions, err = s.queueCommands(ctx, worldID, conversation, r.At, commands); err != nil {
			return nil, err
		}
		if len(messages) == 0 && len(r.Messages) > 0 {
			return reply, nil // there was nothing but orders to the sidecar
		}
	}
	at, err := s.replyTo(ctx, worldID, conversation, r)
	if err != nil {
		return nil, err
	}
	found := s.retrieve(ctx, worldID, conversation, at, who)
	if err := emit(Event{Kind: EventRetrieved, Picks: found.picks, Text: found.note}); err != nil {
		return nil, err
	}
	ask := r.Assemble
	ask.Picks = append(slices.Clone(ask.Picks), found.picks...)
	if ask.Context == 0 && who.Context == 0 {
		ask.Context = client.Capabilities().ContextSize
	}
	t, err := s.worlds.BeginTurn(ctx, worldID, conversation, world.TurnRequest{Assemble: ask, At: r.At, IfHead: r.IfHead})
	if err != nil {
		return nil, err
	}
	t.Added = added
	reply.Turn = t
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	s.mu.Lock()
	s.running[t.ID] = func() { stop(ErrStopped) }
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.running, t.ID)
		s.mu.Unlock()
	}()
	if err := emit(Event{Kind: EventBegun, Turn: t.ID, Parent: t.Parent, Added: added, Blocks: t.Blocks}); err != nil {
		return nil, s.abandon(ctx, worldID, t.ID, err)
	}
	w := &writing{s: s, who: who, turn: t, request: &r, client: client, emit: emit, world: worldID, conversation: conversation, shown: found.shown}
	began := s.opts.Now()
	text, err := w.tell(ctx)
	reply.Usage, reply.Searched, reply.Incomplete = w.usage, w.searches, w.incomplete
	s.spent(worldID, store.Activity{
		Conversation: t.Conversation, Node: t.Parent, Type: "narrate", Phase: "during-gen", Profile: profile, Model: w.model,
		Outcome: outcome(err), Reason: reason(err), Duration: s.opts.Now().Sub(began).Microseconds(), Entries: w.found,
	}, w.usage, client.Profile().Prices)
	stopped := errors.Is(context.Cause(ctx), ErrStopped)
	if err != nil && !(stopped && strings.TrimSpace(text) != "") {
		return nil, s.abandon(ctx, worldID, t.ID, err)
	}
	if strings.TrimSpace(text) == "" {
		return nil, s.abandon(ctx, worldID, t.ID, errors.New("the narrator said nothing"))
	}
	if err == nil && ctx.Err() != nil && !stopped {
		return nil, s.abandon(ctx, worldID, t.ID, context.Cause(ctx))
	}
	reply.Incomplete = reply.Incomplete || stopped
	if reply.Node, err = s.finish(context.WithoutCancel(ctx), worldID, t, r, text, reply.Incomplete); err != nil {
		return nil, err
	}
	return reply, emit(Event{Kind: EventFinished, Turn: t.ID, Node: &reply.Node, Usage: &reply.Usage, Incomplete: reply.Incomplete})
}

// finish keeps the reply.
func (s *Service) finish(ctx context.Context, worldID string, t *world.Turn, r Request, text string, incomplete bool) (store.Node, error) {
	ext := map[string]any{}
	if incomplete {
		ext["incomplete"] = true
	}
	if r.Directive != "" {
		ext["directive"] = r.Directive
	}
	var raw json.RawMessage
	if len(ext) > 0 {
		var err error
		if raw, err = json.Marshal(map[string]any{"weft": ext}); err != nil {
			return store.Node{}, err
		}
	}
	return s.worlds.FinishTurn(ctx, worldID, t.ID, world.Reply{Content: text, External: r.External, Ext: raw})
}

// abandon forgets a turn, and returns why.
func (s *Service) abandon(ctx context.Context, worldID, turn string, why error) error {
	if err := s.worlds.CancelTurn(context.WithoutCancel(ctx), worldID, turn); err != nil && world.KindOf(err) != store.NotFound {
		return errors.Join(why, err)
	}
	return why
}

// replyTo returns the message that the reply will answer: of a swipe, the one
// before the rejected reply.
func (s *Service) replyTo(ctx context.Context, worldID, conversation string, r Request) (string, error) {
	at := r.At
	if at == "" {
		c, err := s.worlds.Conversation(ctx, worldID, conversation)
		if err != nil {
			return "", err
		}
		at = c.Head
	}
	switch r.Kind {
	case lore.KindSwipe, lore.KindRegenerate, lore.KindContinue:
		if at == "" {
			return "", nil
		}
		n, err := s.worlds.Node(ctx, worldID, at)
		return n.Parent, err
	}
	return at, nil
}

// writing is one reply in the making.
type writing struct {
	s                   *Service
	who                 *cast
	turn                *world.Turn
	request             *Request
	client              *llm.Client
	emit                func(Event) error
	world, conversation string
	shown               []memory.Ref

	model      string
	usage      llm.Usage
	searches   int
	found      []memory.Ref
	incomplete bool
}

// tell asks the narrator, with as many searches as it may make, and returns the
// text of the reply.
func (w *writing) tell(ctx context.Context) (text string, err error) {
	messages := w.prompt()
	searcher := w.searcher(ctx)
	if w.request.Kind == lore.KindContinue {
		messages = append(messages, llm.System("Go on with the last message from where it ends. Do not repeat any of it."))
	}
	for {
		req := llm.Request{Messages: messages, MaxTokens: w.request.MaxTokens, Temperature: w.request.Temperature}
		if searcher != nil && !searcher.Done() && w.client.Capabilities().Tools != llm.No {
			req.Tools = []llm.Tool{sidecar.SearchTool()}
		}
		answer, part, err := w.stream(ctx, req)
		text += part
		if err != nil {
			var e *llm.Error
			if errors.As(err, &e) && e.Kind == llm.KindUnsupported && len(req.Tools) > 0 && part == "" {
				searcher = nil // this model takes no tools: it tells without
				continue
			}
			return text, err
		}
		calls := answer.Executable()
		if len(calls) == 0 || searcher == nil || len(req.Tools) == 0 {
			w.incomplete = answer.Incomplete()
			if w.request.Kind == lore.KindContinue {
				text = w.seam(text)
			}
			return text, nil
		}
		messages = append(messages, answer.Message())
		for _, c := range answer.Calls {
			out := "There is no such tool."
			if c.Name == sidecar.ToolSearch {
				before := len(searcher.Found)
				began := w.s.opts.Now()
				out = searcher.Run(c.Arguments)
				w.searches++
				found := searcher.Found[before:]
				w.found = append(w.found, found...)
				w.s.spent(w.world, store.Activity{
					Conversation: w.turn.Conversation, Node: w.turn.Parent, Type: "search", Phase: "during-gen", Model: w.model, Profile: llm.Narrator,
					Reason: string(c.Arguments), Entries: found, Duration: w.s.opts.Now().Sub(began).Microseconds(),
				}, llm.Usage{}, llm.Prices{})
				if err := w.emit(Event{Kind: EventSearch, Text: string(c.Arguments), Found: found}); err != nil {
					return text, err
				}
			}
			messages = append(messages, llm.Result(c, out))
		}
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n\n"
			if err := w.emit(Event{Kind: EventText, Text: "\n\n"}); err != nil {
				return text, err
			}
		}
	}
}

// stream asks once and passes on what comes.
func (w *writing) stream(ctx context.Context, req llm.Request) (answer *llm.Response, text string, err error) {
	for e, err := range w.client.Stream(ctx, req) {
		if err != nil {
			var failed *llm.Error
			if errors.As(err, &failed) && failed.Partial != nil {
				w.usage = w.usage.Add(failed.Partial.Usage)
				w.model = failed.Partial.Model
			}
			return nil, text, err
		}
		var out error
		switch e.Kind {
		case llm.EventText:
			text += e.Text
			out = w.emit(Event{Kind: EventText, Text: e.Text})
		case llm.EventReasoning:
			out = w.emit(Event{Kind: EventReasoning, Text: e.Text})
		case llm.EventRetract:
			text = ""
			out = w.emit(Event{Kind: EventRetract})
		case llm.EventFinish:
			answer = e.Response
		}
		if out != nil {
			return nil, text, out
		}
	}
	if answer == nil {
		return nil, text, errors.New("the narrator's answer has no end")
	}
	w.usage, w.model = w.usage.Add(answer.Usage), answer.Model
	return answer, answer.Content, nil
}

// seam joins a continuation to what it continues: what is repeated is left out,
// and words are parted by a space.
func (w *writing) seam(text string) string {
	if len(w.turn.Messages) == 0 {
		return text
	}
	last := w.turn.Messages[len(w.turn.Messages)-1].Content
	if rest, ok := strings.CutPrefix(strings.TrimLeft(text, " \n"), last); ok && last != "" {
		return rest
	}
	for n := min(len(last), len(text), 400); n >= 20; n-- {
		if strings.HasSuffix(last, text[:n]) {
			return text[n:]
		}
	}
	return text
}

// prompt is what the narrator reads: who it is, the lore, the chat.
func (w *writing) prompt() []llm.Message {
	chat := w.turn.Messages
	blocks := slices.Clone(w.turn.Blocks)
	insertions := w.turn.Insertions
	if w.request.Directive != "" {
		slots := lore.Slots()
		guidance := slices.Index(slots, lore.SlotGuidance)
		at := slices.IndexFunc(blocks, func(b engine.Block) bool { return slices.Index(slots, b.Slot) > guidance })
		if at < 0 {
			at = len(blocks)
		}
		blocks = slices.Insert(blocks, at, engine.Block{
			Slot: lore.SlotGuidance, Entry: "~directive", Content: "For the next reply: " + strings.TrimSpace(w.request.Directive),
		})
		insertions, _ = turn.Layout(chat, blocks, slots)
	}
	list := turn.Apply(chat, insertions)
	messages := []llm.Message{llm.System(w.who.systemPrompt())}
	for _, m := range list {
		messages = append(messages, w.message(m))
	}
	if w.who.speaker != nil && w.who.speaker.PostHistory != "" {
		messages = append(messages, llm.System(strings.NewReplacer("{{char}}", w.who.speaker.CharName(), "{{user}}", cmp.Or(w.who.User, "User")).Replace(w.who.speaker.PostHistory)))
	}
	if w.request.Kind == lore.KindImpersonate {
		messages = append(messages, llm.System("Write the next message of "+cmp.Or(w.who.User, "User")+", in their way of speaking, and of nobody else."))
	}
	if w.request.Instruction != "" {
		messages = append(messages, llm.System(w.request.Instruction))
	}
	return fit(messages, w.context())
}

func (w *writing) message(m lore.Message) llm.Message {
	out := llm.Message{Role: llm.RoleUser, Content: m.Content}
	switch m.Role {
	case lore.RoleSystem:
		out.Role = llm.RoleSystem
	case lore.RoleAssistant:
		out.Role = llm.RoleAssistant
	}
	if len(w.who.characters) > 1 && out.Role == llm.RoleAssistant && m.Name != "" {
		out.Content = m.Name + ": " + out.Content // who of them it was
	}
	return out
}

// context is how many tokens the prompt may have; 0 is unknown.
func (w *writing) context() int {
	size := w.request.Context
	if size == 0 {
		size = w.who.Context
	}
	if size == 0 {
		size = w.client.Capabilities().ContextSize
	}
	if size == 0 {
		return 0
	}
	reply := w.request.MaxTokens
	if reply == 0 {
		reply = w.client.Profile().MaxTokens
	}
	return size - max(reply, size/10)
}

// fit leaves the oldest messages of the chat out, as whole ones, until the prompt
// fits. What the system says and the last messages stay.
func fit(messages []llm.Message, limit int) []llm.Message {
	if limit <= 0 {
		return messages
	}
	count := tokens.Estimate()
	total := 0
	sizes := make([]int, len(messages))
	for i, m := range messages {
		sizes[i] = count.Count(m.Content) + 4
		total += sizes[i]
	}
	out := make([]llm.Message, 0, len(messages))
	for i, m := range messages {
		if total > limit && m.Role != llm.RoleSystem && i < len(messages)-4 {
			total -= sizes[i]
			continue
		}
		out = append(out, m)
	}
	return out
}

// searcher answers the narrator's searches; nil if it may make none.
func (w *writing) searcher(ctx context.Context) *sidecar.Searcher {
	set := &w.who.sidecar
	if !isOn(set.On, true) || !isOn(set.Search, true) {
		return nil
	}
	names := map[string]string{}
	for _, ref := range w.turn.Record.Books {
		names[ref.ID] = ref.ID
	}
	scene := &sidecar.Scene{
		World: w.world, Conversation: w.conversation, View: w.turn.View, Books: set.rights(names), Settings: set.Settings, NewID: w.s.ids.New,
	}
	for _, b := range w.turn.Blocks {
		scene.Retrieved = append(scene.Retrieved, memory.Ref{Book: b.Book, Entry: b.Entry})
	}
	var find sidecar.Finder
	if f := w.s.opts.Finder; f != nil {
		place := world.Place{Conversation: w.turn.Conversation, Node: w.turn.Parent}
		find = func(query string, limit int) []memory.Ref {
			refs, err := f.Find(ctx, w.world, place, query, limit)
			if err != nil {
				return nil
			}
			return refs
		}
	}
	return sidecar.NewSearcher(scene, find)
}

func outcome(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.Is(err, context.Canceled), errors.Is(err, ErrStopped):
		return "cancelled"
	}
	return "error"
}

func reason(err error) string {
	if err == nil {
		return ""
	}
	return fmt.Sprint(err)
}

// spent notes an activity and what it cost. It must not keep a turn, so errors
// are only logged.
func (s *Service) spent(worldID string, a store.Activity, u llm.Usage, prices llm.Prices) {
	a = costed(worldID, a, u, prices)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err := s.worlds.DB().UpdateWorld(ctx, worldID, func(tx *store.Tx) error {
		_, err := tx.AddActivity(a)
		return err
	})
	if err != nil && store.KindOf(err) != store.NotFound {
		s.opts.Log.Warn("an activity was not noted", "type", a.Type, "error", err)
	}
}

func costed(worldID string, a store.Activity, u llm.Usage, prices llm.Prices) store.Activity {
	a.World = worldID
	a.Input, a.Output, a.Cached = int64(u.Input), int64(u.Output), int64(u.Cached)
	if a.Calls == 0 && (u.Input > 0 || u.Output > 0) {
		a.Calls = 1
	}
	a.Cost, a.Currency = int64(prices.Cost(u)*1e6), prices.Currency
	return a
}
