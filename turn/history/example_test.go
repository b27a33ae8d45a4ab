package history_test

import (
	"fmt"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/turn/history"
)

func Example() {
	x := history.NewIndex()
	x.Add(history.Node{ID: "greeting", Conversation: "ferry", Role: lore.RoleAssistant, Texts: []string{"*Ines looks up.* \"Boarding, or only talking?\""}})
	x.Add(history.Node{ID: "asked", Conversation: "ferry", Parent: "greeting", Role: lore.RoleUser, Texts: []string{"Is the late boat gone?"}})
	x.Add(history.Node{ID: "answered", Conversation: "ferry", Parent: "asked", Role: lore.RoleAssistant, Texts: []string{"\"Gone before the second bell,\" she says."}})

	messages := []history.Message{
		{Role: lore.RoleSystem, Text: "You play Ines, who pilots the ferry."},
		{Role: lore.RoleAssistant, Text: "*Ines looks up.* \"Boarding, or only talking?\""},
		{Role: lore.RoleUser, Text: "Is the late boat gone?"},
	}
	d := x.Resolve(&history.Request{Messages: messages}, nil)
	fmt.Println(d.Kind, "after", d.Parent, "instead of", d.Replaces)

	messages = append(
		messages,
		history.Message{Role: lore.RoleAssistant, Text: "“Gone before the second bell,” she says."},
		history.Message{Role: lore.RoleUser, Text: "Then I wait for the first one."},
	)
	d = x.Resolve(&history.Request{Messages: messages}, nil)
	fmt.Println(d.Kind, "after", d.Parent)
	fmt.Printf("%s after %s: %s\n", d.Writes[0].Role, d.Writes[0].Parent, d.Writes[0].Text)
	// Output:
	// swipe after asked instead of answered
	// next after write 1
	// user after answered: Then I wait for the first one.
}
