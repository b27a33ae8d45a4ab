package app

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/weft-memory/weft/client"
	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/lore"
)

type conversationCmd struct {
	List     conversationListCmd     `cmd:"" default:"withargs" help:"List conversations, the last changed first."`
	Show     conversationShowCmd     `cmd:"" help:"Print the messages that lead to a point of a conversation."`
	Create   conversationCreateCmd   `cmd:"" help:"Make a conversation."`
	Append   conversationAppendCmd   `cmd:"" help:"Add a message without a reply."`
	Assemble conversationAssembleCmd `cmd:"" help:"Show the prompt of the next reply, or that of a reply as it was."`
	Why      conversationWhyCmd      `cmd:"" help:"Explain why an entry is, or is not, in a prompt."`
	Import   conversationImportCmd   `cmd:"" help:"Bring chats into a world, with their swipes."`
	Export   conversationExportCmd   `cmd:"" help:"Write a conversation as a chat of another program."`
	Delete   conversationDeleteCmd   `cmd:"" help:"Delete a conversation."`
}

// conversationArg names a conversation.
type conversationArg struct {
	Conversation string `arg:"" optional:"" default:"last" help:"The conversation, by its id; external:ID for one of another program. Default: the one that was changed last."`
}

// id returns the id of the conversation.
func (c conversationArg) id(l *link, w *client.World) (string, error) {
	return l.conversation(w, c.Conversation)
}

type conversationListCmd struct {
	Limit int  `default:"50" placeholder:"N" help:"How many to list at most; 0 lists all. Default: ${default}."`
	JSON  bool `name:"json" help:"Print JSON, as the API gives it."`
	worldFlags
}

// Help is shown by --help.
func (conversationListCmd) Help() string {
	return "Example:\n\n    weft conversation list --world skerrow"
}

// Run lists conversations.
func (c *conversationListCmd) Run(e *env) error {
	l, w, err := c.open(e)
	if err != nil {
		return err
	}
	defer l.close()
	list, err := some(c.Limit, func(p client.Page) (api.Page[api.Conversation], error) { return w.Conversations(e.ctx, p) })
	if err != nil {
		return l.refused(err)
	}
	if c.JSON {
		return e.printJSON(list)
	}
	known := slices.ContainsFunc(list, func(x api.Conversation) bool { return x.External != "" })
	titles := []string{"conversation", "messages", "changed", "title"}
	if known {
		titles = slices.Insert(titles, 3, "external")
	}
	t := newTable(e.out, titles...).keepWhole(0).alignRight(1).keepWhole(2)
	for _, x := range list {
		row := []cell{{x.ID, strong}, {number(int(x.Nodes)), plain}, {when(x.Changed), dim}, {visible(x.Title, false), plain}}
		if known {
			row = slices.Insert(row, 3, cell{visible(x.External, false), plain})
		}
		t.row(row...)
	}
	return e.printTable(t, "there is no conversation in the world "+w.ID()+" yet")
}

// some returns the first items of a list; limit 0 means all.
func some[T any](limit int, list func(client.Page) (api.Page[T], error)) ([]T, error) {
	if limit <= 0 {
		return client.All(list)
	}
	out := []T{}
	for p := (client.Page{}); len(out) < limit; {
		p.Limit = min(limit-len(out), 1000)
		page, err := list(p)
		out = append(out, page.Items...)
		if p.Cursor = page.Next; err != nil || p.Cursor == "" {
			return out, err
		}
	}
	return out, nil
}

type conversationShowCmd struct {
	conversationArg

	At   string `placeholder:"MESSAGE" help:"The message to end with. Default: the newest one."`
	Last int    `placeholder:"N" help:"Only the last N messages. Default: all."`
	IDs  bool   `name:"ids" help:"Print the id of each message before it."`
	JSON bool   `name:"json" help:"Print JSON, as the API gives it."`
	worldFlags
}

// Help is shown by --help.
func (conversationShowCmd) Help() string {
	return "Prints one path through the tree of a conversation: what was said up to a message. Swipes and other branches are counted, not printed.\n\nExamples:\n\n    weft conversation show\n    weft conversation show external:channel/7 --last 10 --ids"
}

// Run shows a conversation.
func (c *conversationShowCmd) Run(e *env) error {
	l, w, err := c.open(e)
	if err != nil {
		return err
	}
	defer l.close()
	id, err := c.id(l, w)
	if err != nil {
		return err
	}
	path, err := w.Path(e.ctx, id, c.At, c.Last)
	if err != nil {
		return l.refused(err)
	}
	if c.JSON {
		return e.printJSON(path)
	}
	var b strings.Builder
	for i, n := range path {
		if i > 0 {
			b.WriteByte('\n')
		}
		head := cmp.Or(n.Name, n.Role)
		if c.IDs {
			head = n.ID + "  " + head
		}
		var marks []string
		if len(n.Swipes) > 1 {
			marks = append(marks, fmt.Sprintf("swipe %d of %d", n.At+1, len(n.Swipes)))
		}
		if n.Kind == "greeting" {
			marks = append(marks, "greeting")
		}
		if n.Hidden {
			marks = append(marks, "hidden")
		}
		if n.Operations > 0 {
			marks = append(marks, plural(n.Operations, "operation"))
		}
		line := e.out.paint(strong, visible(head, false))
		if len(marks) > 0 {
			line += "  " + e.out.paint(dim, strings.Join(marks, ", "))
		}
		b.WriteString(line + "\n" + indentLines(wrap(visible(n.Content, true), e.out.prose()-2), "  "))
	}
	if len(path) == 0 {
		e.note("nothing was said yet")
	}
	return e.print(b.String())
}

type conversationCreateCmd struct {
	Title string `arg:"" optional:"" help:"What the conversation is called."`

	Character []string `placeholder:"ID" help:"A character that takes part; the first one's greeting begins the conversation."`
	User      string   `placeholder:"NAME" help:"Name of the user, for {{user}}."`
	External  string   `placeholder:"ID" help:"The id that another program knows it by."`
	worldFlags
}

// Help is shown by --help.
func (conversationCreateCmd) Help() string {
	return "Makes a conversation and prints its id.\n\nExample:\n\n    weft conversation create \"A second evening\" --character maddis --user Sam"
}

// Run makes a conversation.
func (c *conversationCreateCmd) Run(e *env) error {
	l, w, err := c.open(e)
	if err != nil {
		return err
	}
	defer l.close()
	settings := map[string]any{}
	if len(c.Character) > 0 {
		settings["characters"] = c.Character
	}
	if c.User != "" {
		settings["user"] = c.User
	}
	text, err := json.Marshal(settings)
	if err != nil {
		return fail(ExitInternal, "", "%w", err)
	}
	got, err := w.CreateConversation(e.ctx, api.NewConversation{Title: c.Title, External: c.External, Settings: text})
	if err != nil {
		return l.refused(err)
	}
	return e.print(got.ID + "\n")
}

type conversationAppendCmd struct {
	Text string `arg:"" help:"The message; - reads it from standard input."`

	Conversation string `short:"c" default:"last" placeholder:"ID" help:"The conversation; external:ID for one of another program. Default: the one that was changed last."`
	Role         string `default:"user" enum:"user,assistant,system" placeholder:"ROLE" help:"Who speaks: user, assistant or system. Default: ${default}."`
	Name         string `placeholder:"NAME" help:"The name of who speaks."`
	worldFlags
}

// Help is shown by --help.
func (conversationAppendCmd) Help() string {
	return "Adds a message behind the newest one and prints its id. weft conversation assemble then shows what a model would get for the reply.\n\nExamples:\n\n    weft conversation append \"What is down in the cellar?\"\n    weft conversation append --role assistant --name Maddis - < reply.txt"
}

// Run adds a message.
func (c *conversationAppendCmd) Run(e *env) error {
	message := c.Text
	if message == "-" {
		data, err := e.readInput("-", "message", maxFileBytes)
		if err != nil {
			return err
		}
		message = strings.TrimRight(lore.DecodeText(data), "\r\n")
	}
	l, w, err := c.open(e)
	if err != nil {
		return err
	}
	defer l.close()
	id, err := l.conversation(w, c.Conversation)
	if err != nil {
		return err
	}
	added, err := w.Append(e.ctx, id, api.Append{Messages: []api.Message{{Role: c.Role, Name: c.Name, Content: message}}})
	if err != nil {
		return l.refused(err)
	}
	var b strings.Builder
	for _, n := range added {
		b.WriteString(n.ID + "\n")
	}
	return e.print(b.String())
}

type conversationImportCmd struct {
	importFlags
}

// Help is shown by --help.
func (conversationImportCmd) Help() string {
	return "Brings the chats of files into a world: each becomes a conversation with its swipes and branches.\n\nExample:\n\n    weft conversation import evening.jsonl mule_road.jsonl"
}

// Run imports chats.
func (c *conversationImportCmd) Run(e *env) error { return c.run(e, yes("chats"), false) }

type conversationExportCmd struct {
	conversationArg
	exportFlags
}

// Help is shown by --help.
func (conversationExportCmd) Help() string {
	return "Writes a conversation as a chat. In the format that it was imported from, what did not change comes back byte for byte.\n\nExample:\n\n    weft conversation export --to sillytavern-chat -o evening.jsonl"
}

// Run exports a conversation.
func (c *conversationExportCmd) Run(e *env) error { return c.run(e, "conversation", c.Conversation) }

type conversationDeleteCmd struct {
	Conversation string `arg:"" help:"The conversation, by its id; external:ID for one of another program."`

	Erase bool `help:"Delete it for good, with all that came from it. Otherwise it can be brought back until its time is up."`
	worldFlags
}

// Help is shown by --help.
func (conversationDeleteCmd) Help() string {
	return "Hides a conversation; what the world remembers of it goes with it. It is erased for good after the time that weft serve --keep-deleted says.\n\nExample:\n\n    weft conversation delete external:channel/7 --erase"
}

// Run deletes a conversation.
func (c *conversationDeleteCmd) Run(e *env) error {
	l, w, err := c.open(e)
	if err != nil {
		return err
	}
	defer l.close()
	return l.refused(w.DeleteConversation(e.ctx, c.Conversation, c.Erase))
}
