package world

import (
	"encoding/json"

	"github.com/weft-memory/weft/lore"
	"github.com/weft-memory/weft/weaver"
)

// Settings are how a world, or a conversation in it, is told. What a
// conversation sets overrides what the world sets; what an assembly is given
// overrides both.
type Settings struct {
	// User is the name of the person who plays. Defaults to "User".
	User string `json:"user,omitempty"`
	// Persona describes that person, for entries that search it.
	Persona string `json:"persona,omitempty"`
	// PersonaName is the name under which books are bound to the persona.
	// Defaults to User.
	PersonaName string `json:"persona_name,omitempty"`

	// Characters are the ids of the characters of a conversation, the main one
	// first.
	Characters []string `json:"characters,omitempty"`
	// Speaker is the id of the character who speaks next. Defaults to the first
	// of Characters.
	Speaker string `json:"speaker,omitempty"`
	// Viewpoint is from whose view a turn is told: the id of a character, or
	// [Narrator]. Defaults to the speaker in a group, to the character in a chat
	// with one, else to the narrator.
	Viewpoint string `json:"viewpoint,omitempty"`
	// Greeting is the greeting that the conversation began with: 0 the
	// character's first message, n the n-th alternate.
	Greeting int `json:"greeting,omitempty"`

	// Books: of a world, the order of its books (others follow by id); of a
	// conversation, books that are bound to it.
	Books []string `json:"books,omitempty"`
	// Note is the author's note.
	Note string `json:"note,omitempty"`
	// Scenario overrides the character's.
	Scenario string `json:"scenario,omitempty"`
	// Vars are variables of the host by namespace and name.
	Vars map[string]map[string]weaver.Value `json:"vars,omitempty"`

	// Slots are those that the prompt has. Nil means all.
	Slots []lore.Slot `json:"slots,omitempty"`
	// Budget bounds all lore in a prompt: "25%", "800", "4000chars" or "none".
	// Defaults to 25% of Context.
	Budget string `json:"budget,omitempty"`
	// Context is the model's context window in tokens. Defaults to 8,192.
	Context int `json:"context,omitempty"`

	// Settled is how many messages of the user have to follow a message before
	// what it says counts for the whole world. Defaults to 2.
	Settled *int `json:"settled,omitempty"`
	// RerollOnSwipe gives every swipe random numbers of its own.
	RerollOnSwipe *bool `json:"reroll_on_swipe,omitempty"`

	// Extra keeps fields that this version does not know.
	Extra map[string]json.RawMessage `json:"-"`
}

// Narrator is the viewpoint of the narrator, who sees everything.
const Narrator = "narrator"

// ParseSettings reads settings as they are stored. Unknown fields are kept; a
// value that no setting can have is Invalid, with the name of its field.
func ParseSettings(raw json.RawMessage) (Settings, error) { return Settings{}, errPending }
