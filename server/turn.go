package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/server/internal/params"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/world"
)

// assembleOf reads how lore is assembled.
func assembleOf(a api.Assemble) (out world.Assemble, err error) {
	out = world.Assemble{
		Kind: lore.TurnKind(a.Kind), Budget: a.Budget, Context: a.Context, Speaker: a.Speaker, Viewpoint: a.Viewpoint, Injects: a.Injects,
	}
	for _, p := range a.Picks {
		out.Picks = append(out.Picks, engine.Pick{Book: p.Book, Entry: p.Entry, Reason: p.Reason, Score: p.Score, Size: engine.Size(p.Size)})
	}
	for _, name := range a.Slots {
		slot, err := lore.ParseSlot(name)
		if err != nil {
			return out, store.Errorf(store.Invalid, "slots: %v", err)
		}
		out.Slots = append(out.Slots, slot)
	}
	if len(a.Vars) > 0 {
		out.Vars = map[string]map[string]weaver.Value{}
	}
	for space, vars := range a.Vars {
		out.Vars[space] = map[string]weaver.Value{}
		for name, text := range vars {
			var v weaver.Value
			if err := json.Unmarshal(text, &v); err != nil {
				return out, store.Errorf(store.Invalid, "vars.%s.%s: %v", space, name, err)
			}
			out.Vars[space][name] = v
		}
	}
	if len(a.Sources) > 0 {
		out.Sources = map[lore.Source]string{}
	}
	for name, text := range a.Sources {
		out.Sources[lore.Source(name)] = text
	}
	if out.Seed, err = seedOf(a.Seed); err != nil {
		return out, err
	}
	if a.Trace == "all" {
		out.Trace = engine.TraceAll
	}
	out.Why = refsOf(a.Why)
	return out, nil
}

func refsOf(list []api.Ref) (out []engine.EntryRef) {
	for _, r := range list {
		out = append(out, engine.EntryRef{Book: r.Book, Entry: r.Entry})
	}
	return out
}

func blockBody(b engine.Block) api.Block {
	return api.Block{
		Slot: string(b.Slot), Book: b.Book, Entry: b.Entry, Name: b.Name, Content: b.Content, Tokens: b.Tokens, Size: string(b.Size),
		Cut: b.Cut, Role: string(b.Role), Depth: b.Depth, Outlet: b.Outlet,
	}
}

func assemblyBody(a world.Assembly) (out api.Assembly, err error) {
	out = api.Assembly{
		Prompt: []api.PromptMessage{}, Blocks: []api.Block{}, Seed: strconv.FormatUint(a.Record.Seed, 10),
		Findings: findings(a.Findings), WorldSeq: a.Record.WorldSeq,
	}
	for _, m := range a.Prompt {
		out.Prompt = append(out.Prompt, api.PromptMessage{Role: string(m.Role), Name: m.Name, Content: m.Content})
	}
	for _, b := range a.Outlets {
		out.Outlets = append(out.Outlets, blockBody(b))
	}
	if a.Result == nil {
		return out, nil
	}
	for _, b := range a.Blocks {
		out.Blocks = append(out.Blocks, blockBody(b))
		out.Tokens += b.Tokens
	}
	out.Disabled = a.DisabledPrompts
	if a.Trace != nil {
		if out.Trace, err = json.Marshal(a.Trace); err != nil {
			return out, err
		}
	}
	out.Problems, err = raw(a.Problems)
	return out, err
}

func (s *Server) registerTurns() {
	const tag, turnPath = "turns", worldPath + "/turns/{turn}"
	add(s, route{method: "POST", path: conversationPath + "/assemble", id: "assemble", summary: "Preview the prompt of the next reply, with its trace; nothing is stored", tag: tag}, s.assemble)
	add(s, route{method: "POST", path: worldPath + "/assemble", id: "assemble-messages", summary: "The lore for a chat that is not stored", tag: tag, file: true}, s.assembleMessages)
	add(s, route{method: "GET", path: conversationPath + "/why", id: "why", summary: "Why an entry is, or is not, in the prompt of a reply or of the next one", tag: tag}, s.why)
	add(s, route{method: "POST", path: conversationPath + "/turns", id: "begin-turn", summary: "Add messages and assemble the prompt for the reply", status: 201, tag: tag}, s.beginTurn)
	add(s, route{method: "POST", path: turnPath + "/reply", id: "finish-turn", summary: "Add what the model wrote", status: 201, tag: tag}, s.finishTurn)
	add(s, route{method: "DELETE", path: turnPath, id: "cancel-turn", summary: "Forget a turn that was begun", status: 204, tag: tag}, s.cancelTurn)
	add(s, route{method: "GET", path: worldPath + "/nodes/{node}/assembly", id: "get-assembly", summary: "The prompt and the trace of a reply, as they were", tag: tag}, s.getAssembly)
}

// refresh takes up what changed outside.
func (s *Server) refresh(ctx context.Context, id string) {
	if s.opts.BeforeTurn == nil {
		return
	}
	if err := s.opts.BeforeTurn(ctx, id); err != nil {
		s.opts.Log.WarnContext(ctx, "what changed outside could not be taken up", "world", id, "error", err)
	}
}

func (s *Server) assemble(ctx context.Context, in *struct {
	params.InConversation
	Body api.Assemble
},
) (*reply[api.Assembly], error) {
	o, err := assembleOf(in.Body)
	if err != nil {
		return nil, err
	}
	s.refresh(ctx, in.World)
	a, err := s.worlds.Assemble(ctx, in.World, in.Conversation, in.Body.At, o)
	return assembled(a, err)
}

func assembled(a world.Assembly, err error) (*reply[api.Assembly], error) {
	if err != nil {
		return nil, err
	}
	body, err := assemblyBody(a)
	return &reply[api.Assembly]{Status: http.StatusOK, Body: body}, err
}

func (s *Server) assembleMessages(ctx context.Context, in *struct {
	params.InWorld
	Body api.AssembleMessages
},
) (*reply[api.Assembly], error) {
	o, err := assembleOf(in.Body.Assemble)
	if err != nil {
		return nil, err
	}
	settings, err := settingsOf(in.Body.Settings)
	if err != nil {
		return nil, err
	}
	messages := make([]lore.Message, 0, len(in.Body.Messages))
	for _, m := range in.Body.Messages {
		role := lore.Role(m.Role)
		if role == "" {
			role = lore.RoleUser
		}
		messages = append(messages, lore.Message{Role: role, Name: m.Name, Content: m.Content, Hidden: m.Hidden})
	}
	s.refresh(ctx, in.World)
	a, err := s.worlds.AssembleMessages(ctx, in.World, messages, nil, settings, o)
	return assembled(a, err)
}

func (s *Server) why(ctx context.Context, in *struct {
	params.InConversation
	At    string `query:"at" maxLength:"1000" doc:"A reply, or the message that the next one follows. Defaults to the head."`
	Book  string `query:"book" maxLength:"1000" doc:"Defaults to the first book that has the entry."`
	Entry string `query:"entry" required:"true" minLength:"1" maxLength:"1000"`
},
) (*reply[api.Why], error) {
	list, err := s.worlds.Why(ctx, in.World, in.Conversation, in.At, engine.EntryRef{Book: in.Book, Entry: in.Entry})
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(append([]engine.Absence{}, list...))
	return &reply[api.Why]{Status: http.StatusOK, Body: api.Why{Answers: text}}, err
}

// turnReply is a turn that was begun.
type turnReply struct {
	Status   int
	Replayed string `header:"Idempotent-Replayed"`
	Body     api.Turn
}

func (s *Server) beginTurn(ctx context.Context, in *struct {
	params.InConversation
	Body api.NewTurn
},
) (*turnReply, error) {
	o, err := assembleOf(in.Body.Assemble)
	if err != nil {
		return nil, err
	}
	r := world.TurnRequest{Assemble: o, Messages: messagesOf(in.Body.Messages), At: in.Body.At, IfHead: in.Body.IfHead}
	s.refresh(ctx, in.World)
	out, err := writeSeen(ctx, world.Seen{Thing: world.ThingHead, ID: in.Conversation}, http.StatusCreated, func(ctx context.Context) (*world.Turn, error) {
		return s.worlds.BeginTurn(ctx, in.World, in.Conversation, r)
	}, func(t *world.Turn) (rendered[api.Turn], error) {
		if t == nil {
			return rendered[api.Turn]{}, nil
		}
		assembly, err := assemblyBody(t.Assembly)
		if err != nil {
			return rendered[api.Turn]{}, err
		}
		added, err := eachOf(t.Added, sure(nodeBody))
		return rendered[api.Turn]{body: api.Turn{
			ID: t.ID, Conversation: t.Conversation, Parent: t.Parent, Reply: t.Reply, Added: added, Assembly: assembly,
		}}, err
	})
	var again *world.Repeated
	switch {
	case errors.As(err, &again):
		return s.repeatTurn(ctx, in.World, r, again.Response)
	case err != nil:
		return nil, err
	}
	return &turnReply{Status: out.Status, Body: out.Body}, nil
}

// repeatTurn answers a request for a turn that was sent again. The turn is kept
// without its assembly, which is made after it was committed; it is derived from
// the reply, if there is one, or the turn as it was begun. One of which nothing
// is kept is assembled as of now.
func (s *Server) repeatTurn(ctx context.Context, id string, r world.TurnRequest, kept store.Response) (*turnReply, error) {
	out := &turnReply{Status: kept.Status, Replayed: "true"}
	if err := json.Unmarshal(kept.Body, &out.Body); err != nil {
		return nil, err
	}
	a, err := s.worlds.Rederive(ctx, id, out.Body.ID, r.Trace, r.Why...)
	if store.KindOf(err) == store.NotFound {
		var t *world.Turn
		if t, err = s.worlds.Turn(ctx, id, out.Body.ID, r.Trace, r.Why...); err == nil {
			a = t.Assembly
		}
	}
	if store.KindOf(err) == store.NotFound { // it was quiet, cancelled or forgotten
		at := r.At
		switch r.Kind {
		case lore.KindSwipe, lore.KindRegenerate, lore.KindContinue: // at is the reply, or the head
		default:
			if at = out.Body.Parent; at == "" {
				at = world.Root
			}
		}
		a, err = s.worlds.Assemble(ctx, id, out.Body.Conversation, at, r.Assemble)
	}
	if err != nil {
		return nil, err
	}
	out.Body.Assembly, err = assemblyBody(a)
	return out, err
}

func (s *Server) finishTurn(ctx context.Context, in *struct {
	params.InTurn
	Body api.Reply
},
) (*reply[api.Node], error) {
	r := world.Reply{Content: in.Body.Content, Name: in.Body.Name, External: in.Body.External, Author: in.Body.Author, Ext: in.Body.Ext}
	return write(ctx, http.StatusCreated, func(ctx context.Context) (store.Node, error) {
		return s.worlds.FinishTurn(ctx, in.World, in.Turn, r)
	}, renderNode)
}

func (s *Server) cancelTurn(ctx context.Context, in *params.InTurn) (*none, error) {
	return writeNone(ctx, func(ctx context.Context) error { return s.worlds.CancelTurn(ctx, in.World, in.Turn) })
}

func (s *Server) getAssembly(ctx context.Context, in *struct {
	params.InNode
	Trace string `query:"trace" enum:"fired,all" default:"fired"`
},
) (*reply[api.Assembly], error) {
	level := engine.TraceFired
	if in.Trace == "all" {
		level = engine.TraceAll
	}
	a, err := s.worlds.Rederive(ctx, in.World, in.Node, level)
	return assembled(a, err)
}
