package narrator

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/weft-memory/weft/jobs"
	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/memory"
	"github.com/weft-memory/weft/sidecar"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

// skipped ends work that has nothing to do.
func skipped(j *jobs.Job, why string) error {
	return j.SetResult(map[string]string{"skipped": why})
}

// again says whether a failure may pass: a server that is busy, yes; a key that
// is wrong, no.
func again(err error) error {
	var e *llm.Error
	if !errors.As(err, &e) {
		return err
	}
	if e.RetryAfter > 0 {
		return jobs.RetryAfter(err, e.RetryAfter)
	}
	switch e.Kind {
	case llm.KindAuth, llm.KindPayment, llm.KindNotFound, llm.KindConfig, llm.KindUnsafe, llm.KindRefused, llm.KindFilter:
		return jobs.Permanent(err)
	}
	return err
}

// write is the work after a reply: what is new in it is written down.
func (s *Service) write(ctx context.Context, j *jobs.Job) error {
	client, profile := s.sidecarModel()
	if client == nil {
		return skipped(j, "there is no model")
	}
	m, err := s.moment(ctx, j.World, j.Conversation, j.Node, 3*anchorEvery)
	if err != nil {
		return err
	}
	set := &m.cast.sidecar
	if !isOn(set.On, true) || !isOn(set.Write, true) {
		return skipped(j, "it is switched off")
	}
	if why := s.paused(ctx, j.World, j.Conversation, set); why != "" {
		s.spent(j.World, store.Activity{Conversation: j.Conversation, Node: j.Node, Type: "remember", Phase: "post-gen", Profile: profile, Outcome: "paused", Reason: why}, llm.Usage{}, llm.Prices{})
		return skipped(j, why)
	}
	began := s.opts.Now()
	b, err := sidecar.Write(ctx, client, &m.Scene, sidecar.FormFor(client.Capabilities()))
	if err != nil {
		s.failed(ctx, j, "remember", "post-gen", profile, client, b, err)
		return again(err)
	}
	a := store.Activity{Type: "remember", Phase: "post-gen", Profile: profile, Duration: s.opts.Now().Sub(began).Microseconds()}
	return s.commit(ctx, j, m, b, a, client)
}

// failed notes an attempt that came to nothing. When work is only taken away
// nothing is noted: it leaves no trace.
func (s *Service) failed(ctx context.Context, j *jobs.Job, typ, phase, profile string, client *llm.Client, b *sidecar.Batch, err error) {
	if ctx.Err() != nil && !errors.Is(context.Cause(ctx), jobs.ErrTimeout) {
		return
	}
	var usage llm.Usage
	if b != nil {
		usage = b.Usage
	}
	s.spent(j.World, store.Activity{
		Conversation: j.Conversation, Node: j.Node, Type: typ, Phase: phase, Profile: profile, Model: client.Profile().Model,
		Outcome: outcome(err), Reason: err.Error(),
	}, usage, client.Profile().Prices)
}

// outcomeOf is what a batch came to, for the result of its work.
type outcomeOf struct {
	Operations []string         `json:"operations"`
	Waiting    int              `json:"waiting,omitempty"`
	Skipped    string           `json:"skipped,omitempty"`
	Results    []sidecar.Result `json:"results,omitempty"`
	Said       string           `json:"said,omitempty"`
	Incomplete bool             `json:"incomplete,omitempty"`
	Repairs    map[string]int   `json:"repairs,omitempty"`
}

// commit writes what a batch wants, in the transaction that ends the work; what
// the settings keep for a person waits.
func (s *Service) commit(ctx context.Context, j *jobs.Job, m *moment, b *sidecar.Batch, a store.Activity, client *llm.Client) error {
	return s.commitWith(ctx, j, m, b, a, client.Profile().Prices)
}

func (s *Service) commitWith(ctx context.Context, j *jobs.Job, m *moment, b *sidecar.Batch, a store.Activity, prices llm.Prices) error {
	apply, wait := m.cast.sidecar.divide(b.Operations)
	out := outcomeOf{Operations: []string{}, Waiting: len(wait), Skipped: b.Skipped, Results: b.Results, Said: b.Text, Incomplete: b.Incomplete, Repairs: b.Repairs}
	for _, op := range apply {
		out.Operations = append(out.Operations, op.ID)
	}
	if err := j.SetResult(out); err != nil {
		return err
	}
	return j.Finish(ctx, s.recorder(ctx, j, m, b, a, prices))
}

// recorder returns what writes a batch in a transaction: what is done at once,
// what waits for a person, and the activity.
func (s *Service) recorder(ctx context.Context, j *jobs.Job, m *moment, b *sidecar.Batch, a store.Activity, prices llm.Prices) func(tx *store.Tx) error {
	apply, wait := m.cast.sidecar.divide(b.Operations)
	a.Conversation, a.Node, a.Model = j.Conversation, j.Node, b.Model
	a.Calls, a.Entries, a.Reason = int64(b.Asked), refsOf(b.Operations), summaryOf(b)
	a = costed(j.World, a, b.Usage, prices)
	return func(tx *store.Tx) (err error) {
		if a.Operations, err = s.apply(ctx, tx, j.World, j.Conversation, apply); err != nil {
			return err
		}
		if err := s.keepWaiting(tx, j.Conversation, wait); err != nil {
			return err
		}
		if b.Asked > 0 {
			_, err = tx.AddActivity(a)
		}
		return err
	}
}

// apply commits operations. Their numbers are given by the store, in order.
func (s *Service) apply(ctx context.Context, tx *store.Tx, worldID, conversation string, ops []memory.Operation) (ids []string, err error) {
	if len(ops) == 0 {
		return nil, nil
	}
	list := slices.Clone(ops)
	for i := range list {
		list[i].Seq, list[i].Inverse, list[i].Digest = 0, nil, ""
	}
	applied, err := s.worlds.Apply(world.Within(ctx, tx), worldID, list...)
	if err != nil {
		return nil, err
	}
	for _, a := range applied {
		if a.Fresh {
			ids = append(ids, a.Operation.ID)
		}
	}
	return ids, nil
}

// summaryOf says in a line what a batch came to.
func summaryOf(b *sidecar.Batch) string {
	if b.Skipped != "" {
		return b.Skipped
	}
	if len(b.Results) == 0 {
		return "nothing worth remembering"
	}
	text := ""
	for i, r := range b.Results {
		if i == 6 {
			text += fmt.Sprintf(" and %d more", len(b.Results)-i)
			break
		}
		if i > 0 {
			text += " "
		}
		text += r.Text
	}
	return text
}

// summarize tells over what is due at a reply.
func (s *Service) summarize(ctx context.Context, j *jobs.Job) error {
	client, profile := s.historianModel()
	if client == nil {
		return skipped(j, "there is no model")
	}
	m, err := s.moment(ctx, j.World, j.Conversation, j.Node, 0)
	if err != nil {
		return err
	}
	set := &m.cast.sidecar
	if !isOn(set.On, true) || !isOn(set.Summarize, true) {
		return skipped(j, "it is switched off")
	}
	span, due := sidecar.DueSpan(&m.Scene, m.told())
	if !due {
		return skipped(j, "nothing is due")
	}
	return s.summarizeSpan(ctx, j, m, span, client, profile)
}

func (s *Service) summarizeSpan(ctx context.Context, j *jobs.Job, m *moment, span sidecar.Span, client *llm.Client, profile string) error {
	if why := s.paused(ctx, j.World, j.Conversation, &m.cast.sidecar); why != "" {
		return skipped(j, why)
	}
	began := s.opts.Now()
	b, err := sidecar.Summarize(ctx, client, &m.Scene, span, sidecar.FormFor(client.Capabilities()))
	if err != nil {
		s.failed(ctx, j, "summary", "summary", profile, client, b, err)
		return again(err)
	}
	a := store.Activity{Type: "summary", Phase: "summary", Profile: profile, Duration: s.opts.Now().Sub(began).Microseconds()}
	return s.commit(ctx, j, m, b, a, client)
}

// told is how many messages of the path have been told over: up to the last one
// that a live summary tells of.
func (m *moment) told() int {
	told := 0
	for _, to := range sidecar.ToldTo(m.View) {
		if i := slices.IndexFunc(m.Messages, func(x sidecar.Message) bool { return x.ID == to }); i >= told {
			told = i + 1
		}
	}
	return told
}
