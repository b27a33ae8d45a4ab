package app

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/internal/suggest"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/tokens"
	"github.com/weft-memory/weft/weaver"
	"github.com/weft-memory/weft/weaver/diag"
)

type assembleCmd struct {
	Books []string `arg:"" name:"book" help:"Books: folders, .weaver files, JSON books, bundles; lorebooks, cards and folders of other programs. The first one is the primary book."`

	Chat string `required:"" placeholder:"FILE" help:"The chat: JSON, JSONL, plain text with lines of the form Name: text, or a chat of a front end."`
	Vars string `placeholder:"FILE" help:"Variables of the host, JSON or YAML: {char: {name: Mira}, state: {gold: 12}}."`
	Char string `placeholder:"NAME" help:"The character that speaks, for {{char}} and for the books bound to it. Default: char:name of --vars, else who answers in the chat, else the only card."`
	User string `placeholder:"NAME" help:"Name of the user, for {{user}}. Default: user:name of --vars, else who asks in the chat."`

	State     string `placeholder:"FILE" help:"State after an earlier assembly, as --save-state wrote it. A file that is not there is a new conversation."`
	SaveState string `placeholder:"FILE" help:"Write the state after this assembly; may be the same file."`
	Advance   int    `default:"1" placeholder:"N" help:"Begin so many turns before assembling; 0 assembles the same turn again. Default: ${default}."`
	Seed      uint64 `default:"0" placeholder:"N" help:"Where random numbers come from: the same seed, the same rolls. Default: ${default}."`

	Slots     []string `placeholder:"SLOT" help:"The slots that the prompt has. Default: all."`
	Budget    string   `setting:"own" default:"25%" placeholder:"N" help:"The most that all lore may take: tokens (800), percent of the context (25%), characters (4000chars), or none. Default: ${default}."`
	Context   int      `setting:"own" default:"8192" placeholder:"N" help:"The context window of the model in tokens. Default: ${default}."`
	Tokenizer string   `setting:"own" placeholder:"MODEL" help:"Count tokens as this model does, such as gpt-4o. Default: an estimate by script."`

	Trace  bool     `help:"Show why each entry is there, and what was left out and why."`
	Why    []string `placeholder:"ENTRY" sep:"none" help:"Explain one entry (id, or book/id) in full; may be given several times."`
	Strict bool     `help:"Stop at the first entry that fails, with exit status 1. Otherwise it alone is left out."`
	JSON   bool     `name:"json" help:"Print JSON. docs/cli.md describes it."`
}

// Help is shown by --help.
func (assembleCmd) Help() string {
	return `Reads the books and the chat, decides which entries are active, evaluates them, and prints the blocks as they will stand in the prompt, slot by slot, with their size in tokens.

Examples:

    weft assemble my_world --chat chat.txt
    weft assemble my_world --chat chat.txt --trace
    weft assemble my_world --chat chat.txt --why lighthouse
    weft assemble my_world --chat - --budget 600 --json < chat.jsonl
    weft assemble my_world --chat chat.txt --state s.json --save-state s.json`
}

// maxAdvance is the most turns that one run begins. Each is worked through.
const maxAdvance = 100_000

// assembly is everything about one run.
type assembly struct {
	cmd      *assembleCmd
	books    []*lore.Book
	messages []lore.Message
	findings diag.List
	index    *engine.Index
	vars     vars
	input    engine.Input
	result   *engine.Result
	counter  string // how tokens were counted
}

// Run assembles once.
func (c *assembleCmd) Run(e *env) error {
	a, err := c.prepare(e)
	if err != nil {
		return err
	}
	return c.run(e, a)
}

func (c *assembleCmd) run(e *env, a *assembly) error {
	eng, err := e.engine(engine.Options{Tokenizer: c.tokenizer(), Strict: c.Strict})
	if err != nil {
		return err
	}
	for range c.Advance {
		if a.input.State, err = eng.Advance(e.ctx, a.index, a.input.State); err != nil {
			return assemblyError(e, err)
		}
	}
	var failed error
	if a.result, failed = eng.Assemble(e.ctx, a.index, a.input); failed != nil {
		// Strict, a hook that failed, or Ctrl-C: no blocks, so nothing to show.
		return assemblyError(e, failed)
	}
	if c.SaveState != "" {
		data, err := json.MarshalIndent(a.result.State, "", "  ")
		if err != nil {
			return fail(ExitInternal, "", "cannot write the state: %w", err)
		}
		if err := writeFile(c.SaveState, append(data, '\n')); err != nil {
			return err
		}
	}
	if c.JSON {
		return e.printJSON(a.report())
	}
	if len(a.findings) > 0 {
		if err := e.errPrint(e.err.findings(a.findings, e.sources(a.books...)) + "\n"); err != nil {
			return err
		}
	}
	var b strings.Builder
	a.write(&b, e.out)
	return e.print(b.String())
}

// assemblyError turns an error of the engine into an exit status.
func assemblyError(e *env, err error) error {
	if e.ctx.Err() != nil {
		return e.ctx.Err()
	}
	var detail string
	var werr *weaver.Error
	if errors.As(err, &werr) {
		detail = werr.Detail()
	}
	if detail != "" {
		return fail(ExitProblems, "without --strict the entry alone would be left out", "%v\n%s", err, strings.TrimRight(detail, "\n"))
	}
	return fail(ExitProblems, "", "%w", err)
}

// prepare reads all inputs.
func (c *assembleCmd) prepare(e *env) (*assembly, error) {
	a := &assembly{cmd: c}
	slots, err := parseSlots(c.Slots)
	if err != nil {
		return nil, err
	}
	budget, err := parseBudget(c.Budget)
	if err != nil {
		return nil, err
	}
	if c.Advance < 0 {
		return nil, fail(ExitUsage, "state moves only forwards", "--advance %d: want 0 or more", c.Advance)
	}
	if c.Advance > maxAdvance {
		return nil, fail(ExitUsage, "a story has fewer turns", "--advance %d: want %d at most", c.Advance, maxAdvance)
	}
	if c.Context <= 0 {
		return nil, fail(ExitUsage, "", "--context %d: want the size of the context window in tokens", c.Context)
	}
	if err := oneStdin(append([]string{c.Chat, c.Vars, c.State}, c.Books...)...); err != nil {
		return nil, err
	}
	vars, err := e.readVars(c.Vars)
	if err != nil {
		return nil, err
	}
	state, err := c.readState(e)
	if err != nil {
		return nil, err
	}
	all, err := e.load(c.Books)
	if err != nil {
		return nil, err
	}
	chat, err := e.readChat(c.Chat, cmp.Or(c.User, vars.text("user", "name")), cmp.Or(c.Char, vars.text("char", "name")))
	if err != nil {
		return nil, err
	}
	a.messages = chat.messages
	all.findings = append(all.findings, chat.findings...)
	s, err := e.scene(all, casting{char: c.Char, user: c.User, vars: vars, chat: chat.stored, messages: chat.messages})
	if err != nil {
		return nil, err
	}
	a.books, a.findings, a.index, a.vars = s.books, s.findings, s.index, vars
	if !c.JSON {
		e.noteUnknownSlots(slots, s.books)
	}
	a.input = s.input
	a.input.State, a.input.Slots, a.input.Budget, a.input.Context, a.input.Seed = state, slots, budget, c.Context, c.Seed
	a.input.Purpose, a.input.Trace = engine.PurposePreview, engine.TraceFired
	if c.SaveState != "" {
		a.input.Purpose = engine.PurposeTurn
	}
	if c.Trace || len(c.Why) > 0 {
		a.input.Trace = engine.TraceAll
	}
	for _, name := range c.Why {
		ref, err := a.entry(name)
		if err != nil {
			return nil, err
		}
		a.input.Why = append(a.input.Why, ref)
	}
	a.counter = "estimate"
	if c.Tokenizer != "" {
		a.counter = tokens.Describe(tokens.ForModel(c.Tokenizer))
		if _, exact := tokens.EncodingOf(c.Tokenizer); !exact && !c.JSON {
			e.note("%s: no exact tokenizer is known for %q, so tokens are an estimate", e.opts.Name, c.Tokenizer)
		}
	}
	return a, nil
}

// unreported leaves out what the compiler of the index says about entries that
// the reader has reported already, with a better place.
func unreported(found, read diag.List) diag.List {
	files := make(map[string]bool)
	for _, d := range read {
		files[d.File] = files[d.File] || d.Severity == diag.Error || d.Code == "meta-empty"
	}
	return slices.DeleteFunc(found, func(d diag.Diagnostic) bool {
		file, _, _ := strings.Cut(d.File, " (condition)")
		return files[file] && d.Code != "regex"
	})
}

func (c *assembleCmd) tokenizer() engine.Tokenizer {
	if c.Tokenizer == "" {
		return nil
	}
	return tokens.ForModel(c.Tokenizer)
}

// readState reads a state file. One that is not there is a new conversation,
// so that the same command can be run turn after turn.
func (c *assembleCmd) readState(e *env) (engine.State, error) {
	var state engine.State
	if c.State == "" {
		return state, nil
	}
	if _, err := os.Stat(c.State); c.State != "-" && errors.Is(err, fs.ErrNotExist) {
		return state, nil
	}
	data, err := e.readInput(c.State, "state", maxFileBytes)
	if err != nil {
		return state, err
	}
	data = []byte(strings.TrimPrefix(lore.DecodeText(data), "\ufeff"))
	if err := json.Unmarshal(data, &state); err != nil {
		return state, fail(ExitInput, "use a file that --save-state wrote", "%s is not a state: %s", c.State, jsonMessage(data, err))
	}
	if state.Turn < 0 {
		return state, fail(ExitInput, "use a file that --save-state wrote", "%s is not a state: turn: %d is negative", c.State, state.Turn)
	}
	return state, nil
}

// entry finds the entry that --why names: an id, or book/id.
func (a *assembly) entry(name string) (engine.EntryRef, error) {
	ref := engine.EntryRef{Entry: name}
	if e, _ := a.index.Entry(ref); e != nil {
		return ref, nil
	}
	if book, id, ok := strings.Cut(name, "/"); ok {
		ref = engine.EntryRef{Book: book, Entry: id}
		if slices.Contains(a.index.Books(), book) {
			return ref, nil
		}
		return ref, fail(ExitUsage, "the books are "+strings.Join(a.index.Books(), ", "), "--why %s: there is no book %q", name, book)
	}
	var ids []string
	for _, b := range a.books {
		for _, e := range b.Entries {
			ids = append(ids, e.ID)
			if strings.EqualFold(e.Name, name) || e.ID == name {
				return engine.EntryRef{Entry: e.ID}, nil
			}
		}
	}
	hint := fmt.Sprintf("%s to choose from; weft assemble --trace shows those that fired", plural(len(ids), "entry"))
	if guess := suggest.Nearest(name, ids); guess != "" {
		hint = fmt.Sprintf("did you mean %s?", guess)
	}
	return ref, fail(ExitUsage, hint, "--why %s: no book has such an entry", name)
}

// parseBudget reads 800, 800tokens, 25%, 4000chars or none.
func parseBudget(s string) (*lore.Amount, error) {
	text := strings.ToLower(strings.ReplaceAll(strings.TrimSpace(s), " ", ""))
	if text == "none" {
		return nil, nil
	}
	unit := lore.UnitTokens
	for suffix, u := range map[string]lore.Unit{"%": lore.UnitPercent, "chars": lore.UnitChars, "tokens": lore.UnitTokens} {
		if rest, ok := strings.CutSuffix(text, suffix); ok {
			text, unit = rest, u
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0) || n > 1e12 || unit == lore.UnitPercent && n > 100 || unit != lore.UnitPercent && n != float64(int(n)) {
		return nil, fail(ExitUsage, "write tokens (800), percent of the context (25%), characters (4000chars), or none", "--budget %s is not a budget", s)
	}
	return &lore.Amount{N: n, Unit: unit}, nil
}
