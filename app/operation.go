package app

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/weft-memory/weft/client"
	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/memory"
)

type historyCmd struct {
	Entry string `arg:"" help:"The entry: its id, or book/id."`

	JSON bool `name:"json" help:"Print JSON, as the API gives it."`
	placeFlags
}

// Help is shown by --help.
func (historyCmd) Help() string {
	return "Shows every change of an entry on the way to a point of a story: who made it, when, and how it changed the text.\n\nExample:\n\n    weft history skerrow/tamwick --conversation last"
}

// Run shows the history of an entry.
func (c *historyCmd) Run(e *env) error {
	l, w, at, err := c.place(e)
	if err != nil {
		return err
	}
	defer l.close()
	ref, err := l.entry(w, at, c.Entry)
	if err != nil {
		return err
	}
	steps, err := w.History(e.ctx, at, ref)
	if err != nil {
		return l.refused(err)
	}
	if c.JSON {
		return e.printJSON(steps)
	}
	if len(steps) == 0 {
		e.note("%s/%s stands as it was authored", ref.Book, ref.Entry)
		return nil
	}
	var b strings.Builder
	for i, s := range steps {
		var op memory.Operation
		if err := json.Unmarshal(s.Operation, &op); err != nil {
			return fail(ExitInternal, "", "the answer of the server cannot be read: %w", err)
		}
		if i > 0 {
			b.WriteByte('\n')
		}
		head := fmt.Sprintf("%s  %s by %s", when(op.Time), op.Kind, operationAuthor(op.Author))
		if !s.Changed {
			head += ", without effect"
		}
		b.WriteString(e.out.paint(strong, visible(head, false)) + "\n" + "  " + e.out.paint(dim, op.ID) + "\n")
		if op.Reason != "" {
			b.WriteString(indentLines(wrap(visible(op.Reason, false), e.out.prose()-2), "  "))
		}
		var before, after entryData
		_ = json.Unmarshal(s.Before, &before) // what is not there is empty
		_ = json.Unmarshal(s.After, &after)
		for _, line := range []struct {
			mark string
			text string
			of   style
		}{{"- ", before.Content, bad}, {"+ ", after.Content, good}} {
			if line.text == "" || before.Content == after.Content {
				continue
			}
			for _, text := range wrap(visible(line.text, true), e.out.prose()-4) {
				b.WriteString("  " + e.out.paint(line.of, line.mark+text) + "\n")
			}
		}
	}
	return e.print(b.String())
}

// operationAuthor names who made an operation.
func operationAuthor(a memory.Author) string {
	if a.Name == "" {
		return string(a.Kind)
	}
	return a.Name + " (" + string(a.Kind) + ")"
}

type activityCmd struct {
	Conversation string `short:"c" placeholder:"ID" help:"Only that of this conversation; last is the one that was changed last. Default: that of the whole world."`
	Limit        int    `default:"20" placeholder:"N" help:"How many lines at most; 0 shows all. Default: ${default}."`
	JSON         bool   `name:"json" help:"Print JSON, as the API gives it."`
	worldFlags
}

// Help is shown by --help.
func (activityCmd) Help() string {
	return "Shows what was done to the lore: what was remembered, updated, forgotten, by whom and why. Lines in brackets do not count at the newest message.\n\nExamples:\n\n    weft activity\n    weft activity --conversation last --limit 5"
}

// Run shows the activity.
func (c *activityCmd) Run(e *env) error {
	l, w, err := c.open(e)
	if err != nil {
		return err
	}
	defer l.close()
	id, err := l.conversation(w, c.Conversation)
	if err != nil {
		return err
	}
	list, err := some(c.Limit, func(p client.Page) (api.Page[api.Activity], error) { return w.Activity(e.ctx, id, p) })
	if err != nil {
		return l.refused(err)
	}
	if c.JSON {
		return e.printJSON(list)
	}
	t := newTable(e.out, "time", "operation", "what", "entry", "by", "reason").keepWhole(1).limit(3, 30).limit(4, 20)
	for _, a := range list {
		var names []string
		for _, r := range a.Entries {
			names = append(names, r.Book+"/"+r.Entry)
		}
		what := strings.ReplaceAll(a.Type, "_", " ")
		if !a.Active {
			what = "[" + what + "]"
		}
		var author memory.Author
		_ = json.Unmarshal(a.Author, &author) // an unknown one has no name
		t.row(cell{when(a.Time), dim}, cell{a.Operation, plain}, cell{what, strong}, cell{visible(strings.Join(names, ", "), false), plain},
			cell{visible(operationAuthor(author), false), plain}, cell{visible(a.Reason, false), plain})
	}
	return e.printTable(t, "nothing was done to the lore yet")
}

// operationFlags name operations.
type operationFlags struct {
	Operations []string `arg:"" optional:"" name:"operation" help:"Operations, by their ids, as weft activity and weft history show them."`

	Last bool `help:"The newest operation of the conversation, or of the world."`
	JSON bool `name:"json" help:"Print JSON, as the API gives it."`

	Conversation string `short:"c" placeholder:"ID" help:"With --last: the conversation; last is the one that was changed last."`
	worldFlags
}

// run changes operations and says what became of them.
func (c *operationFlags) run(e *env, change func(w *client.World, ids []string) ([]api.Applied, error)) error {
	if (len(c.Operations) > 0) == c.Last {
		return fail(ExitUsage, e.opts.Name+" activity shows their ids", "name operations, or give --last")
	}
	l, w, err := c.open(e)
	if err != nil {
		return err
	}
	defer l.close()
	ids := c.Operations
	if c.Last {
		filter := url.Values{}
		id, err := l.conversation(w, c.Conversation)
		if err != nil {
			return err
		}
		if id != "" {
			conv, err := w.Conversation(e.ctx, id)
			if err != nil {
				return l.refused(err)
			}
			filter.Set("conversation", conv.ID)
		}
		page, err := w.Operations(e.ctx, filter, client.Page{Limit: 1})
		if err != nil {
			return l.refused(err)
		}
		var op memory.Operation
		if len(page.Items) == 0 || json.Unmarshal(page.Items[0], &op) != nil {
			return fail(ExitRefused, "", "there is no operation yet")
		}
		ids = []string{op.ID}
	}
	applied, err := change(w, ids)
	if err != nil {
		return l.refused(err)
	}
	if c.JSON {
		return e.printJSON(applied)
	}
	var b strings.Builder
	for _, a := range applied {
		var op memory.Operation
		if err := json.Unmarshal(a.Operation, &op); err != nil {
			return fail(ExitInternal, "", "the answer of the server cannot be read: %w", err)
		}
		fmt.Fprintf(&b, "%s  %s %s/%s\n", op.ID, op.Kind, op.Book, op.Entry)
	}
	return e.print(b.String())
}

type undoCmd struct {
	operationFlags
}

// Help is shown by --help.
func (undoCmd) Help() string {
	return "Takes operations back: what they changed is as it was, and later changes stay. Nothing is lost: weft redo makes them count again.\n\nExamples:\n\n    weft undo 019b3f7a-2c1e-7b40-8d54-2f1f0c9a3b11\n    weft undo --last --conversation last"
}

// Run takes operations back.
func (c *undoCmd) Run(e *env) error {
	return c.run(e, func(w *client.World, ids []string) ([]api.Applied, error) { return w.Undo(e.ctx, ids...) })
}

type redoCmd struct {
	operationFlags
}

// Help is shown by --help.
func (redoCmd) Help() string {
	return "Makes operations count again that were taken back: name those that weft undo was told, or printed.\n\nExample:\n\n    weft redo 019b3f7a-2c1e-7b40-8d54-2f1f0c9a3b11"
}

// Run makes operations count again.
func (c *redoCmd) Run(e *env) error {
	return c.run(e, func(w *client.World, ids []string) ([]api.Applied, error) { return w.Redo(e.ctx, ids...) })
}
