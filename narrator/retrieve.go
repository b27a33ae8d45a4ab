package narrator

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/jobs"
	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/sidecar"
	"github.com/weft-memory/weft/store"
)

// foundLore is what is given to the engine beside what it finds itself.
type foundLore struct {
	picks []engine.Pick
	shown []memory.Ref
	// note says, for people, what was missing.
	note string
}

// maxPicksKept is how many retrievals are kept for regenerations.
const maxPicksKept = 512

// retrieve picks lore for the reply to a message, within the deadline. Whatever
// fails, it returns what there is.
func (s *Service) retrieve(ctx context.Context, worldID, conversation, at string, who *cast) (found foundLore) {
	set := &who.sidecar
	client, profile := s.sidecarModel()
	if client == nil || !isOn(set.On, true) || at == "" {
		return found
	}
	window := 2 * or(set.Window, 12)
	m, err := s.momentOf(ctx, who, worldID, conversation, at, max(window, 3*anchorEvery))
	if err != nil {
		found.note = "the sidecar picked nothing: " + err.Error()
		return found
	}
	// What is named in the last messages is found, whatever a model chooses.
	for _, ref := range sidecar.Mentioned(&m.Scene, 3) {
		if ref.Book != memory.StoryBook && ref.Book != memory.WorldBook { // theirs have their names as keys
			found.picks = append(found.picks, engine.Pick{Book: ref.Book, Entry: ref.Entry, Reason: "named in the chat", Score: 1})
		}
	}
	if set.Retrieve == RetrieveOff {
		return found
	}
	if kept, ok := s.kept(at, m.stamp); ok {
		found.add(kept)
		return found
	}
	if set.Retrieve == RetrievePrefetch {
		// What was made ready after the reply before.
		if n := len(m.Messages); n > 1 {
			if kept, ok := s.kept(m.Messages[n-2].ID, ""); ok {
				found.add(kept)
				return found
			}
		}
		found.note = "nothing was made ready yet"
		return found
	}
	if why := s.paused(ctx, worldID, m.Conversation, set); why != "" {
		found.note = why
		return found
	}
	deadline := set.deadline()
	if deadline == 0 {
		return found
	}
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	began := s.opts.Now()
	r, err := sidecar.Retrieve(ctx, client, &m.Scene)
	a := store.Activity{
		Conversation: m.Conversation, Node: at, Type: "search", Phase: "pre-gen", Profile: profile, Model: client.Profile().Model,
		Outcome: outcome(err), Duration: s.opts.Now().Sub(began).Microseconds(),
	}
	var usage llm.Usage
	switch {
	case err == nil:
		usage, a.Model = r.Usage, r.Model
		a.Reason = fmt.Sprintf("picked %d", len(r.Choices))
		if n := len(r.Unknown); n > 0 {
			a.Reason += fmt.Sprintf(", %d unknown", n)
		}
		for _, c := range r.Choices {
			a.Entries = append(a.Entries, c.Ref)
		}
		s.keepPicks(at, m.stamp, r.Choices)
		found.add(r.Choices)
	case errors.Is(err, context.DeadlineExceeded):
		found.note = "the sidecar did not answer in " + deadline.String()
	default:
		found.note = "the sidecar picked nothing: " + err.Error()
		a.Reason = err.Error()
	}
	s.spent(worldID, a, usage, client.Profile().Prices)
	return found
}

func (f *foundLore) add(choices []sidecar.Choice) {
	for _, c := range choices {
		p := c.Pick()
		i := slices.IndexFunc(f.picks, func(q engine.Pick) bool { return q.Book == p.Book && q.Entry == p.Entry })
		if i >= 0 {
			f.picks[i] = p
			continue
		}
		f.picks = append(f.picks, p)
	}
}

// kept returns what was picked for the reply to a message, of some lore; "" is
// any.
func (s *Service) kept(at, stamp string) ([]sidecar.Choice, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.picks[at]
	if !ok || stamp != "" && r.stamp != stamp {
		return nil, false
	}
	return r.choices, true
}

func (s *Service) keepPicks(at, stamp string, choices []sidecar.Choice) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.picks[at]; !ok {
		s.order = append(s.order, at)
	}
	s.picks[at] = retrieved{stamp, choices}
	for len(s.order) > maxPicksKept {
		delete(s.picks, s.order[0])
		s.order = s.order[1:]
	}
}

// prefetch makes picks ready for the reply after the next message.
func (s *Service) prefetch(ctx context.Context, j *jobs.Job) error {
	client, profile := s.sidecarModel()
	if client == nil {
		return nil
	}
	who, err := s.cast(ctx, j.World, j.Conversation, "")
	if err != nil {
		return err
	}
	if why := s.paused(ctx, j.World, j.Conversation, &who.sidecar); why != "" {
		return j.SetResult(map[string]string{"skipped": why})
	}
	m, err := s.momentOf(ctx, who, j.World, j.Conversation, j.Node, 3*anchorEvery)
	if err != nil {
		return err
	}
	began := s.opts.Now()
	r, err := sidecar.Retrieve(ctx, client, &m.Scene)
	if err != nil {
		return err
	}
	s.keepPicks(j.Node, m.stamp, r.Choices)
	a := store.Activity{
		Conversation: j.Conversation, Node: j.Node, Type: "search", Phase: "pre-gen", Profile: profile, Model: r.Model,
		Reason: fmt.Sprintf("made %d ready", len(r.Choices)), Duration: s.opts.Now().Sub(began).Microseconds(),
	}
	a = costed(j.World, a, r.Usage, client.Profile().Prices)
	return j.Finish(ctx, func(tx *store.Tx) error { _, err := tx.AddActivity(a); return err })
}

func or(n, def int) int {
	if n <= 0 {
		return def
	}
	return n
}
