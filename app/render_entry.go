package app

import (
	"fmt"
	"strings"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/internal/suggest"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
)

// findEntry finds the entry that --entry names: an id, book/id, or a name.
func (c renderCmd) findEntry(e *env) (*lore.Book, *lore.Entry, *loaded, error) {
	all, err := e.load([]string{c.File})
	if err != nil {
		return nil, nil, nil, err
	}
	var ids []string
	for _, b := range all.books {
		for _, x := range b.Entries {
			if x.ID == c.Entry || b.ID+"/"+x.ID == c.Entry {
				return b, x, all, nil
			}
			if ids = append(ids, x.ID); x.Name != "" {
				ids = append(ids, x.Name)
			}
		}
	}
	for _, b := range all.books {
		for _, x := range b.Entries {
			if strings.EqualFold(x.Name, c.Entry) {
				return b, x, all, nil
			}
		}
	}
	hint := fmt.Sprintf("%s inspect %s --verbose lists its entries", e.opts.Name, c.File)
	if guess := suggest.Nearest(c.Entry, ids); guess != "" {
		hint = fmt.Sprintf("did you mean %s?", guess)
	}
	return nil, nil, nil, fail(ExitUsage, hint, "--entry %s: %s has no such entry", c.Entry, c.File)
}

// renderForeign renders an entry of another dialect: alone, always active, with
// no bound on its length.
func (c renderCmd) renderForeign(e *env, b *lore.Book, x *lore.Entry, all *loaded, v vars) error {
	entry := x.Clone()
	entry.Match, entry.Timing, entry.Placement = lore.Match{Constant: true}, lore.Timing{}, lore.Placement{Slot: lore.SlotBackdrop}
	entry.Inclusion, entry.Inject, entry.Disabled, entry.Folder = nil, nil, false, ""
	book := b.Clone()
	book.Entries, book.Budget, book.GroupBudgets, book.Folders = []*lore.Entry{entry}, nil, nil, nil
	s, err := e.scene(&loaded{books: []*lore.Book{book}, characters: all.characters}, casting{char: c.Char, user: c.User, vars: v})
	if err != nil {
		return err
	}
	eng, err := e.engine(engine.Options{})
	if err != nil {
		return err
	}
	s.input.Seed, s.input.Purpose = c.Seed, engine.PurposePreview
	result, err := eng.Assemble(e.ctx, s.index, s.input)
	if err != nil {
		return assemblyError(e, err)
	}
	for _, p := range result.Problems {
		e.note("%s: %s", e.opts.Name, p.Message)
	}
	text := ""
	for _, block := range result.Blocks {
		text += block.Content
	}
	if c.JSON {
		return e.printJSON(renderReport{Text: text, Value: weaver.String(text), Vars: s.vars, Triggers: []string{}})
	}
	if e.out.terminal && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return e.print(text)
}
