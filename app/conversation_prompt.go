package app

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/weft-memory/weft/client"
	"github.com/weft-memory/weft/client/api"
	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver/diag"
)

type conversationAssembleCmd struct {
	conversationArg

	At      string   `placeholder:"MESSAGE" help:"The message that the reply follows. Of a reply whose assembly was kept: its own prompt, as it was. Default: the newest message."`
	Budget  string   `placeholder:"N" help:"The most that all lore may take: 800, 25%, 4000chars or none. Default: what the conversation or the world says."`
	Context int      `placeholder:"N" help:"The context window of the model in tokens. Default: what the conversation or the world says."`
	Trace   bool     `help:"Show why each entry is there, and what was left out and why."`
	Why     []string `placeholder:"ENTRY" sep:"none" help:"Explain one entry (id, or book/id) in full; may be given several times."`
	Prompt  bool     `help:"Print the messages as a model gets them instead of the blocks."`
	JSON    bool     `name:"json" help:"Print JSON, as the API gives it."`
	worldFlags
}

// Help is shown by --help.
func (conversationAssembleCmd) Help() string {
	return `Shows which lore enters the prompt of the next reply. Nothing is stored. With --at of a reply it shows the prompt that this reply was written from, byte for byte, also after entries were changed.

Examples:

    weft conversation assemble
    weft conversation assemble --trace --why tabs
    weft conversation assemble 019b3f7a --at 019b3f7c --prompt`
}

// Run shows a prompt.
func (c *conversationAssembleCmd) Run(e *env) error {
	l, w, err := c.open(e)
	if err != nil {
		return err
	}
	defer l.close()
	id, err := c.id(l, w)
	if err != nil {
		return err
	}
	return c.explain(e, l, w, id)
}

// explain asks for a prompt and shows it.
func (c *conversationAssembleCmd) explain(e *env, l *link, w *client.World, id string) error {
	ask := api.Assemble{At: c.At, Budget: c.Budget, Context: c.Context}
	if c.Trace || len(c.Why) > 0 {
		ask.Trace = "all"
	}
	for _, name := range c.Why {
		ref, err := l.entry(w, client.Place{Conversation: id}, name)
		if err != nil {
			return err
		}
		ask.Why = append(ask.Why, ref)
	}
	got, err := c.assembly(e, w, id, ask)
	if err != nil {
		return l.refused(err)
	}
	if c.JSON {
		return e.printJSON(got)
	}
	if c.Prompt {
		var b strings.Builder
		for i, m := range got.Prompt {
			if i > 0 {
				b.WriteByte('\n')
			}
			head := m.Role
			if m.Name != "" {
				head += " (" + m.Name + ")"
			}
			b.WriteString(e.out.paint(strong, visible(head, false)) + "\n" + indentLines(wrap(visible(m.Content, true), e.out.prose()-2), "  "))
		}
		return e.print(b.String())
	}
	a, err := c.shown(w, got, ask)
	if err != nil {
		return fail(ExitInternal, "", "the answer of the server cannot be read: %w", err)
	}
	var b strings.Builder
	a.write(&b, e.out)
	return e.print(b.String())
}

// assembly asks for the prompt: that of a reply as it was, if --at names one,
// and else that of the next one.
func (c *conversationAssembleCmd) assembly(e *env, w *client.World, id string, ask api.Assemble) (api.Assembly, error) {
	if c.At != "" && c.Budget == "" && c.Context == 0 && len(c.Why) == 0 {
		n, err := w.Node(e.ctx, c.At)
		if err != nil {
			return api.Assembly{}, err
		}
		if n.Role == string(lore.RoleAssistant) {
			got, err := w.Assembly(e.ctx, c.At)
			if !missing(err) {
				return got, err
			}
		}
	}
	return w.Assemble(e.ctx, id, ask)
}

// shown makes of an answer of the API what weft assemble prints.
func (c *conversationAssembleCmd) shown(w *client.World, got api.Assembly, ask api.Assemble) (*assembly, error) {
	result := &engine.Result{}
	a := &assembly{cmd: &assembleCmd{Trace: c.Trace, Why: c.Why}, index: engine.NewIndex(), result: result}
	for _, b := range got.Blocks {
		result.Blocks = append(result.Blocks, engine.Block{
			Slot: lore.Slot(b.Slot), Book: b.Book, Entry: b.Entry, Name: b.Name, Content: b.Content, Tokens: b.Tokens,
			Size: cmp.Or(engine.Size(b.Size), engine.SizeFull), Cut: b.Cut, Role: lore.Role(b.Role), Depth: b.Depth,
		})
	}
	for _, m := range got.Prompt {
		if m.Role != string(lore.RoleSystem) {
			a.messages = append(a.messages, lore.Message{Role: lore.Role(m.Role), Name: m.Name, Content: m.Content})
		}
	}
	if len(got.Trace) > 0 {
		result.Trace = &engine.Trace{}
		if err := json.Unmarshal(got.Trace, result.Trace); err != nil {
			return nil, err
		}
		result.State.Turn = result.Trace.Turn
		for _, f := range result.Trace.Fired {
			a.addBook(f.Book)
		}
	}
	for _, b := range result.Blocks {
		a.addBook(b.Book)
	}
	if len(a.books) == 0 {
		a.addBook(w.ID())
	}
	slices.SortFunc(a.books, func(x, y *lore.Book) int { return cmp.Compare(x.ID, y.ID) })
	if len(got.Problems) > 0 {
		if err := json.Unmarshal(got.Problems, &result.Problems); err != nil {
			return nil, err
		}
	}
	for _, r := range ask.Why {
		a.input.Why = append(a.input.Why, engine.EntryRef{Book: r.Book, Entry: r.Entry})
	}
	for _, f := range got.Findings {
		a.findings = append(a.findings, diag.Diagnostic{Code: f.Code, Message: f.Message})
	}
	return a, nil
}

// addBook notes that a book takes part, once.
func (a *assembly) addBook(id string) {
	if !slices.ContainsFunc(a.books, func(b *lore.Book) bool { return b.ID == id }) {
		a.books = append(a.books, &lore.Book{ID: id})
	}
}

type conversationWhyCmd struct {
	Entry string `arg:"" help:"The entry: its id, or book/id."`

	Conversation string `short:"c" default:"last" placeholder:"ID" help:"The conversation; external:ID for one of another program. Default: the one that was changed last."`
	At           string `placeholder:"MESSAGE" help:"A reply, or the message that the next one follows. Default: the newest message."`
	JSON         bool   `name:"json" help:"Print JSON, as the API gives it."`
	worldFlags
}

// Help is shown by --help.
func (conversationWhyCmd) Help() string {
	return "Says of one entry why it is in the prompt of a reply, or what kept it out, with the values involved.\n\nExamples:\n\n    weft conversation why tabs\n    weft conversation why skerrow/debts --at 019b3f7c"
}

// Run explains an entry.
func (c *conversationWhyCmd) Run(e *env) error {
	l, w, err := c.open(e)
	if err != nil {
		return err
	}
	defer l.close()
	id, err := l.conversation(w, c.Conversation)
	if err != nil {
		return err
	}
	ref, err := l.entry(w, client.Place{Conversation: id}, c.Entry)
	if err != nil {
		return err
	}
	if c.At == "" && !c.JSON {
		// Of the next reply everything is known.
		all := conversationAssembleCmd{conversationArg: conversationArg{id}, Why: []string{ref.Book + "/" + ref.Entry}, worldFlags: c.worldFlags}
		return all.explain(e, l, w, id)
	}
	raw, err := w.Why(e.ctx, id, c.At, ref)
	if err != nil {
		return l.refused(err)
	}
	if c.JSON {
		return e.printJSON(raw)
	}
	var answers []engine.Absence
	if err := json.Unmarshal(raw, &answers); err != nil {
		return fail(ExitInternal, "", "the answer of the server cannot be read: %w", err)
	}
	var b strings.Builder
	for _, x := range answers {
		verdict := "It is not in the prompt"
		if x.Reason == engine.AbsentNot {
			verdict = "It is in the prompt"
		}
		if detail := strings.TrimPrefix(strings.TrimSuffix(x.Detail, "."), "it is there: "); detail != "" {
			verdict += ": " + detail
		}
		b.WriteString(e.out.paint(heading, visible(x.EntryRef.String(), false)) + "\n" + indentLines(wrap(visible(verdict+reads(x.Reads)+".", true), e.out.prose()-2), "  "))
	}
	return e.print(b.String())
}
