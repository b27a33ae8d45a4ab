package sidecar

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/weft-memory/weft/llm"
)

// Detail says how closely an old story is read.
type Detail string

// The degrees of detail.
const (
	Coarse   Detail = "coarse"
	Moderate Detail = "moderate"
	Detailed Detail = "detailed"
)

// piece is how much of the story one step reads, in characters, and rounds how
// often the model is asked about it.
func (d Detail) piece() (size, rounds int) {
	switch d {
	case Coarse:
		return 24000, 1
	case Detailed:
		return 6000, 4
	}
	return 12000, 2
}

// Ingesting is where an ingest of an old story stands. It is a value: stored
// after each step, it makes an ingest resumable.
type Ingesting struct {
	Detail Detail `json:"detail,omitempty"`
	// Phase is search, facts, narrative or done.
	Phase string `json:"phase"`
	// Next is the next message of the phase.
	Next int `json:"next"`
	// Total is how many messages there are.
	Total int `json:"total"`
	// Found are the names that the search phase found known.
	Found []string `json:"found,omitempty"`
	// Said is what the model said last about what it does, for continuity.
	Said string `json:"said,omitempty"`
}

// Done reports whether nothing is left to do.
func (g Ingesting) Done() bool { return g.Phase == "done" }

// Progress is how much is done, from 0 to 1.
func (g Ingesting) Progress() float64 {
	switch {
	case g.Done():
		return 1
	case g.Total == 0:
		return 0
	}
	part := float64(g.Next) / float64(g.Total)
	switch g.Phase {
	case "facts":
		return 0.05 + 0.75*part
	case "narrative":
		return 0.8 + 0.2*part
	}
	return 0
}

// Ingest does one step of making lore of an old story: it reads the next piece
// and returns what to write and where the ingest stands then. The scene holds
// all messages and the lore as of now. Steps are repeated until the result is
// Done:
//
//   - search: what is known already is looked up, by code;
//   - facts: piece by piece, people, places, things, rules and events;
//   - narrative: piece by piece, what happened, by threads of the plot.
//
// Doing a step twice writes nothing twice.
func Ingest(ctx context.Context, m Model, s *Scene, g Ingesting, form Form) (*Batch, Ingesting, error) {
	g.Total = len(s.Messages)
	if g.Phase == "" {
		g.Phase = "search"
	}
	switch g.Phase {
	case "search":
		g.Found = nil
		for _, ref := range Mentioned(s, len(s.Messages)) {
			if len(g.Found) < 200 {
				g.Found = append(g.Found, displayName(s.View, ref))
			}
		}
		g.Phase, g.Next = "facts", 0
		return &Batch{Skipped: fmt.Sprintf("%d known entries occur in the story", len(g.Found))}, g, nil
	case "facts", "narrative":
	case "done":
		return &Batch{}, g, nil
	default:
		return nil, g, fmt.Errorf("an ingest has no phase %q", g.Phase)
	}
	size, rounds := g.Detail.piece()
	end := s.pieceEnd(g.Next, size)
	batch := &Batch{Skipped: "nothing in these messages is a part of the story"}
	if text := s.transcript(s.Messages[g.Next:end]); text != "" {
		var err error
		if batch, err = s.ingestPiece(ctx, m, g, end, text, rounds, form); err != nil {
			return batch, g, err
		}
		if batch.Text != "" {
			g.Said = clip(batch.Text, 600)
		}
	}
	g.Next = end
	if g.Next >= g.Total {
		if g.Phase == "facts" {
			g.Phase, g.Next = "narrative", 0
		} else {
			g.Phase = "done"
		}
	}
	return batch, g, nil
}

// pieceEnd returns the end of a piece of messages of about so many characters,
// at least one.
func (s *Scene) pieceEnd(from, size int) int {
	n := 0
	for i := from; i < len(s.Messages); i++ {
		n += min(utf8.RuneCountInString(s.Messages[i].Text), maxMessage)
		if n > size && i > from {
			return i
		}
	}
	return len(s.Messages)
}

func (s *Scene) ingestPiece(ctx context.Context, m Model, g Ingesting, end int, text string, rounds int, form Form) (*Batch, error) {
	part := *s
	part.Settings.Rounds = rounds
	if part.Settings.MaxOperations == 0 {
		part.Settings.MaxOperations = 60
	}
	node := s.Messages[end-1].ID
	t := &task{phase: "ingest", node: node, form: form, stable: 2, maxText: 4000, writer: NewWriter(&part, By{Phase: "ingest", Node: node})}
	var b strings.Builder
	name := "ingest_facts"
	if g.Phase == "facts" {
		t.tools = []string{ToolRemember, ToolUpdate, ToolMergeSplit, ToolSearch}
		t.search = NewSearcher(&part, nil)
		if len(g.Found) > 0 {
			b.WriteString("Known before this story was read: " + strings.Join(g.Found, ", ") + ".\n\n")
		}
	} else {
		name = "ingest_narrative"
		t.tools = []string{ToolSummary, ToolReorganize}
		t.writer.span = [2]string{s.Messages[g.Next].ID, node}
		if text := Summaries(s); text != "" {
			b.WriteString("Told over so far:\n" + inside("lore", text) + "\n\n")
		}
	}
	if g.Said != "" {
		b.WriteString("What you said at the last piece: " + inside("notebook", g.Said) + "\n\n")
	}
	if from := max(0, g.Next-2); from < g.Next {
		b.WriteString("The messages before:\n" + inside("story", clip(s.transcript(s.Messages[from:g.Next]), 3000)) + "\n\n")
	}
	fmt.Fprintf(&b, "Messages %d to %d of %d:\n", g.Next+1, end, g.Total)
	b.WriteString(inside("story", text))
	if known := part.inFull(part.namedIn(text)); known != "" {
		b.WriteString("\n\nThe entries that are named in it, in full:\n" + inside("lore", known))
	}
	t.messages = []llm.Message{llm.System(part.system(name)), llm.User(part.loreSection()), llm.User(b.String())}
	return t.run(ctx, m, &part)
}
