package sidecar

import (
	"strings"
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
