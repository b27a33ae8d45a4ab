package world

import (
	"strings"
	"testing"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/store"
)

// A greeting is a message: names stand where the card has macros.
func TestGreetingsNameThePlayers(t *testing.T) {
	t.Parallel()
	who := &lore.Character{ID: "maddis", Name: "Maddis Orr", Nickname: "Maddis"}
	c := store.Conversation{ID: "c", Seed: 7}
	tests := []struct{ text, user, want string }{
		{"Nothing to replace.", "Sam", "Nothing to replace."},
		{"{{char}} nods to {{user}}.", "Sam", "Maddis nods to Sam."},
		{"{{char}} nods to {{user}}.", "", "Maddis nods to User."},
		{"<BOT> nods to <USER>.", "Sam", "Maddis nods to Sam."},
		{"\n  {{Char}} nods.\n\n*{{user}} sits.*  \n", "Sam", "\n  Maddis nods.\n\n*Sam sits.*  \n"},
		{"{{unknown_macro}} and {{char}}", "Sam", "{{unknown_macro}} and Maddis"},
		{"an open {{ brace, {{char}}", "Sam", "an open {{ brace, Maddis"},
		{"{{user}}", "{{char}}", "{{char}}"},
		{"@@depth 3\n{{char}} waits.", "Sam", "@@depth 3\nMaddis waits."},
		{"", "Sam", ""},
	}
	for _, tt := range tests {
		if got := greeted(t.Context(), tt.text, c, who, tt.user); got != tt.want {
			t.Errorf("greeted(%q, user %q) = %q, want %q", tt.text, tt.user, got, tt.want)
		}
	}
	long := strings.Repeat("{{char}} talks on. ", 20_000)
	if got := greeted(t.Context(), long, c, who, "Sam"); got != strings.ReplaceAll(long, "{{char}}", "Maddis") {
		t.Errorf("a long greeting has %d bytes", len(got))
	}
	const roll = "It is {{random::dawn::noon::dusk::night}}, says {{char}}."
	first := greeted(t.Context(), roll, c, who, "Sam")
	if strings.Contains(first, "{{") || first != greeted(t.Context(), roll, c, who, "Sam") {
		t.Errorf("a roll gave %q, and then %q", first, greeted(t.Context(), roll, c, who, "Sam"))
	}
	seen := map[string]bool{}
	for seed := range uint64(40) {
		seen[greeted(t.Context(), roll, store.Conversation{Seed: seed}, who, "Sam")] = true
	}
	if len(seen) != 4 {
		t.Errorf("40 conversations rolled %v", seen)
	}
}
