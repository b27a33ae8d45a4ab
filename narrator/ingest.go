package narrator

import (
	"context"
	"fmt"
	"slices"

	"github.com/weft-memory/weft/jobs"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/sidecar"
	"github.com/weft-memory/weft/store"
)

// settingIngest begins the names under which running ingests are kept.
const settingIngest = "ingest:"

// ingestPayload is where an ingest begins.
type ingestPayload struct {
	Detail sidecar.Detail `json:"detail,omitempty"`
}

// Ingest queues the making of lore of all that a conversation shows, and returns
// the work. Asked again while that runs, it returns the same work.
func (s *Service) Ingest(ctx context.Context, worldID, conversation string, detail sidecar.Detail) (w store.Work, err error) {
	if detail != "" && !slices.Contains([]sidecar.Detail{sidecar.Coarse, sidecar.Moderate, sidecar.Detailed}, detail) {
		return w, store.Errorf(store.Invalid, "detail: %q is none of coarse, moderate, detailed", detail)
	}
	if c, _ := s.historianModel(); c == nil {
		return w, ErrNoModel
	}
	c, err := s.worlds.Conversation(ctx, worldID, conversation)
	if err != nil {
		return w, err
	}
	if c.Head == "" {
		return w, store.Errorf(store.Invalid, "the conversation has no messages")
	}
	err = s.worlds.DB().UpdateWorld(ctx, worldID, func(tx *store.Tx) error {
		w, _, err = s.queue.Enqueue(tx, jobs.Spec{
			Kind: WorkIngest, World: worldID, Conversation: c.ID, Node: c.Head, Key: "ingest:" + c.Head + ":" + string(detail), Payload: ingestPayload{detail},
		})
		return err
	})
	return w, err
}

// startIngest queues an ingest as what comes of other work.
func (s *Service) startIngest(ctx context.Context, j *jobs.Job, detail sidecar.Detail) error {
	return j.Finish(ctx, func(tx *store.Tx) error {
		_, _, err := s.queue.Enqueue(tx, jobs.Spec{
			Kind: WorkIngest, World: j.World, Conversation: j.Conversation, Node: j.Node, Key: "ingest:" + j.Node + ":" + string(detail), Payload: ingestPayload{detail},
		})
		return err
	})
}

// ingest makes lore of an old story, step by step. Where it stands is kept with
// what each step wrote, so that it goes on there after an end of the process.
func (s *Service) ingest(ctx context.Context, j *jobs.Job) error {
	var p ingestPayload
	if err := j.Decode(&p); err != nil {
		return jobs.Permanent(err)
	}
	client, profile := s.historianModel()
	if client == nil {
		return skipped(j, "there is no model")
	}
	name := settingIngest + j.ID
	g, err := viewKept[sidecar.Ingesting](ctx, s, j.Conversation, name)
	if err != nil {
		return err
	}
	g.Detail = p.Detail
	for !g.Done() {
		m, err := s.moment(ctx, j.World, j.Conversation, j.Node, 0)
		if err != nil {
			return err
		}
		if why := s.paused(ctx, j.World, j.Conversation, &m.cast.sidecar); why != "" {
			return fmt.Errorf("%s", why) // later attempts go on
		}
		began := s.opts.Now()
		b, next, err := sidecar.Ingest(ctx, client, &m.Scene, g, sidecar.FormFor(client.Capabilities()))
		if err != nil {
			s.failed(ctx, j, "ingest", "summary", profile, client, b, err)
			return again(err)
		}
		a := store.Activity{Type: "ingest", Phase: "summary", Profile: profile, Duration: s.opts.Now().Sub(began).Microseconds()}
		record := s.recorder(ctx, j, m, b, a, client.Profile().Prices)
		step := func(tx *store.Tx) error {
			if err := record(tx); err != nil {
				return err
			}
			if next.Done() {
				return dropKept(tx, j.Conversation, name)
			}
			return keep(tx, j.Conversation, name, next)
		}
		done := int64(next.Progress() * 1000)
		if next.Done() {
			if err := j.SetResult(map[string]any{"messages": next.Total}); err != nil {
				return err
			}
			return j.Finish(ctx, step)
		}
		if err := j.InTx(ctx, step); err != nil {
			return err
		}
		j.Progress(done, 1000, fmt.Sprintf("%s: message %d of %d", next.Phase, next.Next, next.Total))
		g = next
	}
	return nil
}

func refsOf(ops []memory.Operation) (refs []memory.Ref) {
	for _, op := range ops {
		if r := op.Ref(); !r.IsCategory() && !slices.Contains(refs, r) {
			refs = append(refs, r)
		}
	}
	return refs
}
