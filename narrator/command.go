package narrator

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/weft-memory/weft/jobs"
	"github.com/weft-memory/weft/llm"
	"github.com/weft-memory/weft/sidecar"
	"github.com/weft-memory/weft/store"
	"github.com/weft-memory/weft/world"
)

// takeCommands takes the forced actions out of messages. A message of which
// nothing is left is not added.
func (s *Service) takeCommands(who *cast, list []world.Message) (rest []world.Message, commands []sidecar.Command) {
	if who.sidecar.prefix() == "off" {
		return list, nil
	}
	for _, m := range list {
		if m.Role != "" && m.Role != "user" {
			rest = append(rest, m)
			continue
		}
		text, found := sidecar.Commands(m.Content, who.sidecar.prefix())
		if found == nil {
			rest = append(rest, m)
			continue
		}
		commands = append(commands, found...)
		if m.Content = text; strings.TrimSpace(text) != "" {
			rest = append(rest, m)
		}
	}
	return rest, commands
}

// queueCommands adds work for forced actions, and returns its ids.
func (s *Service) queueCommands(ctx context.Context, worldID, conversation, node string, list []sidecar.Command) (ids []string, err error) {
	c, err := s.worlds.Conversation(ctx, worldID, conversation)
	if err != nil {
		return nil, err
	}
	if node == "" {
		node = c.Head
	}
	err = s.worlds.DB().UpdateWorld(ctx, worldID, func(tx *store.Tx) error {
		ids = nil
		for _, cmd := range list {
			w, _, err := s.queue.Enqueue(tx, jobs.Spec{Kind: WorkCommand, World: worldID, Conversation: c.ID, Node: node, Payload: cmd})
			if err != nil {
				return err
			}
			ids = append(ids, w.ID)
		}
		return nil
	})
	return ids, err
}

// command does a forced action. What can be done without a model is.
func (s *Service) command(ctx context.Context, j *jobs.Job) error {
	var cmd sidecar.Command
	if err := j.Decode(&cmd); err != nil {
		return jobs.Permanent(err)
	}
	m, err := s.moment(ctx, j.World, j.Conversation, j.Node, 0)
	if err != nil {
		return err
	}
	client, profile := s.sidecarModel()
	by := sidecar.By{Phase: "command", Node: j.Node}
	a := store.Activity{Type: typeOf(cmd.Name), Phase: "post-gen", Profile: profile}
	w := sidecar.NewWriter(&m.Scene, by)
	batch := func(r sidecar.Result) *sidecar.Batch {
		return &sidecar.Batch{Operations: w.Operations(), Results: []sidecar.Result{r}, Asked: 1}
	}
	switch cmd.Name {
	case "search":
		r := sidecar.NewSearcher(&m.Scene, nil)
		raw, err := json.Marshal(map[string]string{"query": cmd.Text})
		if err != nil {
			return err
		}
		text := r.Run(raw)
		a.Conversation, a.Node, a.Entries, a.Reason = j.Conversation, j.Node, r.Found, cmd.Text
		if err := j.SetResult(map[string]any{"text": text, "entries": r.Found}); err != nil {
			return err
		}
		a.World = j.World
		return j.Finish(ctx, func(tx *store.Tx) error { _, err := tx.AddActivity(a); return err })
	case "forget":
		r := w.Do(commandCall(sidecar.ToolForget, "entry", cmd.Text, "reason", "a person asked for it"))
		return s.commitCommand(ctx, j, m, batch(r), a)
	case "merge":
		one, other, ok := cutAny(cmd.Text, " into ", " with ", " and ", ",")
		if !ok {
			return skipped(j, "say which two, such as: /merge Mira into Lady Miravel")
		}
		if strings.Contains(cmd.Text, " into ") {
			one, other = other, one
		}
		r := w.Do(commandCall(sidecar.ToolMergeSplit, "action", "merge", "entry", one, "other", other, "reason", "a person asked for it"))
		return s.commitCommand(ctx, j, m, batch(r), a)
	}
	if client == nil {
		if cmd.Name == "remember" {
			name, text, ok := strings.Cut(cmd.Text, ":")
			if !ok {
				name, text = firstWords(cmd.Text, 4), cmd.Text
			}
			return s.commitCommand(ctx, j, m, batch(w.Do(commandCall(sidecar.ToolRemember, "name", name, "content", text))), a)
		}
		return skipped(j, "there is no model to do that")
	}
	if why := s.paused(ctx, j.World, j.Conversation, &m.cast.sidecar); why != "" {
		return skipped(j, why)
	}
	switch cmd.Name {
	case "summarize":
		client, profile = s.historianModel()
		told := m.told()
		if told >= len(m.Messages) {
			return skipped(j, "everything is told over already")
		}
		return s.summarizeSpan(ctx, j, m, sidecar.Span{From: told, To: len(m.Messages)}, client, profile)
	case "ingest":
		return s.startIngest(ctx, j, sidecar.Moderate)
	}
	// remember and split need the words of the person to be understood.
	b, err := sidecar.Order(ctx, client, &m.Scene, cmd, sidecar.FormFor(client.Capabilities()))
	if err != nil {
		s.failed(ctx, j, a.Type, a.Phase, profile, client, b, err)
		return again(err)
	}
	return s.commit(ctx, j, m, b, a, client)
}

// commitCommand commits what was done without a model. A person asked for it,
// so nothing of it waits.
func (s *Service) commitCommand(ctx context.Context, j *jobs.Job, m *moment, b *sidecar.Batch, a store.Activity) error {
	m.cast.sidecar.Propose = nil
	client, _ := s.sidecarModel()
	if client == nil {
		a.Profile = ""
		return s.commitWith(ctx, j, m, b, a, llm.Prices{})
	}
	return s.commitWith(ctx, j, m, b, a, client.Profile().Prices)
}

func commandCall(tool string, pairs ...string) llm.Call {
	m := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		m[pairs[i]] = strings.TrimSpace(pairs[i+1])
	}
	raw, err := json.Marshal(m)
	if err != nil { // texts always encode
		raw = []byte("{}")
	}
	return llm.Call{ID: "command", Name: tool, Arguments: raw}
}

func typeOf(command string) string {
	switch command {
	case "merge", "split":
		return "merge_split"
	case "summarize":
		return "summary"
	}
	return command
}

// cutAny cuts a text at the first of some marks that it has.
func cutAny(s string, marks ...string) (before, after string, ok bool) {
	for _, m := range marks {
		if before, after, ok = strings.Cut(s, m); ok {
			return strings.TrimSpace(before), strings.TrimSpace(after), true
		}
	}
	return s, "", false
}

func firstWords(s string, n int) string {
	words := strings.Fields(s)
	return strings.Join(words[:min(n, len(words))], " ")
}
