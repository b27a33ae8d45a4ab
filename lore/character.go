package lore

import "encoding/json"

// Character is a character card: who somebody is, how a chat with them begins,
// and which books belong to them.
type Character struct {
	// ID names the character among others; readers set it to the file name
	// without extension.
	ID   string
	Name string
	// Nickname is what {{char}} stands for where it is set.
	Nickname string
	// DisplayName is the name in lists, where it differs from Name.
	DisplayName string

	Description string
	Personality string
	Scenario    string
	// Greeting is the first message; Greetings are the alternates, and
	// GroupGreetings those that only group chats offer.
	Greeting       string
	Greetings      []string
	GroupGreetings []string
	Examples       string
	SystemPrompt   string
	// PostHistory is the instruction behind the chat.
	PostHistory string
	// DepthPrompt is the character's note, put into the chat; nil means none.
	DepthPrompt *DepthPrompt

	Creator      string
	CreatorNotes string
	Version      string
	Tags         []string

	// Book is the id of the book that is embedded in the card; "" means none.
	Book string
	// Books are the ids or names of the books bound to the character, the
	// embedded one not included.
	Books []string

	Origin Origin
	Ext    map[string]json.RawMessage
}

// DepthPrompt is a text that stands inside the chat, Depth messages before its
// end.
type DepthPrompt struct {
	Text  string
	Depth int
	Role  Role // "" means system
}

// CharName returns what {{char}} stands for: the nickname, else the name.
func (c *Character) CharName() string {
	if c.Nickname != "" {
		return c.Nickname
	}
	return c.Name
}

// Scope says for whom a [Binding] switches its books on.
type Scope string

// The scopes of a binding, in the words of SillyTavern.
const (
	ScopeGlobal    Scope = "global"
	ScopeChat      Scope = "chat"
	ScopePersona   Scope = "persona"
	ScopeCharacter Scope = "character"
)

// Binding ties books to a character, a persona, a chat, or to everything.
type Binding struct {
	Scope Scope
	// Name is the character, persona or chat; "" for global ones.
	Name string
	// Books are the books by bare name, in order; the first one of a character
	// is its main book.
	Books  []string
	Origin Origin
}
