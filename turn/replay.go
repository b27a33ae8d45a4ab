package turn

import (
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"sync"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
)

// Replayer finds the state of a conversation of which only the messages are
// known, by playing the earlier turns again. It remembers the states that it
// found, so that the next turn of the same chat costs one step. It is safe for
// concurrent use; what it returns never depends on what it remembers.
type Replayer struct {
	engine *engine.Engine
	limits ReplayLimits

	mu     sync.Mutex
	states map[historyHash]*list.Element
	recent *list.List // of *remembered, the newest first
}

// ReplayLimits bound a replay. Zero fields take the defaults.
type ReplayLimits struct {
	// Turns is how many of the last turns are played; what happened before does
	// not count. Defaults to 200.
	Turns int
	// States is how many states are remembered. Defaults to 512.
	States int
}

type historyHash [sha256.Size]byte

type remembered struct {
	key   historyHash
	state engine.State
}

// NewReplayer returns a replayer for one engine.
func NewReplayer(e *engine.Engine, limits ReplayLimits) *Replayer {
	if limits.Turns <= 0 {
		limits.Turns = 200
	}
	if limits.States <= 0 {
		limits.States = 512
	}
	return &Replayer{engine: e, limits: limits, states: map[historyHash]*list.Element{}, recent: list.New()}
}

// Prepare completes an input whose Messages are the whole chat: it sets State
// to that at the beginning of the present turn, Seed to a hash of the
// history before the reply, and ChatSeed, if it is 0, to one of its first
// message. Everything else of the input is used for every
// turn. world names the books and settings: states of one world are never used
// for another.
//
// A turn is a reply of the assistant that has a message of somebody else
// before it; a greeting is none. A last message of the assistant is the
// beginning of the present reply.
func (r *Replayer) Prepare(ctx context.Context, ix *engine.Index, world string, in engine.Input) (engine.Input, error) {
	chat := in.Messages
	if n := len(chat); n > 0 && chat[n-1].Role == lore.RoleAssistant {
		chat = chat[:n-1]
	}
	replies, hashes := turns(world, chat)
	now := hashes[len(chat)]
	in.Seed = binary.LittleEndian.Uint64(now[:])
	if in.ChatSeed == 0 {
		in.ChatSeed = chatSeed(world, chat)
	}
	in.Purpose = orPurpose(in.Purpose)
	if !ix.Stateful() {
		in.State = engine.State{Turn: len(replies) + 1}
		return in, nil
	}
	// The newest reply whose state is known, or the oldest that is played.
	first := max(0, len(replies)-r.limits.Turns)
	state := engine.State{Turn: first}
	for n := len(replies); n > first; n-- {
		if s, ok := r.get(hashes[replies[n-1]]); ok && s.Turn == n {
			state, first = s, n
			break
		}
	}
	step := in
	step.Purpose = engine.PurposeReplay
	step.Trace, step.Why, step.Picks, step.Previous = engine.TraceFired, nil, nil, nil
	step.Kind = lore.KindNormal
	for n := first; n < len(replies); n++ {
		at := replies[n]
		advanced, err := r.engine.Advance(ctx, ix, state)
		if err != nil {
			return in, err
		}
		h := hashes[at]
		step.Messages, step.State, step.Seed = chat[:at], advanced, binary.LittleEndian.Uint64(h[:])
		result, err := r.engine.Assemble(ctx, ix, step)
		if err != nil {
			return in, err
		}
		state = result.State
		r.put(h, state)
	}
	var err error
	in.State, err = r.engine.Advance(ctx, ix, state)
	return in, err
}

// chatSeed is the same for all turns of a chat, as long as the front end sends
// its first message.
func chatSeed(world string, chat []lore.Message) uint64 {
	h := sha256.New()
	_, _ = io.WriteString(h, world) // never fails
	for _, m := range chat {
		if m.Role != lore.RoleSystem {
			_, _ = io.WriteString(h, "\x00"+m.Content)
			break
		}
	}
	return binary.LittleEndian.Uint64(h.Sum(nil))
}

func orPurpose(p engine.Purpose) engine.Purpose {
	if p == "" {
		return engine.PurposeTurn
	}
	return p
}

// turns returns the places of the replies that were turns, and the hash of the
// history before each place.
func turns(world string, chat []lore.Message) (replies []int, hashes []historyHash) {
	hashes = make([]historyHash, len(chat)+1)
	hashes[0] = sha256.Sum256([]byte(world))
	asked := false
	var buf []byte
	for i, m := range chat {
		switch m.Role {
		case lore.RoleAssistant:
			if asked {
				replies = append(replies, i)
			}
		case lore.RoleSystem:
		default:
			asked = true
		}
		buf = append(buf[:0], hashes[i][:]...)
		for _, s := range [...]string{string(m.Role), m.Name, m.Content} {
			buf = binary.AppendUvarint(buf, uint64(len(s)))
			buf = append(buf, s...)
		}
		hashes[i+1] = sha256.Sum256(buf)
	}
	return replies, hashes
}

func (r *Replayer) get(key historyHash) (engine.State, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.states[key]
	if e == nil {
		return engine.State{}, false
	}
	r.recent.MoveToFront(e)
	return e.Value.(*remembered).state, true
}

func (r *Replayer) put(key historyHash, s engine.State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.states[key]; e != nil {
		e.Value.(*remembered).state = s
		r.recent.MoveToFront(e)
		return
	}
	r.states[key] = r.recent.PushFront(&remembered{key, s})
	for len(r.states) > r.limits.States {
		last := r.recent.Back()
		delete(r.states, last.Value.(*remembered).key)
		r.recent.Remove(last)
	}
}
