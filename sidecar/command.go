package sidecar

import (
	"context"
	"strings"

	"github.com/weft-memory/weft/llm"
)

// Command is a forced action: what a player asks of the sidecar inside of a
// message, such as "/remember The mill burned down."
type Command struct {
	// Name is remember, forget, summarize, search, merge, split or ingest.
	Name string
	// Text is what follows it.
	Text string
}

// CommandNames are the forced actions.
var CommandNames = []string{"remember", "forget", "summarize", "search", "merge", "split", "ingest"}

// Commands takes the forced actions out of a message. prefix is what they begin
// with, by default "/". An action stands at the start of a line, and takes the
// rest of it. What is left goes to the narrator; it may be empty.
func Commands(text, prefix string) (rest string, list []Command) {
	if prefix == "" {
		prefix = "/"
	}
	var kept []string
	for _, line := range strings.SplitAfter(text, "\n") {
		c, ok := command(strings.TrimSpace(line), prefix)
		if ok {
			list = append(list, c)
			continue
		}
		kept = append(kept, line)
	}
	if list == nil {
		return text, nil
	}
	return strings.TrimSpace(strings.Join(kept, "")), list
}

func command(line, prefix string) (Command, bool) {
	rest, ok := strings.CutPrefix(line, prefix)
	if !ok {
		return Command{}, false
	}
	name, text, _ := strings.Cut(rest, " ")
	name = strings.ToLower(name)
	if name == "summarise" {
		name = "summarize"
	}
	for _, n := range CommandNames {
		if n == name {
			return Command{Name: n, Text: strings.TrimSpace(text)}, true
		}
	}
	return Command{}, false
}

// Order has the model do what a person asked for by a command: to remember
// something, or to split an entry.
func Order(ctx context.Context, m Model, s *Scene, c Command, form Form) (*Batch, error) {
	last := s.last()
	if last == nil {
		return &Batch{Skipped: "there is no message"}, nil
	}
	tools := []string{ToolRemember, ToolUpdate}
	ask := "The player asks you to remember this, which is true in the story:\n"
	if c.Name == "split" {
		tools = []string{ToolMergeSplit}
		ask = "The player asks you to split this entry into two:\n"
	}
	var b strings.Builder
	b.WriteString("What went before:\n" + inside("story", s.transcript(window(s.Messages, or(s.Settings.Window, 6)))) + "\n\n")
	if text := s.entriesInPlay(); text != "" {
		b.WriteString("The entries in play, in full:\n" + inside("lore", text) + "\n\n")
	}
	b.WriteString(ask + inside("notebook", clip(c.Text, maxArg)))
	t := &task{
		phase: "command", node: last.ID, form: form, tools: tools, stable: 2,
		messages: []llm.Message{llm.System(s.system("write")), llm.User(s.loreSection()), llm.User(b.String())},
	}
	return t.run(ctx, m, s)
}
