package world

import (
	"cmp"
	"context"
	"strings"

	"github.com/weft-memory/weft/engine"
	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/store"
)

// greetingContext is a context window in which every greeting has room.
const greetingContext = 1 << 30

// greeted returns a greeting of a card as a message: the macros of the card are
// replaced ({{char}}, {{user}}, {{random::…}}), as front ends do when a chat
// begins. The card keeps its text. The rolls follow from the seed of the
// conversation, so each greeting has its own, and the same again.
func greeted(ctx context.Context, text string, c store.Conversation, who *lore.Character, user string) string {
	core := strings.TrimSpace(text)
	names := greetingNames(who.CharName(), cmp.Or(user, "User"))
	if !strings.Contains(core, "{{") && !strings.Contains(core, "<") {
		return text
	}
	if strings.HasPrefix(core, "@@") { // what would be a decorator in a book
		return names.Replace(text)
	}
	// The engine evaluates the text as the one entry of a book in the dialect
	// of cards.
	book, err := lore.NewBook("greeting").Policy(lore.PolicySillyTavern()).Entry("greeting", core, lore.Constant()).Build()
	if err != nil {
		return names.Replace(text)
	}
	segment, _ := engine.Build(book, engine.BuildOptions{})
	eng, err := engine.New(engine.Options{}) // plugins and hooks are for turns
	if err == nil {
		var r *engine.Result
		r, err = eng.Assemble(ctx, engine.NewIndex(segment), engine.Input{
			Character: engine.Character{Name: who.CharName(), File: who.ID, Tags: who.Tags}, User: cmp.Or(user, "User"),
			Seed: turnSeed(c.Seed, text), ChatSeed: c.Seed, Context: greetingContext, Purpose: engine.PurposePreview,
		})
		if err == nil && len(r.Blocks) == 1 && len(r.Problems) == 0 {
			at := strings.Index(text, core)
			return text[:at] + strings.TrimSpace(r.Blocks[0].Content) + text[at+len(core):]
		}
	}
	// What cannot be evaluated keeps everything but the names.
	return names.Replace(text)
}

func greetingNames(char, user string) *strings.Replacer {
	return strings.NewReplacer("{{char}}", char, "{{Char}}", char, "{{user}}", user, "{{User}}", user, "<BOT>", char, "<USER>", user)
}
